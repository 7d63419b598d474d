//! Why a text is not a legal move.

use std::fmt;

use thiserror::Error;

use super::pdn_move::MAX_ROUTES;
use super::{Found, SquareError, WrongBoard};

/// Moves as texts, for an error: the first dozen and how many more there are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MoveList {
    shown: Vec<String>,
    more: usize,
}

impl MoveList {
    /// Most moves that are listed.
    pub const LIMIT: usize = 12;

    /// The list of these moves, only the first of which are turned into texts.
    pub(super) fn new<M>(moves: &[M], write: impl FnMut(&M) -> String) -> Self {
        let shown: Vec<String> = moves.iter().take(Self::LIMIT).map(write).collect();
        let more = moves.len() - shown.len();
        Self { shown, more }
    }

    /// The moves that are listed.
    #[must_use]
    pub fn shown(&self) -> &[String] {
        &self.shown
    }

    /// How many more there are.
    #[must_use]
    pub fn more(&self) -> usize {
        self.more
    }
}

impl fmt::Display for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.shown.is_empty() {
            return f.write_str("none, the side to move has lost its moves");
        }
        f.write_str(&self.shown.join(", "))?;
        match self.more {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Why a text is not a legal move of a position. Positions `at` are in bytes from the start of the text.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum MoveError {
    /// The board type is not the variant's.
    #[error(transparent)]
    WrongBoard(#[from] WrongBoard),
    /// Something else stands where a square should.
    #[error("in the move \"{text}\", at byte {at}: {source}")]
    Square {
        /// The text, shortened if very long.
        text: String,
        /// Where.
        at: usize,
        /// What is wrong.
        source: SquareError,
    },
    /// Something else stands where a separator or the end should.
    #[error("in the move \"{text}\", unexpected {found} at byte {at}: expected {expected}")]
    Unexpected {
        /// The text, shortened if very long.
        text: String,
        /// What stands there.
        found: Found,
        /// Where.
        at: usize,
        /// What could stand there.
        expected: &'static str,
    },
    /// No legal move is written so.
    #[error("\"{text}\" is not a legal move here; the legal moves: {legal}")]
    Illegal {
        /// The text, shortened if very long.
        text: String,
        /// The legal moves in the same notation.
        legal: MoveList,
    },
    /// More than one legal move is written so.
    #[error("\"{text}\" can be any of several moves here; write the one meant in full: {matching}")]
    Ambiguous {
        /// The text, shortened if very long.
        text: String,
        /// The moves it can be, each in a form that is not ambiguous.
        matching: MoveList,
    },
    /// A path of a capture in a position with too many routes to find it among them.
    #[error(
        "\"{text}\" cannot be looked up: there are more than {MAX_ROUTES} ways to capture here; write the two ends and then the captured squares, or one of {possible}"
    )]
    TooManyRoutes {
        /// The text, shortened if very long.
        text: String,
        /// The legal moves with its ends, each in a form that can be read.
        possible: MoveList,
    },
}

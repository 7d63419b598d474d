//! What can be wrong with a PDN text, and with a game that is to be written.

use thiserror::Error;

use super::super::fen::FenError;
use super::super::{Found, MoveError, WrongBoard};
use super::{GameTypeError, MAX_DEPTH};

/// Why a text is not PDN, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct PdnError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong there; boxed, since it can be large and is rare.
    pub kind: Box<PdnErrorKind>,
}

/// What is wrong with a PDN text.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum PdnErrorKind {
    /// The board type is not the variant's.
    #[error(transparent)]
    WrongBoard(#[from] WrongBoard),
    /// A character that begins nothing.
    #[error("unexpected {found}: expected {expected}")]
    Unexpected {
        /// What stands there.
        found: Found,
        /// What could stand there.
        expected: &'static str,
    },
    /// A comment without its end.
    #[error("the comment that begins here has no end: close it with '}}'")]
    OpenComment,
    /// A tag value without its end.
    #[error("the value that begins here does not end on its line: close it with '\"'")]
    OpenString,
    /// A position in the middle of a game.
    #[error(
        "a position set up between '/' in the middle of a game cannot be read: begin a new game with a FEN tag"
    )]
    SetUpInGame,
    /// An annotation that is not a number up to 65535.
    #[error("'$' must be followed by a number from 0 to 65535")]
    Nag,
    /// A closing bracket that closes nothing.
    #[error("')' closes no variation: delete it or open the variation with '('")]
    UnmatchedClose,
    /// A variation without its end.
    #[error("a variation is not closed: close it with ')'")]
    OpenVariation,
    /// A variation before any move.
    #[error("a variation needs a move before it that it replaces: write it behind that move")]
    NothingToReplace,
    /// A strength before any move.
    #[error("'!' and '?' belong directly behind a move")]
    NothingToRate,
    /// Variations too deep in one another.
    #[error(
        "variations can be nested {MAX_DEPTH} deep: write the deeper ones as games of their own"
    )]
    TooDeep,
    /// A tag with two values.
    #[error("the tag {name} has another value above: keep one of them")]
    SecondTag {
        /// The tag's name.
        name: String,
    },
    /// The game is of another variant or another numbering.
    #[error(transparent)]
    GameType(#[from] GameTypeError),
    /// A game that should begin at a given position, without it.
    #[error("the tag SetUp announces a position, but there is no FEN tag: add it or delete SetUp")]
    NoFen,
    /// The `FEN` tag is not a position.
    #[error("in the FEN tag, {0}")]
    Fen(#[from] FenError),
    /// A move is wrong.
    #[error("move {number}: {source}")]
    Move {
        /// Number and side as PDN counts, e.g. `12.` or `12...`.
        number: String,
        /// What is wrong with it.
        source: MoveError,
    },
    /// Two results that differ.
    #[error("the game ends with {end}, but its Result tag says {tag}: correct one of them")]
    Results {
        /// The result behind the moves.
        end: &'static str,
        /// The result in the tag.
        tag: String,
    },
}

/// Why a game cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The board type is not the variant's.
    #[error(transparent)]
    WrongBoard(#[from] WrongBoard),
    /// A move is not legal at its place.
    #[error(
        "move {number}, from index {from} to index {to}, is not legal at its place: play the moves with RuleSet::play"
    )]
    IllegalMove {
        /// Number and side as PDN counts, e.g. `12.` or `12...`.
        number: String,
        /// Internal index of the start.
        from: usize,
        /// Internal index of the end.
        to: usize,
    },
    /// A tag name that could not be read again.
    #[error(
        "\"{name}\" cannot be the name of a tag: use a letter, then letters, digits and underscores"
    )]
    TagName {
        /// The name.
        name: String,
    },
    /// A strength that could not be read again.
    #[error("\"{strength}\" cannot be the strength of move {number}: use '!' and '?' only")]
    Strength {
        /// Number and side as PDN counts.
        number: String,
        /// The strength.
        strength: String,
    },
    /// Variations too deep in one another.
    #[error(
        "variations can be nested {MAX_DEPTH} deep: write the deeper ones as games of their own"
    )]
    TooDeep,
}

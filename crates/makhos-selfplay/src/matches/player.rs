//! Who plays: anything that chooses a move.

use std::fmt;
use std::io;
use std::time::Duration;

use makhos_rules::game::PlayError;
use makhos_rules::{Board, Move};
use thiserror::Error;

use crate::eval::{Evaluator, Patterns};
use crate::search::{Limits, Line, Searcher};

/// Why a player does not play.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// The program cannot be started.
    #[error("{program} cannot be started: {source}")]
    Start {
        /// The program.
        program: String,
        /// What the system says.
        source: io::Error,
    },
    /// The program does not listen any more.
    #[error("{program} does not take \"{line}\": {source}")]
    Write {
        /// The program.
        program: String,
        /// What was said to it.
        line: String,
        /// What the system says.
        source: io::Error,
    },
    /// The program has ended.
    #[error("{program} has ended while {waiting} was expected")]
    Ended {
        /// The program.
        program: String,
        /// The answer that was waited for.
        waiting: &'static str,
    },
    /// The program does not answer in time.
    #[error("{program} has not answered {waiting} within {} s", limit.as_secs_f64())]
    Timeout {
        /// The program.
        program: String,
        /// The answer that was waited for.
        waiting: &'static str,
        /// How long it could take.
        limit: Duration,
    },
    /// The program says that something is wrong.
    #[error("{program} answers with an error: {message}")]
    Answer {
        /// The program.
        program: String,
        /// Its line.
        message: String,
    },
    /// What the program says is no move, or not a legal one.
    #[error("{program} plays \"{line}\": {reason}")]
    Move {
        /// The program.
        program: String,
        /// Its line.
        line: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A setting cannot be written in the protocol.
    #[error("\"{text}\" cannot be sent to a program: {reason}")]
    Text {
        /// The text.
        text: String,
        /// Why.
        reason: &'static str,
    },
    /// A player has chosen a move that cannot be played.
    #[error("a player has chosen a move that cannot be played, after {ply} plies: {source}")]
    Illegal {
        /// Plies that had been played after the opening.
        ply: usize,
        /// Why it cannot.
        source: PlayError,
    },
    /// There is no legal move to choose.
    #[error("there is no legal move to choose")]
    NoMove,
}

/// Someone who plays one game after the other.
pub trait Player<B>: Send {
    /// A new game begins. What was thought before must not change how it is played, so that games can be
    /// played in any order.
    ///
    /// # Errors
    /// [`PlayerError`].
    fn new_game(&mut self) -> Result<(), PlayerError>;

    /// The move to play. There is at least one.
    ///
    /// # Errors
    /// [`PlayerError`].
    fn choose(&mut self, line: &Line<B>) -> Result<Move<B>, PlayerError>;
}

/// The engine of this crate as a player.
pub struct EnginePlayer<B, E = Patterns<B>> {
    searcher: Searcher<B, E>,
    limits: Limits,
}

impl<B, E> fmt::Debug for EnginePlayer<B, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnginePlayer")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl<B: Board, E: Evaluator<B>> EnginePlayer<B, E> {
    /// A player that searches every move within limits. By nodes or depth it always plays the same.
    #[must_use]
    pub fn new(searcher: Searcher<B, E>, limits: Limits) -> Self {
        Self { searcher, limits }
    }
}

impl<B: Board, E: Evaluator<B>> Player<B> for EnginePlayer<B, E> {
    fn new_game(&mut self) -> Result<(), PlayerError> {
        self.searcher.new_game();
        Ok(())
    }

    fn choose(&mut self, line: &Line<B>) -> Result<Move<B>, PlayerError> {
        let report = self.searcher.search_line(line, &self.limits);
        report.best.ok_or(PlayerError::NoMove)
    }
}

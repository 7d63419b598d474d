//! A draughts engine for every variant: evaluation by patterns, search with endgame tables, and the Hub
//! protocol. Self-play, training and matches stand on it.
//!
//! - [`eval`] turns a position into a number: a sparse linear sum of [`eval::Weights`], which can be trained
//!   because the active features of a position can be listed.
//! - [`search`] looks ahead: a [`Searcher`] belongs to one thread and answers the same for the same input.
//! - [`dataset`] turns games and tables into rows for AI research.
//! - [`hub`] lets other programs use the engine.
//!
//! ```
//! use std::sync::Arc;
//!
//! use makhos_rules::draw::official;
//! use makhos_rules::game::Game;
//! use makhos_rules::{Position, variant};
//! use makhos_selfplay::eval::{Patterns, Weights};
//! use makhos_selfplay::{Limits, Searcher, Settings};
//!
//! let rules = variant::RUSSIAN;
//! let weights = Weights::material_only::<u32>(&rules);
//! let eval = Arc::new(Patterns::<u32>::new(&rules, &weights)?);
//! let mut searcher = Searcher::new(rules, official::of(&rules), eval, Settings::default());
//! let game = Game::new(rules, official::of(&rules), Position::start(&rules));
//! let report = searcher.search(&game, &Limits::nodes(1_000));
//! assert!(report.best.is_some());
//! # Ok::<(), makhos_selfplay::eval::WeightsError>(())
//! ```

#![deny(unsafe_code)]

pub mod dataset;
pub mod eval;
pub mod games;
pub mod hub;
pub mod matches;
mod mobility;
mod publish;
mod random;
mod score;
pub mod search;
pub mod train;

pub use eval::Evaluator;
pub use score::Score;
pub use search::{Limits, Line, SearchReport, Searcher, Settings};

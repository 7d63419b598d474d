//! Rules of the draughts variants as data, one fast move generator, and their notations.
//!
//! A [`RuleSet`] describes a variant; [`variant`] has the named ones. A [`Position`] is generic over
//! the board (`u32` for 8x8, `u64` for 10x10, `u128` for 12x12), so that the generator is specialised
//! for its width at compile time.
//!
//! ```
//! use makhos_rules::{Position, perft, variant};
//!
//! let start = Position::<u32>::start(&variant::RUSSIAN);
//! let moves = variant::RUSSIAN.legal_moves(&start);
//! assert_eq!(moves.len(), 7);
//! assert_eq!(perft::count(&variant::RUSSIAN, &start, 5, perft::Counting::Drop), 7482);
//! ```

pub mod board;
pub mod draw;
pub mod game;
mod movegen;
mod moves;
pub mod notation;
pub mod perft;
mod position;
pub mod rules;
pub mod variant;

pub use board::{Board, Direction, Square};
pub use movegen::{Compiled, IllegalMove};
pub use moves::{Move, Route};
pub use position::{Position, PositionError};
pub use rules::{BoardSize, Color, RuleSet};

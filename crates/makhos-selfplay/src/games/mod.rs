//! Games of the engine against itself, and of random moves, for training.
//!
//! [`SelfPlay`] plays them and writes [files](shard), a [`Shard`] reads one, and a [`GameRecord`] is a game with
//! its [positions](GameRecord::positions), scores and result. [Bytes](bytes) says how a game is written.
//!
//! # How a game is played
//! It begins with random moves from the start position, as many as a random number says, which are drawn again
//! if the game is over after them, tables decide it, or a short search finds it too unequal. Then the engine
//! moves for both sides with a fixed number of nodes. A move that is the only one is played without a search, and
//! has no score. A game ends when
//! 1. the side to move has no move, and has lost;
//! 2. a drawing rule holds: draws that a player may claim are claimed;
//! 3. tables know the value of the position: it is the result, with no regard to drawing rules;
//! 4. it becomes too long, and counts as drawn.
//!
//! # The same games everywhere
//! The random numbers of a game follow from the seed of the run and the number of the game; the engine forgets
//! everything between games. So a file depends neither on threads nor on interruptions.

mod adjudicate;
pub mod bytes;
mod directory;
mod header;
mod opening;
mod player;
mod record;
mod run;
mod settings;
pub mod shard;
mod tally;
mod track;

pub use crate::random::Dice;
pub use header::{HeaderError, RunInfo, ShardHeader};
pub use player::RandomGames;
pub use record::{
    DrawnBy, Ending, GameParts, GameRecord, GameResult, PlayedPosition, Ply, Positions, RecordError,
};
pub use run::{Monitor, Quiet, RunError, RunReport, SelfPlay, ShardReport};
pub use settings::{GameSettings, OpeningSettings, Players, SettingsError};
pub use shard::{Shard, ShardError, list_shards};
pub use tally::Tally;

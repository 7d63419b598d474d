//! Distances: the same solver, counting plies.
//!
//! What moves that leave a configuration lead to is looked at as for outcomes, but with the plies that
//! are left there, as bit planes ([`outcome`](super::outcome)). Then the moves of kings are settled ply by
//! ply ([`rounds`]): in round `t` those positions are won that have a move to a position lost in at most
//! `t - 1` plies, those lost all whose moves lead to positions won in at most `t - 1`, and what was found
//! outside joins in the round of its own number. So a position is settled in the round that is its
//! distance, and no other order of work could settle it.
//!
//! Three numbers are counted so: plies to the end of the game, with the plies of finished tables; plies
//! to the next move that changes the configuration or the material (*conversion*), for which outcomes of
//! finished tables are enough: every such move is made in one ply; and the plies that must be left on a
//! clock ([`ruled`](super::ruled)), which are drawn where they are more than the clock has ([`Limit`]).

mod cube;
mod limit;
mod men;
mod road;
mod rounds;
mod solve;
mod values;
mod words;

pub(crate) use self::cube::bytes;
pub(crate) use self::limit::{Beyond, Limit, at_least};
pub(crate) use self::men::one_ply_each;
pub(crate) use self::solve::DistanceWork;
pub(crate) use self::values::{conversion_value, end_value, packed_values, ruled_value};

/// Bit planes of a number of plies.
pub(crate) const PLANES: usize = 10;

/// The most plies that are counted: one less than the planes hold, as the move before is one more.
pub(crate) const LONGEST: u16 = (1 << PLANES) - 2;

//! Distances: the same solver, counting plies.
//!
//! What moves that leave a configuration lead to is looked at as for outcomes, but with the plies that
//! are left there, as bit planes ([`outcome`](super::outcome)). Then the moves of kings are settled ply by
//! ply ([`rounds`]): in round `t` those positions are won that have a move to a position lost in at most
//! `t - 1` plies, those lost all whose moves lead to positions won in at most `t - 1`, and what was found
//! outside joins in the round of its own number. So a position is settled in the round that is its
//! distance, and no other order of work could settle it.
//!
//! Two numbers are counted so: plies to the end of the game, with the plies of finished tables, and plies
//! to the next move that changes the configuration or the material (*conversion*), for which outcomes of
//! finished tables are enough: every such move is made in one ply.

mod cube;
mod rounds;
mod solve;
mod values;
mod words;

pub(crate) use self::cube::bytes;
pub(crate) use self::solve::DistanceWork;
pub(crate) use self::values::{conversion_value, end_value, packed_values};

/// Bit planes of a number of plies.
pub(crate) const PLANES: usize = 10;

/// The most plies that the planes hold.
pub(crate) const MOST_PLIES: u16 = (1 << PLANES) - 1;

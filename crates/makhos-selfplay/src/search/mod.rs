//! Search: iterative deepening of a principal variation search with a hash table, quiescence, ordering by what
//! has worked before, late move reductions and endgame tables.
//!
//! # Scores
//! A [`Score`] is for the side to move. A position in which the side to move has no move is lost. Draws are
//! worth 0: by the counters of the drawing rules, whether automatic or to be claimed, when a position of the
//! line comes back, and when one of the game before comes back as often as the rule says. The position that is
//! searched is never taken for drawn itself.
//!
//! # Tables
//! Where tables know the value of a position in the tree, the search goes no deeper there. Since they ignore
//! drawing rules a win is a [`Score::table_win`] only. A position to be searched that is in the tables is played
//! by distance where those are known, else only moves are searched that keep its value.
//!
//! # Determinism
//! A search by nodes or depth depends on nothing but the searcher's past since
//! [`new_game`](Searcher::new_game) and what it is given.

mod clock;
mod endgame;
mod limits;
mod line;
mod order;
mod root;
mod searcher;
mod table;
#[cfg(test)]
mod tests;
mod tree;

pub use limits::Limits;
pub use line::Line;
pub use searcher::{Hashing, SearchReport, Searcher, Settings, Switches};

#[cfg(doc)]
use crate::score::Score;

//! A naive move generator on a plain two-dimensional board.
//!
//! It shares nothing with the generator of `makhos-rules` but the fields of
//! [`RuleSet`](makhos_rules::RuleSet): it copies boards, walks cell by cell, lists every complete
//! capture and throws away the ones the rules of precedence forbid. Obviously right before fast; it
//! must never be optimised.

mod capture;
mod grid;
mod legal;
mod precedence;

pub use grid::{Cell, Grid, Piece};
pub use legal::{Legal, PlainMove, PlainRoute, legal, make, perft_drop, perft_keep, plain};

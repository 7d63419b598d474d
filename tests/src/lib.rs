//! What the tests across the crates share.
//!
//! [`mailbox`] is a second, naive move generator written from the rules alone: the judge of the fast
//! one. [`table`] reads the conformance tables in `data/`, [`outcomes`] the figures of solved classes.
//! [`generate`] makes rule sets and positions from plain numbers, for property tests.

pub mod generate;
pub mod mailbox;
pub mod outcomes;
pub mod table;

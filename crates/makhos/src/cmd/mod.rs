//! The sub-commands, one a file.

pub(crate) mod completions;
pub(crate) mod dataset;
pub(crate) mod engine;
pub(crate) mod generate;
pub(crate) mod matches;
pub(crate) mod moves;
pub(crate) mod perft;
pub(crate) mod probe;
pub(crate) mod selfplay;
pub(crate) mod stats;
pub(crate) mod train;
pub(crate) mod variants;
pub(crate) mod verify;

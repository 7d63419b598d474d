//! The sub-commands, one a file.

pub(crate) mod completions;
pub(crate) mod generate;
pub(crate) mod moves;
pub(crate) mod perft;
pub(crate) mod probe;
pub(crate) mod stats;
pub(crate) mod variants;
pub(crate) mod verify;

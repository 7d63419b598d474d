//! The command line as a user and a script see it: output, exit codes, interruption.

mod datasets;
mod draw_rules;
mod generate;
mod interruption;
mod learning;
mod moves_and_perft;
mod probe;
mod selfplay;
mod stats;
mod support;
mod usage;
mod verify;

//! Tests of the crate through its public interface: made-up tables for the file, solved ones for
//! probing and verification.

mod compact;
mod compact_damage;
mod compact_format;
mod damage;
mod draw_tables;
mod dtz;
mod fake;
mod format;
mod outcomes;
mod probing;
mod solver;
mod verifying;
mod writing;

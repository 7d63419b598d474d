//! Self-play: games, their files, runs that are interrupted, and data sets made of them.

mod dataset;
mod files;
mod played;
mod records;
mod runs;
mod support;

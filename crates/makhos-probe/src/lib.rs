//! The endgame table file of draughts: its format, writing, probing and verification.
//!
//! A table holds the value of every position of one material class under one rule set: whether the
//! side to move wins ([`Wld`]), or in how many plies ([`Dtw`]), both without drawing rules, or how many plies
//! must be left on the clock of a set of drawing rules ([`Dtz`]). `FORMAT.md` beside this crate's manifest
//! specifies the file byte by byte.
//!
//! - [`Tablebase`] answers for any position from a directory of tables, without drawing rules.
//! - [`DrawTables`] answers for any position with counters, under drawing rules.
//! - [`Table`] is one open file; [`ByteSource`] is where its bytes come from.
//! - [`Outcomes`] are those of many positions as bits, read and written at once.
//! - [`TableWriter`] turns a solver's values into a file, which appears only when it is complete.
//! - [`verify_values`] proves a table from the rules, [`Table::verify_digest`] that it is intact.
//!
//! Values are from the view of the side to move. Distances count plies, that is half-moves.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use makhos_probe::{Dtw, Tablebase};
//! use makhos_rules::{notation::fen, variant};
//!
//! let tables = Tablebase::<u32>::open(variant::RUSSIAN, Path::new("tables"))?;
//! let position = fen::parse(&variant::RUSSIAN, "W:WK30,K31,K32:BK4")?;
//! if let Dtw::Win(plies) = tables.probe_dtw(&position)? {
//!     println!("three kings win in {plies} plies");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing is guessed: a missing class, a damaged block or a table of other rules is an error that
//! names the file and says what to do.

#![deny(unsafe_code)]

mod cache;
mod class_map;
mod codec;
mod compact;
mod digits;
mod directory;
mod draw_tables;
mod dtc;
mod dtz;
mod error;
mod format;
mod isa;
mod listing;
mod manifest;
mod outcomes;
mod paths;
mod probe_error;
mod report;
mod source;
mod statistics;
mod table;
mod tablebase;
mod value;
mod verify;
mod write;

pub use directory::create_directory;
pub use draw_tables::{DrawTables, Ruled, RuledMove};
pub use dtc::Dtc;
pub use dtz::{Dtz, Verdict, road_tables};
pub use error::{BlockId, TableError};
pub use format::{DEFAULT_BLOCK_VALUES, DEFAULT_COMPACT_BLOCK_VALUES};
pub use manifest::{Discrepancy, MANIFEST_NAME, Manifest, ManifestError};
pub use outcomes::Outcomes;
pub use paths::{
    DtzSpec, command_arguments, draw_directory, dtz_file_name, dtz_path, file_name, parse_dtz_name,
    parse_file_name, table_path, variant_directory,
};
pub use probe_error::ProbeError;
pub use report::{AnyValue, Check, Difference, StatisticsDifference, Verification};
pub use source::{Access, ByteSource, FileSource, MapSource};
pub use statistics::{Longest, SideStatistics};
pub use table::{LoadedTable, Table};
pub use tablebase::{Batch, MoveValue, Tablebase};
pub use value::{Dtw, Metric, PackedDtw, Plies, Wld};
pub use verify::{Sample, verification_bytes, verify_sample, verify_values};
pub use write::{CompactOptions, Published, TableSpec, TableWriter, WriteError};

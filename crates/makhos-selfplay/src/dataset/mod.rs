//! Data sets for AI research: rows of positions with results and exact labels, as Parquet and `.npz`.
//!
//! A [`Row`] is a position of a game or of a table. Rows are collected in [`Columns`] and written a shard at
//! a time. Which split a row belongs to is decided by its game alone, so no game is in two splits.
//!
//! # Columns
//! | column | type | what |
//! |---|---|---|
//! | `game_id` | u64 | the game, plus 2^48 times the number of its run; or the number of the row where there is none |
//! | `ply` | u16 | plies since the game began |
//! | `stm` | u8 | side to move: 0 White, 1 Black |
//! | `wm`, `bm`, `wk`, `bk` | u32 (8x8), u64 (10x10) | white men, black men, white kings, black kings: square 1 is bit 0 |
//! | `move` | text | the move played, in Hub form; null where none was |
//! | `score` | i16 | the search's score for the side to move; null without a search |
//! | `wdl` | i8 | the result of the game for the side to move: 1, 0, -1; null in a sample of tables |
//! | `tb_wdl` | i8 | the outcome by the tables, for the side to move; null outside them |
//! | `tb_dtw` | u16 | plies to the end of the game by the tables; null for draws and outside them |
//! | `label_source` | u8 | where the best label comes from: 2 the tables know the position (`tb_wdl`), else `wdl` of a game that 0 was played out, 1 was decided by tables |
//!
//! On 12x12 each set of squares takes two columns, `wm_lo` and `wm_hi` and so on. Tables ignore drawing rules
//! by counting, and so do `tb_wdl` and `tb_dtw`.

mod columns;
mod export;
mod label;
mod npz;
mod parquet;
mod parquet_read;
mod replace;
mod sample;
mod writer;

pub use columns::{Columns, LabelSource, Labels, Row};
pub use export::{ExportError, Exported, Exporter, Filter};
pub use label::LabelError;
pub use npz::{read_npz, write_npz};
pub use parquet::write_parquet;
pub use parquet_read::read_parquet;
pub use replace::Replacement;
pub use sample::{Sample, SampleError, Sampler};
pub use writer::{DatasetFile, DatasetWriter, Form, Split};

use thiserror::Error;

/// Why a data set was not written or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: std::path::PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The library for Parquet refused.
    #[error("{}: {source}", path.display())]
    Parquet {
        /// The file.
        path: std::path::PathBuf,
        /// What it said.
        source: ::parquet::errors::ParquetError,
    },
    /// The library for `.npz` refused.
    #[error("{}: {source}", path.display())]
    Npz {
        /// The file.
        path: std::path::PathBuf,
        /// What it said.
        source: ndarray_npy::WriteNpzError,
    },
    /// The library for `.npz` cannot read a file.
    #[error("{}: {source}", path.display())]
    ReadNpz {
        /// The file.
        path: std::path::PathBuf,
        /// What it said.
        source: ndarray_npy::ReadNpzError,
    },
    /// A file holds something else than expected.
    #[error("{}: {reason}", path.display())]
    Other {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

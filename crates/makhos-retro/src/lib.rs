//! Retrograde generation of exact draughts endgame tables.
//!
//! [`Generator`] plans which classes are needed, in which order, and turns each into table files by a
//! solver: the bit-parallel [engine], or, where that has none, a plain, scalar one, which is the judge of the
//! engine: the [reference](mod@reference) solver of distances, and [ruled] for values under drawing rules,
//! of which a [`DtzGenerator`] makes tables.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use makhos_index::classes;
//! use makhos_probe::Metric;
//! use makhos_retro::{Generator, Quiet};
//! use makhos_rules::variant;
//!
//! let generator = Generator::<u32>::new(variant::THAI, Path::new("tables"), Metric::Dtw);
//! let plan = generator.plan(&classes(4))?;
//! let reports = generator.run(&plan, &Quiet)?;
//! println!("{} classes", reports.len());
//! # Ok::<(), makhos_retro::GenerateError>(())
//! ```

/// The README's example is compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;

mod checkpoint;
pub mod engine;
mod error;
mod estimate;
mod generate;
mod generate_dtz;
mod lock;
mod monitor;
mod plan;
mod publish;
pub mod reference;
pub mod ruled;
mod shelf;
mod unmove;
mod work;

pub use checkpoint::{CheckpointError, Checkpoints};
pub use engine::SolvedBoard;
pub use error::GenerateError;
pub use estimate::{Calibration, Forecast};
pub use generate::{ClassReport, DistanceSolver, Generator};
pub use generate_dtz::DtzGenerator;
pub use monitor::{Monitor, Quiet};
pub use plan::{Plan, Step};
pub use publish::Storage;

//! Why tables could not be generated.

use std::io;
use std::path::PathBuf;

use makhos_index::{IndexError, Material};
use makhos_probe::{ProbeError, TableError, WriteError};
use thiserror::Error;

use crate::reference::SolveError;

/// Why generation stopped. Tables published before stay, and the same call resumes.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// The rules are for a board of another size than the generator's.
    #[error("{variant} is played on {expected} squares, the generator is for {found}")]
    OtherBoard {
        /// The variant.
        variant: &'static str,
        /// Squares of the variant's board.
        expected: u32,
        /// Squares of the board type asked for.
        found: u32,
    },
    /// A generator of tables without drawing rules was asked for those under them.
    #[error("tables under drawing rules need to know these: use a DtzGenerator")]
    NeedsDrawRules,
    /// A class cannot be numbered on this board.
    #[error("class {material}: {source}")]
    Class {
        /// The class.
        material: Material,
        /// Why.
        source: IndexError,
    },
    /// A table that is already there cannot be used.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The directory cannot be used.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A table could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A class could not be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A class does not fit the memory allowed.
    #[error(
        "solving {material} takes {} MiB of memory, but {} MiB are allowed; \
         allow more or ask for smaller classes",
        needed.div_ceil(1 << 20),
        allowed >> 20
    )]
    Memory {
        /// The first class that does not fit.
        material: Material,
        /// Bytes it takes with the tables it needs.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
    /// A table knows nothing of the positions in which a capture is compulsory, and there is no complete
    /// one beside it. A [`Generator`](crate::Generator) makes it again by itself.
    #[error(
        "{}: holds no values of positions in which a capture is compulsory, and larger classes \
         need them; generate these classes in the same run",
        path.display()
    )]
    NoCaptureValues {
        /// The file.
        path: PathBuf,
    },
    /// The solver asked for a class to which no move leads.
    #[error(
        "solving {material} does not depend on {class}, but asked for it; \
         this is a defect of Makhos: please report it"
    )]
    Unneeded {
        /// The class in work.
        material: Material,
        /// The class asked for.
        class: Material,
    },
    /// Another process is generating into the same directory.
    #[error(
        "{}: another process is generating here; wait for it or choose another directory",
        path.display()
    )]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// The directory cannot be prepared.
    #[error("{}: {source}", path.display())]
    Directory {
        /// The directory or a file in it.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl GenerateError {
    /// Whether the monitor asked to stop.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Self::Solve(SolveError::Interrupted { .. }))
    }
}

//! What can be wrong with a table file.

use std::io;
use std::path::PathBuf;

use makhos_index::Material;
use makhos_rules::Color;
use thiserror::Error;

use crate::value::Metric;

/// Where in a file a block of values lies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockId {
    /// The side to move.
    pub side: Color,
    /// The number of the block within that side, from 0.
    pub number: u64,
}

impl std::fmt::Display for BlockId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let side = if self.side.is_white() {
            "white"
        } else {
            "black"
        };
        write!(f, "block {} ({side} to move)", self.number)
    }
}

/// Why a table file cannot be read. Every variant names the file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// The operating system could not open or read the file.
    #[error("{}: cannot read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file does not begin like a table.
    #[error("{}: not a Makhos table; delete it or move it elsewhere, then generate the class", path.display())]
    NotATable {
        /// The file.
        path: PathBuf,
    },
    /// The file is in a later format.
    #[error(
        "{}: table format {version}, but this program reads formats up to {supported}; \
         use a newer Makhos, or delete the file, then generate it again",
        path.display()
    )]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// The file's format version.
        version: u16,
        /// The newest version this program reads.
        supported: u16,
    },
    /// The file is shorter or longer than it was when it was written.
    #[error("{}: {what}; the file is cut off or overgrown: delete it, then generate it again", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        what: String,
    },
    /// The header or the block index is damaged.
    #[error("{}: damaged {part}: {what}; delete the file, then generate it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which part of the file.
        part: &'static str,
        /// What is wrong.
        what: String,
    },
    /// One block of values is damaged.
    #[error("{}: damaged {block}: {what}; delete the file, then generate it again", path.display())]
    DamagedBlock {
        /// The file.
        path: PathBuf,
        /// The block.
        block: BlockId,
        /// What is wrong.
        what: String,
    },
    /// The digest of the whole file is not the one in its footer.
    #[error("{}: the SHA-256 digest does not match; delete the file, then generate it again", path.display())]
    Digest {
        /// The file.
        path: PathBuf,
    },
    /// The file holds another class than its name says.
    #[error(
        "{}: holds the class {found}, not {expected}; was it renamed? Give it its own name back",
        path.display()
    )]
    OtherClass {
        /// The file.
        path: PathBuf,
        /// The class asked for.
        expected: Material,
        /// The class in the header.
        found: Material,
    },
    /// The file holds another metric than asked for.
    #[error(
        "{}: holds {found} values, not {expected}; open the table's .{expected} file, \
         or give this one its own name back if it was renamed",
        path.display()
    )]
    OtherMetric {
        /// The file.
        path: PathBuf,
        /// The metric asked for.
        expected: Metric,
        /// The metric in the header.
        found: Metric,
    },
    /// The table was made under rules with other legal moves.
    #[error(
        "{}: made under the rules \"{found}\", which are not those of \"{expected}\"; \
         move it to the directory of its own rules, or delete it, then generate the class for yours",
        path.display()
    )]
    OtherRules {
        /// The file.
        path: PathBuf,
        /// The rules asked for: variant and house options.
        expected: String,
        /// The rules in the header.
        found: String,
    },
    /// The table was made under other drawing rules.
    #[error(
        "{}: made under the drawing rules \"{}\", not \"{}\"; move it to the directory of its own \
         drawing rules, or delete it, then generate the class for yours",
        path.display(),
        one_line(found),
        one_line(expected)
    )]
    OtherDrawRules {
        /// The file.
        path: PathBuf,
        /// What decides values of the drawing rules asked for, a rule a line.
        expected: String,
        /// The same of those in the header.
        found: String,
    },
    /// The table holds the values for another number of plies counted on the main road.
    #[error(
        "{}: holds the values with {found} plies counted on the main road, not {expected}; \
         was it renamed? Give it its own name back",
        path.display()
    )]
    OtherRoad {
        /// The file.
        path: PathBuf,
        /// The plies asked for.
        expected: u8,
        /// The plies in the header.
        found: u8,
    },
    /// The values of the table hold under its drawing rules only, and none were asked for.
    #[error(
        "{}: its values hold under the drawing rules \"{}\" only: use it as a table of drawing rules",
        path.display(),
        one_line(found)
    )]
    NeedsDrawRules {
        /// The file.
        path: PathBuf,
        /// What decides values of the drawing rules in the header, a rule a line.
        found: String,
    },
    /// A compact table of distances without this side to move.
    #[error(
        "{}: holds distances with the other side to move only; those with {} to move follow from the \
         moves: ask a tablebase, not the table",
        path.display(),
        if side.is_white() { "white" } else { "black" }
    )]
    SideNotStored {
        /// The file.
        path: PathBuf,
        /// The side asked for.
        side: Color,
    },
    /// The position's number or side to move is not among those the table stores.
    #[error(
        "{}: holds no position {index} with that side to move; it stores {positions} positions \
         a side, with White to move, and with Black only where the armies differ: \
         normalise the position first",
        path.display()
    )]
    NoSuchPosition {
        /// The file.
        path: PathBuf,
        /// The number asked for.
        index: u64,
        /// Positions stored a side.
        positions: u64,
    },
}

/// Drawing rules as part of a sentence.
fn one_line(rules: &str) -> String {
    rules.replace('\n', "; ")
}

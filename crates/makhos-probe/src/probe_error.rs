//! Why a position has no answer, and what to do about it.

use std::path::PathBuf;

use makhos_index::{Material, Reason};
use makhos_rules::{Board, Move};
use thiserror::Error;

use crate::error::TableError;
use crate::value::Metric;

/// Why a position has no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// A table that is needed is not there.
    #[error(
        "probing {position_class} needs the {metric} table of {missing_class}{}{}: generate it with: \
         makhos generate {generate} --class {missing_class} {} --dir {}",
        with_road(*road),
        because(*reason),
        kind_arguments(*metric, *draw_rules),
        dir.display()
    )]
    MissingTable {
        /// The class of the position asked about, in its canonical orientation.
        position_class: Material,
        /// The class whose table is missing, in its canonical orientation.
        missing_class: Material,
        /// The metric asked for.
        metric: Metric,
        /// The plies counted on the main road for which it is missing; 0 but under drawing rules.
        road: u8,
        /// What kind of move leads there; `None` if it is the position's own class.
        reason: Option<Reason>,
        /// The directory of all tables.
        dir: PathBuf,
        /// Variant and house options as command line arguments.
        generate: String,
        /// The drawing rules as an argument of `--draw-rules`; `None` for tables that ignore them.
        draw_rules: Option<&'static str>,
    },
    /// There are more pieces on the board than in any table.
    #[error(
        "{pieces} pieces are too many: the {variant} tables in {} have up to {max_pieces}",
        dir.display()
    )]
    TooManyPieces {
        /// Pieces of the position, or of one that its captures lead to.
        pieces: u32,
        /// Pieces of the largest class there is a table of.
        max_pieces: u32,
        /// The directory of the variant, or of its drawing rules, below `dir`.
        variant: String,
        /// The directory of all tables.
        dir: PathBuf,
    },
    /// There is not a single table of the variant.
    #[error(
        "there are no {variant} tables in {}: generate some with: makhos generate {generate} \
         --pieces 3{} --dir {}",
        dir.display(),
        draw_arguments(*draw_rules),
        dir.display()
    )]
    NoTables {
        /// The directory of the variant, or of its drawing rules, below `dir`.
        variant: String,
        /// The directory of all tables.
        dir: PathBuf,
        /// Variant and house options as command line arguments.
        generate: String,
        /// The drawing rules as an argument of `--draw-rules`; `None` for tables that ignore them.
        draw_rules: Option<&'static str>,
    },
    /// Values under drawing rules from tables that ignore them.
    #[error(
        "tables that ignore drawing rules have no {metric} values of {material}: \
         ask the tables of a set of drawing rules for them"
    )]
    NeedsDrawRules {
        /// The class.
        material: Material,
        /// The metric asked for.
        metric: Metric,
    },
    /// The variant is played on a board of another size.
    #[error(
        "{variant} draughts is played on {expected} squares, but the positions have {found}: \
         use the board type of that size"
    )]
    OtherBoard {
        /// The variant.
        variant: &'static str,
        /// Squares of the variant's board.
        expected: u32,
        /// Squares of the board type.
        found: u32,
    },
    /// A table cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
}

fn with_road(road: u8) -> String {
    match road {
        0 => String::new(),
        _ => format!(" with {road} plies counted on the main road"),
    }
}

/// What a command that generates a table needs to know of its kind.
fn kind_arguments(metric: Metric, draw_rules: Option<&str>) -> String {
    match draw_rules {
        None => format!("--metric {metric}"),
        Some(draw_rules) => format!("--draw-rules {draw_rules}"),
    }
}

fn draw_arguments(draw_rules: Option<&str>) -> String {
    draw_rules.map_or_else(String::new, |rules| format!(" --draw-rules {rules}"))
}

fn because(reason: Option<Reason>) -> String {
    reason.map_or_else(String::new, |reason| format!(" ({reason})"))
}

/// Where a search began and which kinds of moves it has made, to explain what is missing.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    pub(crate) class: Material,
    captured: bool,
    promoted: bool,
}

impl Origin {
    pub(crate) fn of(class: Material) -> Self {
        Self {
            class,
            captured: false,
            promoted: false,
        }
    }

    pub(crate) fn after<B: Board>(self, mv: &Move<B>) -> Self {
        Self {
            captured: self.captured | mv.is_capture(),
            promoted: self.promoted | mv.promotes,
            ..self
        }
    }

    pub(crate) fn reason(self) -> Option<Reason> {
        match (self.captured, self.promoted) {
            (false, false) => None,
            (false, true) => Some(Reason::Promotion),
            (true, false) => Some(Reason::Capture),
            (true, true) => Some(Reason::CaptureWithPromotion),
        }
    }
}

//! What a verification reports.

use std::fmt;

use makhos_rules::Color;

use crate::dtc::Dtc;
use crate::statistics::SideStatistics;
use crate::value::{Dtw, Wld};

/// A value of any metric.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnyValue {
    /// An outcome.
    Wld(Wld),
    /// An outcome with its distance.
    Dtw(Dtw),
    /// An outcome with its distance to conversion.
    Dtc(Dtc),
}

impl fmt::Display for AnyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wld(value) => value.fmt(f),
            Self::Dtw(value) => value.fmt(f),
            Self::Dtc(value) => value.fmt(f),
        }
    }
}

impl From<Wld> for AnyValue {
    fn from(value: Wld) -> Self {
        Self::Wld(value)
    }
}

impl From<Dtc> for AnyValue {
    fn from(value: Dtc) -> Self {
        Self::Dtc(value)
    }
}

impl From<Dtw> for AnyValue {
    fn from(value: Dtw) -> Self {
        Self::Dtw(value)
    }
}

/// What a stored value was compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    /// The best value its moves lead to.
    Moves,
    /// The value in the class's table of distances.
    Distances,
}

/// A stored value that is not what it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The position.
    pub fen: String,
    /// Its side to move in the table.
    pub side: Color,
    /// Its index in the table.
    pub index: u64,
    /// The value in the table.
    pub stored: AnyValue,
    /// The value it should have.
    pub expected: AnyValue,
    /// Why.
    pub check: Check,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let against = match self.check {
            Check::Moves => "its moves give",
            Check::Distances => "the table of distances says",
        };
        write!(
            f,
            "{}: stored is \"{}\", but {against} \"{}\"",
            self.fen, self.stored, self.expected
        )
    }
}

/// Statistics in a header that are not those of the values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StatisticsDifference {
    /// The side to move.
    pub side: Color,
    /// What the header says.
    pub stored: SideStatistics,
    /// What the values are.
    pub counted: SideStatistics,
}

/// What a verification has found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verification {
    /// Positions that were checked.
    pub positions: u64,
    /// Differences found.
    pub differing: u64,
    /// The first of them, by side to move and index, as many as were asked for.
    pub differences: Vec<Difference>,
    /// Statistics that are wrong. Always empty for samples.
    pub statistics: Vec<StatisticsDifference>,
}

impl Verification {
    /// Whether nothing wrong was found.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.differing == 0 && self.statistics.is_empty()
    }
}

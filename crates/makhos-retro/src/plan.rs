//! What there is to do, and what it takes.

use makhos_index::{Material, dependencies, placements, stored_sides};
use makhos_probe::Metric;
use makhos_rules::Board;

use crate::reference::BYTES_PER_POSITION;

/// The classes to generate, in order, each after all it needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Every class asked for or needed.
    pub steps: Vec<Step>,
}

/// One class of a [`Plan`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The class, canonical.
    pub material: Material,
    /// Positions to be stored: placements times stored sides to move.
    pub positions: u64,
    /// Bytes of memory that solving it takes, with the tables it needs.
    pub memory: u64,
    /// Whether its tables are there already.
    pub done: bool,
}

impl Step {
    /// Units of work as [`Monitor::advanced`](crate::Monitor::advanced) counts them.
    #[must_use]
    pub fn work(&self) -> u64 {
        2 * self.positions
    }
}

impl Plan {
    /// The steps that are not done.
    pub fn open(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| !step.done)
    }

    /// Positions of the steps that are not done.
    #[must_use]
    pub fn open_positions(&self) -> u64 {
        self.open().map(|step| step.positions).sum()
    }

    /// Bytes of memory that the steps not done take at most.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.open().map(|step| step.memory).max().unwrap_or(0)
    }

    /// An upper bound of the bytes of the files to be written: no block is stored longer than it is.
    #[must_use]
    pub fn disk_bound(&self, metric: Metric) -> u64 {
        // WLD takes a fifth of a byte; distances up to two bytes. Headers and indices add little.
        let tenths = match metric {
            Metric::Wld => 2,
            Metric::Dtw => 2 + 20,
        };
        let files = self.open().count() as u64 * 2;
        self.open_positions() * tenths / 10 + files * 1024
    }
}

/// Positions that the table of a canonical class stores, `None` above `u64`.
pub(crate) fn stored_positions<B: Board>(material: Material) -> Option<u64> {
    let sides = stored_sides(material).len() as u128;
    u64::try_from(placements::<B>(material)? * sides).ok()
}

/// Bytes that solving a class takes, with all the tables it needs decoded beside it.
pub(crate) fn memory<B: Board>(material: Material, metric: Metric) -> u64 {
    let positions = stored_positions::<B>(material).unwrap_or(u64::MAX);
    let needs = dependencies(material);
    let decoded: u64 = needs
        .iter()
        .filter_map(|needed| stored_positions::<B>(needed.material))
        .map(|positions| decoded_bytes(positions, metric))
        .sum();
    positions
        .saturating_mul(BYTES_PER_POSITION)
        .saturating_add(decoded)
}

/// Bytes of a decoded table at most.
pub(crate) fn decoded_bytes(positions: u64, metric: Metric) -> u64 {
    match metric {
        Metric::Wld => positions.div_ceil(5) + 2,
        Metric::Dtw => 2 * positions,
    }
}

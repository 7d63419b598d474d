//! What there is to do, and what it takes.

use std::collections::HashSet;

use makhos_index::{Material, dependencies, placements, stored_sides};
use makhos_probe::{DEFAULT_BLOCK_VALUES, Metric};
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
    /// Bytes of memory that solving it takes at least, with what it needs of other tables.
    pub memory: u64,
    /// Whether its tables are there already.
    pub done: bool,
    /// Whether another step needs its values at captures, which published tables leave out.
    pub needed: bool,
    /// Whether these values have to be found again, although the tables are there.
    pub again: bool,
}

impl Step {
    /// Units of work as [`Monitor::advanced`](crate::Monitor::advanced) counts them.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.positions.saturating_mul(2)
    }

    /// Whether there is anything to do.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.done || self.again
    }
}

impl Plan {
    /// The steps in which there is something to do.
    pub fn open(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.is_open())
    }

    /// Sets [`Step::needed`] and [`Step::again`]; `is_complete` tells whether all values of a class are there.
    pub(crate) fn find_needs<E>(
        &mut self,
        mut is_complete: impl FnMut(Material) -> Result<bool, E>,
    ) -> Result<(), E> {
        let mut needed = HashSet::new();
        // What a class needs comes before it.
        for step in self.steps.iter_mut().rev() {
            step.needed = needed.contains(&step.material);
            step.again = step.done && step.needed && !is_complete(step.material)?;
            if step.is_open() {
                needed.extend(dependencies(step.material).into_iter().map(|d| d.material));
            }
        }
        Ok(())
    }

    /// Positions of the open steps.
    #[must_use]
    pub fn open_positions(&self) -> u64 {
        self.open()
            .fold(0, |sum, step| sum.saturating_add(step.positions))
    }

    /// Bytes of memory with which all open steps can be carried out.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.open().map(|step| step.memory).max().unwrap_or(0)
    }

    /// An upper bound of the bytes of the files to be written. They will be several times smaller.
    #[must_use]
    pub fn disk_bound(&self, metric: Metric) -> u64 {
        let metrics: &[Metric] = match metric {
            Metric::Wld => &[Metric::Wld],
            Metric::Dtc => &[Metric::Wld, Metric::Dtc],
            Metric::Dtw | Metric::Dtz => &[Metric::Wld, Metric::Dtw],
        };
        let mut bound = 0u64;
        for step in self.open() {
            for &metric in metrics {
                bound = bound.saturating_add(file_bound(step.positions, metric));
            }
        }
        bound
    }
}

/// Bytes of a table file at most: zstd adds less than 64 bytes and a 256th to what it cannot compress,
/// and a block has an index entry.
fn file_bound(positions: u64, metric: Metric) -> u64 {
    const HEADER_AND_FOOTER: u64 = 2048;
    const A_BLOCK: u64 = 80;
    let packed = decoded_bytes(positions, metric);
    // One block a side may be partly filled.
    let blocks = positions / u64::from(DEFAULT_BLOCK_VALUES) + 2;
    (packed.saturating_add(packed / 256))
        .saturating_add(blocks.saturating_mul(A_BLOCK))
        .saturating_add(HEADER_AND_FOOTER)
}

/// Positions that the table of a canonical class stores, `None` above `u64`.
pub(crate) fn stored_positions<B: Board>(material: Material) -> Option<u64> {
    let sides = stored_sides(material).len() as u128;
    u64::try_from(placements::<B>(material)? * sides).ok()
}

/// Bytes that any run of the reference solver takes: the program, its threads' stacks, and the buffers of
/// one file.
pub(crate) const BASE_MEMORY: u64 = 12 << 20;

/// Bytes that solving a class with the reference solver takes, with all the tables it needs decoded beside
/// it.
pub(crate) fn memory_of_reference<B: Board>(material: Material) -> u64 {
    let positions = stored_positions::<B>(material).unwrap_or(u64::MAX);
    let needs = dependencies(material);
    let decoded: u64 = needs
        .iter()
        .filter_map(|needed| stored_positions::<B>(needed.material))
        .map(|positions| decoded_bytes(positions, Metric::Dtw))
        .sum();
    positions
        .saturating_mul(BYTES_PER_POSITION)
        .saturating_add(decoded)
        .saturating_add(BASE_MEMORY)
}

/// Bytes of a decoded table at most.
pub(crate) fn decoded_bytes(positions: u64, metric: Metric) -> u64 {
    match metric {
        // Five values a byte, and the rest of each block in a byte of its own.
        Metric::Wld => {
            let blocks = positions / u64::from(DEFAULT_BLOCK_VALUES) + 2;
            (positions / 5).saturating_add(blocks)
        }
        Metric::Dtw | Metric::Dtc | Metric::Dtz => positions.saturating_mul(2),
    }
}

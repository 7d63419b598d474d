//! Foretelling how long a plan takes and how large its files become.
//!
//! Small classes of the rules at hand are solved and written into a directory of no further use. What
//! that takes is the measure for larger ones, so slower machines and costlier rules get longer times. How
//! the [work](work) grows from class to class, and how [dense](density) the files of larger classes are, was
//! measured on complete sets once; it is a model, good for the order of magnitude and somewhat better.

mod density;
mod distances;
mod outcomes;
mod work;

use std::path::Path;

use makhos_index::Material;
use makhos_probe::Metric;
use makhos_rules::{BoardSize, RuleSet};

use self::distances::DistanceCosts;
use self::outcomes::OutcomeCosts;
use crate::engine::SolvedBoard;
use crate::error::GenerateError;
use crate::plan::{Plan, Step};
use crate::publish::Storage;

/// About what the open steps of a plan take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Forecast {
    /// Seconds by the clock, if the machine stays as busy with other work as while it was measured.
    pub seconds: f64,
    /// Bytes of all files.
    pub disk: u64,
}

/// What solving and writing cost on this machine, measured by doing it.
#[derive(Clone, PartialEq, Debug)]
pub struct Calibration {
    costs: Costs,
}

#[derive(Clone, PartialEq, Debug)]
enum Costs {
    Outcomes(OutcomeCosts),
    Distances(DistanceCosts),
}

/// What one class costs.
#[derive(Clone, Copy, PartialEq, Debug)]
struct ClassCost {
    /// Seconds of one thread that several can share.
    shared: f64,
    /// Seconds that no thread can take off another.
    alone: f64,
    /// Bytes of the files.
    bytes: f64,
}

impl Calibration {
    /// Measures, in the current rayon pool, which should be of one thread. That takes one to three seconds, and
    /// leaves some files below `scratch`, a directory that is empty. `storage` is how tables will be published.
    ///
    /// # Errors
    /// [`GenerateError`], for example if nothing can be written there.
    pub fn measure<B: SolvedBoard>(
        rules: &RuleSet,
        (metric, storage): (Metric, Storage),
        scratch: &Path,
    ) -> Result<Self, GenerateError> {
        let costs = match metric {
            Metric::Wld => Costs::Outcomes(OutcomeCosts::measure::<B>(rules, storage, scratch)?),
            Metric::Dtw | Metric::Dtc | Metric::Dtz => {
                let tables = (metric, storage);
                Costs::Distances(DistanceCosts::measure::<B>(rules, tables, scratch)?)
            }
        };
        Ok(Self { costs })
    }

    /// What the open steps of a plan take with so many threads. It must be for the rules, the board, the metric and
    /// the storage that were measured.
    #[must_use]
    pub fn forecast<B: SolvedBoard>(&self, plan: &Plan, threads: usize) -> Forecast {
        let cores = std::thread::available_parallelism().map_or(threads, usize::from);
        let together = threads.clamp(1, cores.max(1)) as f64;
        let (mut seconds, mut bytes) = (0.0, 0.0);
        for step in plan.open() {
            let cost = self.class::<B>(step);
            seconds += cost.shared / together + cost.alone;
            bytes += cost.bytes;
        }
        Forecast {
            seconds,
            disk: bytes as u64,
        }
    }

    fn class<B: SolvedBoard>(&self, step: &Step) -> ClassCost {
        match &self.costs {
            Costs::Outcomes(costs) => costs.class::<B>(step),
            Costs::Distances(costs) => costs.class(step),
        }
    }
}

/// Classes by their names.
fn named(names: &[&str]) -> Vec<Material> {
    names
        .iter()
        .map(|name| name.parse().expect("a class"))
        .collect()
}

/// Whether classes of four pieces are small.
fn is_small(rules: &RuleSet) -> bool {
    rules.board == BoardSize::Eight
}

#[cfg(test)]
mod tests;

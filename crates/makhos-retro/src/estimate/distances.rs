//! What making tables of distances costs. Most of it is their compression, which grows with the positions.

use std::path::Path;

use makhos_index::classes;
use makhos_probe::Metric;
use makhos_rules::RuleSet;

use super::{ClassCost, is_small, named};
use crate::engine::SolvedBoard;
use crate::error::GenerateError;
use crate::generate::Generator;
use crate::monitor::Quiet;
use crate::plan::Step;
use crate::publish::Storage;

/// Measured costs; much the same for a position of any class.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct DistanceCosts {
    /// Seconds for a position.
    position: f64,
    /// Seconds for the files of a class.
    files: f64,
    /// Bytes of a position in both files.
    bytes: f64,
}

impl DistanceCosts {
    pub(super) fn measure<B: SolvedBoard>(
        rules: &RuleSet,
        (metric, storage): (Metric, Storage),
        scratch: &Path,
    ) -> Result<Self, GenerateError> {
        let targets = match is_small(rules) {
            true => classes(4),
            false => named(&["2k-1k", "1m1k-1k"]),
        };
        let generator = Generator::<B>::new(*rules, scratch, metric).with_storage(storage);
        let plan = generator.plan(&targets)?;
        let reports = generator.run(&plan, &Quiet)?;
        let times: Vec<_> = reports
            .iter()
            .filter_map(|report| Some(report.time?.as_secs_f64()))
            .collect();
        // The smallest class is hardly more than its files.
        let files = times.iter().copied().fold(f64::INFINITY, f64::min);
        let solving: f64 = times.iter().map(|time| time - files).sum();
        let positions: u64 = plan.steps.iter().map(|step| step.positions).sum();
        let bytes: u64 = reports.iter().map(|report| report.bytes).sum();
        Ok(Self {
            position: solving / positions as f64,
            files,
            bytes: bytes as f64 / positions as f64,
        })
    }

    pub(super) fn class(&self, step: &Step) -> ClassCost {
        let positions = step.positions as f64;
        ClassCost {
            shared: positions * self.position,
            alone: self.files,
            bytes: positions * self.bytes,
        }
    }
}

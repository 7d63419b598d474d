//! From what was solved to table files.

use std::path::Path;

use makhos_index::Material;
use makhos_probe::{CompactOptions, Metric, SideStatistics, TableSpec, TableWriter};
use makhos_rules::RuleSet;

use crate::engine::SolvedOutcomes;
use crate::error::GenerateError;
use crate::reference::SolvedSide;

/// What is published.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Storage {
    /// Values of positions without a capture for the side to move; those of others are found by searching.
    /// Small, for probing. While larger classes are made, complete tables lie in the directory `work` beside
    /// those of the variants.
    #[default]
    Compact,
    /// The same, and of outcomes only one of two sides to move, which takes half the room. Probing the other looks at
    /// all moves.
    OneSide,
    /// All values, from which larger classes can be made.
    Complete,
}

impl Storage {
    /// Whether values of positions with a capture for the side to move are left out.
    pub(crate) fn is_compact(self) -> bool {
        self != Self::Complete
    }
}

/// What was found of a class, for each stored side.
#[derive(Debug)]
pub(crate) enum Solved {
    /// Outcomes alone.
    Outcomes(Vec<SolvedOutcomes>),
    /// Distances of this metric.
    Distances(Metric, Vec<SolvedSide>),
}

impl Solved {
    /// The figures of each side.
    pub(crate) fn sides(&self) -> Vec<(makhos_rules::Color, SideStatistics)> {
        match self {
            Self::Outcomes(sides) => sides.iter().map(|it| (it.side, it.statistics)).collect(),
            Self::Distances(_, sides) => sides.iter().map(|it| (it.side, it.statistics)).collect(),
        }
    }

    /// Writes the table of one metric below the directory `dir` of all tables; returns its bytes. It must be
    /// that of outcomes, or of what was solved.
    pub(crate) fn publish(
        &self,
        rules: &RuleSet,
        dir: &Path,
        (material, metric): (Material, Metric),
        storage: Storage,
    ) -> Result<u64, GenerateError> {
        let spec = TableSpec {
            rules: *rules,
            material,
            metric,
        };
        match self {
            Self::Outcomes(sides) => publish_outcomes(dir, &spec, sides, storage),
            // A table of outcomes has the same bytes whether or not distances were found beside it.
            Self::Distances(found, sides) if *found != metric => {
                let outcomes: Vec<_> = sides.iter().map(SolvedSide::outcomes).collect();
                publish_outcomes(dir, &spec, &outcomes, storage)
            }
            Self::Distances(_, sides) => publish_distances(dir, &spec, sides, storage),
        }
    }
}

fn create(
    dir: &Path,
    spec: &TableSpec,
    statistics: &[SideStatistics],
    storage: Storage,
) -> Result<TableWriter, GenerateError> {
    let options = CompactOptions {
        one_side: storage == Storage::OneSide,
        ..CompactOptions::default()
    };
    Ok(match storage {
        Storage::Complete => TableWriter::create(dir, spec, statistics)?,
        _ => TableWriter::create_compact_with(dir, spec, statistics, options)?,
    })
}

fn publish_outcomes(
    dir: &Path,
    spec: &TableSpec,
    sides: &[SolvedOutcomes],
    storage: Storage,
) -> Result<u64, GenerateError> {
    Ok(write_outcomes(dir, spec, sides, storage)?.finish()?.bytes)
}

/// Writes a table of outcomes, but for the end that makes it appear.
pub(crate) fn begin_outcomes(
    rules: &RuleSet,
    dir: &Path,
    (material, metric): (Material, Metric),
    sides: &[SolvedOutcomes],
    storage: Storage,
) -> Result<TableWriter, GenerateError> {
    let spec = TableSpec {
        rules: *rules,
        material,
        metric,
    };
    write_outcomes(dir, &spec, sides, storage)
}

fn write_outcomes(
    dir: &Path,
    spec: &TableSpec,
    sides: &[SolvedOutcomes],
    storage: Storage,
) -> Result<TableWriter, GenerateError> {
    let statistics: Vec<_> = sides.iter().map(|side| side.statistics).collect();
    let mut writer = create(dir, spec, &statistics, storage)?;
    for side in sides {
        let (win, loss, len) = (&side.win, &side.loss, side.statistics.positions);
        match storage.is_compact() {
            true => writer.push_quiet_outcomes(win, loss, &side.captures, len)?,
            false => writer.push_outcomes(win, loss, len)?,
        }
    }
    Ok(writer)
}

fn publish_distances(
    dir: &Path,
    spec: &TableSpec,
    sides: &[SolvedSide],
    storage: Storage,
) -> Result<u64, GenerateError> {
    let statistics: Vec<_> = sides.iter().map(|side| side.statistics).collect();
    let mut writer = create(dir, spec, &statistics, storage)?;
    for side in sides {
        match storage.is_compact() {
            true => writer.push_quiet_values(&side.values, &side.captures)?,
            false => writer.push(&side.values)?,
        }
    }
    Ok(writer.finish()?.bytes)
}

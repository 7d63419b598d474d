//! What solving for outcomes costs.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use makhos_index::{Material, PlacementIndex, classes, closure, stored_sides};
use makhos_probe::Metric;
use makhos_rules::RuleSet;

use super::density::{bits, unevenness};
use super::work::{Kind, Work};
use super::{ClassCost, is_small, named};
use crate::engine::{Instructions, OutcomeTask, SolvedBoard, SolvedOutcomes};
use crate::error::GenerateError;
use crate::monitor::Quiet;
use crate::plan::Step;
use crate::publish::{Storage, begin_outcomes};
use crate::work::work_directory;

/// A class is solved again until that long, for the shortest time.
const ENOUGH: Duration = Duration::from_millis(40);

/// How often at most.
const MOST_RUNS: usize = 5;

/// Positions above which a class is written like larger ones: learning what to expect of a chapter of a file
/// takes as long for all of them, so that a position costs less the more there are.
const MANY: f64 = (1 << 22) as f64;

/// Bytes of expanded tables while measuring.
const CACHE: u64 = 64 << 20;

/// Measured costs.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct OutcomeCosts {
    rules: RuleSet,
    storage: Storage,
    /// Seconds for a unit of work of each kind.
    units: [f64; 4],
    /// Seconds for compressing a position of a published table, and of a complete one, which classes that
    /// others need have for a while: in classes of few positions and of [`MANY`].
    writing: [[f64; 2]; 2],
    /// Seconds until a file is safe on the disk.
    file: f64,
    /// Files by their density in the figures: of even and uneven classes.
    density: [f64; 2],
    /// Bytes of the files that were made.
    bytes: HashMap<Material, u64>,
}

/// Sums over the classes measured.
#[derive(Default)]
struct Sums {
    /// Seconds and units by kind.
    work: [Ratio; 4],
    /// Seconds and positions, of published and complete tables, of few positions and of many.
    writing: [[Ratio; 2]; 2],
    /// Seconds of each file.
    files: Vec<f64>,
    /// Bytes, and those by the figures.
    density: [Ratio; 2],
    bytes: HashMap<Material, u64>,
}

#[derive(Clone, Copy, Default)]
struct Ratio {
    of: f64,
    by: f64,
}

impl Ratio {
    fn add(&mut self, of: f64, by: f64) {
        self.of += of;
        self.by += by;
    }

    fn value(self, without: f64) -> f64 {
        if self.by > 0.0 {
            self.of / self.by
        } else {
            without
        }
    }
}

impl OutcomeCosts {
    pub(super) fn measure<B: SolvedBoard>(
        rules: &RuleSet,
        storage: Storage,
        scratch: &Path,
    ) -> Result<Self, GenerateError> {
        // Beside all small classes a large one, as most of the work is in large ones.
        let targets = if is_small(rules) {
            [classes(4), named(&["1k2m-1k1m"])].concat()
        } else {
            [classes(3), named(&["3k-1m", "1k1m-1k1m"])].concat()
        };
        let mut sums = Sums::default();
        for material in closure(&targets) {
            sums.add::<B>(rules, storage, scratch, material)?;
        }
        sums.files.sort_by(f64::total_cmp);
        Ok(Self {
            rules: *rules,
            storage,
            units: sums.work.map(|ratio| ratio.value(0.0)),
            writing: sums.writing.map(|[few, many]| {
                let few = few.value(0.0);
                [few, many.value(few)]
            }),
            file: sums.files[sums.files.len() / 2],
            density: sums.density.map(|ratio| ratio.value(1.0)),
            bytes: sums.bytes,
        })
    }

    pub(super) fn class<B: SolvedBoard>(&self, step: &Step) -> ClassCost {
        let material = step.material;
        let positions = step.positions as f64;
        let work = Work::of::<B>(&self.rules, material).unwrap_or(Work {
            kind: Kind::Bare,
            units: f64::INFINITY,
        });
        let by_figures = bytes_by_figures(&self.rules, self.storage, material, positions);
        let about = by_figures * self.density[unevenness(material)];
        let bytes = self.bytes.get(&material);
        let (mut a_position, mut files) = (0.0, 0.0);
        for (writing, made) in self
            .writing
            .iter()
            .zip([!step.done, step.needed && self.storage.is_compact()])
        {
            if made {
                a_position += writing[usize::from(positions > MANY)];
                files += 1.0;
            }
        }
        ClassCost {
            shared: work.units * self.units[work.kind as usize] + positions * a_position,
            alone: self.file * files,
            bytes: match step.done {
                true => 0.0,
                false => bytes.map_or(about, |&bytes| bytes as f64),
            },
        }
    }
}

impl Sums {
    /// Solves and writes a class.
    fn add<B: SolvedBoard>(
        &mut self,
        rules: &RuleSet,
        storage: Storage,
        scratch: &Path,
        material: Material,
    ) -> Result<(), GenerateError> {
        let index = PlacementIndex::<B>::new(material)
            .map_err(|source| GenerateError::Class { material, source })?;
        let (seconds, solved) = solve::<B>(rules, scratch, &index)?;
        let work = Work::of::<B>(rules, material).filter(|_| material.pieces() > 2);
        if let Some(work) = work {
            self.work[work.kind as usize].add(seconds, work.units);
        }
        let positions = index.len() as f64 * solved.len() as f64;
        let mut bytes = 0;
        let work = work_directory(scratch);
        for (number, (dir, kind)) in [(scratch, storage), (&work, Storage::Complete)]
            .into_iter()
            .enumerate()
        {
            let start = Instant::now();
            let table = (material, Metric::Wld);
            let writer = begin_outcomes(rules, dir, table, &solved, kind)?;
            let many = usize::from(positions > MANY);
            self.writing[number][many].add(start.elapsed().as_secs_f64(), positions);
            let start = Instant::now();
            let written = writer.finish()?.bytes;
            self.files.push(start.elapsed().as_secs_f64());
            if number == 0 {
                bytes = written;
            }
        }
        self.bytes.insert(material, bytes);
        if material.pieces() > 2 {
            let by_figures = bytes_by_figures(rules, storage, material, positions);
            self.density[unevenness(material)].add(bytes as f64, by_figures);
        }
        Ok(())
    }
}

/// Bytes of a file by the figures, which are those of compact tables of all sides.
fn bytes_by_figures(rules: &RuleSet, storage: Storage, material: Material, positions: f64) -> f64 {
    let halved = storage == Storage::OneSide && stored_sides(material).len() == 2;
    let share = if halved { 0.5 } else { 1.0 };
    share * positions * bits(rules, material) / 8.0
}

/// Solves a class, and tells the shortest time of some runs.
fn solve<B: SolvedBoard>(
    rules: &RuleSet,
    scratch: &Path,
    index: &PlacementIndex<B>,
) -> Result<(f64, Vec<SolvedOutcomes>), GenerateError> {
    let task = OutcomeTask {
        rules,
        index,
        dir: scratch,
        cache: CACHE,
        instructions: Instructions::best(),
        checkpoints: None,
    };
    let first = Instant::now();
    let mut shortest = f64::INFINITY;
    let mut runs = 0;
    loop {
        let start = Instant::now();
        let solved = B::solve_outcomes(&task, &Quiet)?;
        shortest = shortest.min(start.elapsed().as_secs_f64());
        runs += 1;
        if runs == MOST_RUNS || first.elapsed() >= ENOUGH {
            return Ok((shortest, solved));
        }
    }
}

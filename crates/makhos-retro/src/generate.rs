//! From a list of classes to table files.
//!
//! Classes are solved one after the other, each from the files of those before it, and published when
//! complete. So a run that is killed loses the class in hand at most, and of one that is solved for
//! outcomes only what came after its last checkpoint.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use makhos_index::{Material, PlacementIndex, closure};
use makhos_probe::{
    Access, Metric, SideStatistics, Table, TableSpec, TableWriter, table_path, variant_directory,
};
use makhos_rules::{Color, RuleSet};

use crate::checkpoint::{self, Checkpoints};
use crate::engine::memory::SolverMemory;
use crate::engine::{Instructions, OutcomeTask, SolvedBoard};
use crate::error::GenerateError;
use crate::lock::DirectoryLock;
use crate::monitor::Monitor;
use crate::plan::{BASE_MEMORY, Plan, Step, memory_of_reference, stored_positions};
use crate::reference::{BYTES_PER_POSITION, SolvedSide, solve};
use crate::shelf::Shelf;

/// Bytes of expanded tables beyond which more would hardly help.
const MOST_CACHE: u64 = 1 << 30;

/// What became of one class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassReport {
    /// The class.
    pub material: Material,
    /// Figures for each stored side to move. Without distances there are no longest ones.
    pub sides: Vec<(Color, SideStatistics)>,
    /// Bytes of its table files together.
    pub bytes: u64,
    /// Time from looking at its first position to its last file; `None` if it was there already.
    pub time: Option<Duration>,
}

/// Which solver finds distances.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DistanceSolver {
    /// The bit-parallel one; the reference solver where no side has kings.
    #[default]
    BitParallel,
    /// The [reference solver](crate::reference), as an independent judge: the same tables, a hundred times
    /// later.
    Reference,
}

/// Generates tables of one rule set into one directory.
#[derive(Clone, PartialEq, Eq)]
pub struct Generator<B> {
    rules: RuleSet,
    dir: PathBuf,
    metric: Metric,
    memory: u64,
    threads: Option<usize>,
    checkpoints: Option<Checkpoints>,
    distances: DistanceSolver,
    board: std::marker::PhantomData<B>,
}

impl<B> fmt::Debug for Generator<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Generator")
            .field("rules", &self.rules)
            .field("dir", &self.dir)
            .field("metric", &self.metric)
            .field("memory", &self.memory)
            .field("threads", &self.threads)
            .field("checkpoints", &self.checkpoints)
            .field("distances", &self.distances)
            .finish_non_exhaustive()
    }
}

impl<B: SolvedBoard> Generator<B> {
    /// A generator of tables below the directory `dir` of all tables. With [`Metric::Dtw`] it makes
    /// both the tables of distances and those of outcomes, with [`Metric::Wld`] only the latter.
    #[must_use]
    pub fn new(rules: RuleSet, dir: &Path, metric: Metric) -> Self {
        Self {
            rules,
            dir: dir.to_owned(),
            metric,
            memory: u64::MAX,
            threads: None,
            checkpoints: Some(Checkpoints::default()),
            distances: DistanceSolver::default(),
            board: std::marker::PhantomData,
        }
    }

    /// Allows at most `bytes` of memory for solving.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    /// Plans for a pool of so many threads; without it, for the current one.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Saves the state of a class that takes long at other times than by default, or not at all. Only
    /// classes solved for outcomes alone are saved.
    #[must_use]
    pub fn with_checkpoints(mut self, checkpoints: Option<Checkpoints>) -> Self {
        self.checkpoints = checkpoints;
        self
    }

    /// Finds distances with another solver.
    #[must_use]
    pub fn with_distances_by(mut self, solver: DistanceSolver) -> Self {
        self.distances = solver;
        self
    }

    /// Whether distances of a class come from the bit-parallel solver.
    fn is_bit_parallel(&self, material: Material) -> bool {
        self.distances == DistanceSolver::BitParallel && material.men() < material.pieces()
    }

    /// The metrics that are written.
    fn metrics(&self) -> &'static [Metric] {
        match self.metric {
            Metric::Wld => &[Metric::Wld],
            Metric::Dtw | Metric::Dtz => &[Metric::Wld, Metric::Dtw],
        }
    }

    fn threads(&self) -> usize {
        self.threads.unwrap_or_else(rayon::current_num_threads)
    }

    /// Everything that `targets` need, in order, and what of it is there.
    ///
    /// # Errors
    /// [`GenerateError::OtherBoard`]; [`GenerateError::NeedsDrawRules`]; [`GenerateError::Class`] for a class that does not fit the board; [`GenerateError::Table`] for a
    /// file that is there but is damaged or another table; [`GenerateError::Memory`] if a class that
    /// is to be solved does not fit the memory allowed.
    pub fn plan(&self, targets: &[Material]) -> Result<Plan, GenerateError> {
        if self.rules.board.squares() != B::SQUARES {
            return Err(GenerateError::OtherBoard {
                variant: self.rules.name,
                expected: self.rules.board.squares(),
                found: B::SQUARES,
            });
        }
        if self.metric == Metric::Dtz {
            return Err(GenerateError::NeedsDrawRules);
        }
        let mut steps = Vec::new();
        for material in closure(targets) {
            PlacementIndex::<B>::new(material)
                .map_err(|source| GenerateError::Class { material, source })?;
            let step = Step {
                material,
                positions: stored_positions::<B>(material).unwrap_or(u64::MAX),
                memory: self.step_memory(material),
                done: self.existing(material)?.is_some(),
            };
            if !step.done && step.memory > self.memory {
                return Err(GenerateError::Memory {
                    material,
                    needed: step.memory,
                    allowed: self.memory,
                });
            }
            steps.push(step);
        }
        Ok(Plan { steps })
    }

    /// Bytes that solving a class takes at least.
    fn step_memory(&self, material: Material) -> u64 {
        let (rules, threads) = (&self.rules, self.threads());
        match self.metric {
            Metric::Wld => SolverMemory::of_outcomes::<B>(rules, material, threads).least(),
            _ if self.is_bit_parallel(material) => {
                SolverMemory::of_distances::<B>(rules, material, threads).least()
            }
            _ => memory_of_reference::<B>(material),
        }
    }

    /// Carries out a plan in the current rayon pool and reports on every class of it.
    ///
    /// # Errors
    /// [`GenerateError`]. What is published by then stays.
    pub fn run(
        &self,
        plan: &Plan,
        monitor: &dyn Monitor,
    ) -> Result<Vec<ClassReport>, GenerateError> {
        // A complete set may lie where nothing can be written.
        let _lock = if plan.open().next().is_some() {
            let variant_dir = self.dir.join(variant_directory(&self.rules));
            Some(DirectoryLock::acquire(&variant_dir, monitor)?)
        } else {
            None
        };
        let mut shelf = Shelf::new();
        let mut reports = Vec::new();
        for step in &plan.steps {
            // Looked at again: another process may have made it since the plan.
            let report = match self.existing(step.material)? {
                Some(report) => report,
                None => {
                    monitor.class_started(step);
                    self.make(step, &mut shelf, monitor)?
                }
            };
            monitor.class_finished(&report);
            reports.push(report);
        }
        Ok(reports)
    }

    /// The report on a class whose files are all there.
    fn existing(&self, material: Material) -> Result<Option<ClassReport>, GenerateError> {
        let mut bytes = 0;
        let mut sides = Vec::new();
        for &metric in self.metrics() {
            let path = table_path(&self.dir, &self.rules, material, metric);
            if !path.exists() {
                return Ok(None);
            }
            let table = Table::open(&path, Access::Read)?;
            table.expect(&self.rules, material, metric)?;
            bytes += table.bytes();
            // The last metric knows the most.
            sides = table
                .sides()
                .iter()
                .filter_map(|&side| Some((side, *table.statistics(side)?)))
                .collect();
        }
        Ok(Some(ClassReport {
            material,
            sides,
            bytes,
            time: None,
        }))
    }

    /// Solves a class and publishes its files.
    fn make(
        &self,
        step: &Step,
        shelf: &mut Shelf<B>,
        monitor: &dyn Monitor,
    ) -> Result<ClassReport, GenerateError> {
        let material = step.material;
        let start = Instant::now();
        let index = PlacementIndex::<B>::new(material)
            .map_err(|source| GenerateError::Class { material, source })?;
        if self.metric == Metric::Wld {
            return self.make_outcomes(material, &index, start, monitor);
        }
        let solved = if self.is_bit_parallel(material) {
            let threads = rayon::current_num_threads();
            let memory = SolverMemory::of_distances::<B>(&self.rules, material, threads);
            B::solve_distances(&self.task(&index, &memory), monitor)?
        } else {
            let for_solving = BYTES_PER_POSITION.saturating_mul(step.positions);
            let for_tables = self
                .memory
                .saturating_sub(for_solving.saturating_add(BASE_MEMORY));
            shelf.prepare(&self.dir, &self.rules, self.metric, material, for_tables)?;
            solve(&self.rules, &index, shelf, monitor)?
        };
        let mut bytes = 0;
        for &metric in self.metrics() {
            bytes += self.publish(material, metric, &solved)?;
        }
        Ok(ClassReport {
            material,
            sides: solved
                .iter()
                .map(|solved| (solved.side, statistics_for(self.metric, solved)))
                .collect(),
            bytes,
            time: Some(start.elapsed()),
        })
    }

    /// Solves a class for outcomes alone and publishes its file.
    fn make_outcomes(
        &self,
        material: Material,
        index: &PlacementIndex<B>,
        start: Instant,
        monitor: &dyn Monitor,
    ) -> Result<ClassReport, GenerateError> {
        let memory =
            SolverMemory::of_outcomes::<B>(&self.rules, material, rayon::current_num_threads());
        let task = self.task(index, &memory);
        let solved = B::solve_outcomes(&task, monitor)?;
        let spec = TableSpec {
            rules: self.rules,
            material,
            metric: Metric::Wld,
        };
        let statistics: Vec<_> = solved.iter().map(|side| side.statistics).collect();
        let mut writer = TableWriter::create(&self.dir, &spec, &statistics)?;
        for side in &solved {
            writer.push_outcomes(&side.win, &side.loss, index.len())?;
        }
        let bytes = writer.finish()?.bytes;
        // If that fails, the next run removes it.
        let _ = fs::remove_file(checkpoint::path(&self.dir, &self.rules, material));
        let sides = solved.iter().map(|side| (side.side, side.statistics));
        Ok(ClassReport {
            material,
            sides: sides.collect(),
            bytes,
            time: Some(start.elapsed()),
        })
    }

    fn task<'a>(
        &'a self,
        index: &'a PlacementIndex<B>,
        memory: &SolverMemory,
    ) -> OutcomeTask<'a, B> {
        OutcomeTask {
            rules: &self.rules,
            index,
            dir: &self.dir,
            cache: memory.cache(self.memory).min(MOST_CACHE),
            instructions: Instructions::best(),
            checkpoints: self.checkpoints,
        }
    }

    fn publish(
        &self,
        material: Material,
        metric: Metric,
        solved: &[SolvedSide],
    ) -> Result<u64, GenerateError> {
        let spec = TableSpec {
            rules: self.rules,
            material,
            metric,
        };
        let statistics: Vec<SideStatistics> = solved
            .iter()
            .map(|solved| statistics_for(metric, solved))
            .collect();
        let mut writer = TableWriter::create(&self.dir, &spec, &statistics)?;
        for side in solved {
            writer.push(&side.values)?;
        }
        Ok(writer.finish()?.bytes)
    }
}

/// The figures that a table of this metric carries: one of outcomes has the same bytes whether or not
/// distances were computed beside it.
fn statistics_for(metric: Metric, solved: &SolvedSide) -> SideStatistics {
    match metric {
        Metric::Dtw | Metric::Dtz => solved.statistics,
        Metric::Wld => SideStatistics {
            longest_win: None,
            longest_loss: None,
            ..solved.statistics
        },
    }
}

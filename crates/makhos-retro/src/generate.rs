//! From a list of classes to table files.
//!
//! Classes are solved one after the other, each from the files of those before it, and published when
//! complete. So a run that is killed loses the class in hand at most, and of one that is solved for
//! outcomes only what came after its last checkpoint.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use makhos_index::{Material, PlacementIndex, closure, stored_sides};
use makhos_probe::{Access, Metric, SideStatistics, Table, table_path, variant_directory};
use makhos_rules::{Color, RuleSet};

use crate::checkpoint::{self, Checkpoints};
use crate::engine::memory::SolverMemory;
use crate::engine::{
    Instructions, OutcomeTask, PLANES, SolvedBoard, conversion_value, one_ply_each,
};
use crate::error::GenerateError;
use crate::lock::DirectoryLock;
use crate::monitor::Monitor;
use crate::plan::{BASE_MEMORY, Plan, Step, memory_of_reference, stored_positions};
use crate::publish::{Solved, Storage};
use crate::reference::{BYTES_PER_POSITION, solve};
use crate::shelf::Shelf;
use crate::work;

/// Bytes of expanded tables that a solver may keep where so many bytes are allowed for all.
pub(crate) fn cache(memory: &SolverMemory, allowed: u64) -> u64 {
    /// More would hardly help.
    const MOST: u64 = 1 << 30;
    memory.cache(allowed).min(MOST)
}

/// What became of one class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassReport {
    /// The class.
    pub material: Material,
    /// Figures for each stored side to move. Without distances to the end there are no longest ones.
    pub sides: Vec<(Color, SideStatistics)>,
    /// Bytes of its table files together.
    pub bytes: u64,
    /// Time from looking at its first position to its last file; `None` if it was there already.
    pub time: Option<Duration>,
}

/// Which solver finds distances, or values under drawing rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DistanceSolver {
    /// The bit-parallel one; the reference solver where no side has kings, on 12x12 boards, and on x86-64
    /// processors without AVX2.
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
    storage: Storage,
    keep_work: bool,
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
            .field("storage", &self.storage)
            .field("keep_work", &self.keep_work)
            .finish_non_exhaustive()
    }
}

impl<B: SolvedBoard> Generator<B> {
    /// A generator of tables below the directory `dir` of all tables. With [`Metric::Dtw`] or [`Metric::Dtc`]
    /// it makes both the tables of distances and those of outcomes, with [`Metric::Wld`] only the latter.
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
            storage: Storage::default(),
            keep_work: false,
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

    /// Publishes tables of another kind. Without it they are compact.
    #[must_use]
    pub fn with_storage(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// Keeps the complete tables in the directory `work` when all is done, so that larger classes can be made
    /// later without solving these again.
    #[must_use]
    pub fn keeping_work(mut self, keep: bool) -> Self {
        self.keep_work = keep;
        self
    }

    /// Whether distances of a class come from the bit-parallel solver.
    fn is_bit_parallel(&self, material: Material) -> bool {
        self.distances == DistanceSolver::BitParallel
            && material.men() < material.pieces()
            && B::solves_distances()
    }

    /// The metrics that are written.
    fn metrics(&self) -> &'static [Metric] {
        match self.metric {
            Metric::Wld => &[Metric::Wld],
            Metric::Dtc => &[Metric::Wld, Metric::Dtc],
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
                needed: false,
                again: false,
            };
            steps.push(step);
        }
        let mut plan = Plan { steps };
        let values = self.solved_metric();
        plan.find_needs(|material| work::is_complete(&self.dir, &self.rules, material, values))?;
        if let Some(step) = plan.open().find(|step| step.memory > self.memory) {
            return Err(GenerateError::Memory {
                material: step.material,
                needed: step.memory,
                allowed: self.memory,
            });
        }
        Ok(plan)
    }

    /// The metric of the values that a solver needs of smaller classes.
    fn solved_metric(&self) -> Metric {
        match self.metric {
            Metric::Wld | Metric::Dtc => Metric::Wld,
            Metric::Dtw | Metric::Dtz => Metric::Dtw,
        }
    }

    /// Bytes that solving a class takes at least.
    fn step_memory(&self, material: Material) -> u64 {
        let (rules, threads) = (&self.rules, self.threads());
        match self.metric {
            Metric::Wld => SolverMemory::of_outcomes::<B>(rules, material, threads).least(),
            Metric::Dtc if material.men() == material.pieces() => {
                let memory = SolverMemory::of_outcomes::<B>(rules, material, threads);
                memory.with_values::<B>(material).least()
            }
            _ if self.metric == Metric::Dtc || self.is_bit_parallel(material) => {
                self.memory_of_distances(material, threads).least()
            }
            _ => memory_of_reference::<B>(material),
        }
    }

    /// What solving a class with kings for distances takes.
    fn memory_of_distances(&self, material: Material, threads: usize) -> SolverMemory {
        // Outcomes of finished positions are enough for conversions.
        let finished = match self.metric {
            Metric::Dtc => 0,
            _ => PLANES,
        };
        SolverMemory::of_distances::<B>(&self.rules, material, threads, finished)
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
        let _locks = if plan.open().next().is_some() {
            let directory = |dir: &Path| dir.join(variant_directory(&self.rules));
            let mut locks = vec![DirectoryLock::acquire(&directory(&self.dir), monitor)?];
            if self.storage.is_compact() {
                let work = directory(&work::work_directory(&self.dir));
                locks.push(DirectoryLock::acquire(&work, monitor)?);
            }
            locks
        } else {
            Vec::new()
        };
        let mut shelf = Shelf::new();
        let mut reports = Vec::new();
        for step in &plan.steps {
            // Looked at again: another process may have made it since the plan.
            let report = match self.existing(step.material)? {
                Some(report) if !step.again => report,
                existing => {
                    monitor.class_started(step);
                    let made = self.make(step, &mut shelf, monitor)?;
                    // Of what is solved again, the tables stay.
                    existing.unwrap_or(made)
                }
            };
            monitor.class_finished(&report);
            reports.push(report);
        }
        if !self.keep_work && plan.open().next().is_some() {
            // All tables are there, so this is no reason to fail.
            let _ = work::remove(&self.dir, &self.rules);
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
            if !self.storage.is_compact() && !table.stores_captures() {
                return Ok(None);
            }
            bytes += table.bytes();
            // The last metric knows the most.
            sides = stored_sides(material)
                .iter()
                .filter_map(|&side| Some((side, *table.statistics(side)?)))
                .collect();
        }
        Ok(Some(ClassReport {
            material,
            sides: self.reported(sides),
            bytes,
            time: None,
        }))
    }

    /// The figures that are reported: those of a table of distances to conversion have its longest ones.
    fn reported(&self, mut sides: Vec<(Color, SideStatistics)>) -> Vec<(Color, SideStatistics)> {
        if self.metric == Metric::Dtc {
            for (_, figures) in &mut sides {
                (figures.longest_win, figures.longest_loss) = (None, None);
            }
        }
        sides
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
        let solved = self.solve(step, &index, shelf, monitor)?;
        let complete = (material, self.solved_metric());
        if self.storage.is_compact() && step.needed {
            let work = work::work_directory(&self.dir);
            solved.publish(&self.rules, &work, complete, Storage::Complete)?;
        }
        let mut bytes = 0;
        for &metric in self.metrics() {
            if !step.done {
                let table = (material, metric);
                bytes += solved.publish(&self.rules, &self.dir, table, self.storage)?;
            }
        }
        // If that fails, the next run removes it.
        let _ = fs::remove_file(checkpoint::path(&self.dir, &self.rules, material));
        Ok(ClassReport {
            material,
            sides: self.reported(solved.sides()),
            bytes,
            time: Some(start.elapsed()),
        })
    }

    /// Solves a class.
    fn solve(
        &self,
        step: &Step,
        index: &PlacementIndex<B>,
        shelf: &mut Shelf<B>,
        monitor: &dyn Monitor,
    ) -> Result<Solved, GenerateError> {
        let material = step.material;
        let (rules, threads) = (&self.rules, rayon::current_num_threads());
        let has_kings = material.men() < material.pieces();
        if self.metric == Metric::Wld || (self.metric == Metric::Dtc && !has_kings) {
            let memory = SolverMemory::of_outcomes::<B>(rules, material, threads);
            let solved = B::solve_outcomes(&self.task(index, &memory), monitor)?;
            return Ok(match self.metric {
                Metric::Wld => Solved::Outcomes(solved),
                _ => {
                    let of_side = |side| one_ply_each(rules, index, side, conversion_value);
                    Solved::Distances(Metric::Dtc, solved.into_iter().map(of_side).collect())
                }
            });
        }
        let memory = self.memory_of_distances(material, threads);
        if self.metric == Metric::Dtc {
            let solved = B::solve_conversions(&self.task(index, &memory), monitor)?;
            return Ok(Solved::Distances(Metric::Dtc, solved));
        }
        let bit_parallel = match self.is_bit_parallel(material) {
            true => B::solve_distances(&self.task(index, &memory), monitor).transpose()?,
            false => None,
        };
        let solved = match bit_parallel {
            Some(solved) => solved,
            None => {
                let for_solving = BYTES_PER_POSITION.saturating_mul(step.positions);
                let for_tables = self
                    .memory
                    .saturating_sub(for_solving.saturating_add(BASE_MEMORY));
                shelf.prepare(&self.dir, rules, Metric::Dtw, material, for_tables)?;
                solve(rules, index, shelf, monitor)?
            }
        };
        Ok(Solved::Distances(Metric::Dtw, solved))
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
            cache: cache(memory, self.memory),
            instructions: Instructions::best(),
            checkpoints: self.checkpoints,
        }
    }
}

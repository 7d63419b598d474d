//! From a list of classes to table files that know the drawing rules.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use makhos_index::{Material, PlacementIndex, closure, dependencies};
use makhos_probe::{
    Access, Dtz, DtzSpec, LoadedTable, SideStatistics, Table, TableWriter, draw_directory,
    dtz_path, road_tables,
};
use makhos_rules::draw::DrawRules;
use makhos_rules::{Board, Color, Position, RuleSet};

use crate::engine::{Instructions, OutcomeTask, SolvedBoard, ruled};
use crate::error::GenerateError;
use crate::generate::{ClassReport, DistanceSolver, cache};
use crate::lock::DirectoryLock;
use crate::monitor::Monitor;
use crate::plan::{BASE_MEMORY, Plan, Step, stored_positions};
use crate::reference::SolvedSide;
use crate::ruled::{
    DTZ_BYTES_PER_POSITION, DtzDifference, DtzTables, DtzTask, check_dtz, solve_dtz,
};

/// Generates the tables of one rule set under its drawing rules into one directory. They do not need the
/// tables without drawing rules.
///
/// ```
/// use makhos_index::classes;
/// use makhos_retro::{DtzGenerator, Quiet};
/// use makhos_rules::{draw::official, variant::RUSSIAN};
///
/// let dir = tempfile::tempdir()?;
/// let generator = DtzGenerator::<u32>::new(RUSSIAN, official::of(&RUSSIAN), dir.path());
/// let reports = generator.run(&generator.plan(&classes(2))?, &Quiet)?;
/// // Nobody has more than five moves with two pieces on the board.
/// let longest = reports.iter().flat_map(|class| &class.sides);
/// let longest = longest.filter_map(|(_, side)| side.longest_needed_win()).max();
/// assert!(longest.is_some_and(|plies| plies.get() <= 10));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DtzGenerator<B> {
    rules: RuleSet,
    draw_rules: DrawRules,
    dir: PathBuf,
    memory: u64,
    threads: Option<usize>,
    solver: DistanceSolver,
    board: std::marker::PhantomData<B>,
}

impl<B: SolvedBoard> DtzGenerator<B> {
    /// A generator of tables below the directory `dir` of all tables.
    #[must_use]
    pub fn new(rules: RuleSet, draw_rules: DrawRules, dir: &Path) -> Self {
        Self {
            rules,
            draw_rules,
            dir: dir.to_owned(),
            memory: u64::MAX,
            threads: None,
            solver: DistanceSolver::default(),
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

    /// Finds values with another solver; the reference solver is [`solve_dtz`]. The bit-parallel one leaves
    /// the classes to it that it does [not solve](SolvedBoard::solve_ruled).
    #[must_use]
    pub fn with_distances_by(mut self, solver: DistanceSolver) -> Self {
        self.solver = solver;
        self
    }

    /// Whether the values of a class come from the bit-parallel solver.
    fn is_bit_parallel(&self, material: Material) -> bool {
        self.solver == DistanceSolver::BitParallel && B::solves_ruled(&self.draw_rules, material)
    }

    /// Everything that `targets` need, in order, and what of it is there. The positions of a class are
    /// counted once for each of its [`road_tables`](makhos_probe::road_tables).
    ///
    /// # Errors
    /// As [`Generator::plan`](crate::Generator::plan).
    pub fn plan(&self, targets: &[Material]) -> Result<Plan, GenerateError> {
        if self.rules.board.squares() != B::SQUARES {
            return Err(GenerateError::OtherBoard {
                variant: self.rules.name,
                expected: self.rules.board.squares(),
                found: B::SQUARES,
            });
        }
        let mut steps = Vec::new();
        for material in closure(targets) {
            let _ = self.index(material)?;
            let positions = stored_positions::<B>(material).unwrap_or(u64::MAX);
            let step = Step {
                material,
                positions: positions.saturating_mul(road_tables(&self.draw_rules, material).into()),
                memory: self.step_memory(material),
                done: self.existing(material)?.is_some(),
                // Their tables hold all values.
                needed: false,
                again: false,
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
        let threads = self.threads.unwrap_or_else(rayon::current_num_threads);
        let engine = match self.is_bit_parallel(material) {
            true => ruled::memory::<B>(&self.rules, &self.draw_rules, material, threads),
            false => None,
        };
        engine.map_or_else(
            || memory_of_reference::<B>(&self.draw_rules, material),
            |memory| memory.least(),
        )
    }

    /// Carries out a plan in the current rayon pool and reports on every class of it; statistics are those
    /// of the tables with nothing counted on the main road, and longest distances are packed [`Dtz`].
    ///
    /// # Errors
    /// [`GenerateError`]. What is published by then stays.
    pub fn run(
        &self,
        plan: &Plan,
        monitor: &dyn Monitor,
    ) -> Result<Vec<ClassReport>, GenerateError> {
        let _lock = if plan.open().next().is_some() {
            let dir = self.dir.join(draw_directory(&self.rules, &self.draw_rules));
            Some(DirectoryLock::acquire(&dir, monitor)?)
        } else {
            None
        };
        let mut shelf = Shelf::new();
        let mut reports = Vec::new();
        for step in &plan.steps {
            let report = match self.existing(step.material)? {
                Some(report) => report,
                None => {
                    monitor.class_started(step);
                    self.make(step.material, &mut shelf, monitor)?
                }
            };
            monitor.class_finished(&report);
            reports.push(report);
        }
        Ok(reports)
    }

    /// Derives every value of one table from those its moves lead to; see [`check_dtz`].
    ///
    /// # Errors
    /// [`GenerateError`], if a table is missing or damaged or the monitor asks to stop.
    pub fn check(
        &self,
        material: Material,
        road: u8,
        monitor: &dyn Monitor,
    ) -> Result<Option<DtzDifference<B>>, GenerateError> {
        let index = self.index(material)?;
        let mut shelf = Shelf::new();
        self.fill(&mut shelf, material, road)?;
        self.load(&mut shelf, material, road)?;
        let task = DtzTask {
            rules: &self.rules,
            draw_rules: &self.draw_rules,
            index: &index,
            road,
        };
        Ok(check_dtz(&task, &shelf, monitor)?)
    }

    fn index(&self, material: Material) -> Result<PlacementIndex<B>, GenerateError> {
        PlacementIndex::new(material).map_err(|source| GenerateError::Class { material, source })
    }

    fn spec(&self, material: Material, road: u8) -> DtzSpec<'_> {
        DtzSpec {
            rules: &self.rules,
            draw_rules: &self.draw_rules,
            material,
            road,
        }
    }

    /// The table of a class with so many plies on the main road, if it is there.
    fn table(&self, material: Material, road: u8) -> Result<Option<Table>, GenerateError> {
        let spec = self.spec(material, road);
        let path = dtz_path(&self.dir, &spec);
        if !path.exists() {
            return Ok(None);
        }
        let table = Table::open(&path, Access::Read)?;
        table.expect_dtz(&spec)?;
        Ok(Some(table))
    }

    /// The report on a class whose files are all there.
    fn existing(&self, material: Material) -> Result<Option<ClassReport>, GenerateError> {
        let mut bytes = 0;
        let mut sides = Vec::new();
        for road in (0..road_tables(&self.draw_rules, material)).rev() {
            let Some(table) = self.table(material, road)? else {
                return Ok(None);
            };
            bytes += table.bytes();
            sides = figures(&table);
        }
        Ok(Some(ClassReport {
            material,
            sides,
            bytes,
            time: None,
        }))
    }

    /// Solves a class for each number of plies on the main road, the largest first, and publishes what is
    /// not there yet.
    fn make(
        &self,
        material: Material,
        shelf: &mut Shelf<B>,
        monitor: &dyn Monitor,
    ) -> Result<ClassReport, GenerateError> {
        let start = Instant::now();
        let index = self.index(material)?;
        let work = 2 * stored_positions::<B>(material).unwrap_or(u64::MAX);
        let mut bytes = 0;
        let mut sides = Vec::new();
        for road in (0..road_tables(&self.draw_rules, material)).rev() {
            if let Some(table) = self.table(material, road)? {
                monitor.advanced(work);
                bytes += table.bytes();
                sides = figures(&table);
                continue;
            }
            let solved = self.solve(&index, road, shelf, monitor)?;
            let statistics: Vec<SideStatistics> =
                solved.iter().map(|side| side.statistics).collect();
            let spec = self.spec(material, road);
            let mut writer = TableWriter::create_dtz(&self.dir, &spec, &statistics)?;
            for side in &solved {
                writer.push(&side.values)?;
            }
            bytes += writer.finish()?.bytes;
            let solved = solved.iter();
            sides = solved.map(|side| (side.side, side.statistics)).collect();
        }
        Ok(ClassReport {
            material,
            sides,
            bytes,
            time: Some(start.elapsed()),
        })
    }

    /// Solves a class with so many plies on the main road.
    fn solve(
        &self,
        index: &PlacementIndex<B>,
        road: u8,
        shelf: &mut Shelf<B>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<SolvedSide>, GenerateError> {
        let (rules, draw_rules) = (&self.rules, &self.draw_rules);
        let material = index.material();
        if self.is_bit_parallel(material) {
            // It reads the files by itself; the memory is its own.
            shelf.tables.clear();
            let threads = rayon::current_num_threads();
            let memory = ruled::memory::<B>(rules, draw_rules, material, threads);
            let task = OutcomeTask {
                rules,
                index,
                dir: &self.dir,
                cache: memory.map_or(0, |memory| cache(&memory, self.memory)),
                instructions: Instructions::best(),
                checkpoints: None,
            };
            if let Some(solved) = B::solve_ruled(&task, draw_rules, road, monitor) {
                return solved;
            }
        }
        self.fill(shelf, material, road)?;
        let task = DtzTask {
            rules,
            draw_rules,
            index,
            road,
        };
        Ok(solve_dtz(&task, shelf, monitor)?)
    }

    /// Brings in what solving this table needs and puts away what it does not need.
    fn fill(
        &self,
        shelf: &mut Shelf<B>,
        material: Material,
        road: u8,
    ) -> Result<(), GenerateError> {
        let mut needs = Vec::new();
        for needed in dependencies(material) {
            let roads = road_tables(&self.draw_rules, needed.material);
            needs.extend((0..roads).map(|road| (needed.material, road)));
        }
        if road + 1 < road_tables(&self.draw_rules, material) {
            needs.push((material, road + 1));
        }
        shelf.tables.retain(|key, _| needs.contains(key));
        for (material, road) in needs {
            if !shelf.tables.contains_key(&(material, road)) {
                self.load(shelf, material, road)?;
            }
        }
        Ok(())
    }

    fn load(
        &self,
        shelf: &mut Shelf<B>,
        material: Material,
        road: u8,
    ) -> Result<(), GenerateError> {
        let spec = self.spec(material, road);
        let table = Table::open(&dtz_path(&self.dir, &spec), Access::Read)?;
        table.expect_dtz(&spec)?;
        let entry = (self.index(material)?, table.load()?);
        shelf.tables.insert((material, road), entry);
        Ok(())
    }
}

/// The figures of the stored sides of a table.
fn figures(table: &Table) -> Vec<(Color, SideStatistics)> {
    let sides = table.sides().iter();
    sides
        .filter_map(|&side| Some((side, *table.statistics(side)?)))
        .collect()
}

/// Bytes that [`solve_dtz`] takes for a class with the tables it needs.
fn memory_of_reference<B: Board>(draw_rules: &DrawRules, material: Material) -> u64 {
    let positions = stored_positions::<B>(material).unwrap_or(u64::MAX);
    let decoded = |material: Material| {
        let positions = stored_positions::<B>(material).unwrap_or(u64::MAX);
        positions.saturating_mul(2 * u64::from(road_tables(draw_rules, material)))
    };
    let needs = dependencies(material)
        .into_iter()
        .map(|needed| decoded(needed.material))
        .fold(0, u64::saturating_add);
    let above = if road_tables(draw_rules, material) > 1 {
        positions.saturating_mul(2)
    } else {
        0
    };
    positions
        .saturating_mul(DTZ_BYTES_PER_POSITION)
        .saturating_add(needs)
        .saturating_add(above)
        .saturating_add(BASE_MEMORY)
}

/// Decoded tables by class and plies on the main road.
struct Shelf<B> {
    tables: HashMap<(Material, u8), (PlacementIndex<B>, LoadedTable)>,
}

impl<B> Shelf<B> {
    fn new() -> Self {
        Self {
            tables: HashMap::new(),
        }
    }
}

impl<B: Board> DtzTables<B> for Shelf<B> {
    fn value(&self, position: &Position<B>, road: u8) -> Option<Dtz> {
        let (index, table) = self.tables.get(&(Material::of(position), road))?;
        Some(Dtz::unpack(
            table.get(position.side(), index.index(position)),
        ))
    }
}

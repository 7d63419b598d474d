//! Measuring how fast classes are generated.

use std::fs;
use std::path::Path;

use makhos_index::{Material, PlacementIndex, closure};
use makhos_probe::{Metric, table_path, variant_directory};
use makhos_retro::engine::{Instructions, OutcomeTask};
use makhos_retro::{DistanceSolver, GenerateError, Generator, Quiet, SolvedBoard, Storage};
use makhos_rules::{BoardSize, RuleSet};
use rayon::ThreadPool;

use crate::clock::{Span, median, timed};

/// Bytes of expanded tables, as much as the generator takes if it may.
const CACHE: u64 = 1 << 30;

/// Classes whose generation is measured as a whole.
#[derive(Clone, Debug)]
pub struct Case {
    /// The rules.
    pub rules: RuleSet,
    /// What the classes are called together.
    pub name: String,
    /// The classes, canonical.
    pub classes: Vec<Material>,
    /// Whether the reference solver is measured too.
    pub reference: bool,
}

/// How to measure.
#[derive(Debug)]
pub struct Bench<'a> {
    /// What works.
    pub pool: &'a ThreadPool,
    /// How often everything is measured, at least once.
    pub repeat: usize,
    /// Where the tables are that the classes need; those that are missing are made there.
    pub tables: &'a Path,
}

/// What was measured, the median of all runs.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Positions of all classes.
    pub positions: u64,
    /// From tables in files to outcomes in memory.
    pub solving: Span,
    /// From tables in files to published files: solved, compressed, with checksums, on disk.
    pub all_in: Span,
    /// The same by the reference solver, which makes tables of distances beside those of outcomes.
    pub reference: Option<Span>,
}

impl Bench<'_> {
    /// Measures a case.
    ///
    /// # Errors
    /// What generation says.
    pub fn measure(&self, case: &Case) -> Result<Measured, GenerateError> {
        match case.rules.board {
            BoardSize::Eight => self.on_board::<u32>(case),
            BoardSize::Ten => self.on_board::<u64>(case),
            BoardSize::Twelve => self.on_board::<u128>(case),
        }
    }

    fn on_board<B: SolvedBoard>(&self, case: &Case) -> Result<Measured, GenerateError> {
        // The classes need some of each other.
        let (wld, complete) = (Metric::Wld, Storage::Complete);
        self.generate::<B>(case, self.tables, (wld, complete), &case.classes)?;
        let mut positions = 0;
        let mut solving = Vec::new();
        for _ in 0..self.repeat {
            let (span, sum) = timed(|| self.pool.install(|| self.solve::<B>(case)));
            positions = sum?;
            solving.push(span);
        }
        let reference = match case.reference {
            true => Some(self.repeated::<B>(case, Metric::Dtw)?),
            false => None,
        };
        Ok(Measured {
            positions,
            solving: median(solving).unwrap_or_else(|| timed(|| ()).0),
            all_in: self.repeated::<B>(case, Metric::Wld)?,
            reference,
        })
    }

    /// Solves all classes for outcomes; the number of positions.
    fn solve<B: SolvedBoard>(&self, case: &Case) -> Result<u64, GenerateError> {
        let mut positions = 0;
        for &material in &case.classes {
            let index = PlacementIndex::<B>::new(material)
                .map_err(|source| GenerateError::Class { material, source })?;
            let task = OutcomeTask {
                rules: &case.rules,
                index: &index,
                dir: self.tables,
                cache: CACHE,
                instructions: Instructions::best(),
                checkpoints: None,
            };
            let sides = B::solve_outcomes(&task, &Quiet)?;
            positions += sides
                .iter()
                .map(|side| side.statistics.positions)
                .sum::<u64>();
        }
        Ok(positions)
    }

    /// The time in which all files of the classes are made, those of smaller classes being there.
    fn repeated<B: SolvedBoard>(&self, case: &Case, metric: Metric) -> Result<Span, GenerateError> {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let mut needed = closure(&case.classes);
        needed.retain(|class| !case.classes.contains(class));
        if metric == Metric::Wld {
            borrow_tables(case, &needed, self.tables, dir.path());
        }
        // What the classes need is there complete; they themselves are published as users get them.
        self.generate::<B>(case, dir.path(), (metric, Storage::Complete), &needed)?;
        let storage = match metric {
            Metric::Wld => Storage::Compact,
            _ => Storage::Complete,
        };
        let mut spans = Vec::new();
        for _ in 0..self.repeat.max(1) {
            for &class in &case.classes {
                for metric in Metric::ALL {
                    let _ = fs::remove_file(table_path(dir.path(), &case.rules, class, metric));
                }
            }
            let (span, made) =
                timed(|| self.generate::<B>(case, dir.path(), (metric, storage), &case.classes));
            made?;
            spans.push(span);
        }
        Ok(median(spans).expect("one at least"))
    }

    /// Makes what is missing of some classes and all they need; distances by the reference solver.
    fn generate<B: SolvedBoard>(
        &self,
        case: &Case,
        dir: &Path,
        (metric, storage): (Metric, Storage),
        classes: &[Material],
    ) -> Result<(), GenerateError> {
        let threads = self.pool.current_num_threads();
        let generator = Generator::<B>::new(case.rules, dir, metric)
            .with_threads(threads)
            .with_distances_by(DistanceSolver::Reference)
            .with_storage(storage);
        let plan = generator.plan(classes)?;
        self.pool.install(|| generator.run(&plan, &Quiet))?;
        Ok(())
    }
}

/// Gives a directory tables of another one, as links where they can be.
fn borrow_tables(case: &Case, classes: &[Material], from: &Path, to: &Path) {
    fs::create_dir_all(to.join(variant_directory(&case.rules))).expect("a directory");
    for &class in classes {
        let path = |dir| table_path(dir, &case.rules, class, Metric::Wld);
        if fs::hard_link(path(from), path(to)).is_err() {
            fs::copy(path(from), path(to)).expect("a copy of a table");
        }
    }
}

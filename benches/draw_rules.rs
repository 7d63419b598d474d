//! Speed of solving under official drawing rules, of the bit-parallel solver and of the plain one in the same run:
//! one row of a Markdown table for each variant.
//!
//! ```text
//! cargo bench -p makhos-benches --bench draw_rules -- --variant russian --pieces 4
//! cargo bench -p makhos-benches --bench draw_rules -- --variant english --pieces 5 --no-reference
//! ```

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use makhos_benches::clock::{Span, timed};
use makhos_index::{Material, PlacementIndex, classes, dependencies, stored_sides};
use makhos_probe::{Access, Dtz, DtzSpec, LoadedTable, Table, dtz_path, road_tables};
use makhos_retro::engine::{Instructions, OutcomeTask};
use makhos_retro::ruled::{DtzTables, DtzTask, solve_dtz};
use makhos_retro::{DistanceSolver, DtzGenerator, GenerateError, Quiet, SolvedBoard};
use makhos_rules::draw::{DrawRules, official};
use makhos_rules::{Board, BoardSize, Position, RuleSet, variant};
use rayon::ThreadPoolBuilder;

/// Bytes of expanded tables, as much as the generator takes if it may.
const CACHE: u64 = 1 << 30;

/// Measures generation under official drawing rules
#[derive(Parser, Debug)]
struct Args {
    /// Variants to measure
    #[arg(long, value_name = "VARIANT", required = true)]
    variant: Vec<String>,

    /// All classes with exactly N pieces on the board, both sides together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..=24))]
    pieces: u32,

    /// Leave out the plain solver
    #[arg(long)]
    no_reference: bool,

    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

/// What is measured.
struct Case<'a> {
    rules: &'a RuleSet,
    draw_rules: DrawRules,
    targets: Vec<Material>,
    dir: &'a Path,
}

fn main() -> ExitCode {
    makhos_benches::exit(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Box<dyn std::error::Error>> {
    // One thread is the main one, so that nothing is handed over.
    let pool = ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build()?;
    println!(
        "Positions a second of one thread's processor time. *Solving*: from files of smaller classes to values\n\
         in memory, of the classes that the bit-parallel solver solves. *All-in*: all classes, each once for every\n\
         number of plies on the main road, solved, compressed and written.\n\n\
         | variant | classes | positions | solved bit-parallel | solving | plain solver | all-in | all-in, plain solver |\n\
         |---|---|--:|--:|--:|--:|--:|--:|"
    );
    for name in &args.variant {
        let rules = variant::by_name(name)?;
        let dir = tempfile::tempdir()?;
        let mut targets = classes(args.pieces);
        targets.retain(|class| class.pieces() == args.pieces);
        let case = Case {
            rules,
            draw_rules: official::of(rules),
            targets,
            dir: dir.path(),
        };
        let row = pool.install(|| match rules.board {
            BoardSize::Eight => row::<u32>(&case, args),
            BoardSize::Ten => row::<u64>(&case, args),
            BoardSize::Twelve => row::<u128>(&case, args),
        })?;
        println!("{row}");
    }
    Ok(())
}

fn row<B: SolvedBoard>(case: &Case<'_>, args: &Args) -> Result<String, GenerateError> {
    case.generate::<B>(&classes(args.pieces - 1), DistanceSolver::BitParallel)?;
    let (all_in, made) = timed(|| case.generate::<B>(&case.targets, DistanceSolver::BitParallel));
    made?;
    let all: u64 = case
        .targets
        .iter()
        .map(|&class| case.positions::<B>(class))
        .sum();
    let (solving, solved) = timed(|| case.solve::<B>());
    let solved = solved?;
    let reference = match args.no_reference {
        true => ["not run".into(), "not run".into()],
        false => {
            let (plain, done) = timed(|| case.solve_plainly::<B>());
            done?;
            case.remove();
            let solver = DistanceSolver::Reference;
            let (all_in, made) = timed(|| case.generate::<B>(&case.targets, solver));
            made?;
            [speed(solved, &plain), speed(all, &all_in)]
        }
    };
    let [plain, plain_all_in] = reference;
    Ok(format!(
        "| {} | {} pieces | {all} | {solved} | {} | {plain} | {} | {plain_all_in} |",
        case.rules.name,
        args.pieces,
        speed(solved, &solving),
        speed(all, &all_in),
    ))
}

impl Case<'_> {
    /// Makes what is missing of some classes and all they need.
    fn generate<B: SolvedBoard>(
        &self,
        targets: &[Material],
        solver: DistanceSolver,
    ) -> Result<(), GenerateError> {
        let generator = DtzGenerator::<B>::new(*self.rules, self.draw_rules.clone(), self.dir)
            .with_threads(1)
            .with_distances_by(solver);
        generator.run(&generator.plan(targets)?, &Quiet)?;
        Ok(())
    }

    /// The classes that the bit-parallel solver solves, with the plies counted on the main road.
    fn solved<B: SolvedBoard>(&self) -> Vec<(Material, u8)> {
        let targets = self.targets.iter().copied();
        let solved = targets.filter(|&class| B::solves_ruled(&self.draw_rules, class));
        let roads = |class| 0..road_tables(&self.draw_rules, class);
        solved
            .flat_map(|class| roads(class).map(move |road| (class, road)))
            .collect()
    }

    /// Solves them; the number of positions.
    fn solve<B: SolvedBoard>(&self) -> Result<u64, GenerateError> {
        let mut positions = 0;
        for (material, road) in self.solved::<B>() {
            let index = index::<B>(material)?;
            let task = OutcomeTask {
                rules: self.rules,
                index: &index,
                dir: self.dir,
                cache: CACHE,
                instructions: Instructions::best(),
                checkpoints: None,
            };
            if let Some(solved) = B::solve_ruled(&task, &self.draw_rules, road, &Quiet) {
                let sides = solved?;
                positions += sides
                    .iter()
                    .map(|side| side.values.len() as u64)
                    .sum::<u64>();
            }
        }
        Ok(positions)
    }

    /// Solves the same classes by the plain solver, from tables in memory; loading them is part of it.
    fn solve_plainly<B: SolvedBoard>(&self) -> Result<(), GenerateError> {
        for (material, road) in self.solved::<B>() {
            let index = index::<B>(material)?;
            let mut tables = Loaded(HashMap::new());
            for needed in dependencies(material) {
                let class = needed.material;
                for road in 0..road_tables(&self.draw_rules, class) {
                    self.load(&mut tables, class, road)?;
                }
            }
            if road + 1 < road_tables(&self.draw_rules, material) {
                self.load(&mut tables, material, road + 1)?;
            }
            let task = DtzTask {
                rules: self.rules,
                draw_rules: &self.draw_rules,
                index: &index,
                road,
            };
            solve_dtz(&task, &tables, &Quiet)?;
        }
        Ok(())
    }

    fn load<B: Board>(
        &self,
        tables: &mut Loaded<B>,
        material: Material,
        road: u8,
    ) -> Result<(), GenerateError> {
        let spec = self.spec(material, road);
        let table = Table::open(&dtz_path(self.dir, &spec), Access::Read)?;
        let entry = (index::<B>(material)?, table.load()?);
        tables.0.insert((material, road), entry);
        Ok(())
    }

    /// Positions of a class, once for each of its tables.
    fn positions<B: Board>(&self, material: Material) -> u64 {
        let placements = index::<B>(material).map_or(0, |index| index.len());
        let tables = u64::from(road_tables(&self.draw_rules, material));
        placements * stored_sides(material).len() as u64 * tables
    }

    /// Removes the tables of the targets.
    fn remove(&self) {
        for &class in &self.targets {
            for road in 0..road_tables(&self.draw_rules, class) {
                let _ = fs::remove_file(dtz_path(self.dir, &self.spec(class, road)));
            }
        }
    }

    fn spec(&self, material: Material, road: u8) -> DtzSpec<'_> {
        DtzSpec {
            rules: self.rules,
            draw_rules: &self.draw_rules,
            material,
            road,
        }
    }
}

fn index<B: Board>(material: Material) -> Result<PlacementIndex<B>, GenerateError> {
    PlacementIndex::new(material).map_err(|source| GenerateError::Class { material, source })
}

/// Tables in memory by class and plies on the main road.
struct Loaded<B>(HashMap<(Material, u8), (PlacementIndex<B>, LoadedTable)>);

impl<B: Board> DtzTables<B> for Loaded<B> {
    fn value(&self, position: &Position<B>, road: u8) -> Option<Dtz> {
        let (index, table) = self.0.get(&(Material::of(position), road))?;
        let value = table.get(position.side(), index.index(position));
        Some(Dtz::unpack(value))
    }
}

/// Millions of positions a second of processor time, which other work on the machine disturbs least.
fn speed(positions: u64, span: &Span) -> String {
    let time: Duration = span.cpu.unwrap_or(span.wall);
    format!(
        "{:.2} M",
        positions as f64 / time.as_secs_f64().max(1e-9) / 1e6
    )
}

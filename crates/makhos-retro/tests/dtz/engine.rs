//! The bit-parallel solver under drawing rules against the plain one, value by value and byte by byte.
//!
//! The plain solver's tables are what each class is solved from, so a mistake shows in the class in which it is
//! made. Long runs: `cargo test --release -p makhos-retro --test dtz engine -- --ignored`.

use std::fs;
use std::path::Path;

use makhos_index::{Material, PlacementIndex, classes, closure, stored_sides};
use makhos_probe::{Access, DtzSpec, Table, draw_directory, dtz_path, road_tables};
use makhos_retro::engine::{Instructions, OutcomeTask, SolvedBoard};
use makhos_retro::reference::SolvedSide;
use makhos_retro::{DistanceSolver, DtzGenerator, GenerateError, Monitor, Quiet};
use makhos_rules::draw::{DrawRules, official};
use makhos_rules::{BoardSize, RuleSet, variant};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{SHORT, class, draw_rules};

/// Bytes of expanded tables that are kept.
const CACHE: u64 = 64 << 20;

/// Clocks for every kind of step: short and long, begun anew by some moves only, capped, missing.
const MORE: [&str; 7] = [
    "clock a plies=3 material=any resets=capture,promotion,man-move",
    "clock a plies=12 material=any resets=none",
    "clock a plies=1 material=any resets=capture,man-move",
    "clock few plies=6 material=lone-king:1- runs-on\n\
     clock rest plies=3 material=both-kings:2- resets=capture runs-on",
    "clock a plies=12 material=both-kings:3- resets=promotion,man-move runs-on\n\
     clock b plies=6 material=lone-king:1-2\n\
     road pieces=2 plies=1",
    "clock a plies=6 material=lone-king-kings:1- resets=man-move",
    "repetition times=3",
];

fn pool(threads: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder.build().expect("a pool")
}

fn generate<B: SolvedBoard>(
    (rules, draw_rules): (&RuleSet, &DrawRules),
    dir: &Path,
    targets: &[Material],
    solver: DistanceSolver,
) {
    let generator = DtzGenerator::<B>::new(*rules, draw_rules.clone(), dir);
    let generator = generator.with_distances_by(solver);
    let plan = generator.plan(targets).expect("a plan");
    generator.run(&plan, &Quiet).expect("tables");
}

/// Solves a class from the tables in `dir`, if the bit-parallel solver does.
fn solve<B: SolvedBoard>(
    (rules, draw_rules): (&RuleSet, &DrawRules),
    dir: &Path,
    (index, road): (&PlacementIndex<B>, u8),
    monitor: &dyn Monitor,
) -> Option<Result<Vec<SolvedSide>, GenerateError>> {
    let task = OutcomeTask {
        rules,
        index,
        dir,
        cache: CACHE,
        instructions: Instructions::best(),
        checkpoints: None,
    };
    B::solve_ruled(&task, draw_rules, road, monitor)
}

/// All values and figures of a class are those of its table; whether the bit-parallel solver solves it.
fn compare<B: SolvedBoard>(game: (&RuleSet, &DrawRules), dir: &Path, material: Material) -> bool {
    let roads = road_tables(game.1, material);
    (0..roads).all(|road| compare_table::<B>(game, dir, material, road))
}

fn compare_table<B: SolvedBoard>(
    game: (&RuleSet, &DrawRules),
    dir: &Path,
    material: Material,
    road: u8,
) -> bool {
    let (rules, draw_rules) = game;
    let index = PlacementIndex::<B>::new(material).expect("it fits");
    let solved = solve(game, dir, (&index, road), &Quiet);
    assert_eq!(solved.is_some(), B::solves_ruled(draw_rules, material));
    let Some(solved) = solved else {
        return false;
    };
    let spec = DtzSpec {
        rules,
        draw_rules,
        material,
        road,
    };
    let table = Table::open(&dtz_path(dir, &spec), Access::Read).expect("a table");
    let solved = solved.expect("solved");
    let sides: Vec<_> = solved.iter().map(|side| side.side).collect();
    assert_eq!(sides, stored_sides(material), "{material}");
    for solved in solved {
        let mut expected = Vec::new();
        let whole = 0..table.positions();
        let read = table.read_values(solved.side, whole, &mut expected);
        read.expect("values");
        let pairs = solved.values.iter().zip(&expected).enumerate();
        let wrong: Vec<String> = pairs
            .filter(|(_, (found, expected))| found != expected)
            .map(|(at, (&found, &expected))| {
                let position = index.position(at as u64, solved.side);
                let fen = makhos_rules::notation::fen::write(rules, &position);
                let [found, expected] = [found, expected].map(makhos_probe::Dtz::unpack);
                format!("{fen} is {found}, not {expected}")
            })
            .collect();
        assert!(
            wrong.is_empty() && solved.values.len() == expected.len(),
            "{} {material} road {road} {draw_rules}: {} of {} values differ: {:?}",
            rules.name,
            wrong.len(),
            expected.len(),
            &wrong[..wrong.len().min(5)]
        );
        let figures = table.statistics(solved.side).expect("stored");
        assert_eq!(solved.statistics, *figures, "{} {material}", rules.name);
        let captures = solved
            .captures
            .iter()
            .map(|word| u64::from(word.count_ones()));
        assert_eq!(
            captures.sum::<u64>(),
            figures.captures,
            "{} {material}",
            rules.name
        );
    }
    true
}

/// Both solvers are equal in all classes that `targets` need, with one thread and with two. Returns how
/// many classes the bit-parallel one has solved.
fn equal<B: SolvedBoard>(rules: &RuleSet, draw_rules: &DrawRules, targets: &[Material]) -> usize {
    let game = (rules, draw_rules);
    let dir = tempfile::tempdir().expect("a directory");
    generate::<B>(game, dir.path(), targets, DistanceSolver::Reference);
    let classes = closure(targets);
    let count = |threads| {
        pool(threads).install(|| {
            let classes = classes.iter();
            classes
                .filter(|&&class| compare::<B>(game, dir.path(), class))
                .count()
        })
    };
    let solved = count(1);
    assert_eq!(solved, count(2));
    solved
}

fn equal_on_its_board(rules: &RuleSet, draw_rules: &DrawRules, targets: &[Material]) -> usize {
    match rules.board {
        BoardSize::Eight => equal::<u32>(rules, draw_rules, targets),
        BoardSize::Ten => equal::<u64>(rules, draw_rules, targets),
        BoardSize::Twelve => equal::<u128>(rules, draw_rules, targets),
    }
}

/// The files of both solvers, generated class by class, are the same bytes, for any number of threads.
fn equal_files<B: SolvedBoard>(rules: &RuleSet, draw_rules: &DrawRules, targets: &[Material]) {
    let game = (rules, draw_rules);
    let expected = tempfile::tempdir().expect("a directory");
    generate::<B>(game, expected.path(), targets, DistanceSolver::Reference);
    let files = |dir: &Path| {
        let dir = dir.join(draw_directory(rules, draw_rules));
        let mut files: Vec<_> = fs::read_dir(dir)
            .expect("files")
            .map(|file| file.expect("a file").path())
            .filter(|path| path.extension().is_some_and(|kind| kind == "dtz"))
            .map(|path| (path.file_name().expect("named").to_owned(), fs::read(&path)))
            .map(|(name, bytes)| (name, bytes.expect("bytes")))
            .collect();
        files.sort();
        files
    };
    let expected = files(expected.path());
    assert!(!expected.is_empty());
    for threads in [1, 2] {
        let dir = tempfile::tempdir().expect("a directory");
        let solver = DistanceSolver::BitParallel;
        pool(threads).install(|| generate::<B>(game, dir.path(), targets, solver));
        let found = files(dir.path());
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert!(found == expected, "{} {:?}", rules.name, expected.0);
        }
    }
}

#[test]
fn three_pieces_of_every_variant_equal_the_plain_solver() {
    for rules in variant::ALL {
        let draw_rules = official::of(rules);
        let solved = match rules.board {
            BoardSize::Eight => equal::<u32>(rules, &draw_rules, &classes(3)),
            BoardSize::Ten => equal::<u64>(rules, &draw_rules, &classes(2)),
            BoardSize::Twelve => equal::<u128>(rules, &draw_rules, &[class("1k-1k")]),
        };
        let there = is_there(rules);
        assert_eq!(solved > 0, there, "{}", rules.name);
    }
}

/// Whether there is a bit-parallel solver of distances for the board.
fn is_there(rules: &RuleSet) -> bool {
    match rules.board {
        BoardSize::Eight => u32::solves_distances(),
        BoardSize::Ten => u64::solves_distances(),
        BoardSize::Twelve => u128::solves_distances(),
    }
}

#[test]
fn every_kind_of_clock_equals_the_plain_solver() {
    let all: Vec<&str> = SHORT.into_iter().chain(MORE).collect();
    for (rules, texts) in [
        (variant::RUSSIAN, &all[..]),
        (variant::THAI, &SHORT),
        (variant::ENGLISH, &MORE),
    ] {
        for text in texts {
            let solved = equal::<u32>(&rules, &draw_rules(text), &classes(3));
            assert_eq!(solved > 0, u32::solves_distances(), "{text}");
        }
    }
    for text in MORE {
        equal::<u64>(&variant::INTERNATIONAL, &draw_rules(text), &classes(2));
    }
}

/// With four pieces both sides have several kings or men beside them, and three kings against one have plies
/// on the main road.
#[test]
fn some_classes_of_four_pieces_equal_the_plain_solver() {
    for (rules, four) in [
        (variant::ENGLISH, "1m1k-1m1k"),
        (variant::RUSSIAN, "1m1k-2k"),
        (variant::RUSSIAN, "3k-1m"),
        (variant::THAI, "1m1k-1m1k"),
    ] {
        let solved = equal::<u32>(&rules, &official::of(&rules), &[class(four)]);
        assert_eq!(solved > 0, u32::solves_distances());
    }
}

#[test]
fn files_equal_those_of_the_plain_solver() {
    for rules in [variant::RUSSIAN, variant::CZECH] {
        equal_files::<u32>(&rules, &official::of(&rules), &classes(3));
    }
    equal_files::<u32>(&variant::THAI, &draw_rules(SHORT[4]), &classes(3));
    equal_files::<u64>(
        &variant::INTERNATIONAL,
        &official::of(&variant::INTERNATIONAL),
        &classes(2),
    );
}

/// Asks to stop after so many questions.
struct Stopper(std::sync::atomic::AtomicI64);

impl Monitor for Stopper {
    fn should_stop(&self) -> bool {
        self.0.fetch_sub(1, std::sync::atomic::Ordering::Relaxed) <= 0
    }
}

#[test]
fn solving_stops_when_asked() {
    let (rules, dir) = (variant::RUSSIAN, tempfile::tempdir().expect("a directory"));
    let draw_rules = official::of(&rules);
    let game = (&rules, &draw_rules);
    generate::<u32>(game, dir.path(), &classes(2), DistanceSolver::BitParallel);
    let material = class("1m1k-1k");
    let index = PlacementIndex::<u32>::new(material).expect("small");
    if !u32::solves_distances() {
        return;
    }
    generate::<u32>(
        game,
        dir.path(),
        &closure(&[material]),
        DistanceSolver::BitParallel,
    );
    for questions in [0, 1, 20] {
        let stopper = Stopper(questions.into());
        let solved = solve::<u32>(game, dir.path(), (&index, 0), &stopper).expect("it is solved");
        let error = solved.expect_err("stopped");
        assert!(error.is_interrupted(), "{error}");
    }
}

#[test]
fn clocks_beyond_the_planes_are_left_to_the_plain_solver() {
    let mut endless = draw_rules("clock endless plies=1000 material=any resets=none");
    let material = class("2k-1k");
    for (plies, fits) in [(1000, true), (1022, true), (1023, false), (u16::MAX, false)] {
        endless.clocks[0].plies = plies;
        let expected = fits && u32::solves_distances();
        assert_eq!(u32::solves_ruled(&endless, material), expected, "{plies}");
    }
}

#[test]
#[ignore = "takes minutes"]
fn four_pieces_of_every_variant_equal_the_plain_solver() {
    for rules in variant::ALL {
        let draw_rules = official::of(rules);
        match rules.board {
            BoardSize::Eight => equal::<u32>(rules, &draw_rules, &classes(4)),
            BoardSize::Ten => equal::<u64>(rules, &draw_rules, &classes(3)),
            BoardSize::Twelve => equal::<u128>(rules, &draw_rules, &classes(2)),
        };
    }
}

#[test]
#[ignore = "takes minutes"]
fn three_pieces_of_every_variant_equal_the_plain_solver_with_every_kind_of_clock() {
    for rules in variant::ALL {
        for text in SHORT.iter().chain(&MORE) {
            let pieces = if rules.board == BoardSize::Eight {
                3
            } else {
                2
            };
            equal_on_its_board(rules, &draw_rules(text), &classes(pieces));
        }
    }
    for rules in [variant::RUSSIAN, variant::ENGLISH, variant::THAI] {
        for text in SHORT.iter().chain(&MORE) {
            equal::<u32>(
                &rules,
                &draw_rules(text),
                &[class("1m1k-1m1k"), class("2m1k-1m")],
            );
        }
    }
}

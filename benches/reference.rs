//! Speed of the reference solver, in positions per second of one thread: generation only, from tables
//! in memory to values in memory.

use divan::Bencher;
use divan::counter::ItemsCount;
use makhos_index::{Material, PlacementIndex, classes, stored_sides};
use makhos_probe::Metric;
use makhos_retro::{DistanceSolver, Generator, Quiet, Storage, reference};
use makhos_rules::{BoardSize, RuleSet, variant};

fn main() {
    divan::main();
}

/// A variant and a number of pieces; all classes of that many pieces are solved, in sequence.
const CASES: &[(&str, u32)] = &[
    ("english", 3),
    ("russian", 3),
    ("thai", 3),
    ("italian", 3),
    ("english", 4),
    ("russian", 4),
    ("international", 3),
];

#[divan::bench(args = CASES, sample_count = 3, sample_size = 1)]
fn solve_and_write(bencher: Bencher<'_, '_>, case: &(&str, u32)) {
    let rules = variant::by_name(case.0).expect("a variant");
    match rules.board {
        BoardSize::Eight => run::<u32>(bencher, rules, case.1),
        BoardSize::Ten => run::<u64>(bencher, rules, case.1),
        BoardSize::Twelve => run::<u128>(bencher, rules, case.1),
    }
}

/// All classes of `pieces` pieces, all-in: solved, compressed, written; smaller ones are there.
fn run<B: makhos_retro::SolvedBoard>(bencher: Bencher<'_, '_>, rules: &RuleSet, pieces: u32) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool");
    let smaller = tempfile::tempdir().expect("a directory");
    let generator = Generator::<B>::new(*rules, smaller.path(), Metric::Dtw)
        .with_distances_by(DistanceSolver::Reference)
        .with_storage(Storage::Complete);
    pool.install(|| {
        let plan = generator.plan(&classes(pieces - 1)).expect("a plan");
        generator.run(&plan, &Quiet).expect("tables");
    });
    let targets: Vec<Material> = classes(pieces)
        .into_iter()
        .filter(|class| class.pieces() == pieces)
        .collect();
    let positions: u64 = targets
        .iter()
        .map(|&class| {
            let index = PlacementIndex::<B>::new(class).expect("small");
            index.len() * stored_sides(class).len() as u64
        })
        .sum();
    let plan = generator.plan(&targets).expect("a plan");
    bencher.counter(ItemsCount::new(positions)).bench_local(|| {
        for class in &targets {
            for metric in Metric::ALL {
                let path = makhos_probe::table_path(smaller.path(), rules, *class, metric);
                let _ = std::fs::remove_file(path);
            }
        }
        pool.install(|| generator.run(&plan, &Quiet).expect("tables"))
    });
}

/// Solving alone: kings only, nothing outside the class but what two kings need.
#[divan::bench(args = ["english", "russian"], sample_count = 5, sample_size = 1)]
fn solve_two_kings(bencher: Bencher<'_, '_>, name: &str) {
    let rules = variant::by_name(name).expect("a variant");
    let index = PlacementIndex::<u32>::new("1k-1k".parse().expect("a class")).expect("small");
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool");
    bencher
        .counter(ItemsCount::new(index.len()))
        .bench_local(|| {
            pool.install(|| reference::solve(rules, &index, &(), &Quiet).expect("solved"))
        });
}

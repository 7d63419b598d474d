//! Speed of the move generator: perft from the start position, one thread, bulk counting.
//!
//! `cargo bench -p makhos-benches --bench movegen` prints leaves per second of wall-clock time, which
//! on a shared machine varies; compare within one run.

use divan::Bencher;
use divan::counter::ItemsCount;
use makhos_rules::perft::{self, Counting};
use makhos_rules::{Board, BoardSize, Position, RuleSet, variant};

fn main() {
    divan::main();
}

/// Variants with a depth of 5 to 300 million leaves.
const CASES: &[(&str, u32)] = &[
    ("english", 11),
    ("russian", 11),
    ("brazilian", 11),
    ("czech", 11),
    ("spanish", 11),
    ("italian", 11),
    ("thai", 9),
    ("thai12", 11),
    ("international", 10),
    ("killer", 10),
    ("canadian", 9),
];

#[divan::bench(args = CASES, sample_count = 5, sample_size = 1)]
fn perft_drop(bencher: Bencher<'_, '_>, case: &(&str, u32)) {
    run(bencher, *case, Counting::Drop);
}

#[divan::bench(args = &CASES[..2], sample_count = 5, sample_size = 1)]
fn perft_keep(bencher: Bencher<'_, '_>, case: &(&str, u32)) {
    run(bencher, *case, Counting::Keep);
}

fn run(bencher: Bencher<'_, '_>, (name, depth): (&str, u32), counting: Counting) {
    let rules = variant::by_name(name).expect("a variant");
    match rules.board {
        BoardSize::Eight => run_on::<u32>(bencher, rules, depth, counting),
        BoardSize::Ten => run_on::<u64>(bencher, rules, depth, counting),
        BoardSize::Twelve => run_on::<u128>(bencher, rules, depth, counting),
    }
}

fn run_on<B: Board>(bencher: Bencher<'_, '_>, rules: &RuleSet, depth: u32, counting: Counting) {
    let start = Position::<B>::start(rules);
    let leaves = perft::count(rules, &start, depth, counting);
    bencher
        .counter(ItemsCount::new(leaves))
        .bench_local(|| perft::count(rules, &start, divan::black_box(depth), counting));
}

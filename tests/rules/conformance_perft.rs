//! Perft of the fast generator against the published counts of `data/perft.tsv`.

use std::time::Instant;

use makhos_rules::perft::{self, Counting};
use makhos_rules::rules::BoardSize;
use makhos_rules::{Board, Color, Position, RuleSet, notation};
use makhos_tests::table::{PerftRow, perft_rows};
use rayon::prelude::*;

/// Rows up to this many leaves are counted in every test run.
const QUICK: u64 = 20_000_000;

/// Names the bound for the long run; every row with at most so many leaves is counted.
const BOUND_VARIABLE: &str = "MAKHOS_PERFT_MAX_LEAVES";
const DEFAULT_BOUND: u64 = 20_000_000_000;

#[test]
fn every_quick_row() {
    let mut rows = perft_rows();
    rows.retain(|row| row.leaves <= QUICK);
    // The largest first, so that no core is left with one at the end.
    rows.sort_by_key(|row| std::cmp::Reverse(row.leaves));
    assert!(rows.len() >= 470, "only {} rows", rows.len());
    let failures: Vec<String> = rows
        .par_iter()
        .filter_map(|row| failure(row, by_board(row, false)))
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Minutes to hours: run it alone, with `--release --ignored --nocapture`.
#[test]
#[ignore = "billions of leaves; MAKHOS_PERFT_MAX_LEAVES bounds the rows"]
fn every_long_row() {
    let bound = std::env::var(BOUND_VARIABLE).map_or(DEFAULT_BOUND, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{BOUND_VARIABLE} takes a number, not \"{text}\""))
    });
    let mut rows = perft_rows();
    rows.retain(|row| (QUICK + 1..=bound).contains(&row.leaves));
    rows.sort_by_key(|row| row.leaves);
    let total: u64 = rows.iter().map(|row| row.leaves).sum();
    println!("{} rows, {total} leaves", rows.len());
    let (start, mut done) = (Instant::now(), 0);
    let mut failures = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let got = by_board(row, true);
        done += row.leaves;
        let verdict = failure(row, got);
        println!(
            "{:>3}/{} {:>5.1} % {:>6.0} s  {}",
            number + 1,
            rows.len(),
            done as f64 * 100.0 / total as f64,
            start.elapsed().as_secs_f64(),
            verdict
                .clone()
                .unwrap_or_else(|| format!("{}: {got}, right", title(row))),
        );
        failures.extend(verdict);
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

fn title(row: &PerftRow) -> String {
    format!(
        "perft.tsv:{} {} {} depth {} {}",
        row.line,
        row.variant,
        row.fen.unwrap_or("startpos"),
        row.depth,
        if row.keep { "keep" } else { "drop" },
    )
}

fn failure(row: &PerftRow, got: u64) -> Option<String> {
    (got != row.leaves).then(|| format!("{}: expected {}, got {got}", title(row), row.leaves))
}

fn by_board(row: &PerftRow, split: bool) -> u64 {
    match row.rules.board {
        BoardSize::Eight => leaves::<u32>(row, split),
        BoardSize::Ten => leaves::<u64>(row, split),
        BoardSize::Twelve => leaves::<u128>(row, split),
    }
}

fn leaves<B: Board>(row: &PerftRow, split: bool) -> u64 {
    let position = match row.fen {
        None => Position::<B>::start(&row.rules).with_side(Color::White),
        Some(fen) => notation::fen::parse(&row.rules, fen)
            .unwrap_or_else(|why| panic!("{}: {why}", title(row))),
    };
    if split {
        over_all_cores(&row.rules, &position, row.depth, row.keep)
    } else {
        perft::count(&row.rules, &position, row.depth, counting(row.keep))
    }
}

fn counting(keep: bool) -> Counting {
    if keep { Counting::Keep } else { Counting::Drop }
}

/// The count, with the subtrees two plies down counted in parallel.
fn over_all_cores<B: Board>(
    rules: &RuleSet,
    position: &Position<B>,
    depth: u32,
    keep: bool,
) -> u64 {
    let split = depth.min(2);
    let mut roots = vec![*position];
    for _ in 0..split {
        roots = roots
            .iter()
            .flat_map(|root| children(rules, root, keep))
            .collect();
    }
    roots
        .par_iter()
        .map(|root| perft::count(rules, root, depth - split, counting(keep)))
        .sum()
}

fn children<B: Board>(rules: &RuleSet, position: &Position<B>, keep: bool) -> Vec<Position<B>> {
    if keep {
        let routes = rules.legal_routes(position);
        routes.iter().map(|r| position.make(&r.mv)).collect()
    } else {
        let moves = rules.legal_moves(position);
        moves.iter().map(|mv| position.make(mv)).collect()
    }
}

//! Solved classes against `data/golden_outcomes.tsv`, which holds what was verified once.

use std::collections::{BTreeMap, HashMap};

use makhos_index::{Army, Material, classes};
use makhos_probe::{Access, Metric, Table, table_path};
use makhos_retro::{Generator, Quiet, SolvedBoard, Storage};
use makhos_rules::rules::BoardSize;
use makhos_rules::{Color, RuleSet, variant};
use makhos_tests::outcomes::{golden_lines, key, line};

/// A golden line and the variant and class that it is of.
fn golden() -> impl Iterator<Item = (&'static str, &'static str, Material)> {
    golden_lines().map(|line| {
        let mut columns = line.split('\t');
        let variant = columns.next().expect("a variant");
        let class = columns.next().expect("a class");
        (line, variant, class.parse().expect("a class"))
    })
}

/// The most pieces of each variant in the file.
fn most_pieces() -> BTreeMap<&'static str, u32> {
    let mut most = BTreeMap::new();
    for (_, variant, class) in golden() {
        let pieces: &mut u32 = most.entry(variant).or_default();
        *pieces = class.pieces().max(*pieces);
    }
    most
}

/// Makes all tables of up to `pieces` pieces and compares them.
fn agrees<B: SolvedBoard>(rules: &RuleSet, pieces: u32) {
    let dir = tempfile::tempdir().expect("a directory");
    // With the values at captures, which are part of the digests.
    let generator =
        Generator::<B>::new(*rules, dir.path(), Metric::Wld).with_storage(Storage::Complete);
    let plan = generator.plan(&classes(pieces)).expect("a plan");
    generator.run(&plan, &Quiet).expect("tables");
    let mut lines = Vec::new();
    for class in classes(pieces) {
        let path = table_path(dir.path(), rules, class, Metric::Wld);
        let table = Table::open(&path, Access::Read).expect("a table");
        for &side in table.sides() {
            lines.push(line(rules, &table, side).expect("a whole table"));
        }
    }
    let expected = golden()
        .filter(|&(_, variant, class)| variant == rules.name && class.pieces() <= pieces)
        .map(|(line, ..)| line);
    let expected: Vec<&str> = expected.collect();
    assert_eq!(lines.len(), expected.len(), "{}", rules.name);
    for (line, expected) in lines.iter().zip(expected) {
        assert_eq!(line, expected);
    }
}

fn agrees_on_its_board(rules: &RuleSet, pieces: u32) {
    match rules.board {
        BoardSize::Eight => agrees::<u32>(rules, pieces),
        BoardSize::Ten => agrees::<u64>(rules, pieces),
        BoardSize::Twelve => agrees::<u128>(rules, pieces),
    }
}

#[test]
fn three_pieces_of_every_variant() {
    for variant in most_pieces().keys() {
        agrees_on_its_board(variant::by_name(variant).expect("a variant"), 3);
    }
}

#[test]
fn four_pieces_of_two_variants() {
    agrees::<u32>(&variant::RUSSIAN, 4);
    agrees::<u32>(&variant::ITALIAN, 4);
}

/// `cargo test --release -p makhos-tests --test golden_outcomes -- --ignored`
#[test]
#[ignore = "minutes: run it after a change of the solver or the move generator"]
fn everything() {
    for (variant, pieces) in most_pieces() {
        agrees_on_its_board(variant::by_name(variant).expect("a variant"), pieces);
    }
}

#[test]
fn every_variant_is_there() {
    let most = most_pieces();
    for rules in variant::ALL {
        let same_moves = most.keys().any(|name| {
            let other = variant::by_name(name).expect("a variant");
            other.move_rules_bytes() == rules.move_rules_bytes()
        });
        assert!(same_moves, "{}", rules.name);
    }
}

/// The counts of other solvers' classes, which are written with White to move.
#[test]
fn the_file_agrees_with_other_solvers() {
    let golden: HashMap<String, &str> = golden_lines()
        .map(|line| {
            let counts = line.match_indices('\t').nth(2).expect("three columns").0 + 1;
            (line[..counts].to_owned(), &line[counts..])
        })
        .collect();
    let slices = include_str!("../../data/endgame_slices.tsv");
    let rows = slices.lines().filter(|line| !line.starts_with('#')).skip(1);
    let mut compared = 0;
    for row in rows {
        let columns: Vec<&str> = row.split('\t').collect();
        let numbers: Vec<u8> = columns[2]
            .split(',')
            .map(|number| number.parse().expect("a number"))
            .collect();
        let [wm, wk, bm, bk] = numbers[..] else {
            panic!("{row}")
        };
        let shown = Material::new(Army::new(wm, wk), Army::new(bm, bk));
        assert_eq!(columns[3], "W", "{row}");
        let side = if shown.is_canonical() {
            Color::White
        } else {
            Color::Black
        };
        let rules = variant::by_name(columns[0]).expect("a variant");
        let found = golden[&key(rules, &shown.canonical().to_string(), side)];
        // Positions, wins, draws, losses, positions with a capture.
        let counts = columns[4..9].join("\t");
        assert!(found.starts_with(&(counts + "\t")), "{row}: {found}");
        compared += 1;
    }
    assert!(compared >= 120, "{compared}");
}

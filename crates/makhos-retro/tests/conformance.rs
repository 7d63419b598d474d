//! The solvers of distances against tables of facts from independent solvers, and against the rules.

use std::path::Path;

use makhos_index::{Army, Material, classes, stored_sides};
use makhos_probe::{Dtw, Metric, Tablebase, verify_values};
use makhos_retro::{GenerateError, Generator, Quiet, SolvedBoard, Storage};
use makhos_rules::notation::fen;
use makhos_rules::{Color, RuleSet, variant};

fn generate<B: SolvedBoard>(
    rules: &RuleSet,
    dir: &Path,
    pieces: u32,
    storage: Storage,
) -> Tablebase<B> {
    let generator = Generator::<B>::new(*rules, dir, Metric::Dtw).with_storage(storage);
    let plan = generator.plan(&classes(pieces)).expect("a plan");
    generator.run(&plan, &Quiet).expect("tables");
    Tablebase::open(*rules, dir).expect("tables")
}

/// One row of `data/endgame_slices.tsv`, turned so that its class is canonical.
struct Slice {
    material: Material,
    side: Color,
    example: String,
    /// Placements, wins, draws, losses, captures.
    counts: [u64; 5],
    /// Longest win and its number, longest loss and its number.
    longest: [i64; 4],
}

fn slices(rules: &RuleSet, pieces: u32) -> Vec<Slice> {
    let text = include_str!("../../../data/endgame_slices.tsv");
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let mut slices = Vec::new();
    for row in rows {
        let columns: Vec<&str> = row.split('\t').collect();
        let numbers: Vec<u8> = columns[2]
            .split(',')
            .map(|n| n.parse().expect("a number"))
            .collect();
        let [wm, wk, bm, bk] = numbers[..] else {
            panic!("material {}", columns[2])
        };
        let shown = Material::new(Army::new(wm, wk), Army::new(bm, bk));
        if columns[0] != rules.name || shown.pieces() > pieces {
            continue;
        }
        let side = if columns[3] == "W" {
            Color::White
        } else {
            Color::Black
        };
        let number = |column: usize| columns[column].parse::<i64>().expect("a number");
        slices.push(Slice {
            material: shown.canonical(),
            side: if shown.is_canonical() {
                side
            } else {
                side.opponent()
            },
            example: columns[19].to_owned(),
            counts: [4, 5, 6, 7, 8].map(|column| number(column) as u64),
            longest: [15, 16, 17, 18].map(number),
        });
    }
    slices
}

fn agrees_with_slices<B: SolvedBoard>(rules: &RuleSet, pieces: u32) {
    let dir = tempfile::tempdir().expect("a directory");
    // With the values at captures, which are among what is counted.
    let tables = generate::<B>(rules, dir.path(), pieces, Storage::Complete);
    let slices = slices(rules, pieces);
    let stored: usize = classes(pieces)
        .iter()
        .map(|&class| stored_sides(class).len())
        .sum();
    assert_eq!(
        slices.len(),
        stored,
        "every class of {} has its rows",
        rules.name
    );
    for slice in slices {
        let name = format!("{} {} {:?}", rules.name, slice.material, slice.side);
        let table = tables.table(slice.material, Metric::Dtw).expect("a table");
        let figures = table.statistics(slice.side).expect("a stored side");
        let counts = [
            figures.positions,
            figures.wins,
            figures.draws,
            figures.losses,
            figures.captures,
        ];
        assert_eq!(counts, slice.counts, "{name}");
        let [win, wins, loss, losses] = slice.longest;
        let plies = |longest: Option<makhos_probe::Longest>| {
            longest.map_or(-1, |longest| i64::from(longest.plies.get()))
        };
        assert_eq!(plies(figures.longest_win), win, "{name}: longest win");
        assert_eq!(plies(figures.longest_loss), loss, "{name}: longest loss");
        let (mut longest_wins, mut longest_losses) = (0, 0);
        table
            .for_each_value(slice.side, |value| match value.unpack() {
                Dtw::Win(plies) => longest_wins += i64::from(i64::from(plies.get()) == win),
                Dtw::Loss(plies) => longest_losses += i64::from(i64::from(plies.get()) == loss),
                Dtw::Draw => {}
            })
            .expect("a whole table");
        assert_eq!(
            (longest_wins, longest_losses),
            (wins, losses),
            "{name}: how many"
        );
        if win >= 0 {
            let example = fen::parse::<B>(rules, &slice.example).expect("a position");
            let value = tables.probe_dtw(&example).expect("a value");
            assert_eq!(
                value.plies().map(|plies| i64::from(plies.get())),
                Some(win),
                "{name}"
            );
        }
    }
}

#[test]
fn english_up_to_four_pieces() {
    agrees_with_slices::<u32>(&variant::ENGLISH, 4);
}

#[test]
fn russian_up_to_four_pieces() {
    agrees_with_slices::<u32>(&variant::RUSSIAN, 4);
}

#[test]
fn international_up_to_three_pieces() {
    agrees_with_slices::<u64>(&variant::INTERNATIONAL, 3);
}

/// Distances of international classes of four pieces take half a minute.
#[test]
#[ignore = "slow: run it after a change of the solver or the generator"]
fn international_up_to_four_pieces() {
    agrees_with_slices::<u64>(&variant::INTERNATIONAL, 4);
}

/// Every stored value equals the best of its successors' values, read back from the files. With
/// distances that rise along every move of the loser, only the true values satisfy this.
fn proves_itself<B: SolvedBoard>(rules: &RuleSet, pieces: u32) {
    let dir = tempfile::tempdir().expect("a directory");
    let tables = generate::<B>(rules, dir.path(), pieces, Storage::Compact);
    for class in classes(pieces) {
        for metric in Metric::ALL {
            let outcome = verify_values(&tables, class, metric, 5, &|_| {}).expect("whole tables");
            assert!(
                outcome.is_right(),
                "{} {class} {metric}: {outcome:?}",
                rules.name
            );
        }
    }
}

#[test]
fn a_generator_for_another_board_refuses() {
    let dir = tempfile::tempdir().expect("a directory");
    let generator = Generator::<u64>::new(variant::RUSSIAN, dir.path(), Metric::Dtw);
    let refused = generator.plan(&classes(2));
    assert!(matches!(refused, Err(GenerateError::OtherBoard { .. })));
}

#[test]
fn every_variant_up_to_three_pieces_satisfies_its_rules() {
    for rules in variant::ALL {
        match rules.board {
            makhos_rules::BoardSize::Eight => proves_itself::<u32>(rules, 3),
            makhos_rules::BoardSize::Ten => proves_itself::<u64>(rules, 2),
            makhos_rules::BoardSize::Twelve => proves_itself::<u128>(rules, 2),
        }
    }
}

/// Four pieces on 8x8, three on 10x10: what the sets in use begin with.
#[test]
#[ignore = "minutes: run it after a change of the solver or the generator"]
fn every_variant_up_to_four_pieces_satisfies_its_rules() {
    for rules in variant::ALL {
        match rules.board {
            makhos_rules::BoardSize::Eight => proves_itself::<u32>(rules, 4),
            makhos_rules::BoardSize::Ten => proves_itself::<u64>(rules, 3),
            makhos_rules::BoardSize::Twelve => proves_itself::<u128>(rules, 2),
        }
        println!("{}: right", rules.name);
    }
}

#[test]
fn house_rules_change_values_and_still_satisfy_them() {
    let end = variant::THAI.with_option("removal=end").expect("an option");
    let any = variant::THAI
        .with_option("king_landing=any")
        .expect("an option");
    proves_itself::<u32>(&end, 3);
    proves_itself::<u32>(&any, 3);
    let dir = tempfile::tempdir().expect("a directory");
    let class: Material = "2k-1k".parse().expect("a class");
    let mut wins = Vec::new();
    for rules in [variant::THAI, any] {
        let tables = generate::<u32>(&rules, dir.path(), 3, Storage::Compact);
        let table = tables.table(class, Metric::Dtw).expect("a table");
        wins.push(table.statistics(Color::White).expect("stored").wins);
    }
    assert_ne!(wins[0], wins[1]);
}

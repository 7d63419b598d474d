//! The number of placements of every class and piece count against the published table.

use makhos_index::{Army, Material, PlacementIndex, classes, placements, stored_sides};
use makhos_rules::Board;

const TABLE: &str = include_str!("../../../data/endgame_position_counts.tsv");

/// All classes with this many pieces, in both orientations, also with one colour only.
fn all_materials(pieces: u8) -> impl Iterator<Item = Material> {
    (0..=pieces).flat_map(move |white| {
        (0..=white).flat_map(move |white_men| {
            let black = pieces - white;
            (0..=black).map(move |black_men| {
                Material::new(
                    Army::new(white_men, white - white_men),
                    Army::new(black_men, black - black_men),
                )
            })
        })
    })
}

/// The placements of all wanted classes with this many pieces.
fn sum<B: Board>(pieces: u8, wanted: impl Fn(&Material) -> bool) -> u128 {
    all_materials(pieces)
        .filter(wanted)
        .map(|material| placements::<B>(material).expect("within u128"))
        .sum()
}

fn both_colours(most: u32) -> impl Fn(&Material) -> bool {
    move |m| (1..=most).contains(&m.white.pieces()) && (1..=most).contains(&m.black.pieces())
}

/// The count of a class named as in the table: `wm,wk,bm,bk`.
fn one_class<B: Board>(pieces: u8, name: &str) -> u128 {
    let numbers: Vec<u8> = name
        .split(',')
        .map(|number| number.parse().expect(name))
        .collect();
    let [wm, wk, bm, bk] = numbers[..] else {
        panic!("unknown row {name}");
    };
    let material = Material::new(Army::new(wm, wk), Army::new(bm, bk));
    assert_eq!(material.pieces(), u32::from(pieces), "{name}");
    let index = PlacementIndex::<B>::new(material).expect(name);
    assert_eq!(index.len(), index.outer() * index.inner(), "{name}");
    let count = placements::<B>(material).expect(name);
    assert_eq!(u128::from(index.len()), count, "{name}");
    count
}

fn count<B: Board>(pieces: u8, name: &str) -> u128 {
    match name {
        "ALL" => sum::<B>(pieces, |_| true),
        "CUM" => (1..=pieces).map(|n| sum::<B>(n, |_| true)).sum(),
        "BOTH" => sum::<B>(pieces, both_colours(u32::MAX)),
        name => match name.strip_prefix("MAX") {
            Some(most) => sum::<B>(pieces, both_colours(most.parse().expect(name))),
            None => one_class::<B>(pieces, name),
        },
    }
}

#[test]
fn every_row_of_the_table() {
    let mut rows = 0;
    let lines = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1);
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let [board, pieces, name, expected, _note] = fields[..] else {
            panic!("not five columns: {line}");
        };
        let pieces = pieces.parse().expect(line);
        let count = match board {
            "8x8" => count::<u32>(pieces, name),
            "10x10" => count::<u64>(pieces, name),
            _ => panic!("unknown board: {line}"),
        };
        assert_eq!(count.to_string(), expected, "{line}");
        rows += 1;
    }
    assert_eq!(rows, 944);
}

/// Positions with the side to move, each colour-flipped pair once.
fn stored_positions<B: Board>(pieces: u32) -> u64 {
    classes(pieces)
        .into_iter()
        .filter(|class| class.pieces() == pieces)
        .map(|class| {
            let index = PlacementIndex::<B>::new(class).expect("fits");
            index.len() * stored_sides(class).len() as u64
        })
        .sum()
}

#[test]
fn positions_a_set_of_tables_stores() {
    let expected = [3_488, 196_032, 6_209_316, 139_450_808, 2_426_085_676];
    for (pieces, expected) in (2..).zip(expected) {
        assert_eq!(stored_positions::<u32>(pieces), expected, "{pieces} pieces");
    }
    let expected = [8_845, 806_300, 41_971_200, 1_570_600_750, 46_198_758_750];
    for (pieces, expected) in (2..).zip(expected) {
        assert_eq!(stored_positions::<u64>(pieces), expected, "{pieces} pieces");
    }
}

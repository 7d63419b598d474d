//! Values of positions with counters, from small sets of made-up tables.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use makhos_index::{Material, PlacementIndex, Reason, closure, stored_sides};
use makhos_probe::{
    Access, DrawTables, Dtz, Plies, ProbeError, Ruled, RuledMove, TableError, Wld, draw_directory,
    dtz_path,
};
use makhos_rules::draw::{Counters, DrawRules, Progress, official};
use makhos_rules::notation::fen;
use makhos_rules::{Color, Position, RuleSet, variant};

use crate::dtz::{DtzFake, ROAD_RULES, draw_rules, material};

const CLOCK: &str = "clock any plies=60 resets=capture,promotion,man-move";

fn open(fake: &DtzFake, dir: &Path) -> DrawTables<u32> {
    DrawTables::open(fake.rules, fake.draw_rules.clone(), dir).expect("a directory")
}

fn counters(left: impl Into<Option<u16>>, road: u8) -> Counters {
    Counters {
        left: left.into(),
        road,
    }
}

fn plies(number: u16) -> Plies {
    Plies::new(number)
}

/// Calls `each` with every stored position of a class, and its flip, with the written value.
fn for_each(fake: &DtzFake, mut each: impl FnMut(&Position<u32>, Dtz)) {
    let index = PlacementIndex::<u32>::new(fake.material).expect("fits");
    for (&side, values) in stored_sides(fake.material).iter().zip(&fake.sides) {
        for (at, &value) in (0..).zip(values) {
            let position = index.position(at, side);
            each(&position, value);
            each(&position.flip(), value);
        }
    }
}

/// What the counters make of a value.
fn expected(stuck: bool, value: Dtz, left: Option<u16>) -> Ruled {
    let needed = if stuck { Dtz::Loss(Plies::ZERO) } else { value };
    let enough = |plies: Plies| left.is_none_or(|left| plies.get() <= left);
    let wld = match needed {
        _ if stuck => Wld::Loss,
        _ if left == Some(0) => Wld::Draw,
        Dtz::Win(plies) if enough(plies) => Wld::Win,
        Dtz::Loss(plies) if enough(plies) => Wld::Loss,
        _ => Wld::Draw,
    };
    Ruled { wld, needed, left }
}

#[test]
fn every_position_has_the_value_that_was_written_under_any_counters() {
    let dir = tempfile::tempdir().expect("a directory");
    let (mut stuck_positions, mut captures) = (0, 0);
    for class in ["1k-1k", "1k-1m"] {
        let fake = DtzFake::new(variant::ENGLISH, CLOCK, class, 0, 60);
        fake.write(dir.path());
        let tables = open(&fake, dir.path());
        for_each(&fake, |position, value| {
            let stuck = fake.rules.legal_moves(position).is_empty();
            stuck_positions += usize::from(stuck);
            captures += usize::from(fake.rules.has_capture(position));
            for left in [None, Some(0), Some(1), Some(30), Some(59), Some(60)] {
                let found = tables.probe(position, counters(left, 0)).expect("there");
                assert_eq!(found, expected(stuck, value, left), "{position:?} {left:?}");
            }
        });
    }
    assert!(stuck_positions > 0 && captures > 0);
}

#[test]
fn one_ply_less_than_needed_is_a_draw() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut fake = DtzFake::new(variant::ENGLISH, CLOCK, "1k-1k", 0, 60);
    let mut probe = |value: Dtz, left: u16| {
        fake.sides[0].fill(value);
        fake.write(dir.path());
        let position = fen::parse(&fake.rules, "W:WK1:BK32").expect("valid");
        let tables = open(&fake, dir.path());
        let found = tables.probe(&position, counters(left, 0));
        let found = found.expect("there");
        assert_eq!((found.needed, found.left), (value, Some(left)));
        found.wld
    };
    assert_eq!(probe(Dtz::Win(plies(12)), 12), Wld::Win);
    assert_eq!(probe(Dtz::Win(plies(12)), 11), Wld::Draw);
    assert_eq!(probe(Dtz::Loss(plies(12)), 12), Wld::Loss);
    assert_eq!(probe(Dtz::Loss(plies(12)), 11), Wld::Draw);
    assert_eq!(probe(Dtz::Draw, 60), Wld::Draw);
}

#[test]
fn the_road_chooses_the_table_and_draws_the_game() {
    let dir = tempfile::tempdir().expect("a directory");
    let fakes: Vec<_> = [0, 1, 3]
        .map(|road| DtzFake::new(variant::ENGLISH, ROAD_RULES, "1k-1k", road, 60))
        .into();
    for fake in &fakes {
        fake.write(dir.path());
    }
    let tables = open(&fakes[0], dir.path());
    let kings = material("1k-1k");
    assert_eq!(tables.tables(), [(kings, 0), (kings, 1), (kings, 3)]);
    let mut differ = 0;
    for fake in &fakes {
        for_each(fake, |position, value| {
            let stuck = fake.rules.legal_moves(position).is_empty();
            let found = tables.probe(position, counters(60, fake.road));
            let found = found.expect("there");
            assert_eq!(found, expected(stuck, value, Some(60)));
            differ += usize::from(tables.probe(position, counters(60, 0)).expect("there") != found);
        });
    }
    assert!(differ > 1000);

    let position = fen::parse(&variant::ENGLISH, "B:WK1:BK32").expect("valid");
    let drawn = Ruled {
        wld: Wld::Draw,
        needed: Dtz::Draw,
        left: Some(60),
    };
    for road in [4, 5, u8::MAX] {
        let found = tables.probe(&position, counters(60, road));
        assert_eq!(found.expect("a draw needs no table"), drawn);
    }
    let error = tables
        .probe(&position, counters(60, 2))
        .expect_err("no table");
    let text = error.to_string();
    let expected = "probing 1k-1k needs the dtz table of 1k-1k with 2 plies counted on the main road: \
                    generate it with: makhos generate --variant english --class 1k-1k --draw-rules FILE \
                    --dir ";
    assert!(text.starts_with(expected), "{text}");
    // A name after plies that would have drawn the game is no table's.
    let path = dtz_path(dir.path(), &fakes[0].spec());
    fs::copy(&path, path.with_file_name("1k-1k.4.dtz")).expect("copy");
    assert_eq!(open(&fakes[0], dir.path()).tables().len(), 3);
}

#[test]
fn counters_without_a_meaning_are_ignored() {
    let dir = tempfile::tempdir().expect("a directory");
    // A clock and a road, but neither for 1k-1m.
    let text = "clock kings plies=20 material=both-kings:2-4 resets=none\nroad pieces=2 plies=3";
    let fake = DtzFake::new(variant::ENGLISH, text, "1k-1m", 0, 60);
    fake.write(dir.path());
    let tables = open(&fake, dir.path());
    for_each(&fake, |position, value| {
        let stuck = fake.rules.legal_moves(position).is_empty();
        for given in [counters(None, 0), counters(0, 0), counters(7, 200)] {
            let found = tables.probe(position, given).expect("there");
            assert_eq!(found, expected(stuck, value, None));
        }
    });
}

#[test]
fn drawn_positions_need_no_table_but_tell_what_it_says() {
    let dir = tempfile::tempdir().expect("a directory");
    let fake = DtzFake::new(variant::ENGLISH, CLOCK, "1k-1k", 0, 60);
    let position = fen::parse(&fake.rules, "W:WK1:BK32").expect("valid");
    let tables = open(&fake, dir.path());
    assert!(tables.tables().is_empty());
    let without = tables.probe(&position, counters(0, 0)).expect("a draw");
    assert_eq!((without.wld, without.needed), (Wld::Draw, Dtz::Draw));
    let path = fake.write(dir.path());
    let tables = open(&fake, dir.path());
    let with = tables.probe(&position, counters(0, 0)).expect("a draw");
    let fresh = tables.probe(&position, counters(60, 0)).expect("there");
    assert_eq!((with.wld, with.needed), (Wld::Draw, fresh.needed));
    // A damaged table is no missing one.
    fs::write(path, "x").expect("write");
    let tables = open(&fake, dir.path());
    let error = tables
        .probe(&position, counters(0, 0))
        .expect_err("damaged");
    assert!(
        matches!(error, ProbeError::Table(TableError::NotATable { .. })),
        "{error}"
    );
}

#[test]
fn who_cannot_move_has_lost_and_who_stands_alone_wins() {
    let dir = tempfile::tempdir().expect("a directory");
    let rules = variant::ENGLISH;
    let tables = DrawTables::<u32>::open(rules, draw_rules(CLOCK), dir.path()).expect("empty");
    let lost = |left| Ruled {
        wld: Wld::Loss,
        needed: Dtz::Loss(Plies::ZERO),
        left: Some(left),
    };
    let empty = Position::new(0, 0, 1, 0, Color::White).expect("valid");
    let stuck = |position: &Position<u32>| rules.legal_moves(position).is_empty();
    // White's man stands before two black men, one behind the other on either side.
    let blocked = fen::parse(&rules, "W:W32:B28,27,24,23").expect("valid");
    assert!(stuck(&empty) && stuck(&blocked));
    for position in [empty, blocked] {
        for left in [0, 60] {
            let found = tables.probe(&position, counters(left, 0));
            assert_eq!(found.expect("no table is needed"), lost(left));
        }
    }
    let alone = Position::new(0, 1, 0, 0, Color::White).expect("valid");
    let probe = |left| tables.probe(&alone, counters(left, 0)).expect("no table");
    let win = Dtz::Win(plies(1));
    assert_eq!((probe(1).wld, probe(1).needed), (Wld::Win, win));
    assert_eq!((probe(0).wld, probe(0).needed), (Wld::Draw, win));
}

#[test]
fn missing_tables_are_explained() {
    let dir = tempfile::tempdir().expect("a directory");
    let rules = variant::RUSSIAN;
    let official = official::of(&rules);
    let tables = |dir: &Path| {
        DrawTables::<u32>::open(rules, official.clone(), dir).expect("counts as empty")
    };
    let kings = fen::parse(&rules, "W:WK32:BK3").expect("valid");
    let probe = |position: &Position<u32>| {
        let fresh = official.fresh(position);
        tables(dir.path()).probe(position, fresh)
    };
    let nowhere = tables(&dir.path().join("nowhere"));
    assert_eq!((nowhere.max_pieces(), nowhere.tables().len()), (0, 0));
    let directory = draw_directory(&rules, &official);
    let text = probe(&kings).expect_err("nothing").to_string();
    assert!(
        text.starts_with(&format!("there are no {directory} tables in ")),
        "{text}"
    );
    let command = "makhos generate --variant russian --pieces 3 --draw-rules official --dir ";
    assert!(text.contains(command), "{text}");

    let mut fake = DtzFake::new(rules, &official.to_string(), "2k-1k", 0, 10);
    assert_eq!(fake.draw_rules.value_text(), official.value_text());
    fake.write(dir.path());
    let error = probe(&kings).expect_err("2k-1k only");
    let text = error.to_string();
    let expected = "probing 1k-1k needs the dtz table of 1k-1k: generate it with: \
                    makhos generate --variant russian --class 1k-1k --draw-rules official --dir ";
    assert!(text.starts_with(expected), "{text}");
    let many = fen::parse(&rules, "W:WK32,K31,K30:BK3").expect("valid");
    let text = probe(&many).expect_err("four pieces").to_string();
    let expected = format!("4 pieces are too many: the {directory} tables in ");
    assert!(
        text.starts_with(&expected) && text.ends_with("up to 3"),
        "{text}"
    );

    // From a man that is crowned to two kings, and from a capture to one.
    fake = DtzFake::new(rules, &official.to_string(), "1m1k-1k", 0, 10);
    fs::remove_file(dtz_path(
        dir.path(),
        &DtzFake::new(rules, &official.to_string(), "2k-1k", 0, 1).spec(),
    ))
    .expect("written above");
    fake.write(dir.path());
    let promoting = fen::parse(&rules, "W:W5,K32:BK3").expect("valid");
    assert!(probe(&promoting).is_ok());
    let error = tables(dir.path())
        .move_values(&promoting, official.fresh(&promoting))
        .expect_err("2k-1k is missing");
    let ProbeError::MissingTable {
        position_class,
        missing_class,
        road: 0,
        reason: Some(Reason::Promotion),
        draw_rules: Some("official"),
        ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(*position_class, material("1m1k-1k"));
    assert_eq!(*missing_class, material("2k-1k"));
    let error = tables(dir.path())
        .table(material("1k-2k"), 0)
        .expect_err("missing");
    assert!(matches!(error, ProbeError::MissingTable { .. }));
}

#[test]
fn swapped_files_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let right = DtzFake::new(variant::ENGLISH, ROAD_RULES, "1k-1k", 0, 60);
    let path = right.write(dir.path());
    let position = fen::parse(&right.rules, "W:WK1:BK32").expect("valid");
    let probe = || open(&right, dir.path()).probe(&position, counters(60, 0));
    assert!(probe().is_ok());
    let other_text = ROAD_RULES.replace("60", "61");
    let other_rules = DtzFake::new(variant::ENGLISH, &other_text, "1k-1k", 0, 60);
    fs::copy(other_rules.write(dir.path()), &path).expect("copy");
    let error = probe().expect_err("other drawing rules");
    assert!(
        matches!(error, ProbeError::Table(TableError::OtherDrawRules { .. })),
        "{error}"
    );
    let other_road = DtzFake::new(variant::ENGLISH, ROAD_RULES, "1k-1k", 3, 60);
    fs::copy(other_road.write(dir.path()), &path).expect("copy");
    let error = probe().expect_err("another road");
    assert!(
        matches!(error, ProbeError::Table(TableError::OtherRoad { .. })),
        "{error}"
    );
    let other_moves = DtzFake::new(variant::RUSSIAN, ROAD_RULES, "1k-1k", 0, 60);
    fs::copy(other_moves.write(dir.path()), &path).expect("copy");
    let error = probe().expect_err("other moves");
    assert!(
        matches!(error, ProbeError::Table(TableError::OtherRules { .. })),
        "{error}"
    );
}

#[test]
fn what_is_in_the_directory_is_listed() {
    let dir = tempfile::tempdir().expect("a directory");
    let rules = variant::ENGLISH;
    let small = DtzFake::new(rules, ROAD_RULES, "1k-1k", 2, 60);
    let large = DtzFake::new(rules, ROAD_RULES, "1m1k-1k", 0, 60);
    let path = large.write(dir.path());
    small.write(dir.path());
    for name in [".1k-1m.dtz.x.tmp", "70m-1k.dtz", "1k-1m.wld", "1k-1m.1.dtz"] {
        fs::write(path.with_file_name(name), "x").expect("write");
    }
    fs::create_dir(path.with_file_name("2k-1k.dtz")).expect("made");
    for access in [Access::Map, Access::Read] {
        let tables =
            DrawTables::<u32>::open_with(rules, small.draw_rules.clone(), dir.path(), access);
        let tables = tables.expect("a directory");
        let expected = [(small.material, 2), (large.material, 0)];
        assert_eq!(tables.tables(), expected);
        assert_eq!(tables.max_pieces(), 3);
        assert_eq!(tables.rules(), &rules);
        assert_eq!(tables.draw_rules(), &small.draw_rules);
        assert_eq!(tables.dir(), dir.path());
        for (material, road) in expected {
            let table = tables.table(material.flip(), road).expect("there");
            assert_eq!((table.material(), table.road()), (material, road));
        }
    }
    let other = DrawTables::<u64>::open(rules, small.draw_rules, dir.path());
    assert!(matches!(other, Err(ProbeError::OtherBoard { .. })));
}

/// Tables of all classes that `class` leads to, with few different values, so that many are equal.
fn closed_set(rules: RuleSet, text: &str, class: &str, dir: &Path) -> DtzFake {
    for material in closure(&[material(class)]) {
        DtzFake::new(rules, text, &material.to_string(), 0, 3).write(dir);
    }
    DtzFake::new(rules, text, class, 0, 3)
}

/// The order of moves, written down a second time.
fn stands_before(
    rules: &DrawRules,
    position: &Position<u32>,
    a: &RuledMove<u32>,
    b: &RuledMove<u32>,
) -> bool {
    if a.value != b.value {
        return a.value > b.value;
    }
    let plies = |ruled: &RuledMove<u32>| ruled.after.needed.plies();
    let fresh = |ruled: &RuledMove<u32>| {
        let after = position.make(&ruled.mv);
        // The set's clock governs all material: it is fresh when it has all its plies.
        let counters = rules.after(counters(30, 0), position, &ruled.mv);
        counters == rules.fresh(&after)
    };
    match a.value {
        Wld::Win if plies(a) != plies(b) => plies(a) < plies(b),
        Wld::Win if fresh(a) != fresh(b) => fresh(a),
        Wld::Loss if plies(a) != plies(b) => plies(a) > plies(b),
        _ => a.mv < b.mv,
    }
}

#[test]
fn moves_are_ordered_by_value_need_and_progress() {
    let dir = tempfile::tempdir().expect("a directory");
    let fake = closed_set(variant::ENGLISH, CLOCK, "1m1k-1k", dir.path());
    let tables = open(&fake, dir.path());
    let rules = &fake.draw_rules;
    let mut by_progress = 0;
    let mut seen = HashSet::new();
    let mut at = 0;
    for_each(&fake, |position, _| {
        at += 1;
        if at % 23 != 0 {
            return;
        }
        for left in [3, 2, 1] {
            let here = counters(left, 0);
            let moves = tables.move_values(position, here).expect("all are there");
            let mut legal: Vec<_> = moves.iter().map(|ruled| ruled.mv).collect();
            legal.sort_unstable();
            let mut expected = fake.rules.legal_moves(position);
            expected.sort_unstable();
            assert_eq!(legal, expected);
            for ruled in &moves {
                let next = rules.after(here, position, &ruled.mv);
                let after = tables.probe(&position.make(&ruled.mv), next);
                assert_eq!(ruled.after, after.expect("there"));
                assert_eq!(ruled.value, ruled.after.wld.before());
                seen.insert((ruled.value, Progress::of(position, &ruled.mv)));
            }
            for pair in moves.windows(2) {
                assert!(
                    stands_before(rules, position, &pair[0], &pair[1]),
                    "{pair:?}"
                );
                by_progress += usize::from(
                    pair[0].value == Wld::Win
                        && pair[0].after.needed == pair[1].after.needed
                        && pair[0].mv > pair[1].mv,
                );
            }
        }
    });
    assert!(
        by_progress > 50,
        "{by_progress} moves went before by progress"
    );
    for value in [Wld::Win, Wld::Draw, Wld::Loss] {
        for progress in [Progress::KingMove, Progress::ManMove, Progress::Promotion] {
            assert!(seen.contains(&(value, progress)), "{value} {progress:?}");
        }
    }
}

#[test]
fn a_drawn_game_has_drawn_moves_and_a_lost_one_none() {
    let dir = tempfile::tempdir().expect("a directory");
    let fake = closed_set(variant::ENGLISH, CLOCK, "1m1k-1k", dir.path());
    let tables = open(&fake, dir.path());
    let mut would_be_decided = 0;
    let mut at = 0;
    for_each(&fake, |position, _| {
        at += 1;
        if at % 23 != 0 {
            return;
        }
        let moves = tables.move_values(position, counters(0, 0)).expect("there");
        assert_eq!(
            moves.is_empty(),
            fake.rules.legal_moves(position).is_empty()
        );
        for ruled in &moves {
            assert_eq!(ruled.value, Wld::Draw);
            would_be_decided += usize::from(ruled.after.wld != Wld::Draw);
        }
        assert!(moves.is_sorted_by_key(|ruled| ruled.mv));
    });
    assert!(would_be_decided > 0);
}

#[test]
fn move_values_follow_the_road() {
    let dir = tempfile::tempdir().expect("a directory");
    let rules = variant::ENGLISH;
    let mut values = Vec::new();
    for road in 0..4_u8 {
        let mut fake = DtzFake::new(rules, ROAD_RULES, "1k-1k", road, 60);
        // Each table says which it is.
        fake.sides[0].fill(Dtz::Win(plies(u16::from(road) + 10)));
        fake.write(dir.path());
        values.push(fake);
    }
    let tables = open(&values[0], dir.path());
    // White's king stands on the main road, Black's far from it.
    let position = fen::parse(&rules, "B:WK29:BK5").expect("valid");
    let road = values[0].draw_rules.road.as_ref().expect("given");
    assert!(road.counts(&position));
    let needed = |counted| {
        let moves = tables.move_values(&position, counters(60, counted));
        let after = moves.expect("there")[0].after;
        (after.wld, after.needed)
    };
    assert_eq!(needed(0), (Wld::Win, Dtz::Win(plies(11))));
    assert_eq!(needed(2), (Wld::Win, Dtz::Win(plies(13))));
    // The fourth ply draws.
    assert_eq!(needed(3), (Wld::Draw, Dtz::Draw));
}

#[test]
fn classes_are_canonical_whoever_has_the_pieces() {
    let dir = tempfile::tempdir().expect("a directory");
    let fake = DtzFake::new(variant::ENGLISH, CLOCK, "1m1k-1k", 0, 60);
    fake.write(dir.path());
    let tables = open(&fake, dir.path());
    let position = fen::parse::<u32>(&fake.rules, "B:WK1:B12,K32").expect("valid");
    assert!(!Material::of(&position).is_canonical());
    let found = tables.probe(&position, counters(60, 0)).expect("there");
    let flipped = tables.probe(&position.flip(), counters(60, 0));
    assert_eq!(found, flipped.expect("there"));
}

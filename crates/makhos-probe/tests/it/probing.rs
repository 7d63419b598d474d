//! Values of positions from solved tables.

use std::path::Path;

use makhos_index::{Material, Reason, normalize};
use makhos_probe::{
    Access, Batch, Dtw, Metric, PackedDtw, Plies, ProbeError, Tablebase, Wld, table_path,
};
use makhos_rules::notation::fen;
use makhos_rules::{Board, Color, Position, RuleSet, variant};

use crate::compact::write_compact;
use crate::solver::{Solved, solve};

fn tables<B: Board>(solved: &Solved<B>, dir: &Path) -> Tablebase<B> {
    Tablebase::open(solved.rules, dir).expect("a directory")
}

fn material(class: &str) -> Material {
    class.parse().expect("well-formed")
}

/// Compares every position of the solved classes, and its colour flip, with what the files say.
fn assert_all_equal<B: Board>(solved: &Solved<B>, tables: &Tablebase<B>) {
    solved.for_each(|position, value| {
        for position in [position, position.flip()] {
            let dtw = tables.probe_dtw(&position).expect("all tables are there");
            assert_eq!(dtw, value.unpack(), "{position:?}");
            let wld = tables.probe_wld(&position).expect("all tables are there");
            assert_eq!(wld, value.wld(), "{position:?}");
        }
    });
}

#[test]
fn many_positions_have_the_values_of_each() {
    let solved = solve::<u32>(variant::THAI, "1m1k-1k");
    let dir = tempfile::tempdir().expect("a directory");
    for metric in Metric::ALL {
        solved.write(dir.path(), metric);
    }
    let tables = tables(&solved, dir.path());
    let mut positions = Vec::new();
    solved.for_each(|position, _| positions.push(position));
    // Mixed up, with one outside the tables and one whose side to move has no pieces.
    positions.sort_by_key(|position| format!("{position:?}").bytes().rev().collect::<Vec<_>>());
    let outside = fen::parse(&variant::THAI, "W:WK1,K2,K3:BK32");
    positions.push(outside.expect("a position"));
    let over = Position::new(0, 0, 0, 1 << 31, Color::White);
    positions.push(over.expect("a position"));
    let found = tables.probe_dtw_batch(&positions);
    assert_same(&found, positions.iter().map(|it| tables.probe_dtw(it)));
    assert_eq!(found.errors().len(), 1);
    let error = found.into_values().expect_err("one is outside the tables");
    assert!(matches!(error, ProbeError::TooManyPieces { .. }));
    assert_batch_is_single(&tables, &positions);
}

/// Compares values and errors with those of single probes.
fn assert_same<V: PartialEq + std::fmt::Debug>(
    found: &Batch<V>,
    single: impl Iterator<Item = Result<V, ProbeError>>,
) {
    let mut errors = found.errors().iter();
    let mut count = 0;
    for (number, single) in single.enumerate() {
        match single {
            Ok(value) => assert_eq!(found.values()[number].as_ref(), Some(&value), "{number}"),
            Err(error) => {
                assert!(found.values()[number].is_none());
                let (at, text) = errors
                    .next()
                    .map(|(at, e)| (*at, e.to_string()))
                    .expect("an error");
                assert_eq!((at, text), (number, error.to_string()));
            }
        }
        count += 1;
    }
    assert_eq!(found.values().len(), count);
    assert!(errors.next().is_none());
}

/// Compares what a batch says with single probes, errors included.
fn assert_batch_is_single<B: Board>(tables: &Tablebase<B>, positions: &[Position<B>]) {
    let found = tables.probe_wld_batch(positions);
    assert_same(&found, positions.iter().map(|it| tables.probe_wld(it)));
}

/// All positions of the solved classes and their colour flips, mixed up.
fn mixed_positions<B: Board>(solved: &Solved<B>) -> Vec<Position<B>> {
    let mut positions = Vec::new();
    solved.for_each(|position, _| positions.extend([position, position.flip()]));
    let mut random = 1_u64;
    for left in (2..=positions.len()).rev() {
        random = random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        positions.swap(left - 1, (random >> 33) as usize % left);
    }
    positions
}

#[test]
fn a_batch_of_compact_tables_is_what_single_probes_say() {
    for (rules, class) in [
        (variant::RUSSIAN, "1m1k-1m"),
        (variant::ENGLISH, "1m1k-1m"),
        (variant::ITALIAN, "2k-1m"),
    ] {
        let solved = solve::<u32>(rules, class);
        let dir = tempfile::tempdir().expect("a directory");
        write_compact(&solved, dir.path(), Metric::Wld);
        let mut positions = mixed_positions(&solved);
        // Captures without end.
        let many = "W:W17,18,19,20,25,26,27,28:B13,14,15,16,1,2,3,4";
        let many = fen::parse(&rules, many).expect("a position");
        assert!(rules.has_capture(&many));
        positions.extend([many; 5_000]);
        let all = tables(&solved, dir.path());
        // First nothing has been decoded, then some, then all.
        for part in [1000, positions.len() / 3, positions.len(), positions.len()] {
            assert_batch_is_single(&all, &positions[..part]);
        }
        solved.for_each(|position, value| {
            assert_eq!(all.probe_wld(&position).expect("tables"), value.wld());
        });
        positions.truncate(positions.len() - 4_000);
        // Without some tables, of which captures and promotions lead to some.
        for missing in ["1k-1k", "1k-1m", class] {
            let path = table_path(dir.path(), &rules, material(missing), Metric::Wld);
            std::fs::remove_file(path).expect("removed");
            let some = tables(&solved, dir.path());
            for _ in 0..2 {
                assert_batch_is_single(&some, &positions);
            }
        }
    }
}

#[test]
fn a_batch_on_a_large_board_is_what_single_probes_say() {
    let solved = solve::<u64>(variant::INTERNATIONAL, "1k-1m");
    let dir = tempfile::tempdir().expect("a directory");
    solved.write(dir.path(), Metric::Dtw);
    let tables = tables(&solved, dir.path());
    assert_batch_is_single(&tables, &mixed_positions(&solved));
    assert_batch_is_single(&tables, &[]);
}

#[test]
fn tables_may_lie_in_several_directories() {
    let solved = solve::<u32>(variant::RUSSIAN, "1m1k-1k");
    let (first, second) = (
        tempfile::tempdir().expect("a directory"),
        tempfile::tempdir().expect("a directory"),
    );
    for metric in Metric::ALL {
        solved.write(first.path(), metric);
        solved.write(second.path(), metric);
    }
    // Each has what the other lacks, and where both have something, only one is read.
    let table = |dir: &Path, class: &str, metric| {
        table_path(dir, &variant::RUSSIAN, material(class), metric)
    };
    for metric in Metric::ALL {
        std::fs::remove_file(table(first.path(), "1k-1k", metric)).expect("removed");
        std::fs::remove_file(table(second.path(), "1m1k-1k", metric)).expect("removed");
        std::fs::write(table(second.path(), "1k-1m", metric), "damaged").expect("written");
    }
    let dirs = [first.path(), Path::new("nowhere"), second.path()];
    let all = Tablebase::open_all(variant::RUSSIAN, &dirs, Access::Read).expect("directories");
    assert_eq!(all.dir(), first.path());
    assert_all_equal(&solved, &all);
    let none = Tablebase::<u32>::open_all(variant::RUSSIAN, &[], Access::Read).expect("none");
    assert_eq!(none.max_pieces(), 0);
}

#[test]
fn the_solver_knows_the_published_counts() {
    let solved = solve::<u32>(variant::RUSSIAN, "1m-1m");
    // Wins, draws, losses of 1k-1k, 1k-1m with either side to move, 1m-1m: two independent solvers.
    let expected = [
        ("1k-1k", 0, [194, 796, 2]),
        ("1k-1m", 0, [746, 122, 0]),
        ("1k-1m", 1, [67, 262, 539]),
        ("1m-1m", 0, [284, 327, 149]),
    ];
    for (class, side, counts) in expected {
        let values = &solved.classes[&material(class)].sides[side];
        let count = |wld| values.iter().filter(|value| value.wld() == wld).count();
        assert_eq!(
            [Wld::Win, Wld::Draw, Wld::Loss].map(count),
            counts,
            "{class} {side}"
        );
    }
}

#[test]
fn every_position_has_its_value() {
    for rules in [
        variant::RUSSIAN,
        variant::ENGLISH,
        variant::THAI,
        variant::ITALIAN,
    ] {
        let solved = solve::<u32>(rules, "1m-1m");
        let dir = tempfile::tempdir().expect("a directory");
        solved.write(dir.path(), Metric::Dtw);
        solved.write(dir.path(), Metric::Wld);
        assert_all_equal(&solved, &tables(&solved, dir.path()));
        let by_reading = Tablebase::open_with(rules, dir.path(), Access::Read);
        assert_all_equal(&solved, &by_reading.expect("a directory"));
    }
}

#[test]
fn captures_into_smaller_classes_and_promotions_are_followed() {
    let solved = solve::<u32>(variant::RUSSIAN, "1m1k-1k");
    let dir = tempfile::tempdir().expect("a directory");
    solved.write(dir.path(), Metric::Dtw);
    let tables = tables(&solved, dir.path());
    assert_all_equal(&solved, &tables);
    assert_eq!(tables.max_pieces(), 3);
    assert_eq!(tables.tables().len(), solved.classes.len());
}

#[test]
fn the_larger_board_works_alike() {
    let solved = solve::<u64>(variant::INTERNATIONAL, "1k-1m");
    let dir = tempfile::tempdir().expect("a directory");
    solved.write(dir.path(), Metric::Dtw);
    assert_all_equal(&solved, &tables(&solved, dir.path()));
}

#[test]
fn values_at_capture_positions_are_not_used() {
    let solved = solve::<u32>(variant::RUSSIAN, "1m-1m");
    let dir = tempfile::tempdir().expect("a directory");
    for (&class, values) in &solved.classes {
        solved.write_changed(dir.path(), class, Metric::Dtw, |sides| {
            for (side, color) in sides.iter_mut().zip([Color::White, Color::Black]) {
                for (at, value) in side.iter_mut().enumerate() {
                    let position = values.index.position(at as u64, color);
                    if solved.rules.has_capture(&position) {
                        *value = PackedDtw::LOST;
                    }
                }
            }
        });
    }
    assert_all_equal(&solved, &tables(&solved, dir.path()));
}

#[test]
fn moves_are_ranked_and_the_best_makes_progress() {
    let solved = solve::<u32>(variant::RUSSIAN, "1m-1m");
    let dir = tempfile::tempdir().expect("a directory");
    solved.write(dir.path(), Metric::Dtw);
    let tables = tables(&solved, dir.path());
    solved.for_each(|position, value| {
        let ranked = tables.move_values(&position).expect("all tables are there");
        assert_eq!(ranked.len(), solved.rules.legal_moves(&position).len());
        for pair in ranked.windows(2) {
            let order = pair[1].value.cmp(&pair[0].value);
            assert!(
                order.then(pair[0].mv.cmp(&pair[1].mv)).is_lt(),
                "{position:?}"
            );
        }
        for entry in &ranked {
            let after = solved.value(&position.make(&entry.mv));
            assert_eq!(entry.value, after.before().unpack());
        }
        let best = tables.best_move(&position).expect("all tables are there");
        assert_eq!(best, ranked.first().copied());
        let expected = (value != PackedDtw::LOST).then_some(value.unpack());
        assert_eq!(best.map(|best| best.value), expected);
        let outcomes = tables
            .move_outcomes(&position)
            .expect("all tables are there");
        assert_eq!(
            outcomes.first().map(|best| best.value),
            expected.map(Dtw::wld)
        );
    });
}

#[test]
fn best_play_from_the_longest_win_ends_after_exactly_its_distance() {
    let solved = solve::<u32>(variant::RUSSIAN, "1m-1m");
    let dir = tempfile::tempdir().expect("a directory");
    solved.write(dir.path(), Metric::Dtw);
    let tables = tables(&solved, dir.path());
    let table = tables
        .table(material("1m-1m"), Metric::Dtw)
        .expect("written");
    let statistics = table.statistics(Color::White).expect("stored");
    let longest = statistics.longest_win.expect("there are wins");
    assert_eq!(longest.plies, Plies::new(13));
    let mut position = solved.classes[&material("1m-1m")]
        .index
        .position(longest.first, Color::White);
    let mut plies = 0;
    while let Some(best) = tables.best_move(&position).expect("all tables are there") {
        position = solved.rules.play(&position, &best.mv).expect("legal");
        plies += 1;
    }
    assert_eq!(plies, 13);
    assert_eq!(position.side(), Color::Black);
}

#[test]
fn finished_games_need_no_table() {
    let dir = tempfile::tempdir().expect("a directory");
    let tables = Tablebase::<u32>::open(variant::RUSSIAN, dir.path()).expect("a directory");
    let lost = Dtw::Loss(Plies::ZERO);
    let won = Dtw::Win(Plies::new(1));
    let none = Position::new(0, 0, 0, 0, Color::White).expect("valid");
    assert_eq!(tables.probe_dtw(&none).expect("lost"), lost);
    let no_pieces = Position::new(0, 0, 0, 1, Color::White).expect("valid");
    assert_eq!(tables.probe_dtw(&no_pieces).expect("lost"), lost);
    assert_eq!(tables.probe_wld(&no_pieces).expect("lost"), Wld::Loss);
    assert_eq!(
        tables
            .probe_dtw(&no_pieces.with_side(Color::Black))
            .expect("won"),
        won
    );
    assert_eq!(tables.best_move(&no_pieces).expect("lost"), None);
    // Alone, but on a board without an empty square.
    let full = Position::new(0, u32::MAX, 0, 0, Color::White).expect("valid");
    assert_eq!(tables.probe_dtw(&full).expect("lost"), lost);
    // White's man on a3 is shut in by men on b4 and c5.
    let stuck: Position<u32> = fen::parse(&variant::RUSSIAN, "W:W21:B14,17").expect("valid");
    assert_eq!(tables.probe_dtw(&stuck).expect("lost"), lost);
    // The last piece is captured.
    let last: Position<u32> = fen::parse(&variant::RUSSIAN, "W:W22:B17").expect("valid");
    assert_eq!(tables.probe_dtw(&last).expect("won"), won);
}

#[test]
fn captures_are_searched_from_any_number_of_pieces() {
    let solved = solve::<u32>(variant::RUSSIAN, "1k-1m");
    let dir = tempfile::tempdir().expect("a directory");
    solved.write(dir.path(), Metric::Wld);
    let tables = tables(&solved, dir.path());
    assert_eq!(tables.max_pieces(), 2);
    // White's man takes two men; then it is a man against a king.
    let position = fen::parse::<u32>(&solved.rules, "W:W30:BK4,18,26").expect("valid");
    let moves = solved.rules.legal_moves(&position);
    assert_eq!(
        moves.iter().map(|mv| mv.captured.len()).collect::<Vec<_>>(),
        [2]
    );
    let after = position.make(&moves[0]);
    let value = tables
        .probe_wld(&position)
        .expect("captures lead into the tables");
    assert_eq!(value, solved.value(&after).wld().before());
    // One man more is left over.
    let position = fen::parse::<u32>(&solved.rules, "W:W30:BK4,12,18,26").expect("valid");
    let error = tables
        .probe_wld(&position)
        .expect_err("three pieces are left");
    assert!(matches!(
        error,
        ProbeError::TooManyPieces {
            pieces: 3,
            max_pieces: 2,
            ..
        }
    ));
}

#[test]
fn outcomes_come_from_distances_where_these_are_all_there_is() {
    let solved = solve::<u32>(variant::RUSSIAN, "1k-1m");
    let dir = tempfile::tempdir().expect("a directory");
    solved.write(dir.path(), Metric::Dtw);
    let by_distance = tables(&solved, dir.path());
    solved.for_each(|position, value| {
        assert_eq!(
            by_distance.probe_wld(&position).expect("there"),
            value.wld()
        );
    });
    let dir = tempfile::tempdir().expect("a directory");
    solved.write(dir.path(), Metric::Wld);
    let by_outcome = tables(&solved, dir.path());
    let quiet: Position<u32> = fen::parse(&solved.rules, "W:WK29:BK1").expect("valid");
    assert!(by_outcome.probe_wld(&quiet).is_ok());
    let error = by_outcome.probe_dtw(&quiet).expect_err("no distances");
    assert!(
        error
            .to_string()
            .contains("needs the dtw table of 1k-1k: generate"),
        "{error}"
    );
}

#[test]
fn a_missing_table_is_explained() {
    let solved = solve::<u32>(variant::RUSSIAN, "1m1k-1k");
    let dir = tempfile::tempdir().expect("a directory");
    solved.write(dir.path(), Metric::Wld);
    let remove = |class| {
        let path = table_path(dir.path(), &solved.rules, material(class), Metric::Wld);
        std::fs::remove_file(path).expect("written above");
    };
    remove("2k-1k");
    let tables = tables(&solved, dir.path());

    // The man stands before its promotion.
    let promoting = fen::parse(&solved.rules, "W:W5,K32:BK3").expect("valid");
    assert!(tables.probe_wld(&promoting).is_ok());
    let error = tables
        .move_outcomes(&promoting)
        .expect_err("2k-1k is missing");
    let ProbeError::MissingTable {
        position_class,
        missing_class,
        metric,
        reason,
        ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(position_class.to_string(), "1m1k-1k");
    assert_eq!(missing_class.to_string(), "2k-1k");
    assert_eq!(*metric, Metric::Wld);
    assert_eq!(*reason, Some(Reason::Promotion));
    let text = error.to_string();
    let expected = "probing 1m1k-1k needs the wld table of 2k-1k (promotion): generate it with: \
                    makhos generate --variant russian --class 2k-1k --metric wld --dir ";
    assert!(text.starts_with(expected), "{text}");

    let own = fen::parse(&solved.rules, "B:WK32,K31:BK3").expect("valid");
    let error = tables.probe_wld(&own).expect_err("2k-1k is missing");
    assert!(
        matches!(error, ProbeError::MissingTable { reason: None, .. }),
        "{error}"
    );

    let many = fen::parse(&solved.rules, "W:WK32,K31,K30:BK3").expect("valid");
    let error = tables.probe_wld(&many).expect_err("four pieces");
    let text = error.to_string();
    assert!(
        text.starts_with("4 pieces are too many: the russian tables in "),
        "{text}"
    );
    assert!(text.ends_with(" have up to 3"), "{text}");
}

#[test]
fn no_tables_at_all_are_explained() {
    let dir = tempfile::tempdir().expect("a directory");
    let thai = variant::THAI.with_option("removal=end").expect("an option");
    let missing = dir.path().join("nowhere");
    let tables = Tablebase::<u32>::open(thai, &missing).expect("counts as empty");
    assert_eq!((tables.max_pieces(), tables.tables().len()), (0, 0));
    let position = fen::parse(&thai, "W:WK32:BK3").expect("valid");
    let text = tables
        .probe_wld(&position)
        .expect_err("nothing")
        .to_string();
    assert!(
        text.starts_with("there are no thai+removal=end tables in "),
        "{text}"
    );
    assert!(
        text.contains("makhos generate --variant thai --option removal=end"),
        "{text}"
    );
}

#[test]
fn options_that_change_no_move_find_the_same_tables() {
    let solved = solve::<u32>(variant::THAI, "1k-1k");
    let dir = tempfile::tempdir().expect("a directory");
    solved.write(dir.path(), Metric::Wld);
    let position = fen::parse::<u32>(&solved.rules, "W:WK32:BK3").expect("valid");
    let mut found = 0;
    for (key, values) in variant::options() {
        for value in values {
            let Ok(rules) = variant::THAI.with_option(&format!("{key}={value}")) else {
                continue;
            };
            let tables = Tablebase::open(rules, dir.path()).expect("a directory");
            let same_moves = rules.move_rules_bytes() == variant::THAI.move_rules_bytes();
            match tables.probe_wld(&position) {
                Ok(_) => assert!(same_moves, "{key}={value}"),
                Err(ProbeError::NoTables { .. }) => assert!(!same_moves, "{key}={value}"),
                Err(other) => panic!("{key}={value}: {other}"),
            }
            found += usize::from(same_moves);
        }
    }
    // The values in force of six options that change moves, and both of each of the other two.
    assert_eq!(found, 6 + 4);
}

#[test]
fn a_variant_of_another_board_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let open = |rules: RuleSet| Tablebase::<u32>::open(rules, dir.path());
    assert!(matches!(
        open(variant::INTERNATIONAL),
        Err(ProbeError::OtherBoard { .. })
    ));
    assert!(open(variant::RUSSIAN).is_ok());
}

#[test]
fn files_of_unknown_names_are_ignored() {
    let solved = solve::<u32>(variant::RUSSIAN, "1k-1k");
    let dir = tempfile::tempdir().expect("a directory");
    solved.write(dir.path(), Metric::Wld);
    for name in [
        ".1k-1m.wld.x.tmp",
        "notes.txt",
        "1m-1k.wld",
        "70m-1k.wld",
        "1k-1k.dtx",
    ] {
        std::fs::write(dir.path().join("russian").join(name), "x").expect("write");
    }
    let tables = tables(&solved, dir.path());
    assert_eq!(tables.tables(), [(material("1k-1k"), Metric::Wld)]);
    assert_eq!(tables.max_pieces(), 2);
}

#[test]
fn many_threads_probe_at_once() {
    let solved = solve::<u32>(variant::RUSSIAN, "1m-1m");
    let dir = tempfile::tempdir().expect("a directory");
    solved.write(dir.path(), Metric::Dtw);
    let tables = tables(&solved, dir.path());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                solved.for_each(|position, value| {
                    assert_eq!(normalize(&position), position);
                    assert_eq!(tables.probe_dtw(&position).expect("there"), value.unpack());
                });
            });
        }
    });
}

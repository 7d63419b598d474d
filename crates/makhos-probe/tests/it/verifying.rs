//! Verification finds what is wrong, and only that.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use makhos_index::Material;
use makhos_probe::{
    Check, Metric, PackedDtw, ProbeError, Sample, Tablebase, Verification, Wld, table_path,
    verification_bytes, verify_sample, verify_values,
};
use makhos_rules::{Color, variant};

use crate::solver::{Solved, solve};

fn verify(solved: &Solved<u32>, dir: &Path, class: &str, metric: Metric) -> Verification {
    let tables = Tablebase::<u32>::open(solved.rules, dir).expect("a directory");
    let checked = AtomicU64::new(0);
    let progress = |positions| {
        checked.fetch_add(positions, Ordering::Relaxed);
    };
    let material = material(class);
    let report = verify_values(&tables, material, metric, 3, &progress).expect("all tables");
    assert_eq!(checked.into_inner(), report.positions);
    report
}

fn material(class: &str) -> Material {
    class.parse().expect("well-formed")
}

/// The index of a position with White to move and this outcome, with or without captures.
fn find(solved: &Solved<u32>, class: &str, wld: Wld, capture: bool) -> usize {
    let class = &solved.classes[&material(class)];
    let found = class.sides[0].iter().enumerate().find(|&(at, value)| {
        let position = class.index.position(at as u64, Color::White);
        value.wld() == wld && solved.rules.has_capture(&position) == capture
    });
    found.expect("there is one").0
}

#[test]
fn right_tables_are_right() {
    for rules in [variant::RUSSIAN, variant::ENGLISH] {
        let solved = solve::<u32>(rules, "2k-1m");
        let dir = tempfile::tempdir().expect("a directory");
        solved.write(dir.path(), Metric::Wld);
        // First without, then with distances to compare.
        for &class in solved.classes.keys() {
            let report = verify(&solved, dir.path(), &class.to_string(), Metric::Wld);
            assert!(report.is_right(), "{report:?}");
        }
        solved.write(dir.path(), Metric::Dtw);
        for (class, values) in &solved.classes {
            for metric in Metric::ALL {
                let report = verify(&solved, dir.path(), &class.to_string(), metric);
                assert!(report.is_right(), "{class} {metric}: {report:?}");
                let positions = values.sides.iter().map(Vec::len).sum::<usize>();
                assert_eq!(report.positions, positions as u64);
            }
        }
    }
}

#[test]
fn one_wrong_distance_is_found() {
    let solved = solve::<u32>(variant::RUSSIAN, "1m-1m");
    let dir = tempfile::tempdir().expect("a directory");
    for capture in [false, true] {
        solved.write(dir.path(), Metric::Dtw);
        let wrong = find(&solved, "1m-1m", Wld::Win, capture);
        solved.write_changed(dir.path(), material("1m-1m"), Metric::Dtw, |sides| {
            let bits = sides[0][wrong].bits();
            sides[0][wrong] = PackedDtw::from_bits(bits + 2);
        });
        let report = verify(&solved, dir.path(), "1m-1m", Metric::Dtw);
        assert!(!report.is_right());
        let found = report
            .differences
            .iter()
            .find(|found| found.index == wrong as u64);
        let found = found.expect("the wrong one is among the first");
        assert_eq!(found.check, Check::Moves);
        assert!(found.fen.starts_with("W:W"), "{found}");
        assert!(
            found.to_string().contains("but its moves give \"win"),
            "{found}"
        );
    }
}

#[test]
fn all_differences_are_counted_and_the_first_kept() {
    let solved = solve::<u32>(variant::RUSSIAN, "1k-1m");
    let dir = tempfile::tempdir().expect("a directory");
    solved.write(dir.path(), Metric::Wld);
    solved.write_changed(dir.path(), material("1k-1m"), Metric::Wld, |sides| {
        for value in sides.iter_mut().flatten() {
            *value = value.before();
        }
    });
    let report = verify(&solved, dir.path(), "1k-1m", Metric::Wld);
    assert!(report.differing > 500, "{}", report.differing);
    assert_eq!(report.differences.len(), 3);
    assert!(
        report
            .differences
            .is_sorted_by_key(|found| (found.side, found.index))
    );
}

/// Values that support each other in a circle satisfy Bellman's equation; only distances show it.
#[test]
fn outcomes_are_held_to_the_distances() {
    let solved = solve::<u32>(variant::RUSSIAN, "1k-1k");
    let dir = tempfile::tempdir().expect("a directory");
    solved.write(dir.path(), Metric::Dtw);
    let class = material("1k-1k");
    // All positions won by a capture stay, and so do their losses; one draw becomes a win.
    let wrong = find(&solved, "1k-1k", Wld::Draw, false);
    solved.write_changed(dir.path(), class, Metric::Wld, |sides| {
        sides[0][wrong] = PackedDtw::LOST.before();
    });
    let tables = Tablebase::<u32>::open(solved.rules, dir.path()).expect("a directory");
    let report = verify_values(&tables, class, Metric::Wld, 1000, &|_| ()).expect("all tables");
    let by_distance = report
        .differences
        .iter()
        .filter(|found| found.check == Check::Distances);
    let found: Vec<_> = by_distance.collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].index, wrong as u64);
    let text = found[0].to_string();
    assert!(
        text.ends_with("the table of distances says \"draw\""),
        "{text}"
    );
}

#[test]
fn wrong_statistics_are_found() {
    let solved = solve::<u32>(variant::RUSSIAN, "1k-1m");
    let dir = tempfile::tempdir().expect("a directory");
    solved.write(dir.path(), Metric::Dtw);
    let class = material("1k-1m");
    let values = &solved.classes[&class];
    for metric in Metric::ALL {
        let mut statistics: Vec<_> = [Color::White, Color::Black]
            .iter()
            .zip(&values.sides)
            .map(|(&side, side_values)| solved.statistics(values, side, side_values))
            .collect();
        statistics[1].captures += 1;
        solved.write(dir.path(), metric);
        solved.write_with(dir.path(), class, metric, &values.sides, &statistics);
        let report = verify(&solved, dir.path(), "1k-1m", metric);
        assert_eq!((report.differing, report.statistics.len()), (0, 1));
        let wrong = report.statistics[0];
        assert_eq!(wrong.side, Color::Black);
        assert_eq!(wrong.stored.captures, wrong.counted.captures + 1);
    }
    // Outcomes with a longest win that the distances do not have.
    solved.write(dir.path(), Metric::Dtw);
    let mut statistics: Vec<_> = [Color::White, Color::Black]
        .iter()
        .zip(&values.sides)
        .map(|(&side, side_values)| solved.statistics(values, side, side_values))
        .collect();
    let longest = statistics[0].longest_win.as_mut().expect("there are wins");
    longest.first += 1;
    solved.write_with(dir.path(), class, Metric::Wld, &values.sides, &statistics);
    let report = verify(&solved, dir.path(), "1k-1m", Metric::Wld);
    assert_eq!((report.differing, report.statistics.len()), (0, 1));
}

#[test]
fn a_sample_is_the_same_every_time_and_finds_errors() {
    let solved = solve::<u32>(variant::RUSSIAN, "1k-1m");
    let dir = tempfile::tempdir().expect("a directory");
    let class = material("1k-1m");
    let run = |metric, seed| {
        let tables = Tablebase::<u32>::open(solved.rules, dir.path()).expect("a directory");
        let sample = Sample {
            positions: 1000,
            seed,
        };
        verify_sample(&tables, class, metric, sample, 1000, &|_| ()).expect("all tables")
    };
    for metric in Metric::ALL {
        solved.write(dir.path(), metric);
        assert!(run(metric, 1).is_right());
        assert_eq!(run(metric, 1).positions, 1000);
    }
    solved.write_changed(dir.path(), class, Metric::Dtw, |sides| {
        for value in sides[0].iter_mut().step_by(10) {
            *value = PackedDtw::DRAW;
        }
    });
    let found = run(Metric::Dtw, 1);
    assert!(found.differing > 20, "{}", found.differing);
    assert_eq!(found, run(Metric::Dtw, 1));
    assert_ne!(found.differences, run(Metric::Dtw, 2).differences);
}

#[test]
fn a_missing_smaller_table_is_an_error() {
    let solved = solve::<u32>(variant::RUSSIAN, "1k-1m");
    let dir = tempfile::tempdir().expect("a directory");
    solved.write(dir.path(), Metric::Dtw);
    let path = table_path(dir.path(), &solved.rules, material("1k-1k"), Metric::Dtw);
    std::fs::remove_file(path).expect("written above");
    let tables = Tablebase::<u32>::open(solved.rules, dir.path()).expect("a directory");
    let result = verify_values(&tables, material("1k-1m"), Metric::Dtw, 9, &|_| ());
    assert!(matches!(result, Err(ProbeError::MissingTable { .. })));
}

#[test]
fn the_memory_of_a_verification_is_that_of_the_tables_it_decodes() {
    let solved = solve::<u32>(variant::RUSSIAN, "1m-1m");
    let dir = tempfile::tempdir().expect("a directory");
    solved.write(dir.path(), Metric::Dtw);
    let open = || Tablebase::<u32>::open(solved.rules, dir.path()).expect("a directory");
    let loaded = |tables: &Tablebase<u32>, class, metric| {
        let table = tables.table(material(class), metric).expect("written");
        table.load().expect("good blocks");
        table.loaded_bytes()
    };
    let bytes = |tables: &Tablebase<u32>, class, metric| {
        verification_bytes(tables, material(class), metric).expect("all tables")
    };
    let tables = open();
    let distances = |class| loaded(&tables, class, Metric::Dtw);
    // Either man may be promoted; a capture ends the game.
    let all = distances("1m-1m") + distances("1k-1m");
    assert_eq!(bytes(&tables, "1m-1m", Metric::Dtw), all);
    assert_eq!(bytes(&tables, "1k-1k", Metric::Dtw), distances("1k-1k"));
    // Outcomes are held to distances of their own class.
    solved.write(dir.path(), Metric::Wld);
    let tables = open();
    let outcomes = |class| loaded(&tables, class, Metric::Wld);
    let all = outcomes("1k-1m") + outcomes("1k-1k") + distances("1k-1m");
    assert_eq!(bytes(&tables, "1k-1m", Metric::Wld), all);
    let missing = verification_bytes(&tables, material("2k-1k"), Metric::Dtw);
    assert!(missing.is_err());
}

//! Compact tables: what matters comes back, whatever stands where a capture is compulsory.

use std::fs;
use std::path::Path;

use makhos_index::stored_sides;
use makhos_probe::{
    Access, CompactOptions, Dtc, Dtw, Metric, Outcomes, PackedDtw, Published, Sample,
    SideStatistics, Table, TableError, TableSpec, TableWriter, Tablebase, WriteError,
    verify_sample, verify_values,
};
use makhos_rules::{Color, variant};
use proptest::prelude::*;

use crate::fake::{Fake, Random, fake, outcomes};
use crate::solver::{Solved, solve};

/// A table of random outcomes and captures.
pub(crate) struct Quiet {
    pub(crate) fake: Fake,
    /// By side: a bit for each position in which the side to move must capture.
    pub(crate) captures: Vec<Vec<u64>>,
    /// Whether of outcomes only one side is to be stored.
    pub(crate) one_side: bool,
}

/// Outcomes in runs, two in `share` of them captures.
pub(crate) fn quiet(class: &str, seed: u64, share: u64) -> Quiet {
    quiet_of(class, Metric::Wld, seed, share)
}

/// Values of a metric in runs, two in `share` of them captures.
pub(crate) fn quiet_of(class: &str, metric: Metric, seed: u64, share: u64) -> Quiet {
    let mut fake = fake(class, metric, seed);
    if seed.is_multiple_of(3) {
        fake.lengthen();
    }
    fake.block_values = 1024;
    let mut random = Random(seed | 5);
    let captures = fake.sides.iter().map(|values| {
        let mut plane = vec![0; values.len().div_ceil(64)];
        for at in 0..values.len() {
            plane[at / 64] |= u64::from(random.below(share) < 2) << (at % 64);
        }
        plane
    });
    Quiet {
        captures: captures.collect(),
        fake,
        one_side: false,
    }
}

pub(crate) fn bit(plane: &[u64], at: usize) -> bool {
    plane[at / 64] >> (at % 64) & 1 != 0
}

impl Quiet {
    pub(crate) fn statistics(&self) -> Vec<SideStatistics> {
        let sides = self.fake.sides.iter().zip(&self.captures);
        let statistics = sides.map(|(values, captures)| {
            let mut statistics = SideStatistics::default();
            for (at, &value) in values.iter().enumerate() {
                statistics.record(at as u64, value, bit(captures, at));
            }
            statistics
        });
        statistics.collect()
    }

    pub(crate) fn writer(&self, dir: &Path) -> Result<TableWriter, WriteError> {
        let options = CompactOptions {
            block_values: self.fake.block_values,
            one_side: self.one_side,
        };
        TableWriter::create_compact_with(dir, &self.fake.spec, &self.statistics(), options)
    }

    pub(crate) fn write(&self, dir: &Path) -> Published {
        let mut writer = self.writer(dir).expect("create");
        for (values, captures) in self.fake.sides.iter().zip(&self.captures) {
            let pushed = if self.fake.spec.metric == Metric::Wld {
                let side = outcomes(values);
                writer.push_quiet_outcomes(side.win(), side.loss(), captures, side.len())
            } else {
                writer.push_quiet_values(values, captures)
            };
            pushed.expect("right values");
        }
        writer.finish().expect("finish")
    }

    /// The values and captures with a side to move.
    pub(crate) fn side(&self, side: Color) -> (&[PackedDtw], &[u64]) {
        let number = usize::from(!side.is_white());
        (&self.fake.sides[number], &self.captures[number])
    }

    /// Reads everything back through both kinds of access and in every way there is.
    pub(crate) fn assert_readable(&self, path: &Path) {
        for access in [Access::Map, Access::Read] {
            let table = Table::open(path, access).expect("a good table");
            assert!(!table.stores_captures());
            let loaded = table.load().expect("good blocks");
            for (&side, statistics) in stored_sides(table.material()).iter().zip(self.statistics())
            {
                assert_eq!(table.statistics(side), Some(&statistics));
                let one_of_two = match table.metric() {
                    Metric::Wld => self.one_side,
                    metric => metric == Metric::Dtw,
                } && self.fake.sides.len() == 2;
                assert_eq!(
                    table.sides().len() == 1,
                    one_of_two || self.fake.sides.len() == 1
                );
                if !table.stores_side(side) {
                    let error = table.wld(side, 0).expect_err("not stored");
                    assert!(matches!(error, TableError::SideNotStored { .. }));
                    assert!(!loaded.stores_side(side));
                    continue;
                }
                let (values, captures) = self.side(side);
                let mut read = Vec::new();
                let all = table.for_each_value(side, |value| read.push(value));
                all.expect("good blocks");
                let mut at_once = Outcomes::default();
                let all = table.read_outcomes(side, 0..table.positions(), &mut at_once);
                all.expect("good blocks");
                for (at, value) in values.iter().enumerate() {
                    let index = at as u64;
                    let all = [
                        read[at].wld(),
                        loaded.get(side, index).wld(),
                        at_once.get(index),
                        table.wld(side, index).expect("stored"),
                    ];
                    // What stands at a capture does not matter, but it is the same for everybody.
                    let expected = if bit(captures, at) {
                        all[0]
                    } else {
                        value.wld()
                    };
                    assert_eq!(all, [expected; 4], "{index}");
                    if table.metric() == Metric::Dtc {
                        let dtc = table.dtc(side, index).expect("stored");
                        assert!(bit(captures, at) || dtc == Dtc::unpack(*value), "{index}");
                    }
                    if table.metric() == Metric::Dtw {
                        let dtw = table.dtw(side, index).expect("stored");
                        let all = [read[at].unpack(), loaded.get(side, index).unpack(), dtw];
                        let expected = if bit(captures, at) {
                            all[0]
                        } else {
                            value.unpack()
                        };
                        assert_eq!(all, [expected; 3], "{index}");
                    }
                }
            }
            table.verify_digest(|_| ()).expect("an intact file");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn quiet_outcomes_round_trip(
        class in prop::sample::select(vec!["1k-1k", "2k-1m", "1m1k-1m", "2m-1k", "2m-2m", "1k-1m"]),
        seed in any::<u64>(),
        share in 2..12_u64,
        one_side in any::<bool>(),
    ) {
        let dir = tempfile::tempdir().expect("a directory");
        let quiet = Quiet { one_side, ..quiet(class, seed, share) };
        quiet.assert_readable(&quiet.write(dir.path()).path);
    }

    #[test]
    fn quiet_distances_round_trip(
        class in prop::sample::select(vec!["1k-1k", "2k-1m", "1m1k-1m", "2m-1k", "2m-2m", "1k-1m"]),
        seed in any::<u64>(),
        share in 2..12_u64,
    ) {
        let dir = tempfile::tempdir().expect("a directory");
        for metric in [Metric::Dtw, Metric::Dtc] {
            let quiet = quiet_of(class, metric, seed, share);
            quiet.assert_readable(&quiet.write(dir.path()).path);
        }
    }

    #[test]
    fn bytes_depend_on_values_alone(
        class in prop::sample::select(vec!["2m-2m", "2m-1k"]),
        seed in any::<u64>(),
        threads in 1..5_usize,
        one_side in any::<bool>(),
    ) {
        let quiet = Quiet { one_side, ..quiet(class, seed, 5) };
        let dir = tempfile::tempdir().expect("a directory");
        let whole = fs::read(quiet.write(dir.path()).path).expect("readable");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let parts = pool.install(|| {
            let mut random = Random(seed | 9);
            let mut writer = quiet.writer(dir.path()).expect("create");
            for (values, captures) in quiet.fake.sides.iter().zip(&quiet.captures) {
                let mut at = 0;
                while at < values.len() {
                    // What stands at captures is nobody's business.
                    let len = (random.below(40_000) as usize).min(values.len() - at);
                    let part: Vec<PackedDtw> = values[at..at + len].to_vec();
                    let side = outcomes(&part);
                    let mut plane = vec![u64::MAX; len.div_ceil(64)];
                    for place in 0..len {
                        if !bit(captures, at + place) {
                            plane[place / 64] &= !(1 << (place % 64));
                        }
                    }
                    writer
                        .push_quiet_outcomes(side.win(), side.loss(), &plane, side.len())
                        .expect("right outcomes");
                    at += len;
                }
            }
            writer.finish().expect("finish")
        });
        prop_assert!(fs::read(parts.path).expect("readable") == whole);
    }
}

#[test]
fn what_stands_at_captures_changes_no_byte_but_the_statistics() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut quiet = quiet("2k-1m", 3, 4);
    let first = fs::read(quiet.write(dir.path()).path).expect("readable");
    for (values, captures) in quiet.fake.sides.iter_mut().zip(&quiet.captures) {
        for (at, value) in values.iter_mut().enumerate() {
            if bit(captures, at) {
                *value = PackedDtw::from_bits((at % 3) as u16);
            }
        }
    }
    let second = fs::read(quiet.write(dir.path()).path).expect("readable");
    let header = 200;
    let footer = second.len() - 52;
    assert_eq!(first.len(), second.len());
    assert!(first[header..footer] == second[header..footer]);
}

#[test]
fn a_constant_side_takes_next_to_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut quiet = quiet("2m-2m", 3, 4);
    for value in quiet.fake.sides.iter_mut().flatten() {
        *value = PackedDtw::LOST;
    }
    quiet.fake.block_values = 65_536;
    let published = quiet.write(dir.path());
    assert!(published.bytes < 300, "{} bytes", published.bytes);
    quiet.assert_readable(&published.path);
}

#[test]
fn wrong_ways_to_hand_in_values_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let quiet = quiet("1k-1m", 3, 4);
    let mut writer = quiet.writer(dir.path()).expect("create");
    let values = &quiet.fake.sides[0];
    let side = outcomes(values);
    let error = writer.push(values).expect_err("captures are missing");
    assert!(matches!(error, WriteError::Storage { compact: true, .. }));
    let error = writer.push_outcomes(side.win(), side.loss(), side.len());
    assert!(matches!(
        error,
        Err(WriteError::Storage { compact: true, .. })
    ));
    let mut full = quiet.fake.writer(dir.path()).expect("create");
    let error = full.push_quiet_outcomes(side.win(), side.loss(), &quiet.captures[0], side.len());
    assert!(matches!(
        error,
        Err(WriteError::Storage { compact: false, .. })
    ));
    let error = writer.push_quiet_outcomes(side.win(), side.loss(), &[], side.len());
    assert!(matches!(error, Err(WriteError::Inconsistent { .. })));
    let both = vec![u64::MAX; side.win().len()];
    let error = writer.push_quiet_outcomes(&both, &both, &both, side.len());
    let text = error.expect_err("won and lost").to_string();
    assert!(text.contains("position 0 is both won and lost"), "{text}");
    let unfinished = quiet.writer(dir.path()).expect("create").finish();
    assert!(matches!(unfinished, Err(WriteError::Inconsistent { .. })));
    let mut wrong = quiet.writer(dir.path()).expect("create");
    let none = vec![0; side.win().len()];
    let error = wrong.push_quiet_outcomes(side.win(), side.loss(), &none, side.len());
    let text = error.expect_err("other captures").to_string();
    assert!(text.contains("captures"), "{text}");
    let spec = TableSpec { ..quiet.fake.spec };
    for blocks in [512, 1025, 131_072] {
        let options = CompactOptions {
            block_values: blocks,
            ..CompactOptions::default()
        };
        let error =
            TableWriter::create_compact_with(dir.path(), &spec, &quiet.statistics(), options);
        assert!(
            matches!(error, Err(WriteError::Inconsistent { .. })),
            "{blocks}"
        );
    }
}

#[test]
fn positions_that_are_not_stored_are_errors() {
    let dir = tempfile::tempdir().expect("a directory");
    let quiet = quiet("1k-1k", 3, 4);
    let table = Table::open(&quiet.write(dir.path()).path, Access::Map).expect("a good table");
    let beyond = table.wld(Color::White, table.positions());
    assert!(matches!(beyond, Err(TableError::NoSuchPosition { .. })));
    let black = table.wld(Color::Black, 0);
    assert!(matches!(black, Err(TableError::NoSuchPosition { .. })));
}

/// Writes all solved classes as compact tables.
pub(crate) fn write_compact(solved: &Solved<u32>, dir: &Path, metric: Metric) {
    write_compact_sides(solved, dir, metric, false);
}

/// Writes all solved classes as compact tables, of outcomes with all sides or one.
fn write_compact_sides(solved: &Solved<u32>, dir: &Path, metric: Metric, one_side: bool) {
    for (&material, class) in &solved.classes {
        let sides = stored_sides(material).iter().zip(&class.sides);
        let statistics: Vec<_> = sides
            .clone()
            .map(|(&side, values)| solved.statistics(class, side, values))
            .collect();
        let spec = TableSpec {
            rules: solved.rules,
            material,
            metric,
        };
        // Small blocks, so that probing crosses their borders.
        let options = CompactOptions {
            block_values: 1024,
            one_side,
        };
        let writer = TableWriter::create_compact_with(dir, &spec, &statistics, options);
        let mut writer = writer.expect("create");
        for (&side, values) in sides {
            let mut captures = vec![0; values.len().div_ceil(64)];
            for at in 0..values.len() {
                let position = class.index.position(at as u64, side);
                let capture = solved.rules.has_capture(&position);
                captures[at / 64] |= u64::from(capture) << (at % 64);
            }
            let pushed = if metric == Metric::Wld {
                let side = outcomes(values);
                writer.push_quiet_outcomes(side.win(), side.loss(), &captures, side.len())
            } else {
                writer.push_quiet_values(values, &captures)
            };
            pushed.expect("right values");
        }
        writer.finish().expect("finish");
    }
}

#[test]
fn every_position_has_its_value_and_tables_verify() {
    for (rules, class) in [
        (variant::RUSSIAN, "2k-1m"),
        (variant::ENGLISH, "1m1k-1m"),
        (variant::ITALIAN, "2m-1k"),
    ] {
        let solved = solve::<u32>(rules, class);
        for (metric, one_side) in [
            (Metric::Wld, false),
            (Metric::Wld, true),
            (Metric::Dtw, false),
        ] {
            let dir = tempfile::tempdir().expect("a directory");
            write_compact_sides(&solved, dir.path(), metric, one_side);
            let tables = Tablebase::<u32>::open(rules, dir.path()).expect("a directory");
            let mut answered = 0;
            solved.for_each(|position, value| {
                assert_eq!(tables.probe_wld(&position).expect("tables"), value.wld());
                if metric == Metric::Dtw {
                    assert_eq!(tables.probe_dtw(&position).expect("tables"), value.unpack());
                    assert_eq!(tables.conditional(&position), None);
                } else if let Some(outcome) = tables.conditional(&position) {
                    assert_eq!(outcome, value.wld());
                    answered += 1;
                }
            });
            assert_eq!(answered > 0, metric == Metric::Wld);
            let material = class.parse().expect("well-formed");
            let all = verify_values(&tables, material, metric, 5, &|_| ()).expect("tables");
            assert_eq!(all.differing, 0, "{all:?}");
            assert!(all.statistics.is_empty(), "{all:?}");
            let sample = Sample {
                positions: 500,
                seed: 3,
            };
            let some = verify_sample(&tables, material, metric, sample, 5, &|_| ());
            assert_eq!(some.expect("tables").differing, 0);
        }
    }
}

#[test]
fn the_smaller_side_is_stored_and_batches_find_the_other() {
    let mut stored = [0; 2];
    for (rules, class) in [
        (variant::RUSSIAN, "2k-1m"),
        (variant::ENGLISH, "1m1k-1k"),
        (variant::SPANISH, "2m-1k"),
    ] {
        let solved = solve::<u32>(rules, class);
        let [both, one] = [false, true].map(|one_side| {
            let dir = tempfile::tempdir().expect("a directory");
            write_compact_sides(&solved, dir.path(), Metric::Wld, one_side);
            dir
        });
        let [both, one] =
            [&both, &one].map(|dir| Tablebase::<u32>::open(rules, dir.path()).expect("tables"));
        for (material, metric) in one.tables() {
            let [both, one] = [&both, &one].map(|set| set.table(material, metric).expect("tables"));
            let sides = stored_sides(material);
            assert_eq!((both.sides(), one.sides().len()), (sides, 1));
            assert!(one.bytes() <= both.bytes());
            stored[usize::from(!one.sides()[0].is_white())] += sides.len() - 1;
        }
        let (mut positions, mut expected) = (Vec::new(), Vec::new());
        let mut number = 0;
        solved.for_each(|position, value| {
            number += 1;
            // Cells are decoded on the way, so that answers come from all the places there are.
            if number % 7 == 0 {
                positions.push(position);
                expected.push(value.wld());
            }
        });
        for _ in 0..2 {
            let found = one.probe_wld_batch(&positions).into_values();
            assert!(found.expect("tables") == expected);
        }
    }
    assert!(stored.iter().all(|&side| side > 0), "{stored:?}");
}

#[test]
fn the_best_line_ends_the_game_after_exactly_its_distance() {
    let solved = solve::<u32>(variant::ENGLISH, "2k-1k");
    let dir = tempfile::tempdir().expect("a directory");
    write_compact(&solved, dir.path(), Metric::Dtw);
    let tables = Tablebase::<u32>::open(solved.rules, dir.path()).expect("a directory");
    let mut number = 0;
    solved.for_each(|position, value| {
        number += 1;
        if number % 97 != 0 {
            return;
        }
        let line = tables.line(&position).expect("tables");
        let plies = value.unpack().plies().map_or(0, |plies| plies.get().into());
        assert_eq!(line.len(), plies);
        let end = line
            .iter()
            .fold(position, |position, best| position.make(&best.mv));
        let over = solved.rules.legal_moves(&end).is_empty();
        assert!(over || value.unpack() == Dtw::Draw);
    });
}

#[test]
fn distances_to_conversion_are_probed() {
    let solved = solve::<u32>(variant::ENGLISH, "1k-1k");
    let dir = tempfile::tempdir().expect("a directory");
    write_compact(&solved, dir.path(), Metric::Wld);
    // Not the real ones: all that is asked is that they come back.
    write_compact(&solved, dir.path(), Metric::Dtc);
    let tables = Tablebase::<u32>::open(solved.rules, dir.path()).expect("a directory");
    solved.for_each(|position, value| {
        let dtc = tables.probe_dtc(&position).expect("tables");
        assert_eq!(dtc.wld(), value.wld());
        if solved.rules.has_capture(&position) {
            assert_eq!(
                dtc.plies().map(|plies| plies.get()),
                value.unpack().plies().map(|_| 1)
            );
        } else if !solved.rules.legal_moves(&position).is_empty() {
            assert_eq!(dtc, Dtc::unpack(value));
        }
    });
}

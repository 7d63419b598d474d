//! Outcomes read and written many at once are those read and written one by one.

use std::fs;
use std::ops::Range;
use std::path::Path;

use makhos_probe::{Access, Metric, Outcomes, Published, Table, TableError, WriteError};
use makhos_rules::Color;
use proptest::prelude::*;

use crate::fake::{Fake, Random, fake, outcomes};

/// A table written and opened, in a directory that lives as long.
fn opened(fake: &Fake) -> (tempfile::TempDir, Table) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = fake.write(dir.path()).path;
    let table = Table::open(&path, Access::Map).expect("a good table");
    (dir, table)
}

/// Reads a range into outcomes that held something else before.
fn read(table: &Table, side: Color, range: Range<u64>) -> Outcomes {
    let mut into = Outcomes::new(77);
    into.set(5, makhos_probe::Wld::Win);
    into.set(76, makhos_probe::Wld::Loss);
    let all = table.read_outcomes(side, range, &mut into);
    all.expect("good blocks");
    into
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads").install(work)
}

/// Writes the table from planes, whole sides at once.
fn write_planes(fake: &Fake, dir: &Path) -> Published {
    let mut writer = fake.writer(dir).expect("create");
    for values in &fake.sides {
        let side = outcomes(values);
        let pushed = writer.push_outcomes(side.win(), side.loss(), side.len());
        pushed.expect("right outcomes");
    }
    writer.finish().expect("finish")
}

#[test]
fn every_range_near_the_borders_of_words_and_blocks_is_read() {
    for metric in Metric::ALL {
        let mut fake = fake("1k-1m", metric, 21);
        fake.block_values = 128;
        let (_dir, table) = opened(&fake);
        let positions = table.positions();
        assert_ne!(positions % 128, 0, "the last block is a shorter one");
        let ends: Vec<u64> = (0..=positions)
            .filter(|end| (end + 2) % 64 < 5 || *end + 3 > positions)
            .collect();
        for (&side, values) in table.sides().iter().zip(&fake.sides) {
            for &start in &ends {
                for &end in ends.iter().filter(|&&end| end >= start) {
                    let expected = outcomes(&values[start as usize..end as usize]);
                    assert!(read(&table, side, start..end) == expected, "{start}..{end}");
                }
            }
        }
    }
}

#[test]
fn what_is_not_stored_is_an_error() {
    let (_dir, table) = opened(&fake("1k-1k", Metric::Wld, 21));
    let positions = table.positions();
    let mut into = Outcomes::new(3);
    for (side, range) in [
        (Color::Black, 0..1),
        (Color::Black, 0..0),
        (Color::White, 0..positions + 1),
        (Color::White, positions..positions + 1),
        (Color::White, 0..u64::MAX),
    ] {
        let error = table.read_outcomes(side, range.clone(), &mut into);
        let refused = matches!(error, Err(TableError::NoSuchPosition { .. }));
        assert!(refused, "{side:?} {range:?}: {error:?}");
        assert!(into.is_empty());
    }
    for empty in [0..0, positions..positions] {
        assert!(read(&table, Color::White, empty).is_empty());
    }
}

#[test]
fn only_the_blocks_of_the_range_are_touched() {
    let mut fake = fake("1k-1m", Metric::Wld, 4);
    fake.block_values = 64;
    let dir = tempfile::tempdir().expect("a directory");
    let mut bytes = fs::read(fake.write(dir.path()).path).expect("the table");
    // The first block begins behind the header, whose text is "russian".
    bytes[184 + 7 + 4] ^= 1;
    let table = Table::from_source(Box::new(bytes), Path::new("damaged")).expect("a good header");
    let values = &fake.sides[0];
    let rest = read(&table, Color::White, 64..values.len() as u64);
    assert!(rest == outcomes(&values[64..]));
    let error = table.read_outcomes(Color::White, 63..65, &mut Outcomes::default());
    let found = matches!(&error, Err(TableError::DamagedBlock { block, .. }) if block.number == 0);
    assert!(found, "{error:?}");
}

#[test]
fn planes_give_the_bytes_of_values_on_any_number_of_threads() {
    for (class, block_values) in [
        ("1k-1m", 64),
        ("1m1k-1k", 64),
        ("1m1k-1k", 16_384),
        ("2k-1m1k", 256),
        ("1k-1k", 1024),
    ] {
        let mut fake = fake(class, Metric::Wld, 33);
        fake.block_values = block_values;
        let dir = tempfile::tempdir().expect("a directory");
        let one_by_one = fake.write(dir.path());
        let bytes = fs::read(&one_by_one.path).expect("the table");
        fs::remove_file(&one_by_one.path).expect("removed");
        for threads in [1, 2, 4] {
            let at_once = in_pool(threads, || write_planes(&fake, dir.path()));
            assert_eq!(at_once, one_by_one, "{class}, {threads} threads");
            assert!(fs::read(&at_once.path).expect("the table") == bytes);
        }
        fake.assert_readable(&one_by_one.path);
    }
}

#[test]
fn bits_behind_the_last_value_do_not_matter() {
    let fake = fake("1k-1m", Metric::Wld, 3);
    let dir = tempfile::tempdir().expect("a directory");
    let right = fake.write(dir.path());
    let mut writer = fake.writer(dir.path()).expect("create");
    for values in &fake.sides {
        let side = outcomes(values);
        let [win, loss] = [side.win(), side.loss()].map(|plane| {
            let mut plane = [plane, &[u64::MAX; 2]].concat();
            let last = side.len() as usize / 64;
            plane[last] |= u64::MAX << (side.len() % 64);
            plane
        });
        writer.push_outcomes(&win, &loss, side.len()).expect("push");
    }
    assert_eq!(writer.finish().expect("finish"), right);
}

/// The error of writing the table with its planes changed.
fn attempt(change: impl FnOnce(&mut Vec<u64>, &mut Vec<u64>, &mut u64)) -> WriteError {
    let mut fake = fake("1m1k-1k", Metric::Wld, 5);
    fake.block_values = 64;
    let dir = tempfile::tempdir().expect("a directory");
    let mut writer = fake.writer(dir.path()).expect("create");
    let side = outcomes(&fake.sides[0]);
    let (mut win, mut loss, mut len) = (side.win().to_vec(), side.loss().to_vec(), side.len());
    change(&mut win, &mut loss, &mut len);
    let pushed = writer.push_outcomes(&win, &loss, len);
    let error = pushed.err().or_else(|| writer.finish().err());
    error.expect("wrong outcomes")
}

#[test]
fn wrong_outcomes_are_refused() {
    let text = |error: WriteError| {
        let inconsistent = matches!(error, WriteError::Inconsistent { .. });
        assert!(inconsistent, "{error}");
        error.to_string()
    };
    for at in [0, 1000, 4_097, 20_000] {
        let error = text(attempt(|win, loss, _| {
            // In several blocks, of which the first is named.
            for at in [at, at + 3, at + 64, at + 1000] {
                win[at / 64] |= 1 << (at % 64);
                loss[at / 64] |= 1 << (at % 64);
            }
        }));
        assert!(error.contains(&format!("position {at} is both")), "{error}");
    }
    let error = text(attempt(|win, loss, _| {
        let draw = win.iter().zip(&*loss).position(|(w, l)| w | l != u64::MAX);
        let word = draw.expect("not all are decided");
        win[word] |= !(win[word] | loss[word]);
    }));
    assert!(error.contains("other wins"), "{error}");
    let error = text(attempt(|win, loss, _| std::mem::swap(win, loss)));
    assert!(error.contains("other wins"), "{error}");
    let error = text(attempt(|win, _, _| win.truncate(9)));
    assert!(error.contains("in 9 words"), "{error}");
    let error = text(attempt(|_, loss, _| loss.clear()));
    assert!(error.contains("in 0 words"), "{error}");
    let error = text(attempt(|_, _, len| *len -= 1));
    assert!(error.contains("fewer values"), "{error}");
}

#[test]
fn more_outcomes_than_the_class_has_are_refused() {
    let fake = fake("1k-1k", Metric::Wld, 5);
    let dir = tempfile::tempdir().expect("a directory");
    let mut writer = fake.writer(dir.path()).expect("create");
    let side = outcomes(&[fake.sides[0].as_slice(), &fake.sides[0]].concat());
    let error = writer.push_outcomes(side.win(), side.loss(), side.len());
    let error = error.expect_err("twice the class").to_string();
    assert!(error.contains("more values"), "{error}");
}

#[test]
fn distances_cannot_be_made_of_outcomes() {
    let fake = fake("1k-1k", Metric::Dtw, 5);
    let dir = tempfile::tempdir().expect("a directory");
    let mut writer = fake.writer(dir.path()).expect("create");
    let side = outcomes(&fake.sides[0]);
    let error = writer.push_outcomes(side.win(), side.loss(), side.len());
    assert!(matches!(
        error,
        Err(WriteError::OtherMetric {
            metric: Metric::Dtw,
            ..
        })
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_range_is_read(seed: u64, wld: bool, start in 0..1000_u64, len in 0..1000_u64) {
        let mut fake = fake("1k-1m", if wld { Metric::Wld } else { Metric::Dtw }, seed);
        fake.lengthen();
        fake.block_values = 64 << (seed % 4);
        let (_dir, table) = opened(&fake);
        let start = start.min(table.positions());
        let end = (start + len).min(table.positions());
        for (&side, values) in table.sides().iter().zip(&fake.sides) {
            let expected = outcomes(&values[start as usize..end as usize]);
            prop_assert_eq!(read(&table, side, start..end), expected);
        }
    }

    #[test]
    fn planes_and_values_in_any_chunks_give_the_same_bytes(seed: u64, block in 6..12_u32) {
        let mut fake = fake("1k-1m", Metric::Wld, seed);
        fake.block_values = 1 << block;
        let dir = tempfile::tempdir().expect("a directory");
        let expected = fake.write(dir.path());
        let all = fake.sides.concat();
        let mut random = Random(seed | 1);
        let mut writer = fake.writer(dir.path()).expect("create");
        let mut rest = all.as_slice();
        // Chunks end anywhere, beyond a side too.
        while !rest.is_empty() {
            let most = random.below(1500) as usize;
            let (now, later) = rest.split_at(most.min(rest.len()));
            if random.below(4) == 0 {
                writer.push(now).expect("push");
            } else {
                let planes = outcomes(now);
                let pushed = writer.push_outcomes(planes.win(), planes.loss(), planes.len());
                pushed.expect("right outcomes");
            }
            rest = later;
        }
        prop_assert_eq!(writer.finish().expect("finish"), expected);
        fake.assert_readable(&dir.path().join("russian/1k-1m.wld"));
    }
}

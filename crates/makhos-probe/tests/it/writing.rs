//! What the writer promises.

use std::fs;
use std::path::Path;

use makhos_probe::{Metric, PackedDtw, SideStatistics, TableSpec, TableWriter, WriteError};
use proptest::prelude::*;

use crate::fake::fake;

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir.join("russian")).expect("the variant's directory");
    entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

#[test]
fn the_same_values_give_the_same_bytes_in_any_chunks() {
    let fake = fake("1m1k-1k", Metric::Dtw, 7);
    let dir = tempfile::tempdir().expect("a directory");
    let whole = fake.write(dir.path());
    let first = fs::read(&whole.path).expect("the table");
    let all: Vec<_> = fake.sides.concat();
    for chunk in [1, 777, 4096, 100_000] {
        let mut writer = fake.writer(dir.path()).expect("create");
        for values in all.chunks(chunk) {
            writer.push(values).expect("push");
        }
        let again = writer.finish().expect("finish");
        assert_eq!(again, whole);
        assert!(fs::read(&again.path).expect("the table") == first);
    }
    assert_eq!(whole.bytes, first.len() as u64);
    assert_eq!(names(dir.path()), ["1m1k-1k.dtw"]);
}

#[test]
fn nothing_is_left_of_an_unfinished_table() {
    let fake = fake("1m-1m", Metric::Wld, 3);
    let dir = tempfile::tempdir().expect("a directory");
    let mut writer = fake.writer(dir.path()).expect("create");
    writer.push(&fake.sides[0][..100]).expect("push");
    assert_eq!(names(dir.path()).len(), 1);
    let error = writer.finish().expect_err("values are missing");
    assert!(error.to_string().contains("fewer values"), "{error}");
    assert!(names(dir.path()).is_empty());
}

#[test]
fn an_unfinished_table_does_not_touch_the_finished_one() {
    let old = fake("1m-1m", Metric::Wld, 3);
    let dir = tempfile::tempdir().expect("a directory");
    let path = old.write(dir.path()).path;
    let new = fake("1m-1m", Metric::Wld, 4);
    drop(new.writer(dir.path()).expect("create"));
    old.assert_readable(&path);
    new.write(dir.path());
    new.assert_readable(&path);
}

#[test]
fn wrong_values_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let attempt = |change: &dyn Fn(&mut Vec<PackedDtw>)| {
        let fake = fake("1k-1k", Metric::Dtw, 5);
        let mut values = fake.sides[0].clone();
        change(&mut values);
        let mut writer = fake.writer(dir.path()).expect("create");
        let error = writer.push(&values).err().or_else(|| writer.finish().err());
        error.expect("wrong values").to_string()
    };
    let text = attempt(&|values| values.push(PackedDtw::DRAW));
    assert!(text.contains("more values"), "{text}");
    let text = attempt(&|values| values[3] = PackedDtw::from_bits(999));
    assert!(text.contains("longer than the longest"), "{text}");
    let text = attempt(&|values| values.fill(PackedDtw::DRAW));
    assert!(text.contains("other wins"), "{text}");
    let text = attempt(&|values| values.reverse());
    assert!(text.contains("longest distances"), "{text}");
    assert!(names(dir.path()).is_empty());
}

#[test]
fn impossible_tables_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let fake = fake("1k-1k", Metric::Wld, 1);
    let create = |class: &str, statistics: &[SideStatistics], block| {
        let spec = TableSpec {
            material: class.parse().expect("well-formed"),
            ..fake.spec
        };
        TableWriter::create_with_blocks(dir.path(), &spec, statistics, block)
    };
    let good = fake.statistics();
    for class in ["1m-1k", "30m-1k"] {
        let result = create(class, &good, 4096);
        assert!(matches!(result, Err(WriteError::Class { .. })), "{class}");
    }
    for (class, statistics, block) in [
        ("1k-1k", &good[..0], 4096),
        ("1k-1m", &good, 4096),
        ("1m-1m", &good, 4096),
        ("1k-1k", &good, 4095),
        ("1k-1k", &good, 32),
    ] {
        let result = create(class, statistics, block);
        assert!(
            matches!(result, Err(WriteError::Inconsistent { .. })),
            "{class} {block}"
        );
    }
    assert!(create("1k-1k", &good, 64).is_ok());
}

#[test]
fn longest_distances_and_sizes_of_every_codec_round_trip() {
    let dir = tempfile::tempdir().expect("a directory");
    for bits in [254, 255, 256, 257, 65_000, 65_001] {
        let mut fake = fake("1k-1m", Metric::Dtw, 11);
        fake.sides[1][123] = PackedDtw::from_bits(bits);
        let path = fake.write(dir.path()).path;
        fake.assert_readable(&path);
    }
    let mut fake = fake("1k-1m", Metric::Dtw, 11);
    fake.sides[1][123] = PackedDtw::from_bits(65_002);
    assert!(matches!(
        fake.writer(dir.path()),
        Err(WriteError::Inconsistent { .. })
    ));
}

#[cfg(unix)]
#[test]
fn tables_are_as_readable_as_other_files() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().expect("a directory");
    let path = fake("1k-1k", Metric::Wld, 1).write(dir.path()).path;
    fs::write(dir.path().join("plain"), "").expect("write");
    let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode();
    assert_eq!(mode(&path), mode(&dir.path().join("plain")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn what_is_written_is_read(seed: u64, long: bool, wld: bool, small_blocks: bool) {
        let metric = if wld { Metric::Wld } else { Metric::Dtw };
        let mut fake = fake("1k-1m", metric, seed);
        if long {
            fake.lengthen();
        }
        if small_blocks {
            fake.block_values = 64;
        }
        let dir = tempfile::tempdir().expect("a directory");
        let path = fake.write(dir.path()).path;
        fake.assert_readable(&path);
    }
}

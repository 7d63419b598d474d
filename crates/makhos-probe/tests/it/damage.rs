//! Damaged, foreign and swapped files: each is an error or harmless, never a wrong value.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use makhos_index::Material;
use makhos_probe::{
    Access, Metric, Outcomes, PackedDtw, ProbeError, Table, TableError, TableSpec, TableWriter,
    Tablebase,
};
use makhos_rules::{Color, Position, RuleSet, variant};
use proptest::prelude::*;

use crate::fake::{Fake, Random, fake, statistics};

/// A table with several blocks and its bytes. Small, since it is read once for every bit of it.
fn small(metric: Metric) -> (Fake, Vec<u8>) {
    let mut fake = fake("1k-1m", metric, 5);
    fake.block_values = 256;
    // Longer runs make a smaller file.
    for values in &mut fake.sides {
        for run in values.chunks_mut(40) {
            let first = run[0];
            run.fill(first);
        }
    }
    let dir = tempfile::tempdir().expect("a directory");
    let bytes = fs::read(fake.write(dir.path()).path).expect("the table");
    (fake, bytes)
}

fn open(bytes: Vec<u8>) -> Result<Table, TableError> {
    Table::from_source(Box::new(bytes), Path::new("damaged"))
}

/// Whether the bytes are an error somewhere. Every value that is read must be the right one.
fn is_refused(fake: &Fake, bytes: Vec<u8>) -> bool {
    let Ok(table) = open(bytes) else {
        return true;
    };
    let spec = &fake.spec;
    if table
        .expect(&spec.rules, spec.material, spec.metric)
        .is_err()
    {
        return true;
    }
    let mut refused = false;
    for (&side, values) in table.sides().iter().zip(&fake.sides) {
        assert_eq!(table.positions(), values.len() as u64);
        // One value of each block is enough to notice another block.
        for (index, value) in values.iter().enumerate().step_by(64) {
            match table.wld(side, index as u64) {
                Ok(read) => assert_eq!(read, value.wld()),
                Err(_) => refused = true,
            }
        }
        let mut index = 0;
        let all = table.for_each_value(side, |read| {
            assert_eq!(read.wld(), values[index].wld());
            index += 1;
        });
        assert_eq!(all.is_ok(), index == values.len());
        refused |= all.is_err();
        let mut outcomes = Outcomes::default();
        let at_once = table.read_outcomes(side, 0..table.positions(), &mut outcomes);
        assert_eq!(at_once.is_ok(), all.is_ok());
        // What stands before the damage is right.
        for at in 0..outcomes.len() {
            assert_eq!(outcomes.get(at), values[at as usize].wld());
        }
    }
    refused | table.verify_digest(|_| ()).is_err()
}

#[test]
fn every_truncation_is_noticed_when_opening() {
    for metric in Metric::ALL {
        let (_, bytes) = small(metric);
        for len in 0..bytes.len() {
            assert!(open(bytes[..len].to_vec()).is_err(), "{len} bytes");
        }
        assert!(open([&bytes[..], &[0]].concat()).is_err(), "one byte more");
        assert!(open([&bytes[..], &bytes[..]].concat()).is_err(), "twice");
        assert!(open(bytes).is_ok());
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    for metric in Metric::ALL {
        let (fake, bytes) = small(metric);
        assert!(!is_refused(&fake, bytes.clone()));
        let header = 184 + "russian".len() + 4;
        let digest = bytes.len() - 48;
        // Two sides of 868 values in blocks of 256.
        let index = digest - 4 - 8 * 8;
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            // Header, index and the footer but for its digest are checked at once.
            let byte = bit / 8;
            let at_once = byte < header || (index..digest).contains(&byte) || byte >= digest + 32;
            assert_eq!(
                open(damaged.clone()).is_err(),
                at_once,
                "bit {bit} of {metric}"
            );
            assert!(is_refused(&fake, damaged), "bit {bit} of {metric}");
        }
    }
}

#[test]
fn swapped_blanked_and_repeated_parts_are_noticed() {
    let (fake, bytes) = small(Metric::Dtw);
    let mut random = Random(99);
    for _ in 0..2000 {
        let mut damaged = bytes.clone();
        let len = 1 + random.below(64) as usize;
        let from = random.below((bytes.len() - len) as u64) as usize;
        let to = random.below((bytes.len() - len) as u64) as usize;
        match random.below(3) {
            0 => damaged[to..to + len].fill(0),
            1 => damaged.copy_within(from..from + len, to),
            _ => {
                damaged.drain(from..from + len);
            }
        }
        assert_eq!(is_refused(&fake, damaged.clone()), damaged != bytes);
    }
}

#[test]
fn random_bytes_are_no_table() {
    let mut random = Random(7);
    for round in 0..10_000 {
        let len = random.below(600) as usize;
        let mut bytes: Vec<u8> = (0..len).map(|_| random.below(256) as u8).collect();
        if round % 2 == 0 {
            // Past the first check.
            bytes.splice(..len.min(10), *b"\x89MAKHOS\n\x01\x00");
        }
        assert!(open(bytes).is_err());
    }
}

/// Gives the header the checksum that fits it.
pub(crate) fn seal_header(bytes: &mut [u8]) {
    let text = u32::from_le_bytes(bytes[36..40].try_into().expect("four bytes"));
    let end = 184 + text as usize;
    if let Some((body, [a, b, c, d, ..])) = bytes.split_at_mut_checked(end) {
        [*a, *b, *c, *d] = crc32fast::hash(body).to_le_bytes();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// A header written on purpose: no panic and no large allocation, whatever it claims.
    #[test]
    fn forged_headers_are_harmless(changes in prop::collection::vec((10..184_usize, any::<u8>()), 1..6)) {
        thread_local!(static SMALL: (Fake, Vec<u8>) = small(Metric::Dtw));
        SMALL.with(|(_, bytes)| {
            let mut forged = bytes.clone();
            for &(at, byte) in &changes {
                forged[at] = byte;
            }
            seal_header(&mut forged);
            let changed = forged != *bytes;
            if let Ok(table) = open(forged) {
                for &side in table.sides() {
                    // Errors are fine here: the values do not belong to this header.
                    let _ = table.for_each_value(side, |_| ());
                    let _ = table.wld(side, table.positions() - 1);
                }
                let _ = table.load();
                prop_assert_eq!(table.verify_digest(|_| ()).is_err(), changed);
            }
            Ok(())
        })?;
    }
}

#[test]
fn a_newer_format_is_refused_with_advice() {
    let (_, mut bytes) = small(Metric::Wld);
    bytes[8] = 3;
    let error = open(bytes).expect_err("format 3");
    assert!(matches!(
        error,
        TableError::NewerFormat {
            version: 3,
            supported: 2,
            ..
        }
    ));
    assert!(error.to_string().contains("use a newer Makhos"), "{error}");
}

#[test]
fn errors_name_file_and_block() {
    let (fake, mut bytes) = small(Metric::Dtw);
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let table = open(bytes).expect("only a block is damaged");
    let errors: Vec<_> = fake.sides[0]
        .iter()
        .enumerate()
        .flat_map(|(index, _)| {
            let sides = [Color::White, Color::Black];
            sides.map(|side| table.dtw(side, index as u64))
        })
        .filter_map(Result::err)
        .collect();
    assert_eq!(errors.len(), 256, "the positions of one block");
    let text = errors[0].to_string();
    assert!(text.starts_with("damaged: damaged block "), "{text}");
    let advice = "delete the file, then generate it again";
    assert!(text.ends_with(advice), "{text}");
    let digest = table.verify_digest(|_| ()).expect_err("the same block");
    assert!(matches!(digest, TableError::DamagedBlock { .. }));
}

/// Reads values of so many blocks of another table that this thread keeps none of any other.
fn evict_kept_blocks() {
    let mut other = fake("1k-1m", Metric::Wld, 8);
    other.block_values = 64;
    let dir = tempfile::tempdir().expect("a directory");
    let path = other.write(dir.path()).path;
    for _ in 0..40 {
        let table = Table::open(&path, Access::Read).expect("good");
        for index in (0..table.positions()).step_by(64) {
            table.wld(Color::White, index).expect("good");
        }
    }
}

/// Every byte of every block is changed in place after its block has been used.
#[test]
fn a_file_changed_while_it_is_open_for_reading_never_gives_a_wrong_value() {
    for metric in Metric::ALL {
        let (fake, bytes) = small(metric);
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("table");
        fs::write(&path, &bytes).expect("written");
        let table = Table::open(&path, Access::Read).expect("good");
        let read_all = || {
            let mut refused = 0;
            for (&side, values) in table.sides().iter().zip(&fake.sides) {
                for (index, value) in values.iter().enumerate().step_by(64) {
                    match table.wld(side, index as u64) {
                        Ok(read) => assert_eq!(read, value.wld()),
                        Err(TableError::DamagedBlock { .. }) => refused += 1,
                        Err(other) => panic!("{other}"),
                    }
                }
            }
            refused
        };
        assert_eq!(read_all(), 0);
        let header = 184 + "russian".len() + 4;
        let index = bytes.len() - 52 - 8 * 8;
        for at in (header..index).step_by(29) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x41;
            // Not truncated, so that it is the file that is open.
            let mut file = fs::File::options().write(true).open(&path).expect("there");
            file.write_all(&changed).expect("written");
            evict_kept_blocks();
            assert!(read_all() > 0, "byte {at} of {metric}");
            // A walk over all values looks at the file as well.
            let walked = table
                .sides()
                .iter()
                .map(|&side| table.for_each_value(side, |_| ()));
            assert!(
                walked.filter(Result::is_err).count() == 1,
                "byte {at} of {metric}"
            );
            assert!(table.load().is_err(), "byte {at} of {metric}");
        }
        fs::write(&path, &bytes).expect("written");
        evict_kept_blocks();
        assert_eq!(read_all(), 0);
    }
}

#[test]
fn positions_that_are_not_stored_are_errors() {
    let fake = fake("1k-1k", Metric::Wld, 2);
    let dir = tempfile::tempdir().expect("a directory");
    let table = Table::open(&fake.write(dir.path()).path, Default::default()).expect("good");
    for (side, index) in [
        (Color::White, 992),
        (Color::White, u64::MAX),
        (Color::Black, 0),
    ] {
        let error = table.wld(side, index).expect_err("not stored");
        assert!(matches!(error, TableError::NoSuchPosition { .. }));
    }
    let error = table.dtw(Color::White, 0).expect_err("no distances");
    assert!(matches!(
        error,
        TableError::OtherMetric {
            found: Metric::Wld,
            ..
        }
    ));
}

/// A table of draws.
fn draws(dir: &Path, rules: RuleSet, class: &str, metric: Metric) -> PathBuf {
    let material = class.parse().expect("well-formed");
    let mut fake = fake(class, metric, 1);
    fake.spec = TableSpec {
        rules,
        material,
        metric,
    };
    for values in &mut fake.sides {
        values.fill(Default::default());
    }
    fake.write(dir).path
}

fn probe(rules: RuleSet, dir: &Path) -> ProbeError {
    let tables = Tablebase::<u32>::open(rules, dir).expect("a directory");
    let position = Position::new(0, 1 << 31, 0, 1, Color::White).expect("valid");
    tables.probe_wld(&position).expect_err("a swapped file")
}

#[test]
fn swapped_files_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let russian = variant::RUSSIAN;
    let right = draws(dir.path(), russian, "1k-1k", Metric::Wld);
    let tables = Tablebase::<u32>::open(russian, dir.path()).expect("a directory");
    let quiet = Position::new(0, 1 << 31, 0, 1, Color::White).expect("valid");
    assert!(tables.probe_wld(&quiet).is_ok());

    let other_class = draws(dir.path(), russian, "1k-1m", Metric::Wld);
    fs::copy(other_class, &right).expect("copy");
    let error = probe(russian, dir.path());
    assert!(
        matches!(error, ProbeError::Table(TableError::OtherClass { .. })),
        "{error}"
    );

    let other_metric = draws(dir.path(), russian, "1k-1k", Metric::Dtw);
    fs::copy(other_metric, &right).expect("copy");
    let error = probe(russian, dir.path());
    assert!(
        matches!(error, ProbeError::Table(TableError::OtherMetric { .. })),
        "{error}"
    );

    let other_rules = draws(dir.path(), variant::CZECH, "1k-1k", Metric::Wld);
    fs::copy(other_rules, &right).expect("copy");
    let error = probe(russian, dir.path());
    assert!(
        matches!(error, ProbeError::Table(TableError::OtherRules { .. })),
        "{error}"
    );
    assert!(error.to_string().contains("\"czech\""), "{error}");

    fs::write(&right, "").expect("write");
    let error = probe(russian, dir.path());
    assert!(
        matches!(error, ProbeError::Table(TableError::Length { .. })),
        "{error}"
    );
    fs::write(&right, "no table at all").expect("write");
    let error = probe(russian, dir.path());
    assert!(
        matches!(error, ProbeError::Table(TableError::NotATable { .. })),
        "{error}"
    );
}

#[test]
fn tables_of_another_board_or_house_rule_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let thai = variant::THAI;
    let at_end = thai.with_option("removal=end").expect("an option");
    let path = draws(dir.path(), at_end, "1k-1k", Metric::Wld);
    assert!(path.ends_with("thai+removal=end/1k-1k.wld"));
    let table = Table::open(&path, Default::default()).expect("good");
    assert_eq!(table.rules(), "thai removal=end");
    let class: Material = "1k-1k".parse().expect("well-formed");
    assert!(table.expect(&at_end, class, Metric::Wld).is_ok());
    for rules in [thai, variant::INTERNATIONAL] {
        let error = table
            .expect(&rules, class, Metric::Wld)
            .expect_err("other rules");
        assert!(matches!(error, TableError::OtherRules { .. }));
    }
}

/// A class of the same moves under another name has the same values, and its files may be shared.
#[test]
fn rules_that_differ_only_in_notation_share_tables() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = draws(dir.path(), variant::SPANISH, "1k-1k", Metric::Wld);
    let table = Table::open(&path, Default::default()).expect("good");
    let class = "1k-1k".parse().expect("well-formed");
    assert!(
        table
            .expect(&variant::PORTUGUESE, class, Metric::Wld)
            .is_ok()
    );
}

#[test]
fn a_larger_board_has_its_own_counts() {
    let dir = tempfile::tempdir().expect("a directory");
    let spec = TableSpec {
        rules: variant::INTERNATIONAL,
        material: "1k-1k".parse().expect("well-formed"),
        metric: Metric::Wld,
    };
    let values = vec![PackedDtw::DRAW; 50 * 49];
    let statistics = statistics(&values);
    let mut writer = TableWriter::create(dir.path(), &spec, &[statistics]).expect("create");
    writer.push(&values).expect("push");
    let path = writer.finish().expect("finish").path;
    let table = Table::open(&path, Default::default()).expect("good");
    assert_eq!(table.positions(), 2450);
}

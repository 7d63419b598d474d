//! Files of tables of drawing rules: written, read, refused.

use std::fs;
use std::path::Path;

use makhos_index::{Material, PlacementIndex, stored_sides};
use makhos_probe::{
    Access, Dtz, DtzSpec, Metric, Outcomes, PackedDtw, Plies, ProbeError, SideStatistics, Table,
    TableError, TableSpec, TableWriter, Tablebase, WriteError, draw_directory, verify_values,
};
use makhos_rules::draw::{Balance, Clock, DrawRules, Resets, official};
use makhos_rules::{Color, RuleSet, variant};

use crate::damage::seal_header;
use crate::fake::{Random, fake, statistics};

/// One clock for all material, and a road on which a king against a king is counted.
pub(crate) const ROAD_RULES: &str = "clock any plies=60 resets=capture,promotion,man-move\n\
                                     road pieces=1 plies=4";

pub(crate) fn draw_rules(text: &str) -> DrawRules {
    text.parse().expect("well-formed")
}

pub(crate) fn material(class: &str) -> Material {
    class.parse().expect("well-formed")
}

/// A table of values under drawing rules.
pub(crate) struct DtzFake {
    pub(crate) rules: RuleSet,
    pub(crate) draw_rules: DrawRules,
    pub(crate) material: Material,
    pub(crate) road: u8,
    /// The values of every stored side.
    pub(crate) sides: Vec<Vec<Dtz>>,
}

impl DtzFake {
    /// Made-up values that need up to `limit` plies.
    pub(crate) fn new(rules: RuleSet, text: &str, class: &str, road: u8, limit: u64) -> Self {
        let material = material(class);
        let positions = PlacementIndex::<u32>::new(material).expect("fits").len() as usize;
        let mut random = Random(u64::from(road) * 1000 + limit + 1);
        let mut value = || {
            let plies = |least: u64, random: &mut Random| {
                Plies::new((least + random.below(limit + 1 - least)) as u16)
            };
            match random.below(3) {
                0 => Dtz::Win(plies(1, &mut random)),
                1 => Dtz::Loss(plies(0, &mut random)),
                _ => Dtz::Draw,
            }
        };
        let sides = stored_sides(material).iter();
        let sides = sides.map(|_| (0..positions).map(|_| value()).collect());
        Self {
            rules,
            draw_rules: draw_rules(text),
            material,
            road,
            sides: sides.collect(),
        }
    }

    pub(crate) fn spec(&self) -> DtzSpec<'_> {
        DtzSpec {
            rules: &self.rules,
            draw_rules: &self.draw_rules,
            material: self.material,
            road: self.road,
        }
    }

    fn packed(&self) -> Vec<Vec<PackedDtw>> {
        let side = |values: &Vec<Dtz>| values.iter().map(|value| value.pack()).collect();
        self.sides.iter().map(side).collect()
    }

    fn statistics(&self) -> Vec<SideStatistics> {
        self.packed().iter().map(|side| statistics(side)).collect()
    }

    fn writer(&self, dir: &Path) -> Result<TableWriter, WriteError> {
        // Small blocks, so that reading crosses their borders.
        TableWriter::create_dtz_with_blocks(dir, &self.spec(), &self.statistics(), 256)
    }

    pub(crate) fn write(&self, dir: &Path) -> std::path::PathBuf {
        let mut writer = self.writer(dir).expect("create");
        for values in self.packed() {
            writer.push(&values).expect("push");
        }
        writer.finish().expect("finish").path
    }

    fn bytes(&self) -> Vec<u8> {
        let dir = tempfile::tempdir().expect("a directory");
        fs::read(self.write(dir.path())).expect("the table")
    }

    /// Whether the bytes are an error somewhere. Every value that is read must be the right one.
    fn is_refused(&self, bytes: Vec<u8>) -> bool {
        let Ok(table) = open(bytes) else {
            return true;
        };
        if table.expect_dtz(&self.spec()).is_err() {
            return true;
        }
        let mut refused = false;
        for (&side, values) in table.sides().iter().zip(&self.sides) {
            assert_eq!(table.positions(), values.len() as u64);
            for (index, value) in values.iter().enumerate().step_by(64) {
                match table.dtz(side, index as u64) {
                    Ok(read) => assert_eq!(read, *value),
                    Err(_) => refused = true,
                }
            }
        }
        refused | table.verify_digest(|_| ()).is_err()
    }
}

fn open(bytes: Vec<u8>) -> Result<Table, TableError> {
    Table::from_source(Box::new(bytes), Path::new("table"))
}

fn small() -> DtzFake {
    DtzFake::new(variant::RUSSIAN, ROAD_RULES, "1k-1k", 3, 60)
}

#[test]
fn what_is_written_is_read() {
    let dir = tempfile::tempdir().expect("a directory");
    for fake in [
        small(),
        DtzFake::new(variant::ENGLISH, "", "1k-1m", 0, 30_000),
        DtzFake::new(variant::ENGLISH, ROAD_RULES, "1m-1m", 0, 2),
    ] {
        let path = fake.write(dir.path());
        for access in [Access::Map, Access::Read] {
            let table = Table::open(&path, access).expect("a good table");
            table.expect_dtz(&fake.spec()).expect("this very table");
            assert_eq!(table.metric(), Metric::Dtz);
            assert_eq!(table.rules(), fake.rules.name);
            assert_eq!(table.draw_rules(), Some(&*fake.draw_rules.value_text()));
            assert_eq!(table.road(), fake.road);
            assert!(table.has_capture_values());
            let loaded = table.load().expect("good blocks");
            for ((&side, values), statistics) in
                table.sides().iter().zip(&fake.sides).zip(fake.statistics())
            {
                assert_eq!(table.statistics(side), Some(&statistics));
                let mut read = Vec::new();
                let all = table.for_each_value(side, |value| read.push(Dtz::unpack(value)));
                all.expect("good blocks");
                assert!(read == *values);
                for (index, &value) in (0..).zip(values) {
                    assert_eq!(table.dtz(side, index).expect("stored"), value);
                    assert_eq!(Dtz::unpack(loaded.get(side, index)), value);
                }
            }
            table.verify_digest(|_| ()).expect("an intact file");
        }
    }
}

#[test]
fn the_statistics_tell_what_is_needed() {
    let table = open(small().bytes()).expect("good");
    let statistics = table.statistics(Color::White).expect("stored");
    assert_eq!(statistics.longest_needed_win(), Some(Plies::new(60)));
    assert_eq!(statistics.longest_needed_loss(), Some(Plies::new(60)));
}

#[test]
fn header_fields_lie_where_the_specification_says() {
    let bytes = small().bytes();
    assert_eq!(bytes[8..16], [2, 0, 3, 1, 2, 1, 8, 1]);
    assert_eq!(bytes[44..48], [3, 0, 0, 0], "plies on the road");
    let text = "russian\nclock plies=60 material=any resets=capture,promotion,man-move\n\
                road pieces=1 plies=4";
    assert_eq!(bytes[36..40], (text.len() as u32).to_le_bytes());
    assert_eq!(&bytes[184..184 + text.len()], text.as_bytes());
    // A win that needs n plies is 2n, a loss 2n + 1.
    let fake = small();
    let block = bytes.len() - 52 - 8 * 4;
    let len = u32::from_le_bytes(bytes[block..block + 4].try_into().expect("four bytes"));
    let start = 184 + text.len() + 4;
    let stored = &bytes[start..start + len as usize];
    let packed = zstd::bulk::decompress(stored, 256).expect("a zstd frame");
    let expected = fake.sides[0].iter().map(|value| match value {
        Dtz::Draw => 0,
        Dtz::Win(plies) => 2 * plies.get() as u8,
        Dtz::Loss(plies) => 2 * plies.get() as u8 + 1,
    });
    assert!(packed.iter().copied().eq(expected.take(256)));
}

#[test]
fn the_file_lies_in_the_directory_of_its_drawing_rules() {
    let dir = tempfile::tempdir().expect("a directory");
    let fake = small();
    let path = fake.write(dir.path());
    let directory = draw_directory(&fake.rules, &fake.draw_rules);
    assert_eq!(path, dir.path().join(&directory).join("1k-1k.3.dtz"));
    let names: Vec<_> = fs::read_dir(dir.path().join(directory))
        .expect("made")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(names, ["1k-1k.3.dtz"], "and nothing beside it");
}

#[test]
fn the_same_values_give_the_same_bytes_in_any_chunks() {
    let fake = DtzFake::new(variant::RUSSIAN, ROAD_RULES, "1k-1m", 0, 60);
    let first = fake.bytes();
    let dir = tempfile::tempdir().expect("a directory");
    for chunk in [1, 777, 10_000] {
        let mut writer = fake.writer(dir.path()).expect("create");
        for values in fake.packed().concat().chunks(chunk) {
            writer.push(values).expect("push");
        }
        let path = writer.finish().expect("finish").path;
        assert!(fs::read(path).expect("the table") == first);
    }
}

#[test]
fn outcomes_and_distances_are_not_read_from_it() {
    let table = open(small().bytes()).expect("good");
    let refused = |result: Result<(), TableError>, metric: Metric| match result {
        Err(TableError::OtherMetric {
            expected, found, ..
        }) => assert_eq!((expected, found), (metric, Metric::Dtz)),
        other => panic!("{other:?}"),
    };
    refused(table.wld(Color::White, 0).map(|_| ()), Metric::Wld);
    refused(table.dtw(Color::White, 0).map(|_| ()), Metric::Dtw);
    let mut outcomes = Outcomes::new(5);
    refused(
        table.read_outcomes(Color::White, 0..10, &mut outcomes),
        Metric::Wld,
    );
    assert!(outcomes.is_empty());
    let error = table.dtz(Color::Black, 0).expect_err("not stored");
    assert!(matches!(error, TableError::NoSuchPosition { .. }));

    let other = fake("1k-1k", Metric::Dtw, 1);
    let dir = tempfile::tempdir().expect("a directory");
    let other = Table::open(&other.write(dir.path()).path, Access::Read).expect("good");
    assert_eq!((other.road(), other.draw_rules()), (0, None));
    assert!(matches!(
        other.dtz(Color::White, 0),
        Err(TableError::OtherMetric {
            expected: Metric::Dtz,
            found: Metric::Dtw,
            ..
        })
    ));
}

#[test]
fn only_its_own_name_is_right_for_it() {
    let fake = small();
    let table = open(fake.bytes()).expect("good");
    let spec = fake.spec();
    assert!(table.expect_dtz(&spec).is_ok());
    // Names, articles and repetition decide no values.
    let renamed = draw_rules(&format!("repetition times=5\n{ROAD_RULES} # Article 1"));
    assert!(
        table
            .expect_dtz(&DtzSpec {
                draw_rules: &renamed,
                ..spec
            })
            .is_ok()
    );
    let other = draw_rules(&ROAD_RULES.replace("60", "61"));
    let error = table
        .expect_dtz(&DtzSpec {
            draw_rules: &other,
            ..spec
        })
        .expect_err("other drawing rules");
    let TableError::OtherDrawRules {
        expected, found, ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(*expected, other.value_text());
    assert_eq!(*found, fake.draw_rules.value_text());
    let text = error.to_string();
    assert!(
        text.contains("man-move; road pieces=1 plies=4\", not \"clock plies=61"),
        "{text}"
    );
    let error = table
        .expect_dtz(&DtzSpec { road: 2, ..spec })
        .expect_err("another road");
    let is_right = |error: &TableError| {
        matches!(
            error,
            TableError::OtherRoad {
                expected: 2,
                found: 3,
                ..
            }
        )
    };
    assert!(is_right(&error), "{error}");
    let rules = variant::ENGLISH;
    let error = table
        .expect_dtz(&DtzSpec {
            rules: &rules,
            ..spec
        })
        .expect_err("other moves");
    assert!(matches!(&error, TableError::OtherRules { found, .. } if found == "russian"));
    let error = table
        .expect_dtz(&DtzSpec {
            material: material("1k-1m"),
            ..spec
        })
        .expect_err("another class");
    assert!(matches!(error, TableError::OtherClass { .. }));
}

#[test]
fn without_drawing_rules_no_name_is_right_for_it() {
    let fake = small();
    let table = open(fake.bytes()).expect("good");
    let expect = |metric| table.expect(&fake.rules, fake.material, metric);
    assert!(matches!(
        expect(Metric::Dtz),
        Err(TableError::NeedsDrawRules { found, .. }) if found == fake.draw_rules.value_text()
    ));
    for metric in Metric::ALL {
        assert!(matches!(
            expect(metric),
            Err(TableError::OtherMetric {
                found: Metric::Dtz,
                ..
            })
        ));
    }
    // Nor is any other table right for drawing rules.
    let other = crate::fake::fake("1k-1k", Metric::Dtw, 1);
    let dir = tempfile::tempdir().expect("a directory");
    let other = Table::open(&other.write(dir.path()).path, Access::Read).expect("good");
    assert!(matches!(
        other.expect_dtz(&fake.spec()),
        Err(TableError::OtherMetric {
            expected: Metric::Dtz,
            found: Metric::Dtw,
            ..
        })
    ));
    assert!(matches!(
        other.expect(&fake.rules, fake.material, Metric::Dtz),
        Err(TableError::OtherMetric { .. })
    ));
}

#[test]
fn every_flipped_bit_is_noticed() {
    let fake = small();
    let bytes = fake.bytes();
    assert!(!fake.is_refused(bytes.clone()));
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(fake.is_refused(damaged), "bit {bit}");
    }
    for len in 0..bytes.len() {
        assert!(open(bytes[..len].to_vec()).is_err(), "{len} bytes");
    }
}

/// Headers changed on purpose, with the checksum that fits.
#[test]
fn tampered_headers_are_refused() {
    let fake = small();
    let bytes = fake.bytes();
    let tamper = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        seal_header(&mut bytes);
        open(bytes)
    };
    let other_road = tamper(&|bytes| bytes[44] = 2).expect("a table of another road");
    assert!(matches!(
        other_road.expect_dtz(&fake.spec()),
        Err(TableError::OtherRoad {
            expected: 3,
            found: 2,
            ..
        })
    ));
    // The text of the rules, below its first line.
    let last = 184 + "russian\n".len() + "clock plies=".len();
    let other_rules = tamper(&|bytes| bytes[last] = b'9').expect("a table of other rules");
    assert!(matches!(
        other_rules.expect_dtz(&fake.spec()),
        Err(TableError::OtherDrawRules { .. })
    ));
    let damaged = |change: &dyn Fn(&mut Vec<u8>), part: &str| match tamper(change) {
        Err(error @ TableError::Damaged { .. }) => {
            assert!(error.to_string().contains(part), "{error}");
        }
        other => panic!("{part}: {other:?}"),
    };
    damaged(&|bytes| bytes[45] = 1, "259 plies counted");
    damaged(&|bytes| bytes[10] = 2, "3 plies counted");
    damaged(&|bytes| bytes[12] = 1, "codec and metric");
    damaged(&|bytes| bytes[13] = 0, "incomplete");
    damaged(
        &|bytes| {
            let text = &mut bytes[184..];
            for byte in text.iter_mut().take(100).filter(|byte| **byte == b'\n') {
                *byte = b' ';
            }
        },
        "incomplete",
    );
    damaged(
        &|bytes| bytes[36..40].copy_from_slice(&4097_u32.to_le_bytes()),
        "4097 bytes",
    );
}

#[test]
fn a_road_in_another_table_is_refused() {
    for metric in Metric::ALL {
        let fake = fake("1k-1m", metric, 3);
        let dir = tempfile::tempdir().expect("a directory");
        let mut bytes = fs::read(fake.write(dir.path()).path).expect("the table");
        assert_eq!(bytes[44..48], [0; 4]);
        bytes[44] = 1;
        seal_header(&mut bytes);
        let error = open(bytes).expect_err("a road");
        assert!(matches!(error, TableError::Damaged { .. }), "{error}");
    }
}

#[test]
fn impossible_tables_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let good = small();
    let refuse = |spec: &DtzSpec<'_>| {
        TableWriter::create_dtz(dir.path(), spec, &good.statistics()).expect_err("impossible")
    };
    let error = refuse(&DtzSpec {
        road: 4,
        ..good.spec()
    });
    assert!(
        matches!(
            error,
            WriteError::Road {
                road: 4,
                tables: 4,
                ..
            }
        ),
        "{error}"
    );
    let official = official::of(&variant::RUSSIAN);
    // Not the material of the official rule.
    let error = refuse(&DtzSpec {
        road: 1,
        draw_rules: &DrawRules {
            clocks: Vec::new(),
            ..official.clone()
        },
        ..good.spec()
    });
    assert!(
        matches!(error, WriteError::Road { tables: 1, .. }),
        "{error}"
    );
    // Its clock begins with 10 plies.
    let error = refuse(&DtzSpec {
        road: 0,
        draw_rules: &official,
        ..good.spec()
    });
    assert!(matches!(error, WriteError::Inconsistent { .. }), "{error}");
    let expected = "a result that needs 60 plies of a clock of 10";
    assert!(error.to_string().contains(expected), "{error}");
    let error = refuse(&DtzSpec {
        material: material("1k-1m"),
        road: 0,
        ..good.spec()
    });
    assert!(matches!(error, WriteError::Inconsistent { .. }), "{error}");

    let spec = TableSpec {
        rules: good.rules,
        material: good.material,
        metric: Metric::Dtz,
    };
    let error = TableWriter::create(dir.path(), &spec, &good.statistics()).expect_err("no rules");
    assert!(
        matches!(error, WriteError::NeedsDrawRules { .. }),
        "{error}"
    );
    assert_eq!(fs::read_dir(dir.path()).expect("there").count(), 0);
}

#[test]
fn drawing_rules_must_fit_the_header() {
    let dir = tempfile::tempdir().expect("a directory");
    let clock = Clock {
        name: "any".into(),
        article: "".into(),
        balance: Balance::Any,
        plies: 60,
        resets: Resets::default(),
        runs_on: false,
        claim: makhos_rules::draw::Claim::Automatic,
    };
    let mut fake = small();
    fake.draw_rules.clocks = vec![clock.clone()];
    let mut longest = 0;
    loop {
        let bytes = "russian\n".len() + fake.draw_rules.value_text().len();
        match fake.writer(dir.path()) {
            Ok(_) => {
                assert!(bytes <= 4096);
                // What is accepted can be read again.
                if bytes > 4000 {
                    assert!(!fake.is_refused(fake.bytes()));
                }
                longest = bytes;
            }
            Err(WriteError::LongDrawRules {
                bytes: found, most, ..
            }) => {
                assert_eq!((found, most), (bytes, 4096));
                assert!(bytes > 4096);
                break;
            }
            Err(other) => panic!("{other}"),
        }
        fake.draw_rules.clocks.push(clock.clone());
    }
    assert!(longest > 4000);
}

#[test]
fn wrong_values_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let fake = small();
    let mut writer = fake.writer(dir.path()).expect("create");
    let error = writer
        .push(&[Dtz::Win(Plies::new(61)).pack()])
        .expect_err("more than the longest");
    assert!(
        error.to_string().contains("\"win 61\" is longer"),
        "{error}"
    );
    let mut writer = fake.writer(dir.path()).expect("create");
    let error = writer.push_outcomes(&[0], &[0], 64).expect_err("outcomes");
    assert!(matches!(
        error,
        WriteError::OtherMetric {
            metric: Metric::Dtz,
            ..
        }
    ));
}

#[test]
fn tables_without_drawing_rules_know_nothing_of_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let fake = small();
    let path = fake.write(dir.path());
    // Not even in their own directory.
    fs::copy(path, dir.path().join("russian/1k-1k.dtz")).expect("copy");
    let tables = Tablebase::<u32>::open(fake.rules, dir.path()).expect("a directory");
    assert_eq!((tables.tables(), tables.max_pieces()), (Vec::new(), 0));
    let needs = |result: Result<(), ProbeError>| {
        assert!(matches!(result, Err(ProbeError::NeedsDrawRules { .. })));
    };
    needs(tables.table(fake.material, Metric::Dtz).map(|_| ()));
    needs(verify_values(&tables, fake.material, Metric::Dtz, 1, &|_| ()).map(|_| ()));
}

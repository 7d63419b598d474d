//! Damaged compact tables: each is an error or harmless, never a wrong value where it matters.

use std::fs;
use std::path::Path;

use makhos_index::stored_sides;
use makhos_probe::{Access, Metric, Outcomes, PackedDtw, Table, TableError};
use makhos_rules::Color;
use sha2::{Digest, Sha256};

use crate::compact::{Quiet, bit, quiet_of};
use crate::fake::Random;

/// The kinds of tables there are: their metric, and whether of outcomes one side is stored.
const KINDS: [(Metric, bool); 3] = [
    (Metric::Wld, false),
    (Metric::Wld, true),
    (Metric::Dtw, false),
];

/// A table with several blocks and models, and its bytes.
fn small((metric, one_side): (Metric, bool)) -> (Quiet, Vec<u8>) {
    let mut quiet = Quiet {
        one_side,
        ..quiet_of("2k-1m", metric, 5, 5)
    };
    for values in &mut quiet.fake.sides {
        for run in values.chunks_mut(400) {
            let first = run[0];
            run.fill(first);
        }
    }
    let dir = tempfile::tempdir().expect("a directory");
    let bytes = fs::read(quiet.write(dir.path()).path).expect("the table");
    (quiet, bytes)
}

fn open(bytes: Vec<u8>) -> Result<Table, TableError> {
    Table::from_source(Box::new(bytes), Path::new("damaged"))
}

/// Whether the bytes are an error somewhere. Every value that is read must be the right one.
fn is_refused(quiet: &Quiet, bytes: Vec<u8>) -> bool {
    let Ok(table) = open(bytes) else {
        return true;
    };
    let spec = &quiet.fake.spec;
    if table
        .expect(&spec.rules, spec.material, spec.metric)
        .is_err()
    {
        return true;
    }
    let mut refused = false;
    for &side in table.sides() {
        let (values, captures) = quiet.side(side);
        let check = |at: usize, read: PackedDtw| {
            let same = match spec.metric {
                Metric::Wld => read.wld() == values[at].wld(),
                _ => read == values[at],
            };
            assert!(same || bit(captures, at), "{at}");
        };
        for at in (0..values.len()).step_by(97) {
            refused |= match table.wld(side, at as u64) {
                Ok(read) => {
                    assert!(read == values[at].wld() || bit(captures, at), "{at}");
                    false
                }
                Err(_) => true,
            };
        }
        let mut at = 0;
        let all = table.for_each_value(side, |read| {
            check(at, read);
            at += 1;
        });
        refused |= all.is_err();
        let mut outcomes = Outcomes::default();
        refused |= table
            .read_outcomes(side, 0..table.positions(), &mut outcomes)
            .is_err();
        for at in 0..outcomes.len() {
            let right = outcomes.get(at) == values[at as usize].wld();
            assert!(right || bit(captures, at as usize), "{at}");
        }
    }
    refused | table.verify_digest(|_| ()).is_err()
}

#[test]
fn every_flipped_bit_of_a_compact_table_is_noticed() {
    for kind in KINDS {
        let (quiet, bytes) = small(kind);
        assert!(!is_refused(&quiet, bytes.clone()));
        let header = 184 + "russian".len() + 4;
        let digest = bytes.len() - 48;
        // Blocks of 1,024 values and one model for each of the sides.
        let sides = if kind == (Metric::Wld, false) { 2 } else { 1 };
        let entries = sides * (13_020_usize.div_ceil(1024) + 1);
        let index = digest - 4 - 8 * entries;
        for bit in 0..bytes.len() * 8 {
            // Every bit of what is checked when opening, every seventh of the values.
            let byte = bit / 8;
            let at_once = byte < header || (index..digest).contains(&byte) || byte >= digest + 32;
            if !at_once && bit % 7 != 0 {
                continue;
            }
            let mut damaged = bytes.clone();
            damaged[byte] ^= 1 << (bit % 8);
            assert_eq!(
                open(damaged.clone()).is_err(),
                at_once,
                "bit {bit} of {kind:?}"
            );
            assert!(
                at_once || is_refused(&quiet, damaged),
                "bit {bit} of {kind:?}"
            );
        }
    }
}

#[test]
fn every_truncation_of_a_compact_table_is_noticed_when_opening() {
    for kind in KINDS {
        let (_, bytes) = small(kind);
        for len in 0..bytes.len() {
            assert!(open(bytes[..len].to_vec()).is_err(), "{len} bytes");
        }
        assert!(open([&bytes[..], &[0]].concat()).is_err(), "one byte more");
    }
}

/// Makes all checksums right again: of header, blocks, index and file.
fn seal(bytes: &mut [u8]) {
    let text = u32::from_le_bytes(bytes[36..40].try_into().expect("four bytes")) as usize;
    let crc = crc32fast::hash(&bytes[..184 + text]).to_le_bytes();
    bytes[184 + text..188 + text].copy_from_slice(&crc);
    let footer = bytes.len() - 52;
    let per_side = u64::from_le_bytes(bytes[48..56].try_into().expect("eight bytes")) as usize;
    let sides = if bytes[13] == 0 {
        bytes[15] as usize
    } else {
        1
    };
    let index = footer - 8 * sides * (per_side + per_side.div_ceil(64));
    let mut start = 188 + text;
    for entry in (index..footer).step_by(8) {
        let len = u32::from_le_bytes(bytes[entry..entry + 4].try_into().expect("four bytes"));
        let crc = crc32fast::hash(&bytes[start..start + len as usize]).to_le_bytes();
        bytes[entry + 4..entry + 8].copy_from_slice(&crc);
        start += len as usize;
    }
    let crc = crc32fast::hash(&bytes[index..footer]).to_le_bytes();
    bytes[footer..footer + 4].copy_from_slice(&crc);
    let digest = Sha256::digest(&bytes[..footer + 4]);
    bytes[footer + 4..footer + 36].copy_from_slice(&digest);
}

#[test]
fn forged_blocks_and_models_are_read_without_panic() {
    for kind in KINDS {
        let (_, bytes) = small(kind);
        let mut random = Random(7);
        let body = 195..bytes.len() - 52 - 8 * 40;
        let mut errors = 0;
        for _ in 0..400 {
            let mut forged = bytes.clone();
            for _ in 0..=random.below(3) {
                let at = body.start + random.below((body.end - body.start) as u64) as usize;
                forged[at] ^= 1 << random.below(8);
            }
            seal(&mut forged);
            let table = open(forged).expect("right checksums");
            for &side in table.sides() {
                let longest = table.statistics(side).expect("stored");
                let most = [longest.longest_win, longest.longest_loss];
                let most = most
                    .into_iter()
                    .flatten()
                    .map(|longest| longest.plies)
                    .max();
                let most = most.map_or(2, |plies| plies.get() + 2);
                errors += usize::from(
                    table
                        .for_each_value(side, |value| assert!(value.bits() <= most))
                        .is_err(),
                );
                for index in (0..table.positions()).step_by(501) {
                    let _ = table.wld(side, index);
                }
            }
            table.verify_digest(|_| ()).expect("a right digest");
        }
        // Lengths of cells that do not fit their block.
        assert!(errors > 0, "{kind:?}");
    }
}

#[test]
fn errors_name_file_block_and_model() {
    let (_, bytes) = small((Metric::Wld, false));
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("2k-1m.wld");
    let mut damaged = bytes.clone();
    damaged[400] ^= 1;
    fs::write(&path, &damaged).expect("write");
    let table = Table::open(&path, Access::Read).expect("a good header");
    let read = table.for_each_value(Color::White, |_| ());
    let text = read.expect_err("damaged").to_string();
    assert!(
        text.contains("2k-1m.wld: damaged block ") && text.contains("white to move"),
        "{text}"
    );
    // The models lie behind the blocks, right before the index.
    let mut damaged = bytes;
    let model = damaged.len() - 52 - 8 * 28 - 1;
    damaged[model] ^= 1;
    fs::write(&path, &damaged).expect("write");
    let table = Table::open(&path, Access::Map).expect("a good header");
    let read = table.for_each_value(Color::Black, |_| ());
    let text = read.expect_err("damaged").to_string();
    assert!(
        text.contains("2k-1m.wld: damaged model: number 1"),
        "{text}"
    );
    assert_eq!(stored_sides(table.material()).len(), 2);
}

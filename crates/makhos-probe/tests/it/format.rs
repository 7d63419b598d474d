//! A second reader, written from `FORMAT.md` alone, agrees with the crate's own.

use std::fs;

use makhos_probe::{Metric, Plies};
use sha2::{Digest, Sha256};

use crate::fake::{Fake, fake};

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes[at..at + 2].try_into().expect("two bytes"))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// The packed values of every block, side after side: the blocks are decompressed one by one.
fn blocks(bytes: &[u8]) -> Vec<Vec<u8>> {
    let header_end = 184 + u32_at(bytes, 36) as usize + 4;
    let count = bytes[15] as usize * u64_at(bytes, 48) as usize;
    let index = bytes.len() - 52 - 8 * count;
    let mut start = header_end;
    let mut blocks = Vec::new();
    for entry in (index..bytes.len() - 52).step_by(8) {
        let stored = &bytes[start..start + u32_at(bytes, entry) as usize];
        assert_eq!(crc32fast::hash(stored), u32_at(bytes, entry + 4));
        blocks.push(zstd::bulk::decompress(stored, 1 << 20).expect("a zstd frame"));
        start += stored.len();
    }
    assert_eq!(start, index, "blocks end where the index begins");
    blocks
}

/// The distance bits of all values, or the digits of outcomes.
fn values(bytes: &[u8]) -> Vec<u16> {
    let (block_values, positions) = (u64::from(u32_at(bytes, 40)), u64_at(bytes, 56));
    let per_side = u64_at(bytes, 48);
    let mut values = Vec::new();
    for (number, packed) in blocks(bytes).iter().enumerate() {
        let before = number as u64 % per_side * block_values;
        let count = (positions - before).min(block_values) as usize;
        for at in 0..count {
            values.push(match bytes[12] {
                1 => u16::from(packed[at / 5] / 3_u8.pow(at as u32 % 5) % 3),
                2 => u16::from(packed[at]),
                3 => u16_at(packed, 2 * at),
                codec => panic!("codec {codec}"),
            });
        }
    }
    values
}

fn written(fake: &Fake) -> Vec<u8> {
    let dir = tempfile::tempdir().expect("a directory");
    fs::read(fake.write(dir.path()).path).expect("the table")
}

#[test]
fn header_and_footer_lie_where_the_specification_says() {
    let fake = fake("1m1k-1k", Metric::Dtw, 8);
    let bytes = written(&fake);
    assert_eq!(&bytes[..8], b"\x89MAKHOS\n");
    assert_eq!(u16_at(&bytes, 8), 2, "format version");
    assert_eq!(
        bytes[10..16],
        [2, 1, 2, 1, 8, 2],
        "metric, index, codec, flags, rows, sides"
    );
    assert_eq!(bytes[16..20], [1, 1, 0, 1], "class");
    assert_eq!(
        bytes[20..36],
        [8, 1, 1, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0],
        "rules"
    );
    assert_eq!(u32_at(&bytes, 36), 7);
    assert_eq!(u32_at(&bytes, 40), 16_384);
    assert_eq!(u32_at(&bytes, 44), 0);
    assert_eq!(u64_at(&bytes, 48), 2);
    for (side, statistics) in fake.statistics().iter().enumerate() {
        let at = 56 + 64 * side;
        let numbers = [0, 8, 16, 24, 32].map(|offset| u64_at(&bytes, at + offset));
        let expected = [
            statistics.positions,
            statistics.wins,
            statistics.draws,
            statistics.losses,
            statistics.captures,
        ];
        assert_eq!(numbers, expected);
        for (longest, plies, first) in [
            (statistics.longest_win, at + 40, at + 48),
            (statistics.longest_loss, at + 44, at + 56),
        ] {
            let longest = longest.expect("there is one");
            assert_eq!(u32_at(&bytes, plies), u32::from(Plies::get(longest.plies)));
            assert_eq!(u64_at(&bytes, first), longest.first);
        }
    }
    assert_eq!(&bytes[184..191], b"russian");
    assert_eq!(u32_at(&bytes, 191), crc32fast::hash(&bytes[..191]));

    let footer = bytes.len() - 52;
    let index = &bytes[footer - 4 * 8..footer];
    assert_eq!(u32_at(&bytes, footer), crc32fast::hash(index));
    assert_eq!(
        bytes[footer + 4..footer + 36],
        Sha256::digest(&bytes[..footer + 4])[..]
    );
    assert_eq!(u64_at(&bytes, footer + 36), bytes.len() as u64);
    assert_eq!(&bytes[footer + 44..], b"\x89SOHKAM\n");
}

#[test]
fn a_side_that_is_not_stored_has_blank_statistics() {
    let bytes = written(&fake("1k-1k", Metric::Wld, 8));
    assert_eq!(bytes[15], 1);
    assert_eq!(bytes[120..160], [0; 40]);
    assert_eq!(bytes[160..184], [255; 24]);
}

#[test]
fn values_are_read_from_the_specification_alone() {
    let mut long = fake("1m-1m", Metric::Dtw, 8);
    long.lengthen();
    let mut cases = vec![
        long,
        fake("1k-1m", Metric::Dtw, 9),
        fake("1m1k-1k", Metric::Wld, 9),
    ];
    for fake in &mut cases {
        for block_values in [256, 16_384] {
            fake.block_values = block_values;
            let bytes = written(fake);
            let expected: Vec<u16> = fake
                .sides
                .iter()
                .flatten()
                .map(|value| match (fake.spec.metric, value.bits()) {
                    (Metric::Dtw | Metric::Dtc | Metric::Dtz, bits) => bits,
                    (Metric::Wld, 0) => 0,
                    (Metric::Wld, bits) => 2 - bits % 2,
                })
                .collect();
            assert!(values(&bytes) == expected);
        }
    }
}

//! Headers and footers round trip; what is not one is refused.

use super::*;
use makhos_index::classes;
use makhos_rules::draw::official;
use makhos_rules::variant;
use proptest::prelude::*;

/// Consistent figures of a side, made of four random numbers.
fn statistics(positions: u64, complete: bool, random: [u64; 4]) -> SideStatistics {
    let [wins, losses, first, plies] = random;
    let wins = wins % (positions + 1);
    let losses = losses % (positions - wins + 1);
    let longest = |count: u64, parity: u16| {
        let plies = Plies::new((plies % 32_000) as u16 * 2 + parity);
        let first = first % positions;
        (complete && count > 0).then_some(Longest { plies, first })
    };
    SideStatistics {
        positions,
        wins,
        draws: positions - wins - losses,
        losses,
        captures: first % (positions + 1),
        longest_win: longest(wins, 1),
        longest_loss: longest(losses, 0),
    }
}

fn header() -> impl Strategy<Value = Header> {
    let random = prop::array::uniform2(prop::array::uniform4(any::<u64>()));
    let choices = (
        0..variant::ALL.len(),
        0..44_usize,
        6..=16_u32,
        prop::sample::select(vec![Metric::Wld, Metric::Dtw, Metric::Dtz]),
        any::<u8>(),
    );
    (choices, random).prop_map(|((rules, class, block, metric, road), random)| {
        let rules = variant::ALL[rules];
        let classes = classes(4);
        let material = classes[class % classes.len()];
        let positions = placements(rules.board.rows() as u8, material).expect("few pieces");
        let sides = stored_sides(material).iter().zip(random);
        let statistics = sides.map(|(_, random)| statistics(positions, metric.has_plies(), random));
        let statistics = statistics.collect();
        let mut header = Header::new(rules, material, metric, Codec::Wld, 1 << block, statistics);
        header.codec = Codec::for_values(metric, header.max_bits());
        if metric != Metric::Dtz {
            return header;
        }
        header.with_draw_rules(&DtzSpec {
            rules,
            draw_rules: &official::of(rules),
            material,
            road,
        })
    })
}

proptest! {
    #[test]
    fn headers_round_trip(header in header()) {
        let bytes = header.encode();
        prop_assert_eq!(Header::len_from_start(&bytes), Ok(bytes.len()));
        prop_assert_eq!(Header::decode(&bytes), Ok(header));
    }

    #[test]
    fn a_changed_byte_is_noticed(header in header(), at: prop::sample::Index, change in 1..=255_u8) {
        let mut bytes = header.encode();
        let at = at.index(bytes.len());
        bytes[at] ^= change;
        prop_assert!(Header::decode(&bytes).is_err());
    }

    #[test]
    fn random_bytes_are_no_header(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(Header::decode(&bytes).is_err());
        prop_assert!(Header::len_from_start(&bytes).is_err());
    }
}

#[test]
fn footers_have_their_length() {
    let footer = Footer {
        index_crc: 1,
        sha256: [2; 32],
        file_len: 3,
        end_magic: END_MAGIC,
    };
    let bytes = footer.encode();
    assert_eq!(bytes.len(), FOOTER_LEN);
    assert_eq!(Footer::decode(&bytes), Some(footer));
    assert_eq!(Footer::decode(&bytes[..FOOTER_LEN - 1]), None);
}

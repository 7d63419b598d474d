//! How many bits a position takes in files of outcomes, as measured on complete sets.

use makhos_index::Material;
use makhos_rules::RuleSet;
use makhos_rules::rules::KingRange;

/// Bits a position of all classes of a number of pieces, beginning with two, even ones (their sides differ
/// by a piece at most) and uneven ones. Zero where there are none.
type Figures = [(f64, f64); 5];

/// English draughts, complete up to six pieces.
const SHORT: Figures = [
    (2.61, 0.0),
    (0.104, 0.0),
    (0.355, 0.0066),
    (0.102, 0.0015),
    (0.334, 0.0054),
];

/// Russian draughts, complete up to six pieces.
const FLYING: Figures = [
    (2.28, 0.0),
    (0.300, 0.0),
    (0.202, 0.223),
    (0.243, 0.024),
    (0.196, 0.150),
];

/// Whether a class is uneven, as a number.
pub(super) fn unevenness(material: Material) -> usize {
    let (white, black) = (material.white.pieces(), material.black.pieces());
    usize::from(white.abs_diff(black) >= 2)
}

/// Bits a position of a class. Where there are more pieces than were measured, it is taken to be as with
/// the most of the same parity.
pub(super) fn bits(rules: &RuleSet, material: Material) -> f64 {
    let figures = match rules.king_range {
        KingRange::Short => &SHORT,
        KingRange::Flying => &FLYING,
    };
    let most = figures.len() as u32 + 1;
    let pieces = material.pieces();
    let beyond = pieces.saturating_sub(most);
    let (even, uneven) = figures[(pieces - beyond.next_multiple_of(2)) as usize - 2];
    [even, uneven][unevenness(material)]
}

#[cfg(test)]
mod tests {
    use makhos_rules::variant;

    use super::*;

    #[test]
    fn every_class_has_a_density() {
        for rules in [variant::ENGLISH, variant::BRAZILIAN] {
            let of = |class: &str| bits(&rules, class.parse().expect("a class"));
            for material in makhos_index::classes(9) {
                assert!(bits(&rules, material) > 0.0, "{material}");
            }
            assert_eq!(of("4k-3k"), of("3k-2m"));
            assert_eq!(of("4k-4k"), of("3k-3m"));
            assert_eq!(of("5k-2m"), of("4k-1m"));
            assert_eq!(of("6k-6k"), of("3k-3k"));
        }
    }
}

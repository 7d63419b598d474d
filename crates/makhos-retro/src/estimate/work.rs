//! How much work solving a class for outcomes is, in units that cost the same for classes of a kind.

use makhos_index::{Material, PlacementIndex};
use makhos_rules::rules::KingRange;
use makhos_rules::{Board, RuleSet};

/// What a class is solved by, see the [solver](crate::engine).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Kings on both sides: blocks of two inner kings.
    Grid,
    /// Two kings or more on one side only: blocks of two of them.
    Pairs,
    /// One king: a word a configuration of men.
    Word,
    /// Men only: rows of all placements of Black's men.
    Bare,
}

/// The work of a class.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Work {
    pub(super) kind: Kind,
    pub(super) units: f64,
}

/// What a configuration of men takes beside its blocks, in blocks.
const GRID_CONFIGURATION: f64 = 0.8;
const PAIRS_CONFIGURATION: f64 = 2.0;

/// By how much a block costs more for each piece above four, up to six, as memory gets further away.
const GROWTH: f64 = 0.25;

/// Short kings of about equal armies settle in so many times as many rounds.
const SHORT_AND_EVEN: f64 = 2.0;

impl Work {
    /// The work of a canonical class; `None` if it does not fit the board.
    pub(super) fn of<B: Board>(rules: &RuleSet, material: Material) -> Option<Self> {
        let index = PlacementIndex::<B>::new(material).ok()?;
        let (white, black) = (material.white, material.black);
        let mirrored = material.is_symmetric() && material.men() > 0;
        let configurations = index.outer() as f64 * if mirrored { 0.5 } else { 1.0 };
        let free = B::SQUARES - material.men();
        let pieces = f64::from(material.pieces());
        let growth = 1.0 + GROWTH * (pieces - 4.0).clamp(0.0, 2.0);
        let [white, black] = [white, black].map(|army| u32::from(army.kings));
        let (kind, units) = match (white, black) {
            // Either side to move is solved of every configuration, mirrored ones too.
            (0, 0) => (Kind::Bare, index.outer() as f64),
            (1, 0) | (0, 1) => (Kind::Word, configurations * pieces),
            (0, kings) | (kings, 0) => {
                let blocks = binomial(free, kings - 2);
                let each = (blocks + PAIRS_CONFIGURATION) * growth;
                (Kind::Pairs, configurations * each)
            }
            _ => {
                let others = binomial(free, white - 1);
                let blocks = others * binomial(free - (white - 1), black - 1);
                let rounds = if holds_long(rules, material) {
                    SHORT_AND_EVEN
                } else {
                    1.0
                };
                let each = (blocks * rounds + GRID_CONFIGURATION) * growth;
                (Kind::Grid, configurations * each)
            }
        };
        Some(Self { kind, units })
    }
}

/// Whether many kings of about equal armies win only by long ways.
fn holds_long(rules: &RuleSet, material: Material) -> bool {
    let (white, black) = (material.white, material.black);
    rules.king_range == KingRange::Short
        && white.kings + black.kings >= 5
        && white.kings.abs_diff(black.kings) <= 1
        && white.pieces().abs_diff(black.pieces()) <= 1
}

/// Sets of `count` out of `all`.
fn binomial(all: u32, count: u32) -> f64 {
    (0..count)
        .map(|taken| f64::from(all - taken) / f64::from(taken + 1))
        .product()
}

#[cfg(test)]
mod tests {
    use makhos_rules::variant;

    use super::*;

    fn work(class: &str) -> Work {
        let material = class.parse().expect("a class");
        Work::of::<u32>(&variant::RUSSIAN, material).expect("small")
    }

    #[test]
    fn kinds_and_units_are_those_of_the_solver() {
        // 24 squares are open to men of both sides, 4 more to those of either.
        let configurations = f64::from(28 * 28 - 24);
        assert_eq!(work("1m-1m").kind, Kind::Bare);
        assert_eq!(work("1m-1m").units, configurations);
        assert_eq!(work("1m1k-1m").kind, Kind::Word);
        assert_eq!(work("1m1k-1m").units, 3.0 * configurations);
        assert_eq!(work("2k-2m").kind, Kind::Pairs);
        assert_eq!(work("2k-2m").units, 378.0 * 3.0);
        assert_eq!(work("3k-1k").kind, Kind::Grid);
        assert_eq!(work("3k-1k").units, 496.8);
        // One of two mirrored configurations is solved.
        assert_eq!(work("1m1k-1m1k").units, configurations / 2.0 * 1.8);
    }
}

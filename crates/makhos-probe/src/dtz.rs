//! Values under drawing rules: how many plies must be left for a result ([`Dtz`]), and what drawing rules
//! make of an outcome ([`Verdict`]).

use std::fmt;

use makhos_index::Material;
use makhos_rules::draw::{DrawRules, Pieces};

use crate::value::{PackedDtw, Plies, Wld};

/// The value of a position under drawing rules, as a table of [`Metric::Dtz`](crate::Metric::Dtz) holds
/// it: the plies that must be left on the clock that governs the position.
///
/// A side to move without a legal move has lost, with however few plies left: [`Dtz::Loss`] of 0. Where
/// the plies left are fewer than needed, the game is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dtz {
    /// The side to move wins if at least that many plies are left, one or more.
    Win(Plies),
    /// A draw, however many plies are left.
    Draw,
    /// The side to move loses if at least that many plies are left.
    Loss(Plies),
}

impl Dtz {
    /// The most plies that the packed form can tell apart; a table holds even fewer.
    const PACKED_MAX: u16 = u16::MAX / 2;

    /// The outcome if enough plies are left.
    #[must_use]
    pub const fn wld(self) -> Wld {
        match self {
            Self::Win(_) => Wld::Win,
            Self::Draw => Wld::Draw,
            Self::Loss(_) => Wld::Loss,
        }
    }

    /// The plies that must be left for a win or loss.
    #[must_use]
    pub const fn plies(self) -> Option<Plies> {
        match self {
            Self::Win(plies) | Self::Loss(plies) => Some(plies),
            Self::Draw => None,
        }
    }

    /// The outcome with so many plies left; `None`: no clock governs.
    #[must_use]
    pub const fn with_left(self, left: Option<u16>) -> Wld {
        match (self.plies(), left) {
            (Some(needed), Some(left)) if needed.get() > left => Wld::Draw,
            _ => self.wld(),
        }
    }

    /// The form in which tables hold it: a win that needs n plies as the distance 2n - 1, a loss as the
    /// distance 2n. Like distances, its order is what the side to move prefers.
    ///
    /// A win takes a ply, so one that needs 0 is packed as one that needs 1. Plies above 32,767 are packed
    /// as that many, which no writer accepts.
    #[inline]
    #[must_use]
    pub const fn pack(self) -> PackedDtw {
        PackedDtw::from_bits(match self {
            Self::Draw => return PackedDtw::DRAW,
            Self::Win(plies) if plies.get() == 0 => 2,
            Self::Win(plies) => 2 * packable(plies),
            Self::Loss(plies) => 2 * packable(plies) + 1,
        })
    }

    /// The value that [`pack`](Self::pack) has packed. Every pattern of bits is one.
    #[inline]
    #[must_use]
    pub const fn unpack(packed: PackedDtw) -> Self {
        let plies = Plies::new(packed.bits() / 2);
        match packed.wld() {
            Wld::Draw => Self::Draw,
            Wld::Win => Self::Win(plies),
            Wld::Loss => Self::Loss(plies),
        }
    }
}

const fn packable(plies: Plies) -> u16 {
    if plies.get() > Dtz::PACKED_MAX {
        Dtz::PACKED_MAX
    } else {
        plies.get()
    }
}

/// `win 12`, `draw` or `loss 8`, the number being the plies that must be left.
impl fmt::Display for Dtz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.plies() {
            Some(plies) => write!(f, "{} {plies}", self.wld()),
            None => f.pad(Wld::Draw.name()),
        }
    }
}

/// An outcome, and whether drawing rules take it away.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// A win under drawing rules too.
    Win,
    /// A win that drawing rules make a draw.
    CursedWin,
    /// A draw.
    Draw,
    /// A loss that drawing rules make a draw.
    BlessedLoss,
    /// A loss under drawing rules too.
    Loss,
}

impl Verdict {
    /// From the outcomes of a position without and with drawing rules. `None` if they contradict each
    /// other: drawing rules can make a draw of a result and nothing else.
    #[must_use]
    pub const fn new(without_rules: Wld, with_rules: Wld) -> Option<Self> {
        Some(match (without_rules, with_rules) {
            (Wld::Win, Wld::Win) => Self::Win,
            (Wld::Win, Wld::Draw) => Self::CursedWin,
            (Wld::Draw, Wld::Draw) => Self::Draw,
            (Wld::Loss, Wld::Draw) => Self::BlessedLoss,
            (Wld::Loss, Wld::Loss) => Self::Loss,
            _ => return None,
        })
    }

    /// `win`, `cursed-win`, `draw`, `blessed-loss` or `loss`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::CursedWin => "cursed-win",
            Self::Draw => "draw",
            Self::BlessedLoss => "blessed-loss",
            Self::Loss => "loss",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The number of tables that a class has under drawing rules: one for each number of plies that may have
/// been counted on the main road where the class is the material of that rule, else one.
///
/// ```
/// use makhos_probe::road_tables;
/// use makhos_rules::{draw::official, variant};
///
/// let russian = official::of(&variant::RUSSIAN);
/// assert_eq!(road_tables(&russian, "3k-1k".parse()?), 10);
/// assert_eq!(road_tables(&russian, "2k-1k".parse()?), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn road_tables(draw_rules: &DrawRules, material: Material) -> u8 {
    match &draw_rules.road {
        Some(road) if road.holds(&pieces_of(material)) => road.plies.max(1),
        _ => 1,
    }
}

/// The pieces of a class, as drawing rules see them.
pub(crate) fn pieces_of(material: Material) -> Pieces {
    let armies = [material.white, material.black];
    Pieces {
        men: armies.map(|army| army.men.into()),
        kings: armies.map(|army| army.kings.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Dtw;
    use makhos_rules::{draw::official, variant};

    #[test]
    fn every_bit_pattern_round_trips() {
        for bits in 0..=u16::MAX {
            let packed = PackedDtw::from_bits(bits);
            let value = Dtz::unpack(packed);
            assert_eq!(value.pack(), packed);
            assert_eq!(value.wld(), packed.wld());
        }
    }

    #[test]
    fn every_value_round_trips() {
        for plies in 0..=Dtz::PACKED_MAX {
            let loss = Dtz::Loss(Plies::new(plies));
            assert_eq!(Dtz::unpack(loss.pack()), loss);
            if let Some(distance) = plies.checked_mul(2) {
                assert_eq!(loss.pack().unpack(), Dtw::Loss(Plies::new(distance)));
            }
        }
        for plies in 1..=Dtz::PACKED_MAX {
            let win = Dtz::Win(Plies::new(plies));
            assert_eq!(Dtz::unpack(win.pack()), win);
            assert_eq!(win.pack().unpack(), Dtw::Win(Plies::new(2 * plies - 1)));
        }
        assert_eq!(Dtz::Loss(Plies::ZERO).pack(), PackedDtw::LOST);
        assert_eq!(Dtz::Draw.pack(), PackedDtw::DRAW);
    }

    #[test]
    fn what_cannot_be_packed_stays_what_it_is_and_out_of_tables() {
        let one = Dtz::Win(Plies::new(1));
        assert_eq!(Dtz::Win(Plies::ZERO).pack(), one.pack());
        for plies in [Dtz::PACKED_MAX + 1, Plies::MAX.get()].map(Plies::new) {
            for value in [Dtz::Win(plies), Dtz::Loss(plies)] {
                assert_eq!(value.pack().wld(), value.wld());
                let distance = value.pack().bits() - 1;
                assert!(distance > Plies::STORED_MAX.get(), "{value}");
            }
        }
    }

    #[test]
    fn packed_values_are_ordered_by_preference() {
        let best_first = [
            Dtz::Win(Plies::new(1)),
            Dtz::Win(Plies::new(80)),
            Dtz::Draw,
            Dtz::Loss(Plies::new(80)),
            Dtz::Loss(Plies::ZERO),
        ];
        assert!(best_first.is_sorted_by(|a, b| a.pack() > b.pack()));
    }

    #[test]
    fn a_result_needs_its_plies() {
        let (win, loss) = (Dtz::Win(Plies::new(3)), Dtz::Loss(Plies::new(2)));
        assert_eq!(win.with_left(Some(2)), Wld::Draw);
        assert_eq!(win.with_left(Some(3)), Wld::Win);
        assert_eq!(win.with_left(None), Wld::Win);
        assert_eq!(loss.with_left(Some(1)), Wld::Draw);
        assert_eq!(loss.with_left(Some(2)), Wld::Loss);
        assert_eq!(Dtz::Loss(Plies::ZERO).with_left(Some(0)), Wld::Loss);
        assert_eq!(Dtz::Draw.with_left(None), Wld::Draw);
    }

    #[test]
    fn drawing_rules_only_make_draws() {
        let all = [Wld::Win, Wld::Draw, Wld::Loss];
        let named = all.map(|without| {
            all.map(|with| Verdict::new(without, with).map_or("", |verdict| verdict.name()))
        });
        assert_eq!(
            named,
            [
                ["win", "cursed-win", ""],
                ["", "draw", ""],
                ["", "blessed-loss", "loss"]
            ]
        );
        assert_eq!(Verdict::CursedWin.to_string(), "cursed-win");
    }

    #[test]
    fn texts() {
        assert_eq!(Dtz::Win(Plies::new(12)).to_string(), "win 12");
        assert_eq!(Dtz::Loss(Plies::ZERO).to_string(), "loss 0");
        assert_eq!(Dtz::Draw.to_string(), "draw");
    }

    #[test]
    fn only_the_material_of_the_road_has_several_tables() {
        let russian = official::of(&variant::RUSSIAN);
        let tables = |class: &str| {
            let material: Material = class.parse().expect("well-formed");
            let count = road_tables(&russian, material);
            assert_eq!(road_tables(&russian, material.flip()), count);
            count
        };
        assert_eq!(["3k-1k", "2m1k-1k"].map(tables), [10, 10]);
        assert_eq!(["3m-1k", "2k-1k", "3k-1m", "2k-2k"].map(tables), [1; 4]);
        let english = official::of(&variant::ENGLISH);
        assert_eq!(
            road_tables(&english, "3k-1k".parse().expect("well-formed")),
            1
        );
    }
}

//! The distance to conversion ([`Dtc`]).

use std::cmp::Ordering;
use std::fmt;

use crate::tablebase::Value;
use crate::value::{Metric, PackedDtw, Plies, Wld};

/// The value of a position with its distance to conversion: the plies up to and including the next capture,
/// promotion or man move, when the winner plays for the shortest such win and the loser for the longest
/// defence.
///
/// A side to move without a legal move has lost in 0 plies. Where a capture is compulsory, that is the next
/// ply. Unlike with [`Dtw`](crate::Dtw), the number of plies does not tell a win from a loss: it can be even
/// or odd with both. Conversions into other classes do not add up to a distance to the end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dtc {
    /// A win, converted after that many plies, at least one.
    Win(Plies),
    /// A draw.
    Draw,
    /// A loss, converted after that many plies.
    Loss(Plies),
}

impl Dtc {
    /// The most plies that the packed form can tell apart; a table holds even fewer.
    const PACKED_MAX: u16 = u16::MAX / 2;

    /// The value without its distance.
    #[must_use]
    pub const fn wld(self) -> Wld {
        match self {
            Self::Win(_) => Wld::Win,
            Self::Draw => Wld::Draw,
            Self::Loss(_) => Wld::Loss,
        }
    }

    /// The distance of a decided position.
    #[must_use]
    pub const fn plies(self) -> Option<Plies> {
        match self {
            Self::Win(plies) | Self::Loss(plies) => Some(plies),
            Self::Draw => None,
        }
    }

    /// The form in which tables hold it: a win of n plies as the distance 2n - 1, a loss as the distance 2n.
    /// Its order is what the side to move prefers.
    ///
    /// A win of 0 plies is packed as one of 1. Plies above 32,767 are packed as that many, which no
    /// writer accepts.
    #[inline]
    #[must_use]
    pub const fn pack(self) -> PackedDtw {
        let plies = match self.plies() {
            None => return PackedDtw::DRAW,
            Some(plies) if plies.get() > Self::PACKED_MAX => Self::PACKED_MAX,
            Some(plies) => plies.get(),
        };
        PackedDtw::from_bits(match self {
            Self::Win(_) if plies == 0 => 2,
            Self::Win(_) => 2 * plies,
            _ => 2 * plies + 1,
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

impl PartialOrd for Dtc {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By what the side to move prefers.
impl Ord for Dtc {
    fn cmp(&self, other: &Self) -> Ordering {
        self.pack().cmp(&other.pack())
    }
}

impl Value for Dtc {
    const METRIC: Metric = Metric::Dtc;
    const LOST: Self = Self::Loss(Plies::ZERO);
    const BEST: Self = Self::Win(Plies::new(1));

    /// Of a move that does not convert.
    fn before(self) -> Self {
        match self {
            Self::Win(plies) => Self::Loss(plies.next()),
            Self::Draw => Self::Draw,
            Self::Loss(plies) => Self::Win(plies.next()),
        }
    }

    fn from_packed(packed: PackedDtw) -> Self {
        Self::unpack(packed)
    }
}

/// `win 12`, `draw` or `loss 8`, the number being plies.
impl fmt::Display for Dtc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.plies() {
            Some(plies) => write!(f, "{} {plies}", self.wld()),
            None => f.pad(Wld::Draw.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_pattern_round_trips() {
        for bits in 0..=u16::MAX {
            let packed = PackedDtw::from_bits(bits);
            assert_eq!(Dtc::unpack(packed).pack(), packed);
            assert_eq!(Dtc::unpack(packed).wld(), packed.wld());
        }
    }

    #[test]
    fn packed_order_is_preference() {
        let best_first = [
            Dtc::Win(Plies::new(1)),
            Dtc::Win(Plies::new(2)),
            Dtc::Draw,
            Dtc::Loss(Plies::new(7)),
            Dtc::Loss(Plies::new(6)),
            Dtc::Loss(Plies::ZERO),
        ];
        assert!(best_first.is_sorted_by(|a, b| a.pack() > b.pack()));
        assert_eq!(Dtc::Win(Plies::new(2)).to_string(), "win 2");
        assert_eq!(Dtc::Win(Plies::ZERO).pack(), Dtc::Win(Plies::new(1)).pack());
    }
}

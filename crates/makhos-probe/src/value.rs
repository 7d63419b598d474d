//! What a table says about a position: [`Wld`], [`Dtw`] and the packed form that fills arrays.
//!
//! All values are from the view of the side to move.

use std::cmp::Ordering;
use std::fmt;

/// Win, draw or loss for the side to move.
///
/// Ordered by what the side to move prefers: `Loss < Draw < Win`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wld {
    /// The side to move loses against best play.
    Loss,
    /// Neither side can force a win.
    Draw,
    /// The side to move can force a win.
    Win,
}

impl Wld {
    /// The value, for the player who moves, of a move that leads to a position with this value.
    #[must_use]
    pub const fn before(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }

    /// `win`, `draw` or `loss`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Draw => "draw",
            Self::Win => "win",
        }
    }
}

impl fmt::Display for Wld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A number of plies, that is half-moves: one player's move is one ply.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Plies(u16);

impl Plies {
    /// No ply.
    pub const ZERO: Self = Self(0);
    /// The longest distance that can be stored.
    pub const MAX: Self = Self(u16::MAX - 1);

    /// That many plies.
    ///
    /// # Panics
    /// If `plies` is above [`Plies::MAX`].
    #[must_use]
    pub const fn new(plies: u16) -> Self {
        assert!(plies <= Self::MAX.0, "distance too long to be stored");
        Self(plies)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }

    /// One ply more. It stays at [`Plies::MAX`], which no table reaches: both the writer and the reader
    /// refuse distances above [`Plies::STORED_MAX`].
    #[must_use]
    pub const fn next(self) -> Self {
        if self.0 < Self::MAX.0 {
            Self(self.0 + 1)
        } else {
            self
        }
    }

    /// The longest distance a table may hold. It leaves room for the captures that are searched on top
    /// of a table.
    pub const STORED_MAX: Self = Self(65_000);
}

impl fmt::Display for Plies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The value of a position with its distance to win (DTW): the plies to the end of the game when the
/// winner plays for the shortest win and the loser for the longest defence.
///
/// The distance of a win is odd, of a loss even; a side to move without a legal move has lost in 0
/// plies. Ordered by what the side to move prefers: a short win, a long win, a draw, a long loss, a
/// short loss.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dtw {
    /// A win in that many plies, an odd number.
    Win(Plies),
    /// A draw.
    Draw,
    /// A loss in that many plies, an even number.
    Loss(Plies),
}

impl Dtw {
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

    /// The value, for the player who moves, of a move that leads to a position with this value: a loss
    /// in n becomes a win in n + 1 and the other way round.
    #[must_use]
    pub const fn before(self) -> Self {
        match self {
            Self::Win(plies) => Self::Loss(plies.next()),
            Self::Draw => Self::Draw,
            Self::Loss(plies) => Self::Win(plies.next()),
        }
    }
}

impl PartialOrd for Dtw {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Dtw {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Win(a), Self::Win(b)) => b.cmp(a),
            (Self::Loss(a), Self::Loss(b)) => a.cmp(b),
            _ => self.wld().cmp(&other.wld()),
        }
    }
}

/// `win 25`, `draw` or `loss 8`, the number being plies.
impl fmt::Display for Dtw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.plies() {
            Some(plies) => write!(f, "{} {plies}", self.wld()),
            None => f.pad(Wld::Draw.name()),
        }
    }
}

/// A [`Dtw`] in 16 bits: 0 is a draw, n + 1 a position decided in n plies. The parity of n tells a win
/// (odd) from a loss (even).
///
/// Every `u16` is a value, so conversion loses nothing either way. Ordered like [`Dtw`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct PackedDtw(u16);

impl PackedDtw {
    /// A draw.
    pub const DRAW: Self = Self(0);
    /// A loss in 0 plies: the side to move has no legal move.
    pub const LOST: Self = Self(1);

    /// The value with these bits.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// The bits: 0 for a draw, else the distance in plies plus one.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The value.
    #[inline]
    #[must_use]
    pub const fn unpack(self) -> Dtw {
        match self.wld() {
            Wld::Draw => Dtw::Draw,
            Wld::Win => Dtw::Win(Plies(self.0 - 1)),
            Wld::Loss => Dtw::Loss(Plies(self.0 - 1)),
        }
    }

    /// The value without its distance.
    #[inline]
    #[must_use]
    pub const fn wld(self) -> Wld {
        if self.0 == 0 {
            Wld::Draw
        } else if self.0.is_multiple_of(2) {
            Wld::Win
        } else {
            Wld::Loss
        }
    }

    /// As [`Dtw::before`].
    #[inline]
    #[must_use]
    pub const fn before(self) -> Self {
        self.unpack().before().pack()
    }

    /// A number that grows with what the side to move prefers.
    #[inline]
    const fn preference(self) -> i32 {
        match self.wld() {
            Wld::Win => (1 << 16) - self.0 as i32,
            Wld::Draw => 0,
            Wld::Loss => self.0 as i32 - (1 << 16),
        }
    }
}

impl Dtw {
    /// The 16-bit form.
    ///
    /// The distance of a win must be odd and of a loss even, as they are in every position; otherwise
    /// the result is the value of the other side.
    #[inline]
    #[must_use]
    pub const fn pack(self) -> PackedDtw {
        match self {
            Self::Draw => PackedDtw::DRAW,
            Self::Win(plies) | Self::Loss(plies) => PackedDtw(plies.0 + 1),
        }
    }
}

impl From<Dtw> for PackedDtw {
    fn from(value: Dtw) -> Self {
        value.pack()
    }
}

impl From<PackedDtw> for Dtw {
    fn from(packed: PackedDtw) -> Self {
        packed.unpack()
    }
}

/// The value with the shortest distance of its kind: for tables of [`Metric::Wld`], which keep no
/// distances, where none were computed.
impl From<Wld> for PackedDtw {
    fn from(value: Wld) -> Self {
        match value {
            Wld::Draw => Self::DRAW,
            Wld::Loss => Self::LOST,
            Wld::Win => Self::LOST.before(),
        }
    }
}

impl PartialOrd for PackedDtw {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PackedDtw {
    fn cmp(&self, other: &Self) -> Ordering {
        self.preference().cmp(&other.preference())
    }
}

impl fmt::Debug for PackedDtw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.unpack().fmt(f)
    }
}

/// What the values of a table mean.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Metric {
    /// Win, draw or loss.
    Wld = 1,
    /// Distance to win in plies.
    Dtw = 2,
    /// Distance to conversion in plies: see [`Dtc`](crate::Dtc).
    Dtc = 4,
    /// Plies that must be left on the governing clock, under drawing rules: see [`Dtz`](crate::Dtz).
    Dtz = 3,
}

impl Metric {
    /// The metrics of complete sets of tables that ignore drawing rules. A
    /// [`Tablebase`](crate::Tablebase) has these and [`Dtc`](Self::Dtc). Not among them is [`Dtz`](Self::Dtz), whose tables belong to a set of
    /// drawing rules.
    pub const ALL: [Self; 2] = [Self::Wld, Self::Dtw];

    /// `wld`, `dtw`, `dtc` or `dtz`, which is also the extension of the file name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wld => "wld",
            Self::Dtw => "dtw",
            Self::Dtc => "dtc",
            Self::Dtz => "dtz",
        }
    }

    /// Whether values are kept with a number of plies, as in [`PackedDtw`].
    pub(crate) const fn has_plies(self) -> bool {
        matches!(self, Self::Dtw | Self::Dtc | Self::Dtz)
    }

    pub(crate) fn from_code(code: u8) -> Option<Self> {
        [Self::Wld, Self::Dtw, Self::Dtz, Self::Dtc]
            .into_iter()
            .find(|metric| *metric as u8 == code)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_pattern_round_trips() {
        for bits in 0..=u16::MAX {
            let packed = PackedDtw::from_bits(bits);
            assert_eq!(packed.unpack().pack(), packed);
            assert_eq!(packed.wld(), packed.unpack().wld());
        }
    }

    #[test]
    fn wins_are_odd_and_losses_even() {
        for bits in 0..1000 {
            match PackedDtw::from_bits(bits).unpack() {
                Dtw::Win(plies) => assert_eq!(plies.get() % 2, 1),
                Dtw::Loss(plies) => assert_eq!(plies.get() % 2, 0),
                Dtw::Draw => assert_eq!(bits, 0),
            }
        }
    }

    #[test]
    fn order_is_the_preference_of_the_side_to_move() {
        let best_first = [
            Dtw::Win(Plies::new(1)),
            Dtw::Win(Plies::new(301)),
            Dtw::Draw,
            Dtw::Loss(Plies::new(300)),
            Dtw::Loss(Plies::ZERO),
        ];
        assert!(best_first.is_sorted_by(|a, b| a > b));
        assert!(best_first.is_sorted_by(|a, b| a.pack() > b.pack()));
        assert!(best_first.is_sorted_by(|a, b| a.wld() >= b.wld()));
    }

    #[test]
    fn packed_order_is_the_order_of_values() {
        let samples = [0, 1, 2, 3, 4, 255, 256, 257, 65_534, 65_535].map(PackedDtw::from_bits);
        for a in samples {
            for b in samples {
                assert_eq!(a.cmp(&b), a.unpack().cmp(&b.unpack()), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn a_move_into_a_lost_position_wins_one_ply_later() {
        assert_eq!(PackedDtw::LOST.before().unpack(), Dtw::Win(Plies::new(1)));
        let win = Dtw::Win(Plies::new(25));
        assert_eq!(win.before(), Dtw::Loss(Plies::new(26)));
        assert_eq!(Dtw::Draw.before(), Dtw::Draw);
        for bits in 0..1000 {
            let packed = PackedDtw::from_bits(bits);
            assert_eq!(packed.before().unpack(), packed.unpack().before());
            assert_eq!(packed.before().wld(), packed.wld().before());
        }
    }

    #[test]
    fn codes_and_names_tell_metrics_apart() {
        let known: Vec<_> = (0..=u8::MAX).filter_map(Metric::from_code).collect();
        assert_eq!(known, [Metric::Wld, Metric::Dtw, Metric::Dtz, Metric::Dtc]);
        for metric in known {
            assert_eq!(Metric::from_code(metric as u8), Some(metric));
            assert_eq!(metric.has_plies(), metric != Metric::Wld);
        }
        assert_eq!(Metric::Dtz.to_string(), "dtz");
        assert!(!Metric::ALL.contains(&Metric::Dtz));
    }

    #[test]
    fn texts() {
        assert_eq!(Dtw::Win(Plies::new(25)).to_string(), "win 25");
        assert_eq!(Dtw::Loss(Plies::ZERO).to_string(), "loss 0");
        assert_eq!(Dtw::Draw.to_string(), "draw");
        assert_eq!(Wld::Loss.to_string(), "loss");
    }
}

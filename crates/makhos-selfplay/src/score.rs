//! What a search says about a position.

use std::fmt;

/// A value for the side to move, in hundredths of a man, or the number of plies to the end of the game.
///
/// From best to worst: a win in few plies, a win in many, a win by tables, everything that is estimated, a
/// loss by tables, a loss in many plies, a loss in few. A draw is [`Score::DRAW`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(i32);

/// A win in no ply.
const WIN: i32 = 32_000;
/// The longest win that is told in plies.
const MOST_PLIES: i32 = 2_000;
/// A win by tables at once.
const TABLE_WIN: i32 = 25_000;
/// The deepest node at which tables are asked.
const MOST_TABLE_PLIES: i32 = 1_000;

impl Score {
    /// A draw, or nothing to choose between the sides.
    pub const DRAW: Self = Self(0);
    /// The largest estimate; the smallest is its negative.
    pub const MOST_ESTIMATE: i32 = 20_000;
    /// Better than every score.
    pub(crate) const INFINITE: i32 = 32_500;

    /// An estimate in hundredths of a man, cut off at [`Score::MOST_ESTIMATE`].
    #[must_use]
    pub const fn estimate(hundredths: i32) -> Self {
        if hundredths > Self::MOST_ESTIMATE {
            Self(Self::MOST_ESTIMATE)
        } else if hundredths < -Self::MOST_ESTIMATE {
            Self(-Self::MOST_ESTIMATE)
        } else {
            Self(hundredths)
        }
    }

    /// The side to move wins in so many plies.
    #[must_use]
    pub const fn win_in(plies: u32) -> Self {
        let plies = if plies > MOST_PLIES as u32 {
            MOST_PLIES as u32
        } else {
            plies
        };
        Self(WIN - plies as i32)
    }

    /// The side to move loses in so many plies; 0 if it has no legal move.
    #[must_use]
    pub const fn loss_in(plies: u32) -> Self {
        Self(-Self::win_in(plies).0)
    }

    /// The side to move can reach, in so many plies, a position that it wins by the tables. These do not know
    /// drawing rules, so this is less than a win in plies.
    #[must_use]
    pub const fn table_win(plies: u32) -> Self {
        let most = MOST_TABLE_PLIES as u32;
        let plies = if plies > most { most } else { plies };
        Self(TABLE_WIN - plies as i32)
    }

    /// The other side can do that.
    #[must_use]
    pub const fn table_loss(plies: u32) -> Self {
        Self(-Self::table_win(plies).0)
    }

    /// The number: hundredths of a man for an estimate.
    #[must_use]
    pub const fn get(self) -> i32 {
        self.0
    }

    /// The score with this number, as [`get`](Self::get) told it.
    pub(crate) const fn from_raw(raw: i32) -> Self {
        Self(raw)
    }

    /// The plies to the end of the game if it is won or lost by force.
    #[must_use]
    pub const fn plies(self) -> Option<u32> {
        let plies = WIN - self.0.abs();
        if plies <= MOST_PLIES {
            Some(plies as u32)
        } else {
            None
        }
    }

    /// Whether the side to move wins, by force or by the tables.
    #[must_use]
    pub const fn is_win(self) -> bool {
        self.0 > Self::MOST_ESTIMATE
    }

    /// Whether the side to move loses, by force or by the tables.
    #[must_use]
    pub const fn is_loss(self) -> bool {
        self.0 < -Self::MOST_ESTIMATE
    }

    /// The same score for the other side.
    #[must_use]
    pub const fn negate(self) -> Self {
        Self(-self.0)
    }
}

/// `+0.45`, `win 7`, `loss 8`, `table win`, `table loss`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.is_win() { "win" } else { "loss" };
        match self.plies() {
            Some(plies) => write!(f, "{side} {plies}"),
            None if self.is_win() || self.is_loss() => write!(f, "table {side}"),
            None => write!(f, "{:+.2}", f64::from(self.0) / 100.0),
        }
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Score({self})")
    }
}

/// A score on its way into or out of the hash table: ends of the game and wins by tables count there from the
/// node, in the search from the root.
pub(crate) fn from_node(raw: i32, ply: usize) -> i32 {
    shifted(raw, -(ply as i32))
}

/// The opposite of [`from_node`].
pub(crate) fn to_node(raw: i32, ply: usize) -> i32 {
    shifted(raw, ply as i32)
}

fn shifted(raw: i32, plies: i32) -> i32 {
    if raw > Score::MOST_ESTIMATE {
        raw + plies
    } else if raw < -Score::MOST_ESTIMATE {
        raw - plies
    } else {
        raw
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_ordered_and_told_apart() {
        let best_first = [
            Score::win_in(1),
            Score::win_in(301),
            Score::win_in(9_999),
            Score::table_win(0),
            Score::table_win(100),
            Score::estimate(1_000_000),
            Score::estimate(37),
            Score::DRAW,
            Score::estimate(i32::MIN),
            Score::table_loss(3),
            Score::loss_in(300),
            Score::loss_in(0),
        ];
        assert!(best_first.is_sorted_by(|a, b| a > b));
        let texts = best_first.map(|score| score.to_string());
        assert_eq!(texts[0], "win 1");
        assert_eq!(texts[3], "table win");
        assert_eq!(texts[6], "+0.37");
        assert_eq!(texts[9], "table loss");
        assert_eq!(texts[11], "loss 0");
        for score in best_first {
            assert_eq!(score.negate().negate(), score);
            assert_eq!(score.is_win(), score.negate().is_loss());
            assert!(i16::try_from(score.get()).is_ok());
            assert_eq!(from_node(to_node(score.get(), 9), 9), score.get());
        }
    }
}

//! Figures of a class that its table carries in the header.

use rayon::prelude::*;

use crate::value::{PackedDtw, Plies, Wld};

/// The longest distance of one kind and the first position that has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Longest {
    /// The distance.
    pub plies: Plies,
    /// The lowest index of a position with that distance.
    pub first: u64,
}

/// Figures of all positions of a class with one side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SideStatistics {
    /// Positions.
    pub positions: u64,
    /// Positions won for the side to move.
    pub wins: u64,
    /// Drawn positions.
    pub draws: u64,
    /// Positions lost for the side to move.
    pub losses: u64,
    /// Positions in which the side to move must capture.
    pub captures: u64,
    /// The longest win; `None` without a win, or where distances were not computed. In a table of
    /// [`Metric::Dtz`](crate::Metric::Dtz) its plies are a packed [`Dtz`](crate::Dtz): see
    /// [`longest_needed_win`](Self::longest_needed_win).
    pub longest_win: Option<Longest>,
    /// The longest loss; `None` without a loss, or where distances were not computed. In a table of
    /// [`Metric::Dtz`](crate::Metric::Dtz) see [`longest_needed_loss`](Self::longest_needed_loss).
    pub longest_loss: Option<Longest>,
}

impl SideStatistics {
    /// Counts the position with number `index`. Positions may come in any order.
    #[inline]
    pub fn record(&mut self, index: u64, value: PackedDtw, capture: bool) {
        self.count(value.wld(), capture);
        let longest = match value.wld() {
            Wld::Win => &mut self.longest_win,
            Wld::Loss => &mut self.longest_loss,
            Wld::Draw => return,
        };
        let Some(plies) = value.unpack().plies() else {
            return;
        };
        let here = Longest {
            plies,
            first: index,
        };
        *longest = longer(*longest, Some(here));
    }

    /// The figures of consecutive positions, of which the first has the number `first`, without captures. All threads
    /// of the current rayon pool help.
    #[must_use]
    pub fn of_values(first: u64, values: &[PackedDtw]) -> Self {
        /// Values that a thread takes at least at a time.
        const AT_ONCE: usize = 1 << 14;
        values
            .par_chunks(AT_ONCE)
            .enumerate()
            .map(|(chunk, values)| {
                let mut figures = Self::default();
                for (index, &value) in (first + (chunk * AT_ONCE) as u64..).zip(values) {
                    figures.record(index, value, false);
                }
                figures
            })
            .reduce(Self::default, Self::merge)
    }

    /// Counts a position whose distance is not known.
    #[inline]
    pub fn count(&mut self, value: Wld, capture: bool) {
        self.positions += 1;
        self.captures += u64::from(capture);
        match value {
            Wld::Win => self.wins += 1,
            Wld::Draw => self.draws += 1,
            Wld::Loss => self.losses += 1,
        }
    }

    /// From a table of [`Metric::Dtz`](crate::Metric::Dtz): the most plies that a win needs to be left.
    #[must_use]
    pub fn longest_needed_win(&self) -> Option<Plies> {
        // A win that needs n plies is packed as a distance of 2n - 1.
        self.longest_win
            .map(|longest| Plies::new(longest.plies.get().div_ceil(2)))
    }

    /// From a table of [`Metric::Dtz`](crate::Metric::Dtz): the most plies that a loss needs to be left.
    #[must_use]
    pub fn longest_needed_loss(&self) -> Option<Plies> {
        // A loss that needs n plies is packed as a distance of 2n.
        self.longest_loss
            .map(|longest| Plies::new(longest.plies.get() / 2))
    }

    /// The figures of two disjoint sets of positions together.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        Self {
            positions: self.positions + other.positions,
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
            captures: self.captures + other.captures,
            longest_win: longer(self.longest_win, other.longest_win),
            longest_loss: longer(self.longest_loss, other.longest_loss),
        }
    }

    /// Whether these can be the figures of `positions` positions. With `complete`, a longest win and
    /// loss must be there exactly where there are wins and losses.
    pub(crate) fn check(&self, positions: u64, complete: bool) -> Result<(), String> {
        if self.positions != positions {
            return Err(format!(
                "{} positions instead of {positions}",
                self.positions
            ));
        }
        let decided_and_drawn = self
            .wins
            .checked_add(self.draws)
            .and_then(|sum| sum.checked_add(self.losses));
        if decided_and_drawn != Some(positions) || self.captures > positions {
            return Err("wins, draws and losses do not add up to the positions".into());
        }
        for (longest, count, parity) in [
            (self.longest_win, self.wins, 1),
            (self.longest_loss, self.losses, 0),
        ] {
            let fits = match longest {
                None => !complete || count == 0,
                Some(longest) => {
                    count > 0 && longest.plies.get() % 2 == parity && longest.first < positions
                }
            };
            if !fits {
                return Err("the longest distances do not fit the wins and losses".into());
            }
        }
        Ok(())
    }
}

/// The longer of two, the lower index among equals.
fn longer(a: Option<Longest>, b: Option<Longest>) -> Option<Longest> {
    let (Some(a), Some(b)) = (a, b) else {
        return a.or(b);
    };
    let key = |longest: &Longest| (longest.plies, std::cmp::Reverse(longest.first));
    Some(if key(&a) >= key(&b) { a } else { b })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_values_have_the_figures_of_each() {
        // More than a thread takes at a time, with equally long ones in several parts.
        let values: Vec<_> = (0..100_000_u32)
            .map(|number| PackedDtw::from_bits((number.wrapping_mul(2_654_435_761) >> 24) as u16))
            .collect();
        for (first, len) in [(0, 0), (7, 1), (1000, 16_384), (5, 16_385), (3, 100_000)] {
            let mut expected = SideStatistics::default();
            for (index, &value) in (first..).zip(&values[..len]) {
                expected.record(index, value, false);
            }
            assert_eq!(SideStatistics::of_values(first, &values[..len]), expected);
        }
    }

    #[test]
    fn the_first_longest_is_kept_in_any_order() {
        let values = [0, 2, 4, 1, 3, 4, 0, 3].map(PackedDtw::from_bits);
        let mut forward = SideStatistics::default();
        let mut backward = SideStatistics::default();
        for (index, &value) in values.iter().enumerate() {
            forward.record(index as u64, value, index == 0);
        }
        for (index, &value) in values.iter().enumerate().rev() {
            backward.record(index as u64, value, index == 0);
        }
        assert_eq!(forward, backward);
        assert_eq!(
            forward.longest_win,
            Some(Longest {
                plies: Plies::new(3),
                first: 2
            })
        );
        assert_eq!(
            forward.longest_loss,
            Some(Longest {
                plies: Plies::new(2),
                first: 4
            })
        );
        assert_eq!((forward.wins, forward.draws, forward.losses), (3, 2, 3));
        assert_eq!(forward.captures, 1);
        assert!(forward.check(8, true).is_ok());
        assert!(forward.check(9, true).is_err());
    }

    #[test]
    fn needed_plies_are_unpacked() {
        use crate::Dtz;
        let mut statistics = SideStatistics::default();
        assert_eq!(statistics.longest_needed_win(), None);
        assert_eq!(statistics.longest_needed_loss(), None);
        let values = [
            Dtz::Win(Plies::new(1)),
            Dtz::Win(Plies::new(30)),
            Dtz::Draw,
            Dtz::Loss(Plies::ZERO),
            Dtz::Loss(Plies::new(29)),
        ];
        for (index, value) in values.into_iter().enumerate() {
            statistics.record(index as u64, value.pack(), false);
        }
        assert_eq!(statistics.longest_needed_win(), Some(Plies::new(30)));
        assert_eq!(statistics.longest_needed_loss(), Some(Plies::new(29)));
        assert_eq!(statistics.longest_win.map(|longest| longest.first), Some(1));
        assert!(statistics.check(5, true).is_ok());
    }

    #[test]
    fn merging_is_counting_together() {
        let values = [5, 2, 9, 0, 4, 9].map(PackedDtw::from_bits);
        let mut all = SideStatistics::default();
        let mut parts = [SideStatistics::default(); 2];
        for (index, &value) in values.iter().enumerate() {
            all.record(index as u64, value, true);
            parts[index % 2].record(index as u64, value, true);
        }
        assert_eq!(parts[0].merge(parts[1]), all);
        assert_eq!(parts[1].merge(parts[0]), all);
    }

    #[test]
    fn contradictions_are_found() {
        let good = SideStatistics {
            positions: 3,
            wins: 1,
            draws: 2,
            ..SideStatistics::default()
        };
        assert!(good.check(3, false).is_ok());
        assert!(good.check(3, true).is_err(), "the longest win is missing");
        let longest = |plies, first| {
            Some(Longest {
                plies: Plies::new(plies),
                first,
            })
        };
        let even = SideStatistics {
            longest_win: longest(2, 0),
            ..good
        };
        assert!(even.check(3, true).is_err());
        let beyond = SideStatistics {
            longest_win: longest(1, 3),
            ..good
        };
        assert!(beyond.check(3, true).is_err());
        let overflow = SideStatistics {
            wins: u64::MAX,
            ..good
        };
        assert!(overflow.check(3, false).is_err());
    }
}

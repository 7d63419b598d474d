//! Many outcomes as two bit planes, the form in which whole tables are solved.

use std::collections::TryReserveError;

use crate::value::Wld;

/// Outcomes of consecutive positions as two bit planes: bit i % 64 of word i / 64 of the one says that
/// value number i is a win, of the other that it is a loss. Neither is a draw; both does not occur.
///
/// Filled by [`Table::read_outcomes`](crate::Table::read_outcomes). Bits behind the last value are 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcomes {
    win: Vec<u64>,
    loss: Vec<u64>,
    len: u64,
}

impl Outcomes {
    /// That many draws.
    ///
    /// # Panics
    /// If `len` bits are more than memory can hold.
    #[must_use]
    pub fn new(len: u64) -> Self {
        let words = usize::try_from(len.div_ceil(64)).expect("more outcomes than memory");
        Self {
            win: vec![0; words],
            loss: vec![0; words],
            len,
        }
    }

    /// Takes all outcomes away. Their memory is kept for others.
    pub fn clear(&mut self) {
        self.win.clear();
        self.loss.clear();
        self.len = 0;
    }

    /// The number of outcomes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The plane of the wins, of as many words as hold [`len`](Self::len) bits.
    #[must_use]
    pub fn win(&self) -> &[u64] {
        &self.win
    }

    /// The plane of the losses, equally long.
    #[must_use]
    pub fn loss(&self) -> &[u64] {
        &self.loss
    }

    /// Outcome number `at`.
    ///
    /// # Panics
    /// If there are not that many.
    #[inline]
    #[must_use]
    pub fn get(&self, at: u64) -> Wld {
        assert!(at < self.len, "outcome {at} of {}", self.len);
        let bit = |plane: &[u64]| plane[(at / 64) as usize] >> (at % 64) & 1 != 0;
        match (bit(&self.win), bit(&self.loss)) {
            (true, _) => Wld::Win,
            (false, true) => Wld::Loss,
            (false, false) => Wld::Draw,
        }
    }

    /// Changes outcome number `at`.
    ///
    /// # Panics
    /// If there are not that many.
    #[inline]
    pub fn set(&mut self, at: u64, outcome: Wld) {
        assert!(at < self.len, "outcome {at} of {}", self.len);
        let (word, bit) = ((at / 64) as usize, at % 64);
        for (plane, holds) in [
            (&mut self.win, outcome == Wld::Win),
            (&mut self.loss, outcome == Wld::Loss),
        ] {
            plane[word] = plane[word] & !(1 << bit) | u64::from(holds) << bit;
        }
    }

    /// How many outcomes are draws, wins and losses, in this order.
    #[must_use]
    pub fn counts(&self) -> (u64, u64, u64) {
        let ones = |plane: &[u64]| plane.iter().map(|word| u64::from(word.count_ones())).sum();
        let (wins, losses): (u64, u64) = (ones(&self.win), ones(&self.loss));
        (self.len - wins - losses, wins, losses)
    }

    /// Makes room for that many more outcomes.
    pub(crate) fn reserve(&mut self, more: u64) -> Result<(), TryReserveError> {
        let words = (self.len + more).div_ceil(64) - self.win.len() as u64;
        let words = usize::try_from(words).unwrap_or(usize::MAX);
        self.win.try_reserve_exact(words)?;
        self.loss.try_reserve_exact(words)
    }

    /// Puts outcomes behind the others: 0 a draw, 1 a loss, 2 a win.
    pub(crate) fn append_digits(&mut self, digits: &[u8]) {
        for digits in digits.chunks(64) {
            let (mut win, mut loss) = (0, 0);
            for (bit, &digit) in digits.iter().enumerate() {
                win |= u64::from(digit >> 1) << bit;
                loss |= u64::from(digit & 1) << bit;
            }
            self.append(win, loss, digits.len() as u32);
        }
    }

    /// Puts `count` outcomes, 1 to 64, behind the others: the low bits of the two words.
    #[inline]
    pub(crate) fn append(&mut self, win: u64, loss: u64, count: u32) {
        let shift = (self.len % 64) as u32;
        let mask = u64::MAX >> (64 - count);
        for (plane, bits) in [(&mut self.win, win & mask), (&mut self.loss, loss & mask)] {
            if let Some(last) = plane.last_mut().filter(|_| shift != 0) {
                *last |= bits << shift;
                if shift + count > 64 {
                    plane.push(bits >> (64 - shift));
                }
            } else {
                plane.push(bits);
            }
        }
        self.len += u64::from(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_appended_is_there(
            parts in prop::collection::vec((any::<u64>(), any::<u64>(), 1..=64_u32), 0..20),
        ) {
            let mut outcomes = Outcomes::default();
            let mut expected = Vec::new();
            for (win, loss, count) in parts {
                let loss = loss & !win;
                outcomes.append(win, loss, count);
                expected.extend((0..count).map(|at| match (win >> at & 1, loss >> at & 1) {
                    (1, _) => Wld::Win,
                    (_, 1) => Wld::Loss,
                    _ => Wld::Draw,
                }));
            }
            prop_assert_eq!(outcomes.len(), expected.len() as u64);
            let read: Vec<_> = (0..outcomes.len()).map(|at| outcomes.get(at)).collect();
            prop_assert_eq!(&read, &expected);

            let mut set = Outcomes::new(outcomes.len());
            for (at, &outcome) in expected.iter().enumerate() {
                set.set(at as u64, Wld::Win);
                set.set(at as u64, Wld::Loss);
                set.set(at as u64, outcome);
            }
            prop_assert_eq!(&set, &outcomes, "the same words, without bits behind the last value");

            let count = |wld| expected.iter().filter(|&&outcome| outcome == wld).count() as u64;
            let counts = (count(Wld::Draw), count(Wld::Win), count(Wld::Loss));
            prop_assert_eq!(outcomes.counts(), counts);
            set.clear();
            prop_assert_eq!(set, Outcomes::default());
        }
    }
}

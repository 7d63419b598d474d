//! Random numbers that are the same everywhere and for ever.
//!
//! SplitMix64 (Steele, Lea and Flood 2014): a counter that grows by a constant, scrambled. It is a dozen lines
//! of integer arithmetic, so no version of a library can change what a seed stands for.

use std::ops::RangeInclusive;

/// What the counter grows by: the golden ratio as a fraction of 2^64, made odd.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of random numbers.
///
/// ```
/// use makhos_selfplay::games::Dice;
///
/// let mut dice = Dice::of_game(7, 0);
/// assert!(dice.below(6) < 6);
/// assert_ne!(Dice::of_game(7, 1).next_u64(), Dice::of_game(7, 0).next_u64());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dice {
    state: u64,
}

impl Dice {
    /// The stream that begins with this state.
    #[must_use]
    pub const fn new(state: u64) -> Self {
        Self { state }
    }

    /// The stream of one game of a run, or of one thing of many: it depends on the seed of the run and the number of the game alone.
    ///
    /// Both are scrambled, so that games of one run, and the same game of runs with neighbouring seeds, begin
    /// at unrelated places of the counter. For one seed no two games begin at the same place.
    #[must_use]
    pub const fn of_game(seed: u64, game: u64) -> Self {
        Self::new(scrambled(scrambled(seed.wrapping_add(GOLDEN)) ^ game))
    }

    /// The next number.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        scrambled(self.state)
    }

    /// The next number below `limit`, each as likely as the others; 0 for a limit of 0.
    pub fn below(&mut self, limit: u32) -> u32 {
        // Lemire 2019: the high half of a product, unless the low half belongs to a part that would make some
        // numbers likelier.
        loop {
            let product = (self.next_u64() >> 32) * u64::from(limit);
            let low = product as u32;
            if low >= limit || low >= limit.wrapping_neg().checked_rem(limit).unwrap_or(0) {
                return (product >> 32) as u32;
            }
        }
    }

    /// The next number below `limit`, which is not 0, as an index. Its bias is less than 2^-32 for what fits
    /// memory.
    pub(crate) fn index(&mut self, limit: usize) -> usize {
        ((u128::from(self.next_u64()) * limit as u128) >> 64) as usize
    }

    /// The next number of `0.0..1.0`, a multiple of 2^-24.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// Puts items into a random order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }

    /// The next number of a range, each as likely as the others; its start if it is empty.
    pub fn within(&mut self, range: &RangeInclusive<u16>) -> u16 {
        let count = u32::from(range.end().saturating_sub(*range.start())) + 1;
        // Not above the end, which is no more than the largest number.
        range.start() + self.below(count) as u16
    }
}

/// The output function of SplitMix64: no two numbers become the same.
pub(crate) const fn scrambled(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn it_is_splitmix64() {
        // The first numbers for this seed, as Rosetta Code has them from the authors' program.
        let mut dice = Dice::new(1_234_567);
        let expected: [u64; 5] = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!([(); 5].map(|()| dice.next_u64()), expected);
    }

    #[test]
    fn numbers_are_in_range_and_about_as_frequent() {
        let mut dice = Dice::new(3);
        let mut seen = [0_i64; 7];
        for _ in 0..70_000 {
            seen[dice.below(7) as usize] += 1;
        }
        // Four standard deviations.
        let far = |count: &i64| (count - 10_000).abs() > 370;
        assert!(!seen.iter().any(far), "{seen:?}");
        assert_eq!((dice.below(0), dice.below(1)), (0, 0));
        let drawn: HashSet<u16> = (0..1_000).map(|_| dice.within(&(6..=10))).collect();
        assert_eq!(drawn, HashSet::from([6, 7, 8, 9, 10]));
        assert_eq!(dice.within(&(9..=9)), 9);
        assert_eq!(dice.within(&RangeInclusive::new(9, 3)), 9);
        assert!(dice.within(&(0..=u16::MAX)) < u16::MAX);
    }

    #[test]
    fn orders_are_orders_and_fractions_below_1() {
        let order = |number| {
            let mut items: Vec<u32> = (0..100).collect();
            Dice::of_game(1, number).shuffle(&mut items);
            items
        };
        assert_eq!(order(3), order(3));
        assert_ne!(order(3), order(4));
        let mut sorted = order(3);
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..100));
        let mut dice = Dice::of_game(5, 5);
        let fractions: Vec<f32> = (0..1_000).map(|_| dice.unit()).collect();
        assert!(fractions.iter().all(|it| (0.0..1.0).contains(it)));
        let mean = fractions.iter().sum::<f32>() / 1_000.0;
        // Six standard deviations.
        assert!((mean - 0.5).abs() < 0.055, "{mean}");
        assert!((0..1_000).all(|_| dice.index(3) < 3));
    }

    #[test]
    fn games_and_seeds_have_streams_of_their_own() {
        let firsts: HashSet<u64> = (0..100_u64)
            .flat_map(|seed| (0..100).map(move |game| Dice::of_game(seed, game).next_u64()))
            .collect();
        assert_eq!(firsts.len(), 10_000);
        assert_eq!(Dice::of_game(5, 6), Dice::of_game(5, 6));
    }
}

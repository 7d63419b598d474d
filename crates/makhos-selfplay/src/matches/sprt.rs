//! A sequential test of two differences in Elo, on pairs of games.
//!
//! The generalised sequential probability ratio test: of all distributions of the results of a pair that
//! have the mean of a hypothesis, the one that fits the results best stands for it. The ratio of the
//! likelihoods of both decides (Van den Bergh, "The generalized SPRT for the Elo difference", 2020).

use super::score::{Tally, points_of};
use std::fmt;
use thiserror::Error;

/// Stands for a result that has not occurred, which a distribution must not rule out.
const UNSEEN: f64 = 1e-3;

/// What a test compares, and how often it may be wrong.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    lower: f64,
    upper: f64,
}

/// A test that makes no sense.
#[derive(Clone, Copy, PartialEq, Debug, Error)]
#[non_exhaustive]
pub enum SprtError {
    /// The hypotheses are not in order.
    #[error("elo0 ({elo0}) must be less than elo1 ({elo1})")]
    Order {
        /// The first.
        elo0: f64,
        /// The second.
        elo1: f64,
    },
    /// An error rate is not between 0 and 1/2.
    #[error("{name} is {value}, but must be between 0 and 0.5")]
    Rate {
        /// Which of the two.
        name: &'static str,
        /// What it is.
        value: f64,
    },
}

/// What a test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The difference is rather `elo0`.
    Rejected,
    /// Nothing yet.
    Open,
    /// The difference is rather `elo1`.
    Accepted,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Rejected => "rejected",
            Self::Open => "open",
            Self::Accepted => "accepted",
        })
    }
}

impl Sprt {
    /// A test of `elo1` against `elo0`: if the difference is `elo0` it is accepted with probability `alpha`,
    /// if it is `elo1` it is rejected with probability `beta`.
    ///
    /// # Errors
    /// [`SprtError`].
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        if !(elo0.is_finite() && elo1.is_finite() && elo0 < elo1) {
            return Err(SprtError::Order { elo0, elo1 });
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(SprtError::Rate { name, value });
            }
        }
        Ok(Self {
            elo0,
            elo1,
            lower: (beta / (1.0 - alpha)).ln(),
            upper: ((1.0 - beta) / alpha).ln(),
        })
    }

    /// The hypotheses, in Elo.
    #[must_use]
    pub fn hypotheses(&self) -> [f64; 2] {
        [self.elo0, self.elo1]
    }

    /// The bounds of the ratio at which the test ends.
    #[must_use]
    pub fn bounds(&self) -> [f64; 2] {
        [self.lower, self.upper]
    }

    /// The logarithm of the ratio of likelihoods; 0 before any pair.
    #[must_use]
    pub fn ratio(&self, tally: &Tally) -> f64 {
        let count = tally.pair_count();
        if count == 0 {
            return 0.0;
        }
        let pairs = tally.pairs.map(|pairs| (pairs as f64).max(UNSEEN));
        let total: f64 = pairs.iter().sum();
        let shares = pairs.map(|pairs| pairs / total);
        let [p0, p1] = self
            .hypotheses()
            .map(|elo| likeliest(&shares, points_of(elo)));
        let terms = (0..5).map(|half| shares[half] * (p1[half] / p0[half]).ln());
        total * terms.sum::<f64>()
    }

    /// What the results say.
    #[must_use]
    pub fn verdict(&self, tally: &Tally) -> Verdict {
        let ratio = self.ratio(tally);
        if ratio >= self.upper {
            Verdict::Accepted
        } else if ratio <= self.lower {
            Verdict::Rejected
        } else {
            Verdict::Open
        }
    }
}

/// The distribution of a pair's points a game with this mean under which results with these shares are
/// likeliest: `share / (1 + x * (points - mean))` for the one `x` that makes the mean right.
fn likeliest(shares: &[f64; 5], mean: f64) -> [f64; 5] {
    let away: [f64; 5] = std::array::from_fn(|half| half as f64 / 4.0 - mean);
    let excess = |x: f64| -> f64 {
        let terms = shares.iter().zip(away);
        terms
            .map(|(share, away)| share * away / (1.0 + x * away))
            .sum()
    };
    // It falls from infinity to minus infinity between the poles.
    let (mut low, mut high) = (-1.0 / away[4], -1.0 / away[0]);
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let x = (low + high) / 2.0;
    std::array::from_fn(|half| shares[half] / (1.0 + x * away[half]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::score::Outcome;
    use crate::random::Dice;

    fn tally(pairs: [u64; 5]) -> Tally {
        Tally {
            games: [0; 3],
            pairs,
        }
    }

    #[test]
    fn ratios_are_those_of_the_best_distributions() {
        // Found by a random search for the likeliest distributions with the two means.
        let test = Sprt::new(0.0, 10.0, 0.05, 0.05).expect("a test");
        let ratio = test.ratio(&tally([10, 20, 100, 60, 10]));
        assert!((ratio - 2.298_199_769_9).abs() < 1e-4, "{ratio}");
        let ratio = test.ratio(&tally([40, 60, 100, 50, 20]));
        assert!((ratio + 2.570_226_739_1).abs() < 1e-4, "{ratio}");
        assert_eq!(test.ratio(&Tally::default()), 0.0);
        // The distribution has the mean it should have.
        let likeliest = likeliest(&[0.1, 0.2, 0.3, 0.3, 0.1], 0.6);
        let mean: f64 = likeliest
            .iter()
            .enumerate()
            .map(|(half, p)| half as f64 / 4.0 * p)
            .sum();
        assert!((mean - 0.6).abs() < 1e-12);
        assert!((likeliest.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn bounds_and_verdicts() {
        let test = Sprt::new(0.0, 20.0, 0.05, 0.1).expect("a test");
        let [lower, upper] = test.bounds();
        assert!((lower + 2.251_291_8).abs() < 1e-6 && (upper - 2.890_371_8).abs() < 1e-6);
        assert_eq!(test.verdict(&tally([0, 0, 0, 0, 0])), Verdict::Open);
        assert_eq!(test.verdict(&tally([1, 5, 50, 60, 30])), Verdict::Accepted);
        assert_eq!(test.verdict(&tally([30, 60, 50, 5, 1])), Verdict::Rejected);
        // One-sided results are no trouble.
        assert_eq!(test.verdict(&tally([0, 0, 0, 0, 500])), Verdict::Accepted);
        assert!(test.ratio(&tally([0, 0, 1, 0, 0])).is_finite());
        assert!(Sprt::new(5.0, 5.0, 0.05, 0.05).is_err());
        assert!(Sprt::new(0.0, 5.0, 0.0, 0.05).is_err());
        assert!(Sprt::new(0.0, 5.0, 0.05, f64::NAN).is_err());
    }

    #[test]
    fn it_is_as_often_wrong_as_it_says() {
        let test = Sprt::new(0.0, 40.0, 0.05, 0.05).expect("a test");
        // How often a match between players of this difference ends with `elo1` accepted.
        let accepted = |elo: f64, seed: u64| {
            let mut random = Dice::of_game(seed, 0);
            let win = points_of(elo) as f32 - 0.25;
            let mut game = move || match random.unit() {
                it if it < win => Outcome::Win,
                it if it < win + 0.5 => Outcome::Draw,
                _ => Outcome::Loss,
            };
            let ends = (0..400).map(|_| {
                let mut tally = Tally::default();
                loop {
                    tally.add([game(), game()]);
                    match test.verdict(&tally) {
                        Verdict::Open => {}
                        verdict => return u32::from(verdict == Verdict::Accepted),
                    }
                }
            });
            f64::from(ends.sum::<u32>()) / 400.0
        };
        let (wrong, right) = (accepted(0.0, 1), accepted(40.0, 2));
        assert!((0.005..0.085).contains(&wrong), "{wrong}");
        assert!((0.915..0.995).contains(&right), "{right}");
    }
}

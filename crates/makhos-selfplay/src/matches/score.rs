//! Results of games and pairs, and what strength they tell.

use std::fmt;
use std::ops::AddAssign;

/// A result for the first player of a match.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// The second player has won.
    Loss = 0,
    /// Nobody has won.
    Draw = 1,
    /// The first player has won.
    Win = 2,
}

impl Outcome {
    /// The same result for the other player.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

/// What has been counted of a match, for the first player.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Games lost, drawn and won.
    pub games: [u64; 3],
    /// Pairs of games with 0, 1, 2, 3 and 4 half points.
    pub pairs: [u64; 5],
}

impl Tally {
    /// Counts both games of a pair.
    pub fn add(&mut self, pair: [Outcome; 2]) {
        for outcome in pair {
            self.games[outcome as usize] += 1;
        }
        self.pairs[pair[0] as usize + pair[1] as usize] += 1;
    }

    /// Games altogether.
    #[must_use]
    pub fn game_count(&self) -> u64 {
        self.games.iter().sum()
    }

    /// Pairs altogether.
    #[must_use]
    pub fn pair_count(&self) -> u64 {
        self.pairs.iter().sum()
    }

    /// The points of a game, 0 to 1, in the mean; a half before any game.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let count = self.pair_count();
        if count == 0 {
            return 0.5;
        }
        let points = |(half, pairs): (usize, &u64)| half as f64 / 4.0 * *pairs as f64;
        self.pairs.iter().enumerate().map(points).sum::<f64>() / count as f64
    }

    /// The variance of the points a game of a pair. If all pairs were alike they say nothing about it; it is
    /// then taken for what one more pair, half lost and half won, would make of it.
    fn variance(&self) -> f64 {
        let variance = |pairs: [f64; 5]| {
            let count: f64 = pairs.iter().sum();
            let of = |power: i32, mean: f64| {
                let terms = pairs.iter().enumerate();
                terms
                    .map(|(half, pairs)| pairs * (half as f64 / 4.0 - mean).powi(power))
                    .sum::<f64>()
                    / count
            };
            of(2, of(1, 0.0))
        };
        let pairs = self.pairs.map(|count| count as f64);
        if pairs.iter().filter(|count| **count > 0.0).count() > 1 {
            return variance(pairs);
        }
        let [lost, .., won] = pairs;
        variance([lost + 0.5, pairs[1], pairs[2], pairs[3], won + 0.5])
    }

    /// How far the mean is expected to be from the truth: the deviation of the pairs, whose games are not
    /// independent, over the root of their number.
    fn error(&self) -> f64 {
        match self.pair_count() {
            0 => f64::INFINITY,
            count => (self.variance() / count as f64).sqrt(),
        }
    }

    /// The difference in Elo that these results tell.
    #[must_use]
    pub fn elo(&self) -> Elo {
        let (mean, error) = (self.mean(), self.error());
        Elo {
            value: elo_of(mean),
            low: elo_of(mean - DEVIATIONS_95 * error),
            high: elo_of(mean + DEVIATIONS_95 * error),
        }
    }

    /// The likelihood that the first player is the better one, before which nothing was known.
    #[must_use]
    pub fn superiority(&self) -> f64 {
        if self.pair_count() == 0 {
            return 0.5;
        }
        normal((self.mean() - 0.5) / self.error())
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        for (count, more) in self.games.iter_mut().zip(other.games) {
            *count += more;
        }
        for (count, more) in self.pairs.iter_mut().zip(other.pairs) {
            *count += more;
        }
    }
}

/// `+220 =160 -20, pairs 2-5-33-90-70, Elo +194.2 [+170.0, +220.9], LOS 100.0%`
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [losses, draws, wins] = self.games;
        let pairs = self.pairs.map(|count| count.to_string()).join("-");
        write!(f, "+{wins} ={draws} -{losses}, pairs {pairs}, ")?;
        let superiority = 100.0 * self.superiority();
        write!(f, "Elo {}, LOS {superiority:.1}%", self.elo())
    }
}

/// 95% of a normal distribution are within so many deviations.
const DEVIATIONS_95: f64 = 1.959_963_984_540_054;

/// A difference in Elo with the bounds of its 95% interval; infinite where only one side scores.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Elo {
    /// What fits best.
    pub value: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:+.1} [{:+.1}, {:+.1}]",
            self.value, self.low, self.high
        )
    }
}

/// The difference in Elo at which so many points of a game are expected.
#[must_use]
pub fn elo_of(points: f64) -> f64 {
    if points <= 0.0 {
        f64::NEG_INFINITY
    } else if points >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (points / (1.0 - points)).log10()
    }
}

/// The points of a game that are expected at a difference in Elo.
#[must_use]
pub fn points_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The share of a normal distribution below so many deviations.
fn normal(deviations: f64) -> f64 {
    let x = deviations / 2.0_f64.sqrt();
    if x.abs() > 6.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    // The series of the error function; all terms have one sign, so nothing cancels.
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= 2.0 * x * x / (2.0 * f64::from(n) + 1.0);
        sum += term;
    }
    (0.5 + (-x * x).exp() * sum / std::f64::consts::PI.sqrt()).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, within: f64) {
        assert!(
            (found - expected).abs() <= within,
            "{found}, expected {expected}"
        );
    }

    #[test]
    fn elo_and_points() {
        close(elo_of(0.5), 0.0, 1e-12);
        close(elo_of(0.75), 190.848_501_9, 1e-6);
        close(points_of(100.0), 0.640_064_999, 1e-9);
        close(elo_of(points_of(-37.0)), -37.0, 1e-9);
        assert_eq!(elo_of(1.0), f64::INFINITY);
        assert_eq!(elo_of(-0.1), f64::NEG_INFINITY);
    }

    #[test]
    fn the_normal_distribution() {
        close(normal(0.0), 0.5, 1e-15);
        close(normal(1.0), 0.841_344_746_068_543, 1e-12);
        close(normal(-DEVIATIONS_95), 0.025, 1e-12);
        close(normal(3.0), 0.998_650_101_968_370, 1e-12);
        close(normal(-5.0), 2.866_515_718_791_94e-7, 1e-13);
        assert_eq!(normal(40.0), 1.0);
    }

    #[test]
    fn pairs_are_counted() {
        let mut tally = Tally::default();
        assert_eq!((tally.mean(), tally.superiority()), (0.5, 0.5));
        assert_eq!(tally.elo().low, f64::NEG_INFINITY);
        tally.add([Outcome::Win, Outcome::Loss]);
        tally.add([Outcome::Draw, Outcome::Draw]);
        tally.add([Outcome::Draw, Outcome::Win]);
        let mut twice = tally;
        twice += tally;
        assert_eq!(tally.games, [1, 3, 2]);
        assert_eq!(tally.pairs, [0, 0, 2, 1, 0]);
        assert_eq!(twice.pairs, [0, 0, 4, 2, 0]);
        close(twice.mean(), 7.0 / 12.0, 1e-12);
    }

    #[test]
    fn intervals_are_those_of_the_pairs() {
        // Figures worked out by hand from the definitions.
        let tally = Tally {
            games: [0; 3],
            pairs: [10, 20, 100, 60, 10],
        };
        let mean = (5.0 + 50.0 + 45.0 + 10.0) / 200.0;
        close(tally.mean(), mean, 1e-12);
        let squares = 20.0 * 0.0625 + 100.0 * 0.25 + 60.0 * 0.5625 + 10.0;
        close(tally.variance(), squares / 200.0 - mean * mean, 1e-12);
        close(tally.variance(), 0.0475, 1e-12);
        close(tally.error(), 0.015_411_035, 1e-8);
        let elo = tally.elo();
        close(elo.value, 34.860_067, 1e-5);
        close(elo.low, elo_of(0.55 - 1.959_964 * 0.015_411_035), 1e-4);
        close(elo.high, elo_of(0.55 + 1.959_964 * 0.015_411_035), 1e-4);
        close(tally.superiority(), normal(0.05 / 0.015_411_035), 1e-6);
    }

    #[test]
    fn games_of_a_pair_are_not_independent() {
        // Every opening is won by one colour, so nothing is known to differ however large the spread of
        // games.
        let tally = Tally {
            games: [100, 0, 100],
            pairs: [0, 0, 100, 0, 0],
        };
        let elo = tally.elo();
        close(elo.value, 0.0, 1e-9);
        assert!(elo.high > 1.0 && elo.high < 10.0, "{elo}");
        let drawn_games = 1.96 * (0.25_f64 / 200.0).sqrt();
        assert!(elo.high < elo_of(0.5 + drawn_games) / 4.0);
    }

    #[test]
    fn one_sided_matches_have_no_upper_bound() {
        let tally = Tally {
            games: [0, 0, 20],
            pairs: [0, 0, 0, 0, 10],
        };
        let elo = tally.elo();
        assert_eq!((elo.value, elo.high), (f64::INFINITY, f64::INFINITY));
        assert!(elo.low.is_finite() && elo.low > 100.0);
        assert!(tally.superiority() > 0.99);
        assert!(
            tally
                .to_string()
                .starts_with("+20 =0 -0, pairs 0-0-0-0-10, Elo +inf")
        );
    }
}

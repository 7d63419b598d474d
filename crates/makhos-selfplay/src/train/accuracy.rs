//! How often an evaluator is right about positions whose value is known exactly.

use std::collections::BTreeMap;

use makhos_probe::Wld;
use makhos_rules::{Board, Position};
use rayon::prelude::*;

use super::error::{TrainError, check};
use super::minimum::minimum;
use crate::eval::Evaluator;

/// How scores become verdicts and probabilities.
///
/// A score above the threshold is a verdict of a win, one below its negative of a loss, anything between of
/// a draw. The probability of a win is `sigmoid(scale * (score - threshold))`, that of a loss `sigmoid(scale
/// * (-score - threshold))`, and the rest that of a draw: at the threshold a win is as likely as not.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Judgement {
    /// In men.
    pub threshold: f64,
    /// The logit that a man is worth.
    pub scale: f64,
}

impl Default for Judgement {
    fn default() -> Self {
        Self {
            threshold: 1.0,
            scale: 1.0,
        }
    }
}

impl Judgement {
    /// The judgement by which an evaluator's scores explain exact values best: with the least cross-entropy of
    /// these positions, threshold and scale being between 0.02 and 20. To be fair to all evaluators, take other
    /// positions than those they are compared by.
    ///
    /// # Errors
    /// [`TrainError::Empty`] without positions.
    pub fn fitted<B: Board, E: Evaluator<B>>(
        evaluator: &E,
        positions: &[(Position<B>, Wld)],
    ) -> Result<Self, TrainError> {
        if positions.is_empty() {
            return Err(TrainError::Empty { part: "exact" });
        }
        let mut counts = BTreeMap::<(i32, Wld), u32>::new();
        let scores: Vec<(i32, Wld)> = positions
            .par_iter()
            .map(|(position, value)| (evaluator.evaluate(position).get(), *value))
            .collect();
        for score in scores {
            *counts.entry(score).or_default() += 1;
        }
        let surprise = |judgement: Self| -> f64 {
            let terms = counts.iter().map(|((score, value), count)| {
                let score = f64::from(*score) / 100.0;
                -f64::from(*count) * judgement.likelihood(score, *value)
            });
            terms.sum()
        };
        // The surprise is convex in scale and scale times threshold together, so it falls and rises in each
        // of both when the other one is fixed or at its best.
        let (low, high) = (0.02_f64.ln(), 20.0_f64.ln());
        let with = |scale: f64, threshold: f64| Self {
            threshold: threshold.exp(),
            scale: scale.exp(),
        };
        let threshold = |scale| minimum(low, high, 1e-3, |it| surprise(with(scale, it)));
        let scale = minimum(low, high, 1e-3, |scale| {
            surprise(with(scale, threshold(scale)))
        });
        Ok(with(scale, threshold(scale)))
    }

    /// The verdict on a score in men.
    fn verdict(&self, score: f64) -> Wld {
        if score > self.threshold {
            Wld::Win
        } else if score < -self.threshold {
            Wld::Loss
        } else {
            Wld::Draw
        }
    }

    /// The logarithm of the probability of a value, given a score in men.
    fn likelihood(&self, score: f64, value: Wld) -> f64 {
        let logit = |score: f64| self.scale * (score - self.threshold);
        // ln(sigmoid(x)), without running out of range.
        let log = |x: f64| x.min(0.0) - (-x.abs()).exp().ln_1p();
        match value {
            Wld::Win => log(logit(score)),
            Wld::Loss => log(logit(-score)),
            // 1 - sigmoid(a) - sigmoid(b) is sigmoid(-a) * sigmoid(-b) * (1 - exp(a + b)).
            Wld::Draw => {
                let (a, b) = (logit(score), logit(-score));
                log(-a) + log(-b) + (-(a + b).exp_m1()).ln()
            }
        }
    }
}

/// What has been counted of some positions.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Accuracy {
    /// By value (loss, draw, win), then by verdict.
    pub verdicts: [[u64; 3]; 3],
    /// The sum of minus the logarithms of the probabilities that the true values were given.
    pub surprise: f64,
}

impl Accuracy {
    /// Positions altogether.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.verdicts.iter().flatten().sum()
    }

    /// The share of right verdicts; `None` without positions.
    #[must_use]
    pub fn right(&self) -> Option<f64> {
        let right: u64 = (0..3).map(|value| self.verdicts[value][value]).sum();
        (self.count() > 0).then(|| right as f64 / self.count() as f64)
    }

    /// The mean cross-entropy, in natural units: 0 if all was certain and right, `ln 3` without any
    /// knowledge; `None` without positions.
    #[must_use]
    pub fn cross_entropy(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.surprise / self.count() as f64)
    }

    fn add(&mut self, other: &Self) {
        let all = self.verdicts.iter_mut().flatten();
        for (count, more) in all.zip(other.verdicts.iter().flatten()) {
            *count += more;
        }
        self.surprise += other.surprise;
    }
}

/// Positions of one task, so that sums do not depend on threads.
const CHUNK: usize = 4_096;

/// Compares what an evaluator says with exact values, by the number of pieces. Positions in which something
/// can be captured are counted like all others; an evaluator is not made for them, so leave them out.
///
/// # Errors
/// [`TrainError::Setting`] unless threshold and scale are positive.
pub fn accuracy<B: Board, E: Evaluator<B>>(
    evaluator: &E,
    judgement: &Judgement,
    positions: &[(Position<B>, Wld)],
) -> Result<BTreeMap<u32, Accuracy>, TrainError> {
    for (name, value) in [
        ("the threshold", judgement.threshold),
        ("the scale", judgement.scale),
    ] {
        check(value > 0.0 && value.is_finite(), name, value, "positive")?;
    }
    let parts: Vec<BTreeMap<u32, Accuracy>> = positions
        .par_chunks(CHUNK)
        .map(|positions| {
            let mut part = BTreeMap::<u32, Accuracy>::new();
            for (position, value) in positions {
                let score = f64::from(evaluator.evaluate(position).get()) / 100.0;
                let counted = part.entry(position.piece_count()).or_default();
                let verdict = judgement.verdict(score);
                counted.verdicts[*value as usize][verdict as usize] += 1;
                counted.surprise -= judgement.likelihood(score, *value);
            }
            part
        })
        .collect();
    let mut all = BTreeMap::<u32, Accuracy>::new();
    for (pieces, part) in parts.into_iter().flatten() {
        all.entry(pieces).or_default().add(&part);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use makhos_rules::notation::fen;
    use makhos_rules::variant::RUSSIAN;

    use super::*;
    use crate::eval::{Model, Patterns, Weights};
    use crate::random::Dice;
    use crate::train::testing::random_examples;

    #[test]
    fn verdicts_are_counted_by_pieces() {
        let weights = Weights::material_only::<u32>(&RUSSIAN);
        let eval = Patterns::<u32>::new(&RUSSIAN, &weights).expect("weights");
        let positions = [
            ("W:W21,22:B1", Wld::Win),
            ("B:W21,22:B1", Wld::Draw),
            ("W:W21:B1", Wld::Draw),
            ("W:WK21:BK1", Wld::Loss),
        ]
        .map(|(text, value)| {
            (
                fen::parse::<u32>(&RUSSIAN, text).expect("a position"),
                value,
            )
        });
        let judgement = Judgement {
            threshold: 0.5,
            scale: 2.0,
        };
        let found = accuracy(&eval, &judgement, &positions).expect("figures");
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), [2, 3]);
        // One man more is a win by the threshold, for either side.
        assert_eq!(found[&3].verdicts, [[0; 3], [1, 0, 0], [0, 0, 1]]);
        assert_eq!(found[&3].right(), Some(0.5));
        assert_eq!(found[&2].verdicts, [[0, 1, 0], [0, 1, 0], [0; 3]]);
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let (win, loss) = (sigmoid(1.0), sigmoid(-3.0));
        let expected = -(win.ln() + (1.0 - win - loss).ln()) / 2.0;
        let entropy = found[&3].cross_entropy().expect("a number");
        assert!((entropy - expected).abs() < 1e-9, "{entropy} {expected}");
        assert_eq!(Accuracy::default().right(), None);
        let senseless = Judgement {
            threshold: 0.0,
            ..judgement
        };
        assert!(accuracy(&eval, &senseless, &positions).is_err());
    }

    #[test]
    fn a_judgement_is_found_again() {
        let true_one = Judgement {
            threshold: 0.8,
            scale: 1.7,
        };
        let eval = Model::<u32>::material(&RUSSIAN).expect("weights");
        let mut dice = Dice::new(1);
        let positions: Vec<_> = random_examples::<u32>(&RUSSIAN, 20_000, 4)
            .into_iter()
            .map(|example| {
                let score = f64::from(eval.evaluate(&example.position).get()) / 100.0;
                let drawn = f64::from(dice.unit());
                let win = true_one.likelihood(score, Wld::Win).exp();
                let loss = true_one.likelihood(score, Wld::Loss).exp();
                let value = match drawn {
                    it if it < win => Wld::Win,
                    it if it < win + loss => Wld::Loss,
                    _ => Wld::Draw,
                };
                (example.position, value)
            })
            .collect();
        let found = Judgement::fitted(&eval, &positions).expect("a judgement");
        assert!((found.threshold - 0.8).abs() < 0.05, "{found:?}");
        assert!((found.scale - 1.7).abs() < 0.12, "{found:?}");
        assert!(Judgement::fitted::<u32, _>(&eval, &[]).is_err());
    }

    #[test]
    fn probabilities_are_1_together_and_never_run_out() {
        let judgement = Judgement {
            threshold: 0.7,
            scale: 1.3,
        };
        for score in [-3.0, -0.7, 0.0, 0.2, 5.0] {
            let all = [Wld::Loss, Wld::Draw, Wld::Win];
            let sum: f64 = all
                .map(|value| judgement.likelihood(score, value).exp())
                .iter()
                .sum();
            assert!((sum - 1.0).abs() < 1e-12, "{score}: {sum}");
        }
        assert!((judgement.likelihood(0.7, Wld::Win).exp() - 0.5).abs() < 1e-12);
        for score in [-320.0, 320.0] {
            for value in [Wld::Loss, Wld::Draw, Wld::Win] {
                assert!(judgement.likelihood(score, value).is_finite());
            }
        }
    }
}

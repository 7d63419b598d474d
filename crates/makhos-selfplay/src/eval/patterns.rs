//! Evaluation by patterns, in fixed point.

use makhos_rules::rules::Color;
use makhos_rules::{Board, Position, RuleSet};

use super::Evaluator;
use super::features::{Features, Scalar};
use super::weights::{Weights, WeightsError};
use crate::score::Score;

/// Steps of a weight in a man's worth.
const UNIT: f32 = 1_024.0;
/// Hundredths of a man are scores.
const HUNDREDTHS: i64 = 100;

/// Evaluates positions by weights in 16 bits.
#[derive(Debug)]
pub struct Patterns<B> {
    features: Features<B>,
    /// For each feature, in steps of 1/1024 of a man, the two phases.
    weights: Vec<[i16; 2]>,
}

impl<B: Board> Patterns<B> {
    /// An evaluation of `rules` by these weights. They are rounded to 1/1024 of a man and cut off at 32 men.
    ///
    /// # Errors
    /// [`WeightsError`] if the weights are for another variant or board.
    pub fn new(rules: &RuleSet, weights: &Weights) -> Result<Self, WeightsError> {
        weights.check_rules::<B>(rules)?;
        // Conversion to an integer saturates.
        let rounded = |value: f32| (value * UNIT).round() as i16;
        let (pairs, _) = weights.values.as_chunks::<2>();
        Ok(Self {
            features: Features::new(rules),
            weights: pairs.iter().map(|pair| pair.map(rounded)).collect(),
        })
    }

    /// The features that are summed.
    #[must_use]
    pub fn features(&self) -> &Features<B> {
        &self.features
    }

    /// The weight, in men, that play uses for a [`Feature::index`](super::Feature::index).
    #[must_use]
    pub fn rounded_weight(&self, index: usize) -> f32 {
        f32::from(self.weights[index / 2][index % 2]) / UNIT
    }

    /// The sums of both phases for White.
    #[inline(always)]
    fn sums(&self, position: &Position<B>) -> [i32; 2] {
        let mut sums = [0; 2];
        let mut add = |feature: usize, count: i32| {
            let weights = self.weights[feature];
            sums[0] += i32::from(weights[0]) * count;
            sums[1] += i32::from(weights[1]) * count;
        };
        let tables = self.features.windows.tables();
        let numbers = self.features.windows.numbers(position);
        for (table, pair) in numbers[..tables]
            .iter()
            .zip(&numbers[tables..2 * tables])
            .enumerate()
        {
            add(self.features.pattern(table, *pair.0 as usize), 1);
            add(self.features.pattern(table, *pair.1 as usize), -1);
        }
        for square in position.kings(Color::White).squares() {
            add(self.features.king(square), 1);
        }
        for square in position.kings(Color::Black).squares() {
            add(self.features.king(B::SQUARES as usize - 1 - square), -1);
        }
        let first = self.features.scalar(Scalar::Man);
        for (at, count) in self.features.scalars(position).into_iter().enumerate() {
            add(first + at, count);
        }
        sums
    }
}

impl<B: Board> Evaluator<B> for Patterns<B> {
    #[inline]
    fn evaluate(&self, position: &Position<B>) -> Score {
        let [full, empty] = self.sums(position);
        let most = i64::from(Features::<B>::full());
        let pieces = i64::from(position.piece_count()).min(most);
        let total = i64::from(full) * pieces + i64::from(empty) * (most - pieces);
        let white = (total * HUNDREDTHS / (most * UNIT as i64)) as i32;
        Score::estimate(if position.side().is_white() {
            white
        } else {
            -white
        })
    }
}

#[cfg(test)]
mod tests {
    use makhos_rules::variant;
    use makhos_rules::{BoardSize, RuleSet};
    use proptest::prelude::*;

    use super::*;

    /// Weights that differ everywhere.
    fn scattered<B: Board>(rules: &RuleSet) -> Weights {
        let mut weights = Weights::material_only::<B>(rules);
        for (index, value) in weights.values.iter_mut().enumerate() {
            let noise = (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
            *value += noise as f32 / 65_536.0 - 0.5;
        }
        weights
    }

    /// A position after random moves, some of the men crowned.
    fn random<B: Board>(rules: &RuleSet, mut seed: u64) -> Position<B> {
        let mut next = |below: usize| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let mut position = Position::<B>::start(rules);
        for _ in 0..next(90) {
            let moves = rules.legal_moves(&position);
            if moves.is_empty() {
                break;
            }
            position = position.make(&moves[next(moves.len())]);
        }
        position
    }

    fn check<B: Board>(rules: &RuleSet, patterns: &Patterns<B>, seed: u64) {
        let position = random::<B>(rules, seed);
        let score = patterns.evaluate(&position);
        assert_eq!(score, patterns.evaluate(&position.flip()), "{position:?}");
        let mut features = Vec::new();
        patterns.features().features_into(&position, &mut features);
        let sum: f64 = features
            .iter()
            .map(|feature| {
                f64::from(feature.value)
                    * f64::from(patterns.rounded_weight(feature.index as usize))
            })
            .sum();
        // The evaluation cuts hundredths off towards zero.
        let score = f64::from(score.get());
        let difference = (sum * 100.0).abs() - score.abs();
        assert!(
            (-0.01..1.01).contains(&difference),
            "{sum} {score} {position:?}"
        );
        assert!(score == 0.0 || score.signum() == sum.signum());
        // The same features, from either side.
        let mut turned = Vec::new();
        patterns
            .features()
            .features_into(&position.flip(), &mut turned);
        let sorted = |mut list: Vec<super::super::Feature>| {
            list.sort_by(|a, b| a.index.cmp(&b.index).then(a.value.total_cmp(&b.value)));
            list
        };
        assert_eq!(sorted(features), sorted(turned));
    }

    fn check_many<B: Board>(rules: &RuleSet, seeds: std::ops::Range<u64>) {
        let patterns = Patterns::<B>::new(rules, &scattered::<B>(rules)).expect("weights");
        seeds.for_each(|seed| check(rules, &patterns, seed));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        #[test]
        fn colours_do_not_matter_and_features_are_the_evaluation(
            at in 0..variant::ALL.len(),
            seed in any::<u32>(),
        ) {
            let rules = variant::ALL[at];
            let seeds = u64::from(seed)..u64::from(seed) + 200;
            match rules.board {
                BoardSize::Eight => check_many::<u32>(rules, seeds),
                BoardSize::Ten => check_many::<u64>(rules, seeds),
                BoardSize::Twelve => check_many::<u128>(rules, seeds),
            }
        }
    }

    #[test]
    fn material_counts_as_told() {
        let rules = variant::RUSSIAN;
        let patterns = Patterns::<u32>::new(&rules, &Weights::material_only::<u32>(&rules));
        let patterns = patterns.expect("weights");
        let score = |fen: &str| {
            let position = makhos_rules::notation::fen::parse::<u32>(&rules, fen);
            patterns.evaluate(&position.expect("a position")).get()
        };
        assert_eq!(score("W:W21,22:B1"), 100);
        assert_eq!(score("B:W21,22:B1"), -100);
        assert_eq!(score("W:WK21,22:B1"), 300);
        assert_eq!(score("W:WK21,K22:BK1"), 200);
    }
}

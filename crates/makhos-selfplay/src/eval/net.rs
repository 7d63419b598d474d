//! A small neural network that says how likely a win, a draw and a loss are.
//!
//! # Inputs
//! Four for each square, 1 where such a piece stands: own men, own kings, men and kings of the other side.
//! The side to move sees the board from its own side, so a Black player's board is turned. Of 128 inputs on
//! 8x8 at most 24 are 1, so the first layer adds rows of weights instead of multiplying.
//!
//! # Layers
//! Inputs → 64 → 32 → 3, with ReLU between and softmax at the end: loss, draw and win of the side to move, in
//! this order.

use std::marker::PhantomData;

use makhos_probe::variant_directory;
use makhos_rules::rules::Color;
use makhos_rules::{Board, Position, RuleSet};

use super::tensors;
use super::{Evaluator, Features, WeightsError};
use crate::random::Dice;
use crate::score::Score;

/// Neurons of the first hidden layer.
pub(crate) const FIRST: usize = 64;
/// Neurons of the second.
pub(crate) const SECOND: usize = 32;
/// Outputs.
pub(crate) const OUTPUTS: usize = 3;
/// The least that is left of a probability when a score is made of it.
const LEAST: f32 = 1e-6;

/// Where the layers lie among all parameters. Weights are ordered by inputs, then by outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    pub(crate) inputs: usize,
}

impl Shape {
    pub(crate) fn of<B: Board>() -> Self {
        Self {
            inputs: 4 * B::SQUARES as usize,
        }
    }

    /// Inputs and outputs of the layers.
    pub(crate) fn layers(self) -> [(usize, usize); 3] {
        [(self.inputs, FIRST), (FIRST, SECOND), (SECOND, OUTPUTS)]
    }

    /// The number of parameters.
    pub(crate) fn count(self) -> usize {
        self.layers().iter().map(|(from, to)| (from + 1) * to).sum()
    }

    /// Weights and biases of all layers.
    pub(crate) fn split(self, values: &[f32]) -> [(&[f32], &[f32]); 3] {
        let mut rest = values;
        self.layers().map(|(from, to)| {
            let (weights, after) = rest.split_at(from * to);
            let (biases, after) = after.split_at(to);
            rest = after;
            (weights, biases)
        })
    }

    /// The same, to be changed.
    pub(crate) fn split_mut(self, values: &mut [f32]) -> [(&mut [f32], &mut [f32]); 3] {
        let mut rest = values;
        self.layers().map(|(from, to)| {
            let (weights, after) = std::mem::take(&mut rest).split_at_mut(from * to);
            let (biases, after) = after.split_at_mut(to);
            rest = after;
            (weights, biases)
        })
    }
}

/// The network, for one variant.
#[derive(Clone, PartialEq, Debug)]
pub struct Net<B> {
    pub(super) variant: String,
    /// How many times training has been applied to play with the network before; 0 for a random one.
    pub generation: u32,
    /// The logit of the expected score that a man is worth, by which probabilities become scores.
    pub scale: f32,
    pub(crate) values: Vec<f32>,
    pub(super) board: PhantomData<B>,
}

impl<B: Board> Net<B> {
    /// A network that knows nothing: weights drawn from the seed, of a spread that keeps the sums of all
    /// layers of one size, biases 0.
    #[must_use]
    pub fn random(rules: &RuleSet, seed: u64) -> Self {
        let shape = Shape::of::<B>();
        let mut values = vec![0.0; shape.count()];
        let mut dice = Dice::of_game(seed, 0);
        // Of the inputs only as many are 1 as there are pieces.
        let active = Features::<B>::full() as usize;
        let sources = [active, FIRST, SECOND];
        for ((weights, _), sources) in shape.split_mut(&mut values).into_iter().zip(sources) {
            let most = (6.0 / sources as f32).sqrt();
            for weight in weights {
                *weight = (2.0 * dice.unit() - 1.0) * most;
            }
        }
        Self {
            variant: variant_directory(rules),
            generation: 0,
            scale: 1.0,
            values,
            board: PhantomData,
        }
    }

    /// The same network with other parameters, of the next generation.
    pub(crate) fn next_generation(&self, values: Vec<f32>) -> Self {
        Self {
            generation: self.generation + 1,
            values,
            ..self.clone()
        }
    }

    /// The variant it is for, as [`makhos_probe::variant_directory`] writes it.
    #[must_use]
    pub fn variant(&self) -> &str {
        &self.variant
    }

    /// All parameters: weights by inputs and then outputs, and biases, layer by layer.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// A number that changes with the variant, the scale and with every parameter (FNV-1a in 64 bits). It tells
    /// networks apart and finds damage; it is no protection against intent.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let text = format!("{} {}", self.variant, self.scale);
        tensors::hash(&text, &self.values)
    }

    /// Whether it is for these rules, and all parameters are numbers.
    pub(super) fn check(&self, rules: &RuleSet) -> Result<(), WeightsError> {
        let expected = variant_directory(rules);
        if self.variant != expected {
            return Err(WeightsError::Metadata {
                key: "variant",
                found: self.variant.clone(),
                expected,
            });
        }
        let expected = Shape::of::<B>().count();
        if self.values.len() != expected {
            return Err(WeightsError::Length {
                found: self.values.len(),
                expected,
            });
        }
        match self.values.iter().position(|value| !value.is_finite()) {
            Some(index) => Err(WeightsError::NotFinite { index }),
            None => Ok(()),
        }
    }

    /// The probabilities of a loss, a draw and a win of the side to move.
    #[must_use]
    pub fn probabilities(&self, position: &Position<B>) -> [f32; 3] {
        let [(rows, first), (into_second, second), (into_last, last)] =
            Shape::of::<B>().split(&self.values);
        let mut hidden = [0.0; FIRST];
        hidden.copy_from_slice(first);
        for_inputs(position, |input| {
            for (sum, weight) in hidden.iter_mut().zip(&rows[input * FIRST..]) {
                *sum += weight;
            }
        });
        let mut next = [0.0; SECOND];
        next.copy_from_slice(second);
        layer(&hidden, into_second, &mut next);
        let mut outputs = [0.0; OUTPUTS];
        outputs.copy_from_slice(last);
        layer(&next, into_last, &mut outputs);
        softmax(&mut outputs);
        outputs
    }
}

impl<B: Board> Evaluator<B> for Net<B> {
    fn evaluate(&self, position: &Position<B>) -> Score {
        let [loss, draw, win] = self.probabilities(position);
        let (good, bad) = (win + draw / 2.0, loss + draw / 2.0);
        let logit = (good.max(LEAST) / bad.max(LEAST)).ln();
        // Conversion to an integer saturates.
        Score::estimate((100.0 * logit / self.scale).round() as i32)
    }
}

/// Adds to the sums of a layer what comes from the neurons before that are above 0.
fn layer(before: &[f32], weights: &[f32], sums: &mut [f32]) {
    let count = sums.len();
    for (value, weights) in before.iter().zip(weights.chunks_exact(count)) {
        let value = value.max(0.0);
        for (sum, weight) in sums.iter_mut().zip(weights) {
            *sum += value * weight;
        }
    }
}

/// Turns logits into probabilities.
#[inline(always)]
pub(crate) fn softmax(logits: &mut [f32]) {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for logit in logits.iter_mut() {
        *logit = (*logit - most).exp();
        sum += *logit;
    }
    for logit in logits {
        *logit /= sum;
    }
}

/// Visits the inputs of a position that are 1, in ascending order.
pub(crate) fn for_inputs<B: Board>(position: &Position<B>, mut each: impl FnMut(usize)) {
    let seen = if position.side().is_white() {
        *position
    } else {
        position.flip()
    };
    let (own, other) = (Color::White, Color::Black);
    let sets = [
        seen.men(own),
        seen.kings(own),
        seen.men(other),
        seen.kings(other),
    ];
    for (kind, set) in sets.into_iter().enumerate() {
        for square in set.squares() {
            each(kind * B::SQUARES as usize + square);
        }
    }
}

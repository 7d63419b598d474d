//! Training the network: softmax cross-entropy by Adam.
//!
//! A batch is divided into tasks of fixed size. Each computes the gradient of its examples, and these are
//! added in the order of the tasks, so that the network is the same bits for any number of threads.

use std::ops::Range;

use makhos_rules::Board;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Axis, Zip};
use rayon::prelude::*;

use super::curve::{LossCurve, LossPoint};
use super::error::{TrainError, check};
use super::example::Example;
use super::learner::{Learner, learn};
use crate::eval::Net;
use crate::eval::net::{FIRST, OUTPUTS, SECOND, Shape, for_inputs, softmax};
use crate::random::Dice;

/// Examples of one task.
const ROWS: usize = 256;
/// How long Adam remembers gradients and their squares, and what keeps it from dividing by 0.
const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;
/// The least probability that a loss is made of.
const LEAST: f32 = 1e-30;

/// Examples as the inputs that are 1, in an order drawn from a seed.
#[derive(Clone, PartialEq, Debug)]
pub struct NetSamples {
    shape: Shape,
    inputs: Vec<u16>,
    /// Where the inputs of each example end.
    ends: Vec<u32>,
    /// The probabilities of a loss, a draw and a win.
    targets: Vec<[f32; OUTPUTS]>,
    weights: Vec<f32>,
    total: f64,
}

impl NetSamples {
    /// The most examples.
    const MOST: usize = u32::MAX as usize / 64;

    /// Takes what training needs from examples, in an order drawn from `seed`. A target between a draw and a
    /// win is a mixture of these two, one between a loss and a draw likewise.
    ///
    /// # Errors
    /// [`TrainError::Example`] if a target or a weight makes no sense, [`TrainError::TooMany`].
    pub fn extract<B: Board>(examples: &[Example<B>], seed: u64) -> Result<Self, TrainError> {
        let found = examples.len();
        if found > Self::MOST {
            let most = Self::MOST;
            return Err(TrainError::TooMany { found, most });
        }
        Example::check_all(examples)?;
        let mut order: Vec<u32> = (0..found as u32).collect();
        Dice::of_game(seed, 0).shuffle(&mut order);
        let mut samples = Self {
            shape: Shape::of::<B>(),
            inputs: Vec::new(),
            ends: Vec::with_capacity(found),
            targets: Vec::with_capacity(found),
            weights: Vec::with_capacity(found),
            total: 0.0,
        };
        for index in order {
            let example = &examples[index as usize];
            for_inputs(&example.position, |input| samples.inputs.push(input as u16));
            samples.ends.push(samples.inputs.len() as u32);
            let target = 2.0 * example.target - 1.0;
            let (loss, win) = ((-target).max(0.0), target.max(0.0));
            samples.targets.push([loss, 1.0 - loss - win, win]);
            samples.weights.push(example.weight);
            samples.total += f64::from(example.weight);
        }
        Ok(samples)
    }

    /// How many examples there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    fn inputs(&self, row: usize) -> &[u16] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.inputs[start as usize..self.ends[row] as usize]
    }

    fn check(&self, part: &'static str, shape: Shape) -> Result<(), TrainError> {
        if self.is_empty() {
            return Err(TrainError::Empty { part });
        }
        if self.total <= 0.0 {
            return Err(TrainError::Weightless { part });
        }
        let (found, expected) = (self.shape.inputs as f64, shape.inputs as f64);
        check(
            found == expected,
            "the number of inputs",
            found,
            "that of the network",
        )
    }
}

/// How a network is trained.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NetSettings {
    /// The most epochs.
    pub epochs: u32,
    /// Epochs without a lower loss in validation after which training stops.
    pub patience: u32,
    /// Examples of a step.
    pub batch: usize,
    /// The size of a step.
    pub rate: f32,
    /// The share of every weight that is lost in a step, as a multiple of the rate.
    pub decay: f32,
    /// Decides the order of the batches.
    pub seed: u64,
}

impl Default for NetSettings {
    fn default() -> Self {
        Self {
            epochs: 30,
            patience: 3,
            batch: 2_048,
            rate: 2e-3,
            decay: 1e-3,
            seed: 0,
        }
    }
}

impl NetSettings {
    fn check(&self) -> Result<(), TrainError> {
        let rate = self.rate > 0.0 && self.rate.is_finite();
        check(rate, "the rate", f64::from(self.rate), "positive")?;
        let decay = self.decay >= 0.0 && self.decay * self.rate < 1.0;
        check(
            decay,
            "the decay",
            f64::from(self.decay),
            "at least 0 and below 1 / rate",
        )?;
        check(self.batch > 0, "the batch", 0.0, "at least 1")
    }
}

/// A trained network.
#[derive(Clone, PartialEq, Debug)]
pub struct NetFit<B> {
    /// The network after the best epoch, of the generation after the one at the start.
    pub net: Net<B>,
    /// All losses.
    pub curve: LossCurve,
    /// The epoch that the network is of; 0 if nothing was better than the one at the start.
    pub best: LossPoint,
}

/// Trains a network, beginning with `start`. `watch` is told of every epoch; training stops early when it
/// returns false. It runs on the threads of the pool that it is called in.
///
/// # Errors
/// [`TrainError`].
pub fn train_net<B: Board>(
    train: &NetSamples,
    validation: &NetSamples,
    start: &Net<B>,
    settings: &NetSettings,
    watch: &mut dyn FnMut(&LossPoint) -> bool,
) -> Result<NetFit<B>, TrainError> {
    settings.check()?;
    train.check("training", Shape::of::<B>())?;
    validation.check("validation", Shape::of::<B>())?;
    let count = start.values.len();
    let mut learner = NetLearner {
        values: start.values.clone(),
        adam: Adam {
            steps: 0,
            means: vec![0.0; count],
            squares: vec![0.0; count],
        },
        train,
        validation,
        settings,
    };
    let most = [settings.epochs, settings.patience];
    let (values, curve, best) = learn(&mut learner, most, watch)?;
    let net = start.next_generation(values);
    Ok(NetFit { net, curve, best })
}

/// A network on its way.
struct NetLearner<'a> {
    values: Vec<f32>,
    adam: Adam,
    train: &'a NetSamples,
    validation: &'a NetSamples,
    settings: &'a NetSettings,
}

impl Learner for NetLearner<'_> {
    type Model = Vec<f32>;

    fn before(&self) -> f64 {
        mean_loss(self.train, &self.values)
    }

    fn epoch(&mut self, epoch: u32) -> f64 {
        let (samples, size) = (self.train, self.settings.batch);
        let mut batches: Vec<usize> = (0..samples.len().div_ceil(size)).collect();
        Dice::of_game(self.settings.seed, u64::from(epoch)).shuffle(&mut batches);
        let mut loss = 0.0;
        for batch in batches {
            let rows = batch * size..samples.len().min((batch + 1) * size);
            let weight: f32 = samples.weights[rows.clone()].iter().sum();
            let (sum, gradient) = gradient(samples, &self.values, rows);
            loss += sum;
            if weight > 0.0 {
                self.adam
                    .step(&mut self.values, &gradient, weight, self.settings);
            }
        }
        loss / samples.total
    }

    fn validation(&self) -> f64 {
        mean_loss(self.validation, &self.values)
    }

    fn model(&self) -> Vec<f32> {
        self.values.clone()
    }
}

/// The steps of Adam, with the decay of weights apart from the gradient.
struct Adam {
    steps: i32,
    means: Vec<f32>,
    squares: Vec<f32>,
}

impl Adam {
    fn step(&mut self, values: &mut [f32], gradient: &[f32], weight: f32, settings: &NetSettings) {
        self.steps = self.steps.saturating_add(1);
        let rate =
            settings.rate * (1.0 - BETA2.powi(self.steps)).sqrt() / (1.0 - BETA1.powi(self.steps));
        let kept = 1.0 - settings.rate * settings.decay;
        let state = self.means.iter_mut().zip(&mut self.squares);
        for ((value, sum), (mean, square)) in values.iter_mut().zip(gradient).zip(state) {
            let gradient = sum / weight;
            *mean = BETA1 * *mean + (1.0 - BETA1) * gradient;
            *square = BETA2 * *square + (1.0 - BETA2) * gradient * gradient;
            *value = *value * kept - rate * *mean / (square.sqrt() + EPSILON);
        }
    }
}

/// The tasks of some rows.
fn tasks(rows: Range<usize>) -> impl IndexedParallelIterator<Item = Range<usize>> {
    let count = rows.len().div_ceil(ROWS);
    (0..count).into_par_iter().map(move |task| {
        let start = rows.start + task * ROWS;
        start..rows.end.min(start + ROWS)
    })
}

/// The loss of rows, summed with their weights, and its gradient.
fn gradient(samples: &NetSamples, values: &[f32], rows: Range<usize>) -> (f64, Vec<f32>) {
    let parts: Vec<(f64, Vec<f32>)> = tasks(rows)
        .map(|rows| {
            let pass = Pass::forward(samples, values, rows);
            (pass.loss(samples), pass.gradient(samples, values))
        })
        .collect();
    let mut sum = (0.0, vec![0.0; values.len()]);
    for (loss, gradient) in parts {
        sum.0 += loss;
        for (sum, part) in sum.1.iter_mut().zip(gradient) {
            *sum += part;
        }
    }
    sum
}

/// The mean loss of all samples.
fn mean_loss(samples: &NetSamples, values: &[f32]) -> f64 {
    let losses: Vec<f64> = tasks(0..samples.len())
        .map(|rows| Pass::forward(samples, values, rows).loss(samples))
        .collect();
    losses.iter().sum::<f64>() / samples.total
}

/// What the layers say to some rows.
struct Pass {
    rows: Range<usize>,
    first: Array2<f32>,
    second: Array2<f32>,
    probabilities: Array2<f32>,
}

/// A matrix over some parameters.
fn matrix(values: &[f32], columns: usize) -> ArrayView2<'_, f32> {
    let rows = values.len() / columns;
    ArrayView2::from_shape((rows, columns), values).expect("layers are whole matrices")
}

/// A matrix over some parameters, to be changed.
fn matrix_mut(values: &mut [f32], columns: usize) -> ArrayViewMut2<'_, f32> {
    let rows = values.len() / columns;
    ArrayViewMut2::from_shape((rows, columns), values).expect("layers are whole matrices")
}

impl Pass {
    fn forward(samples: &NetSamples, values: &[f32], rows: Range<usize>) -> Self {
        let [(rows1, bias1), (weights2, bias2), (weights3, bias3)] = samples.shape.split(values);
        let count = rows.len();
        let mut first = Array2::zeros((count, FIRST));
        for (row, sums) in rows.clone().zip(
            first
                .as_slice_mut()
                .into_iter()
                .flat_map(|all: &mut [f32]| all.chunks_exact_mut(FIRST)),
        ) {
            sums.copy_from_slice(bias1);
            for input in samples.inputs(row) {
                let start = usize::from(*input) * FIRST;
                for (sum, weight) in sums.iter_mut().zip(&rows1[start..start + FIRST]) {
                    *sum += weight;
                }
            }
            sums.iter_mut().for_each(|sum| *sum = sum.max(0.0));
        }
        let next = |before: &Array2<f32>, weights: &[f32], biases: &[f32]| {
            let mut sums = Array2::zeros((count, biases.len()));
            sums += &Array1::from(biases.to_vec());
            general_mat_mul(1.0, before, &matrix(weights, biases.len()), 1.0, &mut sums);
            sums
        };
        let mut second = next(&first, weights2, bias2);
        second.mapv_inplace(|sum| sum.max(0.0));
        let mut probabilities = next(&second, weights3, bias3);
        for mut row in probabilities.rows_mut() {
            let mut logits: [f32; OUTPUTS] = std::array::from_fn(|output| row[output]);
            softmax(&mut logits);
            row.iter_mut().zip(logits).for_each(|(to, from)| *to = from);
        }
        Self {
            rows,
            first,
            second,
            probabilities,
        }
    }

    /// The loss, summed with the weights of the rows.
    fn loss(&self, samples: &NetSamples) -> f64 {
        let rows = self.rows.clone().zip(self.probabilities.rows());
        let losses = rows.map(|(row, said)| {
            let terms = said.iter().zip(samples.targets[row]);
            let loss: f32 = terms
                .map(|(said, target)| -target * said.max(LEAST).ln())
                .sum();
            f64::from(samples.weights[row] * loss)
        });
        losses.sum()
    }

    /// The gradient of the loss.
    fn gradient(&self, samples: &NetSamples, values: &[f32]) -> Vec<f32> {
        let [_, (weights2, _), (weights3, _)] = samples.shape.split(values);
        let mut gradient = vec![0.0; values.len()];
        let [(rows1, bias1), (into2, bias2), (into3, bias3)] =
            samples.shape.split_mut(&mut gradient);
        let mut last = self.probabilities.clone();
        for (mut said, row) in last.rows_mut().into_iter().zip(self.rows.clone()) {
            let weight = samples.weights[row];
            for (said, target) in said.iter_mut().zip(samples.targets[row]) {
                *said = weight * (*said - target);
            }
        }
        general_mat_mul(
            1.0,
            &self.second.t(),
            &last,
            0.0,
            &mut matrix_mut(into3, OUTPUTS),
        );
        sum_into(&last, bias3);
        let second = back(&last, &matrix(weights3, OUTPUTS), &self.second);
        general_mat_mul(
            1.0,
            &self.first.t(),
            &second,
            0.0,
            &mut matrix_mut(into2, SECOND),
        );
        sum_into(&second, bias2);
        let first = back(&second, &matrix(weights2, SECOND), &self.first);
        sum_into(&first, bias1);
        for (error, row) in first.rows().into_iter().zip(self.rows.clone()) {
            for input in samples.inputs(row) {
                let start = usize::from(*input) * FIRST;
                for (sum, error) in rows1[start..start + FIRST].iter_mut().zip(error) {
                    *sum += error;
                }
            }
        }
        gradient
    }
}

/// The derivatives by the sums of a layer, from those by the sums of the next one: nothing comes through
/// where the neuron is at 0.
fn back(next: &Array2<f32>, weights: &ArrayView2<'_, f32>, neurons: &Array2<f32>) -> Array2<f32> {
    let mut errors = next.dot(&weights.t());
    Zip::from(&mut errors)
        .and(neurons)
        .for_each(|error, neuron| {
            if *neuron <= 0.0 {
                *error = 0.0;
            }
        });
    errors
}

/// The sums over all rows.
fn sum_into(errors: &Array2<f32>, sums: &mut [f32]) {
    for (to, sum) in sums.iter_mut().zip(errors.sum_axis(Axis(0))) {
        *to = sum;
    }
}

#[cfg(test)]
#[path = "net_tests.rs"]
mod tests;

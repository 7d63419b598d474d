//! Fitting the weights of patterns: logistic regression by Adagrad.
//!
//! # What is minimised
//! The loss of an example is its weight times the cross-entropy of its target and `sigmoid(scale * score)`,
//! the score being the evaluation in men. The sum over all examples, plus `prior / 2` times the squared
//! distance of all weights from those that training began with, is what the weights minimise: the starting
//! weights are what is believed before seeing anything, and a pattern that never occurs keeps its weight.
//!
//! # How
//! Batches of examples, in an order drawn from the seed for every epoch, each followed by a step of Adagrad
//! for the features that occur in it; the pull of the prior comes once an epoch, as an implicit step.
//! Adagrad gives each weight a rate of its own, which suits features as different in frequency as a man and
//! a rare pattern.
//!
//! # Determinism
//! Everything is summed in an order that follows from the examples alone: losses by tasks of fixed size, in
//! order; the gradient of a table of patterns by one task, row by row. So the weights are the same bits for
//! any number of threads.

use rayon::prelude::*;

use super::curve::{LossCurve, LossPoint};
use super::error::{TrainError, check};
use super::learner::{Learner, learn};
use super::loss::{Cell, Group, Local, Pair, ROWS, errors, groups, mean_loss};
use super::minimum::minimum;
use super::samples::Samples;
use crate::eval::{Weights, WeightsError};
use crate::random::Dice;

/// How weights are fitted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FitSettings {
    /// The logit of the expected score that a man is worth.
    pub scale: f32,
    /// The most epochs.
    pub epochs: u32,
    /// Epochs without a lower loss in validation after which training stops.
    pub patience: u32,
    /// The first step of a weight, in men, when all examples agree.
    pub rate: f32,
    /// How firmly weights hold to those at the start: 1 over the variance, in men, that is expected.
    pub prior: f32,
    /// Decides the order of the batches.
    pub seed: u64,
}

impl Default for FitSettings {
    fn default() -> Self {
        Self {
            scale: 1.0,
            epochs: 40,
            patience: 3,
            rate: 0.05,
            prior: 1.0,
            seed: 0,
        }
    }
}

impl FitSettings {
    fn check(&self) -> Result<(), TrainError> {
        let positive = |value: f32| value > 0.0 && value.is_finite();
        let number = |value: f32| f64::from(value);
        check(
            positive(self.scale),
            "the scale",
            number(self.scale),
            "positive",
        )?;
        check(
            positive(self.rate),
            "the rate",
            number(self.rate),
            "positive",
        )?;
        let prior = self.prior >= 0.0 && self.prior.is_finite();
        check(prior, "the prior", number(self.prior), "at least 0")
    }
}

/// What training has found.
#[derive(Clone, PartialEq, Debug)]
pub struct Fit {
    /// The weights after the best epoch, of the generation after the one at the start.
    pub weights: Weights,
    /// All losses.
    pub curve: LossCurve,
    /// The epoch that the weights are of; 0 if nothing was better than those at the start.
    pub best: LossPoint,
}

/// Fits weights to samples, beginning with `start`. `watch` is told of every epoch; training stops early
/// when it returns false. It runs on the threads of the pool that it is called in.
///
/// # Errors
/// [`TrainError`].
pub fn fit(
    train: &Samples,
    validation: &Samples,
    start: &Weights,
    settings: &FitSettings,
    watch: &mut dyn FnMut(&LossPoint) -> bool,
) -> Result<Fit, TrainError> {
    settings.check()?;
    train.check("training")?;
    validation.check("validation")?;
    // Also tells whether all are finite.
    start.next_generation(start.values.clone())?;
    let mut learner = PatternLearner {
        state: State::new(train, start)?,
        train,
        validation,
        settings,
    };
    let most = [settings.epochs, settings.patience];
    let (kept, curve, best) = learn(&mut learner, most, watch)?;
    Ok(Fit {
        weights: start.next_generation(kept.into_flattened())?,
        curve,
        best,
    })
}

/// Weights of patterns on their way.
struct PatternLearner<'a> {
    state: State,
    train: &'a Samples,
    validation: &'a Samples,
    settings: &'a FitSettings,
}

impl Learner for PatternLearner<'_> {
    type Model = Vec<Pair>;

    fn before(&self) -> f64 {
        mean_loss(self.train, &self.state.cells, self.settings.scale)
    }

    fn epoch(&mut self, epoch: u32) -> f64 {
        self.state.epoch(self.train, self.settings, epoch)
    }

    fn validation(&self) -> f64 {
        mean_loss(self.validation, &self.state.cells, self.settings.scale)
    }

    fn model(&self) -> Vec<Pair> {
        self.state.cells.iter().map(|cell| cell.weights).collect()
    }
}

/// The scale, between 0.01 and 10, that the scores of given weights fit the targets best with.
///
/// # Errors
/// [`TrainError`].
pub fn best_scale(samples: &Samples, weights: &Weights) -> Result<f32, TrainError> {
    samples.check("training")?;
    let state = State::new(samples, weights)?;
    let loss = |log: f64| mean_loss(samples, &state.cells, log.exp() as f32);
    // The loss is convex in the scale, so it has one minimum.
    let best = minimum(0.01_f64.ln(), 10.0_f64.ln(), 1e-3, loss);
    Ok(best.exp() as f32)
}

/// What changes during training.
struct State {
    /// The weights at the start, by feature and phase.
    start: Vec<Pair>,
    /// By feature.
    cells: Vec<Cell>,
    /// The parts of the features.
    groups: Vec<Group>,
    /// What the batch in work shows, by group.
    locals: Vec<Local>,
    /// Of the rows of the batch.
    errors: Vec<Pair>,
}

impl State {
    fn new(samples: &Samples, start: &Weights) -> Result<Self, TrainError> {
        let expected = 2 * samples.layout.count;
        let found = start.values.len();
        if found != expected {
            return Err(WeightsError::Length { found, expected }.into());
        }
        let (pairs, _) = start.values.as_chunks::<2>();
        let cell = |weights: &Pair| Cell {
            weights: *weights,
            ..Cell::default()
        };
        let groups = groups(&samples.layout);
        Ok(Self {
            start: pairs.to_vec(),
            cells: pairs.iter().map(cell).collect(),
            locals: vec![Local::default(); groups.len()],
            groups,
            errors: Vec::new(),
        })
    }

    /// All batches once, and the pull of the prior; the mean loss.
    fn epoch(&mut self, samples: &Samples, settings: &FitSettings, epoch: u32) -> f64 {
        let mut batches: Vec<usize> = (0..samples.batches()).collect();
        Dice::of_game(settings.seed, u64::from(epoch)).shuffle(&mut batches);
        let mut loss = 0.0;
        for batch in batches {
            self.each_group(samples, |group, cells, local, _| {
                group.fetch(samples, batch, cells, local);
            });
            loss += errors(
                samples,
                &self.locals,
                settings.scale,
                batch,
                &mut self.errors,
            );
            self.each_group(samples, |group, cells, local, errors| {
                group.accumulate(samples, batch, errors, local);
                group.visit(samples, batch, cells, local, |cell, gradient| {
                    step(cell, gradient, settings.rate);
                });
            });
        }
        self.pull(settings);
        loss / samples.total_weight()
    }

    /// Does something for every group, with its cells, what the batch shows of them and the errors of its
    /// rows.
    fn each_group(
        &mut self,
        samples: &Samples,
        what: impl Fn(Group, &mut [Cell], &mut Local, &[Pair]) + Sync,
    ) {
        let mut rest = &mut self.cells[..];
        let mut work = Vec::with_capacity(self.groups.len());
        for (group, local) in self.groups.iter().zip(&mut self.locals) {
            let count = group.features(&samples.layout).len();
            let (cells, others) = std::mem::take(&mut rest).split_at_mut(count);
            rest = others;
            work.push((*group, cells, local));
        }
        let errors = &self.errors;
        work.into_par_iter()
            .for_each(|(group, cells, local)| what(group, cells, local, errors));
    }

    /// The pull towards the weights at the start, as strong as an epoch of steps at each weight's rate.
    fn pull(&mut self, settings: &FitSettings) {
        self.cells
            .par_chunks_mut(ROWS)
            .zip(self.start.par_chunks(ROWS))
            .for_each(|(cells, start)| {
                for (cell, start) in cells.iter_mut().zip(start) {
                    let phases = cell.weights.iter_mut().zip(cell.squares).zip(start);
                    for ((weight, squares), start) in phases {
                        let force = settings.prior * rate(settings.rate, squares);
                        *weight = start + (*weight - start) / (1.0 + force);
                    }
                }
            });
    }
}

/// The rate of a weight whose gradients had this sum of squares. The 1 holds back what has hardly occurred:
/// an example changes the gradient by less than 1 where the scale is 1.
#[inline(always)]
fn rate(first: f32, squares: f32) -> f32 {
    first / (1.0 + squares).sqrt()
}

/// The step of a feature with this gradient.
#[inline(always)]
fn step(cell: &mut Cell, gradient: Pair, first: f32) {
    let phases = cell.weights.iter_mut().zip(&mut cell.squares);
    for ((weight, squares), gradient) in phases.zip(gradient) {
        *squares += gradient * gradient;
        *weight -= gradient * rate(first, *squares);
    }
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;

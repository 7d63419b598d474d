//! The loss of a linear evaluation on samples, and its gradient, in an order that threads do not change.

use std::ops::Range;

use rayon::prelude::*;

use super::logistic::cross_entropy;
use super::samples::{SCALARS, Samples};

/// Rows of one task. Sums are made within tasks and then over tasks in their order.
pub(super) const ROWS: usize = 512;

/// The weights of a feature in both phases.
pub(super) type Pair = [f32; 2];

/// What training knows of a feature; together, so that it costs one access to memory.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(align(32))]
pub(super) struct Cell {
    /// Its weights.
    pub(super) weights: Pair,
    /// The gradient of the batch; zero between batches.
    pub(super) gradient: Pair,
    /// The squares of all gradients so far.
    pub(super) squares: Pair,
}

/// The evaluations of some rows, at most [`ROWS`], in men.
fn scores(samples: &Samples, cells: &[Cell], rows: Range<usize>, scores: &mut [f32]) {
    let layout = &samples.layout;
    let mut sums = [[0.0_f32; 2]; ROWS];
    let sums = &mut sums[..rows.len()];
    let tables = cells.chunks_exact(layout.patterns);
    for (column, table) in samples.patterns.iter().zip(tables) {
        for (sum, [own, other]) in sums.iter_mut().zip(&column[rows.clone()]) {
            let own = table[*own as usize].weights;
            let other = table[*other as usize].weights;
            sum[0] += own[0] - other[0];
            sum[1] += own[1] - other[1];
        }
    }
    let kings = &cells[layout.kings..layout.scalars];
    let mut counted = [[0.0; 2]; SCALARS];
    for (weights, cell) in counted.iter_mut().zip(&cells[layout.scalars..]) {
        *weights = cell.weights;
    }
    for ((row, sum), score) in rows.zip(sums).zip(scores) {
        for (square, own) in samples.kings(row) {
            let sign = if *own { 1.0 } else { -1.0 };
            let weight = kings[usize::from(*square)].weights;
            sum[0] += sign * weight[0];
            sum[1] += sign * weight[1];
        }
        for (count, weight) in samples.scalars[row].iter().zip(&counted) {
            sum[0] += f32::from(*count) * weight[0];
            sum[1] += f32::from(*count) * weight[1];
        }
        let shares = samples.layout.shares(samples.pieces[row]);
        *score = sum[0] * shares[0] + sum[1] * shares[1];
    }
}

/// The loss of some rows, at most [`ROWS`], summed with their weights. `errors` become the derivatives of
/// each row's loss by its score in men.
fn losses(
    samples: &Samples,
    cells: &[Cell],
    scale: f32,
    rows: Range<usize>,
    errors: &mut [f32; ROWS],
) -> f64 {
    let count = rows.len();
    scores(samples, cells, rows.clone(), &mut errors[..count]);
    let mut losses = [0.0; ROWS];
    let (targets, weights) = (&samples.targets[rows.clone()], &samples.weights[rows]);
    // Loops without calls, which are vectorised.
    let targets = targets.iter().zip(weights);
    for ((error, loss), (target, weight)) in errors.iter_mut().zip(&mut losses).zip(targets) {
        let (entropy, probability) = cross_entropy(scale * *error, *target);
        *loss = weight * entropy;
        *error = weight * scale * (probability - target);
    }
    losses[..count].iter().map(|loss| f64::from(*loss)).sum()
}

/// The loss of rows, summed with their weights, and for each row the derivatives of its loss by the sums of
/// both phases.
pub(super) fn errors(
    samples: &Samples,
    cells: &[Cell],
    scale: f32,
    rows: Range<usize>,
    errors: &mut [Pair],
) -> f64 {
    let tasks = errors.par_chunks_mut(ROWS).enumerate();
    let losses: Vec<f64> = tasks
        .map(|(task, errors)| {
            let start = rows.start + task * ROWS;
            let rows = start..start + errors.len();
            let mut buffer = [0.0; ROWS];
            let loss = losses(samples, cells, scale, rows.clone(), &mut buffer);
            let pieces = &samples.pieces[rows];
            for ((to, error), pieces) in errors.iter_mut().zip(&buffer).zip(pieces) {
                *to = samples.layout.shares(*pieces).map(|share| share * error);
            }
            loss
        })
        .collect();
    losses.iter().sum()
}

/// The mean loss of all samples.
pub(super) fn mean_loss(samples: &Samples, cells: &[Cell], scale: f32) -> f64 {
    let tasks = samples.len().div_ceil(ROWS);
    let losses: Vec<f64> = (0..tasks)
        .into_par_iter()
        .map(|task| {
            let rows = task * ROWS..samples.len().min((task + 1) * ROWS);
            losses(samples, cells, scale, rows, &mut [0.0; ROWS])
        })
        .collect();
    losses.iter().sum::<f64>() / samples.total_weight()
}

/// A part of the features of which no other part needs to know: tables, or what is not in a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Group {
    /// The patterns of a table.
    Table(usize),
    /// Kings and what is counted.
    Rest,
}

impl Group {
    /// Adds the gradient of rows to that of the group's cells.
    pub(super) fn accumulate(
        self,
        samples: &Samples,
        rows: Range<usize>,
        errors: &[Pair],
        cells: &mut [Cell],
    ) {
        match self {
            Self::Table(table) => {
                for ([own, other], error) in samples.patterns[table][rows].iter().zip(errors) {
                    // The same pattern seen from both sides counts for nothing.
                    if own != other {
                        add(&mut cells[*own as usize].gradient, 1.0, *error);
                        add(&mut cells[*other as usize].gradient, -1.0, *error);
                    }
                }
            }
            Self::Rest => {
                let first = samples.layout.scalars - samples.layout.kings;
                let mut counted = [[0.0; 2]; SCALARS];
                for (row, error) in rows.zip(errors) {
                    for (square, own) in samples.kings(row) {
                        let sign = if *own { 1.0 } else { -1.0 };
                        add(&mut cells[usize::from(*square)].gradient, sign, *error);
                    }
                    for (sum, count) in counted.iter_mut().zip(samples.scalars[row]) {
                        add(sum, f32::from(count), *error);
                    }
                }
                for (cell, sum) in cells[first..].iter_mut().zip(counted) {
                    add(&mut cell.gradient, 1.0, sum);
                }
            }
        }
    }

    /// Visits the cells of the group that can have a gradient after these rows, some of them more than once.
    #[inline(always)]
    pub(super) fn touched(
        self,
        samples: &Samples,
        rows: Range<usize>,
        cells: &mut [Cell],
        mut visit: impl FnMut(&mut Cell),
    ) {
        match self {
            Self::Table(table) => {
                for [own, other] in &samples.patterns[table][rows] {
                    if own != other {
                        visit(&mut cells[*own as usize]);
                        visit(&mut cells[*other as usize]);
                    }
                }
            }
            Self::Rest => cells.iter_mut().for_each(visit),
        }
    }
}

/// Adds a multiple.
#[inline(always)]
fn add(to: &mut Pair, factor: f32, what: Pair) {
    to[0] += factor * what[0];
    to[1] += factor * what[1];
}

/// The cells of all features, by group.
pub(super) fn groups<'a>(samples: &Samples, cells: &'a mut [Cell]) -> Vec<(Group, &'a mut [Cell])> {
    let layout = &samples.layout;
    let (tables, rest) = cells.split_at_mut(layout.kings);
    let tables = tables.chunks_exact_mut(layout.patterns).enumerate();
    let mut groups: Vec<_> = tables
        .map(|(table, part)| (Group::Table(table), part))
        .collect();
    groups.push((Group::Rest, rest));
    groups
}

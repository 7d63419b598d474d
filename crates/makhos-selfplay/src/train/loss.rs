//! The loss of a linear evaluation on samples, and its gradient, in an order that threads do not change.

use std::ops::Range;

use rayon::prelude::*;

use super::logistic::cross_entropy;
use super::samples::{Layout, SCALARS, Samples};

/// Rows of one task. Sums are made within tasks and then over tasks in their order.
pub(super) const ROWS: usize = 512;

/// The weights of a feature in both phases.
pub(super) type Pair = [f32; 2];

/// What training knows of a feature; together, so that it costs one access to memory.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(align(16))]
pub(super) struct Cell {
    /// Its weights.
    pub(super) weights: Pair,
    /// The squares of all gradients so far.
    pub(super) squares: Pair,
}

/// The features of a [`Group`] that a batch shows.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Local {
    /// Their weights.
    pub(super) weights: Vec<Pair>,
    /// The gradient of the batch.
    pub(super) gradient: Vec<Pair>,
}

/// The evaluations of some rows, at most [`ROWS`], in men, with the weights of their batch.
fn scores(samples: &Samples, locals: &[Local], rows: Range<usize>, scores: &mut [f32]) {
    let layout = &samples.layout;
    let mut sums = [[0.0_f32; 2]; ROWS];
    let sums = &mut sums[..rows.len()];
    for (column, local) in samples.columns.iter().zip(locals) {
        for (sum, [own, other]) in sums.iter_mut().zip(column.places(rows.clone())) {
            let own = local.weights[usize::from(*own)];
            let other = local.weights[usize::from(*other)];
            sum[0] += own[0] - other[0];
            sum[1] += own[1] - other[1];
        }
    }
    let rest = &locals[layout.tables].weights;
    let (kings, scalars) = rest.split_at(layout.scalars - layout.kings);
    let mut counted = [[0.0; 2]; SCALARS];
    counted.copy_from_slice(scalars);
    for ((row, sum), score) in rows.zip(sums).zip(scores) {
        for (square, own) in samples.kings(row) {
            let sign = if *own { 1.0 } else { -1.0 };
            let weight = kings[usize::from(*square)];
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
    locals: &[Local],
    scale: f32,
    rows: Range<usize>,
    errors: &mut [f32; ROWS],
) -> f64 {
    let count = rows.len();
    scores(samples, locals, rows.clone(), &mut errors[..count]);
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

/// The loss of a batch, summed with the weights of its rows, and for each row the derivatives of its loss by
/// the sums of both phases. `locals` hold the weights of all groups for this batch.
pub(super) fn errors(
    samples: &Samples,
    locals: &[Local],
    scale: f32,
    batch: usize,
    errors: &mut Vec<Pair>,
) -> f64 {
    let rows = samples.rows(batch);
    errors.resize(rows.len(), [0.0; 2]);
    let tasks = errors.par_chunks_mut(ROWS).enumerate();
    let losses: Vec<f64> = tasks
        .map(|(task, errors)| {
            let start = rows.start + task * ROWS;
            let rows = start..start + errors.len();
            let mut buffer = [0.0; ROWS];
            let loss = losses(samples, locals, scale, rows.clone(), &mut buffer);
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
    let groups = groups(&samples.layout);
    let losses: Vec<f64> = (0..samples.batches())
        .into_par_iter()
        .map_init(
            || vec![Local::default(); groups.len()],
            |locals, batch| {
                for (group, local) in groups.iter().zip(&mut *locals) {
                    let cells = &cells[group.features(&samples.layout)];
                    group.fetch(samples, batch, cells, local);
                }
                let rows = samples.rows(batch);
                let tasks = rows.clone().step_by(ROWS);
                tasks
                    .map(|start| {
                        let rows = start..rows.end.min(start + ROWS);
                        losses(samples, locals, scale, rows, &mut [0.0; ROWS])
                    })
                    .sum()
            },
        )
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
    /// Its features, within those of all.
    pub(super) fn features(self, layout: &Layout) -> Range<usize> {
        match self {
            Self::Table(table) => table * layout.patterns..(table + 1) * layout.patterns,
            Self::Rest => layout.kings..layout.count,
        }
    }

    /// Fetches the weights of what a batch shows from the group's cells.
    pub(super) fn fetch(self, samples: &Samples, batch: usize, cells: &[Cell], local: &mut Local) {
        local.weights.clear();
        match self {
            Self::Table(table) => {
                let patterns = samples.columns[table].patterns(batch).iter();
                let weights = patterns.map(|pattern| cells[*pattern as usize].weights);
                local.weights.extend(weights);
            }
            Self::Rest => local.weights.extend(cells.iter().map(|cell| cell.weights)),
        }
    }

    /// Sums the gradient of a batch.
    pub(super) fn accumulate(
        self,
        samples: &Samples,
        batch: usize,
        errors: &[Pair],
        local: &mut Local,
    ) {
        local.gradient.clear();
        local.gradient.resize(local.weights.len(), [0.0; 2]);
        let gradient = &mut local.gradient[..];
        let rows = samples.rows(batch);
        match self {
            Self::Table(table) => {
                let places = samples.columns[table].places(rows);
                for ([own, other], error) in places.iter().zip(errors) {
                    // The same pattern seen from both sides counts for nothing.
                    if own != other {
                        add(&mut gradient[usize::from(*own)], 1.0, *error);
                        add(&mut gradient[usize::from(*other)], -1.0, *error);
                    }
                }
            }
            Self::Rest => {
                let first = samples.layout.scalars - samples.layout.kings;
                let (kings, scalars) = gradient.split_at_mut(first);
                let mut counted = [[0.0; 2]; SCALARS];
                for (row, error) in rows.zip(errors) {
                    for (square, own) in samples.kings(row) {
                        let sign = if *own { 1.0 } else { -1.0 };
                        add(&mut kings[usize::from(*square)], sign, *error);
                    }
                    for (sum, count) in counted.iter_mut().zip(samples.scalars[row]) {
                        add(sum, f32::from(count), *error);
                    }
                }
                scalars.copy_from_slice(&counted);
            }
        }
    }

    /// Visits the group's cells that a batch shows, each once, with their gradients.
    #[inline(always)]
    pub(super) fn visit(
        self,
        samples: &Samples,
        batch: usize,
        cells: &mut [Cell],
        local: &Local,
        mut visit: impl FnMut(&mut Cell, Pair),
    ) {
        match self {
            Self::Table(table) => {
                let patterns = samples.columns[table].patterns(batch);
                for (pattern, gradient) in patterns.iter().zip(&local.gradient) {
                    visit(&mut cells[*pattern as usize], *gradient);
                }
            }
            Self::Rest => {
                for (cell, gradient) in cells.iter_mut().zip(&local.gradient) {
                    visit(cell, *gradient);
                }
            }
        }
    }
}

/// Adds a multiple.
#[inline(always)]
fn add(to: &mut Pair, factor: f32, what: Pair) {
    to[0] += factor * what[0];
    to[1] += factor * what[1];
}

/// All groups, in the order of their features.
pub(super) fn groups(layout: &Layout) -> Vec<Group> {
    let tables = (0..layout.tables).map(Group::Table);
    tables.chain([Group::Rest]).collect()
}

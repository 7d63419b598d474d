//! Examples as the features of their positions, extracted once.
//!
//! Evaluation is linear in each table of patterns, in the squares of kings and in what is counted. So is the
//! form here: a [`Column`] for each table, with the pattern that the side to move sees and the one that the
//! other side sees, one for what is counted, and short lists of kings. A feature is kept once for both
//! phases, whose shares follow from the number of pieces. On 8x8 this takes about 50 bytes an example.
//!
//! Examples are divided into batches here and not by training, so that patterns can be numbered by batch.

use std::ops::Range;

use makhos_rules::Board;
use rayon::prelude::*;

use super::column::Column;
use super::error::{TrainError, check};
use super::example::Example;
use crate::eval::{Feature, Features, Scalar};
use crate::random::Dice;

/// Examples of a batch, where nothing else is asked for.
const BATCH: usize = 4_096;
/// The most examples of a batch: each shows two patterns of a table.
const MOST_IN_BATCH: usize = 1 << 15;
/// Kinds of things counted.
pub(super) const SCALARS: usize = Scalar::ALL.len();

/// How features are numbered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    /// Tables of patterns.
    pub(super) tables: usize,
    /// The length of one.
    pub(super) patterns: usize,
    /// The feature of a king on the first square.
    pub(super) kings: usize,
    /// The first feature that counts something.
    pub(super) scalars: usize,
    /// Features altogether.
    pub(super) count: usize,
    /// The pieces of a full board.
    full: u8,
}

impl Layout {
    fn of<B: Board>(features: &Features<B>) -> Self {
        let (tables, patterns) = features.tables();
        Self {
            tables,
            patterns,
            kings: features.king(0),
            scalars: features.scalar(Scalar::ALL[0]),
            count: features.count(),
            full: Features::<B>::full() as u8,
        }
    }

    /// The share of each phase.
    pub(super) fn shares(&self, pieces: u8) -> [f32; 2] {
        let full = f32::from(pieces) / f32::from(self.full);
        [full, 1.0 - full]
    }
}

/// Examples in a form for training, in an order drawn from a seed.
#[derive(Clone, PartialEq, Debug)]
pub struct Samples {
    pub(super) layout: Layout,
    /// Examples of each batch but the last, which may have fewer.
    batch: usize,
    /// By table.
    pub(super) columns: Vec<Column>,
    pub(super) scalars: Vec<[i16; SCALARS]>,
    /// Where the kings of each example end in the list of all; they begin where those before end.
    king_ends: Vec<u32>,
    /// The square, as [`Features::king`] counts them, and whether it is a king of the side to move.
    king_list: Vec<(u8, bool)>,
    pub(super) pieces: Vec<u8>,
    pub(super) targets: Vec<f32>,
    pub(super) weights: Vec<f32>,
    /// The sum of the weights.
    total: f64,
}

impl Samples {
    /// The most examples.
    const MOST: usize = u32::MAX as usize / 64;

    /// Extracts the features of examples, in an order drawn from `seed` and in batches of 4,096.
    ///
    /// # Errors
    /// [`TrainError::Example`] if a target or a weight makes no sense, [`TrainError::TooMany`].
    pub fn extract<B: Board>(
        features: &Features<B>,
        examples: &[Example<B>],
        seed: u64,
    ) -> Result<Self, TrainError> {
        Self::extract_batches(features, examples, BATCH, seed)
    }

    /// [`extract`](Self::extract), in batches of so many examples, up to 32,768. Training makes a step after
    /// each batch.
    ///
    /// # Errors
    /// As [`extract`](Self::extract); [`TrainError::Setting`] for an impossible batch.
    pub fn extract_batches<B: Board>(
        features: &Features<B>,
        examples: &[Example<B>],
        batch: usize,
        seed: u64,
    ) -> Result<Self, TrainError> {
        let possible = (1..=MOST_IN_BATCH).contains(&batch);
        check(possible, "the batch", batch as f64, "within 1 and 32,768")?;
        if examples.len() > Self::MOST {
            return Err(TrainError::TooMany {
                found: examples.len(),
                most: Self::MOST,
            });
        }
        Example::check_all(examples)?;
        let mut order: Vec<u32> = (0..examples.len() as u32).collect();
        Dice::of_game(seed, 0).shuffle(&mut order);
        let layout = Layout::of(features);
        let parts: Vec<Self> = order
            .par_chunks(batch)
            .map(|order| {
                let examples = order.iter().map(|index| &examples[*index as usize]);
                Self::of_batch(features, layout, examples)
            })
            .collect();
        let mut all = Self::empty(layout, batch);
        for part in parts {
            all.append(part);
        }
        all.total = all.weights.iter().map(|weight| f64::from(*weight)).sum();
        Ok(all)
    }

    fn empty(layout: Layout, batch: usize) -> Self {
        Self {
            layout,
            batch,
            columns: vec![Column::default(); layout.tables],
            scalars: Vec::new(),
            king_ends: Vec::new(),
            king_list: Vec::new(),
            pieces: Vec::new(),
            targets: Vec::new(),
            weights: Vec::new(),
            total: 0.0,
        }
    }

    fn of_batch<'a, B: Board>(
        features: &Features<B>,
        layout: Layout,
        examples: impl ExactSizeIterator<Item = &'a Example<B>>,
    ) -> Self {
        let rows = examples.len();
        let mut part = Self::empty(layout, rows);
        let mut patterns = vec![vec![[0; 2]; rows]; layout.tables];
        let mut list = Vec::new();
        for (row, example) in examples.enumerate() {
            features.features_into(&example.position, &mut list);
            part.push(&list, row, &mut patterns);
            let pieces = example.position.piece_count() as u8;
            part.pieces.push(pieces.min(layout.full));
            part.targets.push(example.target);
            part.weights.push(example.weight);
        }
        part.columns = patterns.iter().map(|rows| Column::of_batch(rows)).collect();
        part
    }

    /// Adds the features of a row, those of tables to `patterns`.
    fn push(&mut self, list: &[Feature], row: usize, patterns: &mut [Vec<[u32; 2]>]) {
        let layout = self.layout;
        let mut scalars = [0; SCALARS];
        // Both phases of a feature stand side by side; their shares are 1 together.
        let (pairs, _) = list.as_chunks::<2>();
        for [full, empty] in pairs {
            debug_assert_eq!(full.index + 1, empty.index);
            let feature = full.index as usize / 2;
            let count = (full.value + empty.value).round() as i16;
            if feature < layout.kings {
                let (table, number) = (feature / layout.patterns, feature % layout.patterns);
                debug_assert_eq!(count.abs(), 1);
                patterns[table][row][usize::from(count < 0)] = number as u32;
            } else if feature < layout.scalars {
                debug_assert_eq!(count.abs(), 1);
                let square = (feature - layout.kings) as u8;
                self.king_list.push((square, count > 0));
            } else {
                scalars[feature - layout.scalars] = count;
            }
        }
        self.scalars.push(scalars);
        self.king_ends.push(self.king_list.len() as u32);
    }

    fn append(&mut self, mut part: Self) {
        let before = self.king_list.len() as u32;
        for (column, more) in self.columns.iter_mut().zip(part.columns) {
            column.append(more);
        }
        self.scalars.append(&mut part.scalars);
        self.king_ends
            .extend(part.king_ends.iter().map(|end| before + end));
        self.king_list.append(&mut part.king_list);
        self.pieces.append(&mut part.pieces);
        self.targets.append(&mut part.targets);
        self.weights.append(&mut part.weights);
    }

    /// How many batches there are.
    pub(super) fn batches(&self) -> usize {
        self.len().div_ceil(self.batch)
    }

    /// The rows of a batch.
    pub(super) fn rows(&self, batch: usize) -> Range<usize> {
        let start = batch * self.batch;
        start..self.len().min(start + self.batch)
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

    /// The sum of their weights.
    #[must_use]
    pub fn total_weight(&self) -> f64 {
        self.total
    }

    /// The kings of an example: the square's number, and whether it is an own one.
    #[inline(always)]
    pub(super) fn kings(&self, row: usize) -> &[(u8, bool)] {
        let start = row
            .checked_sub(1)
            .map_or(0, |before| self.king_ends[before]);
        &self.king_list[start as usize..self.king_ends[row] as usize]
    }

    /// Whether there is something to learn from or to check with.
    pub(super) fn check(&self, part: &'static str) -> Result<(), TrainError> {
        if self.is_empty() {
            return Err(TrainError::Empty { part });
        }
        if self.total <= 0.0 {
            return Err(TrainError::Weightless { part });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use makhos_rules::{BoardSize, RuleSet, variant};

    use super::*;
    use crate::eval::Phase;
    use crate::train::testing::random_examples;

    /// The list of features that a row stands for, sorted.
    fn list_of<B: Board>(samples: &Samples, features: &Features<B>, row: usize) -> Vec<(u32, f32)> {
        let shares = samples.layout.shares(samples.pieces[row]);
        let mut list = Vec::new();
        let mut add = |feature: usize, count: f32| {
            for phase in [Phase::Full, Phase::Empty] {
                let value = count * shares[phase as usize];
                list.push((features.weight(feature, phase) as u32, value));
            }
        };
        for (table, column) in samples.columns.iter().enumerate() {
            let patterns = column.patterns(row / samples.batch);
            let [own, other] = column.places(row..row + 1)[0].map(|at| patterns[usize::from(at)]);
            add(features.pattern(table, own as usize), 1.0);
            add(features.pattern(table, other as usize), -1.0);
        }
        for (square, own) in samples.kings(row) {
            add(
                features.king(usize::from(*square)),
                if *own { 1.0 } else { -1.0 },
            );
        }
        for (scalar, count) in Scalar::ALL.into_iter().zip(samples.scalars[row]) {
            if count != 0 {
                add(features.scalar(scalar), f32::from(count));
            }
        }
        sorted(list)
    }

    fn sorted(mut list: Vec<(u32, f32)>) -> Vec<(u32, f32)> {
        list.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        list
    }

    fn rows_are_the_features<B: Board>(rules: &RuleSet) {
        let features = Features::<B>::new(rules);
        let mut examples = random_examples::<B>(rules, 300, 11);
        for (at, example) in examples.iter_mut().enumerate() {
            // Tells which is which after the shuffle.
            example.weight = at as f32;
        }
        let samples = Samples::extract_batches(&features, &examples, 70, 5).expect("samples");
        assert_eq!(samples.len(), examples.len());
        let mut moved = 0;
        for row in 0..samples.len() {
            let at = samples.weights[row] as usize;
            moved += usize::from(at != row);
            assert_eq!(samples.targets[row], examples[at].target);
            let mut expected = Vec::new();
            features.features_into(&examples[at].position, &mut expected);
            let expected = expected.iter().map(|it| (it.index, it.value)).collect();
            let found = list_of(&samples, &features, row);
            assert_eq!(found, sorted(expected), "{} row {row}", rules.name);
        }
        assert!(moved > 250);
    }

    #[test]
    fn nothing_is_lost_in_any_variant() {
        for rules in variant::ALL {
            match rules.board {
                BoardSize::Eight => rows_are_the_features::<u32>(rules),
                BoardSize::Ten => rows_are_the_features::<u64>(rules),
                BoardSize::Twelve => rows_are_the_features::<u128>(rules),
            }
        }
    }

    #[test]
    fn senseless_examples_are_refused() {
        let rules = variant::RUSSIAN;
        let features = Features::<u32>::new(&rules);
        let good = random_examples::<u32>(&rules, 1, 1);
        for (target, weight) in [(1.5, 1.0), (f32::NAN, 1.0), (0.5, -1.0), (0.5, f32::NAN)] {
            let bad = [Example {
                target,
                weight,
                ..good[0]
            }];
            assert!(matches!(
                Samples::extract(&features, &bad, 0),
                Err(TrainError::Example { index: 0, .. })
            ));
        }
        for batch in [0, MOST_IN_BATCH + 1] {
            assert!(matches!(
                Samples::extract_batches(&features, &good, batch, 0),
                Err(TrainError::Setting { .. })
            ));
        }
        let none = Samples::extract(&features, &[], 0).expect("samples");
        assert!(matches!(
            none.check("training"),
            Err(TrainError::Empty { .. })
        ));
    }
}

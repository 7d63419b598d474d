//! Making the model of a chapter from some of its cells.
//!
//! Outcomes are counted by context, values that may be anything being what is expected; then the tree of
//! contexts is cut back to the nodes whose expectations save more bits than they take. All sums are
//! integers, so that the same values give the same model everywhere.

use crate::compact::bits::{BitString, Encoder};
use crate::compact::cell::CellBuffer;
use crate::compact::context::{Questions, uniform};
use crate::compact::model::Expectation;
use crate::compact::rows::Rows;
use crate::compact::source::{ANY, MaskedPlanes};
use crate::compact::tree::encode_tree;

/// A cell to learn from.
pub(crate) struct Lesson {
    /// The index of its first value, and how many it has.
    pub(crate) numbers: (u64, usize),
    /// The values; `None` if all are or may be the usual one.
    pub(crate) codes: Option<Vec<u8>>,
}

impl Lesson {
    /// The cell of the values in a range of the planes, of which the first has the index `start`.
    pub(crate) fn new(
        planes: MaskedPlanes<'_>,
        start: u64,
        range: std::ops::Range<usize>,
        usual: u8,
    ) -> Self {
        let numbers = (start + range.start as u64, range.len());
        let codes = (!planes.is_uniform(range.clone(), usual)).then(|| {
            let mut codes = vec![0; range.len()];
            planes.codes(range.start, &mut codes);
            codes
        });
        Self { numbers, codes }
    }
}

/// The bytes of the model for cells like these; `usual` is the most frequent outcome and `weight` how many cells each
/// of them stands for.
pub(crate) fn learn(rows: &Rows, usual: u8, lessons: &[Lesson], weight: u64) -> Vec<u8> {
    let counter = Counter::of(rows, usual, lessons);
    let mut bits = BitString::default();
    let mut encoder = Encoder::new(&mut bits);
    encode_tree(
        &mut encoder,
        &counter.questions,
        &counter.counts,
        Expectation::initial(usual),
        weight,
    );
    encoder.finish();
    [&[usual], bits.bytes()].concat()
}

/// Counts outcomes by context.
pub(crate) struct Counter<'a> {
    rows: &'a Rows,
    usual: u8,
    pub(crate) questions: Questions,
    pub(crate) counts: Vec<[u32; 3]>,
    /// The outcome to expect, by context.
    pub(crate) expected: Vec<u8>,
    buffer: CellBuffer,
}

impl<'a> Counter<'a> {
    fn new(rows: &'a Rows, usual: u8) -> Self {
        let questions = Questions::of_outcomes(rows.squares());
        let contexts = questions.contexts();
        Self {
            rows,
            usual,
            questions,
            counts: vec![[0; 3]; contexts],
            // At first the outcome before, which is the lowest digit of a context.
            expected: (0..contexts).map(|context| (context % 3) as u8).collect(),
            buffer: CellBuffer::new(),
        }
    }

    /// The counts of all lessons. What may be anything is filled in as the counts of the other values have it. A third
    /// count, with it filled in as the second has it, would make tables smaller by less than a thousandth.
    pub(crate) fn of(rows: &'a Rows, usual: u8, lessons: &[Lesson]) -> Self {
        let mut counter = Self::new(rows, usual);
        counter.count(lessons, false);
        counter.expect();
        counter.count(lessons, true);
        counter
    }

    /// Counts anew; values that may be anything as what is expected, or not at all.
    fn count(&mut self, lessons: &[Lesson], any: bool) {
        self.counts.fill([0; 3]);
        // By column: usual ones in uniform cells.
        let mut usual = vec![0; self.rows.squares()];
        let (counts, expected) = (&mut self.counts, &self.expected);
        for lesson in lessons {
            let (start, len) = lesson.numbers;
            let Some(codes) = &lesson.codes else {
                // All of it is expected, or will be.
                self.rows.for_each_run(start, len, |run| {
                    let columns = &mut usual[run.column..run.column + run.len];
                    columns.iter_mut().for_each(|count| *count += 1);
                });
                continue;
            };
            self.buffer
                .walk(self.rows, self.usual, start, len, |at, context| {
                    let code = codes[at];
                    let outcome = if code == ANY { expected[context] } else { code };
                    counts[context][usize::from(outcome)] += u32::from(code != ANY || any);
                    outcome
                });
        }
        for (column, count) in usual.into_iter().enumerate() {
            counts[uniform(column, self.usual)][usize::from(self.usual)] += count;
        }
    }

    /// Expects what was counted most.
    pub(crate) fn expect(&mut self) {
        for (expected, counts) in self.expected.iter_mut().zip(&self.counts) {
            let most =
                (0..3).max_by_key(|&outcome| (counts[outcome], outcome == usize::from(*expected)));
            *expected = most.unwrap_or(0) as u8;
        }
    }
}

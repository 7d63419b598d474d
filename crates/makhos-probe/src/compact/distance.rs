//! Cells of distances: an outcome, and how its distance differs from the one its neighbours suggest.
//!
//! Distances are handled as halves, rounded down: the outcome tells whether they are odd.

use crate::compact::MAX_CELL;
use crate::compact::bits::{BitReader, BitString, Decoder, Encoder, Number};
use crate::compact::context::{MARGIN, Questions, context_after};
use crate::compact::model::{Expectation, MISS, MISS_CODES, Model, Packed, decode_tree};
use crate::compact::rows::{Rows, Run};
use crate::compact::source::ANY;
use crate::value::PackedDtw;

/// Half the distance of a draw, and of what stands before a cell.
const NONE: u16 = u16::MAX;
/// What is suggested where no neighbour has the outcome.
const DEFAULT: u16 = 4;
/// How different neighbours can be from the suggestion, and having another outcome.
const DIFFERENCES: usize = 6;
/// Sizes of the suggestion that are told apart.
const LEVELS: usize = 6;
/// Sizes of a difference: powers of two.
const SIZES: usize = 16;

/// How a distance differs from the suggested one.
pub(crate) const SAME: u8 = 0;
const SHORTER: u8 = 1;
const LONGER: u8 = 2;

/// Contexts of the difference: the outcome lowest, then the level, then the neighbours.
const LEVEL_STEP: usize = 2;
const NEIGHBOUR_STEP: usize = LEVEL_STEP * LEVELS;

/// The longest distances of a side, halved, by outcome: 0 a draw, 1 a loss, 2 a win.
pub(crate) type Longest = [u16; 3];

/// The outcome and half the distance of a value.
pub(crate) const fn split(value: PackedDtw) -> (u8, u16) {
    match value.bits() {
        0 => (0, NONE),
        bits => (2 - (bits % 2) as u8, (bits - 1) / 2),
    }
}

/// The value with an outcome and half a distance.
pub(crate) const fn join(outcome: u8, half: u16) -> PackedDtw {
    PackedDtw::from_bits(match outcome {
        0 => 0,
        1 => 2 * half + 1,
        _ => 2 * half + 2,
    })
}

/// The questions about a difference.
pub(crate) fn questions() -> Questions {
    let neighbour = |number: u32| (DIFFERENCES, NEIGHBOUR_STEP * DIFFERENCES.pow(number));
    Questions::new(&[
        neighbour(0),
        neighbour(1),
        neighbour(2),
        (LEVELS, LEVEL_STEP),
        neighbour(3),
        (2, 1),
    ])
}

/// The expectation above the tree of differences.
pub(crate) const fn initial() -> Expectation {
    Expectation::initial(SAME)
}

/// What neighbours suggest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Suggestion {
    pub(crate) half: u16,
    pub(crate) context: usize,
    /// The longest it can be.
    longest: u16,
}

impl Suggestion {
    pub(crate) const fn level(self) -> usize {
        let level = (self.half as u32 + 1).ilog2() as usize;
        if level < LEVELS { level } else { LEVELS - 1 }
    }

    /// The kind of the difference to a half, and its size less 1.
    pub(crate) const fn difference(self, half: u16) -> (u8, u16) {
        if half == self.half {
            (SAME, 0)
        } else if half < self.half {
            (SHORTER, self.half - half - 1)
        } else {
            (LONGER, half - self.half - 1)
        }
    }

    /// The half with a difference, cut to what can be.
    const fn apply(self, kind: u8, size: u16) -> u16 {
        let half = match kind {
            SAME => self.half,
            SHORTER => self.half.saturating_sub(size.saturating_add(1)),
            _ => self.half.saturating_add(size.saturating_add(1)),
        };
        if half < self.longest {
            half
        } else {
            self.longest
        }
    }
}

/// What is done at every value of a cell.
pub(crate) trait Visitor {
    /// The outcome of a value with this context.
    fn outcome(&mut self, at: usize, context: usize) -> u8;
    /// Half the distance of a value with this outcome.
    fn half(&mut self, at: usize, suggestion: Suggestion) -> u16;
}

/// Room for the values of a cell behind what stands before every cell.
#[derive(Clone, Debug)]
pub(crate) struct DistanceBuffer {
    outcomes: [u8; MARGIN + MAX_CELL],
    halves: [u16; MARGIN + MAX_CELL],
}

impl DistanceBuffer {
    pub(crate) const fn new() -> Self {
        Self {
            outcomes: [0; MARGIN + MAX_CELL],
            halves: [NONE; MARGIN + MAX_CELL],
        }
    }

    /// The outcomes of the values: 0 a draw, 1 a loss, 2 a win.
    pub(crate) fn outcomes(&self) -> &[u8] {
        &self.outcomes[MARGIN..]
    }

    /// The values.
    pub(crate) fn values(&self) -> impl Iterator<Item = PackedDtw> {
        let outcomes = self.outcomes[MARGIN..].iter();
        outcomes
            .zip(&self.halves[MARGIN..])
            .map(|(&outcome, &half)| join(outcome, half))
    }

    /// Goes through `len` values from index `start` on.
    pub(crate) fn walk(
        &mut self,
        rows: &Rows,
        usual: u8,
        longest: Longest,
        (start, len): (u64, usize),
        visitor: &mut impl Visitor,
    ) {
        self.outcomes[..MARGIN].fill(usual);
        self.halves[..MARGIN].fill(NONE);
        let mut here = MARGIN;
        rows.for_each_run(start, len, |run| {
            for number in 0..run.len {
                let column = run.column + number;
                let Some((margin, _)) = self.outcomes[here - MARGIN..].split_first_chunk() else {
                    break;
                };
                let before = usize::from(margin[MARGIN - 1]);
                let context = context_after(margin, column, run.up, rows.per_row()) + before;
                let outcome = visitor.outcome(here - MARGIN, context);
                self.outcomes[here] = outcome;
                self.halves[here] = match outcome {
                    0 => NONE,
                    _ => {
                        let suggestion =
                            self.suggestion(here, run, rows.per_row(), outcome, longest);
                        visitor.half(here - MARGIN, suggestion)
                    }
                };
                here += 1;
            }
        });
    }

    /// What the neighbours of a value with this outcome suggest.
    fn suggestion(
        &self,
        here: usize,
        run: Run,
        per_row: usize,
        outcome: u8,
        longest: Longest,
    ) -> Suggestion {
        // The half of a neighbour with the same outcome.
        let half = |back: usize| match self.outcomes[here - back] == outcome {
            true => self.halves[here - back],
            false => NONE,
        };
        let neighbours = [half(1), half(run.up), half(per_row), half(per_row - 1)];
        let [before, above, row, nearly_row] = neighbours;
        let corner = half(run.up + 1);
        let suggested = if before != NONE && above != NONE && corner != NONE {
            gradient(before, above, corner)
        } else {
            let others = [above, before, row, nearly_row];
            others
                .into_iter()
                .find(|&half| half != NONE)
                .unwrap_or(DEFAULT)
        };
        let longest = longest[usize::from(outcome)];
        let mut suggestion = Suggestion {
            half: suggested.min(longest),
            context: 0,
            longest,
        };
        let mut context = usize::from(outcome - 1) + LEVEL_STEP * suggestion.level();
        let mut step = NEIGHBOUR_STEP;
        for half in neighbours {
            let difference = match half {
                NONE => 0,
                half => (i32::from(half) - i32::from(suggestion.half)).clamp(-2, 2) + 3,
            };
            context += difference as usize * step;
            step *= DIFFERENCES;
        }
        suggestion.context = context;
        suggestion
    }
}

/// What goes on as it did from the corner, but not beyond the values beside it: the predictor of lossless
/// image compression (LOCO-I: Weinberger, Seroussi, Sapiro 1996).
fn gradient(before: u16, above: u16, corner: u16) -> u16 {
    let (low, high) = (before.min(above), before.max(above));
    if corner >= high {
        low
    } else if corner <= low {
        high
    } else {
        // Between two of them, so the sum cannot overflow downward.
        low + (high - corner)
    }
}

/// The chances that a difference is of a higher power of two, by kind, level and power, as codes of
/// [`MISS`].
pub(crate) type SizeCodes = [[[u8; SIZES]; LEVELS]; 2];

/// The model of a chapter of distances.
#[derive(Clone, Debug)]
pub(crate) struct DistanceModel {
    outcomes: Model,
    /// By context of the difference; the three answers are those of [`SAME`].
    differences: Box<[Packed]>,
    sizes: SizeCodes,
}

impl DistanceModel {
    /// Reads a model for so many columns. Any bytes are some model.
    pub(crate) fn read(bytes: &[u8], columns: usize) -> Self {
        let (&usual, trees) = bytes.split_first().unwrap_or((&0, &[]));
        let mut decoder = Decoder::new(BitReader::new(trees, 0, trees.len() * 8));
        let outcomes = Model::decode(usual % 3, &mut decoder, columns);
        let differences = decode_tree(&mut decoder, &questions(), initial());
        let mut sizes = SizeCodes::default();
        let mut number = Number::<MISS_CODES>::default();
        for code in sizes.as_flattened_mut().as_flattened_mut() {
            *code = number.decode(&mut decoder) as u8;
        }
        Self {
            outcomes,
            differences,
            sizes,
        }
    }

    /// The chances of higher powers for a kind of difference at a level.
    fn sizes(&self, kind: u8, suggestion: Suggestion) -> &[u8; SIZES] {
        &self.sizes[usize::from(kind - SHORTER)][suggestion.level()]
    }
}

struct CellEncoder<'a, 'b> {
    model: &'a DistanceModel,
    codes: &'a [u8],
    halves: &'a [u16],
    encoder: Encoder<'b>,
}

impl Visitor for CellEncoder<'_, '_> {
    fn outcome(&mut self, at: usize, context: usize) -> u8 {
        let expectation = self.model.outcomes.get(context);
        let outcome = match self.codes[at] {
            ANY => expectation.expected(),
            code => code,
        };
        expectation.encode(&mut self.encoder, outcome);
        outcome
    }

    fn half(&mut self, at: usize, suggestion: Suggestion) -> u16 {
        let expectation = self.model.differences[suggestion.context];
        // What may be anything is what takes the fewest bits, as far as that is known at once.
        if self.codes[at] == ANY && expectation.expected() == SAME {
            expectation.encode(&mut self.encoder, SAME);
            return suggestion.half;
        }
        let half = match self.codes[at] {
            ANY => suggestion.apply(expectation.expected(), 0),
            _ => self.halves[at],
        };
        let (kind, size) = suggestion.difference(half);
        expectation.encode(&mut self.encoder, kind);
        if kind != SAME {
            let chances = self.model.sizes(kind, suggestion);
            let power = (u32::from(size) + 1).ilog2();
            // The highest power there is goes without saying.
            for step in (0..=power).take(SIZES - 1) {
                let chance = MISS[usize::from(chances[step as usize])];
                self.encoder.encode(step < power, chance.into());
            }
            for bit in (0..power).rev() {
                self.encoder.encode((size + 1) >> bit & 1 != 0, 1 << 15);
            }
        }
        half
    }
}

struct CellDecoder<'a, 'b> {
    model: &'a DistanceModel,
    decoder: Decoder<'b>,
}

impl Visitor for CellDecoder<'_, '_> {
    fn outcome(&mut self, _: usize, context: usize) -> u8 {
        self.model.outcomes.get(context).decode(&mut self.decoder)
    }

    fn half(&mut self, _: usize, suggestion: Suggestion) -> u16 {
        let kind = self.model.differences[suggestion.context].decode(&mut self.decoder);
        if kind == SAME {
            return suggestion.half;
        }
        let chances = self.model.sizes(kind, suggestion);
        let mut power = 0;
        // No 16-bit difference has a higher power than 15.
        while power < SIZES - 1
            && self
                .decoder
                .decode(MISS[usize::from(chances[power])].into())
        {
            power += 1;
        }
        let mut size = 1_u32;
        for _ in 0..power {
            size = 2 * size + u32::from(self.decoder.decode(1 << 15));
        }
        suggestion.apply(kind, (size - 1) as u16)
    }
}

/// Writes the values of a cell, of which the first has the index `start`, behind what `out` holds: their
/// outcomes, [`ANY`] among them, and halves of their distances.
pub(crate) fn encode_distances(
    (model, rows, longest): (&DistanceModel, &Rows, Longest),
    start: u64,
    (codes, halves): (&[u8], &[u16]),
    buffer: &mut DistanceBuffer,
    out: &mut BitString,
) {
    let mut cell = CellEncoder {
        model,
        codes,
        halves,
        encoder: Encoder::new(out),
    };
    let usual = model.outcomes.usual;
    buffer.walk(rows, usual, longest, (start, codes.len()), &mut cell);
    cell.encoder.finish();
}

/// Reads `len` values, of which the first has the index `start`, into the buffer.
pub(crate) fn decode_distances(
    (model, rows, longest): (&DistanceModel, &Rows, Longest),
    start: u64,
    len: usize,
    bits: BitReader<'_>,
    buffer: &mut DistanceBuffer,
) {
    let mut cell = CellDecoder {
        model,
        decoder: Decoder::new(bits),
    };
    buffer.walk(rows, model.outcomes.usual, longest, (start, len), &mut cell);
}

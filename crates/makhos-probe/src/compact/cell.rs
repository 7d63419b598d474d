//! A cell of outcomes: the values that are decoded together.

use crate::compact::MAX_CELL;
use crate::compact::bits::{BitReader, BitString, Decoder, Encoder};
use crate::compact::context::{MARGIN, context_after};
use crate::compact::model::Model;
use crate::compact::rows::Rows;
use crate::compact::source::ANY;

/// Room for the outcomes of a cell behind the ones that stand before every cell.
#[derive(Clone, Debug)]
pub(crate) struct CellBuffer([u8; MARGIN + MAX_CELL]);

impl CellBuffer {
    pub(crate) const fn new() -> Self {
        Self([0; MARGIN + MAX_CELL])
    }

    /// The outcomes: 0 a draw, 1 a loss, 2 a win.
    pub(crate) fn outcomes(&self) -> &[u8] {
        &self.0[MARGIN..]
    }

    /// Goes through the contexts of `len` values from index `start` on; `each` gets the number of the
    /// value within the cell and its context, and says its outcome.
    #[inline(always)]
    pub(crate) fn walk(
        &mut self,
        rows: &Rows,
        usual: u8,
        start: u64,
        len: usize,
        mut each: impl FnMut(usize, usize) -> u8,
    ) {
        self.0[..MARGIN].fill(usual);
        let (mut at, mut before) = (0, usize::from(usual));
        rows.for_each_run(start, len, |run| {
            for column in run.column..run.column + run.len {
                let Some((margin, [here, ..])) = self.0[at..].split_first_chunk_mut() else {
                    break;
                };
                let context = context_after(margin, column, run.up, rows.per_row()) + before;
                *here = each(at, context);
                before = usize::from(*here);
                at += 1;
            }
        });
    }
}

/// Writes the outcomes with these codes, of which the first has the index `start`, behind what `out`
/// holds.
pub(crate) fn encode_cell(
    model: &Model,
    rows: &Rows,
    start: u64,
    codes: &[u8],
    buffer: &mut CellBuffer,
    out: &mut BitString,
) {
    let mut encoder = Encoder::new(out);
    buffer.walk(rows, model.usual, start, codes.len(), |at, context| {
        let expectation = model.get(context);
        let outcome = match codes[at] {
            ANY => expectation.expected(),
            code => code,
        };
        expectation.encode(&mut encoder, outcome);
        outcome
    });
    encoder.finish();
}

/// Reads `len` outcomes, of which the first has the index `start`, into the buffer.
pub(crate) fn decode_cell(
    model: &Model,
    rows: &Rows,
    start: u64,
    len: usize,
    bits: BitReader<'_>,
    buffer: &mut CellBuffer,
) {
    if model.is_steady && bits.is_at_end() {
        buffer.0[MARGIN..MARGIN + len].fill(model.usual);
        return;
    }
    let mut decoder = Decoder::new(bits);
    buffer.walk(rows, model.usual, start, len, |_, context| {
        model.get(context).decode(&mut decoder)
    });
}

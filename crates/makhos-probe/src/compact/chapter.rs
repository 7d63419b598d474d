//! A chapter: the values that share a model.

use rayon::prelude::*;

use crate::compact::bits::BitString;
use crate::compact::block::write_block;
use crate::compact::cell::{CellBuffer, encode_cell};
use crate::compact::learn::{Lesson, learn};
use crate::compact::model::Model;
use crate::compact::rows::Rows;
use crate::compact::source::MaskedPlanes;
use crate::compact::{CELLS, MAX_CELL};

/// Most cells that a model is made from. More make it little better and take longer.
pub(crate) const LESSONS: usize = 512;

/// The bytes of one chapter or more.
#[derive(Clone, Debug, Default)]
pub(crate) struct EncodedChapter {
    pub(crate) models: Vec<Vec<u8>>,
    pub(crate) blocks: Vec<Vec<u8>>,
}

impl EncodedChapter {
    /// Bytes altogether.
    pub(crate) fn bytes(&self) -> usize {
        self.models.iter().chain(&self.blocks).map(Vec::len).sum()
    }
}

/// Encodes the first `len` values of the planes, of which the first has the index `start`, in blocks of
/// `block_values`. All threads of the current pool help; the bytes do not depend on them.
pub(crate) fn encode_chapter(
    rows: &Rows,
    start: u64,
    planes: MaskedPlanes<'_>,
    len: usize,
    block_values: usize,
) -> EncodedChapter {
    let cell_values = block_values / CELLS;
    let model_bytes = learn_chapter(rows, start, planes, len, cell_values);
    let model = Model::read(&model_bytes, rows.squares());
    let blocks = (0..len.div_ceil(block_values))
        .into_par_iter()
        .map(|number| {
            let first = number * block_values;
            let last = len.min(first + block_values);
            let (mut bits, mut ends) = (BitString::default(), Vec::with_capacity(CELLS));
            let (mut buffer, mut codes) = (CellBuffer::new(), [0; MAX_CELL]);
            for at in (first..last).step_by(cell_values) {
                let codes = &mut codes[..cell_values.min(last - at)];
                if !(model.is_steady && planes.is_uniform(at..at + codes.len(), model.usual)) {
                    planes.codes(at, codes);
                    let index = start + at as u64;
                    encode_cell(&model, rows, index, codes, &mut buffer, &mut bits);
                }
                ends.push(bits.len());
            }
            write_block(&bits, &ends)
        });
    EncodedChapter {
        blocks: blocks.collect(),
        models: vec![model_bytes],
    }
}

/// The model for the values, made from some cells at equal distances.
fn learn_chapter(
    rows: &Rows,
    start: u64,
    planes: MaskedPlanes<'_>,
    len: usize,
    cell_values: usize,
) -> Vec<u8> {
    let stride = len.div_ceil(cell_values).div_ceil(LESSONS);
    let usual = planes.usual(len);
    let lessons: Vec<_> = (0..len)
        .step_by(stride * cell_values)
        .map(|first| Lesson::new(planes, start, first..len.min(first + cell_values), usual))
        .collect();
    learn(rows, usual, &lessons, stride as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compact::block::CellBits;
    use crate::compact::cell::decode_cell;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn values_that_matter_come_back(
            words in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 20..60),
            class in prop::sample::select(vec!["1k-1k", "2k-2k", "1m1k-1m", "2m-2m", "3k-1m"]),
            start in 0..100_u64,
            noise in 0..3_u32,
            missing in 0..64_usize,
        ) {
            // The less noise the longer the runs.
            let smooth = |word: u64| (0..noise).fold(word, |word, _| word & word << 1 & word << 5);
            let win: Vec<u64> = words.iter().map(|w| smooth(w.0)).collect();
            let loss: Vec<u64> = words.iter().zip(&win).map(|(w, win)| smooth(w.1) & !win).collect();
            let any: Vec<u64> = words.iter().map(|w| w.2).collect();
            let material = class.parse().expect("well-formed");
            let rows = Rows::new(8, material);
            let planes = MaskedPlanes { win: &win, loss: &loss, any: &any };
            let len = 64 * words.len() - missing;
            let encoded = encode_chapter(&rows, start, planes, len, 1024);
            let model = Model::read(&encoded.models[0], rows.squares());
            let mut buffer = CellBuffer::new();
            let mut at = 0;
            for stored in &encoded.blocks {
                let values = (len - at).min(1024);
                let cells = CellBits::read(stored, values.div_ceil(16)).expect("own bytes");
                for cell in 0..values.div_ceil(16) {
                    let count = (len - at).min(16);
                    let bits = cells.cell(stored, cell);
                    decode_cell(&model, &rows, start + at as u64, count, bits, &mut buffer);
                    for &outcome in &buffer.outcomes()[..count] {
                        let bit = |plane: &[u64]| plane[at / 64] >> (at % 64) & 1 != 0;
                        let expected = if bit(&win) { 2 } else { u8::from(bit(&loss)) };
                        prop_assert!(bit(&any) || outcome == expected);
                        at += 1;
                    }
                }
            }
            prop_assert_eq!(at, len);
        }
    }
}

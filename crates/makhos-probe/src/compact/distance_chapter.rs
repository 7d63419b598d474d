//! A chapter of distances: learning its model and encoding its blocks.

use rayon::prelude::*;

use crate::compact::bits::{BitString, Encoder, Number};
use crate::compact::block::write_block;
use crate::compact::chapter::{EncodedChapter, LESSONS};
use crate::compact::distance::{
    DistanceBuffer, DistanceModel, Longest, SAME, SizeCodes, Suggestion, Visitor, encode_distances,
    initial, questions, split,
};
use crate::compact::learn::{Counter, Lesson};
use crate::compact::model::{Expectation, MISS_CODES};
use crate::compact::rows::Rows;
use crate::compact::source::ANY;
use crate::compact::tree::{cheapest_miss, encode_tree};
use crate::compact::{CELLS, MAX_CELL};
use crate::value::PackedDtw;

/// Distances to be encoded, and where they may be anything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MaskedValues<'a> {
    pub(crate) values: &'a [PackedDtw],
    /// Bit i % 64 of word i / 64 belongs to value number i.
    pub(crate) any: &'a [u64],
}

impl MaskedValues<'_> {
    /// The codes of the outcomes and the halves of the distances from value number `start` on.
    fn split(self, start: usize, codes: &mut [u8], halves: &mut [u16]) {
        for ((at, code), half) in (start..).zip(codes).zip(halves) {
            let (outcome, distance) = split(self.values[at]);
            let any = self.any[at / 64] >> (at % 64) & 1 != 0;
            *code = if any { ANY } else { outcome };
            *half = distance;
        }
    }
}

/// Encodes values, of which the first has the index `start`, in blocks of `block_values`. All threads of
/// the current pool help; the bytes do not depend on them.
pub(crate) fn encode_distance_chapter(
    rows: &Rows,
    start: u64,
    values: MaskedValues<'_>,
    longest: Longest,
    block_values: usize,
) -> EncodedChapter {
    let cell_values = block_values / CELLS;
    let len = values.values.len();
    let model_bytes = learn_distances(rows, start, values, longest, cell_values);
    let model = DistanceModel::read(&model_bytes, rows.squares());
    let blocks = (0..len.div_ceil(block_values))
        .into_par_iter()
        .map(|number| {
            let first = number * block_values;
            let last = len.min(first + block_values);
            let (mut bits, mut ends) = (BitString::default(), Vec::with_capacity(CELLS));
            let mut buffer = DistanceBuffer::new();
            let (mut codes, mut halves) = ([0; MAX_CELL], [0; MAX_CELL]);
            for at in (first..last).step_by(cell_values) {
                let count = cell_values.min(last - at);
                let (codes, halves) = (&mut codes[..count], &mut halves[..count]);
                values.split(at, codes, halves);
                let how = (&model, rows, longest);
                encode_distances(
                    how,
                    start + at as u64,
                    (codes, halves),
                    &mut buffer,
                    &mut bits,
                );
                ends.push(bits.len());
            }
            write_block(&bits, &ends)
        });
    EncodedChapter {
        blocks: blocks.collect(),
        models: vec![model_bytes],
    }
}

/// Counts differences in cells whose outcomes are known.
struct DifferenceCounter<'a> {
    codes: &'a [u8],
    halves: &'a [u16],
    expected: &'a [u8],
    differences: &'a mut [[u32; 3]],
    /// By kind, level and power: how often it was this one, and how often a higher one.
    sizes: &'a mut [[[[u64; 2]; 16]; 6]; 2],
}

impl Visitor for DifferenceCounter<'_> {
    fn outcome(&mut self, at: usize, context: usize) -> u8 {
        match self.codes[at] {
            ANY => self.expected[context],
            code => code,
        }
    }

    fn half(&mut self, at: usize, suggestion: Suggestion) -> u16 {
        let half = match self.codes[at] {
            ANY => suggestion.half,
            _ => self.halves[at],
        };
        let (kind, size) = suggestion.difference(half);
        self.differences[suggestion.context][usize::from(kind)] += 1;
        if kind != SAME {
            let powers = &mut self.sizes[usize::from(kind) - 1][suggestion.level()];
            let power = (u32::from(size) + 1).ilog2() as usize;
            powers[power][0] += 1;
            powers[..power].iter_mut().for_each(|counts| counts[1] += 1);
        }
        half
    }
}

/// The model for the values, made from some cells at equal distances.
fn learn_distances(
    rows: &Rows,
    start: u64,
    values: MaskedValues<'_>,
    longest: Longest,
    cell_values: usize,
) -> Vec<u8> {
    let len = values.values.len();
    let stride = len.div_ceil(cell_values).div_ceil(LESSONS);
    let firsts: Vec<usize> = (0..len).step_by(stride * cell_values).collect();
    let (mut codes, mut halves) = (Vec::new(), Vec::new());
    for &first in &firsts {
        // Only the last cell can be shorter than others.
        let (from, count) = (codes.len(), cell_values.min(len - first));
        codes.resize(from + count, 0);
        halves.resize(from + count, 0);
        values.split(first, &mut codes[from..], &mut halves[from..]);
    }
    let usual = usual_outcome(&codes);
    let lessons: Vec<_> = firsts
        .iter()
        .zip(codes.chunks(cell_values))
        .map(|(&first, codes)| Lesson {
            numbers: (start + first as u64, codes.len()),
            codes: Some(codes.to_vec()),
        })
        .collect();
    let mut counter = Counter::of(rows, usual, &lessons);
    counter.expect();
    let mut differences = vec![[0; 3]; questions().contexts()];
    let mut sizes = [[[[0; 2]; 16]; 6]; 2];
    let mut buffer = DistanceBuffer::new();
    let cells = codes.chunks(cell_values).zip(halves.chunks(cell_values));
    for (lesson, (codes, halves)) in lessons.iter().zip(cells) {
        let mut visitor = DifferenceCounter {
            codes,
            halves,
            expected: &counter.expected,
            differences: &mut differences,
            sizes: &mut sizes,
        };
        buffer.walk(rows, usual, longest, lesson.numbers, &mut visitor);
    }

    let weight = stride as u64;
    let mut bits = BitString::default();
    let mut encoder = Encoder::new(&mut bits);
    let above = Expectation::initial(usual);
    encode_tree(
        &mut encoder,
        &counter.questions,
        &counter.counts,
        above,
        weight,
    );
    encode_tree(&mut encoder, &questions(), &differences, initial(), weight);
    let mut number = Number::<MISS_CODES>::default();
    for code in size_codes(&sizes).as_flattened().as_flattened() {
        number.encode(&mut encoder, usize::from(*code));
    }
    encoder.finish();
    [&[usual], bits.bytes()].concat()
}

fn size_codes(counts: &[[[[u64; 2]; 16]; 6]; 2]) -> SizeCodes {
    counts.map(|levels| levels.map(|powers| powers.map(|[here, more]| cheapest_miss(here, more))))
}

/// The most frequent outcome, the first of draw, loss and win among equals.
fn usual_outcome(codes: &[u8]) -> u8 {
    let mut counts = [0_u64; 4];
    for &code in codes {
        counts[usize::from(code)] += 1;
    }
    (0..ANY)
        .rev()
        .max_by_key(|&outcome| counts[usize::from(outcome)])
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compact::block::CellBits;
    use crate::compact::distance::decode_distances;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn values_that_matter_come_back(
            runs in prop::collection::vec((0..700_u16, 0..3_u16, 1..60_usize), 20..80),
            masks in prop::collection::vec(any::<u64>(), 80),
            class in prop::sample::select(vec!["1k-1k", "2k-2k", "1m1k-1m", "2m-2m", "3k-1m"]),
            start in 0..100_u64,
            huge in 0..65_000_u16,
        ) {
            let mut values: Vec<PackedDtw> = runs
                .iter()
                .flat_map(|&(bits, slope, len)| (0..len as u16).map(move |at| bits + at * slope * 2))
                .map(PackedDtw::from_bits)
                .collect();
            values.push(PackedDtw::from_bits(huge));
            let longest = values.iter().fold([0; 3], |mut longest: Longest, &value| {
                let (outcome, half) = split(value);
                if outcome > 0 {
                    longest[usize::from(outcome)] = longest[usize::from(outcome)].max(half);
                }
                longest
            });
            let rows = Rows::new(8, class.parse().expect("well-formed"));
            let masked = MaskedValues { values: &values, any: &masks };
            let encoded = encode_distance_chapter(&rows, start, masked, longest, 1024);
            let model = DistanceModel::read(&encoded.models[0], rows.squares());
            let mut buffer = DistanceBuffer::new();
            let mut at = 0;
            for stored in &encoded.blocks {
                let count = (values.len() - at).min(1024);
                let cells = CellBits::read(stored, count.div_ceil(16)).expect("own bytes");
                for cell in 0..count.div_ceil(16) {
                    let count = (values.len() - at).min(16);
                    let bits = cells.cell(stored, cell);
                    let how = (&model, &rows, longest);
                    decode_distances(how, start + at as u64, count, bits, &mut buffer);
                    for value in buffer.values().take(count) {
                        let any = masks[at / 64] >> (at % 64) & 1 != 0;
                        prop_assert!(any || value == values[at], "{at}: {value:?} {:?}", values[at]);
                        at += 1;
                    }
                }
            }
            prop_assert_eq!(at, values.len());
        }

        #[test]
        fn any_bytes_are_values_within_the_longest(
            model in prop::collection::vec(any::<u8>(), 0..300),
            cell in prop::collection::vec(any::<u8>(), 0..200),
            longest in 0..300_u16,
        ) {
            let rows = Rows::new(8, "2k-2k".parse().expect("well-formed"));
            let model = DistanceModel::read(&model, rows.squares());
            let mut buffer = DistanceBuffer::new();
            let bits = crate::compact::bits::BitReader::new(&cell, 1, 1600);
            decode_distances((&model, &rows, [0, longest, longest]), 77, 1024, bits, &mut buffer);
            for value in buffer.values().take(1024) {
                prop_assert!(value.bits() <= 2 * longest + 2);
            }
        }
    }
}

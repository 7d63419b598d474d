//! Outcomes to be encoded, with the positions at which any outcome will do.

use crate::compact::SUB_CELLS;

/// Marks a value that may be anything.
pub(crate) const ANY: u8 = 3;

/// Bit planes of consecutive values: bit i % 64 of word i / 64 belongs to value number i.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MaskedPlanes<'a> {
    pub(crate) win: &'a [u64],
    pub(crate) loss: &'a [u64],
    /// Where any outcome will do.
    pub(crate) any: &'a [u64],
}

/// The bits of a byte as bytes.
static SPREAD: [u64; 256] = {
    let mut spread = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            spread[byte] |= ((byte as u64 >> bit) & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    spread
};

/// The codes of 64 values: 0 a draw, 1 a loss, 2 a win, [`ANY`].
#[inline]
fn spread_word(win: u64, loss: u64, any: u64) -> [[u8; 8]; 8] {
    std::array::from_fn(|place| {
        let byte = |plane: u64| SPREAD[(plane >> (8 * place)) as usize & 0xFF];
        let codes = byte(win & !any) * 2 + byte(loss & !any) + byte(any) * u64::from(ANY);
        codes.to_le_bytes()
    })
}

impl MaskedPlanes<'_> {
    /// Whether all values of a range can be the same outcome, 0 a draw, 1 a loss, 2 a win. The range
    /// begins at a multiple of 64, or lies within a word.
    ///
    /// # Panics
    /// If the planes are shorter than that.
    pub(crate) fn is_uniform(self, range: std::ops::Range<usize>, outcome: u8) -> bool {
        let mut at = range.start;
        while at < range.end {
            let (word, shift) = (at / 64, at % 64);
            let count = (64 - shift).min(range.end - at);
            let other = match outcome {
                0 => self.win[word] | self.loss[word],
                1 => !self.loss[word],
                _ => !self.win[word],
            };
            let counts = u64::MAX >> (64 - count) << shift;
            if other & !self.any[word] & counts != 0 {
                return false;
            }
            at += count;
        }
        true
    }

    /// The most frequent outcome of the first `len` values, the first of draw, loss and win among equals.
    ///
    /// # Panics
    /// If the planes are shorter than that.
    pub(crate) fn usual(self, len: usize) -> u8 {
        let (mut counts, mut at) = ([0_u64; 3], 0);
        while at < len {
            let word = at / 64;
            let counted = !self.any[word] & (u64::MAX >> (64 - (len - at).min(64)));
            let (win, loss) = (self.win[word] & counted, self.loss[word] & counted);
            for (count, bits) in counts.iter_mut().zip([counted & !win & !loss, loss, win]) {
                *count += u64::from(bits.count_ones());
            }
            at += 64;
        }
        (0..3)
            .rev()
            .max_by_key(|&at| counts[usize::from(at)])
            .unwrap_or(0)
    }

    /// Puts the codes of the values from `start` on, a multiple of 8, into `codes`.
    ///
    /// # Panics
    /// If the planes are shorter than that.
    pub(crate) fn codes(self, start: usize, codes: &mut [u8]) {
        let mut at = start;
        for part in codes.chunks_mut(SUB_CELLS) {
            let word = |plane: &[u64]| plane[at / 64] >> (at % 64);
            let all = spread_word(word(self.win), word(self.loss), word(self.any));
            part.copy_from_slice(&all.as_flattened()[..part.len()]);
            at += part.len();
        }
    }
}

//! The binary arithmetic coder of compact tables, which writes and reads single bits.
//!
//! An interval of 32 bits is divided at every decision; the part at its lower end is the likely answer,
//! so that an answer that was expected throughout is written as no bits at all: bits behind the end of
//! a string are zeros. The method is that of G. Nigel N. Martin's range encoding (1979), with carries
//! and bit by bit, so that a string can end at any bit.

/// The interval is widened when it is narrower than this.
const NARROW: u32 = 1 << 24;

/// A growing string of bits, the first the highest bit of the first byte.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct BitString {
    bytes: Vec<u8>,
    len: usize,
}

impl BitString {
    /// Bits so far.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Puts the low `count` bits of `bits` behind the others, the highest first; at most 32.
    #[inline(never)]
    pub(crate) fn push(&mut self, bits: u32, count: u32) {
        let mut left = count;
        while left > 0 {
            let used = (self.len % 8) as u32;
            if used == 0 {
                self.bytes.push(0);
            }
            let now = left.min(8 - used);
            let part = (u64::from(bits) >> (left - now)) as u8 & (0xFF >> (8 - now));
            if let Some(last) = self.bytes.last_mut() {
                *last |= part << (8 - used - now);
            }
            self.len += now as usize;
            left -= now;
        }
    }

    /// Adds one to the string as a binary number. The arithmetic coder never makes it longer by that.
    #[cold]
    fn carry(&mut self) {
        let mut at = self.len;
        while at > 0 {
            at -= 1;
            let mask = 0x80 >> (at % 8);
            self.bytes[at / 8] ^= mask;
            if self.bytes[at / 8] & mask != 0 {
                return;
            }
        }
    }

    /// Takes bits away from the end until `len` are left.
    fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len.div_ceil(8));
        self.len = len;
        if let Some(last) = self.bytes.last_mut().filter(|_| !len.is_multiple_of(8)) {
            *last &= 0xFF << (8 - len % 8);
        }
    }

    /// Takes zeros away from the end, of the bits from number `from` on.
    fn trim(&mut self, from: usize) {
        let mut len = self.len;
        while len > from && self.bytes[(len - 1) / 8] & (0x80 >> ((len - 1) % 8)) == 0 {
            len -= 1;
        }
        self.truncate(len);
    }

    /// The bytes; bits behind the last are zeros.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Reads a part of a string of bits; behind its end are zeros without end.
#[derive(Clone, Debug)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> BitReader<'a> {
    /// The bits from `start` to before `end`; zeros where `bytes` ends before.
    pub(crate) fn new(bytes: &'a [u8], start: usize, end: usize) -> Self {
        let end = end.min(bytes.len() * 8);
        Self {
            bytes,
            at: start.min(end),
            end,
        }
    }

    /// Where the next bit is.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Whether all bits have been read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.end
    }

    /// The next 57 bits or more, from the highest bit of the word on. What is behind the end is zero.
    #[inline]
    pub(crate) fn peek(&self) -> u64 {
        let byte = self.at / 8;
        let word = match self.bytes.get(byte..byte + 8).and_then(<[u8]>::first_chunk) {
            Some(&chunk) => u64::from_le_bytes(chunk).swap_bytes(),
            None => {
                let mut chunk = [0; 8];
                let rest = self.bytes.get(byte..).unwrap_or_default();
                chunk[..rest.len()].copy_from_slice(rest);
                u64::from_le_bytes(chunk).swap_bytes()
            }
        };
        let word = word << (self.at % 8);
        match self.end - self.at {
            left @ 0..64 => word & !(u64::MAX >> left),
            _ => word,
        }
    }

    /// Leaves out that many bits.
    #[inline]
    pub(crate) fn skip(&mut self, count: usize) {
        self.at = (self.at + count).min(self.end);
    }

    /// The next `count` bits, 1 to 32.
    #[inline]
    pub(crate) fn take(&mut self, count: u32) -> u32 {
        let bits = (self.peek() >> (64 - count)) as u32;
        self.skip(count as usize);
        bits
    }
}

/// How wide the part of the interval is that stands for the unlikely answer: its chance is
/// `chance` / 65,536.
#[inline(always)]
fn unlikely(range: u32, chance: u32) -> u32 {
    (range >> 16) * chance
}

/// Writes decisions to the end of a string of bits.
#[derive(Debug)]
pub(crate) struct Encoder<'a> {
    out: &'a mut BitString,
    start: usize,
    low: u32,
    range: u32,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(out: &'a mut BitString) -> Self {
        let start = out.len();
        Self {
            out,
            start,
            low: 0,
            range: u32::MAX,
        }
    }

    /// Writes a decision of which the unlikely answer has the chance `chance` / 65,536, from 1 to
    /// 65,535.
    #[inline(always)]
    pub(crate) fn encode(&mut self, is_unlikely: bool, chance: u32) {
        let width = unlikely(self.range, chance);
        let likely = self.range - width;
        if is_unlikely {
            let (low, carry) = self.low.overflowing_add(likely);
            if carry {
                self.out.carry();
            }
            self.low = low;
            self.range = width;
        } else {
            self.range = likely;
        }
        if self.range < NARROW {
            // Low and range stay in registers if nobody else gets at them.
            let shift = self.range.leading_zeros();
            self.out.push(self.low >> (32 - shift), shift);
            self.low <<= shift;
            self.range <<= shift;
        }
    }

    /// Ends the string with as few bits as tell the decisions.
    pub(crate) fn finish(self) {
        // The number in the interval with the most zeros at its end.
        let (low, range) = (u64::from(self.low), u64::from(self.range));
        for zeros in (0..=32).rev() {
            let unit = 1_u64 << zeros;
            let number = low.next_multiple_of(unit);
            if number - low < range {
                if number >> 32 != 0 {
                    self.out.carry();
                }
                self.out.push(number as u32, 32);
                break;
            }
        }
        self.out.trim(self.start);
    }
}

/// Reads decisions. Any bits are the bits of some decisions.
#[derive(Clone, Debug)]
pub(crate) struct Decoder<'a> {
    bits: BitReader<'a>,
    code: u32,
    range: u32,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(mut bits: BitReader<'a>) -> Self {
        Self {
            code: bits.take(32),
            bits,
            range: u32::MAX,
        }
    }

    /// Whether the next answer is the unlikely one.
    #[inline(always)]
    pub(crate) fn decode(&mut self, chance: u32) -> bool {
        let width = unlikely(self.range, chance);
        let likely = self.range - width;
        let is_unlikely = self.code >= likely;
        if is_unlikely {
            self.code -= likely;
            self.range = width;
        } else {
            self.range = likely;
        }
        if self.range < NARROW {
            // A chance of at least 1 leaves a width of at least 2^8, so that the shift is at most 24.
            let shift = self.range.leading_zeros();
            self.code = self.code << shift | self.bits.take(shift);
            self.range <<= shift;
        }
        is_unlikely
    }
}

/// The chance of a yes that is learned from the answers so far; starts as even.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adaptive(u16);

impl Default for Adaptive {
    fn default() -> Self {
        Self(1 << 15)
    }
}

impl Adaptive {
    /// How quickly it learns, as a shift.
    const RATE: u32 = 4;

    fn learn(&mut self, yes: bool) {
        // It stays between 15 and 65,521: neither answer becomes impossible.
        if yes {
            self.0 += (u16::MAX - self.0) >> Self::RATE;
        } else {
            self.0 -= self.0 >> Self::RATE;
        }
    }

    /// Writes an answer.
    pub(crate) fn encode(&mut self, encoder: &mut Encoder<'_>, yes: bool) {
        encoder.encode(yes, self.0.into());
        self.learn(yes);
    }

    /// Reads an answer.
    pub(crate) fn decode(&mut self, decoder: &mut Decoder<'_>) -> bool {
        let yes = decoder.decode(self.0.into());
        self.learn(yes);
        yes
    }
}

/// A number below `N` as decisions from its highest bit down, each learned by what came before.
#[derive(Clone, Debug)]
pub(crate) struct Number<const N: usize>([Adaptive; N]);

impl<const N: usize> Default for Number<N> {
    fn default() -> Self {
        const { assert!(N.is_power_of_two()) };
        Self([Adaptive::default(); N])
    }
}

impl<const N: usize> Number<N> {
    pub(crate) fn encode(&mut self, encoder: &mut Encoder<'_>, number: usize) {
        let mut node = 1;
        for bit in (0..N.trailing_zeros()).rev() {
            let yes = number >> bit & 1 != 0;
            self.0[node].encode(encoder, yes);
            node = 2 * node + usize::from(yes);
        }
    }

    pub(crate) fn decode(&mut self, decoder: &mut Decoder<'_>) -> usize {
        let mut node = 1;
        while node < N {
            node = 2 * node + usize::from(self.0[node].decode(decoder));
        }
        node - N
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decisions_come_back(
            strings in prop::collection::vec(
                prop::collection::vec((any::<bool>(), 1..=65_535_u32), 0..200), 1..5),
        ) {
            let mut out = BitString::default();
            let mut ends = vec![0];
            for decisions in &strings {
                let mut encoder = Encoder::new(&mut out);
                for &(answer, chance) in decisions {
                    encoder.encode(answer, chance);
                }
                encoder.finish();
                ends.push(out.len());
            }
            for (decisions, ends) in strings.iter().zip(ends.windows(2)) {
                let mut decoder = Decoder::new(BitReader::new(out.bytes(), ends[0], ends[1]));
                for &(answer, chance) in decisions {
                    prop_assert_eq!(decoder.decode(chance), answer);
                }
            }
        }

        #[test]
        fn pushed_bits_are_read(parts in prop::collection::vec((any::<u32>(), 1..=32_u32), 0..50)) {
            let mut out = BitString::default();
            for &(bits, count) in &parts {
                out.push(bits, count);
            }
            let mut reader = BitReader::new(out.bytes(), 0, out.len());
            for &(bits, count) in &parts {
                prop_assert_eq!(reader.take(count), bits & (u32::MAX >> (32 - count)));
            }
            prop_assert!(reader.is_at_end());
            prop_assert_eq!(reader.take(32), 0);
        }

        #[test]
        fn numbers_come_back(numbers in prop::collection::vec(0..32_usize, 0..100)) {
            let mut out = BitString::default();
            let mut encoder = Encoder::new(&mut out);
            let mut model = Number::<32>::default();
            numbers.iter().for_each(|&number| model.encode(&mut encoder, number));
            encoder.finish();
            let mut decoder = Decoder::new(BitReader::new(out.bytes(), 0, out.len()));
            let mut model = Number::<32>::default();
            for &number in &numbers {
                prop_assert_eq!(model.decode(&mut decoder), number);
            }
        }

        #[test]
        fn garbage_is_decided_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut decoder = Decoder::new(BitReader::new(&bytes, 3, 250));
            for chance in [1, 65_535, 30_000, 1, 1, 7].repeat(50) {
                decoder.decode(chance);
            }
        }
    }

    #[test]
    fn what_was_expected_takes_no_bits() {
        let mut out = BitString::default();
        let mut encoder = Encoder::new(&mut out);
        (0..1000).for_each(|_| encoder.encode(false, 30_000));
        encoder.finish();
        assert_eq!(out.len(), 0);
    }
}

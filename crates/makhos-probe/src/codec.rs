//! From the values of a block to its bytes and back.
//!
//! Two steps: the values are packed into a fixed number of bits each, which allows random access, and
//! the packed bytes are compressed with zstd. Readers keep blocks packed.

use std::cell::RefCell;
use std::io;
use std::ops::Range;

use crate::digits::{self, Contradiction, DIGITS, Decided, PER_BYTE, Planes};
use crate::outcomes::Outcomes;
use crate::value::{Metric, PackedDtw, Wld};

/// How the values of a table are packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Codec {
    /// Win, draw or loss as base-3 digits, five a byte, the first value the lowest digit: 0 a draw,
    /// 1 a loss, 2 a win. These are the bits of a [`PackedDtw`] with the shortest distance.
    Wld = 1,
    /// The bits of [`PackedDtw`] in one byte.
    Dtw8 = 2,
    /// The bits of [`PackedDtw`] in two bytes, the low one first.
    Dtw16 = 3,
}

impl Codec {
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        [Self::Wld, Self::Dtw8, Self::Dtw16]
            .into_iter()
            .find(|codec| *codec as u8 == code)
    }

    /// The smallest codec for a metric and the largest packed value.
    pub(crate) const fn for_values(metric: Metric, max_bits: u16) -> Self {
        match metric {
            Metric::Wld => Self::Wld,
            Metric::Dtw | Metric::Dtc | Metric::Dtz if max_bits <= Self::Dtw8.max_bits() => {
                Self::Dtw8
            }
            Metric::Dtw | Metric::Dtc | Metric::Dtz => Self::Dtw16,
        }
    }

    /// Whether tables of a metric may be packed like this.
    pub(crate) const fn fits(self, metric: Metric) -> bool {
        match self {
            Self::Wld => matches!(metric, Metric::Wld),
            Self::Dtw8 | Self::Dtw16 => metric.has_plies(),
        }
    }

    /// zstd's level, part of the format's promise of identical files: outcomes are solved so fast that
    /// only a quick level keeps up, distances take their time. `FORMAT.md` has the measurements.
    const fn level(self) -> i32 {
        match self {
            Self::Wld => 6,
            Self::Dtw8 | Self::Dtw16 => 12,
        }
    }

    /// The largest packed value that fits.
    pub(crate) const fn max_bits(self) -> u16 {
        match self {
            Self::Wld => 2,
            Self::Dtw8 => u8::MAX as u16,
            Self::Dtw16 => u16::MAX,
        }
    }

    /// Bytes of that many packed values.
    pub(crate) const fn packed_len(self, values: usize) -> usize {
        match self {
            Self::Wld => values.div_ceil(PER_BYTE),
            Self::Dtw8 => values,
            Self::Dtw16 => 2 * values,
        }
    }

    /// Packs values behind what `packed` holds. Distances must fit; the writer has checked that.
    fn pack(self, values: &[PackedDtw], packed: &mut Vec<u8>) {
        match self {
            Self::Wld => packed.extend(values.chunks(PER_BYTE).map(pack_wld)),
            Self::Dtw8 => packed.extend(values.iter().map(|value| value.bits() as u8)),
            Self::Dtw16 => {
                packed.extend(values.iter().flat_map(|value| value.bits().to_le_bytes()))
            }
        }
    }

    /// Value number `at` of a packed block. For [`Codec::Wld`] its distance means nothing.
    ///
    /// # Panics
    /// If the block is shorter than that.
    #[inline]
    pub(crate) fn get(self, packed: &[u8], at: usize) -> PackedDtw {
        PackedDtw::from_bits(match self {
            Self::Wld => DIGITS[usize::from(packed[at / PER_BYTE])][at % PER_BYTE].into(),
            Self::Dtw8 => packed[at].into(),
            Self::Dtw16 => u16::from_le_bytes([packed[2 * at], packed[2 * at + 1]]),
        })
    }

    /// Calls `each` with the first `count` values of a packed block in their order.
    pub(crate) fn for_each(self, packed: &[u8], count: usize, mut each: impl FnMut(PackedDtw)) {
        match self {
            Self::Wld => packed
                .iter()
                .flat_map(|&byte| DIGITS[usize::from(byte)])
                .take(count)
                .for_each(|digit| each(PackedDtw::from_bits(digit.into()))),
            Self::Dtw8 | Self::Dtw16 => (0..count).for_each(|at| each(self.get(packed, at))),
        }
    }

    /// Puts the outcomes in `range` of a packed block behind those of `outcomes`.
    ///
    /// # Panics
    /// If the block is shorter than that.
    pub(crate) fn unpack_outcomes(
        self,
        packed: &[u8],
        range: Range<usize>,
        outcomes: &mut Outcomes,
    ) {
        if self == Self::Wld {
            return digits::unpack(packed, range, outcomes);
        }
        for start in range.clone().step_by(64) {
            let (mut win, mut loss) = (0, 0);
            let word = start..range.end.min(start + 64);
            for (bit, at) in word.clone().enumerate() {
                let wld = self.get(packed, at).wld();
                win |= u64::from(wld == Wld::Win) << bit;
                loss |= u64::from(wld == Wld::Loss) << bit;
            }
            outcomes.append(win, loss, word.len() as u32);
        }
    }

    /// Whether a packed block of `count` values is one that [`pack`](Self::pack) could have made from
    /// values up to `max_bits`.
    fn is_valid(self, packed: &[u8], count: usize, max_bits: u16) -> bool {
        match self {
            Self::Wld => {
                let full = count / PER_BYTE;
                let last = 3_usize.pow((count % PER_BYTE) as u32);
                // The largest of all is found in vector lanes, unlike the first that is too large.
                usize::from(packed[..full].iter().fold(0, |max, &byte| byte.max(max)))
                    < digits::BYTES
                    && packed[full..].iter().all(|&byte| usize::from(byte) < last)
            }
            Self::Dtw8 => packed.iter().all(|&byte| u16::from(byte) <= max_bits),
            Self::Dtw16 => (0..count).all(|at| self.get(packed, at).bits() <= max_bits),
        }
    }
}

/// Up to five values as one byte; missing ones count as draws.
fn pack_wld(values: &[PackedDtw]) -> u8 {
    values.iter().rev().fold(0, |byte, value| {
        let digit = match value.wld() {
            Wld::Draw => 0,
            Wld::Loss => 1,
            Wld::Win => 2,
        };
        byte * 3 + digit
    })
}

/// Why outcomes cannot be encoded.
#[derive(Debug)]
pub(crate) enum EncodeError {
    /// One of them is none.
    Contradiction(Contradiction),
    /// zstd refused.
    Io(io::Error),
}

impl From<Contradiction> for EncodeError {
    fn from(error: Contradiction) -> Self {
        Self::Contradiction(error)
    }
}

impl From<io::Error> for EncodeError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Encodes blocks. The bytes depend on the values alone.
pub(crate) struct BlockEncoder {
    codec: Codec,
    compressor: zstd::bulk::Compressor<'static>,
    packed: Vec<u8>,
}

impl BlockEncoder {
    pub(crate) fn new(codec: Codec) -> io::Result<Self> {
        use zstd::zstd_safe::CParameter;
        let mut compressor = zstd::bulk::Compressor::new(codec.level())?;
        // Sizes and checksums are kept in the block index; here they would be spent twice.
        compressor.set_parameter(CParameter::ContentSizeFlag(false))?;
        compressor.set_parameter(CParameter::ChecksumFlag(false))?;
        compressor.set_parameter(CParameter::DictIdFlag(false))?;
        Ok(Self {
            codec,
            compressor,
            packed: Vec::new(),
        })
    }

    pub(crate) fn codec(&self) -> Codec {
        self.codec
    }

    /// The stored bytes of a block of outcomes, the values in `range`, and what they are.
    pub(crate) fn encode_outcomes(
        &mut self,
        planes: Planes<'_>,
        range: Range<u64>,
    ) -> Result<(Vec<u8>, Decided), EncodeError> {
        debug_assert_eq!(self.codec, Codec::Wld);
        self.packed.clear();
        let decided = planes.pack(range, &mut self.packed)?;
        Ok((self.compressor.compress(&self.packed)?, decided))
    }

    /// The stored bytes of a block.
    pub(crate) fn encode(&mut self, values: &[PackedDtw]) -> io::Result<Vec<u8>> {
        self.packed.clear();
        self.codec.pack(values, &mut self.packed);
        self.compressor.compress(&self.packed)
    }
}

thread_local! {
    // Creating a context costs more than decoding a block with it.
    static DECOMPRESSOR: RefCell<Option<zstd::bulk::Decompressor<'static>>> =
        const { RefCell::new(None) };
}

/// Decodes the stored bytes of a block of `count` values into `packed`, which must have the length
/// [`Codec::packed_len`] of them. The error says what is wrong with the bytes.
pub(crate) fn decode_block(
    codec: Codec,
    stored: &[u8],
    count: usize,
    max_bits: u16,
    packed: &mut [u8],
) -> Result<(), String> {
    let len = DECOMPRESSOR
        .with_borrow_mut(|slot| {
            let decompressor = match slot {
                Some(decompressor) => decompressor,
                None => slot.insert(zstd::bulk::Decompressor::new()?),
            };
            decompressor.decompress_to_buffer(stored, packed)
        })
        .map_err(|error| format!("zstd: {error}"))?;
    if len != packed.len() {
        return Err(format!("{len} bytes instead of {}", packed.len()));
    }
    if !codec.is_valid(packed, count, max_bits) {
        return Err("a value that the header rules out".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Values as tables have them, long runs among them.
    fn values(max_bits: u16) -> impl Strategy<Value = Vec<PackedDtw>> {
        let run = (0..=max_bits, 1..40_usize);
        prop::collection::vec(run, 1..20).prop_map(|runs| {
            let runs = runs.into_iter();
            runs.flat_map(|(bits, len)| vec![PackedDtw::from_bits(bits); len])
                .collect()
        })
    }

    fn round_trip(codec: Codec, values: &[PackedDtw], max_bits: u16) -> Vec<PackedDtw> {
        let mut encoder = BlockEncoder::new(codec).expect("zstd");
        let stored = encoder.encode(values).expect("zstd");
        assert_eq!(
            stored,
            encoder.encode(values).expect("zstd"),
            "not a pure function"
        );
        let mut packed = vec![0; codec.packed_len(values.len())];
        decode_block(codec, &stored, values.len(), max_bits, &mut packed).expect("own bytes");
        let mut all = Vec::new();
        codec.for_each(&packed, values.len(), |value| all.push(value));
        let single: Vec<_> = (0..values.len()).map(|at| codec.get(&packed, at)).collect();
        assert_eq!(all, single);
        all
    }

    proptest! {
        #[test]
        fn distances_round_trip(values in values(255), long in values(u16::MAX)) {
            prop_assert_eq!(&round_trip(Codec::Dtw8, &values, 255), &values);
            prop_assert_eq!(&round_trip(Codec::Dtw16, &long, u16::MAX), &long);
        }

        #[test]
        fn outcomes_round_trip(values in values(u16::MAX)) {
            let wld = |values: &[PackedDtw]| values.iter().map(|value| value.wld()).collect::<Vec<_>>();
            prop_assert_eq!(wld(&round_trip(Codec::Wld, &values, 2)), wld(&values));
        }

        #[test]
        fn garbage_is_an_error_or_valid_values(
            stored in prop::collection::vec(any::<u8>(), 0..200),
            count in 1..500_usize,
        ) {
            for codec in [Codec::Wld, Codec::Dtw8, Codec::Dtw16] {
                let mut packed = vec![0; codec.packed_len(count)];
                if decode_block(codec, &stored, count, 5, &mut packed).is_ok() {
                    codec.for_each(&packed, count, |value| assert!(value.bits() <= 5));
                }
            }
        }
    }

    #[test]
    fn a_byte_holds_five_digits_lowest_first() {
        let values = [2, 0, 1, 0, 0, 1].map(PackedDtw::from_bits);
        let mut packed = Vec::new();
        Codec::Wld.pack(&values, &mut packed);
        assert_eq!(packed, [2 + 9, 1]);
    }

    #[test]
    fn values_beyond_the_header_are_refused() {
        let cases = [(Codec::Dtw8, 4_u16, 3), (Codec::Dtw16, 300, 299)];
        for (codec, bits, max_bits) in cases {
            let values = [PackedDtw::from_bits(bits)];
            let stored = BlockEncoder::new(codec).and_then(|mut encoder| encoder.encode(&values));
            let stored = stored.expect("zstd");
            let mut packed = vec![0; codec.packed_len(1)];
            assert!(decode_block(codec, &stored, 1, bits, &mut packed).is_ok());
            assert!(decode_block(codec, &stored, 1, max_bits, &mut packed).is_err());
        }
        for byte in [3_u8, 243] {
            let stored = zstd::bulk::compress(&[byte], 1).expect("zstd");
            assert!(
                decode_block(Codec::Wld, &stored, 1, 2, &mut [0]).is_err(),
                "{byte}"
            );
        }
    }

    #[test]
    fn blocks_of_another_length_are_refused() {
        let stored = zstd::bulk::compress(&[0; 100], 1).expect("zstd");
        for count in [99, 101] {
            let mut packed = vec![0; count];
            assert!(decode_block(Codec::Dtw8, &stored, count, 9, &mut packed).is_err());
        }
    }
}

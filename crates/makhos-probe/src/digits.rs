//! Between the two bit planes of outcomes and the base-3 digits of a table's bytes, five at a time.
//!
//! A digit is 0 for a draw, 1 for a loss and 2 for a win; the first value of a byte is its lowest digit.

use std::ops::Range;

use crate::outcomes::Outcomes;

/// Values in a byte.
pub(crate) const PER_BYTE: usize = 5;
/// Number of bytes that are five base-3 digits.
pub(crate) const BYTES: usize = 243;

/// Bytes whose values fit into a word.
const GROUP_BYTES: usize = 12;
/// Their values.
const GROUP: usize = GROUP_BYTES * PER_BYTE;

/// The digits of every byte; zeros for bytes that do not occur.
pub(crate) static DIGITS: [[u8; PER_BYTE]; 256] = {
    let mut digits = [[0; PER_BYTE]; 256];
    let mut byte = 0;
    while byte < BYTES {
        let mut rest = byte;
        let mut place = 0;
        while place < PER_BYTE {
            digits[byte][place] = (rest % 3) as u8;
            rest /= 3;
            place += 1;
        }
        byte += 1;
    }
    digits
};

/// The outcomes of every byte: its wins in the low half, its losses in the high one, so that one shift
/// puts both where they belong among the values of six bytes.
static PLANES: [u64; 256] = {
    let mut planes = [0; 256];
    let mut byte = 0;
    while byte < BYTES {
        let mut place = 0;
        while place < PER_BYTE {
            match DIGITS[byte][place] {
                1 => planes[byte] |= 1 << (32 + place),
                2 => planes[byte] |= 1 << place,
                _ => (),
            }
            place += 1;
        }
        byte += 1;
    }
    planes
};

/// The byte of five values: five bits of wins, above them five of losses. What is both does not occur.
static PACKED: [u8; 1 << (2 * PER_BYTE)] = {
    let mut packed = [0; 1 << (2 * PER_BYTE)];
    let mut byte = 0;
    while byte < BYTES {
        let wins = PLANES[byte] as usize;
        let losses = (PLANES[byte] >> 32) as usize;
        packed[wins & 31 | losses << PER_BYTE] = byte as u8;
        byte += 1;
    }
    packed
};

/// Puts the values in `range` of a packed block behind those of `outcomes`.
///
/// # Panics
/// If the block is shorter than that.
pub(crate) fn unpack(packed: &[u8], range: Range<usize>, outcomes: &mut Outcomes) {
    let mut at = range.start;
    while at < range.end {
        // Only the first group can begin within a byte.
        let (rest, skip) = (&packed[at / PER_BYTE..], at % PER_BYTE);
        let (win, loss) = match rest.first_chunk() {
            Some(group) => group_planes::<GROUP_BYTES>(group),
            None => last_planes(rest),
        };
        let count = (GROUP - skip).min(range.end - at);
        outcomes.append(win >> skip, loss >> skip, count as u32);
        at += count;
    }
}

/// The planes of that many bytes, an even number up to twelve.
#[inline]
fn group_planes<const N: usize>(group: &[u8; N]) -> (u64, u64) {
    let half = |bytes: &[u8]| {
        let shifted = bytes.iter().enumerate();
        shifted.fold(0, |planes, (place, &byte)| {
            planes | PLANES[usize::from(byte)] << (PER_BYTE * place)
        })
    };
    let low: u64 = half(&group[..N / 2]);
    let high: u64 = half(&group[N / 2..]);
    let shift = N / 2 * PER_BYTE;
    let lower = u64::from(u32::MAX);
    (
        low & lower | (high & lower) << shift,
        low >> 32 | high >> 32 << shift,
    )
}

/// The planes of fewer bytes than a group has.
fn last_planes(bytes: &[u8]) -> (u64, u64) {
    let mut group = [0; GROUP_BYTES];
    group[..bytes.len()].copy_from_slice(bytes);
    group_planes(&group)
}

/// Packs outcomes, 0 a draw, 1 a loss, 2 a win, into bytes of five; missing ones count as draws.
pub(crate) fn pack_digits(outcomes: &[u8], packed: &mut [u8]) {
    for (byte, five) in packed.iter_mut().zip(outcomes.chunks(PER_BYTE)) {
        *byte = five.iter().rev().fold(0, |byte, digit| byte * 3 + digit);
    }
}

/// Two bit planes of equal length, lent: bit i % 64 of word i / 64 says whether value number i is a win,
/// or a loss. Bits that are not asked for may be anything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planes<'a> {
    pub(crate) win: &'a [u64],
    pub(crate) loss: &'a [u64],
}

/// How many of some values are won and lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Decided {
    pub(crate) wins: u64,
    pub(crate) losses: u64,
}

/// The number of a value that is marked as won and as lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Contradiction(pub(crate) u64);

impl Planes<'_> {
    /// Wins and losses among the values `at..at + count`; at most 64, at least one.
    ///
    /// # Panics
    /// If the planes are shorter than that.
    #[inline]
    pub(crate) fn bits(self, at: u64, count: u32) -> Result<(u64, u64), Contradiction> {
        let (word, shift) = ((at / 64) as usize, (at % 64) as u32);
        let mask = u64::MAX >> (64 - count);
        let bits = |plane: &[u64]| {
            let mut bits = plane[word] >> shift;
            if shift + count > 64 {
                bits |= plane[word + 1] << (64 - shift);
            }
            bits & mask
        };
        let (win, loss) = (bits(self.win), bits(self.loss));
        match win & loss {
            0 => Ok((win, loss)),
            both => Err(Contradiction(at + u64::from(both.trailing_zeros()))),
        }
    }

    /// Packs the values in `range` behind what `packed` holds. Draws fill the last byte up.
    pub(crate) fn pack(
        self,
        range: Range<u64>,
        packed: &mut Vec<u8>,
    ) -> Result<Decided, Contradiction> {
        let mut decided = Decided::default();
        let mut at = range.start;
        while at < range.end {
            let count = (range.end - at).min(GROUP as u64) as usize;
            let (win, loss) = self.bits(at, count as u32)?;
            decided.wins += u64::from(win.count_ones());
            decided.losses += u64::from(loss.count_ones());
            let bytes = pack_group(win, loss);
            packed.extend_from_slice(&bytes[..count.div_ceil(PER_BYTE)]);
            at += count as u64;
        }
        Ok(decided)
    }
}

/// The bytes of sixty values.
#[inline]
fn pack_group(win: u64, loss: u64) -> [u8; GROUP_BYTES] {
    let five = |plane: u64, place: usize| (plane >> (PER_BYTE * place)) as usize & 31;
    std::array::from_fn(|place| PACKED[five(win, place) | five(loss, place) << PER_BYTE])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_its_five_values() {
        for byte in 0..BYTES as u8 {
            let mut outcomes = Outcomes::default();
            unpack(&[byte], 0..PER_BYTE, &mut outcomes);
            let planes = Planes {
                win: outcomes.win(),
                loss: outcomes.loss(),
            };
            let digits: Vec<u64> = (0..PER_BYTE)
                .map(|at| 2 * (outcomes.win()[0] >> at & 1) + (outcomes.loss()[0] >> at & 1))
                .collect();
            assert_eq!(digits, DIGITS[usize::from(byte)].map(u64::from));
            let mut packed = Vec::new();
            let decided = planes.pack(0..PER_BYTE as u64, &mut packed);
            assert_eq!(packed, [byte]);
            let (_, wins, losses) = outcomes.counts();
            assert_eq!(decided, Ok(Decided { wins, losses }));
        }
    }

    #[test]
    fn bits_outside_the_range_do_not_matter() {
        let planes = Planes {
            win: &[!0, !0],
            loss: &[!(7 << 62), !1],
        };
        let mut packed = Vec::new();
        // Values 62, 63 and 64 are wins, all others both.
        let decided = planes.pack(62..65, &mut packed);
        assert_eq!(decided, Ok(Decided { wins: 3, losses: 0 }));
        assert_eq!(packed, [2 + 3 * 2 + 9 * 2]);
        assert_eq!(
            planes.pack(60..65, &mut packed),
            Err(Contradiction(60)),
            "the first of two"
        );
        assert_eq!(planes.pack(62..66, &mut packed), Err(Contradiction(65)));
    }
}

//! Outcomes in canonical order as two planes of bits: one for wins, one for losses.
//!
//! Bit `i` of a plane is bit `i % 64` of its word `i / 64`. A position with neither bit is drawn.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use makhos_probe::PackedDtw;

/// Outcomes of consecutive positions, the first at bit 0.
///
/// The planes have exactly the words that `len` needs, and bits from `len` on are 0.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Packed {
    /// Positions won by the side to move.
    pub(crate) win: Vec<u64>,
    /// Positions lost by the side to move.
    pub(crate) loss: Vec<u64>,
    /// How many positions.
    pub(crate) len: u64,
}

impl Packed {
    /// Forgets all positions, but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.win.clear();
        self.loss.clear();
        self.len = 0;
    }

    /// Appends `count` positions, at most 128: the low bits of `win` and `loss`, which have no others.
    #[inline(always)]
    pub(crate) fn push(&mut self, win: u128, loss: u128, count: u32) {
        debug_assert!(count <= 128);
        if count > 64 {
            self.push_word(win as u64, loss as u64, 64);
            self.push_word((win >> 64) as u64, (loss >> 64) as u64, count - 64);
        } else {
            self.push_word(win as u64, loss as u64, count);
        }
    }

    /// Appends `count` positions, at most 64.
    #[inline(always)]
    fn push_word(&mut self, win: u64, loss: u64, count: u32) {
        debug_assert!(count == 64 || (win | loss) >> count == 0);
        let shift = (self.len % 64) as u32;
        self.len += u64::from(count);
        match (self.win.last_mut(), self.loss.last_mut()) {
            (Some(last_win), Some(last_loss)) if shift > 0 => {
                *last_win |= win << shift;
                *last_loss |= loss << shift;
                if shift + count > 64 {
                    self.win.push(win >> (64 - shift));
                    self.loss.push(loss >> (64 - shift));
                }
            }
            _ if count > 0 => {
                self.win.push(win);
                self.loss.push(loss);
            }
            _ => {}
        }
    }

    /// The bits of both planes from position `at` on, at least `count` of them (up to 128); what
    /// follows them is any following positions, and 0 beyond the end.
    #[inline(always)]
    pub(crate) fn bits(&self, at: u64, count: u32) -> (u128, u128) {
        (bits(&self.win, at, count), bits(&self.loss, at, count))
    }

    /// Makes room for that many more positions.
    pub(crate) fn reserve(&mut self, more: u64) {
        for plane in [&mut self.win, &mut self.loss] {
            let words = (self.len + more).div_ceil(64) as usize;
            plane.reserve_exact(words.saturating_sub(plane.len()));
        }
    }

    /// Appends the positions of this range of `other`, which has them.
    pub(crate) fn append(&mut self, other: &Self, range: Range<u64>) {
        debug_assert!(range.end <= other.len);
        append_plane(&mut self.win, self.len, &other.win, &range);
        append_plane(&mut self.loss, self.len, &other.loss, &range);
        self.len += range.end - range.start;
    }
}

/// Values as pairs of planes: the outcomes, and `pairs - 1` pairs of planes of their `plies`.
pub(crate) fn pairs_of_planes(
    values: &[PackedDtw],
    pairs: usize,
    plies: impl Fn(PackedDtw) -> u16,
) -> Vec<Packed> {
    let words = values.len().div_ceil(64);
    let mut all = vec![
        Packed {
            win: vec![0; words],
            loss: vec![0; words],
            len: values.len() as u64,
        };
        pairs
    ];
    for (number, values) in values.chunks(64).enumerate() {
        let mut planes = [0; 2 + u16::BITS as usize];
        for (at, value) in values.iter().enumerate() {
            let (bits, plies) = (value.bits(), plies(*value));
            // Wins are even, losses odd, however plies are packed. Of a draw both bits are 0.
            let decided = u64::from(bits != 0);
            planes[0] |= (decided & u64::from(!bits & 1)) << at;
            planes[1] |= (decided & u64::from(bits & 1)) << at;
            for plane in 0..2 * (pairs - 1) {
                planes[2 + plane] |= u64::from(plies >> plane & 1) << at;
            }
        }
        for (pair, planes) in all.iter_mut().zip(planes.chunks_exact(2)) {
            pair.win[number] = planes[0];
            pair.loss[number] = planes[1];
        }
    }
    all
}

/// Appends this range of bits of `other` to a plane that has `len`.
fn append_plane(plane: &mut Vec<u64>, len: u64, other: &[u64], range: &Range<u64>) {
    if range.is_empty() {
        return;
    }
    let mut from = range.start;
    if let Some(last) = plane.last_mut().filter(|_| !len.is_multiple_of(64)) {
        *last |= word(other, from) << (len % 64);
        from += 64 - len % 64;
    }
    let end = len + (range.end - range.start);
    let words = end.div_ceil(64) as usize - plane.len();
    plane.extend((0..words).map(|number| word(other, from + number as u64 * 64)));
    if let Some(last) = plane.last_mut() {
        *last &= low_bits((end - 1) % 64 + 1);
    }
}

/// A word of a plane, of which threads may share some.
trait Word {
    fn get(&self) -> u64;
}

impl Word for u64 {
    #[inline(always)]
    fn get(&self) -> u64 {
        *self
    }
}

impl Word for AtomicU64 {
    #[inline(always)]
    fn get(&self) -> u64 {
        self.load(Ordering::Relaxed)
    }
}

/// The bits of a plane from bit `at` on, at least `count` of them (up to 128), 0 beyond its end.
#[inline(always)]
fn bits(plane: &[impl Word], at: u64, count: u32) -> u128 {
    let low = word(plane, at);
    if count <= 64 {
        return low.into();
    }
    u128::from(low) | (u128::from(word(plane, at + 64)) << 64)
}

/// The 64 bits of a plane from bit `at` on, 0 beyond its end.
#[inline(always)]
fn word(plane: &[impl Word], at: u64) -> u64 {
    let (index, shift) = ((at / 64) as usize, (at % 64) as u32);
    let low = plane.get(index).map_or(0, Word::get);
    let high = plane.get(index + 1).map_or(0, Word::get);
    // Two shifts, as one by 64 is not defined.
    (low >> shift) | ((high << 1) << (63 - shift))
}

/// The low `count` bits, of at most 64.
fn low_bits(count: u64) -> u64 {
    if count >= 64 {
        u64::MAX
    } else {
        (1 << count) - 1
    }
}

/// The outcomes of all positions of a class with one side to move, written by many threads at once.
#[derive(Debug)]
pub(crate) struct ClassPlanes {
    win: Vec<AtomicU64>,
    loss: Vec<AtomicU64>,
    len: u64,
}

impl ClassPlanes {
    /// `len` draws, in `len / 4` bytes.
    pub(crate) fn new(len: u64) -> Self {
        let words = len.div_ceil(64);
        let plane = || (0..words).map(|_| AtomicU64::new(0)).collect();
        Self {
            win: plane(),
            loss: plane(),
            len,
        }
    }

    /// The same for one set instead of two, in the place of the losses. Wins are not kept.
    pub(crate) fn single(len: u64) -> Self {
        Self {
            win: Vec::new(),
            ..Self::new(len)
        }
    }

    /// Stores the outcomes of the positions from `start` on.
    ///
    /// Every position may be stored once only. Threads may store neighbouring ranges at the same time:
    /// words shared by two ranges are changed atomically. Who reads a range must have been told by
    /// other means that it is finished.
    ///
    /// # Panics
    /// If there are not so many positions.
    pub(crate) fn put(&self, start: u64, outcomes: &Packed) {
        assert!(
            start
                .checked_add(outcomes.len)
                .is_some_and(|end| end <= self.len),
            "positions beyond the class"
        );
        if !self.win.is_empty() {
            put_plane(&self.win, start, &outcomes.win, outcomes.len);
        }
        put_plane(&self.loss, start, &outcomes.loss, outcomes.len);
    }

    /// The same as [`put`](Self::put) for `count` positions, at most 128: the low bits of `win` and `loss`, which
    /// have no others.
    ///
    /// # Panics
    /// If there are not so many positions.
    #[inline]
    pub(crate) fn put_bits(&self, start: u64, win: u128, loss: u128, count: u32) {
        let words = |bits: u128| [bits as u64, (bits >> 64) as u64];
        let count = u64::from(count);
        assert!(
            start.checked_add(count).is_some_and(|end| end <= self.len),
            "positions beyond the class"
        );
        if !self.win.is_empty() {
            put_plane(&self.win, start, &words(win), count);
        }
        put_plane(&self.loss, start, &words(loss), count);
    }

    /// The outcomes of the `len` positions from `start` on, in place of what `into` held.
    ///
    /// # Panics
    /// If there are not so many positions.
    pub(crate) fn get(&self, start: u64, len: u64, into: &mut Packed) {
        assert!(
            start.checked_add(len).is_some_and(|end| end <= self.len),
            "positions beyond the class"
        );
        get_plane(&self.win, start, len, &mut into.win);
        get_plane(&self.loss, start, len, &mut into.loss);
        into.len = len;
    }

    /// As [`Packed::bits`].
    #[inline(always)]
    pub(crate) fn bits(&self, at: u64, count: u32) -> (u128, u128) {
        (bits(&self.win, at, count), bits(&self.loss, at, count))
    }

    /// How many positions are won and how many are lost.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let count = |plane: &[AtomicU64]| {
            plane
                .iter()
                .map(|word| u64::from(word.load(Ordering::Relaxed).count_ones()))
                .sum()
        };
        (count(&self.win), count(&self.loss))
    }

    /// The planes of wins and of losses, without a copy.
    pub(crate) fn into_words(self) -> (Vec<u64>, Vec<u64>) {
        let words = |plane: Vec<AtomicU64>| plane.into_iter().map(AtomicU64::into_inner).collect();
        (words(self.win), words(self.loss))
    }
}

/// Stores `len` bits from bit `start` of the plane on, where all bits are 0.
fn put_plane(plane: &[AtomicU64], start: u64, bits: &[u64], len: u64) {
    let words = &plane[(start / 64) as usize..(start + len).div_ceil(64) as usize];
    for (number, word) in (0..).zip(words) {
        let ends = number == 0 || number + 1 == words.len();
        let value = if number == 0 {
            bits.first().copied().unwrap_or(0) << (start % 64)
        } else {
            self::word(bits, number as u64 * 64 - start % 64)
        };
        if ends {
            word.fetch_or(value, Ordering::Relaxed);
        } else {
            // All of this word belongs to this range.
            word.store(value, Ordering::Relaxed);
        }
    }
}

/// Loads `len` bits from bit `start` of the plane on.
fn get_plane(plane: &[AtomicU64], start: u64, len: u64, into: &mut Vec<u64>) {
    let words = len.div_ceil(64);
    into.clear();
    into.extend((0..words).map(|number| word(plane, start + number * 64)));
    if let Some(last) = into.last_mut() {
        *last &= low_bits(len - (words - 1) * 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sequence of outcomes: 0 draw, 1 win, 2 loss.
    fn outcome(number: u64) -> u8 {
        ((number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) % 3) as u8
    }

    fn packed(range: std::ops::Range<u64>) -> Packed {
        let mut packed = Packed::default();
        for number in range {
            let outcome = outcome(number);
            packed.push((outcome == 1).into(), (outcome == 2).into(), 1);
        }
        packed
    }

    #[test]
    fn pushes_of_any_size_give_the_same_planes() {
        let expected = packed(0..5_000);
        let mut found = Packed::default();
        let mut at = 0;
        for step in 0.. {
            let count = (step * 37 % 129).min(5_000 - at);
            let (win, loss) = expected.bits(at, count as u32);
            let mask = if count == 128 {
                u128::MAX
            } else {
                (1 << count) - 1
            };
            found.push(win & mask, loss & mask, count as u32);
            at += count;
            if at == 5_000 {
                break;
            }
        }
        assert_eq!(found, expected);
        found.clear();
        assert_eq!(found, Packed::default());
    }

    #[test]
    fn ranges_are_appended() {
        let all = packed(0..1_000);
        let ranges = [
            0..0,
            5..5,
            0..64,
            3..70,
            700..1_000,
            64..128,
            1..2,
            999..1_000,
            10..137,
        ];
        let mut found = Packed::default();
        let mut expected = Packed::default();
        for range in ranges.iter().cycle().take(50) {
            found.append(&all, range.clone());
            for at in range.clone() {
                let (win, loss) = all.bits(at, 1);
                expected.push(win & 1, loss & 1, 1);
            }
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn threads_store_neighbouring_ranges() {
        let len = 10_007;
        let planes = ClassPlanes::new(len);
        let starts: Vec<u64> = (0..)
            .map(|i| i * i * 3 / 2)
            .take_while(|&s| s < len)
            .collect();
        std::thread::scope(|scope| {
            for thread in 0..2 {
                let (planes, starts) = (&planes, &starts);
                scope.spawn(move || {
                    for (number, &start) in starts.iter().enumerate() {
                        let end = starts.get(number + 1).copied().unwrap_or(len);
                        if number % 2 == thread {
                            planes.put(start, &packed(start..end));
                        }
                    }
                });
            }
        });
        let mut found = Packed::default();
        for (start, end) in [(0, len), (0, 0), (64, 192), (63, 64), (1, 66), (9_000, len)] {
            planes.get(start, end - start, &mut found);
            assert_eq!(found, packed(start..end));
        }
        let all = packed(0..len);
        for (at, count) in [(0, 64), (63, 64), (1_000, 128), (len - 3, 128), (len, 1)] {
            assert_eq!(planes.bits(at, count), all.bits(at, count));
        }
        let ones = |plane: &[u64]| plane.iter().map(|w| u64::from(w.count_ones())).sum();
        assert_eq!(planes.counts(), (ones(&all.win), ones(&all.loss)));
        assert_eq!(planes.into_words(), (all.win, all.loss));
    }

    #[test]
    #[should_panic(expected = "beyond the class")]
    fn a_range_beyond_the_class_is_refused() {
        ClassPlanes::new(10).put(5, &packed(0..6));
    }
}

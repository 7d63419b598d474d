//! Decoded cells of a table of outcomes that all threads share.
//!
//! Nothing is ever taken away from here, so reading takes no locks: a word for each cell tells whether it
//! has been decoded, which stretches of it are one and the same outcome, and where the rest of it is. How
//! much all tables of a process keep together is limited; behind that, each thread has its own small
//! cache.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Values whose outcome is looked up in one word.
const STRETCH: usize = 64;
/// Words whose memory is taken at once.
const SLAB_WORDS: usize = 1 << 13;
/// The lower bit of every stretch in a state.
const STRETCHES: u64 = 0x5555_5555;
/// Most bytes that the cells of all tables of a process take.
const MOST_BYTES: u64 = 256 << 20;

/// Bytes taken now.
static BYTES: AtomicU64 = AtomicU64::new(0);

/// In the high half of a state: where the planes are, plus this. 0 is a cell that is not here.
const HERE: u64 = 1;

/// The decoded cells of one table.
#[derive(Debug)]
pub(super) struct Kept {
    /// As a shift: values in a cell.
    cell_shift: u32,
    /// Cells of all stored sides.
    cells: usize,
    /// By cell: 0 if it is not here. Else, in the low half, two bits for each stretch: 0 if it is mixed, 1 if
    /// all are draws, 2 losses, 3 wins; in the high half 1 plus the number of the pair of words where the planes
    /// of the first mixed stretch are, those of the others behind it.
    states: OnceLock<Box<[AtomicU64]>>,
    /// Wins and losses of mixed stretches, in turn.
    slabs: Box<[OnceLock<Box<[AtomicU64]>>]>,
    /// Words in use, counted with those that cells would not fit into.
    used: AtomicU64,
}

impl Kept {
    /// For a table with so many cells of `per_cell` values, a power of two up to 1,024.
    pub(super) fn new(cells: usize, per_cell: u32) -> Self {
        let stretches = (per_cell as usize).div_ceil(STRETCH);
        Self {
            cell_shift: per_cell.trailing_zeros(),
            cells,
            states: OnceLock::new(),
            // Room for cells that are mixed throughout, and for what is left over at the ends of slabs.
            slabs: (0..(cells * 2 * stretches).div_ceil(SLAB_WORDS) + cells.div_ceil(256))
                .map(|_| OnceLock::new())
                .collect(),
            used: AtomicU64::new(0),
        }
    }

    /// The cell and the place in it of a value of a side that begins with cell `first`.
    #[inline]
    pub(super) fn place(&self, first: usize, index: u64) -> (usize, usize) {
        let cell = first + (index >> self.cell_shift) as usize;
        (cell, index as usize & ((1 << self.cell_shift) - 1))
    }

    /// The outcome of a value, 0 a draw, 1 a loss, 2 a win, if its cell is here.
    #[inline]
    pub(super) fn get(&self, cell: usize, at: usize) -> Option<u8> {
        let state = self.states.get()?.get(cell)?.load(Ordering::Acquire);
        let pair = (state >> 32).checked_sub(HERE)?;
        let stretch = 2 * (at / STRETCH);
        let uniform = state >> stretch & 3;
        if uniform != 0 {
            return Some(uniform as u8 - 1);
        }
        // The state was published behind the planes.
        let mixed = !(state | state >> 1) & STRETCHES & ((1 << stretch) - 1);
        let word = 2 * (pair as usize + mixed.count_ones() as usize);
        let slab = self.slabs.get(word / SLAB_WORDS)?.get()?;
        let planes = slab.get(word % SLAB_WORDS..word % SLAB_WORDS + 2)?;
        let bit = |plane: &AtomicU64| (plane.load(Ordering::Relaxed) >> (at % STRETCH) & 1) as u8;
        Some(2 * bit(&planes[0]) + bit(&planes[1]))
    }

    /// Keeps the outcomes of a cell, unless too much is kept already.
    pub(super) fn put(&self, cell: usize, outcomes: &[u8]) {
        let Some(state) = self.states().and_then(|states| states.get(cell)) else {
            return;
        };
        let mut uniform = 0;
        let mut planes = Vec::new();
        for (number, stretch) in outcomes.chunks(STRETCH).enumerate() {
            let first = stretch.first().copied().unwrap_or(0);
            if stretch.iter().all(|&outcome| outcome == first) {
                uniform |= (u64::from(first) + 1) << (2 * number);
                continue;
            }
            let plane = |outcome: u8| {
                let bits = stretch.iter().rev();
                bits.fold(0, |plane, &of| plane << 1 | u64::from(of == outcome))
            };
            planes.extend([plane(2), plane(1)]);
        }
        if let Some(pair) = self.store(&planes) {
            state.store((pair + HERE) << 32 | uniform, Ordering::Release);
        }
    }

    /// Puts planes behind those of other cells; the number of their first pair, or `None` if there is no
    /// room.
    fn store(&self, planes: &[u64]) -> Option<u64> {
        if planes.is_empty() {
            return Some(0);
        }
        let len = planes.len() as u64;
        // Two threads may decode the same cell. Then one copy is wasted, and the last cells find no room.
        let mut word = self.used.fetch_add(len, Ordering::Relaxed) as usize;
        if word / SLAB_WORDS != (word + planes.len() - 1) / SLAB_WORDS {
            // Not across the end of a slab. What is left over there is less than a cell.
            word = self.used.fetch_add(len, Ordering::Relaxed) as usize;
            if word / SLAB_WORDS != (word + planes.len() - 1) / SLAB_WORDS {
                return None;
            }
        }
        let slot = self.slabs.get(word / SLAB_WORDS)?;
        if slot.get().is_none() && !reserve(8 * SLAB_WORDS) {
            return None;
        }
        let slab = slot.get_or_init(|| words(SLAB_WORDS));
        for (to, &plane) in slab[word % SLAB_WORDS..].iter().zip(planes) {
            to.store(plane, Ordering::Relaxed);
        }
        u32::try_from(word / 2)
            .ok()
            .filter(|&pair| pair < u32::MAX)
            .map(u64::from)
    }

    /// The states, for which memory is taken when the first cell is kept.
    fn states(&self) -> Option<&[AtomicU64]> {
        if let Some(states) = self.states.get() {
            return Some(states);
        }
        if !reserve(8 * self.cells) {
            return None;
        }
        Some(self.states.get_or_init(|| words(self.cells)))
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let slabs = self.slabs.iter().filter_map(OnceLock::get);
        let words: usize = slabs
            .chain(self.states.get())
            .map(|words| words.len())
            .sum();
        // Threads that wanted the same memory at once may have reserved it twice; the sum is never below
        // what is taken.
        BYTES.fetch_sub(8 * words as u64, Ordering::Relaxed);
    }
}

fn words(count: usize) -> Box<[AtomicU64]> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

/// Whether so many bytes more may be taken, which are counted then.
fn reserve(bytes: usize) -> bool {
    let bytes = bytes as u64;
    if BYTES.fetch_add(bytes, Ordering::Relaxed) + bytes <= MOST_BYTES {
        return true;
    }
    BYTES.fetch_sub(bytes, Ordering::Relaxed);
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found() {
        for per_cell in [16, 64, 1024] {
            let kept = Kept::new(200, per_cell);
            let cell = |number: usize| -> Vec<u8> {
                let value = |at: usize| match number % 3 {
                    0 => 2,
                    1 => (at / 100 % 3) as u8,
                    _ => (at * number % 3) as u8,
                };
                (0..per_cell as usize).map(value).collect()
            };
            for number in 0..200 {
                assert_eq!(kept.get(number, 3), None);
                kept.put(number, &cell(number));
            }
            for number in 0..200 {
                for (at, &outcome) in cell(number).iter().enumerate() {
                    assert_eq!(kept.get(number, at), Some(outcome), "{number} {at}");
                }
            }
            assert_eq!(kept.get(200, 0), None);
            let (cell, at) = kept.place(100, u64::from(per_cell) * 7 + 5);
            assert_eq!((cell, at), (107, 5));
        }
    }
}

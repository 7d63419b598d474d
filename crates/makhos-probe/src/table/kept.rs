//! Decoded cells of a table of outcomes that all threads share.
//!
//! Nothing is ever taken away from here, so reading takes no locks. Nor should it wait for memory: a few bits
//! for each cell, which stay in the caches near the processor even for hundreds of thousands of cells, tell
//! which stretches of it are one and the same outcome. Only for others it is looked up where the rest of the
//! cell is. How much all tables of a process keep together is limited; behind that, each thread has its own
//! small cache.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

use makhos_rules::Color;

use crate::isa;

/// Values that are kept in two bits if they are all the same.
const STRETCH: usize = 128;
/// Values in a word of those that are not.
const PER_WORD: usize = 32;
/// Words of a stretch.
const STRETCH_WORDS: usize = STRETCH / PER_WORD;
/// Words whose memory is taken at once.
const SLAB_WORDS: usize = 1 << 13;
/// Stretches whose memory is taken at once.
const SLAB: usize = SLAB_WORDS / STRETCH_WORDS;
/// The lower bit of every stretch of a cell.
const STRETCHES: u16 = 0x5555;
/// Most bytes that the cells of all tables of a process take.
const MOST_BYTES: u64 = 256 << 20;

/// Bytes taken now.
static BYTES: AtomicU64 = AtomicU64::new(0);

/// The decoded cells of one table.
#[derive(Debug)]
pub(crate) struct Kept {
    /// As a shift: values in a cell.
    cell_shift: u32,
    /// Cells of a side.
    side_cells: usize,
    /// Cells of all stored sides.
    cells: usize,
    /// The number that the first cell would have if both sides were stored.
    first_cell: usize,
    states: OnceLock<States>,
    /// Mixed stretches, two bits a value: 0 a draw, 1 a loss, 2 a win.
    slabs: Box<[OnceLock<Box<[AtomicU64]>>]>,
    /// Mixed stretches that are here, counted with the room that was left over.
    used: AtomicU64,
}

/// Where a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Spot {
    cell: usize,
    /// The number of the value within the cell.
    at: usize,
}

/// A word of a mixed stretch that a value is in. It has not been read yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    word: &'a AtomicU64,
    shift: u32,
}

impl Spot {
    /// As a shift: the bits of the stretch.
    #[inline(always)]
    fn stretch(self) -> usize {
        2 * (self.at / STRETCH)
    }
}

impl Word<'_> {
    /// Asks for the memory of the word.
    #[inline(always)]
    pub(crate) fn prefetch(self) {
        isa::prefetch(self.word);
    }

    /// The outcome: 0 a draw, 1 a loss, 2 a win.
    #[inline(always)]
    pub(crate) fn outcome(self) -> u8 {
        (self.word.load(Ordering::Relaxed) >> self.shift & 3) as u8
    }
}

/// What is known of each cell, all zero while it is not here.
#[derive(Debug)]
struct States {
    /// Two bits for each stretch: 1 if all are draws, 2 losses, 3 wins.
    uniform: Box<[AtomicU16]>,
    /// One more than the number of the first mixed stretch; those of the others follow. 0 if there is none.
    /// Published behind all else of the cell.
    mixed: Box<[AtomicU32]>,
}

impl Kept {
    /// For a table with these sides to move, each with so many cells of `per_cell` values, a power of two up to
    /// 1,024.
    pub(super) fn new(sides: &[Color], side_cells: usize, per_cell: u32) -> Self {
        let cells = sides.len() * side_cells;
        let first = sides
            .first()
            .map_or(0, |&side| usize::from(!side.is_white()));
        let stretches = (per_cell as usize).div_ceil(STRETCH);
        Self {
            cell_shift: per_cell.trailing_zeros(),
            side_cells,
            cells,
            first_cell: first * side_cells,
            states: OnceLock::new(),
            // Room for cells that are mixed throughout, and for what is left over at the ends of slabs.
            slabs: (0..(cells * stretches).div_ceil(SLAB) + cells.div_ceil(256))
                .map(|_| OnceLock::new())
                .collect(),
            used: AtomicU64::new(0),
        }
    }

    /// The outcome of the value with this index and side to move, 0 White and 1 Black: 0 a draw, 1 a loss, 2 a win,
    /// if its cell is here. Of a side that is not stored there is none.
    #[inline(always)]
    pub(crate) fn outcome(&self, side: usize, index: u64) -> Option<u8> {
        let spot = self.spot(side, index);
        match self.uniform(spot) {
            0 => Some(self.mixed_word(spot)?.outcome()),
            uniform => Some(uniform - 1),
        }
    }

    /// Where the value with this index and side to move is; of a side that is not stored it is nowhere, a cell
    /// that there is not.
    #[inline(always)]
    pub(crate) fn spot(&self, side: usize, index: u64) -> Spot {
        let cell = side * self.side_cells + (index >> self.cell_shift) as usize;
        Spot {
            cell: cell.wrapping_sub(self.first_cell),
            at: index as usize & ((1 << self.cell_shift) - 1),
        }
    }

    /// Whether it is the place of a side to move that is stored, be the value here or not.
    pub(crate) fn is_stored(&self, spot: Spot) -> bool {
        spot.cell < self.cells
    }

    /// Asks for the memory that [`uniform`](Self::uniform) will read.
    #[inline(always)]
    pub(crate) fn prefetch_uniform(&self, spot: Spot) {
        let states = self.states.get();
        if let Some(uniform) = states.and_then(|states| states.uniform.get(spot.cell)) {
            isa::prefetch(uniform);
        }
    }

    /// Asks for the memory that [`mixed_word`](Self::mixed_word) will read.
    #[inline(always)]
    pub(crate) fn prefetch_mixed(&self, spot: Spot) {
        let states = self.states.get();
        if let Some(mixed) = states.and_then(|states| states.mixed.get(spot.cell)) {
            isa::prefetch(mixed);
        }
    }

    /// The outcome of a value plus one if all of its stretch are the same; 0 if not, or if its cell is not
    /// here.
    #[inline(always)]
    pub(crate) fn uniform(&self, spot: Spot) -> u8 {
        let states = self.states.get();
        let Some(uniform) = states.and_then(|states| states.uniform.get(spot.cell)) else {
            return 0;
        };
        (uniform.load(Ordering::Relaxed) >> spot.stretch() & 3) as u8
    }

    /// The word with the outcome of a value of a mixed stretch; `None` if its cell is not here.
    #[inline(always)]
    pub(crate) fn mixed_word(&self, spot: Spot) -> Option<Word<'_>> {
        let states = self.states.get()?;
        let first = states.mixed.get(spot.cell)?.load(Ordering::Acquire);
        let first = first.checked_sub(1)? as usize;
        // The cell was published behind these: what was read before may be older.
        let uniform = states.uniform.get(spot.cell)?.load(Ordering::Relaxed);
        let stretch = spot.stretch();
        if uniform >> stretch & 3 != 0 {
            // It came this very moment. Whoever asks for it once more finds it.
            return None;
        }
        let before = !(uniform | uniform >> 1) & STRETCHES & ((1 << stretch) - 1);
        let number = first + before.count_ones() as usize;
        let slab = self.slabs.get(number / SLAB)?.get()?;
        let word = slab.get(number % SLAB * STRETCH_WORDS + spot.at % STRETCH / PER_WORD)?;
        Some(Word {
            word,
            shift: 2 * (spot.at % PER_WORD) as u32,
        })
    }

    /// Keeps the outcomes of a cell, unless too much is kept already.
    pub(super) fn put(&self, cell: usize, outcomes: &[u8]) {
        let Some(states) = self.states() else {
            return;
        };
        let mut uniform = 0;
        let mut words = Vec::new();
        for (number, stretch) in outcomes.chunks(STRETCH).enumerate() {
            let first = stretch.first().copied().unwrap_or(0);
            if stretch.iter().all(|&outcome| outcome == first) {
                uniform |= (u16::from(first) + 1) << (2 * number);
                continue;
            }
            words.extend(stretch.chunks(PER_WORD).map(|values| {
                let values = values.iter().rev();
                values.fold(0, |word, &outcome| word << 2 | u64::from(outcome))
            }));
            words.resize(words.len().next_multiple_of(STRETCH_WORDS), 0);
        }
        let first = match words.is_empty() {
            true => Some(0),
            false => self.store(&words).map(|first| first + 1),
        };
        let (Some(first), Some(of_uniform), Some(of_mixed)) =
            (first, states.uniform.get(cell), states.mixed.get(cell))
        else {
            return;
        };
        // Another thread may keep the same cell: its bits are the same, and its stretches elsewhere too.
        of_uniform.store(uniform, Ordering::Relaxed);
        if first != 0 {
            of_mixed.store(first, Ordering::Release);
        }
    }

    /// Puts mixed stretches behind those of other cells; the number of the first, or `None` if there is no
    /// room.
    fn store(&self, words: &[u64]) -> Option<u32> {
        let len = (words.len() / STRETCH_WORDS) as u64;
        // Two threads may decode the same cell. Then one copy is wasted, and the last cells find no room.
        let mut number = self.used.fetch_add(len, Ordering::Relaxed);
        let is_apart = |number: u64| number / SLAB as u64 != (number + len - 1) / SLAB as u64;
        if is_apart(number) {
            // Not across the end of a slab. What is left over there is less than a cell.
            number = self.used.fetch_add(len, Ordering::Relaxed);
            if is_apart(number) {
                return None;
            }
        }
        let first = u32::try_from(number)
            .ok()
            .filter(|&first| first < u32::MAX)?;
        let number = first as usize;
        let slot = self.slabs.get(number / SLAB)?;
        if slot.get().is_none() && !reserve(8 * SLAB_WORDS) {
            return None;
        }
        let slab = slot.get_or_init(|| (0..SLAB_WORDS).map(|_| AtomicU64::new(0)).collect());
        let places = &slab[number % SLAB * STRETCH_WORDS..];
        for (place, &word) in places.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        Some(first)
    }

    /// The states, for which memory is taken when the first cell is kept.
    fn states(&self) -> Option<&States> {
        if let Some(states) = self.states.get() {
            return Some(states);
        }
        if !reserve(States::bytes(self.cells)) {
            return None;
        }
        Some(self.states.get_or_init(|| States {
            uniform: (0..self.cells).map(|_| AtomicU16::new(0)).collect(),
            mixed: (0..self.cells).map(|_| AtomicU32::new(0)).collect(),
        }))
    }
}

impl States {
    /// Bytes of the states of so many cells.
    const fn bytes(cells: usize) -> usize {
        cells * (size_of::<AtomicU16>() + size_of::<AtomicU32>())
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let slabs = self.slabs.iter().filter_map(OnceLock::get);
        let slabs: usize = slabs.map(|slab| 8 * slab.len()).sum();
        let states = self.states.get().map_or(0, |_| States::bytes(self.cells));
        // Threads that wanted the same memory at once may have reserved it twice; the sum is never below
        // what is taken.
        BYTES.fetch_sub((slabs + states) as u64, Ordering::Relaxed);
    }
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

    const BOTH: [Color; 2] = [Color::White, Color::Black];

    /// Cells of one outcome, of stretches of one outcome, and of all kinds.
    fn outcomes(number: usize, per_cell: u32) -> Vec<u8> {
        let value = |at: usize| match number % 4 {
            0 => 2,
            1 => (at / 100 % 3) as u8,
            2 => (at / STRETCH % 3) as u8,
            _ => (at * number % 3) as u8,
        };
        (0..per_cell as usize).map(value).collect()
    }

    #[test]
    fn what_is_kept_is_found() {
        for per_cell in [16, 64, 128, 1024] {
            let kept = Kept::new(&BOTH, 100, per_cell);
            for side in 0..2 {
                for cell in 0..100 {
                    let start = cell * u64::from(per_cell);
                    assert_eq!(kept.outcome(side, start + 3), None);
                    kept.put(
                        100 * side + cell as usize,
                        &outcomes(cell as usize, per_cell),
                    );
                }
            }
            for side in 0..2 {
                for cell in 0..100 {
                    let start = cell * u64::from(per_cell);
                    for (index, outcome) in (start..).zip(outcomes(cell as usize, per_cell)) {
                        assert_eq!(kept.outcome(side, index), Some(outcome), "{side} {index}");
                    }
                }
            }
            assert_eq!(kept.outcome(2, 0), None);
        }
    }

    #[test]
    fn nothing_is_found_of_a_side_that_is_not_stored() {
        for stored in 0..2 {
            let kept = Kept::new(&BOTH[stored..=stored], 100, 1024);
            for cell in 0..100 {
                kept.put(cell, &outcomes(cell, 1024));
            }
            for index in (0..100 * 1024).step_by(77) {
                let expected = outcomes(index / 1024, 1024)[index % 1024];
                assert_eq!(kept.outcome(stored, index as u64), Some(expected));
                assert_eq!(kept.outcome(1 - stored, index as u64), None);
            }
        }
    }

    #[test]
    fn threads_that_keep_and_read_at_once_find_nothing_wrong() {
        let kept = Kept::new(&BOTH[..1], 400, 1024);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let kept = &kept;
                scope.spawn(move || {
                    for cell in 0..400 {
                        let cell = if thread % 2 == 0 { cell } else { 399 - cell };
                        let expected = outcomes(cell, 1024);
                        for round in 0..2 {
                            for at in (0..1024).step_by(37) {
                                let found = kept.outcome(0, 1024 * cell as u64 + at as u64);
                                assert!(found.is_none_or(|found| found == expected[at]));
                            }
                            if round == 0 {
                                kept.put(cell, &expected);
                            }
                        }
                    }
                });
            }
        });
        let all_there = (0..400).filter(|cell| kept.outcome(0, 1024 * cell).is_some());
        assert!(
            all_there.count() > 300,
            "some room may be lost by keeping cells twice"
        );
    }

    #[test]
    fn memory_is_counted_and_given_back() {
        // Other tests keep something meanwhile, but much less.
        let taken = |before: u64| BYTES.load(Ordering::Relaxed) as i64 - before as i64;
        let before = BYTES.load(Ordering::Relaxed);
        let cells = 8 << 20;
        let kept = Kept::new(&BOTH[..1], cells, 1024);
        kept.put(5, &outcomes(3, 1024));
        let bytes = States::bytes(cells) as i64;
        assert!(taken(before) > bytes * 3 / 4);
        assert_eq!(kept.outcome(0, 5 * 1024 + 1), Some(outcomes(3, 1024)[1]));
        drop(kept);
        assert!(taken(before) < bytes / 4);
        // What would be too much is not kept.
        let kept = Kept::new(&BOTH[..1], 100 << 20, 1);
        kept.put(5, &[1]);
        assert_eq!(kept.outcome(0, 5), None);
        assert!(taken(before) < bytes / 4);
    }
}

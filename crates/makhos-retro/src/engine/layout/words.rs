//! Rows of bits over the inner king for one set of outer kings, from runs of the stored order.

use makhos_rules::Board;

use super::frame::Frame;
use crate::engine::bits::transpose;
use crate::engine::isa::{Isa, compress, expand};
use crate::engine::planes::Packed;
use crate::engine::ranks::{Subsets, below, rank, rank_above, ranks_with, sets, subsets};

/// Where the words of both planes lie in a slice: word `i` of the unwon plane at
/// `first + i * stride`, that of the lost plane `gap` behind it.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    pub(super) first: usize,
    pub(super) stride: usize,
    pub(super) gap: usize,
}

/// Consecutive positions of the stored order, over which the lowest king of the inner side moves.
#[derive(Clone, Copy)]
pub(super) struct Run<B> {
    /// The rank of the set of the other kings.
    pub(super) index: usize,
    /// That set.
    pub(super) others: B,
    /// The squares of the lowest king.
    pub(super) squares: B,
    /// Their number.
    pub(super) count: u32,
}

/// All runs of `kings` kings, at least one, on the squares `free`, in stored order.
#[inline(always)]
pub(super) fn runs<B: Board>(free: B, kings: u32) -> Runs<B> {
    Runs {
        free,
        alone: kings == 1,
        // None at all for a single king.
        rests: subsets(free, kings.checked_sub(2).unwrap_or(u32::MAX)),
        first: 0,
        next: Run {
            index: 0,
            others: B::EMPTY,
            squares: B::EMPTY,
            count: 0,
        },
        seconds: B::EMPTY,
    }
}

/// Made by [`runs`]. An iterator, as a closure that is called would not always be inlined.
pub(super) struct Runs<B> {
    free: B,
    /// Whether there is a single king, and its only run is still to come.
    alone: bool,
    /// The sets of all kings but the two lowest ones.
    rests: Subsets<B>,
    /// What those add to the index.
    first: usize,
    /// The next run, but for its second lowest king.
    next: Run<B>,
    /// The squares which that one is still to visit.
    seconds: B,
}

impl<B: Board> Iterator for Runs<B> {
    type Item = Run<B>;

    #[inline(always)]
    fn next(&mut self) -> Option<Run<B>> {
        if self.alone {
            self.alone = false;
            return Some(Run {
                squares: self.free,
                count: self.free.len(),
                ..self.next
            });
        }
        while self.seconds.is_empty() {
            let rest = self.rests.next()?;
            self.first = rank_above(rest, 1);
            let low = self.free & below(rest);
            self.seconds = low.without_lowest();
            self.next = Run {
                index: 0,
                others: rest,
                squares: low & !self.seconds,
                count: 1,
            };
        }
        let rest = self.seconds.without_lowest();
        let second = self.seconds & !rest;
        let run = Run {
            index: self.first + self.seconds.lowest(),
            others: self.next.others | second,
            ..self.next
        };
        self.seconds = rest;
        self.next.squares |= second;
        self.next.count += 1;
        Some(run)
    }
}

impl<I: Isa, B: Board, const N: usize> Frame<I, B, N> {
    /// The number of words that [`words`](Self::words) fills.
    #[inline(always)]
    pub(super) fn words_len(&self) -> usize {
        2 * self.inner.others()
    }

    /// Fills `words` with all labelings of the inner kings among these outer kings: first the unwon
    /// plane, then the lost one, a word for each set of the inner side's other moving kings.
    ///
    /// `outer` are all kings of the outer side; the stored outcomes begin at `start`.
    #[inline(always)]
    pub(super) fn words(&self, outer: B, stored: &Packed, start: u64, words: &mut [B]) {
        let free = self.free & !outer;
        let at = start + self.start_of(outer);
        words.fill(B::EMPTY);
        if self.inner.held.is_empty() {
            self.words_of_runs(free, stored, at, words);
        } else if !(self.inner.held & outer).is_empty() {
            return;
        } else {
            self.words_with_held(free, stored, at, words);
        }
        let lanes = Lanes {
            first: 0,
            stride: 1,
            gap: words.len() / 2,
        };
        let moving = free & !self.inner.held;
        complete::<B, N>(words, lanes, moving, self.inner.moving(), false);
    }

    /// The canonical labelings of [`words`](Self::words) from the runs.
    #[inline(always)]
    fn words_of_runs(&self, free: B, stored: &Packed, start: u64, words: &mut [B]) {
        let (unwon, lost) = words.split_at_mut(words.len() / 2);
        let mut at = start;
        for run in runs(free, self.inner.kings) {
            let index = run.index;
            (unwon[index], lost[index]) = self.run(stored, at, run.squares);
            at += u64::from(run.count);
        }
    }

    /// The unwon and the lost plane of a run over these squares that is stored from `at` on.
    #[inline(always)]
    pub(super) fn run(&self, stored: &Packed, at: u64, run: B) -> (B, B) {
        // A constant, so that boards of up to 64 squares read one word.
        let (win, loss) = stored.bits(at, B::SQUARES);
        let win = expand(self.isa, win, run);
        (run & !win, expand(self.isa, loss, run))
    }

    /// As [`words_of_runs`](Self::words_of_runs) if one king stands still: lowest of the moving kings
    /// first.
    ///
    /// As long as the lowest moving king is below the held one too, it walks along a run. Above it,
    /// every position belongs to another run.
    #[inline(always)]
    fn words_with_held(&self, free: B, stored: &Packed, start: u64, words: &mut [B]) {
        let (unwon, lost) = words.split_at_mut(words.len() / 2);
        let held = self.inner.held;
        let compressed = |set: B| B::from_u128(compress(self.isa, set, free));
        let number = |square: usize| (free & below(B::bit(square))).len();
        let held_number = number(held.lowest()) as usize;
        for others in subsets(free & !held, self.inner.moving() - 1) {
            let index = rank(others);
            let at = start + rank_above(compressed(others | held), 1) as u64;
            let (mut unwon_word, mut lost_word) = self.run(stored, at, free & below(others | held));
            let above = free & below(others) & !below(held) & !held;
            let rest = rank_above(compressed(others), 2);
            for square in above.squares() {
                let pair = held_number + sets(number(square), 2);
                let (win, loss) = stored.bits(start + (rest + pair) as u64, 1);
                if win & 1 == 0 {
                    unwon_word |= B::bit(square);
                }
                if loss & 1 == 1 {
                    lost_word |= B::bit(square);
                }
            }
            (unwon[index], lost[index]) = (unwon_word, lost_word);
        }
    }
}

/// Completes words over one of `kings` kings on the squares `free`, indexed by the others: from the
/// canonical labelings, in which that king is the lowest (turned: the highest), to all.
///
/// For each set `f` of all kings but two, let row `r` of a matrix be the word with index `f + r`. Its
/// bit `c` and bit `r` of row `c` are the same position, so the matrix must become symmetric. A
/// position with kings `f`, `r`, `c`, of which `c` is the lowest, has its canonical labeling in row `r`,
/// and the one whose inner king is `r` in row `c`. So one pass over all `f` reaches all labelings, in
/// any order, and only rows below `f` gain anything.
#[inline(always)]
pub(super) fn complete<B: Board, const N: usize>(
    words: &mut [B],
    lanes: Lanes,
    free: B,
    kings: u32,
    turned: bool,
) {
    if kings < 2 {
        return;
    }
    let mut places = [0; N];
    for others in subsets(free, kings - 2) {
        let gaining = if turned {
            free & below(others.rotate()).rotate()
        } else {
            free & below(others)
        };
        if gaining.is_empty() {
            continue;
        }
        ranks_with(others, &mut places);
        for plane in [lanes.first, lanes.first + lanes.gap] {
            let mut rows = [B::EMPTY; N];
            if lanes.stride == 1 && kings == 2 {
                rows[..B::SQUARES as usize].copy_from_slice(&words[plane..][..B::SQUARES as usize]);
            } else {
                for (row, &place) in rows.iter_mut().zip(&places).take(B::SQUARES as usize) {
                    *row = words[place * lanes.stride + plane];
                }
            }
            // These have no set; the words of those that are not free are empty.
            for square in others.squares() {
                rows[square] = B::EMPTY;
            }
            let columns = transpose(&rows);
            if lanes.stride == 1 && !turned {
                // Ranks of sets that differ in the lowest square only follow each other.
                let gaining = &mut words[plane + places[0]..][..gaining.highest() + 1];
                for (word, &column) in gaining.iter_mut().zip(&columns) {
                    *word |= column;
                }
            } else {
                for square in gaining.squares() {
                    words[places[square] * lanes.stride + plane] = rows[square] | columns[square];
                }
            }
        }
    }
}

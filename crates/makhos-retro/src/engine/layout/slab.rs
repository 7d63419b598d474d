//! A *slab*: the blocks of a grid that share their outer kings but the inner one.
//!
//! It has a block for each set of the inner side's other kings, in the order of their ranks. A block
//! is `N` rows of the unwon and `N` of the lost plane; rows belong to the outer side's inner king, bits
//! to that of the inner side, both in the coordinates of the stored class.

use makhos_rules::Board;

use super::frame::Frame;
use super::words::{Run, runs};
use crate::engine::bits::{transpose, transpose_turned};
use crate::engine::isa::{Isa, compress};
use crate::engine::planes::Packed;
use crate::engine::ranks::{below, subsets};

/// Some squares, ascending, and the dense ranks of sets that contain one of them each.
pub(super) struct Places<const N: usize> {
    list: [(usize, usize); N],
    len: usize,
}

/// Both planes of a block, or of one of another orientation, transposed.
#[inline(always)]
pub(super) fn transpose_block<B: Board, const N: usize>(block: &mut [B], turned: bool) {
    for plane in block.chunks_exact_mut(N) {
        let mut rows = [B::EMPTY; N];
        rows.copy_from_slice(plane);
        let columns = if turned {
            transpose_turned(&rows)
        } else {
            transpose(&rows)
        };
        plane.copy_from_slice(&columns);
    }
}

impl<I: Isa, B: Board, const N: usize> Frame<I, B, N> {
    /// The length of a slab.
    #[inline(always)]
    pub(super) fn slab_len(&self) -> usize {
        self.inner.others() * 2 * N
    }

    /// The squares of the outer side's inner king in the canonical labelings, none if `others` overlap
    /// anything.
    #[inline(always)]
    fn canonical_rows(&self, others: B) -> B {
        let held = self.outer.held | self.inner.held;
        if (others & !(self.free & !held)).is_empty() {
            self.free & below(others) & !held
        } else {
            B::EMPTY
        }
    }

    /// Fills the rows of canonical labelings of the outer kings, with all labelings of the inner ones,
    /// and clears the others.
    #[inline(always)]
    pub(super) fn fill_slab(
        &self,
        others: B,
        stored: &Packed,
        start: u64,
        words: &mut [B],
        slab: &mut [B],
    ) {
        slab.fill(B::EMPTY);
        if self.inner.kings == 1 {
            return self.fill_block(others, stored, start, slab);
        }
        for row in self.canonical_rows(others).squares() {
            let outer = others | self.outer.held | B::bit(row);
            self.words(outer, stored, start, words);
            let (unwon, lost) = words.split_at(words.len() / 2);
            for ((block, &unwon), &lost) in slab.chunks_exact_mut(2 * N).zip(unwon).zip(lost) {
                block[row] = unwon;
                block[N + row] = lost;
            }
        }
    }

    /// [`fill_slab`](Self::fill_slab) for a single inner king: each row is a run.
    #[inline(always)]
    fn fill_block(&self, others: B, stored: &Packed, start: u64, block: &mut [B]) {
        let fixed = others | self.outer.held;
        let rows = self.canonical_rows(others);
        let (unwon, lost) = block[..2 * N].split_at_mut(N);
        for row in rows.squares() {
            let outer = fixed | B::bit(row);
            let at = start + self.start_of(outer);
            (unwon[row], lost[row]) = self.run(stored, at, self.free & !outer);
        }
    }

    /// Appends the outcomes of the canonical labelings to `packed`.
    #[inline(always)]
    pub(super) fn read_slab(&self, others: B, slab: &[B], packed: &mut Packed) {
        for row in self.canonical_rows(others).squares() {
            let free = self.free & !others & !B::bit(row);
            for run in runs(free, self.inner.kings) {
                let block = &slab[run.index * 2 * N..][..2 * N];
                self.push_run(run, block[row], block[N + row], packed);
            }
        }
    }

    /// Appends the outcomes of a run, given as words of the unwon and the lost plane.
    #[inline(always)]
    pub(super) fn push_run(&self, run: Run<B>, unwon: B, lost: B, packed: &mut Packed) {
        let win = compress(self.isa, run.squares & !unwon, run.squares);
        packed.push(win, compress(self.isa, lost, run.squares), run.count);
    }

    /// Completes blocks to all labelings of the outer kings: those whose sets of the outer side's other
    /// kings are `others` and one more square, which `places` lists. They have the same other inner
    /// kings, those of rank `first`, and are `stride` blocks apart.
    ///
    /// Row `x` of block `others + r` and row `r` of block `others + x` are the same positions. The
    /// canonical rows are those with `x` below `others` and `r`.
    ///
    /// `rows` are `N * N` words of which those of squares outside `places`, but for `others`, are empty.
    /// All rows of a plane go there first: the blocks may be so far apart that they drive each other out
    /// of the processor's cache.
    #[inline(always)]
    pub(super) fn complete_rows(
        &self,
        others: B,
        places: &Places<N>,
        (first, stride): (usize, usize),
        rows: &mut [B],
        dense: &mut [B],
    ) {
        let highest = below(others).highest();
        let places = &places.list[..places.len];
        let rows = &mut rows[..N * N];
        for square in others.squares() {
            rows[square * N..][..N].fill(B::EMPTY);
        }
        for plane in [0, N] {
            let start = |place: usize| (first + place * stride) * 2 * N + plane;
            for &(square, place) in places {
                rows[square * N..][..N].copy_from_slice(&dense[start(place)..][..N]);
            }
            for &(x, place) in places {
                if x > highest {
                    break;
                }
                let target = &mut dense[start(place)..][..N];
                let sources = rows.chunks_exact(N);
                for (word, source) in target.iter_mut().zip(sources).skip(x + 1) {
                    *word = source[x];
                }
            }
        }
    }

    /// The squares that a king of the outer side may have besides `others`.
    #[inline(always)]
    pub(super) fn outer_places(&self, others: B) -> Places<N> {
        let moving = self.free & !self.outer.held & !self.inner.held & !others;
        let mut places = Places {
            list: [(0, 0); N],
            len: 0,
        };
        for (square, place) in moving.squares().zip(&mut places.list) {
            *place = (square, self.dense_rank(others | B::bit(square)));
            places.len += 1;
        }
        places
    }

    /// The sets of the outer side's other kings but one that [`complete_rows`](Self::complete_rows)
    /// wants, none if only one king moves.
    #[inline(always)]
    pub(super) fn completions(&self) -> impl Iterator<Item = B> {
        let moving = self.free & !self.outer.held & !self.inner.held;
        self.outer
            .moving()
            .checked_sub(2)
            .map(|size| subsets(moving, size))
            .into_iter()
            .flatten()
    }
}

//! The conversions of each form.

use makhos_rules::Board;

use super::frame::Frame;
use super::slab::transpose_block;
use super::words::{Lanes, Run, complete, runs};
use crate::engine::isa::Isa;
use crate::engine::planes::Packed;
use crate::engine::ranks::{rank, rank_above, sets, subsets};

/// The grid. Its major index is White's. If White is the outer side, slabs lie in the dense form as
/// they are; otherwise it is turned, and Black is the outer side: then blocks are transposed.
impl<I: Isa, B: Board, const N: usize> Frame<I, B, N> {
    /// [`super::expand`] for a grid.
    #[inline(always)]
    pub(super) fn expand_grid(&self, stored: &Packed, start: u64, dense: &mut [B]) {
        let mut words = vec![B::EMPTY; self.words_len()];
        if self.turned {
            self.expand_grid_turned(stored, start, &mut words, dense);
            return;
        }
        let others = subsets(B::ALL, self.outer.moving() - 1);
        for (others, slab) in others.zip(dense.chunks_exact_mut(self.slab_len())) {
            self.fill_slab(others, stored, start, &mut words, slab);
        }
        let stride = self.inner.others();
        let mut rows = self.completion_rows();
        for others in self.completions() {
            let places = self.outer_places(others);
            for inner in 0..stride {
                self.complete_rows(others, &places, (inner, stride), &mut rows, dense);
            }
        }
    }

    /// The grid of a flipped class. First the blocks are put in their places as they come, untransposed:
    /// there the outer kings are Black's, whose blocks are neighbours, so completing and transposing
    /// them stays within the cache.
    #[inline(always)]
    fn expand_grid_turned(&self, stored: &Packed, start: u64, words: &mut [B], dense: &mut [B]) {
        let counts = (self.outer.others(), self.inner.others());
        let mut slab = vec![B::EMPTY; self.slab_len()];
        let ranks = self.inner_ranks();
        for outer in subsets(B::ALL, self.outer.moving() - 1) {
            self.fill_slab(outer, stored, start, words, &mut slab);
            let outer_rank = self.dense_rank(outer);
            for (&inner_rank, block) in ranks.iter().zip(slab.chunks_exact(2 * N)) {
                let place = self.place(outer_rank, inner_rank, counts);
                dense[place * 2 * N..][..2 * N].copy_from_slice(block);
            }
        }
        let mut rows = self.completion_rows();
        for blocks in dense.chunks_exact_mut(counts.0 * 2 * N) {
            for others in self.completions() {
                let places = self.outer_places(others);
                self.complete_rows(others, &places, (0, 1), &mut rows, blocks);
            }
            for block in blocks.chunks_exact_mut(2 * N) {
                transpose_block::<B, N>(block, true);
            }
        }
    }

    /// Room for [`complete_rows`](Self::complete_rows), if that is needed.
    #[inline(always)]
    fn completion_rows(&self) -> Vec<B> {
        let len = if self.outer.moving() > 1 { N * N } else { 0 };
        vec![B::EMPTY; len]
    }

    /// The dense ranks of the sets of the inner side's other kings, in their stored order.
    #[inline(always)]
    fn inner_ranks(&self) -> Vec<usize> {
        subsets(B::ALL, self.inner.moving() - 1)
            .map(|others| self.dense_rank(others))
            .collect()
    }

    /// [`super::collect`] for a grid.
    #[inline(always)]
    pub(super) fn collect_grid(&self, dense: &[B], packed: &mut Packed) {
        let counts = (self.outer.others(), self.inner.others());
        let (mut slab, mut ranks) = (Vec::new(), Vec::new());
        if self.turned {
            slab.resize(self.slab_len(), B::EMPTY);
            ranks = self.inner_ranks();
        }
        for outer in subsets(self.free, self.outer.kings - 1) {
            let outer_rank = self.dense_rank(outer);
            if !self.turned {
                let slab = &dense[outer_rank * self.slab_len()..][..self.slab_len()];
                self.read_slab(outer, slab, packed);
                continue;
            }
            let free = self.free & !outer;
            for run in runs(free, self.inner.kings) {
                let place = self.place(outer_rank, ranks[run.index], counts);
                let block = &mut slab[run.index * 2 * N..][..2 * N];
                block.copy_from_slice(&dense[place * 2 * N..][..2 * N]);
            }
            // On its own, so that the processor may wait for the memory of many blocks at once above.
            for block in slab.chunks_exact_mut(2 * N) {
                transpose_block::<B, N>(block, true);
            }
            self.read_slab(outer, &slab, packed);
        }
    }
}

/// Words over the inner side's inner king.
impl<I: Isa, B: Board, const N: usize> Frame<I, B, N> {
    /// The number of index sets of the outer and the inner side.
    #[inline(always)]
    fn inner_counts(&self) -> (usize, usize) {
        (sets(B::SQUARES, self.outer.kings), self.inner.others())
    }

    /// [`super::expand`] for words over the inner side.
    #[inline(always)]
    pub(super) fn expand_inner(&self, stored: &Packed, start: u64, dense: &mut [B]) {
        dense.fill(B::EMPTY);
        let counts = self.inner_counts();
        let mut words = vec![B::EMPTY; self.words_len()];
        let ranks = self.inner_ranks();
        for outer in subsets(self.free, self.outer.kings) {
            self.words(outer, stored, start, &mut words);
            let (unwon, lost) = words.split_at(counts.1);
            let outer_rank = self.dense_rank(outer);
            for ((&inner_rank, &unwon), &lost) in ranks.iter().zip(unwon).zip(lost) {
                let place = self.place(outer_rank, inner_rank, counts);
                dense[2 * place] = self.turn(unwon);
                dense[2 * place + 1] = self.turn(lost);
            }
        }
    }

    /// [`super::collect`] for words over the inner side.
    #[inline(always)]
    pub(super) fn collect_inner(&self, dense: &[B], packed: &mut Packed) {
        let counts = self.inner_counts();
        let ranks = self.inner_ranks();
        for outer in subsets(self.free, self.outer.kings) {
            let outer_rank = self.dense_rank(outer);
            let free = self.free & !outer;
            for run in runs(free, self.inner.kings) {
                let place = self.place(outer_rank, ranks[run.index], counts);
                let (unwon, lost) = (dense[2 * place], dense[2 * place + 1]);
                self.push_run(run, self.turn(unwon), self.turn(lost), packed);
            }
        }
    }
}

/// Words over the outer side's inner king: the transposed rows of a slab.
impl<I: Isa, B: Board, const N: usize> Frame<I, B, N> {
    /// The number of index sets of the outer and the inner side.
    #[inline(always)]
    fn outer_counts(&self) -> (usize, usize) {
        (self.outer.others(), sets(B::SQUARES, self.inner.kings))
    }

    /// The rows that a block has after the transpose for the squares of a run, and for each of these
    /// rows its place in the dense form.
    #[inline(always)]
    fn outer_rows(&self, outer_rank: usize, run: Run<B>) -> (B, [usize; N]) {
        let counts = self.outer_counts();
        let rows = self.turn(run.squares);
        let mut places = [0; N];
        // The moving king is below the others, or turned above them.
        let others = self.turn(run.others);
        let (base, before) = if self.turned {
            (rank(others), self.inner.kings)
        } else {
            (rank_above(others, 1), 1)
        };
        for row in rows.squares() {
            let inner_rank = base + sets(row as u32, before);
            places[row] = self.place(outer_rank, inner_rank, counts);
        }
        (rows, places)
    }

    /// [`super::expand`] for words over the outer side.
    #[inline(always)]
    pub(super) fn expand_outer(&self, stored: &Packed, start: u64, dense: &mut [B]) {
        dense.fill(B::EMPTY);
        let mut words = vec![B::EMPTY; self.words_len()];
        let mut slab = vec![B::EMPTY; self.slab_len()];
        for outer in subsets(self.free, self.outer.kings - 1) {
            self.fill_slab(outer, stored, start, &mut words, &mut slab);
            let outer_rank = self.dense_rank(outer);
            for run in runs(self.free & !outer, self.inner.kings) {
                let (rows, places) = self.outer_rows(outer_rank, run);
                let block = &mut slab[run.index * 2 * N..][..2 * N];
                transpose_block::<B, N>(block, self.turned);
                for row in rows.squares() {
                    dense[2 * places[row]] = block[row];
                    dense[2 * places[row] + 1] = block[N + row];
                }
            }
        }
        let counts = self.outer_counts();
        for inner in subsets(self.free, self.inner.kings) {
            let lanes = Lanes {
                first: 2 * self.place(0, self.dense_rank(inner), counts),
                stride: 2 * self.outer_stride(counts.1),
                gap: 1,
            };
            let free = self.turn(self.free & !inner);
            complete::<B, N>(dense, lanes, free, self.outer.kings, self.turned);
        }
    }

    /// [`super::collect`] for words over the outer side.
    #[inline(always)]
    pub(super) fn collect_outer(&self, dense: &[B], packed: &mut Packed) {
        let mut slab = vec![B::EMPTY; self.slab_len()];
        for outer in subsets(self.free, self.outer.kings - 1) {
            let outer_rank = self.dense_rank(outer);
            for run in runs(self.free & !outer, self.inner.kings) {
                let (rows, places) = self.outer_rows(outer_rank, run);
                let block = &mut slab[run.index * 2 * N..][..2 * N];
                block.fill(B::EMPTY);
                for row in rows.squares() {
                    block[row] = dense[2 * places[row]];
                    block[N + row] = dense[2 * places[row] + 1];
                }
                transpose_block::<B, N>(block, self.turned);
            }
            self.read_slab(outer, &slab, packed);
        }
    }
}

/// No dimension of bits: position by position. It serves classes with few kings.
impl<I: Isa, B: Board, const N: usize> Frame<I, B, N> {
    /// Calls `each` with the place in the dense form of all positions, in the stored order.
    #[inline(always)]
    fn for_each_position(&self, mut each: impl FnMut(usize)) {
        let counts = (
            sets(B::SQUARES, self.outer.kings),
            sets(B::SQUARES, self.inner.kings),
        );
        for outer in subsets(self.free, self.outer.kings) {
            let outer_rank = self.dense_rank(outer);
            for inner in subsets(self.free & !outer, self.inner.kings) {
                each(self.place(outer_rank, self.dense_rank(inner), counts));
            }
        }
    }

    /// [`super::expand`] without a dimension of bits.
    #[inline(always)]
    pub(super) fn expand_bare(&self, stored: &Packed, start: u64, dense: &mut [B]) {
        dense.fill(B::EMPTY);
        let mut at = start;
        self.for_each_position(|place| {
            let (win, loss) = stored.bits(at, 1);
            dense[2 * place] = B::from_u128(!win & 1);
            dense[2 * place + 1] = B::from_u128(loss & 1);
            at += 1;
        });
    }

    /// [`super::collect`] without a dimension of bits.
    #[inline(always)]
    pub(super) fn collect_bare(&self, dense: &[B], packed: &mut Packed) {
        self.for_each_position(|place| {
            let unwon = dense[2 * place].to_u128();
            packed.push(!unwon & 1, dense[2 * place + 1].to_u128() & 1, 1);
        });
    }
}

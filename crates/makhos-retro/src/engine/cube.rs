//! All positions of one configuration of men in memory, and settling the moves of its kings.
//!
//! A position is won if a king's move leads to a lost one, and lost if it has no capture and no move, of a
//! king or a man, to an unwon one. Both are combined a block at a time, from the blocks of the other side
//! to move, until nothing changes. Only blocks that can have changed are looked at, and as the blocks of
//! one side to move depend on those of the other alone, all of them may be worked on at once.

use std::sync::atomic::{AtomicBool, AtomicU8};

use makhos_rules::Board;
use rayon::prelude::*;

use super::isa::Isa;
use super::kings::KingRoom;
use super::settle::{LOSSES, Sweep, WINS};

/// All positions of one configuration of men.
///
/// Every vector holds the blocks of White to move or Black to move, two planes of `N` rows each; of one
/// row if a side has no kings.
#[derive(Debug)]
pub(crate) struct Cube<B> {
    /// Unwon and lost, in the dense form of the class. By side to move.
    pub(crate) known: [Vec<B>; 2],
    /// Open positions without capture, and those of them that are lost if all king moves lose.
    pub(crate) open: [Vec<B>; 2],
    /// Positions in which the side to move must capture, in the place of the lost ones; the other plane
    /// means nothing.
    pub(crate) captures: [Vec<B>; 2],
    /// What can have changed for each block: [`WINS`], [`LOSSES`].
    changed: [Vec<AtomicU8>; 2],
    /// Blocks with a lost position.
    lost: [Vec<AtomicBool>; 2],
}

/// One block of a [`Cube`], by side to move.
pub(crate) struct Block<'a, B> {
    /// Two planes: unwon, lost.
    pub(crate) known: [&'a mut [B]; 2],
    /// Two planes of open positions.
    pub(crate) open: [&'a mut [B]; 2],
    /// The second of two planes: captures.
    pub(crate) captures: [&'a mut [B]; 2],
}

impl<B: Board> Cube<B> {
    /// A cube of that many blocks with planes of that many rows.
    pub(crate) fn new(blocks: usize, rows: usize) -> Self {
        let planes = || vec![B::EMPTY; blocks * 2 * rows];
        let checks = || (0..blocks).map(|_| AtomicU8::new(0)).collect();
        let flags = || (0..blocks).map(|_| AtomicBool::new(false)).collect();
        Self {
            known: [planes(), planes()],
            open: [planes(), planes()],
            captures: [planes(), planes()],
            changed: [checks(), checks()],
            lost: [flags(), flags()],
        }
    }

    /// Bytes of a cube.
    pub(crate) fn bytes(blocks: u64, rows: usize) -> u64 {
        blocks.saturating_mul((12 * rows * size_of::<B>() + 4) as u64)
    }

    /// The blocks, each of `words` words, one after the other.
    pub(crate) fn blocks_mut(&mut self, words: usize) -> impl Iterator<Item = Block<'_, B>> {
        fn zipped<B>(
            [white, black]: &mut [Vec<B>; 2],
            words: usize,
        ) -> impl Iterator<Item = [&mut [B]; 2]> {
            let black = black.chunks_exact_mut(words);
            white
                .chunks_exact_mut(words)
                .zip(black)
                .map(|(white, black)| [white, black])
        }
        zipped(&mut self.known, words)
            .zip(zipped(&mut self.open, words))
            .zip(zipped(&mut self.captures, words))
            .map(|((known, open), captures)| Block {
                known,
                open,
                captures,
            })
    }

    /// The same for many threads.
    pub(crate) fn par_blocks_mut(
        &mut self,
        words: usize,
    ) -> impl IndexedParallelIterator<Item = Block<'_, B>> {
        fn zipped<B: Board>(
            [white, black]: &mut [Vec<B>; 2],
            words: usize,
        ) -> impl IndexedParallelIterator<Item = [&mut [B]; 2]> {
            let black = black.par_chunks_exact_mut(words);
            white
                .par_chunks_exact_mut(words)
                .zip(black)
                .map(|(white, black)| [white, black])
        }
        zipped(&mut self.known, words)
            .zip(zipped(&mut self.open, words))
            .zip(zipped(&mut self.captures, words))
            .map(|((known, open), captures)| Block {
                known,
                open,
                captures,
            })
    }

    /// Settles all positions from what is known without king moves. `men` are those of both sides;
    /// with `parallel`, in the current rayon pool. Returns whether it is done: `go_on` is asked
    /// before each pass over the blocks.
    pub(crate) fn settle<I: Isa, const N: usize>(
        &mut self,
        isa: I,
        room: &KingRoom<B, N>,
        men: B,
        parallel: bool,
        go_on: &dyn Fn() -> bool,
    ) -> bool {
        for flags in &mut self.changed {
            for flag in flags {
                *flag.get_mut() = WINS | LOSSES;
            }
        }
        for (flags, known) in self.lost.iter_mut().zip(&self.known) {
            for (flag, block) in flags.iter_mut().zip(known.chunks_exact(2 * N)) {
                *flag.get_mut() = block[N..].iter().any(|row| !row.is_empty());
            }
        }
        let mut quiet = 0;
        let mut mover = 0;
        while quiet < 2 {
            if !go_on() {
                return false;
            }
            let any = if mover == 0 {
                self.sweep::<I, N, true>(isa, room, men, parallel)
            } else {
                self.sweep::<I, N, false>(isa, room, men, parallel)
            };
            quiet = if any { 0 } else { quiet + 1 };
            mover = 1 - mover;
        }
        true
    }

    /// Looks at all changed blocks with one side to move; returns whether any position was settled.
    fn sweep<I: Isa, const N: usize, const WHITE: bool>(
        &mut self,
        isa: I,
        room: &KingRoom<B, N>,
        men: B,
        parallel: bool,
    ) -> bool {
        let (known, other) = own_and_other(&mut self.known, WHITE);
        let (open, _) = own_and_other(&mut self.open, WHITE);
        let (changed, theirs) = own_and_other(&mut self.changed, WHITE);
        let (lost, their_lost) = own_and_other(&mut self.lost, WHITE);
        let sweep = Sweep {
            room,
            men,
            other,
            changed,
            theirs,
            lost,
            their_lost,
        };
        let blocks = known
            .chunks_exact_mut(2 * N)
            .zip(open.chunks_exact_mut(2 * N));
        if parallel {
            let known = known.par_chunks_exact_mut(2 * N);
            return known
                .zip(open.par_chunks_exact_mut(2 * N))
                .with_min_len(64)
                .enumerate()
                .map(|(block, (known, open))| sweep.block::<I, WHITE>(isa, block, known, open))
                .reduce(|| false, |a, b| a | b);
        }
        let mut any = false;
        for (block, (known, open)) in blocks.enumerate() {
            any |= sweep.block::<I, WHITE>(isa, block, known, open);
        }
        any
    }
}

/// What belongs to the side to move, and what to the other one.
pub(super) fn own_and_other<T>(sides: &mut [T; 2], white: bool) -> (&mut T, &T) {
    let [first, second] = sides;
    if white {
        (first, second)
    } else {
        (second, first)
    }
}

//! One pass over the blocks of one side to move: which positions the moves of kings settle.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use makhos_rules::Board;

use super::isa::{Isa, Task};
use super::kings::{KingMove, KingRoom, OtherKings};
use super::mask::{all_if, bits};

/// One pass over the blocks of one side to move.
pub(super) struct Sweep<'a, B, const N: usize> {
    pub(super) room: &'a KingRoom<B, N>,
    pub(super) men: B,
    /// What is known with the other side to move.
    pub(super) other: &'a [B],
    /// Blocks of this side that can have changed.
    pub(super) changed: &'a [AtomicU8],
    /// Blocks of the other side that can have changed.
    pub(super) theirs: &'a [AtomicU8],
    /// Blocks of this side with a lost position, and of the other side.
    pub(super) lost: &'a [AtomicBool],
    pub(super) their_lost: &'a [AtomicBool],
}

/// Settles one block.
struct SettleBlock<'x, 'a, B, const N: usize, const WHITE: bool> {
    sweep: &'x Sweep<'a, B, N>,
    block: usize,
    check: u8,
    known: &'x mut [B],
    open: &'x mut [B],
}

impl<B: Board, const N: usize, const WHITE: bool> Task for SettleBlock<'_, '_, B, N, WHITE> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        self.sweep
            .settle::<WHITE>(self.block, self.check, self.known, self.open)
    }
}

/// What may have changed for a block: its open positions may be won now, or lost.
pub(super) const WINS: u8 = 1;
pub(super) const LOSSES: u8 = 2;

impl<B: Board, const N: usize> Sweep<'_, B, N> {
    /// Settles what can be settled in one block.
    #[inline(always)]
    pub(super) fn block<I: Isa, const WHITE: bool>(
        &self,
        isa: I,
        block: usize,
        known: &mut [B],
        open: &mut [B],
    ) -> bool {
        let check = self.changed[block].load(Ordering::Relaxed);
        if check == 0 {
            return false;
        }
        self.changed[block].store(0, Ordering::Relaxed);
        isa.run(SettleBlock::<B, N, WHITE> {
            sweep: self,
            block,
            check,
            known,
            open,
        })
    }

    #[inline(always)]
    fn settle<const WHITE: bool>(
        &self,
        block: usize,
        check: u8,
        known: &mut [B],
        open: &mut [B],
    ) -> bool {
        let (may_win, may_lose) = open.split_at_mut(N);
        let may_win: &mut [B; N] = may_win.try_into().expect("N rows");
        let may_lose: &mut [B; N] = may_lose.try_into().expect("N rows");
        let (unwon, lost) = known.split_at_mut(N);
        let unwon: &mut [B; N] = unwon.try_into().expect("N rows");
        let lost: &mut [B; N] = lost.try_into().expect("N rows");
        let (mut won_here, mut lost_here) = (B::EMPTY, B::EMPTY);
        if check & WINS != 0 && !is_empty(may_win) {
            let reach = self.lost_reach::<WHITE>(block);
            for row in 0..N {
                let wins = may_win[row] & reach[row];
                unwon[row] &= !wins;
                may_win[row] &= !wins;
                may_lose[row] &= !wins;
                won_here |= wins;
            }
        }
        if check & LOSSES != 0 && !is_empty(may_lose) {
            let reach = self.unwon_reach::<WHITE>(block, may_lose);
            for row in 0..N {
                let losses = may_lose[row] & !reach[row];
                lost[row] |= losses;
                may_win[row] &= !losses;
                may_lose[row] &= !losses;
                lost_here |= losses;
            }
        }
        let (won_here, lost_here) = (!won_here.is_empty(), !lost_here.is_empty());
        if lost_here {
            self.lost[block].store(true, Ordering::Relaxed);
        }
        // A new loss may be a win for those who can move here, a new win may leave them without escape.
        let tell = if lost_here { WINS } else { 0 } | if won_here { LOSSES } else { 0 };
        if tell != 0 {
            self.mark::<WHITE>(block, tell);
        }
        tell != 0
    }

    /// Tells the blocks from which a king's move of the other side leads here.
    #[inline(always)]
    pub(super) fn mark<const WHITE: bool>(&self, block: usize, tell: u8) {
        let blacks = self.room.others[1].len();
        let (white, black) = (block / blacks, block % blacks);
        let occupied = self.occupied(block);
        self.theirs[block].fetch_or(tell, Ordering::Relaxed);
        // The side that moves into this block is the other one.
        let mover = if WHITE { black } else { white };
        for king_move in self.room.others[usize::from(WHITE)].moves(mover) {
            if (king_move.between & occupied).is_empty() {
                let to = king_move.to as usize;
                let from = if WHITE {
                    white * blacks + to
                } else {
                    to * blacks + black
                };
                self.theirs[from].fetch_or(tell, Ordering::Relaxed);
            }
        }
    }

    #[inline(always)]
    fn occupied(&self, block: usize) -> B {
        let blacks = self.room.others[1].len();
        let [white, black] = &self.room.others;
        self.men | white.set(block / blacks) | black.set(block % blacks)
    }

    /// The positions of a block from which a king's move leads to a lost position.
    #[inline(always)]
    pub(super) fn lost_reach<const WHITE: bool>(&self, block: usize) -> [B; N] {
        let empty = B::ALL & !self.occupied(block);
        let mut reach = [B::EMPTY; N];
        if self.their_lost[block].load(Ordering::Relaxed) {
            reach = self.room.inner_reach::<WHITE>(self.rows(block, 1), empty);
        }
        for (to, between) in self.moves::<WHITE>(block) {
            // Blocks are read from far away, so those that cannot matter are left out.
            if self.their_lost[to].load(Ordering::Relaxed) {
                add(&mut reach, self.rows(to, 1), between);
            }
        }
        reach
    }

    /// The positions of a block from which a king's move leads to an unwon position, as far as those in
    /// `of` depend on it.
    #[inline(always)]
    pub(super) fn unwon_reach<const WHITE: bool>(&self, block: usize, of: &[B; N]) -> [B; N] {
        let empty = B::ALL & !self.occupied(block);
        let mut reach = self.room.inner_reach::<WHITE>(self.rows(block, 0), empty);
        if all_in(of, &reach) {
            return reach;
        }
        for (to, between) in self.moves::<WHITE>(block) {
            add(&mut reach, self.rows(to, 0), between);
            if all_in(of, &reach) {
                break;
            }
        }
        reach
    }

    /// The blocks that moves of other kings than the inner one lead to, and the squares crossed.
    #[inline(always)]
    fn moves<const WHITE: bool>(&self, block: usize) -> BlockMoves<'_, B> {
        let blacks = self.room.others[1].len();
        let (white, black) = (block / blacks, block % blacks);
        let occupied = self.occupied(block);
        let (mover, others) = if WHITE {
            (white, &self.room.others[0])
        } else {
            (black, &self.room.others[1])
        };
        // A block number is the rank of the set moved, times this, and that of the other side's set.
        let (stride, stands) = if WHITE {
            (blacks, black)
        } else {
            (1, white * blacks)
        };
        BlockMoves {
            left: others.moves(mover).iter(),
            others,
            occupied,
            // The moved set must not overlap the men and the other side's kings.
            taken: (occupied & !others.set(mover)) | self.men,
            stride,
            stands,
        }
    }

    /// A plane of a block of the other side to move: 0 the unwon one, 1 the lost one.
    #[inline(always)]
    fn rows(&self, block: usize, plane: usize) -> &[B; N] {
        let start = (2 * block + plane) * N;
        self.other[start..start + N].try_into().expect("N rows")
    }
}

/// Moves of one side's other kings from a block to blocks that exist. An iterator, not a function that calls
/// another: what is called must be compiled for the processor along with the caller.
struct BlockMoves<'a, B> {
    left: std::slice::Iter<'a, KingMove<B>>,
    others: &'a OtherKings<B>,
    occupied: B,
    taken: B,
    stride: usize,
    stands: usize,
}

impl<B: Board> Iterator for BlockMoves<'_, B> {
    type Item = (usize, B);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, B)> {
        loop {
            let king_move = self.left.next()?;
            let to = king_move.to as usize;
            let blocked = king_move.between & self.occupied;
            if (blocked | (self.others.set(to) & self.taken)).is_empty() {
                return Some((to * self.stride + self.stands, king_move.between));
            }
        }
    }
}

/// Whether no position is in the rows.
#[inline(always)]
pub(super) fn is_empty<B: Board, const N: usize>(rows: &[B; N]) -> bool {
    let mut any = B::EMPTY;
    for &row in rows {
        any |= row;
    }
    any.is_empty()
}

/// Adds rows where no inner king stands on `between`.
#[inline(always)]
fn add<B: Board, const N: usize>(reach: &mut [B; N], there: &[B; N], between: B) {
    if between.is_empty() {
        for row in 0..N {
            reach[row] |= there[row];
        }
        return;
    }
    let bits = bits::<B, N>();
    for row in 0..N {
        let mask = all_if::<B>((between & bits[row]).is_empty()) & !between;
        reach[row] |= there[row] & mask;
    }
}

/// Whether all of `part` is in `whole`.
#[inline(always)]
fn all_in<B: Board, const N: usize>(part: &[B; N], whole: &[B; N]) -> bool {
    let mut outside = B::EMPTY;
    for row in 0..N {
        outside |= part[row] & !whole[row];
    }
    outside.is_empty()
}

/// The words of a class in which only one side has kings: for each set of its other kings those of its
/// inner king.
///
/// The other side has only moves that leave the configuration, so its positions are settled, and
/// nothing has to be repeated.
pub(crate) struct SettleWords<'a, B, const N: usize> {
    pub(crate) room: &'a KingRoom<B, N>,
    /// The men of both sides.
    pub(crate) men: B,
    /// The number of the side with kings.
    pub(crate) side: usize,
    /// What is known with the other side to move: unwon, lost.
    pub(crate) other: &'a [B],
    /// The same with the side with kings to move; completed.
    pub(crate) known: &'a mut [B],
    /// Its open positions: those that may be won, and those that may be lost.
    pub(crate) open: &'a [B],
}

impl<B: Board, const N: usize> Task for SettleWords<'_, B, N> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (room, other) = (self.room, self.other);
        let others = &room.others[self.side];
        for number in 0..others.len() {
            let at = 2 * number;
            let (may_win, may_lose) = (self.open[at], self.open[at + 1]);
            if may_win.is_empty() {
                continue;
            }
            let occupied = self.men | others.set(number);
            let mut lost = room.inner_moves(other[at + 1], B::ALL & !occupied);
            let mut unwon = room.inner_moves(other[at], B::ALL & !occupied);
            for king_move in others.moves(number) {
                if (king_move.between & occupied).is_empty() {
                    let to = 2 * king_move.to as usize;
                    lost |= other[to + 1] & !king_move.between;
                    unwon |= other[to] & !king_move.between;
                }
            }
            let wins = may_win & lost;
            self.known[at] &= !wins;
            self.known[at + 1] |= may_lose & !wins & !unwon;
        }
    }
}

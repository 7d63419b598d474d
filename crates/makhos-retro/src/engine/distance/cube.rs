//! All positions of one configuration of men while their distances are settled.

use makhos_rules::Board;

use super::PLANES;
use crate::engine::mask::Set;
use crate::engine::moves::Timed;
use crate::engine::target::Words;

/// Planes of a block that only its own side to move reads: see [`Own`].
pub(super) const OWN_PLANES: usize = FIRST_PLIES + PLANES;

/// The first plane of plies among them.
pub(super) const FIRST_PLIES: usize = 6;

/// Bytes of a cube with so many blocks, with planes of so many rows.
pub(crate) fn bytes<B: Board>(blocks: u64, rows: usize) -> u64 {
    let planes = 2 * (2 + OWN_PLANES);
    // What is kept of each block beside its planes, and the dense form of one pair of planes.
    let beside = 2 * 8;
    blocks.saturating_mul((planes * rows * size_of::<B>() + beside) as u64)
}

/// All positions of one configuration of men, by side to move.
#[derive(Clone, Debug)]
pub(super) struct DistanceCube<B> {
    /// Unwon and lost so far, in the dense form of the class.
    pub(super) known: [Vec<B>; 2],
    /// [`Own`] of each block.
    pub(super) own: [Vec<B>; 2],
    /// Rows of a plane.
    rows: usize,
}

impl<B: Board> DistanceCube<B> {
    pub(super) fn new(blocks: usize, rows: usize) -> Self {
        let planes = |count: usize| vec![B::EMPTY; blocks * count * rows];
        Self {
            known: [planes(2), planes(2)],
            own: [planes(OWN_PLANES), planes(OWN_PLANES)],
            rows,
        }
    }

    /// The dense form of capture positions, in the place of the lost ones.
    pub(super) fn captures(&self, side: usize, into: &mut Vec<B>) {
        into.clear();
        for own in self.own[side].chunks_exact(OWN_PLANES * self.rows) {
            let captures = &own[5 * self.rows..][..self.rows];
            into.extend_from_slice(captures);
            into.extend_from_slice(captures);
        }
    }

    /// The dense form of a pair of planes: the outcomes, or two planes of plies, of which the first is
    /// turned round.
    pub(super) fn pair(&self, side: usize, pair: usize, into: &mut Vec<B>) {
        into.clear();
        if pair == 0 {
            into.extend_from_slice(&self.known[side]);
            return;
        }
        for own in self.own[side].chunks_exact(OWN_PLANES * self.rows) {
            let plane = |number: usize| &own[(FIRST_PLIES + number) * self.rows..][..self.rows];
            into.extend(plane(2 * pair - 2).iter().map(|&word| !word));
            into.extend_from_slice(plane(2 * pair - 1));
        }
    }
}

impl<B: Board> DistanceCube<B> {
    /// Before anything is settled: positions that are not in the unwon planes of `others` are settled in the
    /// round of their number, whatever their moves, as `pairs` of planes in dense form say.
    pub(super) fn fix(&mut self, side: usize, others: &[B], pairs: &[Vec<B>]) {
        let rows = self.rows;
        let known = self.known[side].chunks_exact(2 * rows);
        let own = self.own[side].chunks_exact_mut(OWN_PLANES * rows);
        for (block, (known, own)) in known.zip(own).enumerate() {
            for row in 0..rows {
                let at = 2 * rows * block + row;
                // All positions are unwon yet.
                let fixed = known[row] & !others[at];
                let outcomes = [!pairs[0][at], pairs[0][at + rows]];
                let planes = [B::EMPTY, B::EMPTY].into_iter().chain(outcomes);
                let plies = (0..PLANES).map(|p| {
                    let word = pairs[1 + p / 2][at + p % 2 * rows];
                    (FIRST_PLIES + p, Words::upright(word, p))
                });
                for (plane, word) in planes.enumerate().chain(plies) {
                    let place = &mut own[plane * rows + row];
                    *place = (*place & !fixed) | (word & fixed);
                }
            }
        }
    }

    /// Takes the positions with one side to move from another cube, of the same size.
    pub(super) fn take_side(&mut self, side: usize, from: &mut Self) {
        std::mem::swap(&mut self.known[side], &mut from.known[side]);
        std::mem::swap(&mut self.own[side], &mut from.own[side]);
    }
}

/// One block, with one side to move, in either form.
pub(super) struct BlockMut<'a, B> {
    pub(super) known: &'a mut [B],
    pub(super) own: &'a mut [B],
}

impl<B: Board> BlockMut<'_, B> {
    /// Nothing is in the block.
    pub(super) fn clear(&mut self) {
        self.known.fill(B::EMPTY);
        self.own.fill(B::EMPTY);
    }

    /// Stores what is known without moves of kings.
    #[inline(always)]
    pub(super) fn store<S: Set<B>>(&mut self, timed: &Timed<S, PLANES>) {
        let planes = [
            timed.may_win,
            timed.may_lose,
            timed.won,
            timed.lost,
            S::empty(),
            timed.captures,
        ];
        timed.there.store(self.known);
        S::empty().store(&mut self.known[S::LEN..]);
        for (plane, words) in planes
            .iter()
            .chain(&timed.plies)
            .zip(self.own.chunks_exact_mut(S::LEN))
        {
            plane.store(words);
        }
    }
}

/// Planes of a block of `N` rows that only its own side to move reads.
pub(super) struct Own<'a, B, const N: usize> {
    /// Open positions without capture.
    pub(super) may_win: &'a mut [B; N],
    /// Those of them that are lost if all moves of kings lose.
    pub(super) may_lose: &'a mut [B; N],
    /// Positions that a move out of the configuration wins, in the plies given; a king may be quicker.
    pub(super) won: &'a mut [B; N],
    /// Positions that their captures lose, in the plies given.
    pub(super) lost: &'a mut [B; N],
    /// What has been won in this round, still unwon for the other side.
    pub(super) fresh: &'a mut [B; N],
    /// Positions in which the side to move must capture, kept for the end.
    _captures: &'a mut [B; N],
    /// Planes of plies: of positions that are settled, their distance; of others, what moves out of the
    /// configuration make of it, 0 if there are none.
    pub(super) plies: [&'a mut [B; N]; PLANES],
}

impl<'a, B: Board, const N: usize> Own<'a, B, N> {
    #[inline(always)]
    pub(super) fn new(own: &'a mut [B]) -> Self {
        let mut planes = own
            .chunks_exact_mut(N)
            .map(|plane| -> &mut [B; N] { plane.try_into().expect("N rows") });
        let mut next = || planes.next().expect("all planes");
        Self {
            may_win: next(),
            may_lose: next(),
            won: next(),
            lost: next(),
            fresh: next(),
            _captures: next(),
            plies: std::array::from_fn(|_| next()),
        }
    }
}

//! Looking at one block of a configuration with either side to move, and where what is known goes.

use makhos_rules::Board;

use super::cube::Block;
use super::isa::Isa;
use super::lookup::Pieces;
use super::mask::{Both, Foe, Own, Pair, Set};
use super::moves::{Looked, Looker, Root};
use super::ranks::{below, ranks_with};
use super::shape::Shape;

/// Looks at a block of a class of this shape, `pieces` being those beside the inner kings. Returns the
/// numbers of capture positions with White and Black to move, each placement counted once.
pub(super) fn look_at_block<B: Board, const N: usize, I: Isa>(
    looker: &mut Looker<'_, '_, B, N, 0, I>,
    shape: Shape,
    pieces: &Pieces<B>,
    block: Block<'_, B>,
) -> [u64; 2] {
    // Every placement once: the inner king is the lowest of its side.
    let [white, black] = pieces.kings.map(below);
    match shape {
        Shape::White => with_either(looker, pieces, block, &Own(white), &Foe(white)),
        Shape::Black => with_either(looker, pieces, block, &Foe(black), &Own(black)),
        Shape::Bare => unreachable!("classes without kings are solved otherwise"),
        Shape::Grid | Shape::GridWith(..) => {
            let for_white = Both::<B, N, true> { white, black };
            let for_black = Both::<B, N, false> { white, black };
            with_either(looker, pieces, block, &for_white, &for_black)
        }
    }
}

/// Looks at a block with White and with Black to move, counting captures of the placements given.
fn with_either<B: Board, const N: usize, I: Isa, W: Root<B, N>, K: Root<B, N>>(
    looker: &mut Looker<'_, '_, B, N, 0, I>,
    pieces: &Pieces<B>,
    block: Block<'_, B>,
    white: &W,
    black: &K,
) -> [u64; 2] {
    let [white_known, black_known] = block.known;
    let [white_open, black_open] = block.open;
    let [white_captures, black_captures] = block.captures;
    let for_white = OneSide {
        known: white_known,
        open: white_open,
        captures: white_captures,
    };
    let for_black = OneSide {
        known: black_known,
        open: black_open,
        captures: black_captures,
    };
    [
        look(looker, true, pieces, white, for_white),
        look(looker, false, pieces, black, for_black),
    ]
}

/// Where the words of a block go, one side being to move.
struct OneSide<'a, B> {
    known: &'a mut [B],
    open: &'a mut [B],
    captures: &'a mut [B],
}

/// Looks at a block with one side to move and stores what is known.
#[inline(always)]
fn look<B: Board, const N: usize, I: Isa, M: Root<B, N>>(
    looker: &mut Looker<'_, '_, B, N, 0, I>,
    white: bool,
    pieces: &Pieces<B>,
    once: &M,
    into: OneSide<'_, B>,
) -> u64 {
    let looked: Looked<M::Set> = looker.look::<M>(white, pieces);
    let words = M::Set::LEN;
    // A side without kings has no moves left to settle.
    let lost = if M::OWN {
        looked.lost
    } else {
        looked.lost.or(&looked.may_lose)
    };
    looked.unwon.store(into.known);
    lost.store(&mut into.known[words..]);
    looked.may_win.store(into.open);
    looked.may_lose.store(&mut into.open[words..]);
    looked.captures.store(&mut into.captures[words..]);
    looked.captures.and(&once.set()).len()
}

/// Where the words of positions with two inner kings of one side go, one side being to move.
pub(super) struct PairWords<'a, B> {
    pub(super) known: &'a mut [B],
    pub(super) open: &'a mut [B],
    pub(super) captures: &'a mut [B],
}

impl<B: Board> PairWords<'_, B> {
    /// Looks at the block of these other kings; returns the number of capture positions.
    pub(super) fn look<const N: usize, I: Isa, const OWN: bool>(
        self,
        looker: &mut Looker<'_, '_, B, N, 0, I>,
        white: bool,
        others: B,
        pieces: &Pieces<B>,
    ) -> u64 {
        let looked = looker.look::<Pair<B, N, OWN>>(white, pieces);
        let lost = if OWN {
            looked.lost
        } else {
            looked.lost.or(&looked.may_lose)
        };
        let mut ranks = [0; N];
        ranks_with(others, &mut ranks);
        let mut captures = 0;
        // Every placement once: the inner king of the bit is below that of the row.
        let lowest = below(others);
        for square in (B::ALL & !others).squares() {
            let at = 2 * ranks[square];
            self.known[at] = looked.unwon.0[square];
            self.known[at + 1] = lost.0[square];
            self.open[at] = looked.may_win.0[square];
            self.open[at + 1] = looked.may_lose.0[square];
            self.captures[at + 1] = looked.captures.0[square];
            if lowest.contains(square) {
                let once = looked.captures.0[square] & below(B::bit(square));
                captures += u64::from(once.len());
            }
        }
        captures
    }
}

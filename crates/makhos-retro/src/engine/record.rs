//! How the end of a chain is recorded, by what the search knows of the inner kings.

use makhos_rules::Board;

use super::ends::Ends;
use super::mask::{Both, Foe, Gone, Grid, Known, Own, Pair, Product, Set};
use super::target::Target;

/// What kind of chain has ended.
#[derive(Clone, Copy)]
pub(crate) struct End {
    /// Whether White is to move.
    pub(crate) white: bool,
    /// How strongly the rules ask for it.
    pub(crate) precedence: u64,
    /// Where the foe's inner kings were taken, if they were, the last one first.
    pub(crate) taken: [Option<usize>; 2],
}

/// Records ends of a search whose mask has this type.
pub(crate) trait Record<B: Board, const N: usize>: Product<B, N> {
    /// Adds the ends of placements of `mask` that are not in `not`, which lead `to` there.
    fn record<const P: usize>(
        ends: &mut Ends<B, N, P>,
        end: &End,
        mask: &Self,
        not: &Self::Set,
        to: &Target<'_, B, P>,
    );
}

/// Records ends with two inner kings on the board.
#[inline(always)]
fn record_block<B: Board, const N: usize, const P: usize, M: Product<B, N, Set = Grid<B, N>>>(
    ends: &mut Ends<B, N, P>,
    end: &End,
    mask: &M,
    not: &Grid<B, N>,
    to: &Target<'_, B, P>,
) {
    match *to {
        Target::Words(block) => ends.block(end.precedence, mask, not, &block),
        Target::Over => ends.won(end.precedence, &mask.set().and_not(not)),
        Target::Best(_) => unreachable!("both sides have an inner king"),
    }
}

impl<B: Board, const N: usize, const WHITE: bool> Record<B, N> for Both<B, N, WHITE> {
    #[inline(always)]
    fn record<const P: usize>(
        ends: &mut Ends<B, N, P>,
        end: &End,
        mask: &Self,
        not: &Grid<B, N>,
        to: &Target<'_, B, P>,
    ) {
        record_block(ends, end, mask, not, to);
    }
}

impl<B: Board, const N: usize, const OWN: bool> Record<B, N> for Pair<B, N, OWN> {
    #[inline(always)]
    fn record<const P: usize>(
        ends: &mut Ends<B, N, P>,
        end: &End,
        mask: &Self,
        not: &Grid<B, N>,
        to: &Target<'_, B, P>,
    ) {
        record_block(ends, end, mask, not, to);
    }
}

impl<B: Board, const N: usize> Record<B, N> for Own<B> {
    #[inline(always)]
    fn record<const P: usize>(
        ends: &mut Ends<B, N, P>,
        end: &End,
        mask: &Self,
        not: &Self,
        to: &Target<'_, B, P>,
    ) {
        let outcome = to.by_word(mask.0 & !not.0);
        match end.taken[0] {
            None => ends.word(end.precedence, &outcome),
            Some(square) if end.white => ends.column(end.precedence, square, &outcome),
            Some(square) => ends.row(end.precedence, square, &outcome),
        }
    }
}

impl<B: Board, const N: usize> Record<B, N> for Foe<B> {
    #[inline(always)]
    fn record<const P: usize>(
        ends: &mut Ends<B, N, P>,
        end: &End,
        mask: &Self,
        not: &Self,
        to: &Target<'_, B, P>,
    ) {
        let outcome = to.by_word(mask.0 & !not.0);
        match end.taken[0] {
            None => ends.word(end.precedence, &outcome),
            // One of two: the other one is where the word says, and either may be that of the row.
            Some(square) => ends.twice(end.precedence, square, &outcome),
        }
    }
}

impl<B: Board, const N: usize> Record<B, N> for Known<B> {
    #[inline(always)]
    fn record<const P: usize>(
        ends: &mut Ends<B, N, P>,
        end: &End,
        mask: &Self,
        not: &Self,
        to: &Target<'_, B, P>,
    ) {
        if (mask.0 & !not.0).is_empty() {
            return;
        }
        let outcome = to.by_bit(B::bit(end.taken[0].unwrap_or(0)));
        match end.taken[1] {
            None => ends.word(end.precedence, &outcome),
            Some(square) => ends.twice(end.precedence, square, &outcome),
        }
    }
}

impl<B: Board, const N: usize> Record<B, N> for Gone<B> {
    #[inline(always)]
    fn record<const P: usize>(
        ends: &mut Ends<B, N, P>,
        end: &End,
        mask: &Self,
        not: &Foe<B>,
        to: &Target<'_, B, P>,
    ) {
        ends.word(end.precedence, &to.by_bit(mask.set & !not.0));
    }
}

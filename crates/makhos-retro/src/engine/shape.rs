//! The dense form of all positions with the same men and side to move: bits over squares of kings.
//!
//! The men of both sides stand still; what varies are the kings. One king of a side, its *inner* king,
//! is a dimension of bits. Any of its kings may be the inner one, so a placement of `k` kings of a side
//! appears `k` times. The other kings are an index: the rank of their set of squares among all sets of
//! that size on the whole board, in colexicographic order. Sets that overlap other pieces have their
//! place too, and hold nothing.
//!
//! What is known of a position are two bits:
//! - *unwon*: the position exists and the side to move does not win it;
//! - *lost*: the side to move loses it. Lost positions are unwon.
//!
//! So a position that does not exist (two pieces on a square) has neither bit, and no move has to look
//! whether its target is free: a move to nowhere leads to a position that is neither lost nor unwon.

use makhos_rules::Color;

/// Which kings are dimensions of bits, and so what the dense form looks like.
///
/// Everywhere the unwon plane comes first, then the lost one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Shape {
    /// The inner kings of both sides. Blocks are indexed by White's other kings, then Black's (minor).
    /// A block is `N` rows of the unwon plane, then `N` rows of the lost plane. Row `x` belongs to the
    /// square `x` of White's inner king, its bit `y` to the square `y` of Black's. Rows from
    /// `B::SQUARES` to `N` are empty.
    Grid,
    /// As [`Grid`](Self::Grid), for a class in which this side has a king on this square that is not
    /// its inner king: the index is that of the others without it.
    GridWith(Color, u8),
    /// White's inner king. A word of the unwon plane and one of the lost plane, bit `x` for its square
    /// `x`, indexed by White's other kings, then all kings of Black (minor).
    White,
    /// Black's inner king. Two words, indexed by all kings of White, then Black's other kings (minor).
    Black,
    /// No dimension of bits. Two words of which only the lowest bit is used, indexed by all kings of
    /// White, then all kings of Black (minor).
    Bare,
}

impl Shape {
    /// The words of a plane of a block, or of the one of all kings but the inner ones.
    #[inline]
    pub(crate) const fn rows<const N: usize>(self) -> usize {
        match self {
            Self::Grid | Self::GridWith(..) => N,
            Self::White | Self::Black | Self::Bare => 1,
        }
    }
}

/// How many kings each side has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Kings {
    /// White's.
    pub(crate) white: u32,
    /// Black's.
    pub(crate) black: u32,
}

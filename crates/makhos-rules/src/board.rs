//! Boards: the dark squares of an 8x8, 10x10 or 12x12 board as the bits of one integer.
//!
//! Squares are counted row by row from the top left as White sees the board; square 0 is bit 0. The
//! rows alternate: on even rows the `k`-th square lies in column `2k + 1`, on odd rows in column `2k`,
//! so that the lower left corner is playable. Boards that are mirrored in real life (Italian, Spanish,
//! Portuguese) are played on this same board; only their notation reflects it (see
//! [`crate::notation`]).

use crate::movegen::Compiled;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr};

/// A playable square by its internal index: 0 is the first square of the top row.
///
/// Texts never show this number; see [`crate::notation`] for names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(u8);

impl Square {
    /// The square with the internal index `index`. The caller keeps it below the board's
    /// [`Board::SQUARES`].
    #[must_use]
    pub const fn new(index: u8) -> Self {
        Self(index)
    }

    /// The internal index, `0..Board::SQUARES`.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The four diagonal directions as White sees the board, White moving up.
///
/// The discriminants are chosen so that `3 - d` is the opposite direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Direction {
    /// Up and to the left.
    UpLeft = 0,
    /// Up and to the right.
    UpRight = 1,
    /// Down and to the left.
    DownLeft = 2,
    /// Down and to the right.
    DownRight = 3,
}

impl Direction {
    /// All four, in the order of their discriminants.
    pub const ALL: [Self; 4] = [Self::UpLeft, Self::UpRight, Self::DownLeft, Self::DownRight];

    /// The direction turned by 180 degrees.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::UpLeft => Self::DownRight,
            Self::UpRight => Self::DownLeft,
            Self::DownLeft => Self::UpRight,
            Self::DownRight => Self::UpLeft,
        }
    }

    /// The two directions at right angles.
    #[must_use]
    pub const fn perpendicular(self) -> [Self; 2] {
        match self {
            Self::UpLeft | Self::DownRight => [Self::UpRight, Self::DownLeft],
            Self::UpRight | Self::DownLeft => [Self::UpLeft, Self::DownRight],
        }
    }

    /// Whether squares along this direction have falling indices.
    #[must_use]
    pub const fn is_up(self) -> bool {
        matches!(self, Self::UpLeft | Self::UpRight)
    }
}

/// Largest number of squares of any board (12x12).
pub const MAX_SQUARES: usize = 72;

/// Precomputed neighbours and rays of one board.
///
/// Every array is indexed by square, then by [`Direction`]. A square without that neighbour has an
/// empty set.
#[derive(Debug)]
pub struct Geometry<B> {
    /// The next square.
    pub step: [[B; 4]; MAX_SQUARES],
    /// The next square but one.
    pub jump: [[B; 4]; MAX_SQUARES],
    /// All squares up to the edge, the start excluded.
    pub ray: [[B; 4]; MAX_SQUARES],
}

/// A board and at once a set of its squares: bit `i` is the square with index `i`.
///
/// Implemented for `u32` (8x8), `u64` (10x10) and `u128` (12x12), which fixes the board at compile
/// time. No bit at or above [`Board::SQUARES`] is ever set in a valid set.
pub trait Board:
    Compiled
    + Copy
    + Eq
    + Ord
    + Hash
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + BitXorAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// Rows (and columns) of the board: 8, 10 or 12.
    const ROWS: u32;
    /// Playable squares in a row.
    const PER_ROW: u32;
    /// Playable squares of the board: 32, 50 or 72.
    const SQUARES: u32;
    /// No square.
    const EMPTY: Self;
    /// All playable squares.
    const ALL: Self;
    /// The rows 0, 2, 4, … from the top.
    const EVEN_ROWS: Self;
    /// The rows 1, 3, 5, … from the top.
    const ODD_ROWS: Self;
    /// Squares on odd rows that have a left neighbour.
    const ODD_NOT_LEFT: Self;
    /// Squares on even rows that have a right neighbour.
    const EVEN_NOT_RIGHT: Self;
    /// The row White's men promote on.
    const TOP_ROW: Self;
    /// The row Black's men promote on.
    const BOTTOM_ROW: Self;

    /// The board's tables of neighbours and rays.
    fn geometry() -> &'static Geometry<Self>;

    /// The set of each square by its index; empty for indices beyond the board.
    fn single_squares() -> &'static [Self; MAX_SQUARES];

    /// The set of one square.
    fn bit(square: usize) -> Self;
    /// The number of squares in the set.
    fn len(self) -> u32;
    /// The square with the lowest index; meaningless for the empty set.
    fn lowest(self) -> usize;
    /// The square with the highest index; meaningless for the empty set.
    fn highest(self) -> usize;
    /// The set without its lowest square; the empty set stays empty.
    #[must_use]
    fn without_lowest(self) -> Self;
    /// The set turned by 180 degrees: square `i` becomes `SQUARES - 1 - i`.
    #[must_use]
    fn rotate(self) -> Self;
    /// The set as the low bits of a `u128`.
    fn to_u128(self) -> u128;
    /// The set from the low bits of a `u128`; bits beyond the type are lost.
    fn from_u128(bits: u128) -> Self;

    /// Whether no square is in the set.
    #[inline(always)]
    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// Whether the square is in the set.
    #[inline(always)]
    fn contains(self, square: usize) -> bool {
        !(self & Self::bit(square)).is_empty()
    }

    /// The squares in ascending order.
    #[inline]
    fn squares(self) -> SquareIter<Self> {
        SquareIter(self)
    }

    /// The row White's (`true`) or Black's (`false`) men promote on.
    #[inline(always)]
    fn promotion_row(white: bool) -> Self {
        if white {
            Self::TOP_ROW
        } else {
            Self::BOTTOM_ROW
        }
    }
}

/// The squares of a set, lowest index first. Made by [`Board::squares`].
#[derive(Clone, Debug)]
pub struct SquareIter<B>(B);

impl<B: Board> Iterator for SquareIter<B> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0.is_empty() {
            return None;
        }
        let square = self.0.lowest();
        self.0 = self.0.without_lowest();
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.len() as usize;
        (len, Some(len))
    }
}

impl<B: Board> ExactSizeIterator for SquareIter<B> {}

/// Index of the neighbour of `square` in direction `direction` on a board with `rows` rows.
const fn neighbour(square: usize, direction: usize, rows: usize) -> Option<usize> {
    let per_row = rows / 2;
    let row = square / per_row;
    let k = square % per_row;
    let up = direction < 2;
    let left = direction.is_multiple_of(2);
    if (up && row == 0) || (!up && row + 1 == rows) {
        return None;
    }
    let next_row = if up { row - 1 } else { row + 1 };
    // An even row lies half a step to the right of an odd one.
    let next_k = if row.is_multiple_of(2) {
        if left { k } else { k + 1 }
    } else if left {
        if k == 0 {
            return None;
        }
        k - 1
    } else {
        k
    };
    if next_k == per_row {
        return None;
    }
    Some(next_row * per_row + next_k)
}

macro_rules! board {
    ($int:ty, $rows:literal) => {
        impl Board for $int {
            const ROWS: u32 = $rows;
            const PER_ROW: u32 = $rows / 2;
            const SQUARES: u32 = $rows * $rows / 2;
            const EMPTY: Self = 0;
            const ALL: Self = <$int>::MAX >> (<$int>::BITS - Self::SQUARES);
            const EVEN_ROWS: Self = {
                let mut set = 0;
                let mut row = 0;
                while row < $rows {
                    set |= ((1 << Self::PER_ROW) - 1) << (row * Self::PER_ROW);
                    row += 2;
                }
                set
            };
            const ODD_ROWS: Self = Self::EVEN_ROWS << Self::PER_ROW;
            const ODD_NOT_LEFT: Self = Self::ODD_ROWS & (Self::ODD_ROWS << 1);
            const EVEN_NOT_RIGHT: Self = Self::EVEN_ROWS & (Self::EVEN_ROWS >> 1);
            const TOP_ROW: Self = (1 << Self::PER_ROW) - 1;
            const BOTTOM_ROW: Self = Self::TOP_ROW << (Self::SQUARES - Self::PER_ROW);

            #[inline(always)]
            fn geometry() -> &'static Geometry<Self> {
                static GEOMETRY: Geometry<$int> = {
                    let mut geometry = Geometry {
                        step: [[0; 4]; MAX_SQUARES],
                        jump: [[0; 4]; MAX_SQUARES],
                        ray: [[0; 4]; MAX_SQUARES],
                    };
                    let mut square = 0;
                    while square < <$int as Board>::SQUARES as usize {
                        let mut direction = 0;
                        while direction < 4 {
                            let mut distance = 1;
                            let mut at = square;
                            while let Some(next) = neighbour(at, direction, $rows) {
                                let bit = 1 << next;
                                geometry.ray[square][direction] |= bit;
                                if distance == 1 {
                                    geometry.step[square][direction] = bit;
                                } else if distance == 2 {
                                    geometry.jump[square][direction] = bit;
                                }
                                distance += 1;
                                at = next;
                            }
                            direction += 1;
                        }
                        square += 1;
                    }
                    geometry
                };
                &GEOMETRY
            }

            #[inline(always)]
            fn single_squares() -> &'static [Self; MAX_SQUARES] {
                static SQUARES: [$int; MAX_SQUARES] = {
                    let mut squares = [0; MAX_SQUARES];
                    let mut square = 0;
                    while square < <$int as Board>::SQUARES as usize {
                        squares[square] = 1 << square;
                        square += 1;
                    }
                    squares
                };
                &SQUARES
            }

            #[inline(always)]
            fn bit(square: usize) -> Self {
                1 << square
            }
            #[inline(always)]
            fn len(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn lowest(self) -> usize {
                self.trailing_zeros() as usize
            }
            #[inline(always)]
            fn highest(self) -> usize {
                // Saturating only matters for the empty set, whose result is meaningless.
                (<$int>::BITS - 1).saturating_sub(self.leading_zeros()) as usize
            }
            #[inline(always)]
            fn without_lowest(self) -> Self {
                self & self.wrapping_sub(1)
            }
            #[inline(always)]
            fn rotate(self) -> Self {
                self.reverse_bits() >> (<$int>::BITS - Self::SQUARES)
            }
            #[inline(always)]
            fn to_u128(self) -> u128 {
                self as u128
            }
            #[inline(always)]
            fn from_u128(bits: u128) -> Self {
                bits as $int
            }
        }
    };
}

board!(u32, 8);
board!(u64, 10);
board!(u128, 12);

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry_agrees_with_itself<B: Board>() {
        let geometry = B::geometry();
        for square in 0..B::SQUARES as usize {
            for direction in Direction::ALL {
                let d = direction as usize;
                let step = geometry.step[square][d];
                assert!(step.len() <= 1);
                if step.is_empty() {
                    assert!(geometry.ray[square][d].is_empty());
                    continue;
                }
                let next = step.lowest();
                assert_eq!(
                    geometry.step[next][direction.opposite() as usize],
                    B::bit(square)
                );
                assert_eq!(geometry.jump[square][d], geometry.step[next][d]);
                assert_eq!(geometry.ray[square][d], step | geometry.ray[next][d]);
                assert_eq!(next < square, direction.is_up());
            }
        }
        assert_eq!(B::ALL.len(), B::SQUARES);
        assert_eq!(B::EVEN_ROWS | B::ODD_ROWS, B::ALL);
        assert_eq!(B::TOP_ROW.rotate(), B::BOTTOM_ROW);
    }

    #[test]
    fn geometry_of_every_board() {
        geometry_agrees_with_itself::<u32>();
        geometry_agrees_with_itself::<u64>();
        geometry_agrees_with_itself::<u128>();
    }
}

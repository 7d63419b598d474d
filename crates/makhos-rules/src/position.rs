//! Positions: where the pieces stand and who is to move.

use thiserror::Error;

use crate::board::{Board, Square};
use crate::moves::Move;
use crate::rules::{Color, RuleSet};

/// The pieces on the board and the side to move.
///
/// Always valid: no two pieces share a square and no man stands on its own promotion row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position<B> {
    pub(crate) white: B,
    pub(crate) black: B,
    pub(crate) kings: B,
    pub(crate) side: Color,
}

/// Why a placement of pieces is not a position.
///
/// Squares are internal; [`crate::notation`] turns them into names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum PositionError {
    /// Two pieces stand on one square.
    #[error("two pieces on the square with index {}", square.index())]
    Occupied {
        /// The square.
        square: Square,
    },
    /// A man stands on the row where it would have been promoted.
    #[error("a man on its own promotion row, on the square with index {}", square.index())]
    ManOnPromotionRow {
        /// The square.
        square: Square,
        /// Whose man it is.
        color: Color,
    },
    /// A piece stands beyond the last square of the board.
    #[error("a piece beyond the board, at index {}", square.index())]
    OffBoard {
        /// The index outside the board.
        square: Square,
    },
}

impl<B: Board> Position<B> {
    /// The position with these pieces.
    ///
    /// A side may be without pieces: it has lost if it is to move.
    ///
    /// # Errors
    /// [`PositionError`] names the offending square with the lowest index.
    pub fn new(
        white_men: B,
        white_kings: B,
        black_men: B,
        black_kings: B,
        side: Color,
    ) -> Result<Self, PositionError> {
        let mut seen = B::EMPTY;
        for set in [white_men, white_kings, black_men, black_kings] {
            let beyond = set & !B::ALL;
            if !beyond.is_empty() {
                return Err(PositionError::OffBoard {
                    square: square(beyond),
                });
            }
            let twice = seen & set;
            if !twice.is_empty() {
                return Err(PositionError::Occupied {
                    square: square(twice),
                });
            }
            seen |= set;
        }
        for (men, color) in [(white_men, Color::White), (black_men, Color::Black)] {
            let promoted = men & B::promotion_row(color.is_white());
            if !promoted.is_empty() {
                return Err(PositionError::ManOnPromotionRow {
                    square: square(promoted),
                    color,
                });
            }
        }
        Ok(Self {
            white: white_men | white_kings,
            black: black_men | black_kings,
            kings: white_kings | black_kings,
            side,
        })
    }

    /// The start position of a variant, with its first mover to move.
    ///
    /// # Panics
    /// If `rules` is for another board size than `B`.
    #[must_use]
    pub fn start(rules: &RuleSet) -> Self {
        assert_eq!(rules.board.squares(), B::SQUARES, "board of another size");
        let mut black = B::EMPTY;
        for index in 0..u32::from(rules.man_rows) * B::PER_ROW {
            black |= B::bit(index as usize);
        }
        Self {
            white: black.rotate(),
            black,
            kings: B::EMPTY,
            side: rules.first,
        }
    }

    /// The side to move.
    #[inline]
    #[must_use]
    pub fn side(&self) -> Color {
        self.side
    }

    /// The same placement with `side` to move.
    #[inline]
    #[must_use]
    pub fn with_side(self, side: Color) -> Self {
        Self { side, ..self }
    }

    /// All pieces of one side.
    #[inline]
    #[must_use]
    pub fn pieces(&self, color: Color) -> B {
        match color {
            Color::White => self.white,
            Color::Black => self.black,
        }
    }

    /// The men of one side.
    #[inline]
    #[must_use]
    pub fn men(&self, color: Color) -> B {
        self.pieces(color) & !self.kings
    }

    /// The kings of one side.
    #[inline]
    #[must_use]
    pub fn kings(&self, color: Color) -> B {
        self.pieces(color) & self.kings
    }

    /// All pieces.
    #[inline]
    #[must_use]
    pub fn occupied(&self) -> B {
        self.white | self.black
    }

    /// All empty squares.
    #[inline]
    #[must_use]
    pub fn empty(&self) -> B {
        B::ALL & !self.occupied()
    }

    /// The number of pieces on the board.
    #[inline]
    #[must_use]
    pub fn piece_count(&self) -> u32 {
        self.occupied().len()
    }

    /// The same position seen from the other side: the board turned by 180 degrees, the colours and
    /// the side to move exchanged. Its value for the side to move is the same.
    #[inline(always)]
    #[must_use]
    pub fn flip(&self) -> Self {
        Self {
            white: self.black.rotate(),
            black: self.white.rotate(),
            kings: self.kings.rotate(),
            side: self.side.opponent(),
        }
    }

    /// The position after `mv`, which must be a legal move of this position.
    ///
    /// Nothing is checked: for a move from outside use [`RuleSet::play`].
    #[inline(always)]
    #[must_use]
    pub fn make(&self, mv: &Move<B>) -> Self {
        if self.side.is_white() {
            self.make_as::<true>(mv)
        } else {
            self.make_as::<false>(mv)
        }
    }

    /// [`make`](Self::make) with the side to move known at compile time.
    #[inline(always)]
    pub(crate) fn make_as<const WHITE: bool>(&self, mv: &Move<B>) -> Self {
        let from = B::bit(mv.from.index());
        let to = B::bit(mv.to.index());
        let (own, other) = if WHITE {
            (self.white, self.black)
        } else {
            (self.black, self.white)
        };
        // A circular capture ends where it began, so remove before adding.
        let own = (own & !from) | to;
        let other = other & !mv.captured;
        let crowned = mv.promotes || !(self.kings & from).is_empty();
        let kings = self.kings & !from & !mv.captured;
        let kings = if crowned { kings | to } else { kings };
        let (white, black, side) = if WHITE {
            (own, other, Color::Black)
        } else {
            (other, own, Color::White)
        };
        Self {
            white,
            black,
            kings,
            side,
        }
    }
}

fn square<B: Board>(set: B) -> Square {
    Square::new(set.lowest() as u8)
}

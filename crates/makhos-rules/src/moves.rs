//! Moves and the routes of captures.

use crate::board::{Board, Square};

/// A legal move, in the "drop" sense: captures with the same ends and the same captured pieces are one
/// move, whatever their route.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move<B> {
    /// Where the piece starts.
    pub from: Square,
    /// Where it ends; the same square for a circular capture.
    pub to: Square,
    /// The captured pieces; empty for a quiet move.
    pub captured: B,
    /// Whether a man becomes a king by this move.
    pub promotes: bool,
}

impl<B: Board> Move<B> {
    /// Whether the move captures.
    #[inline]
    #[must_use]
    pub fn is_capture(&self) -> bool {
        !self.captured.is_empty()
    }
}

/// A legal move with one way of making it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Route<B> {
    /// The move.
    pub mv: Move<B>,
    /// The start, every square on which the piece turns or lands behind a captured piece, and the end.
    /// Two squares for a quiet move. A flying king that captures straight on is shown as landing right
    /// behind each piece but the last.
    pub path: Vec<Square>,
}

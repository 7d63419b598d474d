//! The short way to an outcome: through nothing but what has been decoded, without locks, lists of moves
//! or hashing.
//!
//! A probe waits for memory and for wrong guesses of the processor about what comes next. So the place of a
//! position is found with as few branches as possible, the outcome is asked for before it is known whether
//! it means anything, and while it comes from memory the captures are looked for.

use makhos_rules::{Board, Color, Position};

use crate::isa::Task;
use crate::tablebase::{Class, Tablebase};
use crate::value::Wld;

/// Why there is no quick answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoAnswer {
    /// The side to move must capture, and both sides have pieces.
    Capture,
    /// The outcome has not been decoded, or is stored in another way, or not at all.
    NotKept,
}

/// Where the value of a position is stored.
pub(super) struct Stored<'a, B> {
    pub(super) class: &'a Class<B>,
    /// Whether Black is to move as it is stored.
    is_black: bool,
    /// Its number within the class.
    pub(super) index: u64,
}

/// Asks for the outcome of a position.
struct Ask<'a, B> {
    tables: &'a Tablebase<B>,
    position: &'a Position<B>,
}

impl<B: Board> Task for Ask<'_, B> {
    type Output = Result<Wld, NoAnswer>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        if self.tables.rules().has_capture(self.position) {
            return Err(NoAnswer::Capture);
        }
        let stored = self.tables.stored(self.position);
        let outcome = stored.and_then(|stored| stored.kept_outcome());
        outcome.ok_or(NoAnswer::NotKept)
    }
}

impl<B: Board> Stored<'_, B> {
    /// The side to move as it is stored.
    pub(super) fn side(&self) -> Color {
        if self.is_black {
            Color::Black
        } else {
            Color::White
        }
    }

    /// The side to move as it is stored, as a number: 0 White, 1 Black.
    #[inline(always)]
    pub(super) fn side_number(&self) -> usize {
        usize::from(self.is_black)
    }

    /// The outcome, if it has been decoded. If the side to move must capture it may be anything.
    #[inline(always)]
    pub(super) fn kept_outcome(&self) -> Option<Wld> {
        Some(outcome_of(
            self.class
                .kept
                .get()?
                .outcome(self.side_number(), self.index)?,
        ))
    }
}

/// An outcome from its number: 0 a draw, 1 a loss, 2 a win.
#[inline(always)]
pub(super) const fn outcome_of(number: u8) -> Wld {
    // 3 does not occur.
    const OUTCOMES: [Wld; 4] = [Wld::Draw, Wld::Loss, Wld::Win, Wld::Win];
    OUTCOMES[(number & 3) as usize]
}

impl<B: Board> Tablebase<B> {
    /// The outcome of a position if it can be told at once.
    #[inline]
    pub(crate) fn quick(&self, position: &Position<B>) -> Result<Wld, NoAnswer> {
        self.processor.run(Ask {
            tables: self,
            position,
        })
    }

    /// Where a position is stored; `None` if there is no table of its class.
    #[inline(always)]
    pub(super) fn stored(&self, position: &Position<B>) -> Option<Stored<'_, B>> {
        let (class, flipped) = self.class_of(position)?;
        Some(class.stored(position, flipped))
    }

    /// The class of a position, and whether it is stored flipped; `None` if there is no table of it.
    #[inline(always)]
    pub(super) fn class_of(&self, position: &Position<B>) -> Option<(&Class<B>, bool)> {
        self.classes.of(position)
    }
}

impl<B: Board> Class<B> {
    /// Where a position of this class is stored.
    #[inline(always)]
    pub(super) fn stored(&self, position: &Position<B>, flipped: bool) -> Stored<'_, B> {
        Stored {
            class: self,
            is_black: (position.side() == Color::Black) ^ flipped,
            index: self.index.index_flipped(position, flipped),
        }
    }
}

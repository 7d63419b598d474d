//! The features of a position: what evaluation sums, as a list for training.
//!
//! Features are told from the view of the side to move. Each has two weights, one for a full board and one for
//! an empty one ([`Phase`]); how much of each counts depends on the number of pieces. So a feature is active
//! twice, and the evaluation of a position is the sum of value times weight over its list.

use makhos_rules::rules::Color;
use makhos_rules::{Board, Position, RuleSet};

use super::windows::Windows;
use crate::mobility::{king_moves, man_moves};

/// One active feature.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Feature {
    /// The number of its weight in [`Weights::values`](super::Weights::values).
    pub index: u32,
    /// What the weight is multiplied with.
    pub value: f32,
}

/// Which of the two weights of a feature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// The weight on a board as full as at the start.
    Full = 0,
    /// The weight on an empty board.
    Empty = 1,
}

/// Features that count something, own ones minus those of the other side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// Men.
    Man = 0,
    /// Kings.
    King = 1,
    /// Whether there is a king.
    FirstKing = 2,
    /// Moves of men to empty squares.
    ManMoves = 3,
    /// Moves of kings to empty squares.
    KingMoves = 4,
    /// Being the side to move; always 1.
    Turn = 5,
}

impl Scalar {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 6] = [
        Self::Man,
        Self::King,
        Self::FirstKing,
        Self::ManMoves,
        Self::KingMoves,
        Self::Turn,
    ];
}

/// The features of a board and their numbers.
#[derive(Debug)]
pub struct Features<B> {
    rules: RuleSet,
    pub(super) windows: Windows<B>,
}

impl<B: Board> Features<B> {
    /// The features of positions of `rules`, which must be played on board `B`.
    #[must_use]
    pub fn new(rules: &RuleSet) -> Self {
        Self {
            rules: *rules,
            windows: Windows::new(),
        }
    }

    /// The number of features without regard to phases. Weights are twice as many.
    #[must_use]
    pub fn count(&self) -> usize {
        self.scalar(Scalar::Turn) + 1
    }

    /// The number of tables of patterns and the length of each.
    #[must_use]
    pub fn tables(&self) -> (usize, usize) {
        (self.windows.tables(), self.windows.patterns())
    }

    /// The number of a pattern of a table.
    #[must_use]
    pub fn pattern(&self, table: usize, pattern: usize) -> usize {
        table * self.windows.patterns() + pattern
    }

    /// The number of an own king standing on a square.
    #[must_use]
    pub fn king(&self, square: usize) -> usize {
        self.pattern(self.windows.tables(), 0) + square
    }

    /// The number of something counted.
    #[must_use]
    pub fn scalar(&self, scalar: Scalar) -> usize {
        self.king(B::SQUARES as usize) + scalar as usize
    }

    /// The number of the weight of a feature in a phase.
    #[must_use]
    pub fn weight(&self, feature: usize, phase: Phase) -> usize {
        2 * feature + phase as usize
    }

    /// The pieces of a board that counts as full.
    #[must_use]
    pub const fn full() -> u32 {
        match B::ROWS {
            8 => 24,
            10 => 40,
            _ => 60,
        }
    }

    /// What a position has of the scalars, White's minus Black's.
    #[inline(always)]
    pub(super) fn scalars(&self, position: &Position<B>) -> [i32; Scalar::ALL.len()] {
        let difference = |count: &dyn Fn(Color) -> i32| count(Color::White) - count(Color::Black);
        let turn = if position.side().is_white() { 1 } else { -1 };
        let mut scalars = [0; Scalar::ALL.len()];
        scalars[Scalar::Man as usize] = difference(&|side| position.men(side).len() as i32);
        scalars[Scalar::ManMoves as usize] = difference(&|side| man_moves(position, side));
        scalars[Scalar::Turn as usize] = turn;
        let kings = [Color::White, Color::Black].map(|side| position.kings(side));
        if !(kings[0] | kings[1]).is_empty() {
            scalars[Scalar::King as usize] = difference(&|side| position.kings(side).len() as i32);
            scalars[Scalar::FirstKing as usize] =
                difference(&|side| i32::from(!position.kings(side).is_empty()));
            scalars[Scalar::KingMoves as usize] =
                difference(&|side| king_moves(&self.rules, position, side));
        }
        scalars
    }

    /// The active features of a position, into a list that is cleared first. A number may occur more than
    /// once.
    pub fn features_into(&self, position: &Position<B>, features: &mut Vec<Feature>) {
        features.clear();
        let sign = if position.side().is_white() { 1 } else { -1 };
        let pieces = position.piece_count().min(Self::full());
        let full = pieces as f32 / Self::full() as f32;
        let mut add = |feature: usize, count: i32| {
            let count = (sign * count) as f32;
            for (phase, share) in [(Phase::Full, full), (Phase::Empty, 1.0 - full)] {
                features.push(Feature {
                    index: self.weight(feature, phase) as u32,
                    value: count * share,
                });
            }
        };
        let tables = self.windows.tables();
        let numbers = self.windows.numbers(position);
        for table in 0..tables {
            add(self.pattern(table, numbers[table] as usize), 1);
            add(self.pattern(table, numbers[tables + table] as usize), -1);
        }
        for square in position.kings(Color::White).squares() {
            add(self.king(square), 1);
        }
        for square in position.kings(Color::Black).squares() {
            add(self.king(B::SQUARES as usize - 1 - square), -1);
        }
        for (scalar, count) in Scalar::ALL.into_iter().zip(self.scalars(position)) {
            if count != 0 {
                add(self.scalar(scalar), count);
            }
        }
    }
}

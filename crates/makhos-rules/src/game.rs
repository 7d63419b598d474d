//! A game: positions, counters and who has won.

use thiserror::Error;

use crate::board::Board;
use crate::draw::{Claim, Counters, DrawReason, DrawRules, Progress};
use crate::moves::Move;
use crate::position::Position;
use crate::rules::{Color, RuleSet};

/// How a game has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameEnd<'a> {
    /// This side has won: the other one has no legal move.
    Win(Color),
    /// Nobody has won, by this rule.
    Draw(DrawReason<'a>),
}

/// A move that cannot be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The move is not legal in the position.
    #[error("the move is not legal here")]
    Illegal,
    /// The game has ended.
    #[error("the game has ended")]
    Over,
}

/// A game under the rules of a variant and drawing rules.
///
/// ```
/// use makhos_rules::draw::official;
/// use makhos_rules::game::{Game, GameEnd};
/// use makhos_rules::notation::{fen, hub};
/// use makhos_rules::variant::RUSSIAN;
///
/// // Two kings against one: five moves of each player, then it is a draw.
/// let start = fen::parse::<u32>(&RUSSIAN, "W:WK1,K2:BK4").expect("a position");
/// let mut game = Game::new(RUSSIAN, official::of(&RUSSIAN), start);
/// for text in ["1-5", "4-8", "5-1", "8-4", "1-5", "4-8", "5-1", "8-4", "1-5"] {
///     let mv = hub::parse_move(&RUSSIAN, game.position(), text).expect("a move");
///     game.play(&mv).expect("the game goes on");
///     assert_eq!(game.end(), None);
/// }
/// let mv = hub::parse_move(&RUSSIAN, game.position(), "4-8").expect("a move");
/// game.play(&mv).expect("the game goes on");
/// assert!(matches!(game.end(), Some(GameEnd::Draw(rule)) if rule.name() == "5-moves"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game<B> {
    rules: RuleSet,
    draw_rules: DrawRules,
    position: Position<B>,
    counters: Counters,
    /// The positions since the last move that cannot be taken back, this one the last.
    seen: Vec<Position<B>>,
}

impl<B: Board> Game<B> {
    /// A game that begins with `position`, all counters fresh.
    #[must_use]
    pub fn new(rules: RuleSet, draw_rules: DrawRules, position: Position<B>) -> Self {
        let counters = draw_rules.fresh(&position);
        Self::with_counters(rules, draw_rules, position, counters)
    }

    /// A game that has come to `position` with these counters. Earlier positions are not known to it.
    #[must_use]
    pub fn with_counters(
        rules: RuleSet,
        draw_rules: DrawRules,
        position: Position<B>,
        counters: Counters,
    ) -> Self {
        Self {
            rules,
            draw_rules,
            position,
            counters,
            seen: vec![position],
        }
    }

    /// The rules of the moves.
    #[must_use]
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The drawing rules.
    #[must_use]
    pub fn draw_rules(&self) -> &DrawRules {
        &self.draw_rules
    }

    /// The position.
    #[must_use]
    pub fn position(&self) -> &Position<B> {
        &self.position
    }

    /// The state of the clocks.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// How often the position has occurred since the last move that cannot be taken back.
    #[must_use]
    pub fn occurrences(&self) -> usize {
        self.seen
            .iter()
            .filter(|seen| **seen == self.position)
            .count()
    }

    /// How the game has ended, if it has. A draw that must be claimed does not end it.
    #[must_use]
    pub fn end(&self) -> Option<GameEnd<'_>> {
        if self.rules.legal_moves(&self.position).is_empty() {
            return Some(GameEnd::Win(self.position.side().opponent()));
        }
        let draw = self.draw()?;
        (draw.claim() == Claim::Automatic).then_some(GameEnd::Draw(draw))
    }

    /// The draw that the players may claim, or that has ended the game.
    #[must_use]
    pub fn draw(&self) -> Option<DrawReason<'_>> {
        let counted = self.draw_rules.drawn(&self.counters, &self.position);
        let repeated = || {
            let rule = self.draw_rules.repetition.as_ref()?;
            (self.occurrences() >= usize::from(rule.times)).then_some(DrawReason::Repetition(rule))
        };
        counted.or_else(repeated)
    }

    /// Plays a move.
    ///
    /// # Errors
    /// [`PlayError`]; the game is unchanged then.
    pub fn play(&mut self, mv: &Move<B>) -> Result<(), PlayError> {
        if self.end().is_some() {
            return Err(PlayError::Over);
        }
        if !self.rules.legal_moves(&self.position).contains(mv) {
            return Err(PlayError::Illegal);
        }
        self.counters = self.draw_rules.after(self.counters, &self.position, mv);
        if Progress::of(&self.position, mv).is_irreversible() {
            self.seen.clear();
        }
        self.position = self.position.make(mv);
        self.seen.push(self.position);
        Ok(())
    }
}

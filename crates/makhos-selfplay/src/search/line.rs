//! A game with the positions it has come through.

use makhos_rules::Board;
use makhos_rules::draw::Progress;
use makhos_rules::game::{Game, PlayError};
use makhos_rules::{Move, Position};

/// A game and its positions since the last move that cannot be taken back, so that a search sees every
/// repetition that a line could bring about.
#[derive(Clone, Debug)]
pub struct Line<B> {
    game: Game<B>,
    earlier: Vec<Position<B>>,
}

impl<B: Board> Line<B> {
    /// A game, of whose past nothing is known.
    #[must_use]
    pub fn new(game: Game<B>) -> Self {
        Self {
            game,
            earlier: Vec::new(),
        }
    }

    /// The game.
    #[must_use]
    pub fn game(&self) -> &Game<B> {
        &self.game
    }

    /// The positions before the present one, the oldest first.
    #[must_use]
    pub fn earlier(&self) -> &[Position<B>] {
        &self.earlier
    }

    /// Plays a move.
    ///
    /// # Errors
    /// [`PlayError`]; the game is unchanged then.
    pub fn play(&mut self, mv: &Move<B>) -> Result<(), PlayError> {
        let before = *self.game.position();
        self.game.play(mv)?;
        if Progress::of(&before, mv).is_irreversible() {
            self.earlier.clear();
        } else {
            self.earlier.push(before);
        }
        Ok(())
    }
}

//! One game between two players.

use makhos_rules::game::GameEnd;
use makhos_rules::rules::Color;
use makhos_rules::{Board, Move};

use super::player::{Player, PlayerError};
use super::score::Outcome;
use crate::search::Line;

/// How a game of a match has ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// A side had no move.
    NoMove,
    /// It is drawn by the rules. A draw that can be claimed is claimed.
    DrawRule,
    /// It had lasted so long that it was given up as a draw.
    TooLong,
}

/// A game that has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedGame<B> {
    /// The moves after the opening.
    pub moves: Vec<Move<B>>,
    /// The result for White.
    pub white: Outcome,
    /// How it ended.
    pub ending: Ending,
}

/// Plays a game from the position of a line, given up as a draw after `most` plies.
///
/// # Errors
/// [`PlayerError`] if one of the players does not play, or makes an illegal move.
pub fn play_game<B: Board>(
    mut line: Line<B>,
    white: &mut dyn Player<B>,
    black: &mut dyn Player<B>,
    most: usize,
) -> Result<PlayedGame<B>, PlayerError> {
    white.new_game()?;
    black.new_game()?;
    let mut moves = Vec::new();
    let (white, ending) = loop {
        if let Some(GameEnd::Win(side)) = line.game().end() {
            let won = side == Color::White;
            break (
                if won { Outcome::Win } else { Outcome::Loss },
                Ending::NoMove,
            );
        }
        if line.game().draw().is_some() {
            break (Outcome::Draw, Ending::DrawRule);
        }
        if moves.len() >= most {
            break (Outcome::Draw, Ending::TooLong);
        }
        let mv = if line.game().position().side().is_white() {
            white.choose(&line)?
        } else {
            black.choose(&line)?
        };
        line.play(&mv).map_err(|source| PlayerError::Illegal {
            ply: moves.len(),
            source,
        })?;
        moves.push(mv);
    };
    Ok(PlayedGame {
        moves,
        white,
        ending,
    })
}

#[cfg(test)]
mod tests {
    use makhos_rules::draw::{DrawRules, official};
    use makhos_rules::game::Game;
    use makhos_rules::notation::fen;
    use makhos_rules::variant::RUSSIAN;

    use super::*;

    /// Plays the first legal move.
    struct First;

    impl Player<u32> for First {
        fn new_game(&mut self) -> Result<(), PlayerError> {
            Ok(())
        }

        fn choose(&mut self, line: &Line<u32>) -> Result<Move<u32>, PlayerError> {
            let moves = line.game().rules().legal_moves(line.game().position());
            moves.first().copied().ok_or(PlayerError::NoMove)
        }
    }

    /// Plays what was legal at the start of another game.
    struct Stranger;

    impl Player<u32> for Stranger {
        fn new_game(&mut self) -> Result<(), PlayerError> {
            Ok(())
        }

        fn choose(&mut self, _: &Line<u32>) -> Result<Move<u32>, PlayerError> {
            let start = makhos_rules::Position::<u32>::start(&RUSSIAN);
            Ok(RUSSIAN.legal_moves(&start)[0])
        }
    }

    fn line(text: &str, draw_rules: DrawRules) -> Line<u32> {
        let position = fen::parse::<u32>(&RUSSIAN, text).expect("a position");
        Line::new(Game::new(RUSSIAN, draw_rules, position))
    }

    fn played(text: &str, draw_rules: DrawRules, most: usize) -> PlayedGame<u32> {
        play_game(line(text, draw_rules), &mut First, &mut First, most).expect("a game")
    }

    #[test]
    fn games_end_as_they_should() {
        // White captures the last piece.
        let game = played("W:W22:B18", official::of(&RUSSIAN), 100);
        assert_eq!((game.white, game.ending), (Outcome::Win, Ending::NoMove));
        assert_eq!(game.moves.len(), 1);
        let game = played("B:W22:B18", official::of(&RUSSIAN), 100);
        assert_eq!((game.white, game.ending), (Outcome::Loss, Ending::NoMove));
        let game = played("W:WK1:BK2", official::of(&RUSSIAN), 500);
        assert_eq!((game.white, game.ending), (Outcome::Draw, Ending::DrawRule));
        assert!(!game.moves.is_empty() && game.moves.len() < 100);
        let game = played("W:WK1:BK2", DrawRules::default(), 30);
        assert_eq!((game.white, game.ending), (Outcome::Draw, Ending::TooLong));
        assert_eq!(game.moves.len(), 30);
    }

    #[test]
    fn illegal_moves_are_refused() {
        let line = line("W:WK1:BK2", official::of(&RUSSIAN));
        let error = play_game(line, &mut First, &mut Stranger, 100).expect_err("refused");
        assert!(
            matches!(error, PlayerError::Illegal { ply: 1, .. }),
            "{error}"
        );
    }
}

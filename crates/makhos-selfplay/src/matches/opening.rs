//! How games of a match begin.

use makhos_rules::draw::DrawRules;
use makhos_rules::game::Game;
use makhos_rules::{Board, Move, Position, RuleSet};

use crate::random::Dice;
use crate::search::Line;

/// How often a random opening that ends the game is drawn anew.
const TRIES: usize = 1_000;

/// The first moves of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening<B> {
    /// The position before them.
    pub start: Position<B>,
    /// The moves.
    pub moves: Vec<Move<B>>,
}

impl<B: Board> Opening<B> {
    /// An opening of so many random moves from the start of a variant, the same for the same seed and
    /// number. It ends in a position with more than one legal move; if there is none to be found the opening
    /// is shorter.
    #[must_use]
    pub fn random(rules: &RuleSet, plies: usize, seed: u64, number: u64) -> Self {
        let start = Position::<B>::start(rules);
        let mut dice = Dice::of_game(seed, number);
        let mut longest = Vec::new();
        for _ in 0..TRIES {
            let (mut position, mut moves) = (start, Vec::with_capacity(plies));
            let mut legal = rules.legal_moves(&position);
            while moves.len() < plies && !legal.is_empty() {
                let mv = legal[dice.index(legal.len())];
                position = position.make(&mv);
                moves.push(mv);
                legal = rules.legal_moves(&position);
            }
            if moves.len() == plies && legal.len() > 1 {
                return Self { start, moves };
            }
            // Without its last move something could be played in it.
            moves.pop();
            if moves.len() > longest.len() {
                longest = moves;
            }
        }
        Self {
            start,
            moves: longest,
        }
    }

    /// The game after the opening, with the counters of its moves. Moves that are not legal, and those after
    /// the end of the game, are left out.
    #[must_use]
    pub fn line(&self, rules: &RuleSet, draw_rules: &DrawRules) -> Line<B> {
        let mut line = Line::new(Game::new(*rules, draw_rules.clone(), self.start));
        for mv in &self.moves {
            if line.play(mv).is_err() {
                break;
            }
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use makhos_rules::draw::official;
    use makhos_rules::{BoardSize, variant};

    use super::*;

    fn openings<B: Board>(rules: &RuleSet) {
        let all: Vec<_> = (0..50)
            .map(|number| Opening::<B>::random(rules, 6, 3, number))
            .collect();
        for opening in &all {
            let line = opening.line(rules, &official::of(rules));
            assert_eq!(opening.moves.len(), 6);
            assert_eq!(line.game().end(), None);
            assert!(rules.legal_moves(line.game().position()).len() > 1);
        }
        let mut different = all.clone();
        different.dedup();
        assert!(different.len() > 40);
        assert_eq!(all[7], Opening::random(rules, 6, 3, 7));
        assert_ne!(all[7], Opening::random(rules, 6, 4, 7));
    }

    #[test]
    fn openings_are_legal_and_their_own() {
        for rules in variant::ALL {
            match rules.board {
                BoardSize::Eight => openings::<u32>(rules),
                BoardSize::Ten => openings::<u64>(rules),
                BoardSize::Twelve => openings::<u128>(rules),
            }
        }
        let none = Opening::<u32>::random(&variant::RUSSIAN, 0, 1, 1);
        assert!(none.moves.is_empty());
    }
}

//! The state of a game, kept up to date at little cost.
//!
//! [`Game`](makhos_rules::game::Game) says what the rules are; a [`Track`] says the same for a game whose moves
//! are known to be legal, without making lists of moves again and without memory of its own for each ply. Random
//! play is mostly this. Tests play both side by side.

use makhos_rules::draw::{Counters, DrawReason, DrawRules, Pieces, Progress};
use makhos_rules::{Board, Move, Position, RuleSet};

use super::record::DrawnBy;

/// A game under way.
#[derive(Clone, Debug)]
pub(super) struct Track<'a, B> {
    rules: &'a RuleSet,
    draw_rules: &'a DrawRules,
    position: Position<B>,
    pieces: Pieces,
    counters: Counters,
    /// The positions since the last move that cannot be taken back, this one the last.
    seen: Vec<Position<B>>,
    /// The legal moves in ascending order.
    moves: Vec<Move<B>>,
}

impl<'a, B: Board> Track<'a, B> {
    pub(super) fn new(
        rules: &'a RuleSet,
        draw_rules: &'a DrawRules,
        position: Position<B>,
    ) -> Self {
        let mut track = Self {
            rules,
            draw_rules,
            position,
            pieces: Pieces::of(&position),
            counters: draw_rules.fresh(&position),
            seen: Vec::with_capacity(64),
            moves: Vec::with_capacity(32),
        };
        track.restart(position);
        track
    }

    /// Begins another game.
    pub(super) fn restart(&mut self, position: Position<B>) {
        self.position = position;
        self.pieces = Pieces::of(&position);
        self.counters = self.draw_rules.fresh(&position);
        self.seen.clear();
        self.seen.push(position);
        self.list_moves();
    }

    fn list_moves(&mut self) {
        self.rules.legal_moves_into(&self.position, &mut self.moves);
        self.moves.sort_unstable();
    }

    pub(super) fn position(&self) -> &Position<B> {
        &self.position
    }

    pub(super) fn pieces(&self) -> u32 {
        self.pieces.total()
    }

    /// The legal moves in ascending order; none if the side to move has lost.
    pub(super) fn moves(&self) -> &[Move<B>] {
        &self.moves
    }

    /// Plays a legal move.
    pub(super) fn play(&mut self, mv: Move<B>) {
        let progress = Progress::of(&self.position, &mv);
        let before = self.pieces;
        self.position = self.position.make(&mv);
        if matches!(progress, Progress::Capture { .. } | Progress::Promotion) {
            self.pieces = Pieces::of(&self.position);
        }
        let step = self.draw_rules.step(&before, &self.pieces, progress);
        self.counters.left = step.apply(self.counters.left);
        if self.draw_rules.road.is_some() {
            let rules = self.draw_rules;
            self.counters.road = rules.road_after(self.counters.road, &before, &self.position);
        }
        if progress.is_irreversible() {
            self.seen.clear();
        }
        self.seen.push(self.position);
        self.list_moves();
    }

    /// The rule that draws the game, or allows a player to claim a draw, unless the side to move has no move.
    pub(super) fn drawn(&self) -> Option<DrawnBy> {
        let counting = self.counters.left == Some(0) || self.draw_rules.road.is_some();
        let counted = if counting {
            self.draw_rules.drawn(&self.counters, &self.position)
        } else {
            None
        };
        match counted {
            Some(DrawReason::Clock(clock)) => {
                let mut clocks = self.draw_rules.clocks.iter();
                let number = clocks.position(|other| std::ptr::eq(other, clock));
                // Texts of drawing rules have no more clocks than fit.
                Some(DrawnBy::Clock(number.unwrap_or(0) as u8))
            }
            Some(DrawReason::Road(_)) => Some(DrawnBy::Road),
            Some(DrawReason::Repetition(_)) => Some(DrawnBy::Repetition),
            None => self.repeated().then_some(DrawnBy::Repetition),
        }
    }

    fn repeated(&self) -> bool {
        let Some(rule) = &self.draw_rules.repetition else {
            return false;
        };
        let times = usize::from(rule.times);
        // Other positions stand between two equal ones, and half of all have the other side to move.
        let possible = self.seen.iter().rev().step_by(2);
        possible.len() >= times && possible.filter(|seen| **seen == self.position).count() >= times
    }
}

#[cfg(test)]
mod tests {
    use makhos_rules::BoardSize;
    use makhos_rules::draw::official;
    use makhos_rules::game::{Game, GameEnd};
    use makhos_rules::variant;

    use super::*;
    use crate::random::Dice;

    /// Plays random games both ways; counts those that ended by no move, repetition, clocks and the road.
    fn compare<B: Board>(rules: &RuleSet, games: u64, seen: &mut [u32; 4]) {
        let draws = official::of(rules);
        for number in 0..games {
            let mut dice = Dice::of_game(11, number);
            let start = Position::<B>::start(rules);
            let mut game = Game::new(*rules, draws.clone(), start);
            let mut track = Track::new(rules, &draws, start);
            loop {
                let mut moves = rules.legal_moves(game.position());
                moves.sort_unstable();
                assert_eq!(track.moves(), moves);
                assert_eq!(track.position(), game.position());
                assert_eq!(track.counters, game.counters());
                assert_eq!(track.pieces(), game.position().piece_count());
                let names = |by: DrawnBy| by.name(&draws).expect("a rule").to_owned();
                let expected = game.draw().map(|reason| reason.name().to_owned());
                assert_eq!(track.drawn().map(names), expected);
                if moves.is_empty() {
                    assert!(matches!(game.end(), Some(GameEnd::Win(_))));
                    seen[0] += 1;
                    break;
                }
                if let Some(by) = track.drawn() {
                    seen[match by {
                        DrawnBy::Repetition => 1,
                        DrawnBy::Clock(_) => 2,
                        DrawnBy::Road => 3,
                    }] += 1;
                    break;
                }
                let mv = moves[dice.below(moves.len() as u32) as usize];
                game.play(&mv).expect("a legal move");
                track.play(mv);
            }
        }
    }

    #[test]
    fn it_agrees_with_a_game() {
        let mut seen = [0; 4];
        for rules in variant::ALL {
            match rules.board {
                BoardSize::Eight => compare::<u32>(rules, 150, &mut seen),
                BoardSize::Ten => compare::<u64>(rules, 25, &mut seen),
                BoardSize::Twelve => compare::<u128>(rules, 10, &mut seen),
            }
        }
        assert!(seen[..3].iter().all(|&count| count > 0), "{seen:?}");
    }
}

//! The search against a plain one, against tables and against drawing rules.

mod draws;
mod games;
mod plain;
mod tables;

use std::sync::Arc;

use makhos_rules::draw::DrawRules;
use makhos_rules::game::Game;
use makhos_rules::notation::fen;
use makhos_rules::{Board, Position, RuleSet};

use super::{Searcher, Settings, Switches};
use crate::eval::{Patterns, Weights};

/// An evaluation in which hardly two positions are equal.
fn scattered<B: Board>(rules: &RuleSet) -> Arc<Patterns<B>> {
    let mut weights = Weights::material_only::<B>(rules);
    for (index, value) in weights.values.iter_mut().enumerate() {
        let noise = (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
        *value += (noise as f32 / 65_536.0 - 0.5) / 5.0;
    }
    Arc::new(Patterns::new(rules, &weights).expect("weights of the variant"))
}

fn searcher<B: Board>(rules: &RuleSet, draws: &DrawRules, switches: Switches) -> Searcher<B> {
    let settings = Settings {
        table_entries: 1 << 14,
        switches,
    };
    Searcher::new(*rules, draws.clone(), scattered::<B>(rules), settings)
}

fn game<B: Board>(rules: &RuleSet, draws: &DrawRules, text: &str) -> Game<B> {
    let position = fen::parse::<B>(rules, text).expect("a position");
    Game::new(*rules, draws.clone(), position)
}

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    /// A game after so many random moves, or fewer if it is over before.
    fn game<B: Board>(&mut self, rules: &RuleSet, draws: &DrawRules, plies: usize) -> Game<B> {
        let mut game = Game::new(*rules, draws.clone(), Position::start(rules));
        for _ in 0..plies {
            let moves = rules.legal_moves(game.position());
            if moves.is_empty() || game.play(&moves[self.below(moves.len())]).is_err() {
                break;
            }
        }
        game
    }
}

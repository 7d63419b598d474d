//! Examples for tests: positions of random games.

use makhos_rules::{Board, Position, RuleSet};

use super::example::Example;
use crate::random::Dice;

/// So many examples from random games, with random targets.
pub(super) fn random_examples<B: Board>(
    rules: &RuleSet,
    count: usize,
    seed: u64,
) -> Vec<Example<B>> {
    let mut random = Dice::of_game(seed, 1);
    let mut examples = Vec::with_capacity(count);
    for game in 0_u64.. {
        let mut position = Position::<B>::start(rules);
        for _ in 0..120 {
            let moves = rules.legal_moves(&position);
            if moves.is_empty() {
                break;
            }
            position = position.make(&moves[random.index(moves.len())]);
            if examples.len() == count {
                return examples;
            }
            examples.push(Example {
                position,
                target: random.unit(),
                weight: 1.0,
                game,
            });
        }
    }
    examples
}

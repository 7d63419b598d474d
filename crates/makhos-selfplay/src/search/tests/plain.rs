//! A plain search of all moves, and the real one with everything off that could differ from it.

use makhos_rules::draw::{Counters, DrawRules, Progress, official};
use makhos_rules::variant;
use makhos_rules::{Board, BoardSize, Move, Position, RuleSet};

use super::{Dice, scattered, searcher};
use crate::eval::{Evaluator, Patterns};
use crate::score::Score;
use crate::search::{Hashing, Limits, Switches};

/// Visits everything, by the letter of the rules.
struct Plain<'a, B> {
    rules: &'a RuleSet,
    draws: &'a DrawRules,
    eval: &'a Patterns<B>,
    threats: u32,
}

/// A position with its past since the last move that cannot be taken back.
#[derive(Clone)]
struct At<B> {
    position: Position<B>,
    counters: Counters,
    past: Vec<Position<B>>,
    ply: u32,
    threats: u32,
}

impl<B: Board> Plain<'_, B> {
    fn after(&self, at: &At<B>, mv: &Move<B>) -> At<B> {
        let mut past = at.past.clone();
        past.push(at.position);
        if Progress::of(&at.position, mv).is_irreversible() {
            past.clear();
        }
        At {
            position: at.position.make(mv),
            counters: self.draws.after(at.counters, &at.position, mv),
            past,
            ply: at.ply + 1,
            threats: at.threats,
        }
    }

    fn value(&self, at: &At<B>, depth: u32) -> i32 {
        let moves = self.rules.legal_moves(&at.position);
        if moves.is_empty() {
            return Score::loss_in(at.ply).get();
        }
        let drawn = self.draws.drawn(&at.counters, &at.position).is_some();
        if at.ply > 0 && (drawn || at.past.contains(&at.position)) {
            return 0;
        }
        let mut at = at.clone();
        if depth == 0 && !moves[0].is_capture() {
            let turned = at.position.with_side(at.position.side().opponent());
            if at.threats == self.threats || !self.rules.has_capture(&turned) {
                return self.eval.evaluate(&at.position).get();
            }
            at.threats += 1;
        }
        let children = moves.iter().map(|mv| self.after(&at, mv));
        let values = children.map(|child| -self.value(&child, depth.saturating_sub(1)));
        values.max().unwrap_or(0)
    }
}

fn same_value<B: Board>(rules: &RuleSet, switches: Switches, depth: u32, games: usize) {
    let draws = official::of(rules);
    let eval = scattered::<B>(rules);
    let plain = Plain {
        rules,
        draws: &draws,
        eval: &eval,
        threats: switches.threats,
    };
    let mut searcher = searcher::<B>(rules, &draws, switches);
    let mut dice = Dice(u64::from(depth));
    for number in 0..games {
        let game = dice.game::<B>(rules, &draws, number * 5 % 90);
        if game.rules().legal_moves(game.position()).is_empty() {
            continue;
        }
        let at = At {
            position: *game.position(),
            counters: game.counters(),
            past: Vec::new(),
            ply: 0,
            threats: 0,
        };
        let report = searcher.search(&game, &Limits::depth(depth));
        // A forced win ends the search before.
        let expected = plain.value(&at, report.depth);
        assert_eq!(report.score.get(), expected, "{} {game:?}", rules.name);
        let best = report.best.expect("there are moves");
        let after = plain.after(&at, &best);
        assert_eq!(
            -plain.value(&after, report.depth - 1),
            expected,
            "{game:?} {best:?}"
        );
        assert_eq!(report.pv.first(), Some(&best));
    }
}

fn on_every_board(switches: Switches, depth: u32, games: usize) {
    for rules in variant::ALL {
        match rules.board {
            BoardSize::Eight => same_value::<u32>(rules, switches, depth, games),
            BoardSize::Ten => same_value::<u64>(rules, switches, depth.min(3), games / 2),
            BoardSize::Twelve => same_value::<u128>(rules, switches, depth.min(2), games / 2),
        }
    }
}

#[test]
fn without_switches_it_is_a_plain_search() {
    on_every_board(Switches::plain(), 4, 30);
}

#[test]
fn threats_are_looked_at_as_told() {
    let switches = Switches {
        threats: 1,
        ..Switches::plain()
    };
    on_every_board(switches, 3, 30);
}

#[test]
fn windows_and_pruning_by_distance_change_no_value() {
    let switches = Switches {
        windows: true,
        distance_pruning: true,
        ..Switches::plain()
    };
    on_every_board(switches, 4, 30);
    same_value::<u32>(&variant::ENGLISH, switches, 6, 20);
}

#[test]
fn the_hash_table_changes_no_value_at_the_same_depth() {
    let switches = Switches {
        windows: true,
        hashing: Hashing::SameDepth,
        ..Switches::plain()
    };
    // Openings: with kings, a value found by another way may rest on a repetition.
    for rules in [&variant::ENGLISH, &variant::RUSSIAN, &variant::THAI] {
        let draws = official::of(rules);
        let mut hashed = searcher::<u32>(rules, &draws, switches);
        let mut plain = searcher::<u32>(rules, &draws, Switches::plain());
        let mut dice = Dice(5);
        for number in 0..15 {
            let game = dice.game::<u32>(rules, &draws, number);
            let limits = Limits::depth(6);
            let (found, expected) = (hashed.search(&game, &limits), plain.search(&game, &limits));
            assert_eq!(found.score, expected.score, "{game:?}");
        }
    }
}

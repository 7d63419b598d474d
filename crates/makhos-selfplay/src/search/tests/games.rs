//! Whole games, the same result for the same input, and limits.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use makhos_rules::draw::official;
use makhos_rules::game::{Game, GameEnd};
use makhos_rules::variant::{self, INTERNATIONAL, RUSSIAN};
use makhos_rules::{Board, BoardSize, Color, Position, RuleSet};

use super::{Dice, game, searcher};
use crate::score::Score;
use crate::search::{Limits, Line, SearchReport, Switches};

/// Plays the engine against random moves; whether it has won.
fn against_random<B: Board>(rules: &RuleSet, side: Color) -> bool {
    let draws = official::of(rules);
    let mut searcher = searcher::<B>(rules, &draws, Switches::default());
    let mut line = Line::new(Game::new(*rules, draws, Position::<B>::start(rules)));
    let mut dice = Dice(3);
    for _ in 0..1_000 {
        if let Some(end) = line.game().end() {
            return end == GameEnd::Win(side);
        }
        if line.game().draw().is_some() {
            return false;
        }
        let position = *line.game().position();
        let mv = if position.side() == side {
            let report = searcher.search_line(&line, &Limits::nodes(300));
            let mut at = position;
            for mv in &report.pv {
                at = rules.play(&at, mv).expect("the expected line is legal");
            }
            report.best.expect("the game is not over")
        } else {
            let moves = rules.legal_moves(&position);
            moves[dice.below(moves.len())]
        };
        line.play(&mv).expect("moves are legal");
    }
    false
}

#[test]
fn every_variant_plays_legally_and_beats_chance() {
    for rules in variant::ALL {
        for side in [Color::White, Color::Black] {
            let won = match rules.board {
                BoardSize::Eight => against_random::<u32>(rules, side),
                BoardSize::Ten => against_random::<u64>(rules, side),
                BoardSize::Twelve => against_random::<u128>(rules, side),
            };
            assert!(won, "{} {side:?}", rules.name);
        }
    }
}

/// Without the time, which differs from run to run.
fn timeless<B>(mut report: SearchReport<B>) -> SearchReport<B> {
    report.time = Duration::ZERO;
    report
}

#[test]
fn the_same_input_gives_the_same_result() {
    let draws = official::of(&RUSSIAN);
    let games: Vec<Game<u32>> = (0..12)
        .map(|n| Dice(n).game(&RUSSIAN, &draws, 4 * n as usize))
        .collect();
    let all = |searcher: &mut super::Searcher<u32>| -> Vec<_> {
        let reports = games
            .iter()
            .map(|game| searcher.search(game, &Limits::nodes(3_000)));
        reports.map(timeless).collect()
    };
    let mut first = searcher::<u32>(&RUSSIAN, &draws, Switches::default());
    let expected = all(&mut first);
    first.new_game();
    assert_eq!(all(&mut first), expected, "a new game forgets everything");
    let mut second = searcher::<u32>(&RUSSIAN, &draws, Switches::default());
    assert_eq!(all(&mut second), expected);
    // What is remembered within a game is used.
    assert_ne!(all(&mut second), expected);
}

#[test]
fn limits_hold() {
    let draws = official::of(&INTERNATIONAL);
    let mut searcher = searcher::<u64>(&INTERNATIONAL, &draws, Switches::default());
    let game = Game::new(INTERNATIONAL, draws, Position::start(&INTERNATIONAL));
    for nodes in [1, 500, 10_000] {
        searcher.new_game();
        let report = searcher.search(&game, &Limits::nodes(nodes));
        assert!(report.best.is_some() && report.depth >= 1);
        assert!(report.nodes <= nodes || report.depth == 1, "{report:?}");
    }
    assert_eq!(searcher.search(&game, &Limits::depth(4)).depth, 4);
    let start = Instant::now();
    let report = searcher.search(&game, &Limits::time(Duration::from_millis(50)));
    assert!(report.best.is_some() && start.elapsed() < Duration::from_secs(5));
    let stopped = Limits {
        stop: Some(Arc::new(AtomicBool::new(true))),
        ..Limits::default()
    };
    assert_eq!(searcher.search(&game, &stopped).depth, 1);
}

#[test]
fn ends_and_single_moves() {
    let draws = official::of(&RUSSIAN);
    let mut searcher = searcher::<u32>(&RUSSIAN, &draws, Switches::default());
    let lost = game::<u32>(&RUSSIAN, &draws, "B:W5:B1");
    let stuck = searcher.search(&game::<u32>(&RUSSIAN, &draws, "W:W:B1"), &Limits::depth(3));
    assert_eq!((stuck.best, stuck.score), (None, Score::loss_in(0)));
    let single = Limits {
        forced_at_once: true,
        ..Limits::depth(9)
    };
    let report = searcher.search(&lost, &single);
    assert!(report.best.is_some() && report.depth <= 1, "{report:?}");
    let win = game::<u32>(&RUSSIAN, &draws, "W:W22:B18");
    let report = searcher.search(&win, &Limits::depth(5));
    assert_eq!((report.score, report.depth), (Score::win_in(1), 1));
}

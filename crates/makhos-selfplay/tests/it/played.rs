//! Games as the rules, the search and the tables see them.

use std::collections::HashSet;
use std::fs;
use std::num::NonZero;
use std::sync::Arc;

use makhos_probe::{Metric, Tablebase};
use makhos_rules::game::{Game, GameEnd};
use makhos_rules::variant::{CANADIAN, ENGLISH, INTERNATIONAL, ITALIAN, RUSSIAN, THAI};
use makhos_rules::{Board, Color, Position, RuleSet};
use makhos_selfplay::games::{
    Ending, GameRecord, GameResult, GameSettings, Players, Quiet, RandomGames, RunError, Shard,
};
use makhos_selfplay::{Limits, Line, Searcher, Settings};

use crate::support::{games, play, run_of, settings, tables};

/// Plays some games and looks at each as the rules see it.
fn check_run<B: Board>(rules: &RuleSet, count: u64) {
    let dir = tempfile::tempdir().expect("a directory");
    let run = run_of::<B>(
        rules,
        GameSettings {
            games: count,
            ..settings()
        },
    );
    let report = play(&run, dir.path(), 2);
    let all = games::<B>(&report);
    let mut openings = HashSet::new();
    for record in &all {
        record
            .check_ending(&run.draw_rules)
            .expect("as the rules say");
        let mut game = Game::new(*rules, run.draw_rules.clone(), Position::start(rules));
        for played in record.positions() {
            assert_eq!(played.position, *game.position());
            assert!(game.end().is_none() && game.draw().is_none());
            let searched = !played.is_opening && played.choices > 1;
            assert_eq!(played.score.is_some(), searched);
            game.play(&played.mv).expect("legal");
        }
        match record.ending() {
            Ending::NoMove => {
                let winner = match record.result() {
                    GameResult::White => Color::White,
                    GameResult::Black => Color::Black,
                    GameResult::Draw => panic!("a draw without a move"),
                };
                assert_eq!(game.end(), Some(GameEnd::Win(winner)));
            }
            Ending::Drawn(by) => {
                let name = game.draw().map(|reason| reason.name().to_owned());
                assert_eq!(by.name(&run.draw_rules).map(str::to_owned), name);
            }
            Ending::PlyLimit => assert_eq!(record.parts().plies.len(), 120),
            Ending::Tables => panic!("there are none"),
        }
        let opening = &record.parts().plies[..record.parts().opening];
        assert!((6..=10).contains(&opening.len()) && record.parts().balanced);
        openings.insert(opening.to_vec());
    }
    assert_eq!(openings.len() as u64, count, "all openings are different");
    let bytes = report.tally.bytes as f64 / report.tally.positions as f64;
    assert!(bytes < 4.0, "{bytes} bytes a position");
}

#[test]
fn games_of_every_board_obey_the_rules() {
    for rules in [ENGLISH, RUSSIAN, ITALIAN, THAI] {
        check_run::<u32>(&rules, 12);
    }
    check_run::<u64>(&INTERNATIONAL, 6);
    check_run::<u128>(&CANADIAN, 4);
}

#[test]
fn openings_are_balanced_and_scores_come_from_the_search() {
    let dir = tempfile::tempdir().expect("a directory");
    let run = run_of::<u32>(&RUSSIAN, settings());
    let report = play(&run, dir.path(), 2);
    let new_searcher = || {
        let search = Settings {
            table_entries: 1 << 10,
            ..Settings::default()
        };
        Searcher::new(
            RUSSIAN,
            run.draw_rules.clone(),
            Arc::clone(&run.eval),
            search,
        )
    };
    for record in games::<u32>(&report) {
        let start = Position::start(&RUSSIAN);
        let mut line = Line::new(Game::new(RUSSIAN, run.draw_rules.clone(), start));
        let mut searcher = new_searcher();
        for played in record.positions() {
            if played.ply == record.parts().opening {
                let judged = new_searcher().search_line(&line, &Limits::nodes(50));
                assert!(judged.score.get().abs() <= 100);
            }
            if let Some(score) = played.score {
                let found = searcher.search_line(&line, &Limits::nodes(60));
                assert_eq!(found.best, Some(played.mv));
                assert_eq!(found.score.get(), i32::from(score));
            }
            line.play(&played.mv).expect("legal");
        }
    }
}

#[test]
fn where_no_opening_is_balanced_the_best_one_is_marked() {
    let mut settings = settings();
    settings.opening.bound = 0;
    settings.opening.attempts = 2;
    settings.opening.plies = 15..=20;
    let dir = tempfile::tempdir().expect("a directory");
    let run = run_of::<u32>(&RUSSIAN, settings);
    let report = play(&run, dir.path(), 2);
    let all = games::<u32>(&report);
    let unbalanced = all.iter().filter(|game| !game.parts().balanced).count();
    assert!(unbalanced > 0);
    assert_eq!(report.tally.unbalanced, unbalanced as u64);
}

#[test]
fn tables_decide_games_as_they_know() {
    let tables_dir = tempfile::tempdir().expect("a directory");
    let tables = Arc::new(tables(ENGLISH, tables_dir.path(), Metric::Wld, 3));
    let mut run = run_of::<u32>(&ENGLISH, settings());
    run.settings.players = Players::Random;
    run.settings.games = 300;
    run.settings.shard_games = 100;
    run.tables = Some(Arc::clone(&tables));
    let dir = tempfile::tempdir().expect("a directory");
    let report = play(&run, dir.path(), 2);
    let mut seen = HashSet::new();
    for game in games::<u32>(&report) {
        assert!(
            game.positions()
                .all(|played| played.position.piece_count() > 3)
        );
        let last = game.last_position();
        if game.ending() == Ending::Tables {
            let value = tables.probe_wld(&last).expect("a value");
            assert_eq!(game.result().seen_by(last.side()), value);
            seen.insert(value);
        } else {
            let moves = ENGLISH.legal_moves(&last);
            assert!(
                moves.is_empty() || last.piece_count() > 3,
                "tables were not asked"
            );
        }
    }
    assert_eq!(seen.len(), 3, "wins, draws and losses");
    assert!(report.tally.by_tables > 20, "{:?}", report.tally);
    // Without tables it is another run, and tables of other rules are refused.
    run.tables = None;
    let one = NonZero::new(1).expect("one");
    let other = run.run(dir.path(), one, &Quiet).expect_err("refused");
    assert!(other.to_string().contains("pieces of tables"));
    let mut russian = run_of::<u32>(&RUSSIAN, settings());
    russian.tables = Some(tables);
    let other = russian.run(dir.path(), one, &Quiet);
    assert!(matches!(other, Err(RunError::OtherTables { .. })));
}

#[test]
fn a_table_that_cannot_be_read_stops_the_run() {
    let tables_dir = tempfile::tempdir().expect("a directory");
    fs::create_dir(tables_dir.path().join("english")).expect("a directory");
    for class in [
        "1k-1k", "2k-1k", "1m1k-1k", "1k-1m1k", "2k-1m", "1m1k-1m", "2m-1k", "2m-1m",
    ] {
        let path = tables_dir
            .path()
            .join("english")
            .join(format!("{class}.wld"));
        fs::write(path, "this is no table").expect("written");
    }
    let tables = Tablebase::<u32>::open(ENGLISH, tables_dir.path()).expect("a directory");
    let mut run = run_of::<u32>(&ENGLISH, settings());
    run.settings.players = Players::Random;
    run.settings.games = 200;
    run.tables = Some(Arc::new(tables));
    let dir = tempfile::tempdir().expect("a directory");
    let result = run.run(dir.path(), NonZero::new(2).expect("two"), &Quiet);
    assert!(matches!(result, Err(RunError::Tables(_))), "{result:?}");
}

#[test]
fn random_runs_are_random_games() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut run = run_of::<u32>(&RUSSIAN, settings());
    run.settings.players = Players::Random;
    run.settings.games = 40;
    let report = play(&run, dir.path(), 3);
    let mut random = RandomGames::<u32>::new(&RUSSIAN, &run.draw_rules, 5, 120);
    let all = games::<u32>(&report);
    // Backwards: a game does not depend on those before.
    for game in all.iter().rev() {
        assert_eq!(random.play(game.number()), *game);
    }
    assert_eq!(report.tally.scored, 0);
    let endings: HashSet<Ending> = all.iter().map(GameRecord::ending).collect();
    assert!(endings.len() > 1, "{endings:?}");
    let header = Shard::open(&report.shards[0].path).expect("intact");
    let info = &header.header().run;
    assert_eq!(info.rule_set(), Ok(RUSSIAN));
    assert_eq!(info.draw_rules(), Ok(run.draw_rules.clone()));
    assert_eq!((info.nodes, info.weights), (0, 0));
}

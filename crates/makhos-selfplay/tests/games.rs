//! Self-play: games, their files, and runs that are interrupted.

use std::collections::HashSet;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use makhos_index::classes;
use makhos_probe::{Metric, Tablebase};
use makhos_retro::Generator;
use makhos_rules::draw::{DrawRules, official};
use makhos_rules::game::{Game, GameEnd};
use makhos_rules::variant::{self, CANADIAN, ENGLISH, INTERNATIONAL, ITALIAN, RUSSIAN, THAI};
use makhos_rules::{Board, Color, Position, RuleSet};
use makhos_selfplay::eval::{Patterns, Weights};
use makhos_selfplay::games::shard::{list_shards, shard_name};
use makhos_selfplay::games::{
    DrawnBy, Ending, GameParts, GameRecord, GameResult, GameSettings, Monitor, OpeningSettings,
    Players, Ply, Quiet, RandomGames, RecordError, RunError, RunReport, SelfPlay, Shard,
    ShardError, ShardReport, Tally,
};
use makhos_selfplay::{Limits, Line, Searcher, Settings};
use proptest::prelude::*;
use sha2::{Digest, Sha256};

/// A short run: ten games in three files.
fn settings() -> GameSettings {
    GameSettings {
        games: 10,
        seed: 5,
        players: Players::Engine {
            nodes: 60,
            table_entries: 1 << 10,
        },
        opening: OpeningSettings {
            nodes: 50,
            ..OpeningSettings::default()
        },
        ply_limit: 120,
        shard_games: 4,
    }
}

fn run_of<B: Board>(rules: &RuleSet, settings: GameSettings) -> SelfPlay<B, Patterns<B>> {
    let weights = Weights::material_only::<B>(rules);
    SelfPlay {
        rules: *rules,
        draw_rules: official::of(rules),
        eval: Arc::new(Patterns::new(rules, &weights).expect("weights of the variant")),
        weights: weights.hash(),
        tables: None,
        settings,
    }
}

fn play<B: Board>(run: &SelfPlay<B, Patterns<B>>, dir: &Path, threads: usize) -> RunReport {
    let threads = NonZero::new(threads).expect("threads");
    run.run(dir, threads, &Quiet).expect("games")
}

/// Names and bytes of all files of games.
fn contents(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = list_shards(dir).expect("a list").into_iter();
    let read = |(_, path): (u64, PathBuf)| {
        let bytes = fs::read(&path).expect("read");
        (PathBuf::from(path.file_name().expect("a name")), bytes)
    };
    files.map(read).collect()
}

fn games<B: Board>(report: &RunReport) -> Vec<GameRecord<B>> {
    let shards = report.shards.iter();
    let open = |shard: &ShardReport| Shard::open(&shard.path).expect("intact");
    shards
        .flat_map(|shard| open(shard).games().expect("games"))
        .collect()
}

#[test]
fn bytes_do_not_depend_on_threads_and_runs_resume() {
    let run = run_of::<u32>(&RUSSIAN, settings());
    let dir = tempfile::tempdir().expect("a directory");
    let report = play(&run, dir.path(), 1);
    let expected = contents(dir.path());
    assert_eq!(expected.len(), 3);
    for threads in [2, 3] {
        let other = tempfile::tempdir().expect("a directory");
        play(&run, other.path(), threads);
        assert_eq!(contents(other.path()), expected, "{threads} threads");
    }
    // As a killed run leaves things: a file missing, one cut off, one damaged, one half written.
    let file = |number| dir.path().join(shard_name(number));
    let damages: [&dyn Fn(); 5] = [
        &|| fs::remove_file(file(1)).expect("removed"),
        &|| fs::write(file(0), &expected[0].1[..100]).expect("written"),
        &|| fs::write(file(2), b"").expect("written"),
        &|| {
            let mut bytes = expected[1].1.clone();
            bytes[200] ^= 4;
            fs::write(file(1), bytes).expect("written");
        },
        &|| fs::write(dir.path().join(".games-000001.mkg.x1.tmp"), "x").expect("written"),
    ];
    for damage in damages {
        damage();
        assert_eq!(play(&run, dir.path(), 2), report);
        assert_eq!(contents(dir.path()), expected);
    }
    let names = fs::read_dir(dir.path()).expect("a list").count();
    assert_eq!(names, 4, "three files and the lock");
}

/// Asks to stop when it has been asked so often, which is once a move at least.
#[derive(Default)]
struct Stopping {
    after: u64,
    asked: AtomicU64,
    games: AtomicU64,
    there: AtomicU64,
}

impl Monitor for Stopping {
    fn started(&self, there: &[ShardReport], _: u64) {
        self.there.store(there.len() as u64, Ordering::Relaxed);
    }

    fn game_finished(&self, game: &Tally) {
        self.games.fetch_add(game.games, Ordering::Relaxed);
    }

    fn should_stop(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.after
    }
}

#[test]
fn a_run_that_was_stopped_goes_on() {
    let run = run_of::<u32>(&ENGLISH, settings());
    let (dir, whole) = [(); 2]
        .map(|()| tempfile::tempdir().expect("a directory"))
        .into();
    let monitor = Stopping {
        after: 700,
        ..Stopping::default()
    };
    let stopped = run.run(dir.path(), NonZero::new(2).expect("two"), &monitor);
    let Err(RunError::Interrupted { finished, all: 10 }) = stopped else {
        panic!("{stopped:?}");
    };
    assert!(finished < 10 && finished.is_multiple_of(4), "{finished}");
    let monitor = Stopping {
        after: u64::MAX,
        ..Stopping::default()
    };
    run.run(dir.path(), NonZero::new(2).expect("two"), &monitor)
        .expect("the rest");
    assert_eq!(monitor.there.into_inner(), finished / 4);
    assert_eq!(monitor.games.into_inner(), 10 - finished);
    play(&run, whole.path(), 2);
    assert_eq!(contents(dir.path()), contents(whole.path()));
}

#[test]
fn another_run_in_the_directory_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    play(&run_of::<u32>(&RUSSIAN, settings()), dir.path(), 2);
    let refused = |run: SelfPlay<u32, Patterns<u32>>| {
        let result = run.run(dir.path(), NonZero::new(1).expect("one"), &Quiet);
        result.expect_err("refused").to_string()
    };
    let changed = |change: fn(&mut SelfPlay<u32, Patterns<u32>>)| {
        let mut run = run_of(&RUSSIAN, settings());
        change(&mut run);
        refused(run)
    };
    let seed = changed(|run| run.settings.seed = 6);
    assert!(seed.contains("seed is \"5\" there, \"6\" here"), "{seed}");
    assert!(seed.contains("games-000000.mkg"), "{seed}");
    assert!(changed(|run| run.weights ^= 1).contains("weights"));
    assert!(changed(|run| run.settings.players = Players::Random).contains("nodes"));
    assert!(changed(|run| run.settings.shard_games = 5).contains("games of a file"));
    assert!(changed(|run| run.settings.opening.bound += 1).contains("opening bound"));
    assert!(changed(|run| run.draw_rules = DrawRules::default()).contains("drawing rules"));
    assert!(changed(|run| run.settings.games = 9).contains("beyond the 9 of this run"));
    assert!(changed(|run| run.settings.games = 4).contains("beyond the 4 of this run"));
    assert!(changed(|run| run.settings.ply_limit = 3).contains("below the ply limit"));
    assert!(refused(run_of(&ENGLISH, settings())).contains("variant"));
    let international = run_of::<u64>(&INTERNATIONAL, settings());
    let wrong = SelfPlay::<u64, _> {
        rules: RUSSIAN,
        ..international
    };
    let result = wrong.run(dir.path(), NonZero::new(1).expect("one"), &Quiet);
    assert!(matches!(result, Err(RunError::OtherBoard { .. })));
}

#[test]
fn more_games_keep_those_there_are() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut run = run_of::<u32>(&THAI, settings());
    play(&run, dir.path(), 2);
    let before = contents(dir.path());
    run.settings.games = 13;
    let report = play(&run, dir.path(), 2);
    let after = contents(dir.path());
    assert_eq!(after.len(), 4);
    assert_eq!(after[..2], before[..2]);
    assert_ne!(after[2], before[2], "the last file was not full");
    assert_eq!(report.tally.games, 13);
    let numbers: Vec<u64> = games::<u32>(&report)
        .iter()
        .map(GameRecord::number)
        .collect();
    assert_eq!(numbers, (0..13).collect::<Vec<_>>());
}

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
    let generator = Generator::<u32>::new(ENGLISH, tables_dir.path(), Metric::Wld);
    let plan = generator.plan(&classes(3)).expect("a plan");
    generator.run(&plan, &makhos_retro::Quiet).expect("tables");
    let tables = Arc::new(Tablebase::<u32>::open(ENGLISH, tables_dir.path()).expect("tables"));
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

#[test]
fn every_changed_bit_of_a_file_is_noticed() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut run = run_of::<u32>(&RUSSIAN, settings());
    run.settings.games = 4;
    let report = play(&run, dir.path(), 2);
    let path = &report.shards[0].path;
    let mut bytes = fs::read(path).expect("read");
    assert!(bytes.len() > 600, "{}", bytes.len());
    Shard::from_bytes(path, &bytes).expect("intact");
    for bit in 0..8 * bytes.len() {
        bytes[bit / 8] ^= 1 << (bit % 8);
        let error = Shard::from_bytes(path, &bytes).expect_err("noticed");
        assert!(error.to_string().contains("games-000000.mkg"), "{error}");
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    for length in 0..bytes.len() {
        Shard::from_bytes(path, &bytes[..length]).expect_err("noticed");
    }
    bytes.push(0);
    Shard::from_bytes(path, &bytes).expect_err("noticed");
    // Whole, but of another board than asked for.
    let shard = Shard::open(path).expect("intact");
    assert!(matches!(shard.games::<u64>(), Err(ShardError::Game { .. })));
}

/// Gives a changed file the digest it should have, as one who wants to do harm would.
fn seal(bytes: &mut [u8]) {
    let content = bytes.len() - 48;
    let digest: [u8; 32] = Sha256::digest(&bytes[..content]).into();
    bytes[content..content + 32].copy_from_slice(&digest);
}

#[test]
fn changed_files_with_the_right_digest_do_no_harm() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut run = run_of::<u32>(&RUSSIAN, settings());
    run.settings.games = 4;
    let report = play(&run, dir.path(), 2);
    let path = &report.shards[0].path;
    let bytes = fs::read(path).expect("read");
    let mut newer = bytes.clone();
    newer[8] = 2;
    seal(&mut newer);
    let error = Shard::from_bytes(path, &newer).expect_err("another version");
    assert!(matches!(error, ShardError::Version { found: 2, .. }));
    // Such a file is not written over.
    fs::write(path, &newer).expect("written");
    let refused = run.run(dir.path(), NonZero::<usize>::MIN, &Quiet);
    assert!(matches!(
        refused,
        Err(RunError::Shard(ShardError::Version { .. }))
    ));
    let (mut opened, mut played) = (0, 0);
    for at in 10..bytes.len() - 48 {
        for change in [1, 0x80] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            seal(&mut changed);
            let Ok(shard) = Shard::from_bytes(path, &changed) else {
                continue;
            };
            opened += 1;
            played += usize::from(shard.games::<u32>().is_ok());
            let _ = (shard.rule_set(), shard.header().run.draw_rules());
        }
    }
    assert!(opened > 100 && played < opened, "{opened} {played}");
}

/// A random game with scores made up for it, as if some of its moves had been searched.
fn made_up<B: Board>(rules: &RuleSet, seed: u64, cut: usize, opening: usize) -> GameRecord<B> {
    let draws = official::of(rules);
    let game = RandomGames::<B>::new(rules, &draws, seed, 200).play(seed);
    let mut parts = game.parts().clone();
    if cut.is_multiple_of(3) && cut < parts.plies.len() {
        // Begins somewhere else.
        parts.start = game.positions().nth(cut).expect("a position").position;
        parts.plies.drain(..cut);
    }
    parts.opening = opening.min(parts.plies.len());
    let number = parts.opening;
    for (at, ply) in parts.plies.iter_mut().enumerate().skip(number) {
        let score = (at as u64 ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
        ply.score = (!score.is_multiple_of(5)).then_some((score as u16 as i16).max(-32_000));
    }
    parts.balanced = seed.is_multiple_of(2);
    GameRecord::new(*rules, parts).expect("a game")
}

fn check_bytes<B: Board>(rules: &RuleSet, seed: u64, cut: usize, opening: usize) {
    let game = made_up::<B>(rules, seed, cut, opening);
    let mut bytes = Vec::new();
    game.write(&mut bytes);
    let length = bytes.len();
    assert!(length <= 45 + 5 * game.parts().plies.len());
    bytes.extend([1, 2, 3]);
    let (read, rest) = GameRecord::<B>::read(*rules, seed, &bytes).expect("a game");
    assert_eq!((&read, rest), (&game, &[1, 2, 3][..]));
    bytes.truncate(length);
    // Changed bytes are an error, or another game that is written like that.
    for at in 0..length.min(80) {
        let bit = 1 << ((at as u64 ^ seed) % 8);
        bytes[at] ^= bit;
        if let Ok((other, rest)) = GameRecord::<B>::read(*rules, seed, &bytes) {
            let mut again = Vec::new();
            other.write(&mut again);
            again.extend(rest);
            assert!(again == bytes || bytes[0] & 3 != again[0] & 3, "{other:?}");
        }
        bytes[at] ^= bit;
        let cut_off = GameRecord::<B>::read(*rules, seed, &bytes[..at]);
        assert!(cut_off.is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn games_are_the_same_after_writing_and_reading(
        seed: u64,
        cut in 0_usize..60,
        opening in 0_usize..12,
    ) {
        for rules in variant::ALL {
            match rules.board.squares() {
                32 => check_bytes::<u32>(rules, seed, cut, opening),
                50 => check_bytes::<u64>(rules, seed, cut, opening),
                _ => check_bytes::<u128>(rules, seed, cut, opening),
            }
        }
    }

    #[test]
    fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = GameRecord::<u32>::read(THAI, 0, &bytes);
        let _ = GameRecord::<u128>::read(CANADIAN, 0, &bytes);
        let _ = Shard::from_bytes(Path::new("some"), &bytes);
    }
}

fn parts(fen: &str, indices: &[u32], result: GameResult, ending: Ending) -> GameParts<u32> {
    let ply = |&index| Ply { index, score: None };
    GameParts {
        number: 0,
        start: makhos_rules::notation::fen::parse(&RUSSIAN, fen).expect("a position"),
        plies: indices.iter().map(ply).collect(),
        opening: 0,
        balanced: true,
        result,
        ending,
    }
}

#[test]
fn games_that_cannot_be_are_refused() {
    let refused = |parts| GameRecord::new(RUSSIAN, parts).expect_err("refused");
    let (white, black, draw) = (GameResult::White, GameResult::Black, GameResult::Draw);
    // White takes the last man.
    let taken = |result, ending| parts("W:W22:B18", &[0], result, ending);
    let game = GameRecord::new(RUSSIAN, taken(white, Ending::NoMove)).expect("a game");
    assert!(game.last_position().pieces(Color::Black).is_empty());
    game.check_ending(&official::of(&RUSSIAN))
        .expect("nothing drew it");
    assert!(matches!(
        refused(taken(black, Ending::NoMove)),
        RecordError::Ending(_)
    ));
    assert!(matches!(
        refused(taken(draw, Ending::PlyLimit)),
        RecordError::Ending(_)
    ));
    assert!(matches!(
        refused(taken(white, Ending::Tables)),
        RecordError::Ending(_)
    ));
    let goes_on = |result, ending| parts("W:WK1:BK4", &[0], result, ending);
    assert!(matches!(
        refused(goes_on(white, Ending::NoMove)),
        RecordError::Ending(_)
    ));
    let repetition = Ending::Drawn(DrawnBy::Repetition);
    assert!(matches!(
        refused(goes_on(white, repetition)),
        RecordError::Ending(_)
    ));
    let game = GameRecord::new(RUSSIAN, goes_on(draw, repetition)).expect("possible");
    let official = official::of(&RUSSIAN);
    assert!(
        game.check_ending(&official).is_err(),
        "nothing was repeated"
    );
    let mut wrong = goes_on(draw, Ending::PlyLimit);
    wrong.plies[0].index = 99;
    let moves = RUSSIAN.legal_moves(&wrong.start).len();
    let expected = RecordError::Move {
        ply: 0,
        index: 99,
        moves,
    };
    assert_eq!(refused(wrong.clone()), expected);
    wrong.opening = 2;
    assert!(matches!(
        refused(wrong.clone()),
        RecordError::Opening { .. }
    ));
    wrong.opening = 1;
    wrong.plies[0] = Ply {
        index: 0,
        score: Some(1),
    };
    assert_eq!(refused(wrong), RecordError::OpeningScore(0));
    let other = GameRecord::<u32>::read(INTERNATIONAL, 0, &[]);
    assert!(matches!(other, Err(RecordError::OtherBoard { .. })));
}

#[test]
fn a_claimable_repetition_ends_a_game() {
    // Two kings on the long sides of an empty board, each back and forth.
    let draws = DrawRules {
        clocks: Vec::new(),
        ..official::of(&RUSSIAN)
    };
    let start = makhos_rules::notation::fen::parse::<u32>(&RUSSIAN, "W:WK30,K31:BK4,K3");
    let start = start.expect("a position");
    let mut game = Game::new(RUSSIAN, draws.clone(), start);
    let mut made = parts(
        "W:WK30,K31:BK4,K3",
        &[],
        GameResult::Draw,
        Ending::Drawn(DrawnBy::Repetition),
    );
    let mut back: [Option<makhos_rules::Move<u32>>; 2] = [None; 2];
    while game.draw().is_none() {
        let mut moves = RUSSIAN.legal_moves(game.position());
        moves.sort_unstable();
        let side = usize::from(game.position().side() == Color::Black);
        let quiet = |mv: &makhos_rules::Move<u32>| !RUSSIAN.has_capture(&game.position().make(mv));
        let index = match back[side] {
            Some(last) => moves
                .iter()
                .position(|mv| mv.from == last.to && mv.to == last.from),
            None => moves.iter().position(quiet),
        };
        let index = index.expect("a move");
        back[side] = Some(moves[index]);
        game.play(&moves[index]).expect("legal");
        made.plies.push(Ply {
            index: index as u32,
            score: None,
        });
    }
    assert_eq!(made.plies.len(), 8, "the third time is after eight plies");
    let record = GameRecord::new(RUSSIAN, made.clone()).expect("a game");
    record.check_ending(&draws).expect("drawn by repetition");
    made.plies.pop();
    let record = GameRecord::new(RUSSIAN, made).expect("a game");
    assert!(record.check_ending(&draws).is_err());
}

//! Runs: threads, interruptions, and directories of other runs.

use std::fs;
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};

use makhos_rules::draw::DrawRules;
use makhos_rules::variant::{ENGLISH, INTERNATIONAL, RUSSIAN, THAI};
use makhos_selfplay::eval::Patterns;
use makhos_selfplay::games::shard::shard_name;
use makhos_selfplay::games::{
    GameRecord, Monitor, Players, Quiet, RunError, SelfPlay, ShardReport, Tally,
};

use crate::support::{contents, games, play, run_of, settings};

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

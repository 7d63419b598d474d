//! Files of games: damage, harm, and bytes of games.

use std::fs;
use std::num::NonZero;
use std::path::Path;

use makhos_rules::draw::official;
use makhos_rules::variant::{self, CANADIAN, RUSSIAN, THAI};
use makhos_rules::{Board, RuleSet};
use makhos_selfplay::games::{GameRecord, Quiet, RandomGames, RunError, Shard, ShardError};
use proptest::prelude::*;
use sha2::{Digest, Sha256};

use crate::support::{play, run_of, settings};

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

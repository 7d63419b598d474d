//! A run: games on all threads, files in order.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use makhos_probe::{ProbeError, Tablebase};
use makhos_rules::draw::DrawRules;
use makhos_rules::{Board, RuleSet};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::directory::{self, DirectoryLock, io_error};
use super::header::{RunInfo, ShardHeader};
use super::player::Player;
use super::settings::{GameSettings, SettingsError};
use super::shard::{self, Shard, ShardError, shard_name};
use super::tally::Tally;
use crate::eval::Evaluator;
use crate::publish::publish;

/// Games of the engine against itself, or of random moves, into files of a directory.
///
/// The bytes of the files depend on nothing but what is in here; not on the number of threads, and not on
/// interruptions: a run goes on where it was killed, with the first file that is not complete. A run for more
/// games than before keeps what is there.
#[derive(Debug)]
pub struct SelfPlay<B, E> {
    /// The rules of the moves.
    pub rules: RuleSet,
    /// By which rules games are drawn. Draws that a player may claim are claimed.
    pub draw_rules: DrawRules,
    /// The evaluation; not used by random moves.
    pub eval: Arc<E>,
    /// A hash that tells the evaluation from others, for the files; see
    /// [`Weights::hash`](crate::eval::Weights::hash).
    pub weights: u64,
    /// Tables, which the search uses, and by which games are decided.
    pub tables: Option<Arc<Tablebase<B>>>,
    /// All other settings.
    pub settings: GameSettings,
}

/// Why a run failed or ended early. Complete files stay, and the same run resumes.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The settings have no meaning.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The variant is played on a board of another size.
    #[error("{variant} draughts is played on another board")]
    OtherBoard {
        /// The variant.
        variant: &'static str,
    },
    /// The tables are of other rules.
    #[error("the tables in {} are of other rules than the games", dir.display())]
    OtherTables {
        /// The directory of all tables.
        dir: PathBuf,
    },
    /// Another process writes games into the directory.
    #[error("{} is locked: another process writes games into this directory", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// The directory holds games of a run with other settings.
    #[error(
        "{} is of another run: {what} is \"{found}\" there, \"{expected}\" here; choose another directory",
        path.display()
    )]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// What is different.
        what: &'static str,
        /// What it is in the file.
        found: String,
        /// What it is in this run.
        expected: String,
    },
    /// The directory holds more games than the run has.
    #[error(
        "{} has games beyond the {games} of this run; choose another directory, or at least as many games",
        path.display()
    )]
    MoreGames {
        /// The file.
        path: PathBuf,
        /// Games of this run.
        games: u64,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// Tables cannot be read.
    #[error(transparent)]
    Tables(#[from] ProbeError),
    /// The monitor asked to stop.
    #[error("stopped with {finished} of {all} games in finished files")]
    Interrupted {
        /// Games in complete files.
        finished: u64,
        /// Games of the run.
        all: u64,
    },
}

/// Is told how a run proceeds, and may ask it to stop. Every method has a default that does nothing.
pub trait Monitor: Sync {
    /// Work begins: so many files are there already, so many are to be made.
    fn started(&self, there: &[ShardReport], to_make: u64) {
        let _ = (there, to_make);
    }

    /// A game is over. Games do not come in the order of their numbers.
    fn game_finished(&self, game: &Tally) {
        let _ = game;
    }

    /// A file is complete.
    fn shard_finished(&self, shard: &ShardReport) {
        let _ = shard;
    }

    /// A file left over by a killed run was removed.
    fn leftover_removed(&self, file: &Path) {
        let _ = file;
    }

    /// A file is damaged and will be made again.
    fn damaged_file(&self, file: &Path, why: &ShardError) {
        let _ = (file, why);
    }

    /// Whether to stop as soon as possible; asked by several threads.
    fn should_stop(&self) -> bool {
        false
    }
}

/// A [`Monitor`] that watches nothing and never stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Monitor for Quiet {}

/// A complete file of games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShardReport {
    /// Its number.
    pub number: u64,
    /// Where it is.
    pub path: PathBuf,
    /// The number of its first game in the run.
    pub first: u64,
    /// Figures of its games.
    pub tally: Tally,
    /// Its length.
    pub file_bytes: u64,
    /// SHA-256 of the whole file.
    pub sha256: [u8; 32],
}

impl ShardReport {
    pub(super) fn new(number: u64, path: &Path, shard: &Shard) -> Self {
        Self {
            number,
            path: path.to_owned(),
            first: shard.header().first,
            tally: shard.header().tally,
            file_bytes: shard.file_bytes(),
            sha256: shard.sha256(),
        }
    }
}

/// A finished run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunReport {
    /// What decides its games.
    pub info: RunInfo,
    /// All files, in order.
    pub shards: Vec<ShardReport>,
    /// Figures of all games.
    pub tally: Tally,
}

/// A game as a thread hands it on.
struct Finished {
    number: u64,
    bytes: Vec<u8>,
    tally: Tally,
}

/// The most games that wait for their file. Random games are played faster than a disk takes files.
const MOST_WAITING: usize = 4_096;

type Outcome = Result<Finished, ProbeError>;

impl<B: Board, E: Evaluator<B>> SelfPlay<B, E> {
    /// What decides the games, as their files tell it.
    #[must_use]
    pub fn info(&self) -> RunInfo {
        RunInfo::new(self)
    }

    /// Plays the games whose files are not in the directory yet, on so many threads.
    ///
    /// # Errors
    /// [`RunError`].
    pub fn run(
        &self,
        dir: &Path,
        threads: NonZero<usize>,
        monitor: &dyn Monitor,
    ) -> Result<RunReport, RunError> {
        self.check()?;
        let _lock = DirectoryLock::acquire(dir, monitor)?;
        let info = self.info();
        let mut shards = directory::there(dir, &info, &self.settings, monitor)?;
        let there: Vec<ShardReport> = shards.iter().flatten().cloned().collect();
        let missing: Vec<u64> = (0..self.settings.shards())
            .filter(|&number| shards[number as usize].is_none())
            .collect();
        monitor.started(&there, missing.len() as u64);
        let games: Vec<u64> = missing
            .iter()
            .flat_map(|&number| self.games_of(number))
            .collect();
        let next = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        let stopped = || stop.load(Ordering::Relaxed) || monitor.should_stop();
        let collected = thread::scope(|scope| {
            let (sender, receiver) = sync_channel(MOST_WAITING);
            for _ in 0..threads.get().min(games.len()) {
                let (sender, games, next) = (sender.clone(), &games, &next);
                scope.spawn(move || self.work(games, next, &stopped, &sender));
            }
            drop(sender);
            let collected = self.collect(dir, &info, &receiver, monitor, &mut shards);
            stop.store(true, Ordering::Relaxed);
            collected
        });
        collected?;
        self.report(info, shards)
    }

    fn check(&self) -> Result<(), RunError> {
        self.settings.check()?;
        if self.rules.board.squares() != B::SQUARES {
            return Err(RunError::OtherBoard {
                variant: self.rules.name,
            });
        }
        let rules = self.rules.move_rules_bytes();
        match &self.tables {
            Some(tables) if tables.rules().move_rules_bytes() != rules => {
                Err(RunError::OtherTables {
                    dir: tables.dir().to_owned(),
                })
            }
            _ => Ok(()),
        }
    }

    fn games_of(&self, shard: u64) -> std::ops::Range<u64> {
        let (first, games) = self.settings.shard(shard);
        first..first + u64::from(games)
    }

    /// Plays games, always the next one that no thread has begun.
    fn work(
        &self,
        games: &[u64],
        next: &AtomicUsize,
        stopped: &(dyn Fn() -> bool + Sync),
        sender: &SyncSender<Outcome>,
    ) {
        let mut player = Player::new(self);
        while !stopped() {
            let Some(&number) = games.get(next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let finished = match player.play(number, &stopped) {
                Ok(None) => return,
                Ok(Some(game)) => {
                    let mut bytes = Vec::new();
                    game.write(&mut bytes);
                    let tally = Tally::of_game(game.parts(), bytes.len());
                    Ok(Finished {
                        number,
                        bytes,
                        tally,
                    })
                }
                Err(error) => Err(error),
            };
            // Nobody listens any more when a file could not be written.
            if sender.send(finished).is_err() {
                return;
            }
        }
    }

    /// Puts games into files until no thread plays any more.
    fn collect(
        &self,
        dir: &Path,
        info: &RunInfo,
        finished: &Receiver<Outcome>,
        monitor: &dyn Monitor,
        shards: &mut [Option<ShardReport>],
    ) -> Result<(), RunError> {
        // Games are begun in order, so no more than two or three files are open at a time.
        let mut open: BTreeMap<u64, Vec<Finished>> = BTreeMap::new();
        for game in finished {
            let game = game?;
            monitor.game_finished(&game.tally);
            let number = game.number / u64::from(self.settings.shard_games);
            let games = open.entry(number).or_default();
            games.push(game);
            if games.len() < self.games_of(number).count() {
                continue;
            }
            let mut games = open.remove(&number).unwrap_or_default();
            games.sort_unstable_by_key(|game| game.number);
            let report = self.publish(dir, info, number, &games)?;
            monitor.shard_finished(&report);
            shards[number as usize] = Some(report);
        }
        Ok(())
    }

    fn publish(
        &self,
        dir: &Path,
        info: &RunInfo,
        number: u64,
        games: &[Finished],
    ) -> Result<ShardReport, RunError> {
        let (mut body, mut tally) = (Vec::new(), Tally::default());
        for game in games {
            body.extend(&game.bytes);
            tally.add(&game.tally);
        }
        let header = ShardHeader {
            run: info.clone(),
            first: self.settings.shard(number).0,
            tally,
        };
        let path = dir.join(shard_name(number));
        let encoded = shard::encode(&header, &body);
        let bytes = encoded.map_err(|source| io_error(&path, source))?;
        publish(&path, &bytes).map_err(|source| io_error(&path, source))?;
        Ok(ShardReport {
            number,
            path,
            first: header.first,
            tally,
            file_bytes: bytes.len() as u64,
            sha256: Sha256::digest(&bytes).into(),
        })
    }

    fn report(
        &self,
        info: RunInfo,
        shards: Vec<Option<ShardReport>>,
    ) -> Result<RunReport, RunError> {
        let shards: Vec<ShardReport> = shards.into_iter().flatten().collect();
        let mut tally = Tally::default();
        for shard in &shards {
            tally.add(&shard.tally);
        }
        if (shards.len() as u64) < self.settings.shards() {
            return Err(RunError::Interrupted {
                finished: tally.games,
                all: self.settings.games,
            });
        }
        Ok(RunReport {
            info,
            shards,
            tally,
        })
    }
}

//! The directory of a run: one process at a time, what a killed one left behind, and what is there.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use super::header::RunInfo;
use super::run::{Monitor, RunError, ShardReport};
use super::settings::GameSettings;
use super::shard::{Shard, ShardError, list_shards, parse_shard_name};

/// The name of the lock file.
const LOCK: &str = "selfplay.lock";

/// Held while games are written into a directory; the system releases it when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct DirectoryLock {
    _file: File,
}

impl DirectoryLock {
    /// Makes the directory, locks it, and removes what a killed run left behind.
    pub(super) fn acquire(dir: &Path, monitor: &dyn Monitor) -> Result<Self, RunError> {
        makhos_probe::create_directory(dir).map_err(|source| io_error(dir, source))?;
        let path = dir.join(LOCK);
        let mut options = File::options();
        let opened = options.create(true).truncate(false).write(true).open(&path);
        let file = opened.map_err(|source| io_error(&path, source))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(RunError::Locked { path }),
            Err(TryLockError::Error(source)) => return Err(io_error(&path, source)),
        }
        for leftover in leftovers(dir).map_err(|source| io_error(dir, source))? {
            fs::remove_file(&leftover).map_err(|source| io_error(&leftover, source))?;
            monitor.leftover_removed(&leftover);
        }
        Ok(Self { _file: file })
    }
}

pub(super) fn io_error(path: &Path, source: std::io::Error) -> RunError {
    RunError::Shard(ShardError::Io {
        path: path.to_owned(),
        source,
    })
}

/// Unfinished files, `.games-NNNNNN.mkg.*.tmp`.
fn leftovers(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(is_unfinished) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

fn is_unfinished(name: &str) -> bool {
    let inner = name
        .strip_prefix('.')
        .and_then(|name| name.strip_suffix(".tmp"));
    let shard = inner.and_then(|name| name.rsplit_once('.'));
    shard.is_some_and(|(shard, _)| parse_shard_name(shard).is_some())
}

/// The complete files of a run that are there, by their numbers. Damaged ones, and one that was the last of a
/// shorter run, are not among them: they are made again.
pub(super) fn there(
    dir: &Path,
    info: &RunInfo,
    settings: &GameSettings,
    monitor: &dyn Monitor,
) -> Result<Vec<Option<ShardReport>>, RunError> {
    let mut found = vec![None; settings.shards() as usize];
    for (number, path) in list_shards(dir)? {
        let Some(place) = found.get_mut(number as usize) else {
            return Err(RunError::MoreGames {
                path,
                games: settings.games,
            });
        };
        let shard = match Shard::open(&path) {
            Ok(shard) => shard,
            Err(error @ (ShardError::Damaged { .. } | ShardError::NotGames { .. })) => {
                monitor.damaged_file(&path, &error);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let header = shard.header();
        if let Some((what, expected, found)) = info.difference(&header.run) {
            return Err(RunError::OtherRun {
                path,
                what,
                found,
                expected,
            });
        }
        let (first, games) = settings.shard(number);
        let games = u64::from(games);
        if header.first != first {
            return Err(RunError::OtherRun {
                path,
                what: "first game",
                found: header.first.to_string(),
                expected: first.to_string(),
            });
        }
        if header.tally.games > games {
            return Err(RunError::MoreGames {
                path,
                games: settings.games,
            });
        }
        if header.tally.games == games {
            *place = Some(ShardReport::new(number, &path, &shard));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::run::Quiet;
    use super::*;

    #[test]
    fn a_second_lock_is_refused_and_leftovers_go() {
        let dir = tempfile::tempdir().expect("a directory");
        let leftover = dir.path().join(".games-000003.mkg.abc123.tmp");
        let kept = ["games-000003.mkg", ".notes.tmp", ".games-3.mkg.abc.tmp"]
            .map(|name| dir.path().join(name));
        for path in kept.iter().chain([&leftover]) {
            fs::write(path, "x").expect("written");
        }
        let lock = DirectoryLock::acquire(dir.path(), &Quiet).expect("free");
        assert!(!leftover.exists() && kept.iter().all(|path| path.exists()));
        let second = DirectoryLock::acquire(dir.path(), &Quiet);
        assert!(matches!(second, Err(RunError::Locked { .. })));
        drop(lock);
        DirectoryLock::acquire(dir.path(), &Quiet).expect("free again");
    }
}

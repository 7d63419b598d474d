//! One generating process a directory.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::checkpoint;
use crate::error::GenerateError;
use crate::monitor::Monitor;

/// The name of the lock file.
const LOCK: &str = "generate.lock";

/// Held while tables are generated into a directory; the system releases it when the process ends,
/// however it ends.
#[derive(Debug)]
pub(crate) struct DirectoryLock {
    _file: File,
}

impl DirectoryLock {
    /// Makes the directory, locks it, and removes what a killed run left behind.
    pub(crate) fn acquire(dir: &Path, monitor: &dyn Monitor) -> Result<Self, GenerateError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| GenerateError::Directory { path, source }
        };
        makhos_probe::create_directory(dir).map_err(failed(dir))?;
        let path = dir.join(LOCK);
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(failed(&path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(GenerateError::Locked { path }),
            Err(TryLockError::Error(source)) => {
                return Err(GenerateError::Directory { path, source });
            }
        }
        for leftover in leftovers(dir).map_err(failed(dir))? {
            fs::remove_file(&leftover).map_err(failed(&leftover))?;
            monitor.leftover_removed(&leftover);
        }
        Ok(Self { _file: file })
    }
}

/// Unfinished files, `.CLASS.METRIC.*.tmp`, and checkpoints of classes whose tables are there.
fn leftovers(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_leftover = |name: &str| is_unfinished(name) || is_outdated(dir, name);
        if name.to_str().is_some_and(is_leftover) {
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
    let table = inner.and_then(|name| name.rsplit_once('.'));
    table.is_some_and(|(table, _)| makhos_probe::parse_file_name(table).is_some())
}

fn is_outdated(dir: &Path, name: &str) -> bool {
    checkpoint::table_of(name).is_some_and(|table| dir.join(table).exists())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Quiet;

    #[test]
    fn a_second_lock_is_refused_and_leftovers_go() {
        let dir = tempfile::tempdir().expect("a directory");
        let leftover = dir.path().join(".2k-1k.wld.abc123.tmp");
        let outdated = dir.path().join(".2k-1k.wld.checkpoint");
        let kept = [
            "2k-1k.wld",
            ".notes.tmp",
            ".3k-1k.wld.checkpoint",
            ".2k.checkpoint",
        ]
        .map(|name| dir.path().join(name));
        for path in [&leftover, &outdated].into_iter().chain(&kept) {
            fs::write(path, "x").expect("written");
        }
        let lock = DirectoryLock::acquire(dir.path(), &Quiet).expect("free");
        assert!(!leftover.exists() && !outdated.exists());
        assert!(kept.iter().all(|path| path.exists()));
        let second = DirectoryLock::acquire(dir.path(), &Quiet);
        assert!(matches!(second, Err(GenerateError::Locked { .. })));
        drop(lock);
        DirectoryLock::acquire(dir.path(), &Quiet).expect("free again");
    }
}

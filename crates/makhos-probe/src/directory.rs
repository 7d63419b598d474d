//! Directories that survive a crash of the machine.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Makes a directory and those above it that are missing. When this returns, they survive a crash of
/// the machine. A directory that was there is left as it is.
///
/// # Errors
/// What the operating system reports; directories made by then stay.
pub fn create_directory(dir: &Path) -> io::Result<()> {
    create(dir, &mut sync)
}

/// [`create_directory`]; `sync` makes the names in a directory durable.
fn create(dir: &Path, sync: &mut impl FnMut(&Path) -> io::Result<()>) -> io::Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    let parent = parent(dir);
    create(parent, sync)?;
    match fs::create_dir(dir) {
        // Another process was quicker, and may not have made it durable yet.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => {}
        made => made?,
    }
    sync(parent)
}

/// The directory in which the name of `path` stands.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Makes the names in a directory durable.
pub(crate) fn sync(dir: &Path) -> io::Result<()> {
    // Windows cannot open a directory for this, nor needs it.
    if cfg!(unix) {
        File::open(dir)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a directory and lists which ones were synchronised.
    fn synced(dir: &Path) -> Vec<std::path::PathBuf> {
        let mut synced = Vec::new();
        let mut record = |dir: &Path| {
            synced.push(dir.to_owned());
            sync(dir)
        };
        create(dir, &mut record).expect("made");
        assert!(dir.is_dir());
        synced
    }

    #[test]
    fn every_directory_with_a_new_child_is_synchronised() {
        let root = tempfile::tempdir().expect("a directory");
        let tables = root.path().join("a").join("tables");
        let variant = tables.join("russian");
        let parents = [root.path(), &root.path().join("a"), &tables];
        assert_eq!(synced(&variant), parents);
        assert!(synced(&variant).is_empty());
        assert_eq!(synced(&tables.join("pool")), [tables]);
    }

    #[test]
    fn names_stand_in_the_directory_before_them() {
        for (path, expected) in [("a/b", "a"), ("a", "."), ("", "."), ("/", "."), ("/a", "/")] {
            assert_eq!(parent(Path::new(path)), Path::new(expected), "{path}");
        }
    }

    #[test]
    fn what_is_in_the_way_is_an_error() {
        let root = tempfile::tempdir().expect("a directory");
        let file = root.path().join("file");
        fs::write(&file, "").expect("written");
        assert!(create_directory(&file).is_err());
        assert!(create_directory(&file.join("russian")).is_err());
        let failing = &mut |_: &Path| Err(io::Error::other("the disk is gone"));
        assert!(create(&root.path().join("new"), failing).is_err());
    }
}

//! New versions of the files of a directory, put in place together.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::publish::sync_directory;

/// The directory in which new versions are written, and its name once they are complete.
const WRITING: &str = ".makhos-new.tmp";
const COMPLETE: &str = ".makhos-new";

/// New versions of some files of a directory.
///
/// They are written into a directory within it and moved out when all are complete. Until
/// [`commit`](Self::commit) nothing has changed; a process that is killed during it leaves what the next
/// [`begin`](Self::begin) brings to its end. Readers may find old and new files side by side for that moment,
/// each of them complete.
///
/// Two processes must not replace files of one directory at a time.
#[derive(Debug)]
pub struct Replacement {
    dir: PathBuf,
}

impl Replacement {
    /// Prepares to replace files of `dir`. What was committed before but not moved is moved first, what was not
    /// is thrown away.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn begin(dir: &Path) -> io::Result<Self> {
        let replacement = Self {
            dir: dir.to_owned(),
        };
        if dir.join(COMPLETE).is_dir() {
            replacement.put_in_place()?;
        }
        let writing = replacement.writing();
        if writing.is_dir() {
            fs::remove_dir_all(&writing)?;
        }
        fs::create_dir(&writing)?;
        Ok(replacement)
    }

    /// The directory into which new versions are to be written, under the names they shall have.
    #[must_use]
    pub fn writing(&self) -> PathBuf {
        self.dir.join(WRITING)
    }

    /// Replaces the files.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn commit(self) -> io::Result<()> {
        for entry in fs::read_dir(self.writing())? {
            fs::File::open(entry?.path())?.sync_all()?;
        }
        sync_directory(&self.writing())?;
        fs::rename(self.writing(), self.dir.join(COMPLETE))?;
        sync_directory(&self.dir)?;
        self.put_in_place()
    }

    fn put_in_place(&self) -> io::Result<()> {
        let complete = self.dir.join(COMPLETE);
        for entry in fs::read_dir(&complete)? {
            let entry = entry?;
            fs::rename(entry.path(), self.dir.join(entry.file_name()))?;
        }
        sync_directory(&self.dir)?;
        fs::remove_dir(&complete)
    }
}

impl Drop for Replacement {
    /// What was not committed is thrown away.
    fn drop(&mut self) {
        // There is none after a commit, and the next begin would remove it.
        let _ = fs::remove_dir_all(self.writing());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(dir: &Path, name: &str, text: &str) {
        fs::write(dir.join(name), text).expect("written");
    }

    fn read(dir: &Path) -> Vec<(String, String)> {
        let entries = fs::read_dir(dir).expect("a directory");
        let mut all: Vec<_> = entries
            .map(|entry| {
                let path = entry.expect("an entry").path();
                let name = path.file_name().expect("a name").to_string_lossy();
                (
                    name.into_owned(),
                    fs::read_to_string(&path).expect("a file"),
                )
            })
            .collect();
        all.sort();
        all
    }

    fn pairs(all: [(&str, &str); 2]) -> Vec<(String, String)> {
        all.map(|(name, text)| (name.to_owned(), text.to_owned()))
            .to_vec()
    }

    #[test]
    fn nothing_changes_before_the_commit() {
        let dir = tempfile::tempdir().expect("a directory");
        write(dir.path(), "a", "old a");
        write(dir.path(), "b", "old b");
        let replacement = Replacement::begin(dir.path()).expect("begun");
        write(&replacement.writing(), "a", "new a");
        drop(replacement);
        assert_eq!(read(dir.path()), pairs([("a", "old a"), ("b", "old b")]));
        let replacement = Replacement::begin(dir.path()).expect("begun");
        write(&replacement.writing(), "a", "new a");
        replacement.commit().expect("committed");
        assert_eq!(read(dir.path()), pairs([("a", "new a"), ("b", "old b")]));
    }

    #[test]
    fn a_killed_commit_is_brought_to_its_end_and_a_killed_writer_forgotten() {
        let dir = tempfile::tempdir().expect("a directory");
        write(dir.path(), "a", "new a");
        write(dir.path(), "b", "old b");
        // The first of two files had been moved.
        fs::create_dir(dir.path().join(COMPLETE)).expect("a directory");
        write(&dir.path().join(COMPLETE), "b", "new b");
        fs::create_dir(dir.path().join(WRITING)).expect("a directory");
        write(&dir.path().join(WRITING), "a", "half of a");
        drop(Replacement::begin(dir.path()).expect("begun"));
        assert_eq!(read(dir.path()), pairs([("a", "new a"), ("b", "new b")]));
    }
}

//! What a set of tables should consist of: the file `SHA256SUMS` in the directory of a variant.
//!
//! It is a text in the format of the tool `sha256sum`, so that `sha256sum --check SHA256SUMS` in that directory
//! compares all files: for each table the SHA-256 digest of the whole file in 64 lower-case hexadecimal digits,
//! two blanks, the name, a line feed; sorted by name. Tables of drawing rules are not in it. Nothing that
//! probes needs it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::directory;
use crate::paths::parse_file_name;

/// The name of the file.
pub const MANIFEST_NAME: &str = "SHA256SUMS";

/// The same while it is written.
const UNFINISHED: &str = ".SHA256SUMS.tmp";

/// Bytes that are read at once.
const CHUNK: usize = 1 << 20;

/// The names of the tables of a set and the digests of their files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Manifest {
    files: BTreeMap<String, [u8; 32]>,
}

/// How a directory differs from its manifest.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Error)]
#[non_exhaustive]
pub enum Discrepancy {
    /// A table that is listed is not there.
    #[error("{name} is listed in {MANIFEST_NAME} but missing: copy or generate it")]
    Missing {
        /// The name of the file.
        name: String,
    },
    /// A table that is there is not listed.
    #[error(
        "{name} is not listed in {MANIFEST_NAME}: it was added since; generating anything lists it"
    )]
    Extra {
        /// The name of the file.
        name: String,
    },
    /// A table has other bytes than the one that is listed.
    #[error("{name} is not the file that is listed in {MANIFEST_NAME}: copy or generate it again")]
    Different {
        /// The name of the file.
        name: String,
    },
}

impl Discrepancy {
    /// The name of the file.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Missing { name } | Self::Extra { name } | Self::Different { name } => name,
        }
    }
}

/// Why a manifest cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the operating system reports.
        source: io::Error,
    },
    /// A line is not a digest and the name of a table.
    #[error(
        "{}: line {line} is not a SHA-256 digest, two blanks and the name of a table: delete the file, \
         and generating anything makes it again",
        path.display()
    )]
    Line {
        /// The manifest.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
    },
}

impl Manifest {
    /// The manifest in the directory of a variant; `None` if there is none.
    ///
    /// # Errors
    /// [`ManifestError`] if it cannot be read or is not one.
    pub fn read(dir: &Path) -> Result<Option<Self>, ManifestError> {
        let path = dir.join(MANIFEST_NAME);
        match fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text, &path).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ManifestError::Io { path, source }),
        }
    }

    fn parse(text: &str, path: &Path) -> Result<Self, ManifestError> {
        let mut files = BTreeMap::new();
        for (line, text) in (1..).zip(text.lines()) {
            let entry = text
                .split_once("  ")
                .and_then(|(digits, name)| Some((digest_from(digits)?, name)))
                .filter(|(_, name)| parse_file_name(name).is_some());
            let Some((digest, name)) = entry else {
                let path = path.to_owned();
                return Err(ManifestError::Line { path, line });
            };
            files.insert(name.to_owned(), digest);
        }
        Ok(Self { files })
    }

    /// Brings the manifest of the directory of a variant up to date, or makes it: it lists what is there
    /// then. Only tables are read that it does not list yet or that are as new as it is. Without tables
    /// nothing is written. The bytes depend on the tables alone.
    ///
    /// # Errors
    /// [`ManifestError::Io`]. A manifest that is damaged is made again.
    pub fn update(dir: &Path) -> Result<Self, ManifestError> {
        let path = dir.join(MANIFEST_NAME);
        let old = Self::read(dir).ok().flatten().unwrap_or_default();
        let written = fs::metadata(&path).and_then(|data| data.modified()).ok();
        let mut files = BTreeMap::new();
        for name in table_names(dir)? {
            let file = dir.join(&name);
            let listed = old.files.get(&name).filter(|_| is_older(&file, written));
            let digest = match listed {
                Some(digest) => *digest,
                None => file_digest(&file)?,
            };
            files.insert(name, digest);
        }
        let manifest = Self { files };
        if !manifest.files.is_empty() && manifest != old {
            let written = write(dir, &path, &manifest.to_string());
            written.map_err(|source| ManifestError::Io { path, source })?;
        }
        Ok(manifest)
    }

    /// The names of the tables, sorted, and the digests of their files.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8; 32])> {
        let files = self.files.iter();
        files.map(|(name, digest)| (name.as_str(), digest))
    }

    /// Compares the names of the tables in a directory with those that are listed: which are missing and which
    /// are extra, sorted by name.
    ///
    /// # Errors
    /// [`ManifestError::Io`] if the directory cannot be listed.
    pub fn compare_names(&self, dir: &Path) -> Result<Vec<Discrepancy>, ManifestError> {
        let there = table_names(dir)?;
        let missing = self.files.keys().filter(|name| !there.contains(name));
        let extra = there.iter().filter(|name| !self.files.contains_key(*name));
        let mut all: Vec<_> = missing
            .map(|name| Discrepancy::Missing { name: name.clone() })
            .chain(extra.map(|name| Discrepancy::Extra { name: name.clone() }))
            .collect();
        all.sort_by(|a, b| a.name().cmp(b.name()));
        Ok(all)
    }

    /// Reads a whole table in a directory and compares its digest with the one that is listed. A table that
    /// is not listed differs from nothing.
    ///
    /// # Errors
    /// [`ManifestError::Io`] if it cannot be read.
    pub fn compare_file(
        &self,
        dir: &Path,
        name: &str,
    ) -> Result<Option<Discrepancy>, ManifestError> {
        let Some(listed) = self.files.get(name) else {
            return Ok(None);
        };
        let is_same = file_digest(&dir.join(name))? == *listed;
        Ok((!is_same).then(|| Discrepancy::Different { name: name.into() }))
    }
}

/// The text of the file.
impl std::fmt::Display for Manifest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (name, digest) in &self.files {
            for byte in digest {
                write!(f, "{byte:02x}")?;
            }
            writeln!(f, "  {name}")?;
        }
        Ok(())
    }
}

/// The names of the tables in a directory, sorted; none if it does not exist.
fn table_names(dir: &Path) -> Result<Vec<String>, ManifestError> {
    let io_error = |source| ManifestError::Io {
        path: dir.to_owned(),
        source,
    };
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io_error(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(io_error)?;
        let is_file = fs::metadata(entry.path()).is_ok_and(|data| data.is_file());
        if let Ok(name) = entry.file_name().into_string()
            && is_file
            && parse_file_name(&name).is_some()
        {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Whether a file has certainly not been changed since that time.
fn is_older(file: &Path, time: Option<SystemTime>) -> bool {
    let changed = fs::metadata(file).and_then(|data| data.modified());
    changed
        .ok()
        .zip(time)
        .is_some_and(|(changed, time)| changed < time)
}

/// The SHA-256 digest of a whole file, its footer included.
fn file_digest(path: &Path) -> Result<[u8; 32], ManifestError> {
    let digest = || {
        let mut file = File::open(path)?;
        let mut digest = Sha256::new();
        let mut bytes = vec![0; CHUNK];
        loop {
            match file.read(&mut bytes) {
                Ok(0) => return Ok(digest.finalize().into()),
                Ok(len) => digest.update(&bytes[..len]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(error) => return Err(error),
            }
        }
    };
    digest().map_err(|source| ManifestError::Io {
        path: path.to_owned(),
        source,
    })
}

/// A digest from its 64 lower-case digits.
fn digest_from(digits: &str) -> Option<[u8; 32]> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if digits.len() != 64 || !digits.as_bytes().iter().all(is_digit) {
        return None;
    }
    let mut digest = [0; 32];
    for (byte, at) in digest.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&digits[at..at + 2], 16).ok()?;
    }
    Some(digest)
}

/// Replaces the file by renaming a finished one over it. What a killed run has left of that, the next one
/// overwrites.
fn write(dir: &Path, path: &Path, text: &str) -> io::Result<()> {
    let unfinished = dir.join(UNFINISHED);
    let mut file = File::create(&unfinished)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&unfinished, path)?;
    directory::sync(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory with two files that are named like tables and one that is not.
    fn directory() -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a directory");
        for (name, text) in [("2k-1k.wld", "abc"), ("1k-1k.dtw", ""), ("note.txt", "")] {
            fs::write(dir.path().join(name), text).expect("written");
        }
        dir
    }

    const TEXT: &str = "\
e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  1k-1k.dtw
ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  2k-1k.wld
";

    #[test]
    fn it_is_what_sha256sum_writes() {
        let dir = directory();
        assert_eq!(Manifest::read(dir.path()).expect("readable"), None);
        let made = Manifest::update(dir.path()).expect("made");
        let text = fs::read_to_string(dir.path().join(MANIFEST_NAME)).expect("there");
        assert_eq!(text, TEXT);
        assert!(!dir.path().join(UNFINISHED).exists());
        assert_eq!(
            Manifest::read(dir.path()).expect("readable"),
            Some(made.clone())
        );
        assert_eq!(Manifest::update(dir.path()).expect("made"), made);
        assert_eq!(
            made.files().map(|(name, _)| name).collect::<Vec<_>>(),
            ["1k-1k.dtw", "2k-1k.wld"]
        );
        let nowhere = dir.path().join("nowhere");
        assert_eq!(
            Manifest::update(&nowhere).expect("nothing"),
            Manifest::default()
        );
        assert!(!nowhere.exists());
    }

    #[test]
    fn what_changed_since_is_read_again_and_the_rest_is_not() {
        let dir = directory();
        let old = "0".repeat(64);
        fs::write(
            dir.path().join(MANIFEST_NAME),
            format!("{old}  1k-1k.dtw\n{old}  2k-1k.wld\n{old}  2k-2k.wld\n"),
        )
        .expect("written");
        let set = |name: &str, seconds| {
            let file = File::options().write(true).open(dir.path().join(name));
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            file.and_then(|file| file.set_modified(time))
                .expect("a time");
        };
        set("1k-1k.dtw", 1000);
        set(MANIFEST_NAME, 2000);
        set("2k-1k.wld", 2000);
        let text = Manifest::update(dir.path()).expect("made").to_string();
        let read = TEXT.lines().nth(1).expect("two lines");
        assert_eq!(text, format!("{old}  1k-1k.dtw\n{read}\n"));
    }

    #[test]
    fn differences_are_told_by_name() {
        let dir = directory();
        let manifest = Manifest::update(dir.path()).expect("made");
        assert_eq!(manifest.compare_names(dir.path()).expect("listed"), []);
        fs::remove_file(dir.path().join("1k-1k.dtw")).expect("removed");
        fs::write(dir.path().join("2k-1k.wld"), "abd").expect("written");
        fs::write(dir.path().join("2k-1k.dtw"), "new").expect("written");
        let different = manifest.compare_names(dir.path()).expect("listed");
        let [name, extra] = ["1k-1k.dtw", "2k-1k.dtw"].map(str::to_owned);
        let expected = [
            Discrepancy::Missing { name },
            Discrepancy::Extra { name: extra },
        ];
        assert_eq!(different, expected);
        let name = "2k-1k.wld".to_owned();
        let compare = |name| manifest.compare_file(dir.path(), name);
        let found = compare("2k-1k.wld").expect("readable");
        assert_eq!(found, Some(Discrepancy::Different { name }));
        assert_eq!(compare("2k-1k.dtw").expect("not listed"), None);
        assert!(matches!(
            compare("1k-1k.dtw"),
            Err(ManifestError::Io { .. })
        ));
    }

    #[test]
    fn other_texts_are_refused_and_replaced() {
        let dir = directory();
        let path = dir.path().join(MANIFEST_NAME);
        let digits = &TEXT[..64];
        for (line, text) in [
            (1, "x".to_owned()),
            (1, format!("{digits} *2k-1k.wld\n")),
            (2, format!("{digits}  2k-1k.wld\n{digits}  ../2k-1k.wld\n")),
            (1, format!("{}  2k-1k.wld\n", digits.to_uppercase())),
            (1, format!("{}  2k-1k.wld\n", &digits[1..])),
            (1, format!("{}é  2k-1k.wld\n", &digits[2..])),
        ] {
            fs::write(&path, &text).expect("written");
            match Manifest::read(dir.path()) {
                Err(ManifestError::Line { line: found, .. }) => assert_eq!(found, line, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
            Manifest::update(dir.path()).expect("made again");
            assert_eq!(fs::read_to_string(&path).expect("there"), TEXT);
        }
    }
}

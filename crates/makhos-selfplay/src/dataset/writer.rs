//! Writing a data set: shards by split, under their names when all are complete.

use std::fs;
use std::path::{Path, PathBuf};

use makhos_rules::{Board, RuleSet};
use sha2::{Digest, Sha256};

use super::columns::{Columns, Row};
use super::{DatasetError, read_npz, read_parquet, write_npz, write_parquet};
use crate::random::scrambled;

/// What a row is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Split {
    /// Nine in ten games.
    Train,
    /// One in twenty, to stop training by.
    Validation,
    /// One in twenty, to measure what was trained.
    Test,
}

impl Split {
    /// All splits.
    pub const ALL: [Self; 3] = [Self::Train, Self::Validation, Self::Test];

    /// The split of a game: by a hash of its number, so that it is the same in every data set.
    #[must_use]
    pub fn of_game(game: u64) -> Self {
        match scrambled(game ^ 0x5EED_0F5E_7500_0000) % 20 {
            0 => Self::Validation,
            1 => Self::Test,
            _ => Self::Train,
        }
    }

    /// The split with this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|split| split.name() == name)
    }

    /// `train`, `validation` or `test`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Validation => "validation",
            Self::Test => "test",
        }
    }
}

/// How rows are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Parquet, compressed by zstd.
    Parquet,
    /// NumPy's `.npz`.
    Npz,
}

impl Form {
    /// `parquet` or `npz`, which is also the extension of file names.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Npz => "npz",
        }
    }
}

impl Form {
    /// The form of the file with this name, by its extension.
    #[must_use]
    pub fn of_file(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        [Self::Parquet, Self::Npz]
            .into_iter()
            .find(|form| form.name() == extension)
    }

    /// Writes rows to a new file; `metadata` is for Parquet.
    ///
    /// # Errors
    /// [`DatasetError`].
    pub fn write(
        self,
        columns: &Columns,
        metadata: &[(&str, String)],
        path: &Path,
    ) -> Result<(), DatasetError> {
        match self {
            Self::Parquet => write_parquet(columns, metadata, path),
            Self::Npz => write_npz(columns, path),
        }
    }

    /// Reads rows on a board of so many squares.
    ///
    /// # Errors
    /// [`DatasetError`].
    pub fn read(self, path: &Path, squares: u32) -> Result<Columns, DatasetError> {
        match self {
            Self::Parquet => read_parquet(path, squares),
            Self::Npz => read_npz(path, squares),
        }
    }
}

/// A file of a data set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DatasetFile {
    /// Its name, as `train-00000-of-00004.parquet`.
    pub name: String,
    /// Its split.
    pub split: Split,
    /// Rows.
    pub rows: u64,
    /// Rows that the tables know.
    pub exact: u64,
    /// Bytes.
    pub bytes: u64,
    /// SHA-256 digest in hexadecimal digits.
    pub sha256: String,
}

impl DatasetFile {
    /// Describes a complete file with these rows.
    ///
    /// # Errors
    /// [`DatasetError::Io`].
    pub fn describe(path: &Path, split: Split, columns: &Columns) -> Result<Self, DatasetError> {
        let counts = [columns.len() as u64, columns.exact() as u64];
        Self::with_counts(path, split, counts)
    }

    fn with_counts(
        path: &Path,
        split: Split,
        [rows, exact]: [u64; 2],
    ) -> Result<Self, DatasetError> {
        let bytes = fs::read(path).map_err(|source| io(path, source))?;
        let name = path.file_name().unwrap_or_default();
        let digest = Sha256::digest(&bytes);
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            split,
            rows,
            exact,
            bytes: bytes.len() as u64,
            sha256: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    }
}

/// Collects rows and writes a file whenever enough have come.
///
/// The same rows in the same order give the same bytes. Files have temporary names until
/// [`finish`](Self::finish).
#[derive(Debug)]
pub struct DatasetWriter {
    dir: PathBuf,
    rules: RuleSet,
    form: Form,
    rows_per_file: usize,
    metadata: Vec<(&'static str, String)>,
    open: [Columns; 3],
    /// Files written so far: the number among those of the split, rows, exact rows.
    written: [Vec<(PathBuf, u64, u64)>; 3],
}

impl DatasetWriter {
    /// A writer into `dir`, which is made if it is missing. `metadata` is written into Parquet files.
    ///
    /// # Errors
    /// [`DatasetError::Io`].
    pub fn new<B: Board>(
        dir: &Path,
        rules: &RuleSet,
        form: Form,
        rows_per_file: usize,
        metadata: Vec<(&'static str, String)>,
    ) -> Result<Self, DatasetError> {
        fs::create_dir_all(dir).map_err(|source| io(dir, source))?;
        Ok(Self {
            dir: dir.to_owned(),
            rules: *rules,
            form,
            rows_per_file: rows_per_file.max(1),
            metadata,
            open: std::array::from_fn(|_| Columns::new::<B>()),
            written: Default::default(),
        })
    }

    /// Adds a row to the split of its game.
    ///
    /// # Errors
    /// [`DatasetError`], if a file is full and cannot be written.
    pub fn push<B: Board>(&mut self, row: &Row<B>) -> Result<(), DatasetError> {
        let split = Split::of_game(row.game) as usize;
        self.open[split].push(&self.rules, row);
        if self.open[split].len() == self.rows_per_file {
            self.write::<B>(split)?;
        }
        Ok(())
    }

    /// Writes what is left and gives all files their names. Files of the same form that a data set before
    /// has left in the directory are removed.
    ///
    /// # Errors
    /// [`DatasetError`].
    pub fn finish<B: Board>(mut self) -> Result<Vec<DatasetFile>, DatasetError> {
        for split in 0..3 {
            if !self.open[split].is_empty() {
                self.write::<B>(split)?;
            }
        }
        self.remove_old()?;
        let mut files = Vec::new();
        for (split, written) in Split::ALL.into_iter().zip(&self.written) {
            for (number, (temporary, rows, exact)) in written.iter().enumerate() {
                let name = format!(
                    "{}-{number:05}-of-{:05}.{}",
                    split.name(),
                    written.len(),
                    self.form.name()
                );
                let path = self.dir.join(&name);
                fs::rename(temporary, &path).map_err(|source| io(&path, source))?;
                files.push(DatasetFile::with_counts(&path, split, [*rows, *exact])?);
            }
        }
        Ok(files)
    }

    fn write<B: Board>(&mut self, split: usize) -> Result<(), DatasetError> {
        let columns = std::mem::replace(&mut self.open[split], Columns::new::<B>());
        let number = self.written[split].len();
        let name = format!(".{}-{number:05}.tmp", Split::ALL[split].name());
        let path = self.dir.join(name);
        self.form.write(&columns, &self.metadata, &path)?;
        let (rows, exact) = (columns.len() as u64, columns.exact() as u64);
        self.written[split].push((path, rows, exact));
        Ok(())
    }

    fn remove_old(&self) -> Result<(), DatasetError> {
        let failed = |source| io(&self.dir, source);
        for entry in fs::read_dir(&self.dir).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            let ours = |name: &String| {
                name.ends_with(&format!(".{}", self.form.name()))
                    && name.contains("-of-")
                    && Split::ALL
                        .iter()
                        .any(|split| name.starts_with(split.name()))
            };
            if name.as_ref().is_some_and(ours) {
                fs::remove_file(&path).map_err(|source| io(&path, source))?;
            }
        }
        Ok(())
    }
}

fn io(path: &Path, source: std::io::Error) -> DatasetError {
    DatasetError::Io {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use makhos_rules::{Position, variant};

    use super::super::columns::LabelSource;
    use super::*;

    fn row(game: u64, ply: u16) -> Row<u32> {
        Row {
            game,
            ply,
            position: Position::start(&variant::ENGLISH),
            mv: None,
            score: None,
            result: None,
            source: LabelSource::Game,
            outcome: None,
            distance: None,
        }
    }

    fn write(dir: &Path, form: Form) -> Vec<DatasetFile> {
        let metadata = vec![("variant", "english".to_owned())];
        let writer = DatasetWriter::new::<u32>(dir, &variant::ENGLISH, form, 100, metadata);
        let mut writer = writer.expect("a directory");
        for game in 0..200 {
            for ply in 0..3 {
                writer.push(&row(game, ply)).expect("room");
            }
        }
        writer.finish::<u32>().expect("room")
    }

    #[test]
    fn files_are_named_by_split_and_replace_older_ones() {
        for form in [Form::Parquet, Form::Npz] {
            let dir = tempfile::tempdir().expect("a directory");
            fs::write(
                dir.path()
                    .join(format!("train-00007-of-00008.{}", form.name())),
                "old",
            )
            .expect("room");
            fs::write(dir.path().join("README.md"), "kept").expect("room");
            let files = write(dir.path(), form);
            assert_eq!(files.iter().map(|file| file.rows).sum::<u64>(), 600);
            let rows = |split| {
                let of_split = files.iter().filter(|file| file.split == split);
                of_split.map(|file| file.rows).sum::<u64>()
            };
            assert!(rows(Split::Train) > 480 && rows(Split::Test) > 0);
            assert!(files[0].name.starts_with("train-00000-of-0000"));
            let names = fs::read_dir(dir.path()).expect("a directory").count();
            assert_eq!(names, files.len() + 1);
            assert_eq!(write(dir.path(), form), files);
        }
    }

    #[test]
    fn a_game_has_one_split() {
        let of = Split::of_game;
        assert!((0..1000).all(|game| of(game) == of(game)));
        let held_out = (0..10_000).filter(|&game| of(game) != Split::Train).count();
        assert!(held_out.abs_diff(1000) < 150, "{held_out}");
    }
}

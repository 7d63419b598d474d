//! The tables of a directory, each opened when it is first needed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::error::TableError;
use crate::source::Access;
use crate::table::Table;

/// A table that is there and may be open.
#[derive(Debug)]
pub(crate) struct Entry {
    path: PathBuf,
    table: OnceLock<Table>,
}

impl Entry {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            table: OnceLock::new(),
        }
    }

    /// The table, opened the first time and compared with its name by `expect`.
    #[inline]
    pub(crate) fn opened(
        &self,
        access: Access,
        expect: impl FnOnce(&Table) -> Result<(), TableError>,
    ) -> Result<&Table, TableError> {
        if let Some(table) = self.table.get() {
            return Ok(table);
        }
        // Threads that meet here open it twice and keep one. An error is not kept, so that the next
        // probe tries again.
        let table = Table::open(&self.path, access)?;
        expect(&table)?;
        Ok(self.table.get_or_init(|| table))
    }
}

/// The tables in a directory: what `parse` makes of their names. A directory that does not exist counts as
/// empty.
pub(crate) fn list<T>(dir: &Path, parse: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, TableError> {
    let failed = |source| TableError::Io {
        path: dir.to_owned(),
        source,
    };
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let Some(table) = name.to_str().and_then(&parse) else {
            continue;
        };
        // Opening a pipe or a device of that name could wait for ever.
        if fs::metadata(entry.path()).is_ok_and(|data| data.is_file()) {
            found.push(table);
        }
    }
    Ok(found)
}

//! Where complete values lie while tables are generated.
//!
//! The files that are published leave values out where the side to move must capture: a prober finds them
//! by searching, and the files are several times smaller. A solver has no time for that, so each class is
//! also written with all its values, into the directory `work` beside those of the variants. These files are
//! removed when all that was asked for is there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use makhos_index::Material;
use makhos_probe::{Access, Metric, Table, TableError, table_path, variant_directory};
use makhos_rules::RuleSet;

use crate::error::GenerateError;

/// The directory of tables with all values, below that of all tables.
const WORK: &str = "work";

/// The directory that takes the place of `dir`, the one of all tables, for tables with all values.
pub(crate) fn work_directory(dir: &Path) -> PathBuf {
    dir.join(WORK)
}

/// The table of a class with all values: from the work directory, or from `dir` itself.
///
/// # Errors
/// [`GenerateError::Table`] if there is none, or if it is damaged or another one;
/// [`GenerateError::NoCaptureValues`] if there is one without the values at captures.
pub(crate) fn open_complete(
    dir: &Path,
    rules: &RuleSet,
    material: Material,
    metric: Metric,
    access: Access,
) -> Result<Table, GenerateError> {
    let work = table_path(&work_directory(dir), rules, material, metric);
    let published = table_path(dir, rules, material, metric);
    let path = if work.exists() { work } else { published };
    let table = Table::open(&path, access)?;
    table.expect(rules, material, metric)?;
    if !table.stores_captures() {
        return Err(GenerateError::NoCaptureValues { path });
    }
    Ok(table)
}

/// Whether [`open_complete`] has something to open.
///
/// # Errors
/// [`TableError`] if the file is damaged or another table.
pub(crate) fn is_complete(
    dir: &Path,
    rules: &RuleSet,
    material: Material,
    metric: Metric,
) -> Result<bool, GenerateError> {
    match open_complete(dir, rules, material, metric, Access::Read) {
        Ok(_) => Ok(true),
        Err(GenerateError::NoCaptureValues { .. }) => Ok(false),
        Err(GenerateError::Table(TableError::Io { source, .. }))
            if source.kind() == io::ErrorKind::NotFound =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Removes the complete tables of these rules.
///
/// # Errors
/// What the operating system reports; those that are not there are no error.
pub(crate) fn remove(dir: &Path, rules: &RuleSet) -> io::Result<()> {
    let work = work_directory(dir);
    match fs::remove_dir_all(work.join(variant_directory(rules))) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // Another run may have something there.
    let _ = fs::remove_dir(work);
    Ok(())
}

//! Files that appear only when they are complete.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Writes a file, which appears under its name only when it is complete and on the disk, and replaces one of that
/// name.
pub(crate) fn publish(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let dir = parent.unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!(".{name}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    // Temporary files are private by default, these are as open as the user's other files.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(dir)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    sync_directory(dir)
}

/// Makes sure that the names in a directory are on the disk.
pub(crate) fn sync_directory(dir: &Path) -> io::Result<()> {
    // Windows cannot open a directory for this, nor needs it.
    if cfg!(unix) {
        fs::File::open(dir)?.sync_all()?;
    }
    Ok(())
}

//! The file of a table while it is written.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::directory;
use crate::format::{END_MAGIC, FOOTER_LEN, Footer, INDEX_ENTRY_LEN};

/// The temporary file, counted and digested as it grows.
#[derive(Debug)]
pub(super) struct Output {
    file: BufWriter<NamedTempFile>,
    digest: Sha256,
    len: u64,
}

impl Output {
    /// A temporary file beside `path`, whose last part is `name`.
    pub(super) fn create(path: &Path, name: &str) -> io::Result<Self> {
        let dir = directory::parent(path);
        directory::create_directory(dir)?;
        let prefix = format!(".{name}.");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".tmp");
        // Temporary files are private by default, tables are as open as the user's other files.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        Ok(Self {
            file: BufWriter::with_capacity(1 << 17, builder.tempfile_in(dir)?),
            digest: Sha256::new(),
            len: 0,
        })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.digest.update(bytes);
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Adds block index and footer, makes everything durable and gives the file its name. Returns the
    /// file's length and digest.
    pub(super) fn finish(mut self, index: &[u8], path: &Path) -> io::Result<(u64, [u8; 32])> {
        debug_assert_eq!(index.len() % INDEX_ENTRY_LEN, 0);
        self.write(index)?;
        let index_crc = crc32fast::hash(index);
        self.digest.update(index_crc.to_le_bytes());
        let footer = Footer {
            index_crc,
            sha256: self.digest.finalize().into(),
            file_len: self.len + FOOTER_LEN as u64,
            end_magic: END_MAGIC,
        };
        self.file.write_all(&footer.encode())?;
        let file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        directory::sync(directory::parent(path))?;
        Ok((footer.file_len, footer.sha256))
    }
}

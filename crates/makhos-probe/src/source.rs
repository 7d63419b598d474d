//! Where the bytes of a table come from.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;

/// Random access to the bytes of one file.
///
/// Implementations read concurrently without locks.
pub trait ByteSource: Send + Sync {
    /// The number of bytes.
    fn len(&self) -> u64;

    /// The bytes in `range`, borrowed where they are in memory already.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if the range is not within [`len`](Self::len), before anything
    /// is allocated; otherwise what the operating system reports.
    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>>;

    /// Whether every read of a range gives the same bytes. Blocks from a source that does not promise
    /// it are compared with their checksum whenever they are decoded, else only the first time.
    fn is_unchanging(&self) -> bool {
        false
    }

    /// Whether there is not a single byte.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// How a [`Tablebase`](crate::Tablebase) reads its files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Access {
    /// Map them into memory: the quickest. Files must not be changed in place while they are open.
    #[default]
    Map,
    /// Read each block when it is needed and compare it with its checksum every time. A file that is
    /// cut off or changed meanwhile is an error, neither a crash nor a wrong value.
    Read,
}

/// The range as a slice of `bytes`.
fn slice(bytes: &[u8], range: Range<u64>) -> io::Result<&[u8]> {
    let start = usize::try_from(range.start).map_err(|_| io::ErrorKind::UnexpectedEof)?;
    let end = usize::try_from(range.end).map_err(|_| io::ErrorKind::UnexpectedEof)?;
    bytes
        .get(start..end)
        .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// Bytes in memory.
impl ByteSource for Vec<u8> {
    fn len(&self) -> u64 {
        self.as_slice().len() as u64
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        slice(self, range).map(Cow::Borrowed)
    }

    fn is_unchanging(&self) -> bool {
        true
    }
}

/// A file of which ranges are read at a position (`pread`).
#[derive(Debug)]
pub struct FileSource {
    file: File,
    len: u64,
}

impl FileSource {
    /// Reads from `file`, whose present length counts.
    ///
    /// # Errors
    /// If the length cannot be found out.
    pub fn new(file: File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        Ok(Self { file, len })
    }
}

impl ByteSource for FileSource {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        if range.start > range.end || range.end > self.len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let len =
            usize::try_from(range.end - range.start).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut bytes = vec![0; len];
        read_exact_at(&self.file, &mut bytes, range.start)?;
        Ok(Cow::Owned(bytes))
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[read..];
        offset += read as u64;
    }
    Ok(())
}

/// A file mapped into memory.
#[derive(Debug)]
pub struct MapSource(memmap2::Mmap);

impl MapSource {
    /// Maps `file`.
    ///
    /// # Errors
    /// What the operating system reports.
    ///
    /// # Safety
    /// Until the source is dropped no process may change the file in place or cut it off: the bytes
    /// are handed out as `&[u8]`, which must not change, and touching a page that no longer exists
    /// kills the process (SIGBUS). Replacing the file by renaming another over it is harmless.
    #[allow(unsafe_code)]
    pub unsafe fn new(file: &File) -> io::Result<Self> {
        // SAFETY: the caller promises what `memmap2` asks for.
        unsafe { memmap2::Mmap::map(file) }.map(Self)
    }
}

impl ByteSource for MapSource {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        slice(&self.0, range).map(Cow::Borrowed)
    }

    /// Whoever mapped the file has promised it.
    fn is_unchanging(&self) -> bool {
        true
    }
}

/// Opens `file` as a table's source.
///
/// With [`Access::Map`] this relies on what [`Tablebase`](crate::Tablebase) asks of its user: that
/// table files are not changed in place while they are open.
pub(crate) fn open(file: File, access: Access) -> io::Result<Box<dyn ByteSource>> {
    match access {
        Access::Read => Ok(Box::new(FileSource::new(file)?)),
        #[allow(unsafe_code)]
        Access::Map => {
            // SAFETY: table files appear by renaming a finished file and our code never opens one for
            // writing; users are told not to change them while they are open.
            let map = unsafe { MapSource::new(&file) }?;
            Ok(Box::new(map))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn sources() -> Vec<Box<dyn ByteSource>> {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut file = tempfile::tempfile().expect("a temporary file");
        file.write_all(&bytes).expect("write");
        let again = || file.try_clone().expect("a second handle");
        vec![
            open(again(), Access::Map).expect("map"),
            open(again(), Access::Read).expect("open"),
            Box::new(bytes),
        ]
    }

    #[test]
    fn every_source_gives_the_same_bytes() {
        for source in sources() {
            assert_eq!(source.len(), 256);
            assert!(!source.is_empty());
            assert_eq!(*source.read(3..6).expect("within"), [3, 4, 5]);
            assert_eq!(*source.read(256..256).expect("within"), []);
        }
    }

    #[test]
    #[allow(clippy::reversed_empty_ranges)]
    fn ranges_beyond_the_end_are_errors() {
        for source in sources() {
            for range in [255..257, 300..301, 0..u64::MAX, 5..3] {
                let error = source.read(range).expect_err("beyond the end");
                assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
            }
        }
    }

    #[test]
    fn only_files_that_are_read_may_change() {
        let unchanging: Vec<bool> = sources()
            .iter()
            .map(|source| source.is_unchanging())
            .collect();
        assert_eq!(unchanging, [true, false, true]);
    }

    #[test]
    fn an_empty_file_can_be_opened() {
        for access in [Access::Map, Access::Read] {
            let file = tempfile::tempfile().expect("a temporary file");
            assert!(open(file, access).expect("open").is_empty());
        }
    }
}

//! Opening a table file: its header, footer and block index.

use std::borrow::Cow;
use std::path::Path;

use crate::error::TableError;
use crate::format::{
    END_MAGIC, FIXED_HEADER_LEN, FOOTER_LEN, FORMAT_VERSION, Footer, HEADER_CRC_LEN, Header,
    HeaderError, INDEX_ENTRY_LEN,
};
use crate::source::ByteSource;
use crate::table::{Block, CHUNK};

/// The steps of opening, with what all their errors need.
pub(super) struct Opener<'a> {
    pub(super) path: &'a Path,
    pub(super) source: &'a dyn ByteSource,
}

impl Opener<'_> {
    /// The header and its length.
    pub(super) fn header(&self) -> Result<(Header, u64), TableError> {
        let fixed = self.source.len().min(FIXED_HEADER_LEN as u64);
        let start = self.read(0..fixed)?;
        let len = Header::len_from_start(&start).map_err(|error| self.header_error(error))? as u64;
        if len + FOOTER_LEN as u64 > self.source.len() {
            return Err(self.length("it ends within its header".into()));
        }
        let header = Header::decode(&self.read(0..len)?);
        Ok((header.map_err(|error| self.header_error(error))?, len))
    }

    pub(super) fn footer(&self, header_len: u64) -> Result<Footer, TableError> {
        let len = self.source.len();
        let start = len.saturating_sub(FOOTER_LEN as u64).max(header_len);
        let footer = Footer::decode(&self.read(start..len)?);
        match footer {
            Some(footer) if footer.end_magic == END_MAGIC && footer.file_len == len => Ok(footer),
            Some(footer) if footer.end_magic == END_MAGIC => {
                Err(self.length(format!("it has {len} bytes instead of {}", footer.file_len)))
            }
            _ => Err(self.length("its end is missing".into())),
        }
    }

    /// The blocks, which must fill the file between header and index.
    pub(super) fn block_index(
        &self,
        header: &Header,
        header_len: u64,
        footer: &Footer,
    ) -> Result<Vec<Block>, TableError> {
        let index_end = self.source.len() - FOOTER_LEN as u64;
        let index_len = header.entries().checked_mul(INDEX_ENTRY_LEN as u64);
        // Compared before anything of that size is allocated.
        let index_start = index_len
            .and_then(|len| index_end.checked_sub(len))
            .filter(|&start| start >= header_len)
            .ok_or_else(|| self.length("it is too short for its block index".into()))?;
        let index = self.read(index_start..index_end)?;
        if crc32fast::hash(&index) != footer.index_crc {
            return Err(self.damaged("block index", "its checksum does not match".into()));
        }
        let mut blocks = Vec::with_capacity(index.len() / INDEX_ENTRY_LEN);
        let mut start = header_len;
        let (entries, _) = index.as_chunks::<INDEX_ENTRY_LEN>();
        for [l0, l1, l2, l3, c0, c1, c2, c3] in entries {
            let len = u32::from_le_bytes([*l0, *l1, *l2, *l3]);
            let crc = u32::from_le_bytes([*c0, *c1, *c2, *c3]);
            blocks.push(Block { start, len, crc });
            start += u64::from(len);
        }
        if start != index_start {
            let what = "the blocks do not fill the space between header and index".into();
            return Err(self.damaged("block index", what));
        }
        Ok(blocks)
    }

    fn read(&self, range: std::ops::Range<u64>) -> Result<Cow<'_, [u8]>, TableError> {
        self.source.read(range).map_err(|source| TableError::Io {
            path: self.path.to_owned(),
            source,
        })
    }

    fn header_error(&self, error: HeaderError) -> TableError {
        match error {
            HeaderError::NotATable => TableError::NotATable {
                path: self.path.to_owned(),
            },
            HeaderError::Newer(version) => TableError::NewerFormat {
                path: self.path.to_owned(),
                version,
                supported: FORMAT_VERSION,
            },
            HeaderError::TooShort => self.length("it ends within its header".into()),
            HeaderError::Damaged(what) => self.damaged("header", what),
        }
    }

    fn length(&self, what: String) -> TableError {
        TableError::Length {
            path: self.path.to_owned(),
            what,
        }
    }

    fn damaged(&self, part: &'static str, what: String) -> TableError {
        TableError::Damaged {
            path: self.path.to_owned(),
            part,
            what,
        }
    }
}

const _: () = assert!(FIXED_HEADER_LEN + HEADER_CRC_LEN + FOOTER_LEN < CHUNK as usize);

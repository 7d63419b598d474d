//! One table file, opened.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use makhos_index::{Material, stored_sides};
use makhos_rules::{Color, RuleSet};
use sha2::{Digest, Sha256};

use crate::cache::{self, Key};
use crate::codec::{Codec, decode_block};
use crate::dtc::Dtc;
use crate::error::{BlockId, TableError};
use crate::format::{DIGEST_AT, FOOTER_LEN, Footer, Header, padded_move_rules};
use crate::paths::rules_text;
use crate::source::{self, Access, ByteSource};
use crate::statistics::SideStatistics;
use crate::value::{Dtw, Metric, PackedDtw, Wld};
use compact::Compact;
pub(crate) use kept::{Kept, Spot, Word};
pub use loaded::LoadedTable;
use open::Opener;

mod compact;
mod dtz;
mod kept;
mod loaded;
mod open;
mod outcomes;
mod values;

/// Bytes read at once where a whole file is read.
const CHUNK: u64 = 1 << 20;

/// Where a stored block lies and what its checksum is.
#[derive(Clone, Copy, Debug)]
struct Block {
    start: u64,
    len: u32,
    crc: u32,
}

/// One opened table file.
///
/// Header, lengths and block index are checked when it is opened, each block whenever it is decoded,
/// or only when it is first used if the bytes [cannot change](ByteSource::is_unchanging).
/// Any number of threads may read at once; none waits for another. Positions are asked for by side to
/// move and index, after [`makhos_index::normalize`]; [`Tablebase`](crate::Tablebase) does that for
/// its caller.
pub struct Table {
    path: PathBuf,
    source: Box<dyn ByteSource>,
    header: Header,
    footer: Footer,
    blocks: Vec<Block>,
    /// A bit for each block whose checksum has been found right and stays so.
    verified: Vec<AtomicU64>,
    /// For the threads' caches.
    id: u64,
    /// Of a compact table.
    compact: Option<Compact>,
}

impl Table {
    /// Opens the file at `path`.
    ///
    /// With [`Access::Map`] the file must not be changed in place while the table is open.
    ///
    /// # Errors
    /// Every kind of [`TableError`] about the file as a whole. What it holds is not compared with
    /// its name: see [`expect`](Self::expect).
    pub fn open(path: &Path, access: Access) -> Result<Self, TableError> {
        let source = File::open(path).and_then(|file| source::open(file, access));
        let source = source.map_err(|source| TableError::Io {
            path: path.to_owned(),
            source,
        })?;
        Self::from_source(source, path)
    }

    /// Opens a table whose bytes come from `source`; `path` is its name in errors.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_source(source: Box<dyn ByteSource>, path: &Path) -> Result<Self, TableError> {
        let opener = Opener {
            path,
            source: &*source,
        };
        let (header, header_len) = opener.header()?;
        let footer = opener.footer(header_len)?;
        let blocks = opener.block_index(&header, header_len, &footer)?;
        let words = blocks.len().div_ceil(64);
        Ok(Self {
            path: path.to_owned(),
            compact: Compact::new(&header),
            header,
            footer,
            verified: (0..words).map(|_| AtomicU64::new(0)).collect(),
            blocks,
            id: cache::new_table_id(),
            source,
        })
    }

    /// Checks that this is the table of `material` with `metric` under rules with the moves of
    /// `rules`.
    ///
    /// # Errors
    /// [`TableError::OtherRules`], [`TableError::OtherClass`] or [`TableError::OtherMetric`]. With
    /// [`Metric::Dtz`] even the right table is a [`TableError::NeedsDrawRules`]: see
    /// [`expect_dtz`](Self::expect_dtz).
    pub fn expect(
        &self,
        rules: &RuleSet,
        material: Material,
        metric: Metric,
    ) -> Result<(), TableError> {
        self.expect_values(rules, material, metric)?;
        match self.header.split_rules().1 {
            None => Ok(()),
            Some(draw_rules) => Err(TableError::NeedsDrawRules {
                path: self.path.clone(),
                found: draw_rules.to_owned(),
            }),
        }
    }

    /// [`expect`](Self::expect), whatever the drawing rules of the table.
    fn expect_values(
        &self,
        rules: &RuleSet,
        material: Material,
        metric: Metric,
    ) -> Result<(), TableError> {
        let path = || self.path.clone();
        if self.header.move_rules != padded_move_rules(rules) {
            return Err(TableError::OtherRules {
                path: path(),
                expected: rules_text(rules),
                found: self.rules().to_owned(),
            });
        }
        if self.material() != material {
            return Err(TableError::OtherClass {
                path: path(),
                expected: material,
                found: self.material(),
            });
        }
        self.need(metric)
    }

    /// The file's path, as it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The class.
    #[must_use]
    pub fn material(&self) -> Material {
        self.header.material
    }

    /// What the values mean.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.header.metric
    }

    /// The rules the table was made under, for people: `thai removal=end`.
    #[must_use]
    pub fn rules(&self) -> &str {
        self.header.split_rules().0
    }

    /// The sides to move whose positions are stored.
    #[must_use]
    pub fn sides(&self) -> &'static [Color] {
        self.header.sides()
    }

    /// Positions stored for each of them.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.header.positions()
    }

    /// Whether the values at positions where the side to move must capture mean something. Probing
    /// never uses them.
    ///
    /// This is the same as [`stores_captures`](Self::stores_captures).
    #[must_use]
    pub fn has_capture_values(&self) -> bool {
        self.header.capture_values
    }

    /// Whether all values are stored. If not, the table is compact: values at positions where the side to
    /// move must capture are anything.
    #[must_use]
    pub fn stores_captures(&self) -> bool {
        self.header.capture_values
    }

    /// Whether positions with this side to move are stored. A compact table of distances has only one of two
    /// sides, and one of outcomes may: the values with the other follow from the moves.
    #[must_use]
    pub fn stores_side(&self, side: Color) -> bool {
        self.sides().contains(&side)
    }

    /// The figures of the positions with `side` to move; `None` if the class has none with it that are its
    /// own.
    #[must_use]
    pub fn statistics(&self, side: Color) -> Option<&SideStatistics> {
        let mut sides = stored_sides(self.header.material).iter();
        self.header
            .statistics
            .get(sides.position(|of| *of == side)?)
    }

    /// Bytes of the file.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.source.len()
    }

    /// The SHA-256 digest in the footer. [`verify_digest`](Self::verify_digest) checks it.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        self.footer.sha256
    }

    /// The outcome of the position with this side to move and index, from a table of outcomes or
    /// distances.
    ///
    /// # Errors
    /// [`TableError::OtherMetric`] for [`Metric::Dtz`], whose results hold for enough plies left only;
    /// [`TableError::NoSuchPosition`]; [`TableError::DamagedBlock`]; [`TableError::Io`].
    pub fn wld(&self, side: Color, index: u64) -> Result<Wld, TableError> {
        self.need_outcomes()?;
        self.packed(side, index).map(PackedDtw::wld)
    }

    /// The value of the position with this side to move and index.
    ///
    /// # Errors
    /// [`TableError::OtherMetric`] if the table holds no distances; otherwise as
    /// [`wld`](Self::wld).
    pub fn dtw(&self, side: Color, index: u64) -> Result<Dtw, TableError> {
        self.need(Metric::Dtw)?;
        self.packed(side, index).map(PackedDtw::unpack)
    }

    /// The distance to conversion of the position with this side to move and index.
    ///
    /// # Errors
    /// [`TableError::OtherMetric`] if the table holds other values; otherwise as [`wld`](Self::wld).
    pub fn dtc(&self, side: Color, index: u64) -> Result<Dtc, TableError> {
        self.need(Metric::Dtc)?;
        self.packed(side, index).map(Dtc::unpack)
    }

    /// Calls `each` with the values of all positions with `side` to move, in the order of their
    /// indices. From a table without distances they have the shortest of their kind; those of a table of
    /// [`Metric::Dtz`] or [`Metric::Dtc`] are packed [`Dtz`](crate::Dtz) or [`Dtc`].
    ///
    /// # Errors
    /// As [`wld`](Self::wld), but with any metric; then `each` has seen the values before the damage.
    pub fn for_each_value(
        &self,
        side: Color,
        mut each: impl FnMut(PackedDtw),
    ) -> Result<(), TableError> {
        let side = self.stored_side(side, 0)?;
        let mut packed = Vec::new();
        for number in 0..self.header.blocks_per_side() {
            let count = self.header.values_in_block(number);
            packed.resize(self.codec().packed_len(count), 0);
            self.decode(side, number, &mut packed)?;
            self.codec().for_each(&packed, count, &mut each);
        }
        Ok(())
    }

    /// The whole table decoded, for work that looks up most of its positions, such as solving the
    /// classes that depend on it. It takes [`loaded_bytes`](Self::loaded_bytes) of memory.
    ///
    /// # Errors
    /// [`TableError::DamagedBlock`]; [`TableError::Io`], also if there is not enough memory.
    pub fn load(&self) -> Result<LoadedTable, TableError> {
        let bytes = usize::try_from(self.loaded_bytes()).unwrap_or(usize::MAX);
        let mut packed = Vec::new();
        if packed.try_reserve_exact(bytes).is_err() {
            return Err(self.io_error(io::ErrorKind::OutOfMemory.into()));
        }
        for side in 0..self.sides().len() {
            for number in 0..self.header.blocks_per_side() {
                let count = self.header.values_in_block(number);
                let start = packed.len();
                packed.resize(start + self.codec().packed_len(count), 0);
                self.decode(side, number, &mut packed[start..])?;
            }
        }
        Ok(LoadedTable {
            codec: self.codec(),
            block_values: self.header.block_values,
            packed_block: self.codec().packed_len(self.header.block_values as usize),
            packed_side: packed.len() / self.sides().len(),
            sides: self.sides(),
            stores_captures: self.stores_captures(),
            packed,
        })
    }

    /// Bytes that [`load`](Self::load) takes: a fifth of a byte, one or two bytes a position.
    #[must_use]
    pub fn loaded_bytes(&self) -> u64 {
        let full = self.positions() / u64::from(self.header.block_values);
        let rest = self.positions() % u64::from(self.header.block_values);
        let packed_len = |values| self.codec().packed_len(values) as u64;
        let side = full * packed_len(self.header.block_values as usize) + packed_len(rest as usize);
        side * self.sides().len() as u64
    }

    /// Reads the whole file and compares its SHA-256 digest and the checksum of every block.
    /// `progress` gets the number of bytes since it was last called.
    ///
    /// # Errors
    /// [`TableError::Digest`], or [`TableError::DamagedBlock`] if the damage can be located;
    /// [`TableError::Io`].
    pub fn verify_digest(&self, mut progress: impl FnMut(u64)) -> Result<(), TableError> {
        let mut digest = Sha256::new();
        let end = self.bytes() - (FOOTER_LEN - DIGEST_AT) as u64;
        let mut at = 0;
        while at < end {
            let next = (at + CHUNK).min(end);
            let read = self.source.read(at..next);
            digest.update(&read.map_err(|source| self.io_error(source))?);
            progress(next - at);
            at = next;
        }
        for (number, block) in self.blocks.iter().enumerate() {
            self.check_crc(number, &self.stored(block)?)?;
        }
        if digest.finalize()[..] != self.footer.sha256 {
            return Err(TableError::Digest {
                path: self.path.clone(),
            });
        }
        Ok(())
    }

    fn codec(&self) -> Codec {
        self.header.codec
    }

    fn need(&self, metric: Metric) -> Result<(), TableError> {
        let found = self.metric();
        if found == metric {
            return Ok(());
        }
        Err(TableError::OtherMetric {
            path: self.path.clone(),
            expected: metric,
            found,
        })
    }

    /// That the values tell outcomes by themselves.
    fn need_outcomes(&self) -> Result<(), TableError> {
        match self.metric() {
            Metric::Wld | Metric::Dtw => Ok(()),
            Metric::Dtc => Ok(()),
            Metric::Dtz => self.need(Metric::Wld),
        }
    }

    /// The stored value; without distances it has the shortest of its kind. Of [`Metric::Dtz`] it is a
    /// packed [`Dtz`](crate::Dtz).
    #[inline]
    pub(crate) fn packed(&self, side: Color, index: u64) -> Result<PackedDtw, TableError> {
        let side = self.stored_side(side, index)?;
        if let Some(compact) = &self.compact {
            return self.compact_value(compact, side, index);
        }
        let values = u64::from(self.header.block_values);
        let (number, at) = (index / values, (index % values) as usize);
        let key = Key {
            table: self.id,
            block: side as u64 * self.header.blocks_per_side() + number,
        };
        let codec = self.codec();
        cache::with_block(
            key,
            codec.packed_len(self.header.values_in_block(number)),
            |packed| self.decode(side, number, packed),
            |packed| codec.get(packed, at),
        )
    }

    /// The number of a side among those stored.
    fn side_number(&self, side: Color) -> Option<usize> {
        self.sides().iter().position(|stored| *stored == side)
    }

    /// The same, if `index` is stored for it.
    #[inline]
    fn stored_side(&self, side: Color, index: u64) -> Result<usize, TableError> {
        match self.side_number(side) {
            Some(number) if index < self.positions() => Ok(number),
            None if self.header.kept.is_some() => Err(TableError::SideNotStored {
                path: self.path.clone(),
                side,
            }),
            _ => Err(TableError::NoSuchPosition {
                path: self.path.clone(),
                index,
                positions: self.positions(),
            }),
        }
    }

    /// Decodes block `number` of a stored side. `packed` has the length the block needs.
    fn decode(&self, side: usize, number: u64, packed: &mut [u8]) -> Result<(), TableError> {
        if let Some(compact) = &self.compact {
            return self.decode_compact(compact, side, number, packed);
        }
        let place = side * self.header.blocks_per_side() as usize + number as usize;
        let stored = self.checked(place)?;
        let count = self.header.values_in_block(number);
        decode_block(self.codec(), &stored, count, self.header.max_bits(), packed)
            .map_err(|what| self.damaged_block(place, what))
    }

    /// The stored bytes of a block or model, compared with their checksum.
    fn checked(&self, place: usize) -> Result<Cow<'_, [u8]>, TableError> {
        let stored = self.stored(&self.blocks[place])?;
        let (word, bit) = (&self.verified[place / 64], 1 << (place % 64));
        if word.load(Ordering::Relaxed) & bit == 0 {
            self.check_crc(place, &stored)?;
            if self.source.is_unchanging() {
                word.fetch_or(bit, Ordering::Relaxed);
            }
        }
        Ok(stored)
    }

    /// The stored bytes of a block or model.
    fn stored(&self, block: &Block) -> Result<Cow<'_, [u8]>, TableError> {
        let read = self
            .source
            .read(block.start..block.start + u64::from(block.len));
        read.map_err(|source| self.io_error(source))
    }

    fn check_crc(&self, place: usize, stored: &[u8]) -> Result<(), TableError> {
        if crc32fast::hash(stored) == self.blocks[place].crc {
            return Ok(());
        }
        Err(self.damaged_block(place, "its checksum does not match".into()))
    }

    fn damaged_block(&self, place: usize, what: String) -> TableError {
        let per_side = self.header.blocks_per_side();
        if let Some(chapter) = (place as u64).checked_sub(self.header.blocks()) {
            return TableError::Damaged {
                path: self.path.clone(),
                part: "model",
                what: format!("number {chapter}: {what}"),
            };
        }
        let side = (place as u64 / per_side) as usize;
        TableError::DamagedBlock {
            path: self.path.clone(),
            block: BlockId {
                side: self.sides()[side],
                number: place as u64 % per_side,
            },
            what,
        }
    }

    fn io_error(&self, source: io::Error) -> TableError {
        TableError::Io {
            path: self.path.clone(),
            source,
        }
    }
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table")
            .field("path", &self.path)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

//! Writing a table: values in, a finished file under its name out.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use makhos_index::{Material, stored_sides};
use makhos_rules::RuleSet;
use thiserror::Error;

use crate::codec::Codec;
use crate::dtc::Dtc;
use crate::dtz::Dtz;
use crate::format::{
    BLOCK_VALUES, DEFAULT_BLOCK_VALUES, DEFAULT_COMPACT_BLOCK_VALUES, Header, MIN_COMPACT_BLOCK,
    placements,
};
use crate::paths::{file_name, table_path};
use crate::statistics::SideStatistics;
use crate::value::{Metric, PackedDtw, Plies};
use blocks::{EncodedBlock, encode_values};
use compact::CompactWriter;
use output::Output;

mod blocks;
mod compact;
mod dtz;
mod outcomes;
mod output;

/// Which table to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableSpec {
    /// The rules the values were computed under.
    pub rules: RuleSet,
    /// The class, in its canonical orientation.
    pub material: Material,
    /// What of the values is stored; not [`Metric::Dtz`], for which there is
    /// [`TableWriter::create_dtz`].
    pub metric: Metric,
}

/// How a compact table is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CompactOptions {
    /// Values in a block, a power of two from 1,024 to 65,536; a 64th of it is what is decoded for a probe.
    /// Others than [`DEFAULT_COMPACT_BLOCK_VALUES`] are for measurements and tests: sets of tables share it.
    pub block_values: u32,
    /// Whether a table of outcomes stores but one of two sides to move, the one that takes less room. The
    /// outcomes with the other follow from the moves, so that probing them takes several times as long. Tables of
    /// [`Metric::Dtw`] always store one side, those of [`Metric::Dtc`] all.
    pub one_side: bool,
}

impl Default for CompactOptions {
    fn default() -> Self {
        Self {
            block_values: DEFAULT_COMPACT_BLOCK_VALUES,
            one_side: false,
        }
    }
}

/// A table that has appeared under its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Published {
    /// Where.
    pub path: PathBuf,
    /// Bytes of the file.
    pub bytes: u64,
    /// SHA-256 digest of all bytes before the digest, as it stands in the footer.
    pub sha256: [u8; 32],
}

/// Why a table could not be written.
///
/// No unfinished file is left behind; directories that were made stay. If the very last step fails,
/// making the name of the finished file durable, the table is there and complete, but a crash of the
/// machine may take it away again. [`TableWriter::finish`] reports that as [`Io`](Self::Io).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The operating system refused.
    #[error("{}: cannot write the table: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No table has this class on this board.
    #[error("no table can hold the class {material}: {what}")]
    Class {
        /// The class.
        material: Material,
        /// Why not.
        what: String,
    },
    /// A table of [`Metric::Dtz`] without drawing rules.
    #[error("the dtz table of {material} needs the drawing rules that its values hold under")]
    NeedsDrawRules {
        /// The class.
        material: Material,
    },
    /// Drawing rules that are too long for the header of a table.
    #[error(
        "the drawing rules for the table of {material} are too long: the text of the rules has {bytes} \
         bytes, and a table takes {most}; use fewer clocks"
    )]
    LongDrawRules {
        /// The class.
        material: Material,
        /// Bytes of the text of the rules.
        bytes: usize,
        /// Bytes there is room for.
        most: usize,
    },
    /// A class has no table for so many plies on the main road.
    #[error(
        "the class {material} has no table for {road} plies counted on the main road: under these \
         drawing rules there are {tables}, counted from 0"
    )]
    Road {
        /// The class.
        material: Material,
        /// The plies asked for.
        road: u8,
        /// How many tables the class has.
        tables: u8,
    },
    /// Bare outcomes for a table of another metric.
    #[error("the table of {material} holds {metric} values, which bare outcomes cannot give")]
    OtherMetric {
        /// The class.
        material: Material,
        /// What the table holds.
        metric: Metric,
    },
    /// Values with captures marked for a table that stores all values, or without for a compact one.
    #[error(
        "the table of {material} {}",
        if *compact {
            "is compact: hand its values in together with where captures are compulsory"
        } else {
            "stores all values: hand them in without where captures are compulsory"
        }
    )]
    Storage {
        /// The class.
        material: Material,
        /// Whether the table is compact.
        compact: bool,
    },
    /// The values or statistics handed in contradict each other.
    #[error(
        "the values of {material} do not fit together: {what}; this is a mistake of the solver"
    )]
    Inconsistent {
        /// The class.
        material: Material,
        /// The contradiction.
        what: String,
    },
}

/// Writes one table file, value by value or [many outcomes](Self::push_outcomes) at once, and publishes
/// it only when it is complete.
///
/// The values of the first stored side come in the order of their indices, then those of the second
/// (see [`stored_sides`]), in chunks of any length. The same values give the same bytes. Until
/// [`finish`](Self::finish) the file has a temporary name in the directory of its final one; dropping
/// the writer removes it. A killed process leaves it behind as `.CLASS.METRIC.*.tmp`, which no reader
/// takes for a table.
///
/// ```
/// use makhos_index::PlacementIndex;
/// use makhos_probe::{Metric, PackedDtw, SideStatistics, TableSpec, TableWriter};
/// use makhos_rules::variant;
///
/// let spec = TableSpec {
///     rules: variant::ENGLISH,
///     material: "1k-1k".parse()?,
///     metric: Metric::Dtw,
/// };
/// // A solver has the real values.
/// let values = vec![PackedDtw::DRAW; PlacementIndex::<u32>::new(spec.material)?.len() as usize];
/// let mut statistics = SideStatistics::default();
/// for (index, &value) in values.iter().enumerate() {
///     statistics.record(index as u64, value, false);
/// }
/// let dir = tempfile::tempdir()?;
/// let mut writer = TableWriter::create(dir.path(), &spec, &[statistics])?;
/// writer.push(&values)?;
/// let published = writer.finish()?;
/// assert!(published.path.ends_with("english/1k-1k.dtw"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TableWriter {
    path: PathBuf,
    output: Output,
    header: Header,
    /// The values of the block in hand.
    block: Vec<PackedDtw>,
    /// Entries of the block index, as bytes.
    index: Vec<u8>,
    /// Index into the stored sides of the side in hand.
    side: usize,
    /// Figures of the values pushed for the side in hand.
    seen: SideStatistics,
    /// Of a compact table.
    compact: Option<CompactWriter>,
}

impl TableWriter {
    /// Begins a table below `dir`, the directory of all tables, with one entry of statistics for each
    /// stored side. Directories that are missing are made.
    ///
    /// # Errors
    /// [`WriteError::Class`] for a class that is not canonical or does not fit the board;
    /// [`WriteError::Inconsistent`] for impossible statistics; [`WriteError::Io`].
    pub fn create(
        dir: &Path,
        spec: &TableSpec,
        statistics: &[SideStatistics],
    ) -> Result<Self, WriteError> {
        Self::create_with_blocks(dir, spec, statistics, DEFAULT_BLOCK_VALUES)
    }

    /// [`create`](Self::create) with `block_values` values in a block, a power of two from 64 to
    /// 65,536. For measurements and tests: sets of tables share [`DEFAULT_BLOCK_VALUES`].
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_with_blocks(
        dir: &Path,
        spec: &TableSpec,
        statistics: &[SideStatistics],
        block_values: u32,
    ) -> Result<Self, WriteError> {
        if spec.metric == Metric::Dtz {
            let material = spec.material;
            return Err(WriteError::NeedsDrawRules { material });
        }
        let header = checked_header(spec, statistics, block_values, true)?;
        let path = table_path(dir, &spec.rules, spec.material, spec.metric);
        Self::begin(path, &file_name(spec.material, spec.metric), header, None)
    }

    /// Begins a compact table: values at positions where the side to move must capture are not stored,
    /// and the others take as little room as the format allows. Its values are handed in by
    /// [`push_quiet_outcomes`](Self::push_quiet_outcomes) or
    /// [`push_quiet_values`](Self::push_quiet_values). The statistics are still those of all positions.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_compact(
        dir: &Path,
        spec: &TableSpec,
        statistics: &[SideStatistics],
    ) -> Result<Self, WriteError> {
        Self::create_compact_with(dir, spec, statistics, CompactOptions::default())
    }

    /// [`create_compact`](Self::create_compact) with other [`CompactOptions`].
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_compact_with(
        dir: &Path,
        spec: &TableSpec,
        statistics: &[SideStatistics],
        options: CompactOptions,
    ) -> Result<Self, WriteError> {
        if spec.metric == Metric::Dtz {
            let material = spec.material;
            return Err(WriteError::NeedsDrawRules { material });
        }
        let header = checked_header(spec, statistics, options.block_values, false)?;
        let path = table_path(dir, &spec.rules, spec.material, spec.metric);
        let compact = CompactWriter::new(&header, options.one_side);
        let name = file_name(spec.material, spec.metric);
        Self::begin(path, &name, header, Some(compact))
    }

    /// Begins the file `path`, whose last part is `name`.
    fn begin(
        path: PathBuf,
        name: &str,
        header: Header,
        compact: Option<CompactWriter>,
    ) -> Result<Self, WriteError> {
        let output = Output::create(&path, name);
        let failed = |source| io_error(&path, source);
        let mut output = output.map_err(failed)?;
        if !compact.as_ref().is_some_and(CompactWriter::is_held_back) {
            output.write(&header.encode()).map_err(failed)?;
        }
        Ok(Self {
            compact,
            path,
            output,
            header,
            block: Vec::new(),
            index: Vec::new(),
            side: 0,
            seen: SideStatistics::default(),
        })
    }

    /// Takes the next values. All threads of the current rayon pool encode, quickest if whole sides are handed in.
    ///
    /// # Errors
    /// [`WriteError::Storage`] for a compact table; [`WriteError::Inconsistent`] for more values than the
    /// class has, or values that contradict the statistics; [`WriteError::Io`]. The table cannot be finished then.
    pub fn push(&mut self, values: &[PackedDtw]) -> Result<(), WriteError> {
        if self.compact.is_some() {
            return Err(self.other_storage());
        }
        self.check(values)?;
        let mut rest = values;
        while !rest.is_empty() {
            if self.side == self.header.statistics.len() {
                return Err(self.inconsistent("more values than the class has"));
            }
            let missing = self.missing_in_block();
            let taken = if self.block.is_empty() && missing <= rest.len() {
                let (codec, before) = (self.header.codec, self.seen.positions);
                let encode = |range: Range<u64>| {
                    let values = &rest[range.start as usize..range.end as usize];
                    let stored = encode_values(codec, values)?;
                    Ok(EncodedBlock {
                        crc: crc32fast::hash(&stored),
                        stored,
                        figures: SideStatistics::of_values(before + range.start, values),
                    })
                };
                self.push_blocks(rest.len() as u64, encode)? as usize
            } else {
                self.push_part_of_block(&rest[..missing.min(rest.len())], missing)?
            };
            rest = &rest[taken..];
        }
        Ok(())
    }

    /// Takes some of the values that the block in hand misses, or all. Returns their number.
    fn push_part_of_block(
        &mut self,
        values: &[PackedDtw],
        missing: usize,
    ) -> Result<usize, WriteError> {
        let figures = SideStatistics::of_values(self.seen.positions, values);
        self.seen = self.seen.merge(figures);
        self.block.extend_from_slice(values);
        if values.len() == missing {
            let encoded = encode_values(self.header.codec, &self.block);
            let stored = encoded.map_err(|source| io_error(&self.path, source))?;
            self.block.clear();
            self.write_block(&stored, crc32fast::hash(&stored))?;
        }
        Ok(values.len())
    }

    /// Completes the file and gives it its name, replacing one that was there. When this returns, the
    /// table survives a crash of the machine, and so do the directories that were made for it.
    ///
    /// # Errors
    /// [`WriteError::Inconsistent`] if values are missing; [`WriteError::Io`], which does not always
    /// mean that the file is not there: see [`WriteError`].
    pub fn finish(mut self) -> Result<Published, WriteError> {
        if self.side < self.header.statistics.len() {
            return Err(self.inconsistent("fewer values than the class has"));
        }
        self.write_rest()?;
        let index = std::mem::take(&mut self.index);
        let path = self.path;
        let result = self.output.finish(&index, &path);
        let (bytes, sha256) = result.map_err(|source| io_error(&path, source))?;
        Ok(Published {
            path,
            bytes,
            sha256,
        })
    }

    /// Values that the block in hand still takes; never 0 before the end of the last side.
    fn missing_in_block(&self) -> usize {
        let number = self.seen.positions / u64::from(self.header.block_values);
        self.header.values_in_block(number) - self.block.len()
    }

    /// Whether no value is longer than the longest.
    fn check(&self, values: &[PackedDtw]) -> Result<(), WriteError> {
        if !self.header.metric.has_plies() {
            return Ok(());
        }
        let most = self.header.max_bits();
        let Some(&value) = values.iter().find(|value| value.bits() > most) else {
            return Ok(());
        };
        let text = match self.header.metric {
            Metric::Dtz => Dtz::unpack(value).to_string(),
            Metric::Dtc => Dtc::unpack(value).to_string(),
            Metric::Wld | Metric::Dtw => value.unpack().to_string(),
        };
        Err(self.inconsistent(&format!(
            "the value \"{text}\" is longer than the longest in the statistics"
        )))
    }

    /// Writes the bytes of a block whose values are counted already, and closes the side with its last
    /// block.
    fn write_block(&mut self, stored: &[u8], crc: u32) -> Result<(), WriteError> {
        self.write_entry(stored, crc)?;
        if self.seen.positions == self.header.positions() {
            self.end_side()?;
        }
        Ok(())
    }

    /// Writes the bytes of a block or model and its entry of the block index.
    fn write_entry(&mut self, stored: &[u8], crc: u32) -> Result<(), WriteError> {
        let written = self.output.write(stored);
        written.map_err(|source| io_error(&self.path, source))?;
        self.index.extend((stored.len() as u32).to_le_bytes());
        self.index.extend(crc.to_le_bytes());
        Ok(())
    }

    fn end_side(&mut self) -> Result<(), WriteError> {
        let given = self.header.statistics[self.side];
        let seen = self.seen;
        let counts = |side: &SideStatistics| (side.wins, side.draws, side.losses);
        if counts(&given) != counts(&seen) {
            return Err(self.inconsistent("the statistics count other wins, draws and losses"));
        }
        if self.compact.is_some() && given.captures != seen.captures {
            return Err(self.inconsistent("the statistics count other captures"));
        }
        let longest = (seen.longest_win, seen.longest_loss);
        if self.header.metric.has_plies() && longest != (given.longest_win, given.longest_loss) {
            return Err(self.inconsistent("the statistics have other longest distances"));
        }
        self.side += 1;
        self.seen = SideStatistics::default();
        Ok(())
    }

    fn inconsistent(&self, what: &str) -> WriteError {
        WriteError::Inconsistent {
            material: self.header.material,
            what: what.to_owned(),
        }
    }
}

impl std::fmt::Debug for TableWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableWriter")
            .field("path", &self.path)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

/// The header of the table, if there can be such a table.
fn checked_header(
    spec: &TableSpec,
    statistics: &[SideStatistics],
    block_values: u32,
    capture_values: bool,
) -> Result<Header, WriteError> {
    let material = spec.material;
    let class = |what| WriteError::Class { material, what };
    let inconsistent = |what| WriteError::Inconsistent { material, what };
    if !material.is_canonical() {
        return Err(class(format!(
            "tables are stored as {}",
            material.canonical()
        )));
    }
    let positions = placements(spec.rules.board.rows() as u8, material).map_err(class)?;
    if positions == 0 {
        return Err(class("it has no placements on this board".into()));
    }
    let sides = stored_sides(material).len();
    if statistics.len() != sides {
        return Err(inconsistent(format!(
            "statistics of {} sides instead of {sides}",
            statistics.len()
        )));
    }
    let smallest = if capture_values {
        *BLOCK_VALUES.start()
    } else {
        MIN_COMPACT_BLOCK
    };
    let sizes = smallest..=*BLOCK_VALUES.end();
    if !sizes.contains(&block_values) || !block_values.is_power_of_two() {
        return Err(inconsistent(format!("{block_values} values in a block")));
    }
    for side in statistics {
        let complete = spec.metric.has_plies();
        side.check(positions, complete).map_err(inconsistent)?;
        for longest in [side.longest_win, side.longest_loss].into_iter().flatten() {
            if longest.plies > Plies::STORED_MAX {
                return Err(inconsistent(format!(
                    "a distance of {} plies",
                    longest.plies
                )));
            }
        }
    }
    let mut header = Header::new(
        &spec.rules,
        material,
        spec.metric,
        Codec::Wld,
        block_values,
        statistics.to_vec(),
    );
    header.capture_values = capture_values;
    header.codec = Codec::for_values(spec.metric, header.max_bits());
    Ok(header)
}

fn io_error(path: &Path, source: io::Error) -> WriteError {
    WriteError::Io {
        path: path.to_owned(),
        source,
    }
}

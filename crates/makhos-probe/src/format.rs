//! The parts of a table file that are not values: header, block index and footer.
//!
//! `FORMAT.md` of this crate specifies them byte by byte; this module is the only place that knows
//! their layout.

use bincode::config::{Configuration, Fixint, LittleEndian};
use bincode::{Decode, Encode};
use makhos_index::{Army, Material, PlacementIndex, stored_sides};
use makhos_rules::rules::MOVE_RULES_LEN;
use makhos_rules::{Color, RuleSet};

use crate::codec::Codec;
use crate::compact::{self, CELLS};
use crate::paths::{DtzSpec, dtz_rules_text, rules_text};
use crate::statistics::{Longest, SideStatistics};
use crate::value::{Metric, Plies};

/// The first bytes of every table. The byte above 127 and the line end show transfers that damage
/// binary files.
pub(crate) const MAGIC: [u8; 8] = *b"\x89MAKHOS\n";
/// The last bytes of every table.
pub(crate) const END_MAGIC: [u8; 8] = *b"\x89SOHKAM\n";
/// The newest format, and the one that is written.
pub(crate) const FORMAT_VERSION: u16 = 2;
/// What the number of a codec is larger by in a compact table.
const COMPACT_CODEC: u8 = 3;
/// The numbering of `makhos_index::PlacementIndex`.
const INDEX_SCHEME: u8 = 1;
/// Flag: the values at positions where the side to move must capture are stored too.
const FLAG_CAPTURE_VALUES: u8 = 1;
/// Flags of compact distances: only the positions with White, or with Black to move are stored.
const FLAG_KEPT: [u8; 2] = [2, 4];

/// Bytes of the header before the text of the rules.
pub(crate) const FIXED_HEADER_LEN: usize = 184;
/// Bytes of the checksum after that text.
pub(crate) const HEADER_CRC_LEN: usize = 4;
/// Longest text of the rules.
pub(crate) const MAX_RULES_TEXT: usize = 4096;
/// Bytes of one entry of the block index.
pub(crate) const INDEX_ENTRY_LEN: usize = 8;
/// Bytes of the footer.
pub(crate) const FOOTER_LEN: usize = 52;
/// Where in the footer the digest begins; it covers everything before it.
pub(crate) const DIGEST_AT: usize = 4;
/// Room for the rules that decide which moves are legal.
const MOVE_RULES_ROOM: usize = 16;
const _: () = assert!(MOVE_RULES_LEN <= MOVE_RULES_ROOM);

/// Values in a block unless asked otherwise; `FORMAT.md` has the measurements behind it.
pub const DEFAULT_BLOCK_VALUES: u32 = 16_384;
/// Smallest and largest number of values in a block; both bounds keep a reader's memory small.
pub(crate) const BLOCK_VALUES: std::ops::RangeInclusive<u32> = 64..=65_536;

/// Values in a block of a compact table unless asked otherwise.
pub const DEFAULT_COMPACT_BLOCK_VALUES: u32 = 65_536;
/// Smallest number of values in a block of a compact table: cells of 16.
pub(crate) const MIN_COMPACT_BLOCK: u32 = 16 * CELLS as u32;

/// Written for a distance or position that does not exist.
const NO_PLIES: u32 = u32::MAX;
const NO_INDEX: u64 = u64::MAX;

const LAYOUT: Configuration<LittleEndian, Fixint> = bincode::config::standard()
    .with_little_endian()
    .with_fixed_int_encoding();

/// The fixed part of the header as it lies in the file.
#[derive(Clone, PartialEq, Eq, Debug, Encode, Decode)]
struct RawHeader {
    magic: [u8; 8],
    format_version: u16,
    metric: u8,
    index_scheme: u8,
    codec: u8,
    flags: u8,
    board_rows: u8,
    sides: u8,
    /// White men, white kings, black men, black kings.
    material: [u8; 4],
    move_rules: [u8; MOVE_RULES_ROOM],
    text_len: u32,
    block_values: u32,
    road: u32,
    blocks_per_side: u64,
    statistics: [RawStatistics; 2],
}

/// The statistics of one side as they lie in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Encode, Decode)]
struct RawStatistics {
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    captures: u64,
    longest_win: u32,
    longest_loss: u32,
    first_longest_win: u64,
    first_longest_loss: u64,
}

/// The footer as it lies in the file.
#[derive(Clone, PartialEq, Eq, Debug, Encode, Decode)]
pub(crate) struct Footer {
    pub(crate) index_crc: u32,
    pub(crate) sha256: [u8; 32],
    pub(crate) file_len: u64,
    pub(crate) end_magic: [u8; 8],
}

/// What a header says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Header {
    pub(crate) metric: Metric,
    /// How values are packed in memory, and in the file if it is not compact.
    pub(crate) codec: Codec,
    /// Canonical.
    pub(crate) material: Material,
    pub(crate) board_rows: u8,
    pub(crate) move_rules: [u8; MOVE_RULES_ROOM],
    /// Variant and changed house options, for people. With [`Metric::Dtz`] the text of the drawing rules
    /// follows behind a line end, which is more than for people.
    pub(crate) rules_text: String,
    /// Plies counted on the main road; 0 unless the metric is [`Metric::Dtz`].
    pub(crate) road: u8,
    /// Whether values at capture positions are stored; if not, the table is compact.
    pub(crate) capture_values: bool,
    /// The number of the only side that is stored of two, in a compact table of distances.
    pub(crate) kept: Option<u8>,
    /// Values in every block but the last of a side.
    pub(crate) block_values: u32,
    /// One entry per stored side, White first.
    pub(crate) statistics: Vec<SideStatistics>,
}

/// Why bytes are not a header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum HeaderError {
    NotATable,
    Newer(u16),
    TooShort,
    Damaged(String),
}

/// The move rules of a rule set in the header's room, zeros behind them.
pub(crate) fn padded_move_rules(rules: &RuleSet) -> [u8; MOVE_RULES_ROOM] {
    let mut room = [0; MOVE_RULES_ROOM];
    room[..MOVE_RULES_LEN].copy_from_slice(&rules.move_rules_bytes());
    room
}

/// The number of placements of a class on a board with that many rows.
pub(crate) fn placements(board_rows: u8, material: Material) -> Result<u64, String> {
    let len = match board_rows {
        8 => PlacementIndex::<u32>::new(material).map(|index| index.len()),
        10 => PlacementIndex::<u64>::new(material).map(|index| index.len()),
        12 => PlacementIndex::<u128>::new(material).map(|index| index.len()),
        rows => return Err(format!("a board of {rows} rows")),
    };
    len.map_err(|error| error.to_string())
}

impl Header {
    /// The header of a table under `rules`; `material` is canonical.
    pub(crate) fn new(
        rules: &RuleSet,
        material: Material,
        metric: Metric,
        codec: Codec,
        block_values: u32,
        statistics: Vec<SideStatistics>,
    ) -> Self {
        Self {
            metric,
            codec,
            material,
            board_rows: rules.board.rows() as u8,
            move_rules: padded_move_rules(rules),
            rules_text: rules_text(rules),
            road: 0,
            capture_values: true,
            kept: None,
            block_values,
            statistics,
        }
    }

    /// The header of a table of drawing rules, for the [`Metric::Dtz`] that `self` has.
    pub(crate) fn with_draw_rules(self, spec: &DtzSpec<'_>) -> Self {
        Self {
            rules_text: dtz_rules_text(spec.rules, spec.draw_rules),
            road: spec.road,
            ..self
        }
    }

    /// Variant and changed house options, and the text of the drawing rules if there are any.
    pub(crate) fn split_rules(&self) -> (&str, Option<&str>) {
        match self.rules_text.split_once('\n') {
            Some((rules, draw_rules)) if self.metric == Metric::Dtz => (rules, Some(draw_rules)),
            _ => (&self.rules_text, None),
        }
    }

    /// Positions stored for each side.
    pub(crate) fn positions(&self) -> u64 {
        self.statistics.first().map_or(0, |side| side.positions)
    }

    pub(crate) fn blocks_per_side(&self) -> u64 {
        self.positions().div_ceil(u64::from(self.block_values))
    }

    /// Models of all sides; none unless the table is compact.
    pub(crate) fn models(&self) -> u64 {
        if self.capture_values {
            return 0;
        }
        compact::chapters(self.blocks_per_side()) * self.side_count()
    }

    /// Entries of the block index: the blocks, then the models.
    pub(crate) fn entries(&self) -> u64 {
        self.blocks() + self.models()
    }

    /// Blocks of all sides.
    pub(crate) fn blocks(&self) -> u64 {
        self.blocks_per_side() * self.side_count()
    }

    /// How many sides are stored.
    fn side_count(&self) -> u64 {
        match self.kept {
            Some(_) => 1,
            None => self.statistics.len() as u64,
        }
    }

    /// The sides to move whose positions are stored.
    pub(crate) fn sides(&self) -> &'static [Color] {
        const BOTH: [Color; 2] = [Color::White, Color::Black];
        match self.kept {
            Some(0) => &BOTH[..1],
            Some(_) => &BOTH[1..],
            None => stored_sides(self.material),
        }
    }

    /// By stored side and outcome, half the longest distance, rounded down; 0 where there is none.
    pub(crate) fn longest_halves(&self) -> Vec<[u16; 3]> {
        let half = |longest: Option<Longest>| longest.map_or(0, |longest| longest.plies.get() / 2);
        let halves = self
            .statistics
            .iter()
            .map(|side| [0, half(side.longest_loss), half(side.longest_win)]);
        let halves: Vec<_> = halves.collect();
        match self.kept {
            Some(side) => halves.get(usize::from(side)).copied().into_iter().collect(),
            None => halves,
        }
    }

    /// The values in block `number` of a side.
    pub(crate) fn values_in_block(&self, number: u64) -> usize {
        let start = number * u64::from(self.block_values);
        (self.positions() - start).min(u64::from(self.block_values)) as usize
    }

    /// The largest packed value that may occur.
    pub(crate) fn max_bits(&self) -> u16 {
        let longest = self
            .statistics
            .iter()
            .flat_map(|side| [side.longest_win, side.longest_loss])
            .flatten()
            .map(|longest| longest.plies)
            .max();
        longest.map_or(0, |plies| plies.get() + 1)
    }

    /// The bytes of the whole header.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let army = |army: Army| [army.men, army.kings];
        let [white, black] = [self.material.white, self.material.black].map(army);
        let mut statistics = [RawStatistics::absent(); 2];
        for (raw, side) in statistics.iter_mut().zip(&self.statistics) {
            *raw = RawStatistics::from_statistics(side);
        }
        let raw = RawHeader {
            magic: MAGIC,
            format_version: FORMAT_VERSION,
            metric: self.metric as u8,
            index_scheme: INDEX_SCHEME,
            codec: if self.capture_values {
                self.codec as u8
            } else {
                self.codec as u8 + COMPACT_CODEC
            },
            flags: if self.capture_values {
                FLAG_CAPTURE_VALUES
            } else {
                self.kept.map_or(0, |side| FLAG_KEPT[usize::from(side)])
            },
            board_rows: self.board_rows,
            sides: self.statistics.len() as u8,
            material: [white[0], white[1], black[0], black[1]],
            move_rules: self.move_rules,
            text_len: self.rules_text.len() as u32,
            block_values: self.block_values,
            road: self.road.into(),
            blocks_per_side: self.blocks_per_side(),
            statistics,
        };
        let mut bytes = encode(&raw);
        debug_assert_eq!(bytes.len(), FIXED_HEADER_LEN);
        bytes.extend_from_slice(self.rules_text.as_bytes());
        let crc = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// How long the header is that begins with these bytes, of which at least
    /// [`FIXED_HEADER_LEN`] are needed. Also tells a foreign file and a newer version.
    pub(crate) fn len_from_start(start: &[u8]) -> Result<usize, HeaderError> {
        let raw = RawHeader::from_start(start)?;
        let text_len = raw.text_len as usize;
        if text_len > MAX_RULES_TEXT {
            return Err(damaged(format!(
                "the text of the rules has {text_len} bytes"
            )));
        }
        Ok(FIXED_HEADER_LEN + text_len + HEADER_CRC_LEN)
    }

    /// Reads and checks a whole header.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, HeaderError> {
        let raw = RawHeader::from_start(bytes)?;
        let Some((body, crc)) = bytes.split_last_chunk::<HEADER_CRC_LEN>() else {
            return Err(HeaderError::TooShort);
        };
        if crc32fast::hash(body) != u32::from_le_bytes(*crc) {
            return Err(damaged("its checksum does not match"));
        }
        let text = body.get(FIXED_HEADER_LEN..).unwrap_or_default();
        if text.len() != raw.text_len as usize {
            return Err(damaged("the text of the rules has another length"));
        }
        let text = std::str::from_utf8(text).map_err(|_| damaged("the rules are not UTF-8"))?;
        raw.check(text)
    }
}

impl Footer {
    pub(crate) fn encode(&self) -> Vec<u8> {
        encode(self)
    }

    /// `None` for too few bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        decode(bytes)
    }
}

fn damaged(what: impl Into<String>) -> HeaderError {
    HeaderError::Damaged(what.into())
}

fn encode(value: &impl Encode) -> Vec<u8> {
    // Encoding integers into a growing vector has no way to fail.
    bincode::encode_to_vec(value, LAYOUT).unwrap_or_default()
}

fn decode<T: Decode<()>>(bytes: &[u8]) -> Option<T> {
    bincode::decode_from_slice(bytes, LAYOUT)
        .ok()
        .map(|(value, _)| value)
}

mod raw;
#[cfg(test)]
mod tests;

//! Reading compact tables: cells instead of whole blocks, and the models of chapters.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::cache::{self, Key};
use crate::codec::Codec;
use crate::compact::block::CellBits;
use crate::compact::cell::{CellBuffer, decode_cell};
use crate::compact::distance::{DistanceBuffer, DistanceModel, Longest, decode_distances};
use crate::compact::model::Model;
use crate::compact::rows::Rows;
use crate::compact::{CELLS, CHAPTER_BLOCKS, chapters};
use crate::digits;
use crate::error::TableError;
use crate::format::Header;
use crate::outcomes::Outcomes;
use crate::table::Table;
use crate::table::kept::Kept;
use crate::value::{Metric, PackedDtw};

/// What a compact table needs besides its bytes.
#[derive(Debug)]
pub(super) struct Compact {
    rows: Rows,
    /// By stored side.
    longest: Vec<Longest>,
    /// By side and chapter, read when they are first needed.
    models: Vec<OnceLock<ChapterModel>>,
    /// Of a table of outcomes.
    kept: Option<Arc<Kept>>,
}

#[derive(Debug)]
enum ChapterModel {
    Outcomes(Model),
    Distances(Box<DistanceModel>),
}

/// The values of a cell.
enum Cell<'a> {
    /// 0 a draw, 1 a loss, 2 a win.
    Outcomes(&'a [u8]),
    Distances(&'a DistanceBuffer, usize),
}

impl Compact {
    /// For a table with this header; `None` if it is not compact.
    pub(super) fn new(header: &Header) -> Option<Self> {
        (!header.capture_values).then(|| Self {
            rows: Rows::new(header.board_rows, header.material),
            longest: header.longest_halves(),
            models: (0..header.models()).map(|_| OnceLock::new()).collect(),
            kept: (header.metric == Metric::Wld).then(|| {
                let side_cells = header.blocks_per_side() as usize * CELLS;
                let per_cell = header.block_values / CELLS as u32;
                Arc::new(Kept::new(header.sides(), side_cells, per_cell))
            }),
        })
    }
}

impl Cell<'_> {
    fn outcomes(&self) -> &[u8] {
        match self {
            Cell::Outcomes(outcomes) => outcomes,
            Cell::Distances(buffer, len) => &buffer.outcomes()[..*len],
        }
    }

    /// The values in two bytes each.
    fn write(&self, bytes: &mut [u8]) {
        let mut put = |at: usize, value: PackedDtw| {
            bytes[2 * at..2 * at + 2].copy_from_slice(&value.bits().to_le_bytes());
        };
        match self {
            // The numbers are those of the shortest distances.
            Cell::Outcomes(outcomes) => (0..).zip(*outcomes).for_each(|(at, &outcome)| {
                put(at, PackedDtw::from_bits(outcome.into()));
            }),
            Cell::Distances(buffer, len) => {
                (0..*len)
                    .zip(buffer.values())
                    .for_each(|(at, value)| put(at, value));
            }
        }
    }
}

impl Table {
    /// The model of the chapter that block `number` of a stored side is in.
    fn model<'a>(
        &self,
        compact: &'a Compact,
        side: usize,
        number: u64,
    ) -> Result<&'a ChapterModel, TableError> {
        let per_side = chapters(self.header.blocks_per_side()) as usize;
        let chapter = side * per_side + number as usize / CHAPTER_BLOCKS;
        let slot = &compact.models[chapter];
        if let Some(model) = slot.get() {
            return Ok(model);
        }
        let place = self.header.blocks() as usize + chapter;
        let stored = self.checked(place)?;
        let columns = compact.rows.squares();
        let model = match self.metric() {
            Metric::Wld => ChapterModel::Outcomes(Model::read(&stored, columns)),
            _ => ChapterModel::Distances(Box::new(DistanceModel::read(&stored, columns))),
        };
        // If another thread was quicker, its model is the same.
        Ok(slot.get_or_init(|| model))
    }

    /// Calls `each` with these cells of a block.
    fn for_cells(
        &self,
        compact: &Compact,
        (side, number): (usize, u64),
        wanted: Range<usize>,
        mut each: impl FnMut(Cell<'_>),
    ) -> Result<(), TableError> {
        let place = side * self.header.blocks_per_side() as usize + number as usize;
        let stored = self.checked(place)?;
        let model = self.model(compact, side, number)?;
        let values = self.header.values_in_block(number);
        let per_cell = self.header.block_values as usize / CELLS;
        let cells = CellBits::read(&stored, values.div_ceil(per_cell))
            .map_err(|what| self.damaged_block(place, what))?;
        let start = number * u64::from(self.header.block_values);
        let ranges = wanted.map(|cell| {
            let first = cell * per_cell;
            let bits = cells.cell(&stored, cell);
            (start + first as u64, per_cell.min(values - first), bits)
        });
        match model {
            ChapterModel::Outcomes(model) => {
                let mut buffer = CellBuffer::new();
                for (start, len, bits) in ranges {
                    decode_cell(model, &compact.rows, start, len, bits, &mut buffer);
                    each(Cell::Outcomes(&buffer.outcomes()[..len]));
                }
            }
            ChapterModel::Distances(model) => {
                let mut buffer = DistanceBuffer::new();
                for (start, len, bits) in ranges {
                    let how = (&**model, &compact.rows, compact.longest[side]);
                    decode_distances(how, start, len, bits, &mut buffer);
                    each(Cell::Distances(&buffer, len));
                }
            }
        }
        Ok(())
    }

    /// Decodes a whole block into its packed form.
    pub(super) fn decode_compact(
        &self,
        compact: &Compact,
        side: usize,
        number: u64,
        packed: &mut [u8],
    ) -> Result<(), TableError> {
        let values = self.header.values_in_block(number);
        let per_cell = self.header.block_values as usize / CELLS;
        let all = 0..values.div_ceil(per_cell);
        let mut bytes = Vec::with_capacity(2 * values);
        let codec = self.codec();
        self.for_cells(compact, (side, number), all, |cell| match (codec, &cell) {
            (Codec::Wld, cell) => bytes.extend_from_slice(cell.outcomes()),
            (_, Cell::Distances(buffer, len)) => {
                for value in buffer.values().take(*len) {
                    let bits = value.bits().to_le_bytes();
                    bytes.extend_from_slice(&bits[..codec.packed_len(1)]);
                }
            }
            // No header joins outcomes and a codec of distances.
            (_, Cell::Outcomes(_)) => (),
        })?;
        match codec {
            Codec::Wld => digits::pack_digits(&bytes, packed),
            Codec::Dtw8 | Codec::Dtw16 => packed.copy_from_slice(&bytes),
        }
        Ok(())
    }

    /// Puts the outcomes of a block in `within` behind those of `into`.
    pub(super) fn read_compact_outcomes(
        &self,
        compact: &Compact,
        (side, number): (usize, u64),
        within: Range<usize>,
        into: &mut Outcomes,
    ) -> Result<(), TableError> {
        let per_cell = self.header.block_values as usize / CELLS;
        let cells = within.start / per_cell..within.end.div_ceil(per_cell);
        let mut first = cells.start * per_cell;
        self.for_cells(compact, (side, number), cells, |cell| {
            let outcomes = cell.outcomes();
            let last = first + outcomes.len();
            let wanted = within.start.max(first) - first..within.end.min(last) - first;
            into.append_digits(&outcomes[wanted]);
            first = last;
        })
    }

    /// The value of a position of a compact table.
    pub(super) fn compact_value(
        &self,
        compact: &Compact,
        side: usize,
        index: u64,
    ) -> Result<PackedDtw, TableError> {
        let Some(kept) = &compact.kept else {
            return self.decoded_value(compact, side, index);
        };
        let to_move = usize::from(!self.sides()[side].is_white());
        if let Some(outcome) = kept.outcome(to_move, index) {
            // The numbers are those of the shortest distances.
            return Ok(PackedDtw::from_bits(outcome.into()));
        }
        self.decoded_value(compact, side, index)
    }

    /// The decoded outcomes that all threads share; `None` of a table that is not compact or has distances.
    pub(crate) fn kept(&self) -> Option<&Arc<Kept>> {
        self.compact.as_ref()?.kept.as_ref()
    }

    /// The value of a position in a cell that is not kept for all threads.
    #[cold]
    fn decoded_value(
        &self,
        compact: &Compact,
        side: usize,
        index: u64,
    ) -> Result<PackedDtw, TableError> {
        let block_values = u64::from(self.header.block_values);
        let per_cell = block_values / CELLS as u64;
        let (number, within) = (index / block_values, index % block_values);
        let (cell, at) = ((within / per_cell) as usize, (within % per_cell) as usize);
        let block = side as u64 * self.header.blocks_per_side() + number;
        let key = Key {
            table: self.id,
            block: block * CELLS as u64 + cell as u64,
        };
        cache::with_block(
            key,
            2 * per_cell as usize,
            |bytes| {
                let one = cell..cell + 1;
                self.for_cells(compact, (side, number), one, |decoded| {
                    decoded.write(bytes);
                    if let Some(kept) = &compact.kept {
                        kept.put(key.block as usize, decoded.outcomes());
                    }
                })
            },
            |bytes| PackedDtw::from_bits(u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]])),
        )
    }
}

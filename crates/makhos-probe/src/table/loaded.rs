//! A whole table in memory.

use makhos_rules::Color;

use crate::codec::Codec;
use crate::value::PackedDtw;

/// A table decoded into memory. Made by [`Table::load`](crate::Table::load).
#[derive(Debug)]
pub struct LoadedTable {
    pub(super) codec: Codec,
    pub(super) block_values: u32,
    /// Packed bytes of a full block and of a whole side.
    pub(super) packed_block: usize,
    pub(super) packed_side: usize,
    pub(super) sides: &'static [Color],
    pub(super) stores_captures: bool,
    pub(super) packed: Vec<u8>,
}

impl LoadedTable {
    /// As [`Table::stores_side`](crate::Table::stores_side).
    #[must_use]
    pub fn stores_side(&self, side: Color) -> bool {
        self.sides.contains(&side)
    }

    /// As [`Table::stores_captures`](crate::Table::stores_captures).
    #[must_use]
    pub fn stores_captures(&self) -> bool {
        self.stores_captures
    }

    /// The value of the position with this side to move and index. From a table without distances it
    /// has the shortest of its kind; from one of [`Metric::Dtz`](crate::Metric::Dtz) it is a packed [`Dtz`](crate::Dtz).
    ///
    /// # Panics
    /// If the table does not store that position, that is if it has not been normalised.
    #[inline]
    #[must_use]
    pub fn get(&self, side: Color, index: u64) -> PackedDtw {
        let number = self.sides.iter().position(|stored| *stored == side);
        let start = number.expect("a side that is stored") * self.packed_side;
        // The block size is a power of two, but shifts would gain nothing measurable here.
        let values = u64::from(self.block_values);
        let block = start + (index / values) as usize * self.packed_block;
        let side_end = start + self.packed_side;
        self.codec
            .get(&self.packed[block..side_end], (index % values) as usize)
    }
}

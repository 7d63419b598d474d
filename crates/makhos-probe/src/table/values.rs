//! Reading many values of a table at once.

use std::io;
use std::ops::Range;

use makhos_rules::Color;

use crate::error::TableError;
use crate::table::Table;
use crate::value::PackedDtw;

impl Table {
    /// Replaces what `into` holds by the values of `positions`, a range of indices, with `side` to move.
    /// From a table without distances they have the shortest of their kind; those of a table of
    /// [`Metric::Dtz`](crate::Metric::Dtz) are packed [`Dtz`](crate::Dtz). Only the blocks of the range are
    /// read and decoded, on this thread; their checksums are compared as everywhere.
    ///
    /// # Errors
    /// [`TableError::NoSuchPosition`] for a side that is not stored or a range that ends behind the last
    /// position, with `into` empty; [`TableError::DamagedBlock`] or [`TableError::Io`], also if there is not
    /// enough memory, with the values of the blocks before in `into`.
    pub fn read_values(
        &self,
        side: Color,
        positions: Range<u64>,
        into: &mut Vec<PackedDtw>,
    ) -> Result<(), TableError> {
        into.clear();
        let side = self.stored_side(side, positions.end.saturating_sub(1))?;
        let len = positions.end.saturating_sub(positions.start);
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        if into.try_reserve(len).is_err() {
            return Err(self.io_error(io::ErrorKind::OutOfMemory.into()));
        }
        let codec = self.codec();
        let values = u64::from(self.header.block_values);
        let mut packed = Vec::new();
        let mut at = positions.start;
        while at < positions.end {
            let block = at / values;
            let count = self.header.values_in_block(block);
            packed.resize(codec.packed_len(count), 0);
            self.decode(side, block, &mut packed)?;
            let start = block * values;
            let end = (start + count as u64).min(positions.end);
            let within = (at - start) as usize..(end - start) as usize;
            into.extend(within.map(|at| codec.get(&packed, at)));
            at = end;
        }
        Ok(())
    }
}

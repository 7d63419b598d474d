//! Reading many outcomes of a table at once.

use std::io;
use std::ops::Range;

use makhos_rules::Color;

use crate::error::TableError;
use crate::outcomes::Outcomes;
use crate::table::Table;

impl Table {
    /// Replaces what `into` holds by the outcomes of `positions`, a range of indices, with `side` to
    /// move, from a table of outcomes or distances. Only the blocks of the range are read and decoded, on this
    /// thread; their checksums are compared as everywhere. From a [compact](Self::stores_captures) table the
    /// outcomes at positions where the side to move must capture are anything.
    ///
    /// # Errors
    /// [`TableError::OtherMetric`] for [`Metric::Dtz`](crate::Metric::Dtz), whose results hold for enough
    /// plies left only, and [`TableError::NoSuchPosition`] for a side that is not stored or a range that ends
    /// behind the last position, both with `into` empty; [`TableError::DamagedBlock`] or [`TableError::Io`], also if there is
    /// not enough memory, with the outcomes of the blocks before in `into`.
    pub fn read_outcomes(
        &self,
        side: Color,
        positions: Range<u64>,
        into: &mut Outcomes,
    ) -> Result<(), TableError> {
        into.clear();
        self.need_outcomes()?;
        let side = self.stored_side(side, positions.end.saturating_sub(1))?;
        let len = positions.end.saturating_sub(positions.start);
        if into.reserve(len).is_err() {
            return Err(self.io_error(io::ErrorKind::OutOfMemory.into()));
        }
        let codec = self.codec();
        let values = u64::from(self.header.block_values);
        let mut packed = Vec::new();
        let mut at = positions.start;
        while at < positions.end {
            let block = at / values;
            let count = self.header.values_in_block(block);
            let start = block * values;
            let end = (start + count as u64).min(positions.end);
            let within = (at - start) as usize..(end - start) as usize;
            at = end;
            if let Some(compact) = &self.compact {
                self.read_compact_outcomes(compact, (side, block), within, into)?;
                continue;
            }
            packed.resize(codec.packed_len(count), 0);
            self.decode(side, block, &mut packed)?;
            codec.unpack_outcomes(&packed, within, into);
        }
        Ok(())
    }
}

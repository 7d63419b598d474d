//! Encoding many blocks at once, on all threads.

use std::cell::RefCell;
use std::io;
use std::ops::Range;

use rayon::prelude::*;

use crate::codec::{BlockEncoder, Codec};
use crate::statistics::SideStatistics;
use crate::value::PackedDtw;
use crate::write::{TableWriter, WriteError, io_error};

/// Blocks that are encoded for each thread before they are written: some milliseconds of work in which
/// the threads get level, and less than a megabyte.
const BATCH_BLOCKS: usize = 64;

/// A block as it will lie in the file, and what is in it.
pub(super) struct EncodedBlock {
    pub(super) stored: Vec<u8>,
    pub(super) crc: u32,
    pub(super) figures: SideStatistics,
}

/// Why a block cannot be encoded.
pub(super) enum BlockError {
    /// Its values contradict each other, as the text says.
    Inconsistent(String),
    /// zstd refused.
    Io(io::Error),
}

impl From<io::Error> for BlockError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl TableWriter {
    /// Takes as many whole blocks of the side in hand as `len` values fill; none are left of a block before.
    /// `encode` makes the block of a range of these values. Returns the number of values taken.
    pub(super) fn push_blocks(
        &mut self,
        len: u64,
        encode: impl Fn(Range<u64>) -> Result<EncodedBlock, BlockError> + Sync,
    ) -> Result<u64, WriteError> {
        let block_values = u64::from(self.header.block_values);
        let missing_in_side = self.header.positions() - self.seen.positions;
        let len = match len.checked_sub(missing_in_side) {
            Some(_) => missing_in_side,
            None => len / block_values * block_values,
        };
        let batch = (BATCH_BLOCKS * rayon::current_num_threads()) as u64 * block_values;
        let mut ready = Vec::new();
        let mut at = 0;
        while at < len {
            let next = at..len.min(at + batch);
            at = next.end;
            let (written, encoded) = rayon::join(
                || self.write_blocks(&ready),
                || encode_blocks(next, block_values, &encode),
            );
            written?;
            ready = encoded.map_err(|error| match error {
                BlockError::Inconsistent(what) => self.inconsistent(&what),
                BlockError::Io(source) => io_error(&self.path, source),
            })?;
        }
        self.write_blocks(&ready)?;
        Ok(len)
    }

    /// Writes encoded blocks of the side in hand.
    fn write_blocks(&mut self, blocks: &[EncodedBlock]) -> Result<(), WriteError> {
        for block in blocks {
            self.seen = self.seen.merge(block.figures);
            self.write_block(&block.stored, block.crc)?;
        }
        Ok(())
    }
}

/// The blocks of the values in `range`, the last of which may be shorter than the others.
fn encode_blocks(
    range: Range<u64>,
    block_values: u64,
    encode: &(impl Fn(Range<u64>) -> Result<EncodedBlock, BlockError> + Sync),
) -> Result<Vec<EncodedBlock>, BlockError> {
    let blocks = (range.end - range.start).div_ceil(block_values);
    let encoded: Vec<_> = (0..blocks)
        .into_par_iter()
        .map(|block| {
            let start = range.start + block * block_values;
            encode(start..range.end.min(start + block_values))
        })
        .collect();
    // In their order, so that the first mistake is the one that is reported.
    encoded.into_iter().collect()
}

/// The stored bytes of a block.
pub(super) fn encode_values(codec: Codec, values: &[PackedDtw]) -> io::Result<Vec<u8>> {
    with_encoder(codec, |encoder| encoder.encode(values))
}

/// Calls `encode` with an encoder of the thread.
pub(super) fn with_encoder<T, E: From<io::Error>>(
    codec: Codec,
    encode: impl FnOnce(&mut BlockEncoder) -> Result<T, E>,
) -> Result<T, E> {
    thread_local! {
        // Creating a context costs more than encoding a block with it.
        static ENCODER: RefCell<Option<BlockEncoder>> = const { RefCell::new(None) };
    }
    ENCODER.with_borrow_mut(|slot| {
        if let Some(encoder) = slot.as_mut().filter(|encoder| encoder.codec() == codec) {
            return encode(encoder);
        }
        encode(slot.insert(BlockEncoder::new(codec)?))
    })
}

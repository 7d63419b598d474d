//! Writing many outcomes at once, on all threads.

use std::cell::RefCell;
use std::ops::Range;

use rayon::prelude::*;

use crate::codec::{BlockEncoder, Codec, EncodeError};
use crate::digits::{Contradiction, Decided, Planes};
use crate::value::{Metric, PackedDtw};
use crate::write::{TableWriter, WriteError, io_error};

/// Blocks that are encoded for each thread before they are written: some milliseconds of work in which
/// the threads get level, and less than a megabyte.
const BATCH_BLOCKS: usize = 64;

/// A block as it will lie in the file, and what is in it.
struct EncodedBlock {
    stored: Vec<u8>,
    crc: u32,
    values: u64,
    decided: Decided,
}

impl TableWriter {
    /// Takes the next `len` values of a table of outcomes as two bit planes: bit i % 64 of word i / 64
    /// of `win` or `loss` says that value number i is that. Neither is a draw. Other bits do not matter.
    ///
    /// The bytes are those that [`push`](Self::push) gives for the same values, but all threads of the
    /// current rayon pool encode them, quickest if whole sides are handed in. Both may be used for one
    /// table.
    ///
    /// # Errors
    /// [`WriteError::OtherMetric`] for a table of any other metric; [`WriteError::Storage`] for a compact table;
    /// [`WriteError::Inconsistent`] for planes
    /// shorter than `len`, a value that is won and lost, more values than the class has, or values that
    /// contradict the statistics; [`WriteError::Io`]. The table cannot be finished then.
    pub fn push_outcomes(&mut self, win: &[u64], loss: &[u64], len: u64) -> Result<(), WriteError> {
        if self.header.metric != Metric::Wld {
            return Err(WriteError::OtherMetric {
                material: self.header.material,
                metric: self.header.metric,
            });
        }
        if self.compact.is_some() {
            return Err(self.other_storage());
        }
        let words = win.len().min(loss.len()) as u64;
        if words < len.div_ceil(64) {
            return Err(self.inconsistent(&format!("{len} outcomes in {words} words")));
        }
        let planes = Planes { win, loss };
        let mut at = 0;
        while at < len {
            if self.side == self.header.statistics.len() {
                return Err(self.inconsistent("more values than the class has"));
            }
            let missing = self.missing_in_block() as u64;
            at += if self.block.is_empty() && missing <= len - at {
                self.push_blocks(planes, at, len - at)?
            } else {
                self.push_part(planes, at..len.min(at + missing))?
            };
        }
        Ok(())
    }

    /// Takes values that do not fill a block. Returns their number.
    fn push_part(&mut self, planes: Planes<'_>, range: Range<u64>) -> Result<u64, WriteError> {
        let mut values = Vec::new();
        for at in range.clone() {
            let bits = planes.bits(at, 1).map_err(|Contradiction(both)| {
                self.contradiction(self.seen.positions + both - range.start)
            })?;
            values.push(match bits {
                (0, 0) => PackedDtw::DRAW,
                (0, _) => PackedDtw::LOST,
                _ => PackedDtw::LOST.before(),
            });
        }
        self.push(&values)?;
        Ok(range.end - range.start)
    }

    /// Takes as many whole blocks of the side in hand as the values from `start` on fill; `len` of them
    /// are there. Returns the number of their values.
    fn push_blocks(&mut self, planes: Planes<'_>, start: u64, len: u64) -> Result<u64, WriteError> {
        let block_values = u64::from(self.header.block_values);
        let missing_in_side = self.header.positions() - self.seen.positions;
        let len = match len.checked_sub(missing_in_side) {
            Some(_) => missing_in_side,
            None => len / block_values * block_values,
        };
        let end = start + len;
        let batch = (BATCH_BLOCKS * rayon::current_num_threads()) as u64 * block_values;
        let before = self.seen.positions;
        let mut ready = Vec::new();
        let mut at = start;
        while at < end {
            let next = at..end.min(at + batch);
            at = next.end;
            let (written, encoded) = rayon::join(
                || self.write_blocks(&ready),
                || encode_blocks(planes, next, block_values),
            );
            written?;
            ready = encoded.map_err(|error| match error {
                EncodeError::Contradiction(Contradiction(both)) => {
                    self.contradiction(before + both - start)
                }
                EncodeError::Io(source) => io_error(&self.path, source),
            })?;
        }
        self.write_blocks(&ready)?;
        Ok(len)
    }

    /// Writes encoded blocks of the side in hand.
    fn write_blocks(&mut self, blocks: &[EncodedBlock]) -> Result<(), WriteError> {
        for block in blocks {
            self.seen.positions += block.values;
            self.seen.wins += block.decided.wins;
            self.seen.losses += block.decided.losses;
            self.seen.draws += block.values - block.decided.wins - block.decided.losses;
            self.write_block(&block.stored, block.crc)?;
        }
        Ok(())
    }

    fn contradiction(&self, index: u64) -> WriteError {
        self.inconsistent(&format!("position {index} is both won and lost"))
    }
}

/// Encodes the values in `range` as blocks, the last of which may be shorter than the others.
fn encode_blocks(
    planes: Planes<'_>,
    range: Range<u64>,
    block_values: u64,
) -> Result<Vec<EncodedBlock>, EncodeError> {
    let blocks = (range.end - range.start).div_ceil(block_values);
    let encoded: Vec<_> = (0..blocks)
        .into_par_iter()
        .map(|block| {
            let start = range.start + block * block_values;
            encode_block(planes, start..range.end.min(start + block_values))
        })
        .collect();
    // In their order, so that the first mistake is the one that is reported.
    encoded.into_iter().collect()
}

fn encode_block(planes: Planes<'_>, range: Range<u64>) -> Result<EncodedBlock, EncodeError> {
    thread_local! {
        // Creating a context costs more than encoding a block with it.
        static ENCODER: RefCell<Option<BlockEncoder>> = const { RefCell::new(None) };
    }
    ENCODER.with_borrow_mut(|slot| {
        let encoder = match slot {
            Some(encoder) => encoder,
            None => slot.insert(BlockEncoder::new(Codec::Wld)?),
        };
        let values = range.end - range.start;
        let (stored, decided) = encoder.encode_outcomes(planes, range)?;
        Ok(EncodedBlock {
            crc: crc32fast::hash(&stored),
            stored,
            values,
            decided,
        })
    })
}

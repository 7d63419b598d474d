//! Writing many outcomes at once, on all threads.

use std::ops::Range;

use crate::codec::{Codec, EncodeError};
use crate::digits::{Contradiction, Planes};
use crate::statistics::SideStatistics;
use crate::value::{Metric, PackedDtw};
use crate::write::blocks::{BlockError, EncodedBlock, with_encoder};
use crate::write::{TableWriter, WriteError};

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
                let before = self.seen.positions;
                self.push_blocks(len - at, |range| {
                    encode_block(planes, at + range.start..at + range.end).map_err(|error| {
                        match error {
                            EncodeError::Contradiction(Contradiction(both)) => {
                                BlockError::Inconsistent(contradiction(before + both - at))
                            }
                            EncodeError::Io(source) => BlockError::Io(source),
                        }
                    })
                })?
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
                self.inconsistent(&contradiction(self.seen.positions + both - range.start))
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
}

fn contradiction(index: u64) -> String {
    format!("position {index} is both won and lost")
}

fn encode_block(planes: Planes<'_>, range: Range<u64>) -> Result<EncodedBlock, EncodeError> {
    with_encoder(Codec::Wld, |encoder| {
        let positions = range.end - range.start;
        let (stored, decided) = encoder.encode_outcomes(planes, range)?;
        Ok(EncodedBlock {
            crc: crc32fast::hash(&stored),
            stored,
            figures: SideStatistics {
                positions,
                wins: decided.wins,
                draws: positions - decided.wins - decided.losses,
                losses: decided.losses,
                ..SideStatistics::default()
            },
        })
    })
}

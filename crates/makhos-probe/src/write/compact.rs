//! Writing compact tables: whole chapters, on all threads.

use std::ops::Range;

use rayon::prelude::*;

use crate::compact::CHAPTER_BLOCKS;
use crate::compact::chapter::{EncodedChapter, encode_chapter};
use crate::compact::distance_chapter::{MaskedValues, encode_distance_chapter};
use crate::compact::rows::Rows;
use crate::compact::source::MaskedPlanes;
use crate::format::Header;
use crate::statistics::SideStatistics;
use crate::value::{Metric, PackedDtw};
use crate::write::{TableWriter, WriteError, io_error};

/// What a writer of a compact table holds besides the file.
#[derive(Debug)]
pub(super) struct CompactWriter {
    rows: Rows,
    /// Values of the side in hand that have been encoded.
    encoded: u64,
    /// Values that have not.
    waiting: Waiting,
    /// The models of all chapters so far.
    models: Vec<Vec<u8>>,
    /// Whether everything is written at the end: of distances, and where only one side is stored.
    held_back: bool,
    /// Whether only one of two sides is stored.
    one_side: bool,
    /// What is held back: the blocks and models of each side.
    sides: Vec<EncodedChapter>,
}

/// Bit planes of values that are not encoded yet.
#[derive(Debug, Default)]
struct Waiting {
    win: Vec<u64>,
    loss: Vec<u64>,
    captures: Vec<u64>,
    /// Of a table of distances, instead of wins and losses.
    values: Vec<PackedDtw>,
    len: u64,
}

impl CompactWriter {
    /// For a table with this header; `one_side` is what is wanted of a table of outcomes.
    pub(super) fn new(header: &Header, one_side: bool) -> Self {
        let one_side = match header.metric {
            Metric::Wld => one_side,
            metric => metric == Metric::Dtw,
        } && header.statistics.len() == 2;
        Self {
            held_back: one_side || header.metric.has_plies(),
            one_side,
            rows: Rows::new(header.board_rows, header.material),
            encoded: 0,
            waiting: Waiting::default(),
            models: Vec::new(),
            sides: vec![EncodedChapter::default(); header.statistics.len()],
        }
    }

    /// Whether nothing is written before the end, when it is known which side is stored.
    pub(super) fn is_held_back(&self) -> bool {
        self.held_back
    }
}

/// The bits of a plane in a range of at most 64.
fn bits(plane: &[u64], range: Range<u64>) -> u64 {
    let (word, shift) = ((range.start / 64) as usize, range.start % 64);
    let count = range.end - range.start;
    let mut bits = plane[word] >> shift;
    if shift + count > 64 {
        bits |= plane[word + 1] << (64 - shift);
    }
    bits & (u64::MAX >> (64 - count))
}

impl Waiting {
    /// Puts the distances in a range behind the others.
    fn extend_values(&mut self, values: &[PackedDtw], captures: &[u64], range: Range<u64>) {
        self.extend([&[], &[], captures], range.clone());
        self.values
            .extend_from_slice(&values[range.start as usize..range.end as usize]);
    }

    /// Puts the values in a range of the planes behind the others; planes without a word are left out.
    fn extend(&mut self, [win, loss, captures]: [&[u64]; 3], range: Range<u64>) {
        let mut at = range.start;
        while at < range.end {
            // Up to the end of a word here.
            let shift = self.len % 64;
            let end = range.end.min(at + 64 - shift);
            for (to, from) in [
                (&mut self.win, win),
                (&mut self.loss, loss),
                (&mut self.captures, captures),
            ] {
                if from.is_empty() {
                    continue;
                }
                let bits = bits(from, at..end);
                match to.last_mut().filter(|_| shift != 0) {
                    Some(last) => *last |= bits << shift,
                    None => to.push(bits),
                }
            }
            self.len += end - at;
            at = end;
        }
    }
}

impl TableWriter {
    /// Takes the next `len` values of a compact table of outcomes as three bit planes: bit i % 64 of word
    /// i / 64 of `win` or `loss` says that value number i is that, of `captures` that the side to move must
    /// capture there. Neither a win nor a loss is a draw. Bits behind the `len` first do not matter.
    ///
    /// Values at captures are counted, and compared with the statistics, but not stored. All threads of the
    /// current rayon pool encode; the bytes depend on the values alone, not on threads or on the parts in
    /// which the values come. Of values that are not encoded yet, at most a chapter of 64 blocks for
    /// each thread and one more is kept in memory, three bits a value. Where only
    /// [one side](crate::CompactOptions::one_side) is stored, encoded blocks are kept until the table is finished.
    ///
    /// # Errors
    /// [`WriteError::OtherMetric`] for a table of any other metric; [`WriteError::Storage`] for a table that
    /// is not compact; [`WriteError::Inconsistent`] for planes shorter than `len`, a value that is won and
    /// lost, more values than the class has, or values that contradict the statistics; [`WriteError::Io`].
    /// The table cannot be finished then.
    pub fn push_quiet_outcomes(
        &mut self,
        win: &[u64],
        loss: &[u64],
        captures: &[u64],
        len: u64,
    ) -> Result<(), WriteError> {
        if self.header.metric != Metric::Wld {
            return Err(WriteError::OtherMetric {
                material: self.header.material,
                metric: self.header.metric,
            });
        }
        if self.compact.is_none() {
            return Err(self.other_storage());
        }
        let words = win.len().min(loss.len()).min(captures.len()) as u64;
        if words < len.div_ceil(64) {
            return Err(self.inconsistent(&format!("{len} outcomes in {words} words")));
        }
        let mut at = 0;
        while at < len {
            let Some(room) = self.room() else {
                return Err(self.inconsistent("more values than the class has"));
            };
            let end = len.min(at + room);
            self.count([win, loss, captures], at..end)?;
            if let Some(compact) = &mut self.compact {
                compact.waiting.extend([win, loss, captures], at..end);
            }
            at = end;
            if self.room() == Some(0) {
                self.encode_waiting()?;
            }
        }
        Ok(())
    }

    /// Takes the next values of a compact table of distances. Bit i % 64 of word i / 64 of `captures` says
    /// that the side to move must capture at value number i.
    ///
    /// Values at captures are counted, and compared with the statistics, but not stored. Of two sides to
    /// move, only the one that takes less room is stored by a table of [`Metric::Dtw`]; the distances with the
    /// other follow from the moves. All threads of the current rayon pool encode; the bytes depend on
    /// the values alone. Encoded blocks are kept in memory until the table is finished.
    ///
    /// # Errors
    /// [`WriteError::OtherMetric`] for a table of outcomes; [`WriteError::Storage`] for a table that is not
    /// compact; [`WriteError::Inconsistent`] for a plane shorter than the values, more values than the class
    /// has, or values that contradict the statistics. The table cannot be finished then.
    pub fn push_quiet_values(
        &mut self,
        values: &[PackedDtw],
        captures: &[u64],
    ) -> Result<(), WriteError> {
        if self.compact.is_none() {
            return Err(self.other_storage());
        }
        if !self.header.metric.has_plies() {
            return Err(WriteError::OtherMetric {
                material: self.header.material,
                metric: self.header.metric,
            });
        }
        let (len, words) = (values.len() as u64, captures.len());
        if words < values.len().div_ceil(64) {
            return Err(self.inconsistent(&format!("{len} values and {words} words of captures")));
        }
        self.check(values)?;
        let mut at = 0;
        while at < len {
            let Some(room) = self.room() else {
                return Err(self.inconsistent("more values than the class has"));
            };
            let end = len.min(at + room);
            let here = &values[at as usize..end as usize];
            let words = (at..end).step_by(64);
            self.seen = self.seen.merge(SideStatistics {
                captures: words
                    .map(|word| bits(captures, word..end.min(word + 64)).count_ones())
                    .map(u64::from)
                    .sum(),
                ..SideStatistics::of_values(self.seen.positions, here)
            });
            if let Some(compact) = &mut self.compact {
                compact.waiting.extend_values(values, captures, at..end);
            }
            at = end;
            if self.room() == Some(0) {
                self.encode_waiting()?;
            }
        }
        Ok(())
    }

    /// How many values can be taken before some are encoded; `None` behind the last side.
    fn room(&self) -> Option<u64> {
        let compact = self.compact.as_ref()?;
        if self.side == self.header.statistics.len() {
            return None;
        }
        let chapters = rayon::current_num_threads() as u64;
        let most = chapters * self.chapter_values();
        let missing = self.header.positions() - compact.encoded - compact.waiting.len;
        Some(missing.min(most.saturating_sub(compact.waiting.len)))
    }

    fn chapter_values(&self) -> u64 {
        CHAPTER_BLOCKS as u64 * u64::from(self.header.block_values)
    }

    /// Counts values for the comparison with the statistics.
    fn count(
        &mut self,
        [win, loss, captures]: [&[u64]; 3],
        range: Range<u64>,
    ) -> Result<(), WriteError> {
        let mut at = range.start;
        while at < range.end {
            let end = range.end.min(at + 64);
            let [won, lost, capture] = [win, loss, captures].map(|plane| bits(plane, at..end));
            if won & lost != 0 {
                let index = self.seen.positions + u64::from((won & lost).trailing_zeros());
                return Err(self.inconsistent(&format!("position {index} is both won and lost")));
            }
            let [wins, losses] = [won, lost].map(|bits| u64::from(bits.count_ones()));
            self.seen.positions += end - at;
            self.seen.wins += wins;
            self.seen.losses += losses;
            self.seen.draws += end - at - wins - losses;
            self.seen.captures += u64::from(capture.count_ones());
            at = end;
        }
        Ok(())
    }

    /// Encodes and writes the whole chapters that are waiting, and the last one of a side.
    fn encode_waiting(&mut self) -> Result<(), WriteError> {
        let values = self.chapter_values() as usize;
        let block_values = self.header.block_values as usize;
        let ends_side = self.seen.positions == self.header.positions();
        let longest = self.header.longest_halves();
        let has_plies = self.header.metric.has_plies();
        let Some(compact) = &mut self.compact else {
            return Ok(());
        };
        let len = compact.waiting.len as usize;
        let chapters = if ends_side {
            len.div_ceil(values)
        } else {
            len / values
        };
        let encode = |chapter: usize| {
            let words = chapter * values / 64;
            let first = compact.encoded + (chapter * values) as u64;
            let len = values.min(len - chapter * values);
            if has_plies {
                let values = MaskedValues {
                    values: &compact.waiting.values[chapter * values..][..len],
                    any: &compact.waiting.captures[words..],
                };
                let longest = longest[self.side];
                return encode_distance_chapter(
                    &compact.rows,
                    first,
                    values,
                    longest,
                    block_values,
                );
            }
            let planes = MaskedPlanes {
                win: &compact.waiting.win[words..],
                loss: &compact.waiting.loss[words..],
                any: &compact.waiting.captures[words..],
            };
            encode_chapter(&compact.rows, first, planes, len, block_values)
        };
        let encoded: Vec<EncodedChapter> = (0..chapters).into_par_iter().map(encode).collect();
        let taken = len.min(chapters * values);
        compact.encoded += taken as u64;
        compact.waiting.drop_first(taken);
        if ends_side {
            compact.encoded = 0;
        }
        self.take_encoded(encoded)?;
        if ends_side {
            self.end_side()?;
        }
        Ok(())
    }

    /// Writes the blocks of chapters, or holds them back.
    fn take_encoded(&mut self, encoded: Vec<EncodedChapter>) -> Result<(), WriteError> {
        let Some(compact) = &mut self.compact else {
            return Ok(());
        };
        let mut blocks = Vec::new();
        for chapter in encoded {
            if compact.held_back {
                let side = &mut compact.sides[self.side];
                side.blocks.extend(chapter.blocks);
                side.models.extend(chapter.models);
            } else {
                blocks.extend(chapter.blocks);
                compact.models.extend(chapter.models);
            }
        }
        for stored in &blocks {
            self.write_entry(stored, crc32fast::hash(stored))?;
        }
        Ok(())
    }

    /// Writes what is still missing of a compact table: the models, or everything.
    pub(super) fn write_rest(&mut self) -> Result<(), WriteError> {
        let Some(compact) = &mut self.compact else {
            return Ok(());
        };
        let mut entries = Vec::new();
        if compact.held_back {
            let mut sides = std::mem::take(&mut compact.sides);
            if compact.one_side {
                let kept = usize::from(sides[1].bytes() < sides[0].bytes());
                self.header.kept = Some(kept as u8);
                sides = vec![sides.swap_remove(kept)];
            }
            let written = self.output.write(&self.header.encode());
            written.map_err(|source| io_error(&self.path, source))?;
            entries.extend(
                sides
                    .iter_mut()
                    .flat_map(|side| std::mem::take(&mut side.blocks)),
            );
            entries.extend(sides.into_iter().flat_map(|side| side.models));
        } else {
            entries.append(&mut compact.models);
        }
        for entry in entries {
            self.write_entry(&entry, crc32fast::hash(&entry))?;
        }
        Ok(())
    }

    /// The error for values that are handed in as those of the other kind of table.
    pub(super) fn other_storage(&self) -> WriteError {
        WriteError::Storage {
            material: self.header.material,
            compact: self.compact.is_some(),
        }
    }
}

impl Waiting {
    /// Takes away the first values, a multiple of 64 or all.
    fn drop_first(&mut self, values: usize) {
        let words = values.div_ceil(64);
        for plane in [&mut self.win, &mut self.loss, &mut self.captures] {
            plane.drain(..words.min(plane.len()));
        }
        self.values.drain(..values.min(self.values.len()));
        self.len -= values as u64;
    }
}

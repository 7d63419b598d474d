//! Outcomes by White's men: for each set of them a row of bits over all sets of Black's men.

use makhos_index::Material;
use makhos_rules::{Board, Color};
use rayon::prelude::*;

use super::sets::{all_men, count, white_rank, words};
use crate::engine::isa::{Isa, Task};
use crate::engine::layout::expand_word;
use crate::engine::planes::Packed;
use crate::engine::ranks::{rank, sets, subsets};
use crate::engine::shape::Kings;
use crate::engine::subs::{StoredClass, Subs};
use crate::error::GenerateError;

/// All positions of a class with one side to move in which the men stand anywhere, and the king, if there
/// is one, where it was promoted. What does not exist is neither unwon nor lost.
#[derive(Debug)]
pub(super) struct Rows {
    /// Words of a plane of a row.
    words: usize,
    /// Squares of the king, or 1.
    places: usize,
    /// By White's men, then the king's square: the unwon plane of a row, then its lost plane.
    bits: Vec<u64>,
}

impl Rows {
    /// Rows for that many placements of White's men, no position unwon or lost.
    pub(super) fn new(rows: usize, places: usize, words: usize) -> Self {
        Self {
            words,
            places,
            bits: vec![0; rows * places * 2 * words],
        }
    }

    /// Bytes of the rows of a class with so many men and a promoted king or none.
    pub(super) fn bytes<B: Board>(white: u32, black: u32, king: bool) -> u64 {
        let places = if king { u64::from(B::PER_ROW) } else { 1 };
        let rows = (count::<B>(white) as u64).saturating_mul(places);
        rows.saturating_mul(words::<B>(black) as u64)
            .saturating_mul(16)
    }

    /// The unwon and the lost positions of a row, the king being on this square of its row.
    #[inline(always)]
    pub(super) fn row(&self, number: usize, place: usize) -> [&[u64]; 2] {
        let start = (number * self.places + place) * 2 * self.words;
        let (unwon, lost) = self.bits[start..start + 2 * self.words].split_at(self.words);
        [unwon, lost]
    }

    /// The rows of each placement of White's men, to be filled in.
    pub(super) fn rows_mut(&mut self) -> rayon::slice::ChunksExactMut<'_, u64> {
        let row = 2 * self.words * self.places;
        self.bits.par_chunks_exact_mut(row)
    }

    /// Reads a smaller class with this side to move, in which at most one side has a king.
    pub(super) fn read<I: Isa, B: Board>(
        isa: I,
        subs: &Subs<B>,
        class: Material,
        side: Color,
    ) -> Result<Self, GenerateError> {
        let stored = subs.stored_class(class, side)?;
        let rows = Self::read_stored(isa, &stored)?;
        Ok(if stored.flipped {
            rows.flipped::<B>(class)
        } else {
            rows
        })
    }

    /// Reads a class as its table has it.
    fn read_stored<I: Isa, B: Board>(
        isa: I,
        stored: &StoredClass<'_, B>,
    ) -> Result<Self, GenerateError> {
        let class = stored.index.material();
        let (white, black) = (class.white.men.into(), class.black.men.into());
        let with_king = class.white.kings + class.black.kings > 0;
        let places = if with_king { B::PER_ROW as usize } else { 1 };
        let mut rows = Self::new(count::<B>(white), places, words::<B>(black));
        let whites: Vec<B> = all_men(white, true).collect();
        let blacks: Vec<B> = all_men(black, false).collect();
        let read = |(row, &men): (&mut [u64], &B)| {
            let outcomes = stored_row(stored, men)?;
            isa.run(Fill {
                isa,
                class,
                men,
                blacks: &blacks,
                outcomes: &outcomes,
                row,
            });
            Ok::<_, GenerateError>(())
        };
        let whites = whites.par_iter();
        rows.rows_mut().zip(whites).try_for_each(read)?;
        Ok(rows)
    }

    /// The same positions with colours exchanged, which make up this class.
    fn flipped<B: Board>(&self, class: Material) -> Self {
        let (white, black) = (class.white.men.into(), class.black.men.into());
        let mut turned = Self::new(count::<B>(white), self.places, words::<B>(black));
        let whites: Vec<B> = all_men(white, true).collect();
        let rows: Vec<usize> = all_men(black, false)
            .map(|men: B| white_rank(men.rotate()))
            .collect();
        let words = turned.words;
        let whites = whites.par_iter();
        turned.rows_mut().zip(whites).for_each(|(row, men)| {
            let column = rank(men.rotate());
            for (place, planes) in row.chunks_exact_mut(2 * words).enumerate() {
                let place = self.places - 1 - place;
                for (plane, into) in planes.chunks_exact_mut(words).enumerate() {
                    for (number, &row) in rows.iter().enumerate() {
                        let bit = self.row(row, place)[plane][column / 64] >> (column % 64) & 1;
                        into[number / 64] |= bit << (number % 64);
                    }
                }
            }
        });
        turned
    }
}

/// The outcomes of all positions with these men of White, as the table has them.
fn stored_row<B: Board>(stored: &StoredClass<'_, B>, white: B) -> Result<Packed, GenerateError> {
    let index = stored.index;
    let black = index.material().black.men.into();
    match first_black(white, black) {
        None => Ok(Packed::default()),
        Some((first, count)) => {
            let start = index.men_index(white, first);
            stored.read(start * index.inner()..(start + count) * index.inner())
        }
    }
}

/// The first set of so many of Black's men beside these of White, and how many sets there are.
pub(super) fn first_black<B: Board>(white: B, men: u32) -> Option<(B, u64)> {
    let free = B::ALL & !B::BOTTOM_ROW & !white;
    let first = subsets(free, men).next()?;
    Some((first, sets(free.len(), men) as u64))
}

/// Fills the row of some men of White from the stored outcomes.
struct Fill<'a, I, B> {
    isa: I,
    class: Material,
    men: B,
    blacks: &'a [B],
    outcomes: &'a Packed,
    row: &'a mut [u64],
}

impl<I: Isa, B: Board> Task for Fill<'_, I, B> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        if self.class.white.kings + self.class.black.kings > 0 {
            self.with_king();
        } else {
            self.men_only();
        }
    }
}

impl<I: Isa, B: Board> Fill<'_, I, B> {
    #[inline(always)]
    fn men_only(self) {
        let (unwon, lost) = self.row.split_at_mut(self.row.len() / 2);
        let mut there = vec![0; unwon.len()];
        for (number, &black) in self.blacks.iter().enumerate() {
            let exists = u64::from((black & self.men).is_empty());
            there[number / 64] |= exists << (number % 64);
        }
        spread_row(self.isa, self.outcomes, &there, unwon, lost);
    }

    #[inline(always)]
    fn with_king(self) {
        let kings = Kings {
            white: self.class.white.kings.into(),
            black: self.class.black.kings.into(),
        };
        let free = u64::from(B::SQUARES - self.class.men());
        let first = match kings.white {
            0 => B::SQUARES - B::PER_ROW,
            _ => 0,
        };
        let words = self.row.len() / (2 * B::PER_ROW as usize);
        let mut at = 0;
        for (number, &black) in self.blacks.iter().enumerate() {
            if !(black & self.men).is_empty() {
                continue;
            }
            let outcomes = self.outcomes.bits(at, B::SQUARES);
            let planes = expand_word(self.isa, kings, black | self.men, false, outcomes);
            at += free;
            for place in 0..B::PER_ROW {
                for (plane, &set) in planes.iter().enumerate() {
                    let bit = u64::from(set.contains((first + place) as usize));
                    let word = (2 * place as usize + plane) * words + number / 64;
                    self.row[word] |= bit << (number % 64);
                }
            }
        }
    }
}

/// Spreads the stored outcomes of the positions `there` over a row that holds nothing.
#[inline(always)]
pub(super) fn spread_row<I: Isa>(
    isa: I,
    outcomes: &Packed,
    there: &[u64],
    unwon: &mut [u64],
    lost: &mut [u64],
) {
    let mut at = 0;
    for (word, &there) in there.iter().enumerate() {
        let count = there.count_ones();
        let (win, loss) = outcomes.bits(at, count);
        at += u64::from(count);
        unwon[word] = there & !isa.expand(win as u64, there);
        lost[word] = isa.expand(loss as u64, there);
    }
}

/// Packs the outcomes of the positions `there` of a row, in place of what `packed` held.
#[inline(always)]
pub(super) fn pack_row<I: Isa>(
    isa: I,
    there: &[u64],
    [unwon, lost]: [&[u64]; 2],
    packed: &mut Packed,
) {
    packed.clear();
    for (word, &there) in there.iter().enumerate() {
        let win = isa.compress(!unwon[word], there);
        let loss = isa.compress(lost[word], there);
        packed.push(win.into(), loss.into(), there.count_ones());
    }
}

//! Single words of the dense form, past the cache of segments.
//!
//! Where the only king moves over the squares, or there is none, a configuration of men is one word of each
//! plane. Classes of that kind have so many configurations and need so few words of each that expanding
//! segments, and finding them in the cache again, would take most of the time. Here the bits are read from where
//! they are decoded, of which each thread remembers some pages.

use std::ops::Range;
use std::sync::Arc;

use makhos_index::Material;
use makhos_rules::{Board, Color};

use super::decoded::{PAGE, PageKey};
use super::{Class, Stored, Subs, is_one_word, stored_form};
use crate::engine::isa::{self, Isa};
use crate::engine::layout::expand_word;
use crate::engine::planes::Packed;
use crate::engine::ranks::{below, sets};
use crate::engine::segment::Segments;
use crate::engine::shape::{Kings, Shape};
use crate::error::GenerateError;

/// Pages that a thread remembers; a power of two.
const REMEMBERED: usize = 32;

/// Pages of decoded outcomes that a thread used last.
#[derive(Default)]
pub(crate) struct Pages {
    slots: Vec<Option<(PageKey, Arc<[Packed]>)>>,
    /// What lies in two pages.
    across: Vec<Packed>,
}

/// Which words of a class are asked for, all as the solver sees it.
#[derive(Clone, Copy)]
pub(crate) struct WordOf<B> {
    pub(crate) class: Material,
    pub(crate) men: [B; 2],
    /// The side to move.
    pub(crate) side: Color,
    pub(crate) shape: Shape,
    /// Where a second king stands, of White or Black, besides the one that moves over the squares.
    pub(crate) beside: Option<(Color, usize)>,
}

impl<B: Board> WordOf<B> {
    /// Whether it is a word: with no king the shape is [`Shape::Bare`], else that of the side whose king moves
    /// over the squares.
    #[inline(always)]
    pub(crate) fn is_one(&self) -> bool {
        let mut kings = super::kings(self.class);
        if let Some((color, _)) = self.beside {
            *of(&mut kings, color) -= 1;
        }
        is_one_word(self.shape, kings) && (self.beside.is_none() || self.shape != Shape::Bare)
    }
}

fn of(kings: &mut Kings, color: Color) -> &mut u32 {
    match color {
        Color::White => &mut kings.white,
        Color::Black => &mut kings.black,
    }
}

// Inlined into the tasks of the lookup, so that they are compiled for the processor.
impl<B: Board> Subs<B> {
    /// Fills `into` with words of a smaller class, the unwon and the lost one, then those of plies; what
    /// [`cube`](Self::cube) would have at the square of the second king.
    ///
    /// # Errors
    /// Those of [`cube`](Self::cube).
    ///
    /// # Panics
    /// If `into` has not two words for each of the [`pairs`](Self::pairs).
    #[inline(always)]
    pub(crate) fn word_into<I: Isa>(
        &self,
        isa: I,
        word: &WordOf<B>,
        pages: &mut Pages,
        into: &mut [B],
    ) -> Result<(), GenerateError> {
        assert_eq!(into.len(), 2 * self.pairs, "two words a pair");
        let Some(number) = self.places.get(word.class) else {
            return Err(self.unneeded(word.class));
        };
        let class = &self.classes[usize::from(number)];
        let stored = word.stored(&class.segments);
        let index = class.segments.index();
        let start = index.men_index(stored.white_men, stored.black_men) * index.inner();
        let key = PageKey::new(number, stored.form.stored_side, start);
        let (pairs, at) = pages.find(self, class, key, start..start + index.inner())?;
        let men = word.men[0] | word.men[1];
        let (kings, flipped) = (stored.form.kings, stored.form.flipped);
        for (pair, into) in pairs.iter().zip(into.chunks_exact_mut(2)) {
            let words = match word.beside {
                None => expand_word(isa, kings, men, flipped, pair.bits(at, B::SQUARES)),
                Some(beside) => beside_word(isa, &stored, men, beside, pair, at),
            };
            into.copy_from_slice(&words);
        }
        self.come_into(&class.segments, stored.form, into, 2 * self.pairs, 1);
        Ok(())
    }

    /// The same of the class in work, without a second king; what [`own`](Self::own) would give. All outcomes of the
    /// configuration must be in the [`planes`](Self::planes) by now.
    ///
    /// # Panics
    /// With positions that are [counted](Self::has_counted), which are in classes with kings on both sides alone.
    #[inline(always)]
    pub(crate) fn own_word_into<I: Isa>(&self, isa: I, word: &WordOf<B>, into: &mut [B]) {
        assert!(!self.has_counted(), "kings on both sides");
        let stored = word.stored(&self.own);
        let index = self.own.index();
        let start = index.men_index(stored.white_men, stored.black_men) * index.inner();
        let planes = self.planes_of(stored.form.stored_side).iter();
        let (kings, flipped) = (stored.form.kings, stored.form.flipped);
        let men = word.men[0] | word.men[1];
        for (planes, into) in planes.zip(into.chunks_exact_mut(2)) {
            let outcomes = planes.bits(start, B::SQUARES);
            into.copy_from_slice(&expand_word(isa, kings, men, flipped, outcomes));
        }
        self.come_inside(into, 1);
    }
}

impl<B: Board> WordOf<B> {
    /// How the table of `segments` has these positions.
    #[inline(always)]
    fn stored(&self, segments: &Segments<B>) -> Stored<B> {
        let [white, black] = self.men;
        stored_form(segments, self.class, white, black, self.side, self.shape)
    }
}

impl Pages {
    /// The pairs of planes in which these positions of a smaller class are, and at which bit they begin. `key` is
    /// the page of the first one.
    #[inline(always)]
    fn find<B: Board>(
        &mut self,
        subs: &Subs<B>,
        class: &Class<B>,
        key: PageKey,
        positions: Range<u64>,
    ) -> Result<(&[Packed], u64), GenerateError> {
        let within = positions.start % PAGE;
        if within + (positions.end - positions.start) > PAGE {
            return self.across(subs, class, key, positions);
        }
        Ok((self.page(subs, class, key)?, within))
    }

    #[inline(always)]
    fn page<B: Board>(
        &mut self,
        subs: &Subs<B>,
        class: &Class<B>,
        key: PageKey,
    ) -> Result<&[Packed], GenerateError> {
        if self.slots.is_empty() {
            self.slots.resize_with(REMEMBERED, || None);
        }
        let slot = &mut self.slots[key.hash() & (REMEMBERED - 1)];
        if slot.as_ref().is_none_or(|(held, _)| *held != key) {
            *slot = Some((key, subs.read_page(class, key)?));
        }
        let (_, page) = slot.as_ref().expect("it was put there");
        Ok(page)
    }

    /// [`find`](Self::find) for positions in more than one page.
    #[cold]
    #[inline(never)]
    fn across<B: Board>(
        &mut self,
        subs: &Subs<B>,
        class: &Class<B>,
        first: PageKey,
        positions: Range<u64>,
    ) -> Result<(&[Packed], u64), GenerateError> {
        let mut across = std::mem::take(&mut self.across);
        across.resize_with(subs.pairs, Packed::default);
        across.iter_mut().for_each(Packed::clear);
        let (number, side) = first.class();
        let mut at = positions.start;
        while at < positions.end {
            let end = positions.end.min((at / PAGE + 1) * PAGE);
            let page = self.page(subs, class, PageKey::new(number, side, at))?;
            let within = at % PAGE..at % PAGE + (end - at);
            for (pair, page) in across.iter_mut().zip(page) {
                pair.append(page, within.clone());
            }
            at = end;
        }
        self.across = across;
        Ok((&self.across, 0))
    }
}

/// The words of the positions with a second king. The canonical placements of both begin at bit `start`.
#[inline(always)]
fn beside_word<I: Isa, B: Board>(
    isa: I,
    stored: &Stored<B>,
    men: B,
    (color, square): (Color, usize),
    pair: &Packed,
    start: u64,
) -> [B; 2] {
    let flipped = stored.form.flipped;
    let turn = |set: B| if flipped { set.rotate() } else { set };
    let known = turn(B::bit(square));
    let free = turn(B::ALL & !men);
    if (known & free).is_empty() {
        return [B::EMPTY; 2];
    }
    let known_rank = (free & below(known)).len();
    let squares = free & !known;
    let kings = stored.form.kings;
    // By number of the square among those of the moving king.
    let each = u64::from(squares.len());
    let rank = u64::from(known_rank);
    let (mut win, mut loss) = (B::EMPTY, B::EMPTY);
    let numbers = 0..squares.len();
    if kings.white == 1 && kings.black == 1 {
        // White's king varies slowly, as the class is stored.
        let white_is_known = color.is_white() != flipped;
        if white_is_known {
            let (won, lost) = pair.bits(start + rank * each, B::SQUARES);
            win = isa::expand(isa, won, squares);
            loss = isa::expand(isa, lost, squares);
        } else {
            for (number, bit) in numbers.zip(squares.squares()) {
                // Beyond the known king its own number is one lower.
                let (white, black) = match number < known_rank {
                    true => (u64::from(number), rank - 1),
                    false => (u64::from(number) + 1, rank),
                };
                take_bit(
                    pair,
                    start + white * each + black,
                    bit,
                    [&mut win, &mut loss],
                );
            }
        }
    } else {
        // Below the known king the other one walks along a run.
        let (won, lost) = pair.bits(start + sets(known_rank, 2) as u64, B::SQUARES);
        let run = squares & below(known);
        win = isa::expand(isa, won, run);
        loss = isa::expand(isa, lost, run);
        for (number, bit) in (known_rank + 1..).zip((squares & !run).squares()) {
            take_bit(
                pair,
                start + rank + sets(number, 2) as u64,
                bit,
                [&mut win, &mut loss],
            );
        }
    }
    [turn(squares & !win), turn(loss)]
}

/// Adds a square to the sets of which the position with this number is one.
#[inline(always)]
fn take_bit<B: Board>(pair: &Packed, at: u64, square: usize, [win, loss]: [&mut B; 2]) {
    let (won, lost) = pair.bits(at, 1);
    if won & 1 == 1 {
        *win |= B::bit(square);
    }
    if lost & 1 == 1 {
        *loss |= B::bit(square);
    }
}

//! What the captures of a block lead to, collected end by end.
//!
//! Where the rules prefer some captures, ends are kept apart by their precedence, and only in
//! [`Ends::resolve`] the highest one of each placement counts.

use makhos_rules::Board;

use super::bits::transpose;
use super::mask::{Foe, Grid, Known, Own, Product, Set, all_if};

/// Three sets of placements: won by a capture, drawn by one, and with any capture at all.
#[derive(Clone, Copy)]
pub(crate) struct Outcome<S> {
    /// An end that the foe has lost.
    pub(crate) win: S,
    /// An end that is a draw.
    pub(crate) draw: S,
    /// Any end.
    pub(crate) any: S,
}

impl<S: Copy> Outcome<S> {
    /// All three the same.
    #[inline(always)]
    pub(crate) fn all(set: S) -> Self {
        Self {
            win: set,
            draw: set,
            any: set,
        }
    }

    /// The same done to all three.
    #[inline(always)]
    pub(crate) fn map(&self, each: impl Fn(S) -> S) -> Self {
        Self {
            win: each(self.win),
            draw: each(self.draw),
            any: each(self.any),
        }
    }
}

/// The ends of one precedence. What is not in use holds anything.
#[derive(Clone, Copy)]
pub(crate) struct Slot<B, const N: usize> {
    precedence: u64,
    /// With both inner kings on the board: rows of White's.
    grid: Outcome<Grid<B, N>>,
    has_grid: bool,
    /// More of the same, by the square of Black's: sets of squares of White's.
    columns: Outcome<[B; N]>,
    has_columns: bool,
    /// With one inner king or none.
    word: Outcome<B>,
    /// Captures of the side's own inner king where the foe has none.
    inner: Outcome<B>,
}

impl<B: Board, const N: usize> Slot<B, N> {
    fn new() -> Self {
        let none = [B::EMPTY; N];
        Self {
            precedence: 0,
            grid: Outcome::all(Grid(none)),
            has_grid: false,
            columns: Outcome::all(none),
            has_columns: false,
            word: Outcome::all(B::EMPTY),
            inner: Outcome::all(B::EMPTY),
        }
    }

    /// The grid, empty at first.
    #[inline(always)]
    fn grid(&mut self) -> &mut Outcome<Grid<B, N>> {
        if !self.has_grid {
            self.has_grid = true;
            self.grid = Outcome::all(Grid([B::EMPTY; N]));
        }
        &mut self.grid
    }

    /// The columns, empty at first.
    #[inline(always)]
    fn columns(&mut self) -> &mut Outcome<[B; N]> {
        if !self.has_columns {
            self.has_columns = true;
            self.columns = Outcome::all([B::EMPTY; N]);
        }
        &mut self.columns
    }
}

/// Collects ends.
pub(crate) struct Ends<B, const N: usize> {
    slots: Vec<Slot<B, N>>,
    used: usize,
    /// The slot that was asked for last.
    last: usize,
}

impl<B: Board, const N: usize> Ends<B, N> {
    pub(crate) fn new() -> Self {
        Self {
            slots: vec![Slot::new()],
            used: 0,
            last: 0,
        }
    }

    /// Forgets all ends.
    #[inline(always)]
    pub(crate) fn reset(&mut self) {
        self.used = 0;
        self.last = 0;
    }

    #[inline(always)]
    fn slot(&mut self, precedence: u64) -> &mut Slot<B, N> {
        if self.last >= self.used || self.slots[self.last].precedence != precedence {
            self.find(precedence);
        }
        &mut self.slots[self.last]
    }

    fn find(&mut self, precedence: u64) {
        let used = &self.slots[..self.used];
        if let Some(found) = used.iter().position(|slot| slot.precedence == precedence) {
            self.last = found;
            return;
        }
        if self.used == self.slots.len() {
            self.slots.push(Slot::new());
        }
        self.last = self.used;
        self.used += 1;
        let slot = &mut self.slots[self.last];
        slot.precedence = precedence;
        slot.has_grid = false;
        slot.has_columns = false;
        slot.word = Outcome::all(B::EMPTY);
        slot.inner = Outcome::all(B::EMPTY);
    }

    /// Records ends with two inner kings: the placements of `mask` that are not in `not`, with the rows
    /// of the block they lead to.
    #[inline(always)]
    pub(super) fn block<M: Product<B, N, Set = Grid<B, N>>>(
        &mut self,
        precedence: u64,
        mask: &M,
        not: &Grid<B, N>,
        block: &[B],
    ) {
        let slot = self.slot(precedence);
        let (unwon, lost) = block.split_at(N);
        let unwon: &[B; N] = unwon
            .first_chunk()
            .expect("a block has N rows of each plane");
        let lost: &[B; N] = lost
            .first_chunk()
            .expect("a block has N rows of each plane");
        let mask = mask.set();
        let grid = slot.grid();
        for row in 0..N {
            let here = mask.0[row] & !not.0[row];
            grid.win.0[row] |= lost[row] & here;
            grid.draw.0[row] |= unwon[row] & !lost[row] & here;
            grid.any.0[row] |= here;
        }
    }

    /// Records ends that win the game.
    #[inline(always)]
    pub(super) fn won(&mut self, precedence: u64, here: &Grid<B, N>) {
        let grid = self.slot(precedence).grid();
        grid.win = grid.win.or(here);
        grid.any = grid.any.or(here);
    }

    /// Records ends with both inner kings on the board before the move: those with White's on
    /// `square`, by the squares of Black's.
    #[inline(always)]
    pub(crate) fn row(&mut self, precedence: u64, square: usize, ends: &Outcome<B>) {
        let grid = self.slot(precedence).grid();
        grid.win.0[square] |= ends.win;
        grid.draw.0[square] |= ends.draw;
        grid.any.0[square] |= ends.any;
    }

    /// The same with Black's on `square`, by the squares of White's.
    #[inline(always)]
    pub(crate) fn column(&mut self, precedence: u64, square: usize, ends: &Outcome<B>) {
        let columns = self.slot(precedence).columns();
        columns.win[square] |= ends.win;
        columns.draw[square] |= ends.draw;
        columns.any[square] |= ends.any;
    }

    /// Records ends by row: of `lines` those in the sets of `ends`.
    #[inline(always)]
    pub(crate) fn lines(&mut self, precedence: u64, lines: &[B; N], ends: &Outcome<B>) {
        let grid = self.slot(precedence).grid();
        for (row, &line) in lines.iter().enumerate() {
            grid.win.0[row] |= line & ends.win;
            grid.draw.0[row] |= line & ends.draw;
            grid.any.0[row] |= line & ends.any;
        }
    }

    /// Records ends by row: all of `lines` in the rows that are in the sets of `ends`.
    #[inline(always)]
    pub(crate) fn rows(&mut self, precedence: u64, lines: &[B; N], ends: &Outcome<B>) {
        let grid = self.slot(precedence).grid();
        let bits = super::mask::bits::<B, N>();
        for row in 0..N {
            let line_if = |set: B| all_if::<B>(!(set & bits[row]).is_empty()) & lines[row];
            grid.win.0[row] |= line_if(ends.win);
            grid.draw.0[row] |= line_if(ends.draw);
            grid.any.0[row] |= line_if(ends.any);
        }
    }

    /// Records ends with at most one inner king.
    #[inline(always)]
    pub(crate) fn word(&mut self, precedence: u64, ends: &Outcome<B>) {
        let word = &mut self.slot(precedence).word;
        word.win |= ends.win;
        word.draw |= ends.draw;
        word.any |= ends.any;
    }

    /// Records ends with two inner kings of one side on the board before the move: those with one of them
    /// on `square`, by the squares of the other.
    #[inline(always)]
    pub(crate) fn twice(&mut self, precedence: u64, square: usize, ends: &Outcome<B>) {
        self.row(precedence, square, ends);
        self.column(precedence, square, ends);
    }

    /// Records captures of the inner king where the foe has none.
    #[inline(always)]
    pub(crate) fn inner(&mut self, precedence: u64, ends: &Outcome<B>) {
        let inner = &mut self.slot(precedence).inner;
        inner.win |= ends.win;
        inner.draw |= ends.draw;
        inner.any |= ends.any;
    }

    /// Takes the words of all precedences, to be recorded elsewhere.
    #[inline(always)]
    pub(crate) fn take_words(&mut self, mut each: impl FnMut(&mut Self, u64, Outcome<B>)) {
        for number in 0..self.used {
            let slot = &mut self.slots[number];
            if slot.word.any.is_empty() {
                continue;
            }
            let word = std::mem::replace(&mut slot.word, Outcome::all(B::EMPTY));
            let precedence = slot.precedence;
            each(self, precedence, word);
        }
    }

    /// The outcome of the captures that the rules allow, for each placement of the set `S`.
    #[inline(always)]
    pub(crate) fn resolve<S: Resolved<B, N>>(&mut self) -> Outcome<S> {
        let mut outcome = Outcome::all(S::empty());
        if self.used > 1 {
            let used = &mut self.slots[..self.used];
            used.sort_unstable_by_key(|slot| std::cmp::Reverse(slot.precedence));
        }
        for slot in &self.slots[..self.used] {
            let ends = S::of(slot);
            let new = ends.any.and_not(&outcome.any);
            outcome.win = outcome.win.or(&ends.win.and(&new));
            outcome.draw = outcome.draw.or(&ends.draw.and(&new));
            outcome.any = outcome.any.or(&new);
        }
        outcome
    }
}

/// A set that ends can be resolved to.
pub(crate) trait Resolved<B: Board, const N: usize>: Set<B> {
    /// The ends of one slot as sets of this type.
    fn of(slot: &Slot<B, N>) -> Outcome<Self>;
}

impl<B: Board, const N: usize> Resolved<B, N> for Grid<B, N> {
    #[inline(always)]
    fn of(slot: &Slot<B, N>) -> Outcome<Self> {
        let mut ends = if slot.has_grid {
            slot.grid
        } else {
            Outcome::all(Self::empty())
        };
        if slot.has_columns {
            // No closures: they would not be compiled for the processor.
            ends.win = ends.win.or(&Grid(transpose(&slot.columns.win)));
            ends.draw = ends.draw.or(&Grid(transpose(&slot.columns.draw)));
            ends.any = ends.any.or(&Grid(transpose(&slot.columns.any)));
        }
        ends
    }
}

macro_rules! resolved_word {
    ($name:ident) => {
        impl<B: Board, const N: usize> Resolved<B, N> for $name<B> {
            #[inline(always)]
            fn of(slot: &Slot<B, N>) -> Outcome<Self> {
                Outcome {
                    win: Self(slot.word.win | slot.inner.win),
                    draw: Self(slot.word.draw | slot.inner.draw),
                    any: Self(slot.word.any | slot.inner.any),
                }
            }
        }
    };
}

resolved_word!(Own);
resolved_word!(Foe);
resolved_word!(Known);

/// Where a capture ends.
#[derive(Clone, Copy)]
pub(crate) enum Target<'a, B> {
    /// The foe has no pieces left.
    Over,
    /// Positions of a smaller class: unwon words, then lost words; for a single position its bit.
    Words(&'a [B], usize),
}

impl<B: Board> Target<'_, B> {
    /// The outcome of ends on `here`, where a position is a bit of the words.
    #[inline(always)]
    pub(crate) fn by_word(&self, here: B) -> Outcome<B> {
        let (unwon, lost) = match *self {
            Self::Over => (B::ALL, B::ALL),
            Self::Words(words, _) => (words[0], words[1]),
        };
        Outcome {
            win: here & lost,
            draw: here & unwon & !lost,
            any: here,
        }
    }

    /// The outcome of ends on `here` that all lead to the one position there is.
    #[inline(always)]
    pub(crate) fn by_bit(&self, here: B) -> Outcome<B> {
        let (unwon, lost) = match *self {
            Self::Over => (true, true),
            Self::Words(words, at) => (words[0].contains(at), words[1].contains(at)),
        };
        Outcome {
            win: all_if::<B>(lost) & here,
            draw: all_if::<B>(unwon && !lost) & here,
            any: here,
        }
    }
}

/// What several ends of one chain lead to together: lost for the foe at one of them, not won at one.
#[derive(Clone, Copy)]
pub(crate) struct Gathered<B>([B; 2]);

impl<B: Board> Gathered<B> {
    pub(crate) fn none() -> Self {
        Self([B::EMPTY; 2])
    }

    /// Adds an end, for placements without an inner king on the squares `crossed` on the way.
    #[inline(always)]
    pub(crate) fn add<M: Product<B, N>, const N: usize>(
        &mut self,
        end: &Target<'_, B>,
        crossed: B,
    ) {
        let [unwon, lost] = match *end {
            Target::Words(words, at) if !(M::OWN || M::FOE) => {
                [0, 1].map(|plane| all_if::<B>(words[plane].contains(at)))
            }
            Target::Words(words, _) => [words[0] & !crossed, words[1] & !crossed],
            Target::Over => [B::ALL & !crossed; 2],
        };
        if M::OWN || M::FOE || !matches!(end, Target::Over) {
            self.0[0] |= unwon;
            self.0[1] |= lost;
        } else {
            self.0 = [B::ALL; 2];
        }
    }

    /// The ends together; a single position has bit 0.
    #[inline(always)]
    pub(crate) fn target(&self) -> Target<'_, B> {
        Target::Words(&self.0, 0)
    }
}

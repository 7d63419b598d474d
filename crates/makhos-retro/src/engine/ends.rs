//! What the captures of a block lead to, collected end by end.
//!
//! Where the rules prefer some captures, ends are kept apart by their precedence, and only in
//! [`Ends::resolve`] the highest one of each placement counts.

use makhos_rules::Board;

use super::bits::transpose;
use super::mask::{Foe, Grid, Known, Own, Product, Set, all_if};
use super::outcome::{Merge, Outcome};
use super::target::Words;

/// The ends of one precedence. What is not in use holds anything.
#[derive(Clone, Copy)]
pub(crate) struct Slot<B, const N: usize, const P: usize> {
    precedence: u64,
    /// With both inner kings on the board: rows of White's.
    grid: Outcome<Grid<B, N>, P>,
    has_grid: bool,
    /// More of the same, by the square of Black's: sets of squares of White's.
    columns: Outcome<Grid<B, N>, P>,
    has_columns: bool,
    /// With one inner king or none.
    word: Outcome<B, P>,
    /// Captures of the side's own inner king where the foe has none.
    inner: Outcome<B, P>,
}

impl<B: Board, const N: usize, const P: usize> Slot<B, N, P> {
    fn new() -> Self {
        let none = Grid([B::EMPTY; N]);
        Self {
            precedence: 0,
            grid: Outcome::all(none),
            has_grid: false,
            columns: Outcome::all(none),
            has_columns: false,
            word: Outcome::all(B::EMPTY),
            inner: Outcome::all(B::EMPTY),
        }
    }

    /// The grid, empty at first.
    #[inline(always)]
    fn grid(&mut self) -> &mut Outcome<Grid<B, N>, P> {
        if !self.has_grid {
            self.has_grid = true;
            self.grid = Outcome::all(Grid([B::EMPTY; N]));
        }
        &mut self.grid
    }

    /// The columns, empty at first.
    #[inline(always)]
    fn columns(&mut self) -> &mut Outcome<Grid<B, N>, P> {
        if !self.has_columns {
            self.has_columns = true;
            self.columns = Outcome::all(Grid([B::EMPTY; N]));
        }
        &mut self.columns
    }
}

/// Collects ends.
pub(crate) struct Ends<B, const N: usize, const P: usize> {
    slots: Vec<Slot<B, N, P>>,
    used: usize,
    /// The slot that was asked for last.
    last: usize,
}

impl<B: Board, const N: usize, const P: usize> Ends<B, N, P> {
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
    fn slot(&mut self, precedence: u64) -> &mut Slot<B, N, P> {
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
        block: &Words<'_, B>,
    ) {
        let slot = self.slot(precedence);
        let [unwon, lost] = block.planes::<N>(0);
        let mask = mask.set();
        let grid = slot.grid();
        if P == 0 {
            for row in 0..N {
                let here = mask.0[row] & !not.0[row];
                grid.win.0[row] |= lost[row] & here;
                grid.draw.0[row] |= unwon[row] & !lost[row] & here;
                grid.any.0[row] |= here;
            }
            return;
        }
        let plies = block.plies::<N, P>();
        for row in 0..N {
            let here = mask.0[row] & !not.0[row];
            let mut new = Outcome {
                win: lost[row] & here,
                draw: unwon[row] & !lost[row] & here,
                any: here,
                plies: [B::EMPTY; P],
            };
            for p in 0..P {
                new.plies[p] = Words::upright(plies[p][row], p);
            }
            grid.merge_row_here(row, &new);
        }
    }

    /// Records ends that win the game.
    #[inline(always)]
    pub(super) fn won(&mut self, precedence: u64, here: &Grid<B, N>) {
        let mut new = Outcome::all(Grid([B::EMPTY; N]));
        new.win = *here;
        new.any = *here;
        Grid::merge(self.slot(precedence).grid(), &new);
    }

    /// Records ends with both inner kings on the board before the move: those with White's on
    /// `square`, by the squares of Black's.
    #[inline(always)]
    pub(crate) fn row(&mut self, precedence: u64, square: usize, ends: &Outcome<B, P>) {
        self.slot(precedence).grid().merge_row(square, ends);
    }

    /// The same with Black's on `square`, by the squares of White's.
    #[inline(always)]
    pub(crate) fn column(&mut self, precedence: u64, square: usize, ends: &Outcome<B, P>) {
        self.slot(precedence).columns().merge_row(square, ends);
    }

    /// Records ends by row: of `lines` those in the sets of `ends`.
    #[inline(always)]
    pub(crate) fn lines(&mut self, precedence: u64, lines: &[B; N], ends: &Outcome<B, P>) {
        let grid = self.slot(precedence).grid();
        for (row, &line) in lines.iter().enumerate() {
            let mut new = *ends;
            new.win &= line;
            new.draw &= line;
            new.any &= line;
            grid.merge_row_here(row, &new);
        }
    }

    /// Records ends by row: all of `lines` in the rows that are in the sets of `ends`.
    #[inline(always)]
    pub(crate) fn rows(&mut self, precedence: u64, lines: &[B; N], ends: &Outcome<B, P>) {
        let grid = self.slot(precedence).grid();
        let bits = super::mask::bits::<B, N>();
        for row in 0..N {
            let mut new = *ends;
            let bit = bits[row];
            new.win = all_if::<B>(!(ends.win & bit).is_empty()) & lines[row];
            new.draw = all_if::<B>(!(ends.draw & bit).is_empty()) & lines[row];
            new.any = all_if::<B>(!(ends.any & bit).is_empty()) & lines[row];
            for p in 0..P {
                new.plies[p] = all_if::<B>(!(ends.plies[p] & bit).is_empty());
            }
            grid.merge_row_here(row, &new);
        }
    }

    /// Records ends with at most one inner king.
    #[inline(always)]
    pub(crate) fn word(&mut self, precedence: u64, ends: &Outcome<B, P>) {
        self.slot(precedence).word.merge(ends);
    }

    /// Records ends with two inner kings of one side on the board before the move: those with one of them
    /// on `square`, by the squares of the other.
    #[inline(always)]
    pub(crate) fn twice(&mut self, precedence: u64, square: usize, ends: &Outcome<B, P>) {
        self.row(precedence, square, ends);
        self.column(precedence, square, ends);
    }

    /// Records captures of the inner king where the foe has none.
    #[inline(always)]
    pub(crate) fn inner(&mut self, precedence: u64, ends: &Outcome<B, P>) {
        self.slot(precedence).inner.merge(ends);
    }

    /// How many precedences there are.
    #[inline(always)]
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// Takes the words of the precedence with this number, to be recorded elsewhere, unless there are none.
    #[inline(always)]
    pub(crate) fn take_word(&mut self, number: usize) -> Option<(u64, Outcome<B, P>)> {
        let slot = &mut self.slots[number];
        if slot.word.any.is_empty() {
            return None;
        }
        let word = std::mem::replace(&mut slot.word, Outcome::all(B::EMPTY));
        Some((slot.precedence, word))
    }

    /// The outcome of the captures that the rules allow, for each placement of the set `S`.
    #[inline(always)]
    pub(crate) fn resolve<S: Resolved<B, N>>(&mut self) -> Outcome<S, P> {
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
            for p in 0..P {
                outcome.plies[p] = outcome.plies[p].or(&ends.plies[p].and(&new));
            }
        }
        outcome
    }
}

/// A set that ends can be resolved to.
pub(crate) trait Resolved<B: Board, const N: usize>: Merge<B> {
    /// The ends of one slot as sets of this type.
    fn of<const P: usize>(slot: &Slot<B, N, P>) -> Outcome<Self, P>;
}

impl<B: Board, const N: usize> Resolved<B, N> for Grid<B, N> {
    #[inline(always)]
    fn of<const P: usize>(slot: &Slot<B, N, P>) -> Outcome<Self, P> {
        let mut ends = if slot.has_grid {
            slot.grid
        } else {
            Outcome::all(Self::empty())
        };
        if slot.has_columns {
            // No closures: they would not be compiled for the processor.
            let mut columns = slot.columns;
            columns.win = Grid(transpose(&columns.win.0));
            columns.draw = Grid(transpose(&columns.draw.0));
            columns.any = Grid(transpose(&columns.any.0));
            for p in 0..P {
                columns.plies[p] = Grid(transpose(&columns.plies[p].0));
            }
            Self::merge(&mut ends, &columns);
        }
        ends
    }
}

macro_rules! resolved_word {
    ($name:ident) => {
        impl<B: Board, const N: usize> Resolved<B, N> for $name<B> {
            #[inline(always)]
            fn of<const P: usize>(slot: &Slot<B, N, P>) -> Outcome<Self, P> {
                let mut ends = slot.word;
                ends.merge(&slot.inner);
                super::outcome::words(&ends, Self)
            }
        }
    };
}

resolved_word!(Own);
resolved_word!(Foe);
resolved_word!(Known);

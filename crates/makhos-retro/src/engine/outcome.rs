//! What moves that leave a configuration lead to, for many placements at once: sets, and where distances
//! are asked for, bit planes of plies beside them.

use makhos_rules::Board;

use super::mask::{Grid, Set};

/// For the side to move: the placements won by a move, drawn by one, and with any move at all. Placements
/// with a move that are in neither of the first two are lost by all moves.
///
/// With `P` planes, bit `p` of the number of plies left after the best move is in `plies[p]`: after a
/// winning move the fewest, after a losing one the most. It means nothing for drawn placements that are not
/// won. Without planes nothing is known of distances, and nothing spent on them.
#[derive(Clone, Copy)]
pub(crate) struct Outcome<S, const P: usize> {
    pub(crate) win: S,
    pub(crate) draw: S,
    pub(crate) any: S,
    pub(crate) plies: [S; P],
}

impl<S: Copy, const P: usize> Outcome<S, P> {
    /// The same set everywhere: the empty one.
    #[inline(always)]
    pub(crate) fn all(set: S) -> Self {
        Self {
            win: set,
            draw: set,
            any: set,
            plies: [set; P],
        }
    }

    /// The same done to all sets.
    #[inline(always)]
    pub(crate) fn map(&self, each: impl Fn(S) -> S) -> Self {
        let mut mapped = Self {
            win: each(self.win),
            draw: each(self.draw),
            any: each(self.any),
            plies: self.plies,
        };
        for plane in &mut mapped.plies {
            *plane = each(*plane);
        }
        mapped
    }
}

impl<B: Board, const P: usize> Outcome<B, P> {
    /// Adds what other moves lead to, where they are better.
    #[inline(always)]
    pub(crate) fn merge(&mut self, new: &Self) {
        if P == 0 {
            self.merge_here(new);
        } else {
            self.merge_apart(new);
        }
    }

    /// The same, compiled once: with planes it is long, and asked for in many places.
    #[inline(never)]
    fn merge_apart(&mut self, new: &Self) {
        self.merge_here(new);
    }

    /// The same, compiled where it is asked for: in loops over rows.
    #[inline(always)]
    fn merge_here(&mut self, new: &Self) {
        if P > 0 {
            let better = self.worse_than(new);
            for p in 0..P {
                self.plies[p] = (self.plies[p] & !better) | (new.plies[p] & better);
            }
        }
        self.win |= new.win;
        self.draw |= new.draw;
        self.any |= new.any;
    }

    /// The placements for which `new` has the better move.
    #[inline(always)]
    fn worse_than(&self, new: &Self) -> B {
        // Of two wins the shorter one is better, of two losses the longer one. With the bits of wins turned
        // round, it is the larger number.
        let mut larger = B::EMPTY;
        for p in 0..P {
            let differs = new.plies[p] ^ self.plies[p];
            let set = new.plies[p] ^ new.win;
            larger = (differs & set) | (larger & !differs);
        }
        let wins = new.win & (!self.win | larger);
        let saves = !(new.win | self.win | self.draw) & (new.draw | larger);
        new.any & (!self.any | wins | saves)
    }

    /// Adds a ply where there is a move; the numbers are those of the placements themselves then, and 0
    /// where there is no move.
    #[inline(always)]
    pub(crate) fn plies_before(&self) -> [B; P] {
        let mut carry = self.any;
        let mut before = self.plies;
        for plane in &mut before {
            let bits = *plane & self.any;
            *plane = bits ^ carry;
            carry &= bits;
        }
        before
    }
}

/// Sets whose outcomes are merged word by word.
pub(crate) trait Merge<B: Board>: Set<B> {
    /// [`Outcome::merge`].
    fn merge<const P: usize>(into: &mut Outcome<Self, P>, new: &Outcome<Self, P>);

    /// [`Outcome::plies_before`].
    fn plies_before<const P: usize>(of: &Outcome<Self, P>) -> [Self; P];
}

impl<B: Board, const N: usize> Merge<B> for Grid<B, N> {
    #[inline(always)]
    fn merge<const P: usize>(into: &mut Outcome<Self, P>, new: &Outcome<Self, P>) {
        for row in 0..N {
            into.merge_row_here(row, &new.row(row));
        }
    }

    #[inline(always)]
    fn plies_before<const P: usize>(of: &Outcome<Self, P>) -> [Self; P] {
        let mut before = of.plies;
        for row in 0..N {
            let plies = of.row(row).plies_before();
            for p in 0..P {
                before[p].0[row] = plies[p];
            }
        }
        before
    }
}

impl<B: Board, const N: usize, const P: usize> Outcome<Grid<B, N>, P> {
    /// What is known of one row.
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> Outcome<B, P> {
        let mut plies = [B::EMPTY; P];
        for p in 0..P {
            plies[p] = self.plies[p].0[row];
        }
        Outcome {
            win: self.win.0[row],
            draw: self.draw.0[row],
            any: self.any.0[row],
            plies,
        }
    }

    /// Adds what other moves lead to in one row.
    #[inline(always)]
    pub(crate) fn merge_row(&mut self, row: usize, new: &Outcome<B, P>) {
        if P == 0 {
            self.merge_row_here(row, new);
        } else {
            self.merge_row_apart(row, new);
        }
    }

    #[inline(never)]
    fn merge_row_apart(&mut self, row: usize, new: &Outcome<B, P>) {
        self.merge_row_here(row, new);
    }

    /// The same in a loop over all rows.
    #[inline(always)]
    pub(crate) fn merge_row_here(&mut self, row: usize, new: &Outcome<B, P>) {
        let mut known = self.row(row);
        known.merge_here(new);
        self.win.0[row] = known.win;
        self.draw.0[row] = known.draw;
        self.any.0[row] = known.any;
        for p in 0..P {
            self.plies[p].0[row] = known.plies[p];
        }
    }
}

/// [`Merge`] for a set that is one word, in its field 0.
macro_rules! merge_word {
    ($name:ident) => {
        impl<B: Board> super::outcome::Merge<B> for $name<B> {
            #[inline(always)]
            fn merge<const P: usize>(
                into: &mut super::outcome::Outcome<Self, P>,
                new: &super::outcome::Outcome<Self, P>,
            ) {
                let mut known = super::outcome::words(into, |set| set.0);
                known.merge(&super::outcome::words(new, |set| set.0));
                *into = super::outcome::words(&known, Self);
            }

            #[inline(always)]
            fn plies_before<const P: usize>(of: &super::outcome::Outcome<Self, P>) -> [Self; P] {
                let before = super::outcome::words(of, |set| set.0).plies_before();
                let mut sets = of.plies;
                for p in 0..P {
                    sets[p] = Self(before[p]);
                }
                sets
            }
        }
    };
}

pub(crate) use merge_word;

/// The outcome with every set in another form.
#[inline(always)]
pub(crate) fn words<S: Copy, T: Copy, const P: usize>(
    outcome: &Outcome<S, P>,
    each: fn(S) -> T,
) -> Outcome<T, P> {
    let mut plies = [each(outcome.any); P];
    for p in 0..P {
        plies[p] = each(outcome.plies[p]);
    }
    Outcome {
        win: each(outcome.win),
        draw: each(outcome.draw),
        any: each(outcome.any),
        plies,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use makhos_probe::{Dtw, PackedDtw};

    const P: usize = 4;

    /// An outcome of one placement by its value for the side to move, before the ply of the move is added.
    fn single(value: Option<Dtw>) -> Outcome<u32, P> {
        let mut outcome = Outcome::all(0);
        let Some(value) = value else {
            return outcome;
        };
        outcome.any = 1;
        outcome.win = (value.wld() == makhos_probe::Wld::Win).into();
        outcome.draw = (value.wld() == makhos_probe::Wld::Draw).into();
        if let Some(plies) = value.plies() {
            for p in 0..P {
                outcome.plies[p] = u32::from((plies.get() - 1) >> p & 1);
            }
        }
        outcome
    }

    fn value(outcome: &Outcome<u32, P>) -> Option<Dtw> {
        let before = outcome.plies_before();
        let plies = (0..P).map(|p| (before[p] as u16) << p).sum::<u16>();
        match (outcome.any, outcome.win, outcome.draw) {
            (0, ..) => None,
            (_, 0, 1) => Some(Dtw::Draw),
            _ => Some(PackedDtw::from_bits(plies + 1).unpack()),
        }
    }

    #[test]
    fn the_better_of_two_moves_counts() {
        let values: Vec<Option<Dtw>> = (0..13)
            .filter(|&bits| bits != 1)
            .map(|bits| Some(PackedDtw::from_bits(bits).unpack()))
            .chain([None])
            .collect();
        for &first in &values {
            assert_eq!(value(&single(first)), first);
            for &second in &values {
                let mut merged = single(first);
                merged.merge(&single(second));
                assert_eq!(value(&merged), first.max(second), "{first:?} {second:?}");
            }
        }
    }
}

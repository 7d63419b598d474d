//! What the moves that leave a configuration of men decide: captures, men's moves and promotions.
//!
//! Positions are taken in blocks: all placements of the inner kings for given squares of all other
//! pieces. What remains open afterwards, the moves of kings, is settled in [`super::settle`].

use std::marker::PhantomData;

use makhos_rules::rules::KingRange;
use makhos_rules::{Board, RuleSet};

use super::ends::{Ends, Resolved};
use super::inner::{Company, inner_king_captures};
use super::isa::{Isa, Task};
use super::lines::Lines;
use super::lookup::{Lookup, Pieces, number};
use super::mask::{Both, Foe, Grid, Known, Own, Pair, Set};
use super::outcome::{Merge, Outcome};
use super::record::Record;
use super::search::{Search, aim};
use super::target::Words;

/// What is known of a block after the moves that leave the configuration.
#[derive(Clone, Copy)]
pub(crate) struct Looked<S> {
    /// Positions not known to be won.
    pub(crate) unwon: S,
    /// Positions known to be lost.
    pub(crate) lost: S,
    /// Open positions without capture: a king's move may win.
    pub(crate) may_win: S,
    /// Those among them that are lost if every king's move loses.
    pub(crate) may_lose: S,
    /// Positions in which the side to move must capture.
    pub(crate) captures: S,
}

/// What is known of a block after the moves that leave the configuration, with plies.
#[derive(Clone, Copy)]
pub(crate) struct Timed<S, const T: usize> {
    /// All positions.
    pub(crate) there: S,
    /// Positions that such a move wins.
    pub(crate) won: S,
    /// Positions that their captures lose.
    pub(crate) lost: S,
    /// Positions without capture.
    pub(crate) may_win: S,
    /// Those of them that are lost if every king's move loses.
    pub(crate) may_lose: S,
    /// Positions in which the side to move must capture.
    pub(crate) captures: S,
    /// Bit planes of the plies from these positions by the best of such moves; 0 where there is none.
    pub(crate) plies: [S; T],
}

/// The products that a block can begin with: one for every combination of inner kings.
pub(crate) trait Root<B: Board, const N: usize>: Record<B, N, Set: Resolved<B, N>> {
    /// Which inner kings there are besides one of the side to move.
    const COMPANY: Company;

    /// All placements on the squares of `empty`.
    fn all(empty: B) -> Self;

    /// The unwon and lost positions that words found by a lookup stand for.
    fn view(words: &[B], bit: usize) -> (Self::Set, Self::Set);
}

impl<B: Board, const N: usize, const WHITE: bool> Root<B, N> for Both<B, N, WHITE> {
    const COMPANY: Company = Company::Foe;

    #[inline(always)]
    fn all(empty: B) -> Self {
        Self {
            white: empty,
            black: empty,
        }
    }
    #[inline(always)]
    fn view(words: &[B], _: usize) -> (Grid<B, N>, Grid<B, N>) {
        (Grid::load(words), Grid::load(&words[N..]))
    }
}

impl<B: Board, const N: usize, const OWN: bool> Root<B, N> for Pair<B, N, OWN> {
    const COMPANY: Company = Company::Own;

    #[inline(always)]
    fn all(empty: B) -> Self {
        Self { set: empty }
    }
    #[inline(always)]
    fn view(words: &[B], _: usize) -> (Grid<B, N>, Grid<B, N>) {
        (Grid::load(words), Grid::load(&words[N..]))
    }
}

macro_rules! word_root {
    ($name:ident) => {
        impl<B: Board, const N: usize> Root<B, N> for $name<B> {
            const COMPANY: Company = Company::Alone;

            #[inline(always)]
            fn all(empty: B) -> Self {
                Self(empty)
            }
            #[inline(always)]
            fn view(words: &[B], _: usize) -> (Self, Self) {
                (Self(words[0]), Self(words[1]))
            }
        }
    };
}

word_root!(Own);
word_root!(Foe);

impl<B: Board, const N: usize> Root<B, N> for Known<B> {
    const COMPANY: Company = Company::Alone;

    #[inline(always)]
    fn all(_: B) -> Self {
        Self(B::bit(0))
    }
    #[inline(always)]
    fn view(words: &[B], bit: usize) -> (Self, Self) {
        let known = |word: B| Self((word >> bit as u32) & B::bit(0));
        (known(words[0]), known(words[1]))
    }
}

/// Looks at the blocks of a class for one thread.
pub(crate) struct Looker<'s, 'a, B: Board, const N: usize, const P: usize, I> {
    pub(crate) isa: I,
    /// Whether White is to move.
    pub(crate) white: bool,
    pub(crate) rules: &'s RuleSet,
    pub(crate) lines: &'s Lines<B>,
    pub(crate) lookup: Lookup<'a, B>,
    pub(crate) ends: Ends<B, N, P>,
}

impl<'a, B: Board, const N: usize, const P: usize, I: Isa> Looker<'_, 'a, B, N, P, I> {
    /// Looks at the positions with these pieces on known squares and the inner kings of `M`, with
    /// White or Black to move.
    pub(crate) fn look<M: Root<B, N>>(
        &mut self,
        white: bool,
        pieces: &Pieces<B>,
    ) -> Looked<M::Set> {
        self.white = white;
        let isa = self.isa;
        isa.run(Look {
            looker: self,
            pieces,
            root: PhantomData::<M>,
        })
    }

    /// The same with plies in `T` planes: those that finished positions have, if the lookup knows them,
    /// else one for every move that leaves the configuration.
    pub(crate) fn look_timed<M: Root<B, N>, const T: usize>(
        &mut self,
        white: bool,
        pieces: &Pieces<B>,
    ) -> Timed<M::Set, T> {
        self.white = white;
        let isa = self.isa;
        isa.run(LookTimed {
            looker: self,
            pieces,
            root: PhantomData::<M>,
        })
    }

    /// Only the captures of these positions.
    pub(crate) fn captures<M: Root<B, N>>(
        &mut self,
        white: bool,
        pieces: &Pieces<B>,
    ) -> Outcome<M::Set, P> {
        self.white = white;
        let isa = self.isa;
        isa.run(Capture {
            looker: self,
            pieces,
            root: PhantomData::<M>,
        })
    }

    #[inline(always)]
    fn look_here<M: Root<B, N>>(&mut self, pieces: &Pieces<B>) -> Looked<M::Set> {
        let empty = empty_squares(pieces);
        let captures = self.captures_here::<M>(pieces, empty);
        let there = M::all(empty).set();
        let quiet = there.and_not(&captures.any);
        let men = self.men_move::<M>(pieces, empty, &quiet);
        let won = captures.win.or(&men.win);
        let may_win = quiet.and_not(&men.win);
        Looked {
            unwon: there.and_not(&won),
            lost: captures.any.and_not(&captures.win).and_not(&captures.draw),
            may_win,
            may_lose: may_win.and_not(&men.draw),
            captures: captures.any,
        }
    }

    #[inline(always)]
    fn look_timed_here<M: Root<B, N>, const T: usize>(
        &mut self,
        pieces: &Pieces<B>,
    ) -> Timed<M::Set, T> {
        let empty = empty_squares(pieces);
        let captures = self.captures_here::<M>(pieces, empty);
        let there = M::all(empty).set();
        let quiet = there.and_not(&captures.any);
        let men = self.men_move::<M>(pieces, empty, &quiet);
        // They have no position in common.
        let mut all = captures;
        M::Set::merge(&mut all, &men);
        let mut plies = [M::Set::empty(); T];
        if P == 0 {
            plies[0] = all.any;
        } else {
            let before = M::Set::plies_before(&all);
            plies[..P].copy_from_slice(&before);
        }
        Timed {
            there,
            won: all.win,
            lost: captures.any.and_not(&captures.win).and_not(&captures.draw),
            may_win: quiet,
            may_lose: quiet.and_not(&men.win).and_not(&men.draw),
            captures: captures.any,
            plies,
        }
    }

    #[inline(always)]
    fn captures_here<M: Root<B, N>>(&mut self, pieces: &Pieces<B>, empty: B) -> Outcome<M::Set, P> {
        self.ends.reset();
        if M::OWN {
            let foe = number(!self.white);
            let foes = pieces.men[foe] | pieces.kings[foe];
            let [_, targets_from] = aim(self.rules, self.lines, foes, empty);
            let mut search = self.search(pieces, empty, true, targets_from);
            inner_king_captures::<B, N, P, I>(&mut search, pieces, M::COMPANY);
        }
        self.known_pieces_capture::<M>(pieces, empty, &M::all(empty));
        self.ends.resolve()
    }

    /// A search for a capturing piece; `rest` are the pieces on known squares without it, and `targets_from` at
    /// least all squares from which one of the foe's could be captured.
    #[inline(always)]
    fn search(
        &mut self,
        rest: &Pieces<B>,
        empty: B,
        starts_as_king: bool,
        targets_from: B,
    ) -> Search<'_, 'a, B, N, P, I> {
        let foe = number(!self.white);
        Search {
            isa: self.isa,
            white: self.white,
            rules: self.rules,
            lines: self.lines,
            geometry: B::geometry(),
            lookup: &mut self.lookup,
            ends: &mut self.ends,
            rest: *rest,
            empty,
            foes: rest.men[foe] | rest.kings[foe],
            foe_kings: rest.kings[foe],
            targets_from: targets_from & empty,
            starts_as_king,
        }
    }

    /// Captures of the pieces on known squares.
    #[inline(always)]
    fn known_pieces_capture<M: Root<B, N>>(&mut self, pieces: &Pieces<B>, empty: B, all: &M) {
        let [own, foe] = [number(self.white), number(!self.white)];
        let own_pieces = pieces.men[own] | pieces.kings[own];
        // Once for all of them, as if each had left its square.
        let foes = pieces.men[foe] | pieces.kings[foe];
        let aimed = aim(self.rules, self.lines, foes, empty | own_pieces);
        let [_, targets_from] = aimed;
        for (king, kind) in [(false, pieces.men[own]), (true, pieces.kings[own])] {
            // Nobody knows where the foe's inner king is.
            let starts = if M::FOE {
                B::ALL
            } else {
                aimed[usize::from(king)]
            };
            for square in (kind & starts).squares() {
                let bit = B::bit(square);
                let mut rest = *pieces;
                rest.men[own] &= !bit;
                rest.kings[own] &= !bit;
                let mut search = self.search(&rest, empty | bit, king, targets_from);
                search.chains::<M>(square, king, all);
            }
        }
    }

    /// What moves of men lead to, promotions among them, as far as `quiet` allows.
    #[inline(always)]
    fn men_move<M: Root<B, N>>(
        &mut self,
        pieces: &Pieces<B>,
        empty: B,
        quiet: &M::Set,
    ) -> Outcome<M::Set, P> {
        let mut all = Outcome::all(M::Set::empty());
        let moves = self
            .lookup
            .man_moves::<I, M, N>(self.isa, pieces, self.white);
        for number in 0..moves {
            let (man_move, place) = self.lookup.man_move::<I, M, N>(pieces, self.white, number);
            if (man_move.to & empty).is_empty() {
                continue;
            }
            let words = self.lookup.words::<P>(place);
            let here = quiet.without(man_move.to.lowest());
            M::Set::merge(&mut all, &seen::<B, N, P, M>(&words, &here));
        }
        all
    }
}

/// What the positions that words stand for are for the side that moves there from `here`.
#[inline(always)]
fn seen<B: Board, const N: usize, const P: usize, M: Root<B, N>>(
    words: &Words<'_, B>,
    here: &M::Set,
) -> Outcome<M::Set, P> {
    let view = |pair| {
        let (words, bit) = words.pair(pair);
        M::view(words, bit)
    };
    let (unwon, lost) = view(0);
    let mut plies = [M::Set::empty(); P];
    for pair in 0..P / 2 {
        // The first one of a pair is turned round.
        let (first, second) = view(pair + 1);
        plies[2 * pair] = here.and_not(&first);
        plies[2 * pair + 1] = second;
    }
    Outcome {
        win: lost.and(here),
        draw: unwon.and_not(&lost).and(here),
        any: *here,
        plies,
    }
}

/// Looks at one block.
struct Look<'x, 's, 'a, B: Board, const N: usize, const P: usize, I, M> {
    looker: &'x mut Looker<'s, 'a, B, N, P, I>,
    pieces: &'x Pieces<B>,
    root: PhantomData<M>,
}

impl<B: Board, const N: usize, const P: usize, I: Isa, M: Root<B, N>> Task
    for Look<'_, '_, '_, B, N, P, I, M>
{
    type Output = Looked<M::Set>;

    #[inline(always)]
    fn call(self) -> Looked<M::Set> {
        self.looker.look_here::<M>(self.pieces)
    }
}

/// Looks at one block with plies.
struct LookTimed<'x, 's, 'a, B: Board, const N: usize, const P: usize, const T: usize, I, M> {
    looker: &'x mut Looker<'s, 'a, B, N, P, I>,
    pieces: &'x Pieces<B>,
    root: PhantomData<M>,
}

impl<B: Board, const N: usize, const P: usize, const T: usize, I: Isa, M: Root<B, N>> Task
    for LookTimed<'_, '_, '_, B, N, P, T, I, M>
{
    type Output = Timed<M::Set, T>;

    #[inline(always)]
    fn call(self) -> Timed<M::Set, T> {
        self.looker.look_timed_here::<M, T>(self.pieces)
    }
}

/// Looks at the captures of one block.
struct Capture<'x, 's, 'a, B: Board, const N: usize, const P: usize, I, M> {
    looker: &'x mut Looker<'s, 'a, B, N, P, I>,
    pieces: &'x Pieces<B>,
    root: PhantomData<M>,
}

impl<B: Board, const N: usize, const P: usize, I: Isa, M: Root<B, N>> Task
    for Capture<'_, '_, '_, B, N, P, I, M>
{
    type Output = Outcome<M::Set, P>;

    #[inline(always)]
    fn call(self) -> Outcome<M::Set, P> {
        let empty = empty_squares(self.pieces);
        self.looker.captures_here::<M>(self.pieces, empty)
    }
}

/// The squares without a piece on a known square.
#[inline(always)]
fn empty_squares<B: Board>(pieces: &Pieces<B>) -> B {
    let men = pieces.men[0] | pieces.men[1];
    B::ALL & !(men | pieces.kings[0] | pieces.kings[1])
}

/// Whether kings fly.
#[inline(always)]
pub(crate) fn flying(rules: &RuleSet) -> bool {
    rules.king_range == KingRange::Flying
}

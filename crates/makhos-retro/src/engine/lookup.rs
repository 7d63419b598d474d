//! From the squares of pieces after a move to the words of the position it leads to.
//!
//! Each thread remembers which dense forms it used last, since the blocks of one configuration of men
//! lead to the same few.

mod address;
mod men;

use makhos_index::Material;
use makhos_rules::Board;

use self::address::{Address, Key};
use self::men::MOST_MOVES;
pub(crate) use self::men::ManMove;
use super::isa::{Isa, Task};
use super::mask::Product;
use super::ranks::{rank, ranks_with, sets};
use super::shape::Shape;
use super::subs::{Cube, Pages, Subs, WordOf};
use super::target::Words;
use crate::error::GenerateError;

/// Pieces whose squares are known, by colour: White, Black.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pieces<B> {
    pub(crate) men: [B; 2],
    pub(crate) kings: [B; 2],
}

/// The number of a colour in arrays.
#[inline(always)]
pub(crate) const fn number(white: bool) -> usize {
    if white { 0 } else { 1 }
}

/// Dense forms remembered by a thread; a power of two.
const REMEMBERED: usize = 1 << 10;

/// Forms that keep more elements than this alive are forgotten with each configuration, so that the
/// bound of the cache holds.
const LARGE: usize = 1 << 13;

/// Elements of a form that is one word of a pair of planes, which is read anew whenever it is needed.
pub(crate) const WORD: usize = 2;

/// Forms of a thread: those it remembers, and those that moves of White's and Black's men lead to.
const FORMS: usize = REMEMBERED + 2 * MOST_MOVES;

/// The number of the form of a gathered block.
const GATHERED: usize = usize::MAX;

/// Where the words of a position are: the number of a dense form, the place in it, and for a single
/// position the bit.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    form: usize,
    at: usize,
    pub(crate) bit: usize,
}

/// A dense form that a thread holds.
enum Held<B> {
    /// None: it could not be had.
    Nothing,
    /// One that all threads share.
    Cube(Cube<B>),
    /// A word of each plane, in the [words](Lookup::single) of the thread.
    Word,
}

/// Looks positions up for one thread.
pub(crate) struct Lookup<'a, B: Board> {
    subs: &'a Subs<B>,
    own: Material,
    /// The keys of the forms that are remembered.
    keys: Vec<Option<Key<B>>>,
    /// These forms, and behind them those that moves of men lead to.
    forms: Vec<Held<B>>,
    /// For each form room for a word of each plane.
    singles: Vec<B>,
    /// The moves of White's and Black's men, once they are asked for.
    man_moves: [Vec<ManMove<B>>; 2],
    prepared: [bool; 2],
    /// Slots with large forms.
    large: Vec<usize>,
    /// Where single words are read from.
    pages: Pages,
    /// The first error that a lookup met; the positions it was for have no words.
    error: Option<GenerateError>,
    /// Words of positions that could not be looked up.
    nothing: Vec<B>,
    /// A block gathered from words.
    block: Vec<B>,
}

impl<'a, B: Board> Lookup<'a, B> {
    /// Looks positions up in `subs`, those of the class `own` among its finished configurations.
    pub(crate) fn new<const N: usize>(subs: &'a Subs<B>, own: Material) -> Self {
        Self {
            subs,
            own,
            keys: vec![None; REMEMBERED],
            forms: (0..FORMS).map(|_| Held::Nothing).collect(),
            singles: vec![B::EMPTY; FORMS * WORD * subs.pairs()],
            man_moves: [Vec::new(), Vec::new()],
            prepared: [false; 2],
            large: Vec::new(),
            pages: Pages::default(),
            error: None,
            nothing: vec![B::EMPTY; 2 * N * subs.pairs()],
            block: vec![B::EMPTY; 2 * N],
        }
    }

    /// Begins another configuration of men.
    pub(crate) fn next_configuration(&mut self) {
        for slot in self.large.drain(..) {
            self.keys[slot] = None;
            self.forms[slot] = Held::Nothing;
        }
        self.prepared = [false; 2];
    }

    /// The error met since this was last called.
    pub(crate) fn take_error(&mut self) -> Option<GenerateError> {
        self.error.take()
    }

    /// Finds the positions with these pieces after a capture, `M` saying which inner kings there are
    /// besides. `mover` is the side that has just moved.
    #[inline(always)]
    pub(crate) fn find<I: Isa, M: Product<B, N>, const N: usize>(
        &mut self,
        isa: I,
        pieces: &Pieces<B>,
        mover: bool,
    ) -> Place {
        let Address { key, at, bit } = Address::of::<M, N>(pieces, mover, None);
        let form = self.slot::<I, N>(isa, &key);
        if M::PAIR {
            return self.gather::<N>(form, &key, pieces);
        }
        Place { form, at, bit }
    }

    /// Gathers the block of two inner kings of one side from the words of one of them.
    fn gather<const N: usize>(&mut self, form: usize, key: &Key<B>, pieces: &Pieces<B>) -> Place {
        let [white, black] = pieces.kings;
        let mut ranks = [0; N];
        // Of the kings of the side that has two inner ones, and a rank of the other side's.
        let (step, rest) = if key.shape == Shape::White {
            ranks_with(white, &mut ranks);
            (sets(B::SQUARES, black.len()), rank(black))
        } else {
            ranks_with(black, &mut ranks);
            let minor = sets(B::SQUARES, black.len() + 1);
            (1, rank(white) * minor)
        };
        let taken = if key.shape == Shape::White {
            white
        } else {
            black
        };
        let mut block = std::mem::take(&mut self.block);
        let words = match &self.forms[form] {
            Held::Cube(cube) => cube.elements(),
            Held::Word => self.single(form),
            Held::Nothing => &[],
        };
        for (square, &rank) in ranks.iter().enumerate() {
            let free = square < B::SQUARES as usize && !taken.contains(square);
            let [unwon, lost] = if free && !words.is_empty() {
                let at = 2 * (rank * step + rest);
                [words[at], words[at + 1]]
            } else {
                [B::EMPTY; 2]
            };
            block[square] = unwon;
            block[N + square] = lost;
        }
        self.block = block;
        Place {
            form: GATHERED,
            at: 0,
            bit: 0,
        }
    }

    /// The words found, with `P` planes of plies.
    #[inline(always)]
    pub(crate) fn words<const P: usize>(&self, place: Place) -> Words<'_, B> {
        let (words, at) = if place.form == GATHERED {
            (&*self.block, 0)
        } else {
            match &self.forms[place.form] {
                Held::Cube(cube) => (cube.elements(), place.at),
                Held::Word => (self.single(place.form), place.at),
                Held::Nothing => (&*self.nothing, 0),
            }
        };
        let stride = words.len() / (1 + P / 2);
        Words::new(&words[at..], stride, place.bit)
    }

    /// The words of a form that is one word of each plane.
    #[inline(always)]
    fn single(&self, form: usize) -> &[B] {
        let len = WORD * self.subs.pairs();
        &self.singles[form * len..][..len]
    }

    /// The slot in which the form with this key is remembered.
    #[inline(always)]
    fn slot<I: Isa, const N: usize>(&mut self, isa: I, key: &Key<B>) -> usize {
        let slot = key.hash() & (REMEMBERED - 1);
        if self.keys[slot] != Some(*key) {
            isa.run(Remember::<B, N, I> {
                lookup: self,
                isa,
                key,
                slot,
            });
        }
        slot
    }

    #[inline(always)]
    fn remember<I: Isa, const N: usize>(&mut self, isa: I, key: &Key<B>, slot: usize) {
        let there = self.fetch::<I, N>(isa, key, slot);
        self.keys[slot] = there.then_some(*key);
        if let Held::Cube(cube) = &self.forms[slot]
            && cube.held() > LARGE
        {
            self.large.push(slot);
        }
    }

    /// Gets a dense form; whether it is there.
    #[inline(always)]
    fn fetch<I: Isa, const N: usize>(&mut self, isa: I, key: &Key<B>, form: usize) -> bool {
        let word = key.word();
        if word.is_one() {
            return self.word::<I>(isa, &word, form);
        }
        self.forms[form] = Held::Nothing;
        let cube = self.cube::<I, N>(isa, &word);
        self.hold(form, cube.map(Held::Cube))
    }

    /// Gets a single word of each plane; whether it is there.
    #[inline(always)]
    fn word<I: Isa>(&mut self, isa: I, word: &WordOf<B>, form: usize) -> bool {
        let len = WORD * self.subs.pairs();
        let into = &mut self.singles[form * len..][..len];
        let read = if word.class == self.own {
            self.subs.own_word_into(isa, word, into);
            Ok(())
        } else {
            self.subs.word_into(isa, word, &mut self.pages, into)
        };
        self.forms[form] = Held::Nothing;
        self.hold(form, read.map(|()| Held::Word))
    }

    /// A whole dense form.
    #[inline(never)]
    fn cube<I: Isa, const N: usize>(
        &self,
        isa: I,
        of: &WordOf<B>,
    ) -> Result<Cube<B>, GenerateError> {
        let ([white, black], side, shape) = (of.men, of.side, of.shape);
        if of.class == self.own {
            self.subs.own::<I, N>(isa, white, black, side, shape)
        } else {
            let class = of.class;
            self.subs
                .cube::<I, N>(isa, class, white, black, side, shape)
        }
    }

    /// Keeps a form or the error; whether it is there.
    #[inline(always)]
    fn hold(&mut self, form: usize, found: Result<Held<B>, GenerateError>) -> bool {
        match found {
            Ok(held) => {
                self.forms[form] = held;
                true
            }
            Err(error) => {
                self.failed(error);
                false
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn failed(&mut self, error: GenerateError) {
        self.error.get_or_insert(error);
    }
}

/// [`Lookup::remember`] as a task.
struct Remember<'x, 'a, B: Board, const N: usize, I> {
    lookup: &'x mut Lookup<'a, B>,
    isa: I,
    key: &'x Key<B>,
    slot: usize,
}

impl<I: Isa, B: Board, const N: usize> Task for Remember<'_, '_, B, N, I> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.lookup.remember::<I, N>(self.isa, self.key, self.slot);
    }
}

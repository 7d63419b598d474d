//! From the squares of pieces after a move to the words of the position it leads to.
//!
//! Each thread remembers which dense forms it used last, since the blocks of one configuration of men
//! lead to the same few.

use makhos_index::{Army, Material};
use makhos_rules::{Board, Color};

use super::isa::Isa;
use super::layout::elements;
use super::mask::Product;
use super::planes::Packed;
use super::ranks::{rank, ranks_with, sets};
use super::shape::{Kings, Shape};
use super::subs::{Cube, Subs};
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

/// What decides which dense form a position lies in. The side to move is that of the lookup.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key<B> {
    men: [B; 2],
    kings: [u8; 2],
    shape: Shape,
    white_to_move: bool,
}

/// Dense forms remembered by a thread; a power of two.
const REMEMBERED: usize = 1 << 10;

/// Forms that keep more elements than this alive are forgotten with each configuration, so that the
/// bound of the cache holds.
const LARGE: usize = 1 << 13;

/// Forms of the class in work up to this many elements are cheaper made anew than kept in the cache
/// that all threads share.
pub(crate) const TINY: usize = 2;

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

/// What a position is found by.
struct Address<B> {
    key: Key<B>,
    at: usize,
    bit: usize,
}

/// A dense form that a thread holds.
enum Held<B> {
    /// None: it could not be had.
    Nothing,
    /// One that all threads share.
    Cube(Cube<B>),
    /// One of its own.
    Own(Vec<B>),
}

/// A move of a man without capture, in the configuration in hand.
#[derive(Clone, Copy)]
pub(crate) struct ManMove<B> {
    pub(crate) from: B,
    pub(crate) to: B,
    pub(crate) promotes: bool,
    /// The number of the dense form it leads to.
    form: usize,
}

/// Looks positions up for one thread.
pub(crate) struct Lookup<'a, B: Board> {
    subs: &'a Subs<B>,
    own: Material,
    /// The keys of the forms that are remembered.
    keys: Vec<Option<Key<B>>>,
    /// These forms, and behind them those that moves of men lead to.
    forms: Vec<Held<B>>,
    /// The moves of White's and Black's men, once they are asked for.
    man_moves: [Vec<ManMove<B>>; 2],
    prepared: [bool; 2],
    /// Slots with large forms.
    large: Vec<usize>,
    /// Where outcomes are unpacked.
    scratch: Packed,
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
            forms: (0..REMEMBERED).map(|_| Held::Nothing).collect(),
            man_moves: [Vec::new(), Vec::new()],
            prepared: [false; 2],
            large: Vec::new(),
            scratch: Packed::default(),
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

    /// The address of the positions with these pieces, `M` saying which inner kings there are besides;
    /// `mover` is the side that has just moved. `with` is a king that a man has just become by a quiet
    /// move.
    #[inline(always)]
    fn address<M: Product<B, N>, const N: usize>(
        pieces: &Pieces<B>,
        mover: bool,
        with: Option<usize>,
    ) -> Address<B> {
        let inner = if mover {
            [M::OWN, M::FOE]
        } else {
            [M::FOE, M::OWN]
        };
        let each = if M::PAIR { 2 } else { 1 };
        let counts = [0, 1].map(|color| pieces.kings[color].len() + each * u32::from(inner[color]));
        let mut others = pieces.kings;
        let mut bit = 0;
        let shape = match inner {
            [true, true] => match with {
                None => Shape::Grid,
                Some(square) => {
                    others[number(mover)] &= !B::bit(square);
                    Shape::GridWith(color(mover), square as u8)
                }
            },
            [true, false] => Shape::White,
            [false, true] => Shape::Black,
            [false, false] if !others[0].is_empty() => {
                bit = others[0].lowest();
                others[0] = others[0].without_lowest();
                Shape::White
            }
            [false, false] if !others[1].is_empty() => {
                bit = others[1].lowest();
                others[1] = others[1].without_lowest();
                Shape::Black
            }
            [false, false] => Shape::Bare,
        };
        let key = Key {
            men: pieces.men,
            kings: counts.map(|count| count as u8),
            shape,
            white_to_move: !mover,
        };
        let words = if inner == [true, true] { N } else { 1 };
        let minor = sets(B::SQUARES, others[1].len());
        let at = (rank(others[0]) * minor + rank(others[1])) * 2 * words;
        Address { key, at, bit }
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
        let Address { key, at, bit } = Self::address::<M, N>(pieces, mover, None);
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
        let words = match &self.forms[form] {
            Held::Cube(cube) => cube.elements(),
            Held::Own(words) => words,
            Held::Nothing => {
                self.block.fill(B::EMPTY);
                return Place {
                    form: GATHERED,
                    at: 0,
                    bit: 0,
                };
            }
        };
        for (square, &rank) in ranks.iter().enumerate() {
            let free = square < B::SQUARES as usize && !taken.contains(square);
            let [unwon, lost] = if free {
                let at = 2 * (rank * step + rest);
                [words[at], words[at + 1]]
            } else {
                [B::EMPTY; 2]
            };
            self.block[square] = unwon;
            self.block[N + square] = lost;
        }
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
                Held::Own(words) => (&**words, place.at),
                Held::Nothing => (&*self.nothing, 0),
            }
        };
        let stride = words.len() / (1 + P / 2);
        Words::new(&words[at..], stride, place.bit)
    }

    /// The number of moves of the mover's men in the configuration of `pieces`, kings left aside.
    #[inline(always)]
    pub(crate) fn man_moves<I: Isa, M: Product<B, N>, const N: usize>(
        &mut self,
        isa: I,
        pieces: &Pieces<B>,
        mover: bool,
    ) -> usize {
        if !self.prepared[number(mover)] {
            self.prepare_man_moves::<I, M, N>(isa, pieces, mover);
        }
        self.man_moves[number(mover)].len()
    }

    /// A move of a man by its number, and where the positions it leads to are. The target must be empty.
    #[inline(always)]
    pub(crate) fn man_move<I: Isa, M: Product<B, N>, const N: usize>(
        &mut self,
        pieces: &Pieces<B>,
        mover: bool,
        move_number: usize,
    ) -> (ManMove<B>, Place) {
        let man_move = self.man_moves[number(mover)][move_number];
        let (after, with) = after_man_move(pieces, mover, &man_move);
        let Address { key, at, bit } = Self::address::<M, N>(&after, mover, with);
        let form = man_move.form;
        if M::PAIR {
            return (man_move, self.gather::<N>(form, &key, &after));
        }
        (man_move, Place { form, at, bit })
    }

    #[cold]
    #[inline(never)]
    fn prepare_man_moves<I: Isa, M: Product<B, N>, const N: usize>(
        &mut self,
        isa: I,
        pieces: &Pieces<B>,
        mover: bool,
    ) {
        // White's come first, whoever is prepared first.
        let most = 2 * B::SQUARES as usize;
        let first = REMEMBERED + number(mover) * most;
        let mut moves = std::mem::take(&mut self.man_moves[number(mover)]);
        moves.clear();
        let all_men = pieces.men[0] | pieces.men[1];
        for from in pieces.men[number(mover)].squares() {
            for direction in color(mover).forward() {
                let to = B::geometry().step[from][direction as usize] & !all_men;
                if to.is_empty() {
                    continue;
                }
                let form = first + moves.len();
                let promotes = !(to & B::promotion_row(mover)).is_empty();
                let man_move = ManMove {
                    from: B::bit(from),
                    to,
                    promotes,
                    form,
                };
                // Where the kings stand does not matter for the form, but none may be on the target.
                let mut pieces = *pieces;
                pieces.kings = move_off(pieces.kings, to | all_men);
                let (after, with) = after_man_move(&pieces, mover, &man_move);
                let key = Self::address::<M, N>(&after, mover, with).key;
                while self.forms.len() <= form {
                    self.forms.push(Held::Nothing);
                }
                if promotes {
                    // Many configurations promote into the same one.
                    let slot = self.slot::<I, N>(isa, &key);
                    if let Held::Cube(cube) = &self.forms[slot] {
                        self.forms[form] = Held::Cube(cube.clone());
                    } else {
                        self.forms[form] = Held::Nothing;
                    }
                } else {
                    self.fetch::<I, N>(isa, &key, form);
                }
                moves.push(man_move);
            }
        }
        self.man_moves[number(mover)] = moves;
        self.prepared[number(mover)] = true;
    }

    /// The slot in which the form with this key is remembered.
    #[inline(always)]
    fn slot<I: Isa, const N: usize>(&mut self, isa: I, key: &Key<B>) -> usize {
        let slot = hash(key) & (REMEMBERED - 1);
        if self.keys[slot] != Some(*key) {
            self.remember::<I, N>(isa, key, slot);
        }
        slot
    }

    #[cold]
    #[inline(never)]
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
    fn fetch<I: Isa, const N: usize>(&mut self, isa: I, key: &Key<B>, form: usize) -> bool {
        let army = |number: usize| Army::new(key.men[number].len() as u8, key.kings[number]);
        let class = Material::new(army(0), army(1));
        let [white, black] = key.men;
        let side = color(key.white_to_move);
        let held = &mut self.forms[form];
        let found = if class == self.own {
            let kings = Kings {
                white: key.kings[0].into(),
                black: key.kings[1].into(),
            };
            let len = elements::<B, N>(key.shape, kings);
            if len <= TINY {
                let mut words = match std::mem::replace(held, Held::Nothing) {
                    Held::Own(words) => words,
                    _ => Vec::new(),
                };
                words.resize(len * self.subs.pairs(), B::EMPTY);
                let scratch = &mut self.scratch;
                self.subs
                    .own_into::<I, N>(isa, white, black, side, key.shape, scratch, &mut words);
                *held = Held::Own(words);
                return true;
            }
            self.subs.own::<I, N>(isa, white, black, side, key.shape)
        } else {
            self.subs
                .cube::<I, N>(isa, class, white, black, side, key.shape)
        };
        match found {
            Ok(cube) => {
                *held = Held::Cube(cube);
                true
            }
            Err(error) => {
                *held = Held::Nothing;
                self.error.get_or_insert(error);
                false
            }
        }
    }
}

/// The pieces on known squares after a man's move, and the king it has become.
#[inline(always)]
fn after_man_move<B: Board>(
    pieces: &Pieces<B>,
    mover: bool,
    man_move: &ManMove<B>,
) -> (Pieces<B>, Option<usize>) {
    let own = number(mover);
    let mut after = *pieces;
    after.men[own] &= !man_move.from;
    if man_move.promotes {
        after.kings[own] |= man_move.to;
        (after, Some(man_move.to.lowest()))
    } else {
        after.men[own] |= man_move.to;
        (after, None)
    }
}

/// As many kings of either side on other squares than `taken`.
fn move_off<B: Board>(kings: [B; 2], mut taken: B) -> [B; 2] {
    kings.map(|kings| {
        let mut moved = B::EMPTY;
        let mut free = B::ALL & !taken;
        for _ in 0..kings.len() {
            moved |= B::bit(free.lowest());
            free = free.without_lowest();
        }
        taken |= moved;
        moved
    })
}

#[inline(always)]
fn color(white: bool) -> Color {
    if white { Color::White } else { Color::Black }
}

#[inline(always)]
fn hash<B: Board>(key: &Key<B>) -> usize {
    let fold = |set: B| {
        let bits = set.to_u128();
        (bits as u64) ^ ((bits >> 64) as u64).rotate_left(32)
    };
    let shape = match key.shape {
        Shape::Grid => 0,
        Shape::White => 1,
        Shape::Black => 2,
        Shape::Bare => 3,
        Shape::GridWith(_, square) => 4 + u64::from(square),
    };
    let rest = u64::from(key.kings[0])
        | (u64::from(key.kings[1]) << 8)
        | (u64::from(key.white_to_move) << 16)
        | (shape << 17);
    let mixed = (fold(key.men[0]).wrapping_mul(0x9E37_79B9_7F4A_7C15))
        ^ (fold(key.men[1]).wrapping_mul(0xC2B2_AE3D_27D4_EB4F)).rotate_left(31)
        ^ rest.wrapping_mul(0x1656_67B1_9E37_79F9);
    (mixed ^ (mixed >> 29)).wrapping_mul(0x9E37_79B9_7F4A_7C15) as usize >> 40
}

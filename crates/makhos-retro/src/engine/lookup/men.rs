//! The moves of men in the configuration in hand, and the dense forms they lead to.

use std::marker::PhantomData;

use makhos_rules::Board;
use makhos_rules::board::MAX_SQUARES;

use super::address::{Address, color};
use super::{Held, Lookup, Pieces, Place, REMEMBERED, WORD, number};
use crate::engine::isa::{Isa, Task};
use crate::engine::mask::Product;
use crate::engine::subs::WordOf;

/// A side cannot have more moves of men.
pub(super) const MOST_MOVES: usize = 2 * MAX_SQUARES;

/// A move of a man without capture, in the configuration in hand.
#[derive(Clone, Copy)]
pub(crate) struct ManMove<B> {
    pub(crate) from: B,
    pub(crate) to: B,
    pub(crate) promotes: bool,
    /// The number of the dense form it leads to.
    form: usize,
    /// Whether that has the promoted man on its square only.
    beside: bool,
}

impl<B: Board> Lookup<'_, B> {
    /// The number of moves of the mover's men in the configuration of `pieces`, kings left aside.
    #[inline(always)]
    pub(crate) fn man_moves<I: Isa, M: Product<B, N>, const N: usize>(
        &mut self,
        isa: I,
        pieces: &Pieces<B>,
        mover: bool,
    ) -> usize {
        if !self.prepared[number(mover)] {
            isa.run(PrepareManMoves::<B, I, ([B; N], M)> {
                lookup: self,
                isa,
                pieces,
                mover,
                root: PhantomData,
            });
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
        let Address { key, at, bit } = Address::of::<M, N>(&after, mover, with);
        let form = man_move.form;
        if M::PAIR {
            return (man_move, self.gather::<N>(form, &key, &after));
        }
        let at = if man_move.beside { 0 } else { at };
        (man_move, Place { form, at, bit })
    }

    /// Finds the moves of the mover's men, and gets the forms they lead to.
    #[inline(always)]
    fn prepare_man_moves<I: Isa, M: Product<B, N>, const N: usize>(
        &mut self,
        isa: I,
        pieces: &Pieces<B>,
        mover: bool,
    ) {
        let first = REMEMBERED + number(mover) * MOST_MOVES;
        let mut moves = std::mem::take(&mut self.man_moves[number(mover)]);
        moves.clear();
        let all_men = pieces.men[0] | pieces.men[1];
        for from in pieces.men[number(mover)].squares() {
            for direction in color(mover).forward() {
                let to = B::geometry().step[from][direction as usize] & !all_men;
                if to.is_empty() {
                    continue;
                }
                debug_assert!(moves.len() < MOST_MOVES);
                let mut man_move = ManMove {
                    from: B::bit(from),
                    to,
                    promotes: !(to & B::promotion_row(mover)).is_empty(),
                    form: first + moves.len(),
                    beside: false,
                };
                self.prepare_man_move::<I, M, N>(isa, pieces, mover, &mut man_move);
                moves.push(man_move);
            }
        }
        self.man_moves[number(mover)] = moves;
        self.prepared[number(mover)] = true;
    }

    /// Gets the form that a move of a man leads to.
    #[inline(always)]
    fn prepare_man_move<I: Isa, M: Product<B, N>, const N: usize>(
        &mut self,
        isa: I,
        pieces: &Pieces<B>,
        mover: bool,
        man_move: &mut ManMove<B>,
    ) {
        // Where the kings stand does not matter for the form, but none may be on the target.
        let mut pieces = *pieces;
        if !(pieces.kings[0] | pieces.kings[1]).is_empty() {
            let taken = man_move.to | pieces.men[0] | pieces.men[1];
            pieces.kings = move_off(pieces.kings, taken);
        }
        let (after, with) = after_man_move(&pieces, mover, man_move);
        let key = Address::of::<M, N>(&after, mover, with).key;
        let form = man_move.form;
        let beside = with.map(|square| (color(mover), square));
        let word = WordOf {
            beside,
            ..key.word()
        };
        if !man_move.promotes {
            self.fetch::<I, N>(isa, &key, form);
        } else if !M::PAIR && word.is_one() {
            man_move.beside = true;
            self.word::<I>(isa, &word, form);
        } else {
            // Many configurations promote into the same one.
            let slot = self.slot::<I, N>(isa, &key);
            self.forms[form] = match &self.forms[slot] {
                Held::Cube(cube) => Held::Cube(cube.clone()),
                Held::Word => Held::Word,
                Held::Nothing => Held::Nothing,
            };
            let len = WORD * self.subs.pairs();
            let words = slot * len..(slot + 1) * len;
            self.singles.copy_within(words, form * len);
        }
    }
}

/// [`Lookup::prepare_man_moves`] as a task.
struct PrepareManMoves<'x, 'a, B: Board, I, M> {
    lookup: &'x mut Lookup<'a, B>,
    isa: I,
    pieces: &'x Pieces<B>,
    mover: bool,
    root: PhantomData<M>,
}

impl<I: Isa, B: Board, const N: usize, M: Product<B, N>> Task
    for PrepareManMoves<'_, '_, B, I, ([B; N], M)>
{
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (isa, pieces, mover) = (self.isa, self.pieces, self.mover);
        self.lookup.prepare_man_moves::<I, M, N>(isa, pieces, mover);
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

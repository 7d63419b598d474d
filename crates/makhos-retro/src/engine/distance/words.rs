//! Distances where only one side has kings: nothing has to be repeated.

use makhos_rules::{Board, Direction};

use super::cube::{FIRST_PLIES, OWN_PLANES};
use super::{LONGEST, Limit, PLANES, at_least};
use crate::engine::isa::Task;
use crate::engine::kings::KingRoom;
use crate::engine::lines::moved;
use crate::engine::outcome::Outcome;

/// Settles the positions of one configuration in which one side has no kings: first those in which that
/// side is to move, which has no moves left to settle, then the others by one look at all moves of kings.
/// Returns whether a result takes more plies than can be told.
pub(super) struct SettleWords<'a, B, const N: usize> {
    pub(super) room: &'a KingRoom<B, N>,
    /// The men of both sides.
    pub(super) men: B,
    /// The number of the side with kings.
    pub(super) side: usize,
    /// Unwon and lost words by the other kings, with the side with kings to move and the other one.
    pub(super) known: &'a mut [B],
    pub(super) other: &'a mut [B],
    /// The planes that belong to them.
    pub(super) own: &'a mut [B],
    pub(super) other_own: &'a mut [B],
    pub(super) limit: Limit,
}

impl<B: Board, const N: usize> Task for SettleWords<'_, B, N> {
    type Output = bool;

    #[inline(always)]
    fn call(mut self) -> bool {
        let numbers = self.room.others[self.side].len();
        for number in 0..numbers {
            let own = &self.other_own[number * OWN_PLANES..][..OWN_PLANES];
            self.other[2 * number] &= !own[2];
            // Without a move of a king, what may be lost is lost.
            self.other[2 * number + 1] = own[1] | own[3];
        }
        for number in 0..numbers {
            self.kings_move(number);
        }
        let mut too_long = B::EMPTY;
        for number in 0..numbers {
            too_long |= beyond(self.known, self.own, number);
            too_long |= beyond(self.other, self.other_own, number);
        }
        !too_long.is_empty()
    }
}

impl<B: Board, const N: usize> SettleWords<'_, B, N> {
    /// Settles the positions with these other kings, the side with kings to move.
    #[inline(always)]
    fn kings_move(&mut self, number: usize) {
        let own = &self.own[number * OWN_PLANES..][..OWN_PLANES];
        let [quiet, may_lose, won, lost, _] = *own.first_chunk().expect("all planes");
        let plies = plies(self.own, number);
        let mut any = B::EMPTY;
        for plane in plies {
            any |= plane;
        }
        // What men's moves make of the quiet positions; what is neither won nor may be lost is drawn.
        let mut best = Outcome {
            win: won & quiet,
            draw: quiet & !won & !may_lose,
            any: any & quiet,
            plies,
        };
        let mut kings = self.reached(number);
        kings.win &= quiet;
        kings.draw &= quiet;
        kings.any &= quiet;
        kings.plies = kings.plies_before();
        best.merge(&kings);
        let lost_quietly = quiet & !best.win & !best.draw;
        self.known[2 * number] &= !(best.win | won);
        self.known[2 * number + 1] = lost | lost_quietly;
        let own = &mut self.own[number * OWN_PLANES..][..OWN_PLANES];
        for (plane, best) in own[FIRST_PLIES..].iter_mut().zip(best.plies) {
            *plane = (*plane & !quiet) | (best & quiet);
        }
    }

    /// What the moves of kings lead to, by the square of the inner king before the move.
    #[inline(always)]
    fn reached(&self, number: usize) -> Outcome<B, PLANES> {
        let others = &self.room.others[self.side];
        let occupied = self.men | others.set(number);
        let empty = B::ALL & !occupied;
        let mut all = Outcome::all(B::EMPTY);
        let here = self.position(number, empty);
        for direction in Direction::ALL {
            all.merge(&moved(&here, direction, empty, self.room.flying()));
        }
        for king_move in others.moves(number) {
            if !(king_move.between & occupied).is_empty() {
                continue;
            }
            let to = king_move.to as usize;
            let set = others.set(to);
            if !(set & self.men).is_empty() {
                continue;
            }
            let there = B::ALL & !(self.men | set | king_move.between);
            all.merge(&self.position(to, there));
        }
        all
    }

    /// What is known of positions of the other side, as far as they are in `there`.
    #[inline(always)]
    fn position(&self, number: usize, there: B) -> Outcome<B, PLANES> {
        let (unwon, lost) = (self.other[2 * number], self.other[2 * number + 1]);
        let plies = plies(self.other_own, number);
        // With one ply more, for these it is a draw.
        let late = at_least(&plies, self.limit.late());
        Outcome {
            win: lost & !late & there,
            draw: ((unwon & !lost) | late) & there,
            any: there,
            plies,
        }
    }
}

/// The planes of plies of the positions with these other kings.
#[inline(always)]
fn plies<B: Board>(own: &[B], number: usize) -> [B; PLANES] {
    let mut plies = [B::EMPTY; PLANES];
    plies.copy_from_slice(&own[number * OWN_PLANES + FIRST_PLIES..][..PLANES]);
    plies
}

/// The settled positions among them with more plies than can be told. Placements that do not exist have no
/// plies.
#[inline(always)]
fn beyond<B: Board>(known: &[B], own: &[B], number: usize) -> B {
    let (unwon, lost) = (known[2 * number], known[2 * number + 1]);
    let decided = lost | !unwon;
    decided & at_least(&plies(own, number), LONGEST + 1)
}

//! All positions with the same men of White.

use makhos_index::Material;
use makhos_rules::{Board, Color};

use super::BareWork;
use super::captures::{Chains, Spare, Targets, add, clear};
use super::found::Found;
use super::rows::{Rows, spread_row};
use super::sets::{white_rank, words};
use crate::engine::isa::{Isa, Task};
use crate::engine::lookup::Pieces;
use crate::engine::mask::Known;
use crate::engine::moves::Looker;
use crate::engine::planes::Packed;

/// What one thread works with.
pub(super) struct Worker<'a, B: Board, const N: usize, I> {
    pub(super) looker: Looker<'a, 'a, B, N, 0, I>,
    spare: Spare,
    /// The sets of Black's men beside White's.
    pub(super) there: Vec<u64>,
    /// Unwon and lost with White to move.
    pub(super) white: [Vec<u64>; 2],
    /// Capture positions with White and Black to move.
    pub(super) must_capture: [Vec<u64>; 2],
    /// The same as `white` with one of Black's men on each square, by the sets of the others.
    by_man: Vec<[Vec<u64>; 2]>,
    /// Where captures win, where they draw, and where there are any.
    captures: [Vec<u64>; 3],
    /// Where quiet moves win, and where they do not lose.
    quiet: [Vec<u64>; 2],
    /// The same of one of Black's men, by the sets of the others.
    of_man: [Vec<u64>; 2],
    pub(super) packed: Packed,
}

impl<'a, B: Board, const N: usize, I: Isa> Worker<'a, B, N, I> {
    pub(super) fn new(work: &'a BareWork<'a, B, N, I>) -> Self {
        Self {
            looker: work.looker(),
            spare: Spare::default(),
            there: vec![0; work.sets.words(work.black_men())],
            white: Default::default(),
            must_capture: Default::default(),
            by_man: vec![Default::default(); (B::SQUARES - B::PER_ROW) as usize],
            captures: Default::default(),
            quiet: Default::default(),
            of_man: Default::default(),
            packed: Packed::default(),
        }
    }

    /// Bytes of a worker, and of the outcomes of a row as they are read.
    pub(super) fn bytes(class: Material) -> u64 {
        let (white, black) = (u32::from(class.white.men), u32::from(class.black.men));
        let planes = |men| (words::<B>(men) as u64).saturating_mul(8);
        let of_man = planes(black.saturating_sub(1)).saturating_mul((2 * B::SQUARES + 2).into());
        // What is found is kept apart by the number of captured pieces: three planes, and doubts.
        let found = (3 * (white.max(black) + 1) + 1).into();
        let depth = u64::from(white + black).saturating_mul(2);
        let found_before = planes(black.saturating_sub(1)).saturating_mul(found);
        let of_all = planes(black).saturating_mul(found + 10);
        // Two bits for each square of a king.
        let read = planes(black).saturating_mul(2 * u64::from(B::SQUARES));
        [of_man, found_before.saturating_mul(depth), of_all, read]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// Begins with other men of White.
    #[inline(always)]
    fn begin(&mut self, work: &BareWork<'_, B, N, I>, men: B) {
        let black_men = work.black_men();
        let words = work.sets.words(black_men);
        clear(&mut self.white[0], words);
        clear(&mut self.white[1], words);
        work.sets.outside(black_men, men, &mut self.there);
    }

    /// Finds the outcomes with White to move, `further` being the rows with Black to move of White's men
    /// after a quiet move. Returns the number of capture positions.
    #[inline(always)]
    fn white_moves(&mut self, work: &BareWork<'_, B, N, I>, men: B, further: &Rows) -> u64 {
        let black = work.black_men();
        let mut chains = work.chains(true, men, black, &mut self.spare);
        let mut found = chains.empty_found(black, black as u32);
        for from in men.squares() {
            chains.white = men & !B::bit(from);
            chains.of_white(from, B::EMPTY, black, &mut found);
        }
        found.resolve(&mut self.captures);
        self.look_closer(work, men, true, &found);
        self.spare.keep(found);

        let [wins, holds] = &mut self.quiet;
        clear(wins, work.sets.words(black));
        clear(holds, work.sets.words(black));
        for from in men.squares() {
            let rest = men & !B::bit(from);
            for direction in Color::White.forward() {
                let to = B::geometry().step[from][direction as usize] & !men;
                if to.is_empty() {
                    continue;
                }
                let [unwon, lost] = if (to & B::TOP_ROW).is_empty() {
                    further.row(work.places[white_rank(rest | to)] as usize, 0)
                } else {
                    let promoted = work.targets[0].promoted(black);
                    promoted.row(white_rank(rest), to.lowest())
                };
                add(wins, lost);
                add(holds, unwon);
            }
        }
        let [unwon, lost] = &mut self.white;
        let (captures, quiet) = (&self.captures, &self.quiet);
        self.must_capture[0].clone_from(&captures[2]);
        combine(&self.there, captures, quiet, unwon, lost)
    }

    /// Finds the outcomes with Black to move from those with White to move. Returns the number of capture
    /// positions.
    #[inline(always)]
    fn black_moves(&mut self, work: &BareWork<'_, B, N, I>, men: B, row: &mut [u64]) -> u64 {
        let (isa, sets, black) = (work.isa, &work.sets, work.black_men());
        let free = B::ALL & !B::BOTTOM_ROW & !men;
        for square in free.squares() {
            let [unwon, lost] = &mut self.by_man[square];
            clear(unwon, sets.words(black - 1));
            clear(lost, sets.words(black - 1));
            let from = [&*self.white[0], &*self.white[1]];
            sets.take(isa, black, square, from, [unwon, lost]);
        }
        let [wins, holds] = &mut self.quiet;
        clear(wins, sets.words(black));
        clear(holds, sets.words(black));
        let mut chains = work.chains(false, men, black - 1, &mut self.spare);
        let mut found = chains.empty_found(black, men.len());
        for from in free.squares() {
            let targets = &work.targets[1];
            if man_moves(work, targets, men, from, &self.by_man, &mut self.of_man) {
                let from_man = [&*self.of_man[0], &*self.of_man[1]];
                sets.put(isa, black, from, from_man, [&mut *wins, &mut *holds]);
            }
            chains.any_of_black(from, &mut found);
        }
        found.resolve(&mut self.captures);
        self.look_closer(work, men, false, &found);
        self.spare.keep(found);
        let (unwon, lost) = row.split_at_mut(row.len() / 2);
        self.must_capture[1].clone_from(&self.captures[2]);
        combine(&self.there, &self.captures, &self.quiet, unwon, lost)
    }

    /// Looks at the positions in doubt one by one.
    #[inline(always)]
    fn look_closer(
        &mut self,
        work: &BareWork<'_, B, N, I>,
        men: B,
        white_to_move: bool,
        found: &Found,
    ) {
        let Some(doubt) = found.doubt() else {
            return;
        };
        for (at, (&doubt, &there)) in doubt.iter().zip(&self.there).enumerate() {
            let mut rest = doubt & there;
            while rest != 0 {
                let bit = rest & rest.wrapping_neg();
                let black = work.blacks[64 * at + rest.trailing_zeros() as usize];
                rest ^= bit;
                let pieces = Pieces {
                    men: [men, black],
                    kings: [B::EMPTY; 2],
                };
                let captures = self.looker.captures::<Known<B>>(white_to_move, &pieces);
                let planes = [captures.win, captures.draw, captures.any];
                for (plane, Known(yes)) in self.captures.iter_mut().zip(planes) {
                    plane[at] = (plane[at] & !bit) | if yes.is_empty() { 0 } else { bit };
                }
            }
        }
    }
}

impl<B: Board, const N: usize, I: Isa> BareWork<'_, B, N, I> {
    #[inline(always)]
    fn black_men(&self) -> usize {
        self.index.material().black.men.into()
    }

    /// A search for captures of one side, `black` being the number of Black's men whose squares vary.
    #[inline(always)]
    fn chains<'x>(
        &'x self,
        white_to_move: bool,
        white: B,
        black: usize,
        spare: &'x mut Spare,
    ) -> Chains<'x, B, I> {
        Chains {
            isa: self.isa,
            rules: self.rules,
            counts: self.counts,
            sets: &self.sets,
            targets: &self.targets[usize::from(!white_to_move)],
            geometry: B::geometry(),
            white,
            black,
            spare,
        }
    }
}

/// Where quiet moves of Black's man on `from` win, and where they do not lose, by the sets of the others.
/// Returns whether there are any moves.
#[inline(always)]
fn man_moves<B: Board, const N: usize, I: Isa>(
    work: &BareWork<'_, B, N, I>,
    targets: &Targets,
    men: B,
    from: usize,
    by_man: &[[Vec<u64>; 2]],
    [wins, holds]: &mut [Vec<u64>; 2],
) -> bool {
    let words = work.sets.words(work.black_men() - 1);
    clear(wins, words);
    clear(holds, words);
    let mut any = false;
    for direction in Color::Black.forward() {
        let to = B::geometry().step[from][direction as usize] & !men;
        if to.is_empty() {
            continue;
        }
        any = true;
        if (to & B::BOTTOM_ROW).is_empty() {
            let [unwon, lost] = &by_man[to.lowest()];
            add(wins, lost);
            add(holds, unwon);
        } else {
            let place = to.lowest() - (B::SQUARES - B::PER_ROW) as usize;
            let promoted = targets.promoted(men.len() as usize);
            let [unwon, lost] = promoted.row(white_rank(men), place);
            add(wins, lost);
            add(holds, unwon);
        }
    }
    any
}

/// What captures and quiet moves come to for the positions `there`. Returns the number of captures.
#[inline(always)]
fn combine(
    there: &[u64],
    [win, draw, any]: &[Vec<u64>; 3],
    [wins, holds]: &[Vec<u64>; 2],
    unwon: &mut [u64],
    lost: &mut [u64],
) -> u64 {
    let mut captures = 0;
    for (at, &there) in there.iter().enumerate() {
        let any = any[at] & there;
        let quiet = there & !any;
        let won = (any & win[at]) | (quiet & wins[at]);
        unwon[at] = there & !won;
        lost[at] = (any & !win[at] & !draw[at]) | (quiet & !wins[at] & !holds[at]);
        captures += u64::from(any.count_ones());
    }
    captures
}

/// Finds the outcomes of all positions with some men of White; returns the numbers of capture positions
/// with White and Black to move.
pub(super) struct Find<'x, 'a, B: Board, const N: usize, I> {
    pub(super) work: &'x BareWork<'x, B, N, I>,
    pub(super) worker: &'x mut Worker<'a, B, N, I>,
    pub(super) men: B,
    /// The rows of White's men one row further on, with Black to move.
    pub(super) further: &'x Rows,
    /// What is found with Black to move.
    pub(super) row: &'x mut [u64],
}

impl<B: Board, const N: usize, I: Isa> Task for Find<'_, '_, B, N, I> {
    type Output = [u64; 2];

    #[inline(always)]
    fn call(self) -> [u64; 2] {
        let (work, men) = (self.work, self.men);
        self.worker.begin(work, men);
        let of_white = self.worker.white_moves(work, men, self.further);
        let of_black = self.worker.black_moves(work, men, self.row);
        [of_white, of_black]
    }
}

/// Finds the outcomes with Black to move, those with White to move being in the worker's outcomes.
pub(super) struct FindBlack<'x, 'a, B: Board, const N: usize, I> {
    pub(super) work: &'x BareWork<'x, B, N, I>,
    pub(super) worker: &'x mut Worker<'a, B, N, I>,
    pub(super) men: B,
    pub(super) row: &'x mut [u64],
}

impl<B: Board, const N: usize, I: Isa> Task for FindBlack<'_, '_, B, N, I> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (work, worker, men) = (self.work, self.worker, self.men);
        worker.begin(work, men);
        let [unwon, lost] = &mut worker.white;
        spread_row(work.isa, &worker.packed, &worker.there, unwon, lost);
        worker.black_moves(work, men, self.row);
    }
}

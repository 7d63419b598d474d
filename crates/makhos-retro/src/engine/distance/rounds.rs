//! Settling the moves of kings ply by ply, where both sides have kings.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, Ordering};

use makhos_rules::Board;
use rayon::prelude::*;

use super::cube::{DistanceCube, OWN_PLANES, Own};
use super::{Beyond, Limit, PLANES};
use crate::engine::cube::own_and_other;
use crate::engine::isa::{Isa, Task};
use crate::engine::kings::KingRoom;
use crate::engine::settle::{LOSSES, Sweep, WINS, is_empty};

/// No round: nothing joins.
const NEVER: u16 = u16::MAX;

/// What is to be done with each block of one side to move.
#[derive(Debug)]
struct Agenda {
    /// What can have changed by the moves of kings: [`WINS`], [`LOSSES`].
    changed: Vec<AtomicU8>,
    /// Whether a position of the block is lost.
    lost: Vec<AtomicBool>,
    /// Whether positions were won in this round.
    fresh: Vec<AtomicBool>,
    /// The next round in which wins, and losses, found outside join.
    wins_at: Vec<AtomicU16>,
    losses_at: Vec<AtomicU16>,
}

impl Agenda {
    fn new(blocks: usize) -> Self {
        let flags = || (0..blocks).map(|_| AtomicBool::new(false)).collect();
        let rounds = || (0..blocks).map(|_| AtomicU16::new(NEVER)).collect();
        Self {
            changed: (0..blocks).map(|_| AtomicU8::new(0)).collect(),
            lost: flags(),
            fresh: flags(),
            wins_at: rounds(),
            losses_at: rounds(),
        }
    }
}

/// What the rounds of a configuration are kept in, used again for the next one.
#[derive(Debug)]
pub(super) struct Rounds {
    sides: [Agenda; 2],
}

/// How settling ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ended {
    /// All positions are settled.
    Settled,
    /// It was asked to stop.
    Stopped,
    /// A distance is longer than can be told.
    TooLong,
}

/// What a pass over the blocks of a side does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// Looks when what was found outside joins.
    Begin,
    /// Finds wins. They stay unwon for the other side.
    Wins,
    /// Finds losses.
    Losses,
    /// Tells the other side of the wins.
    Tell,
}

impl Rounds {
    pub(super) fn new(blocks: usize) -> Self {
        Self {
            sides: [Agenda::new(blocks), Agenda::new(blocks)],
        }
    }

    /// Settles all positions of a configuration from what is known without moves of kings; with
    /// `parallel`, in the current rayon pool. What is not settled in as many rounds as the limit says is drawn,
    /// if it says so. `go_on` is asked before each round.
    #[allow(clippy::too_many_arguments)] // each is another thing
    pub(super) fn settle<I: Isa, B: Board, const N: usize>(
        &self,
        isa: I,
        room: &KingRoom<B, N>,
        men: B,
        cube: &mut DistanceCube<B>,
        limit: Limit,
        parallel: bool,
        go_on: &dyn Fn() -> bool,
    ) -> Ended {
        let mut all = Run {
            rounds: self,
            isa,
            room,
            men,
            cube,
            parallel,
        };
        all.both(Pass::Begin, 0);
        let mut round = 0;
        loop {
            if !go_on() {
                return Ended::Stopped;
            }
            let mut any = round > 0 && all.both(Pass::Wins, round);
            any |= all.both(Pass::Losses, round);
            if any && round > limit.plies {
                return Ended::TooLong;
            }
            if any {
                all.both(Pass::Tell, round);
                round += 1;
            } else {
                round = match self.next(round) {
                    NEVER => return Ended::Settled,
                    next => next,
                };
            }
            if round > limit.plies && limit.beyond == Beyond::Draw {
                return Ended::Settled;
            }
        }
    }

    /// The next round after this one in which something joins.
    fn next(&self, round: u16) -> u16 {
        let all = self
            .sides
            .iter()
            .flat_map(|side| side.wins_at.iter().chain(&side.losses_at));
        let later = all
            .map(|at| at.load(Ordering::Relaxed))
            .filter(|&at| at > round);
        later.min().unwrap_or(NEVER)
    }
}

/// The rounds of one configuration.
struct Run<'a, I, B: Board, const N: usize> {
    rounds: &'a Rounds,
    isa: I,
    room: &'a KingRoom<B, N>,
    men: B,
    cube: &'a mut DistanceCube<B>,
    parallel: bool,
}

impl<I: Isa, B: Board, const N: usize> Run<'_, I, B, N> {
    /// A pass with either side to move; whether anything was settled.
    fn both(&mut self, pass: Pass, round: u16) -> bool {
        let white = self.pass::<true>(pass, round);
        self.pass::<false>(pass, round) | white
    }

    fn pass<const WHITE: bool>(&mut self, pass: Pass, round: u16) -> bool {
        let (known, other) = own_and_other(&mut self.cube.known, WHITE);
        let (own, _) = own_and_other(&mut self.cube.own, WHITE);
        let [white, black] = &self.rounds.sides;
        let (agenda, theirs) = if WHITE {
            (white, black)
        } else {
            (black, white)
        };
        let sweep = Sweep {
            room: self.room,
            men: self.men,
            other,
            changed: &agenda.changed,
            theirs: &theirs.changed,
            lost: &agenda.lost,
            their_lost: &theirs.lost,
        };
        let side = SideOf::<B, N, WHITE> {
            sweep,
            agenda,
            pass,
            round,
        };
        let isa = self.isa;
        if self.parallel {
            return known
                .par_chunks_exact_mut(2 * N)
                .zip(own.par_chunks_exact_mut(OWN_PLANES * N))
                .with_min_len(64)
                .enumerate()
                .map(|(block, (known, own))| side.block(isa, block, known, own))
                .reduce(|| false, |a, b| a | b);
        }
        let blocks = known
            .chunks_exact_mut(2 * N)
            .zip(own.chunks_exact_mut(OWN_PLANES * N));
        let mut any = false;
        for (block, (known, own)) in blocks.enumerate() {
            any |= side.block(isa, block, known, own);
        }
        any
    }
}

/// A pass over the blocks of one side to move.
struct SideOf<'a, B, const N: usize, const WHITE: bool> {
    sweep: Sweep<'a, B, N>,
    agenda: &'a Agenda,
    pass: Pass,
    round: u16,
}

impl<B: Board, const N: usize, const WHITE: bool> SideOf<'_, B, N, WHITE> {
    /// Does what is to be done with a block; whether positions were settled.
    #[inline(always)]
    fn block<I: Isa>(&self, isa: I, block: usize, known: &mut [B], own: &mut [B]) -> bool {
        let agenda = self.agenda;
        let joins = |at: &[AtomicU16]| at[block].load(Ordering::Relaxed) == self.round;
        let changed = agenda.changed[block].load(Ordering::Relaxed);
        let (reach, due) = match self.pass {
            Pass::Begin => (false, true),
            Pass::Wins => (changed & WINS != 0, joins(&agenda.wins_at)),
            Pass::Losses => (
                changed & LOSSES != 0 || joins(&agenda.losses_at),
                joins(&agenda.losses_at),
            ),
            Pass::Tell => (false, agenda.fresh[block].load(Ordering::Relaxed)),
        };
        if !(reach || due) {
            return false;
        }
        isa.run(OneBlock {
            side: self,
            block,
            reach,
            due,
            known,
            own,
        })
    }

    #[inline(always)]
    fn begin(&self, block: usize, own: &Own<'_, B, N>) -> bool {
        let agenda = self.agenda;
        agenda.lost[block].store(false, Ordering::Relaxed);
        agenda.fresh[block].store(false, Ordering::Relaxed);
        agenda.changed[block].store(0, Ordering::Relaxed);
        self.wins_join(block, own);
        // In the first round, all without a move.
        let joins = if is_empty(own.may_lose) { NEVER } else { 0 };
        let joins = joins.min(self.next_loss(own, 0));
        agenda.losses_at[block].store(joins, Ordering::Relaxed);
        false
    }

    #[inline(always)]
    fn wins_join(&self, block: usize, own: &Own<'_, B, N>) {
        let next = fewest(own.won, &own.plies);
        self.agenda.wins_at[block].store(next, Ordering::Relaxed);
    }

    /// The next round after `round` in which a position may be lost because of moves out of the
    /// configuration.
    #[inline(always)]
    fn next_loss(&self, own: &Own<'_, B, N>, round: u16) -> u16 {
        let mut waiting = [B::EMPTY; N];
        let more = more_than(&own.plies, round);
        for row in 0..N {
            waiting[row] = own.lost[row] | (own.may_lose[row] & more[row]);
        }
        fewest(&waiting, &own.plies)
    }

    #[inline(always)]
    fn wins(&self, block: usize, reach: bool, due: bool, own: &mut Own<'_, B, N>) -> bool {
        let mut wins = [B::EMPTY; N];
        if reach {
            self.agenda.changed[block].fetch_and(!WINS, Ordering::Relaxed);
            if !is_empty(own.may_win) {
                wins = self.sweep.lost_reach::<WHITE>(block);
                for row in 0..N {
                    wins[row] &= own.may_win[row];
                }
            }
        }
        if due {
            let now = exactly(&own.plies, self.round);
            for row in 0..N {
                wins[row] |= own.won[row] & now[row];
            }
        }
        if is_empty(&wins) {
            return false;
        }
        *own.fresh = wins;
        for row in 0..N {
            own.may_win[row] &= !wins[row];
            own.may_lose[row] &= !wins[row];
            own.won[row] &= !wins[row];
        }
        set_plies(&mut own.plies, &wins, self.round);
        self.agenda.fresh[block].store(true, Ordering::Relaxed);
        self.wins_join(block, own);
        true
    }

    #[inline(always)]
    fn losses(&self, block: usize, due: bool, known: &mut [B], own: &mut Own<'_, B, N>) -> bool {
        self.agenda.changed[block].fetch_and(!LOSSES, Ordering::Relaxed);
        let mut losses = [B::EMPTY; N];
        let more = more_than(&own.plies, self.round);
        for row in 0..N {
            losses[row] = own.may_lose[row] & !more[row];
        }
        if !is_empty(&losses) {
            let escape = self.sweep.unwon_reach::<WHITE>(block, &losses);
            for row in 0..N {
                losses[row] &= !escape[row];
            }
        }
        if due {
            let now = exactly(&own.plies, self.round);
            for row in 0..N {
                losses[row] |= own.lost[row] & now[row];
            }
        }
        let any = !is_empty(&losses);
        if any {
            let lost: &mut [B; N] = (&mut known[N..]).try_into().expect("N rows");
            for row in 0..N {
                lost[row] |= losses[row];
                own.lost[row] &= !losses[row];
                own.may_win[row] &= !losses[row];
                own.may_lose[row] &= !losses[row];
            }
            set_plies(&mut own.plies, &losses, self.round);
            self.agenda.lost[block].store(true, Ordering::Relaxed);
            self.sweep.mark::<WHITE>(block, WINS);
        }
        if due {
            let next = self.next_loss(own, self.round);
            self.agenda.losses_at[block].store(next, Ordering::Relaxed);
        }
        any
    }

    #[inline(always)]
    fn tell(&self, block: usize, known: &mut [B], own: &mut Own<'_, B, N>) -> bool {
        self.agenda.fresh[block].store(false, Ordering::Relaxed);
        let unwon: &mut [B; N] = (&mut known[..N]).try_into().expect("N rows");
        for row in 0..N {
            unwon[row] &= !own.fresh[row];
        }
        self.sweep.mark::<WHITE>(block, LOSSES);
        false
    }
}

/// What is to be done with one block.
struct OneBlock<'x, 'a, B, const N: usize, const WHITE: bool> {
    side: &'x SideOf<'a, B, N, WHITE>,
    block: usize,
    reach: bool,
    due: bool,
    known: &'x mut [B],
    own: &'x mut [B],
}

impl<B: Board, const N: usize, const WHITE: bool> Task for OneBlock<'_, '_, B, N, WHITE> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let (side, block) = (self.side, self.block);
        let mut own = Own::new(self.own);
        match side.pass {
            Pass::Begin => side.begin(block, &own),
            Pass::Wins => side.wins(block, self.reach, self.due, &mut own),
            Pass::Losses => side.losses(block, self.due, self.known, &mut own),
            Pass::Tell => side.tell(block, self.known, &mut own),
        }
    }
}

/// The positions with more plies than `round`.
#[inline(always)]
fn more_than<B: Board, const N: usize>(plies: &[&mut [B; N]; PLANES], round: u16) -> [B; N] {
    let mut more = [B::EMPTY; N];
    for (p, plane) in plies.iter().enumerate() {
        if round >> p & 1 == 0 {
            for row in 0..N {
                more[row] |= plane[row];
            }
        } else {
            for row in 0..N {
                more[row] &= plane[row];
            }
        }
    }
    more
}

/// The positions with exactly so many plies.
#[inline(always)]
fn exactly<B: Board, const N: usize>(plies: &[&mut [B; N]; PLANES], round: u16) -> [B; N] {
    let mut now = [B::ALL; N];
    for (p, plane) in plies.iter().enumerate() {
        if round >> p & 1 == 0 {
            for row in 0..N {
                now[row] &= !plane[row];
            }
        } else {
            for row in 0..N {
                now[row] &= plane[row];
            }
        }
    }
    now
}

/// Gives the positions of a set so many plies.
#[inline(always)]
fn set_plies<B: Board, const N: usize>(
    plies: &mut [&mut [B; N]; PLANES],
    set: &[B; N],
    round: u16,
) {
    for (p, plane) in plies.iter_mut().enumerate() {
        if round >> p & 1 == 0 {
            for row in 0..N {
                plane[row] &= !set[row];
            }
        } else {
            for row in 0..N {
                plane[row] |= set[row];
            }
        }
    }
}

/// The fewest plies of the positions of a set; [`NEVER`] if it is empty.
#[inline(always)]
fn fewest<B: Board, const N: usize>(set: &[B; N], plies: &[&mut [B; N]; PLANES]) -> u16 {
    if is_empty(set) {
        return NEVER;
    }
    let mut left = *set;
    let mut fewest = 0;
    for (p, plane) in plies.iter().enumerate().rev() {
        let mut without = [B::EMPTY; N];
        for row in 0..N {
            without[row] = left[row] & !plane[row];
        }
        if is_empty(&without) {
            fewest |= 1 << p;
        } else {
            left = without;
        }
    }
    fewest
}

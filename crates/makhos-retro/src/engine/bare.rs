//! Classes without kings, thousands of positions at once.
//!
//! A quiet move of White's men leads to other men of White and the same of Black; one of Black's to the
//! same men of White. So with White's men fixed, all placements of Black's are solved together: first
//! with White to move, from what is known of White's men one row further on, then with Black to move,
//! from what has just been found. What is known is a row of bits, one for each set of Black's men on all
//! their squares, the number of the bit being the rank of the set: in such rows a move of White's men is
//! an operation on whole words. Sets that overlap White's men have a bit too, which is neither unwon nor
//! lost, so no move has to look whether its target is free.
//!
//! Where captures and promotions lead is read at the beginning, in the same form (`rows`). Of the class
//! in work, rows are kept of one level, and its outcomes go to the planes in stored order.

mod captures;
mod found;
mod men;
mod rows;
mod sets;

use makhos_index::{Material, PlacementIndex, stored_sides};
use makhos_probe::SideStatistics;
use makhos_rules::rules::Precedence;
use makhos_rules::{Board, Color, RuleSet};
use rayon::prelude::*;

use self::captures::Targets;
use self::men::{Find, FindBlack, Worker};
use self::rows::{Rows, first_black, pack_row};
use self::sets::{BlackSets, all_men, count, white_rank, words};
use super::ends::Ends;
use super::isa::{Isa, Portable};
use super::levels::MenSets;
use super::lines::Lines;
use super::lookup::Lookup;
use super::moves::Looker;
use super::planes::ClassPlanes;
use super::subs::Subs;
use super::tally::Tally;
use crate::checkpoint::{Keeper, State};
use crate::error::GenerateError;
use crate::monitor::Watch;
use crate::reference::SolveError;

/// What is the same for all men of White.
pub(crate) struct BareWork<'a, B: Board, const N: usize, I> {
    isa: I,
    rules: &'a RuleSet,
    index: &'a PlacementIndex<B>,
    subs: &'a Subs<B>,
    watch: Watch<'a>,
    /// Whether captures of more pieces come first.
    counts: bool,
    sets: BlackSets,
    /// All sets of Black's men.
    blacks: Vec<B>,
    /// White's men by the rows they have advanced.
    whites: MenSets<B>,
    /// The place of each set of White's men among those that have advanced as far, by rank.
    places: Vec<u32>,
    /// What moves of White and of Black lead to.
    targets: [Targets; 2],
    lines: Lines<B>,
    tally: Tally,
}

impl<'a, B: Board, const N: usize, I: Isa> BareWork<'a, B, N, I> {
    /// Reads what the class needs, in the current rayon pool.
    ///
    /// # Errors
    /// [`GenerateError`] if a table is missing or damaged.
    pub(crate) fn new(
        isa: I,
        rules: &'a RuleSet,
        index: &'a PlacementIndex<B>,
        subs: &'a Subs<B>,
        watch: Watch<'a>,
    ) -> Result<Self, GenerateError> {
        let class = index.material();
        let white_men = class.white.men.into();
        let black_men = class.black.men.into();
        let whites = MenSets::new(white_men, true);
        let mut places = vec![0; count::<B>(white_men)];
        for level in 0..=whites.most() {
            for (place, &men) in (0..).zip(whites.with_rows(level)) {
                places[white_rank(men)] = place;
            }
        }
        Ok(Self {
            isa,
            rules,
            index,
            subs,
            watch,
            counts: match rules.precedence {
                Precedence::Free | Precedence::KingFirst => false,
                Precedence::MostPieces | Precedence::MostPiecesThenKings | Precedence::Italian => {
                    true
                }
            },
            sets: BlackSets::new::<B>(black_men),
            blacks: all_men(black_men, false).collect(),
            whites,
            places,
            targets: [
                Targets::read(isa, subs, class, Color::White)?,
                Targets::read(isa, subs, class, Color::Black)?,
            ],
            lines: Lines::new(),
            tally: Tally::default(),
        })
    }

    /// Solves the class, in the current rayon pool, or what is left of it after `begun`, whose outcomes
    /// are in the planes. `keeper` may save the state after each level.
    pub(crate) fn solve(
        &self,
        begun: Option<State>,
        keeper: &mut Keeper<'_>,
    ) -> Result<(), GenerateError> {
        let levels = self.whites.most() + 1;
        let mut state = begun.unwrap_or_else(|| self.tally.state(levels));
        self.tally.resume(&state);
        let left = levels.min(state.levels_left as usize);
        let mut further = self.found_before(left)?;
        for level in (0..left).rev() {
            match self.level(level, &further) {
                Ok(rows) => further = rows,
                Err(error) => {
                    if error.is_interrupted() {
                        keeper.stopped(&state);
                    }
                    return Err(error);
                }
            }
            state = self.tally.state(level);
            keeper.level_done(&state);
        }
        Ok(())
    }

    /// The statistics of a stored side, whose outcomes are complete.
    pub(crate) fn statistics(&self, side: Color, planes: &ClassPlanes) -> SideStatistics {
        self.tally.statistics(side, self.index.len(), planes)
    }

    /// Solves the positions in which White's men have advanced so many rows. `further` are the rows of the
    /// next level with Black to move; returns those of this one.
    fn level(&self, level: usize, further: &Rows) -> Result<Rows, GenerateError> {
        self.rows(level, |worker, men, row| {
            if self.watch.monitor.should_stop() {
                let material = self.index.material();
                return Err(SolveError::Interrupted { material }.into());
            }
            let captures = self.isa.run(Find {
                work: self,
                worker,
                men,
                further,
                row,
            });
            self.keep(men, worker, row, captures);
            Ok(())
        })
    }

    /// The rows of a level with Black to move, whose outcomes with White to move are in the planes.
    fn found_before(&self, level: usize) -> Result<Rows, GenerateError> {
        let planes = self.subs.planes(Color::White).expect("always stored");
        self.rows(level, |worker, men, row| {
            let (start, len) = self.positions(men);
            planes.get(start, len, &mut worker.packed);
            self.isa.run(FindBlack {
                work: self,
                worker,
                men,
                row,
            });
            Ok(())
        })
    }

    /// Fills the rows of a level; those without positions stay empty.
    fn rows(
        &self,
        level: usize,
        fill: impl Fn(&mut Worker<'_, B, N, I>, B, &mut [u64]) -> Result<(), GenerateError> + Sync,
    ) -> Result<Rows, GenerateError> {
        let whites = self.whites.with_rows(level);
        let black_men = self.index.material().black.men.into();
        let mut rows = Rows::new(whites.len(), 1, words::<B>(black_men));
        rows.rows_mut().zip(whites).try_for_each_init(
            || Worker::new(self),
            |worker, (row, &men)| {
                if first_black(men, black_men).is_none() {
                    return Ok(());
                }
                worker.looker.lookup.next_configuration();
                fill(worker, men, row)?;
                worker.looker.lookup.take_error().map_or(Ok(()), Err)
            },
        )?;
        Ok(rows)
    }

    /// The first position with these men of White, and how many there are.
    fn positions(&self, men: B) -> (u64, u64) {
        let black_men = self.index.material().black.men.into();
        first_black(men, black_men).map_or((0, 0), |(black, count)| {
            (self.index.men_index(men, black), count)
        })
    }

    /// Hands the outcomes of all positions with these men of White to the planes of the class.
    fn keep(&self, men: B, worker: &mut Worker<'_, B, N, I>, row: &[u64], captures: [u64; 2]) {
        let (start, len) = self.positions(men);
        let [unwon, lost] = &worker.white;
        let (black_unwon, black_lost) = row.split_at(row.len() / 2);
        let rows = [[&**unwon, &**lost], [black_unwon, black_lost]];
        let sides = stored_sides(self.index.material());
        let must_capture = worker.must_capture.iter().zip(captures);
        for ((&side, row), (captures, count)) in sides.iter().zip(rows).zip(must_capture) {
            let planes = self.subs.planes(side).expect("a stored side");
            for (row, planes) in [(row, planes), ([&**captures; 2], self.subs.captures(side))] {
                pack_row(self.isa, &worker.there, row, &mut worker.packed);
                planes.put(start, &worker.packed);
            }
            self.tally.add_captures(side, count);
        }
        let solved = len * sides.len() as u64;
        self.tally.add_solved(solved);
        self.watch.monitor.advanced(2 * solved);
    }

    fn looker(&self) -> Looker<'_, '_, B, N, 0, I> {
        Looker {
            isa: self.isa,
            white: true,
            rules: self.rules,
            lines: &self.lines,
            lookup: Lookup::new::<N>(self.subs, self.index.material()),
            ends: Ends::new(),
        }
    }
}

/// Bytes that solving a class without kings takes beside its outcomes, and what each thread takes of them.
pub(super) fn bytes<B: Board>(class: Material) -> (u64, u64) {
    let (white, black) = (u32::from(class.white.men), u32::from(class.black.men));
    let targets = [Color::White, Color::Black].map(|color| Targets::bytes::<B>(class, color));
    // Turning the colours of a smaller class round takes its rows a second time.
    let turned = Rows::bytes::<B>(white, black.saturating_sub(1), true);
    // Rows of two levels, each of which is a part of all.
    let levels = Rows::bytes::<B>(white, black, false) / 2;
    let places = (count::<B>(white) as u64).saturating_mul(4);
    let sets = (count::<B>(black) as u64).saturating_mul(size_of::<B>() as u64);
    let parts = [
        targets[0],
        targets[1],
        turned,
        levels,
        places,
        sets,
        BlackSets::bytes::<B>(black),
    ];
    let all = parts.into_iter().fold(0, u64::saturating_add);
    (all, Worker::<B, 0, Portable>::bytes(class))
}

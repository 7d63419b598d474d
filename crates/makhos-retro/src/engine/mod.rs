//! The bit-parallel solver: outcomes of a class, some thousand positions an operation.
//!
//! # How it works
//! Men never come back, so the configurations of men of a class are solved one after the other, the most
//! advanced first (`levels`). For each, all placements of the kings are in memory in dense form
//! (`shape`): the squares of one king of each side are two dimensions of bits. First the moves that leave
//! the configuration are looked at (`moves`, `inner`): captures by a search that follows the chains of a
//! piece for all placements at once (`search`, `flight`), and the moves of men. Where they lead is
//! looked up (`lookup`) in smaller classes and finished configurations, which are expanded on demand
//! (`subs`) from their stored form (`layout`). Then the moves of kings are settled (`kings`, `settle`),
//! and the outcomes go back to stored order. Classes without kings have no such dimensions; there all
//! placements of one side's men are solved together (`bare`).
//!
//! Rules are read from the `RuleSet` by the capture searches alone, in the places where the move
//! generator reads them; precedence is settled afterwards (`ends`).
//!
//! Everything is plain code over arrays, compiled for several processors (`isa`) and the same on each.

// Loops over the rows of blocks and the planes of plies say so, whatever they index.
#![allow(clippy::needless_range_loop)]

mod bare;
mod bits;
mod blocks;
mod class;
mod cover;
mod cube;
mod dense_cache;
mod distance;
mod ends;
mod flight;
mod inner;
mod isa;
mod kings;
mod layout;
mod levels;
mod lines;
mod lookup;
mod mask;
pub(crate) mod memory;
mod moves;
mod outcome;
mod passage;
mod planes;
mod ranks;
mod record;
pub(crate) mod ruled;
mod search;
mod segment;
mod settle;
mod shape;
mod subs;
mod tally;
mod target;

use std::path::Path;

use makhos_index::{Material, PlacementIndex, stored_sides};
use makhos_probe::{PackedDtw, SideStatistics};
use makhos_rules::draw::DrawRules;
use makhos_rules::{Board, Color, RuleSet};

use self::bare::BareWork;
use self::class::ClassWork;
use self::distance::{DistanceWork, Limit, end_value, packed_values};
pub(crate) use self::distance::{PLANES, conversion_value, one_ply_each};
use self::isa::{Isa, Portable};
use self::passage::Ruling;
pub(crate) use self::planes::{ClassPlanes, Packed};
use self::subs::{PlanesOfPlies, Subs};
use crate::checkpoint::{self, Checkpoints, Keeper, Place};
use crate::error::GenerateError;
use crate::monitor::{Monitor, Watch};
use crate::reference::SolvedSide;

/// The instructions that the solver is compiled for, later ones including those before. The result does
/// not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Instructions {
    /// What every processor has.
    Portable,
    /// x86-64 with AVX2 and BMI2.
    Avx2,
    /// x86-64 with AVX-512 as well. Builds with debug assertions use AVX2 instead: their users wait for the
    /// compiler, not for tables.
    Avx512,
}

impl Instructions {
    /// All, the fastest last.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// Whether the running processor has them.
    #[must_use]
    pub fn are_there(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => isa::Avx2::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => isa::Avx512::detect().is_some(),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The fastest that the running processor has.
    #[must_use]
    pub fn best() -> Self {
        let there = Self::ALL.into_iter().rev().find(|these| these.are_there());
        there.unwrap_or(Self::Portable)
    }
}

/// The outcomes of a class with one side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolvedOutcomes {
    /// The side to move.
    pub side: Color,
    /// A bit for each position in the order of [`PlacementIndex`], the first the lowest of the first
    /// word: set if the side to move wins.
    pub win: Vec<u64>,
    /// The same where it loses.
    pub loss: Vec<u64>,
    /// The same where it must capture.
    pub captures: Vec<u64>,
    /// Figures of all positions; no longest distances.
    pub statistics: SideStatistics,
}

/// A class to be solved.
#[derive(Clone, Copy, Debug)]
pub struct OutcomeTask<'a, B> {
    /// The rules.
    pub rules: &'a RuleSet,
    /// The numbering of the class, which must be canonical.
    pub index: &'a PlacementIndex<B>,
    /// The directory of all tables, where those are that the class needs.
    pub dir: &'a Path,
    /// Bytes that expanded tables may take, beside what the class itself takes.
    pub cache: u64,
    /// What the solver may use; must be [there](Instructions::are_there), or [`Portable`](Instructions::Portable) is used.
    pub instructions: Instructions,
    /// When to save the state of the class beside the tables, and to take up what was saved. `None`:
    /// not at all.
    pub checkpoints: Option<Checkpoints>,
}

/// A board whose endgames can be solved. All boards are.
pub trait SolvedBoard: Board {
    /// Solves a class in the current rayon pool: the outcomes of each [stored
    /// side](makhos_index::stored_sides), in their order. `monitor` is told two units of work for each
    /// position.
    ///
    /// A checkpoint is taken up if there is one, and stays: who publishes the outcomes removes it.
    ///
    /// # Errors
    /// [`GenerateError`] if a table that the class needs is missing or damaged, or if the monitor asks
    /// to stop; nothing but a checkpoint is kept then.
    fn solve_outcomes(
        task: &OutcomeTask<'_, Self>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<SolvedOutcomes>, GenerateError>;

    /// Solves a class with kings in the current rayon pool for distances to conversion, each [stored
    /// side](makhos_index::stored_sides) in turn, from tables of outcomes. The values are packed
    /// [`Dtc`](makhos_probe::Dtc). `monitor` is told two units of work for each position.
    /// Neither [`OutcomeTask::checkpoints`] nor [`OutcomeTask::instructions`] matter.
    ///
    /// # Errors
    /// As [`solve_outcomes`](Self::solve_outcomes).
    ///
    /// # Panics
    /// If the class has no kings.
    fn solve_conversions(
        task: &OutcomeTask<'_, Self>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<SolvedSide>, GenerateError>;

    /// Whether [`solve_distances`](Self::solve_distances) is there for this board on the running processor.
    fn solves_distances() -> bool;

    /// Solves a class with kings in the current rayon pool for distances to the end of the game, each
    /// [stored side](makhos_index::stored_sides) in turn, from tables of distances. `monitor` is told two
    /// units of work for each position. Neither [`OutcomeTask::checkpoints`] nor
    /// [`OutcomeTask::instructions`] matter. `None` where there is no such solver: on 12x12 boards, and on
    /// x86-64 processors without AVX2; the [reference solver](crate::reference) does it there.
    ///
    /// # Errors
    /// As [`solve_outcomes`](Self::solve_outcomes); also
    /// [`SolveError::TooLong`](crate::reference::SolveError::TooLong) if a distance is above 1,022 plies.
    ///
    /// # Panics
    /// If the class has no kings.
    fn solve_distances(
        task: &OutcomeTask<'_, Self>,
        monitor: &dyn Monitor,
    ) -> Option<Result<Vec<SolvedSide>, GenerateError>>;

    /// Whether [`solve_ruled`](Self::solve_ruled) solves this class under these drawing rules on the running
    /// processor.
    #[must_use]
    fn solves_ruled(draw_rules: &DrawRules, material: Material) -> bool {
        Self::solves_distances() && ruled::takes(draw_rules, material)
    }

    /// Solves a class under drawing rules in the current rayon pool, each [stored
    /// side](makhos_index::stored_sides) in turn, from tables of [`Metric::Dtz`](makhos_probe::Metric::Dtz)
    /// below the directory of all tables. `road` is the number of plies counted on the main road: 0 for a class
    /// that is not the material of that rule; else the table with one more must be there if there is one. The
    /// values are packed [`Dtz`](makhos_probe::Dtz). `monitor` is told
    /// two units of work for each position. Neither [`OutcomeTask::checkpoints`] nor
    /// [`OutcomeTask::instructions`] matter.
    ///
    /// `None` where [`solve_dtz`](crate::ruled::solve_dtz) has to do it: where there is no
    /// [`solve_distances`](Self::solve_distances), for one king against one if that is the material of a
    /// main-road rule, where no side has kings unless every move of a man makes the clock fresh, and for clocks
    /// of more than 1,022 plies.
    ///
    /// # Errors
    /// As [`solve_distances`](Self::solve_distances); only in a class without a clock a value can be too long.
    fn solve_ruled(
        task: &OutcomeTask<'_, Self>,
        draw_rules: &DrawRules,
        road: u8,
        monitor: &dyn Monitor,
    ) -> Option<Result<Vec<SolvedSide>, GenerateError>>;
}

macro_rules! solved_board {
    ($board:ty, $rows:literal, [$($isa:ident),*] $(, $distances:ident)?) => {
        impl SolvedBoard for $board {
            fn solve_outcomes(
                task: &OutcomeTask<'_, Self>,
                monitor: &dyn Monitor,
            ) -> Result<Vec<SolvedOutcomes>, GenerateError> {
                $(
                    if task.instructions >= Instructions::$isa
                        && let Some(isa) = isa::$isa::detect()
                    {
                        return solve::<_, $board, $rows>(isa, task, None, monitor);
                    }
                )*
                solve::<_, $board, $rows>(Portable, task, None, monitor)
            }

            fn solve_conversions(
                task: &OutcomeTask<'_, Self>,
                monitor: &dyn Monitor,
            ) -> Result<Vec<SolvedSide>, GenerateError> {
                distances::<_, $board, $rows, 0>(Portable, task, &Sought::CONVERSIONS, monitor)
            }

            fn solves_distances() -> bool {
                false $(|| isa::$distances::detect().is_some())?
            }

            fn solve_distances(
                task: &OutcomeTask<'_, Self>,
                monitor: &dyn Monitor,
            ) -> Option<Result<Vec<SolvedSide>, GenerateError>> {
                let ends = Sought::ENDS;
                $(
                    if let Some(isa) = isa::$distances::detect() {
                        return Some(distances::<_, $board, $rows, PLANES>(isa, task, &ends, monitor));
                    }
                )?
                let _ = (task, ends, monitor);
                None
            }

            fn solve_ruled(
                task: &OutcomeTask<'_, Self>,
                draw_rules: &DrawRules,
                road: u8,
                monitor: &dyn Monitor,
            ) -> Option<Result<Vec<SolvedSide>, GenerateError>> {
                $(
                    if let Some(isa) = isa::$distances::detect() {
                        return ruled::solve_ruled::<_, $board, $rows>(isa, task, draw_rules, road, monitor);
                    }
                )?
                let _ = (task, draw_rules, road, monitor);
                None
            }
        }
    };
}

// Rows of a block: the squares, rounded up to whole vectors where that is not much. Then the instructions
// for outcomes, and those for distances to the end, one set only: compiling each takes the better part of a
// minute. So AVX-512 is left to optimised builds, and unit tests, which solve next to nothing, have neither; those
// that compare the instructions are elsewhere. The words of the 12x12 board are no elements of vectors.
#[cfg(all(target_arch = "x86_64", not(test), not(debug_assertions)))]
solved_board!(u32, 32, [Avx512, Avx2], Avx2);
#[cfg(all(target_arch = "x86_64", not(test), not(debug_assertions)))]
solved_board!(u64, 52, [Avx512, Avx2], Avx2);
#[cfg(all(target_arch = "x86_64", not(test), debug_assertions))]
solved_board!(u32, 32, [Avx2], Avx2);
#[cfg(all(target_arch = "x86_64", not(test), debug_assertions))]
solved_board!(u64, 52, [Avx2], Avx2);
#[cfg(all(not(target_arch = "x86_64"), not(test)))]
solved_board!(u32, 32, [], Portable);
#[cfg(all(not(target_arch = "x86_64"), not(test)))]
solved_board!(u64, 52, [], Portable);
#[cfg(test)]
solved_board!(u32, 32, []);
#[cfg(test)]
solved_board!(u64, 52, []);
solved_board!(u128, 72, []);

fn solve<I: Isa, B: Board, const N: usize>(
    isa: I,
    task: &OutcomeTask<'_, B>,
    ruling: Option<&Ruling>,
    monitor: &dyn Monitor,
) -> Result<Vec<SolvedOutcomes>, GenerateError> {
    let material = task.index.material();
    let watch = Watch { monitor, material };
    let path = checkpoint::path(task.dir, task.rules, material);
    let place = Place {
        path: &path,
        rules: task.rules,
        material,
        positions: task.index.len(),
    };
    let open_all = || {
        let planes = PlanesOfPlies::NONE;
        open::<B, N>(task, ruling, planes)
    };
    let mut subs = open_all()?;
    let mut begun = None;
    if task.checkpoints.is_some() {
        let taken = checkpoint::take_up(&place, &stored_planes(&subs, material));
        match taken {
            Ok(state) => begun = state,
            Err(error) => {
                monitor.checkpoint_ignored(&path, &error);
                // The planes may hold something now. There is no memory for both.
                drop(subs);
                subs = open_all()?;
            }
        }
    }
    if let Some(state) = &begun {
        let total = task.index.len() * stored_sides(material).len() as u64;
        monitor.resumed(material, 2 * state.solved, 2 * total);
    }
    let planes = stored_planes(&subs, material);
    let mut keeper = Keeper::new(place, planes, task.checkpoints, begun, watch);
    let sides = stored_sides(material).iter();
    let sides = sides.filter_map(|&side| Some((side, subs.planes(side)?)));
    let statistics: Vec<SideStatistics> = if material.men() == material.pieces() {
        let work = BareWork::<B, N, I>::new(isa, task.rules, task.index, &subs, watch)?;
        work.solve(begun, &mut keeper)?;
        sides
            .map(|(side, planes)| work.statistics(side, planes))
            .collect()
    } else {
        let work = ClassWork::<B, N, I>::new(isa, task.rules, task.index, &subs, watch);
        work.solve(begun, &mut keeper)?;
        sides
            .map(|(side, planes)| work.statistics(side, planes))
            .collect()
    };
    Ok(solved(material, subs, statistics))
}

/// What a class needs, from tables without drawing rules or under these.
fn open<B: Board, const N: usize>(
    task: &OutcomeTask<'_, B>,
    ruling: Option<&Ruling>,
    planes: PlanesOfPlies,
) -> Result<Subs<B>, GenerateError> {
    let material = task.index.material();
    let subs = Subs::open::<N>(task.rules, task.dir, material, task.cache, planes)?;
    Ok(match ruling {
        None => subs,
        Some(ruling) => subs.under(ruling)?,
    })
}

/// Which number of plies is sought.
struct Sought<'a> {
    /// Drawing rules, if there are any.
    ruling: Option<&'a Ruling>,
    limit: Limit,
    /// Packs the value of a position that is lost, or else won, in so many plies.
    value: fn(bool, u16) -> PackedDtw,
}

impl Sought<'_> {
    /// Plies to the end of the game.
    const ENDS: Self = Self {
        ruling: None,
        limit: Limit::PLANES,
        value: end_value,
    };

    /// Plies to the next conversion.
    const CONVERSIONS: Self = Self {
        ruling: None,
        limit: Limit::PLANES,
        value: conversion_value,
    };
}

/// Solves a class for a number of plies, `P` being the planes of plies of finished positions: all, or none, and
/// then every move that leaves a configuration of men takes one ply.
fn distances<I: Isa, B: Board, const N: usize, const P: usize>(
    isa: I,
    task: &OutcomeTask<'_, B>,
    sought: &Sought<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<SolvedSide>, GenerateError> {
    let material = task.index.material();
    let watch = Watch { monitor, material };
    let planes = PlanesOfPlies {
        own: PLANES,
        finished: P,
    };
    let subs = open::<B, N>(task, sought.ruling, planes)?;
    let (rules, limit) = (task.rules, sought.limit);
    let work = DistanceWork::<B, N, P, I>::new(isa, rules, task.index, &subs, watch, limit);
    work.solve()?;
    let captures = stored_sides(material)
        .iter()
        .map(|&side| work.tally().captures(side));
    let captures: Vec<u64> = captures.collect();
    let planes = subs.into_planes().into_iter().zip(captures);
    let sides = stored_sides(material).iter().zip(planes);
    let solved = sides.map(|(&side, ((planes, must_capture), captures))| {
        let values = packed_values(planes, task.index.len(), sought.value);
        let statistics = SideStatistics {
            captures,
            ..SideStatistics::of_values(0, &values)
        };
        SolvedSide {
            side,
            values,
            captures: must_capture.into_words().1,
            statistics,
        }
    });
    Ok(solved.collect())
}

/// The outcomes of each stored side with their statistics.
fn solved<B: Board>(
    material: Material,
    subs: Subs<B>,
    statistics: Vec<SideStatistics>,
) -> Vec<SolvedOutcomes> {
    let sides = stored_sides(material).iter().zip(statistics);
    let planes = subs.into_planes().into_iter();
    sides
        .zip(planes)
        .map(|((&side, statistics), (mut planes, captures))| {
            let (win, loss) = planes.swap_remove(0).into_words();
            SolvedOutcomes {
                side,
                win,
                loss,
                captures: captures.into_words().1,
                statistics,
            }
        })
        .collect()
}

/// The outcomes of the class in work for each stored side, in their order, then its captures.
fn stored_planes<B: Board>(subs: &Subs<B>, material: Material) -> Vec<&ClassPlanes> {
    let sides = stored_sides(material).iter();
    let outcomes = sides.clone().filter_map(|&side| subs.planes(side));
    outcomes
        .chain(sides.map(|&side| subs.captures(side)))
        .collect()
}

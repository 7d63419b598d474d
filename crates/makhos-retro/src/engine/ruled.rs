//! Solving under drawing rules: distances that begin anew, up to what the clock has.
//!
//! The plies that must be left for a result are counted round by round as [distances](super::distance) are,
//! the number of a round being the plies it takes to the next position with a fresh clock. What moves out of
//! a configuration of men lead to has gone through a [`Passage`](super::passage::Passage); what is not
//! settled in as many rounds as the clock has plies is drawn.
//!
//! Where every such move makes the clock fresh, it takes one ply whatever it leads to. Then the outcomes of
//! finished positions are enough, and where no side has kings nothing is left to count.

use makhos_index::{Material, dependencies, placements};
use makhos_rules::RuleSet;
use makhos_rules::draw::DrawRules;

use super::distance::{Beyond, LONGEST, Limit, PLANES, one_ply_each, ruled_value};
use super::isa::Isa;
use super::memory::SolverMemory;
use super::passage::{Ruling, all_fresh};
use super::subs::bytes_of_counted;
use super::{OutcomeTask, SolvedBoard, Sought, distances, solve};
use crate::error::GenerateError;
use crate::monitor::Monitor;
use crate::reference::SolvedSide;
use crate::ruled::pieces;

/// How a class is solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// No side has kings, and every move makes the clock fresh.
    Men,
    /// From outcomes of finished positions.
    Outcomes,
    /// From values of finished positions.
    Values,
}

/// How the engine solves a class under these rules; `None` if it does not.
fn way(draw_rules: &DrawRules, material: Material) -> Option<Way> {
    let road = draw_rules.road.as_ref();
    if road.is_some_and(|road| road.holds(&pieces(material))) && material.is_symmetric() {
        // Either of two kings may be the lone one, and only one side to move is stored.
        return None;
    }
    limit(draw_rules, material)?;
    let has_kings = material.men() < material.pieces();
    match (has_kings, all_fresh(draw_rules, material)) {
        (false, true) => Some(Way::Men),
        (false, false) => None,
        (true, true) => Some(Way::Outcomes),
        (true, false) => Some(Way::Values),
    }
}

/// The most plies that a value of the class may need; `None` if the planes do not hold them.
fn limit(draw_rules: &DrawRules, material: Material) -> Option<Limit> {
    match draw_rules.limit(&pieces(material)) {
        None => Some(Limit::PLANES),
        Some(plies) if plies <= LONGEST => Some(Limit {
            plies,
            beyond: Beyond::Draw,
        }),
        Some(_) => None,
    }
}

/// Whether [`solve_ruled`] solves a class.
pub(super) fn takes(draw_rules: &DrawRules, material: Material) -> bool {
    way(draw_rules, material).is_some()
}

/// Bytes that [`solve_ruled`] takes for a canonical class, with so many threads; `None` if it does not
/// solve it.
pub(crate) fn memory<B: SolvedBoard>(
    rules: &RuleSet,
    draw_rules: &DrawRules,
    material: Material,
    threads: usize,
) -> Option<SolverMemory> {
    let way = way(draw_rules, material)?;
    let solving = match way {
        Way::Men => {
            let memory = SolverMemory::of_outcomes::<B>(rules, material, threads);
            memory.with_values::<B>(material)
        }
        Way::Outcomes => SolverMemory::of_distances::<B>(rules, material, threads, 0),
        Way::Values => SolverMemory::of_distances::<B>(rules, material, threads, PLANES),
    };
    let is_counted = |class| {
        draw_rules
            .road
            .as_ref()
            .is_some_and(|road| road.holds(&pieces(class)))
    };
    let needed = dependencies(material)
        .into_iter()
        .map(|needed| needed.material);
    let sets = needed
        .chain([material])
        .filter(|&class| is_counted(class))
        .filter_map(|class| u64::try_from(placements::<B>(class)?).ok())
        .map(bytes_of_counted)
        .fold(0, u64::saturating_add);
    let solving = solving.with_bytes(sets);
    Some(match is_counted(material) {
        true => solving.with_counted::<B>(material, threads),
        false => solving,
    })
}

/// Solves a class in the current rayon pool; see [`SolvedBoard::solve_ruled`]. `None` if it is not one that
/// the engine [takes](takes).
// Unit tests solve nothing.
#[cfg_attr(test, allow(dead_code))]
pub(super) fn solve_ruled<I: Isa, B: SolvedBoard, const N: usize>(
    isa: I,
    task: &OutcomeTask<'_, B>,
    draw_rules: &DrawRules,
    road: u8,
    monitor: &dyn Monitor,
) -> Option<Result<Vec<SolvedSide>, GenerateError>> {
    let material = task.index.material();
    let (way, limit) = (way(draw_rules, material)?, limit(draw_rules, material)?);
    let task = OutcomeTask {
        // What lies there is of the class without drawing rules.
        checkpoints: None,
        ..*task
    };
    let ruling = Ruling {
        draw_rules: draw_rules.clone(),
        late: limit.late(),
        road,
    };
    let sought = Sought {
        ruling: Some(&ruling),
        limit,
        value: ruled_value,
    };
    Some(match way {
        Way::Men => solve::<I, B, N>(isa, &task, Some(&ruling), monitor).map(|solved| {
            let of_side = |side| one_ply_each(task.rules, task.index, side, ruled_value);
            solved.into_iter().map(of_side).collect()
        }),
        Way::Outcomes => distances::<I, B, N, 0>(isa, &task, &sought, monitor),
        Way::Values => distances::<I, B, N, PLANES>(isa, &task, &sought, monitor),
    })
}

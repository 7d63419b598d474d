//! What is counted while a class is solved.

use std::sync::atomic::{AtomicU64, Ordering};

use makhos_probe::SideStatistics;
use makhos_rules::Color;

use super::lookup::number;
use super::planes::ClassPlanes;
use crate::checkpoint::State;

/// Counts that all threads add to.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Capture positions with White and Black to move, of those that are stored.
    captures: [AtomicU64; 2],
    /// Stored positions that are solved.
    solved: AtomicU64,
}

impl Tally {
    /// Goes on from a saved state.
    pub(super) fn resume(&self, state: &State) {
        self.solved.store(state.solved, Ordering::Relaxed);
        for (count, &found) in self.captures.iter().zip(&state.captures) {
            count.store(found, Ordering::Relaxed);
        }
    }

    /// The state while no level is in work.
    pub(super) fn state(&self, levels_left: usize) -> State {
        State {
            levels_left: levels_left as u64,
            solved: self.solved.load(Ordering::Relaxed),
            captures: [0, 1].map(|side| self.captures[side].load(Ordering::Relaxed)),
        }
    }

    pub(super) fn add_solved(&self, positions: u64) {
        self.solved.fetch_add(positions, Ordering::Relaxed);
    }

    pub(super) fn add_captures(&self, side: Color, positions: u64) {
        self.captures[number(side.is_white())].fetch_add(positions, Ordering::Relaxed);
    }

    /// Capture positions of a stored side.
    pub(super) fn captures(&self, side: Color) -> u64 {
        self.captures[number(side.is_white())].load(Ordering::Relaxed)
    }

    /// The statistics of a stored side of so many positions, whose outcomes are complete.
    pub(super) fn statistics(
        &self,
        side: Color,
        positions: u64,
        planes: &ClassPlanes,
    ) -> SideStatistics {
        let (wins, losses) = planes.counts();
        SideStatistics {
            positions,
            wins,
            draws: positions - wins - losses,
            losses,
            captures: self.captures(side),
            longest_win: None,
            longest_loss: None,
        }
    }
}

//! Tables in the search.

use std::sync::Arc;

use makhos_probe::{Dtw, Tablebase, Wld};
use makhos_rules::rules::Color;
use makhos_rules::{Board, Move, Position};

/// The tables, and which classes there are.
#[derive(Debug)]
pub(super) struct Endgames<B> {
    tables: Arc<Tablebase<B>>,
    /// Whether there is a table of a class, by its numbers of men and kings.
    there: Vec<bool>,
}

/// What tables say about the moves of a position.
pub(super) enum Advice<B> {
    /// Play this move; the position has this value.
    Exact(Move<B>, Dtw),
    /// One of these moves keeps the value.
    Keep(Vec<Move<B>>, Wld),
}

impl<B: Board> Endgames<B> {
    pub(super) fn new(tables: Arc<Tablebase<B>>) -> Self {
        let counts = tables.max_pieces() as usize + 1;
        let mut all = Self {
            there: vec![false; counts.pow(4)],
            tables,
        };
        for (material, _) in all.tables.tables() {
            for class in [material, material.flip()] {
                let armies = [class.white, class.black];
                let at = all.slot(armies.map(|army| [army.men, army.kings].map(usize::from)));
                if let Some(there) = all.there.get_mut(at) {
                    *there = true;
                }
            }
        }
        all
    }

    pub(super) fn max_pieces(&self) -> u32 {
        self.tables.max_pieces()
    }

    fn slot(&self, counts: [[usize; 2]; 2]) -> usize {
        let base = self.tables.max_pieces() as usize + 1;
        counts
            .iter()
            .flatten()
            .fold(0, |slot, count| slot * base + count)
    }

    /// The value of a position with no more than [`max_pieces`](Self::max_pieces), if tables tell it.
    pub(super) fn probe(&self, position: &Position<B>) -> Option<Wld> {
        let sides = [Color::White, Color::Black];
        let counts = sides
            .map(|side| [position.men(side), position.kings(side)].map(|set| set.len() as usize));
        if !self.there[self.slot(counts)] {
            return None;
        }
        self.tables.probe_wld(position).ok()
    }

    /// What to play, if tables tell all that is needed.
    pub(super) fn advice(&self, position: &Position<B>) -> Option<Advice<B>> {
        if position.piece_count() > self.max_pieces() {
            return None;
        }
        if let Ok(values) = self.tables.move_values(position) {
            let best = values.first()?;
            if best.value != Dtw::Draw {
                return Some(Advice::Exact(best.mv, best.value));
            }
        }
        let values = self.tables.move_outcomes(position).ok()?;
        let best = values.first()?.value;
        let kept = values.iter().filter(|value| value.value == best);
        Some(Advice::Keep(kept.map(|value| value.mv).collect(), best))
    }
}

//! More ways to ask: the whole best line, and an outcome only if it costs little.

use makhos_index::{Material, normalize};
use makhos_rules::{Board, Position};

use crate::probe_error::ProbeError;
use crate::tablebase::{MoveValue, Tablebase};
use crate::value::{Dtw, Metric, Wld};

impl<B: Board> Tablebase<B> {
    /// The moves of best play from a decided position to the end, each the
    /// [best move](Self::best_move) with its value for the player who makes it. In a draw, which has no end,
    /// there are none; nor where the game is over.
    ///
    /// # Errors
    /// [`ProbeError`], which tells what is missing or damaged.
    pub fn line(&self, position: &Position<B>) -> Result<Vec<MoveValue<B, Dtw>>, ProbeError> {
        let mut line = Vec::new();
        let mut position = *position;
        while let Some(best) = self.best_move(&position)? {
            // Every move of a line brings the end a ply closer; a damaged table must not lead on for ever.
            let left = best.value.plies();
            let before = line
                .last()
                .and_then(|last: &MoveValue<B, Dtw>| last.value.plies());
            if left.is_none() || before.is_some_and(|before| left >= Some(before)) {
                break;
            }
            line.push(best);
            position = position.make(&best.mv);
        }
        Ok(line)
    }

    /// [`probe_wld`](Self::probe_wld) of many positions, in their order. They are looked up class by class and
    /// block by block, so that each part of a file is decoded once, however the positions are mixed.
    ///
    /// # Errors
    /// Each position has its own [`ProbeError`].
    #[must_use]
    pub fn probe_wld_batch(&self, positions: &[Position<B>]) -> Vec<Result<Wld, ProbeError>> {
        self.batch(positions, |position| self.probe_wld(position))
    }

    /// [`probe_dtw`](Self::probe_dtw) of many positions; see [`probe_wld_batch`](Self::probe_wld_batch).
    ///
    /// # Errors
    /// Each position has its own [`ProbeError`].
    #[must_use]
    pub fn probe_dtw_batch(&self, positions: &[Position<B>]) -> Vec<Result<Dtw, ProbeError>> {
        self.batch(positions, |position| self.probe_dtw(position))
    }

    fn batch<V>(
        &self,
        positions: &[Position<B>],
        probe: impl Fn(&Position<B>) -> Result<V, ProbeError>,
    ) -> Vec<Result<V, ProbeError>> {
        let mut order: Vec<_> = positions
            .iter()
            .enumerate()
            .map(|(number, position)| {
                let stored = normalize(position);
                let material = Material::of(&stored);
                let index = self.index(material).map_or(0, |index| index.index(&stored));
                (material, !stored.side().is_white(), index, number)
            })
            .collect();
        order.sort_unstable();
        let mut found: Vec<_> = positions.iter().map(|_| None).collect();
        for (.., number) in order {
            found[number] = Some(probe(&positions[number]));
        }
        found.into_iter().flatten().collect()
    }

    /// [`probe_wld`](Self::probe_wld) for searches, which have many positions to ask for: an answer only if a
    /// table of outcomes tells it at once, without searching captures or decoding a block. `None` otherwise, and
    /// also where a table is missing or damaged. From tables that are not compact there is never an answer.
    ///
    /// To have one the next time, ask [`probe_wld`](Self::probe_wld).
    #[must_use]
    pub fn conditional(&self, position: &Position<B>) -> Option<Wld> {
        let side = position.side();
        if position.pieces(side).is_empty() || position.pieces(side.opponent()).is_empty() {
            return None;
        }
        let stored = normalize(position);
        let material = Material::of(&stored);
        let index = self.index(material)?;
        if !self.has(material, Metric::Wld) || self.rules().has_capture(&stored) {
            return None;
        }
        let table = self.table(material, Metric::Wld).ok()?;
        table.kept_outcome(stored.side(), index.index(&stored))
    }
}

//! More ways to ask: the whole best line, and an outcome only if it costs little.

use makhos_rules::{Board, Position};

use crate::probe_error::ProbeError;
use crate::tablebase::{MoveValue, Tablebase};
use crate::value::{Dtw, Wld};

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

    /// [`probe_wld`](Self::probe_wld) for searches, which have many positions to ask for: an answer only if a
    /// table of outcomes tells it at once, without searching captures or decoding a block. `None` otherwise, and
    /// also where a table is missing or damaged. From tables that are not compact there is never an answer, nor for a
    /// side to move that is not stored.
    ///
    /// To have one the next time, ask [`probe_wld`](Self::probe_wld).
    #[must_use]
    pub fn conditional(&self, position: &Position<B>) -> Option<Wld> {
        self.quick(position).ok()
    }
}

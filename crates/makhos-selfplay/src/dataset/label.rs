//! Exact labels: what tables know of rows.

use std::path::PathBuf;

use makhos_probe::{Dtw, ProbeError, Tablebase, Wld};
use makhos_rules::{Board, Color, Position};
use rayon::prelude::*;
use thiserror::Error;

use super::columns::{Columns, LabelSource, sign};

/// Why rows were not labelled.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabelError {
    /// A table is damaged.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// What stands in a row is no position on this board.
    #[error("row {row} is no position: {reason}")]
    Position {
        /// The number of the row.
        row: usize,
        /// What is wrong.
        reason: String,
    },
    /// A row has another exact label than the tables.
    #[error(
        "row {row} says tb_wdl {found}, the tables say {expected}: the data set or the tables are damaged, or of \
         other rules"
    )]
    Contradiction {
        /// The number of the row.
        row: usize,
        /// What it says.
        found: i8,
        /// What the tables say.
        expected: i8,
    },
    /// Something is wrong in a file.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: Box<LabelError>,
    },
}

/// An outcome and, where tables hold distances, the value.
pub(super) type Known = (Wld, Option<Dtw>);

/// What tables know of a position; nothing if it lies outside them.
pub(super) fn known<B: Board>(
    tables: &Tablebase<B>,
    position: &Position<B>,
) -> Result<Option<Known>, ProbeError> {
    if position.piece_count() > tables.max_pieces() {
        return Ok(None);
    }
    if let Some(value) = if_inside(tables.probe_dtw(position))? {
        return Ok(Some((value.wld(), Some(value))));
    }
    let outcome = if_inside(tables.probe_wld(position))?;
    Ok(outcome.map(|outcome| (outcome, None)))
}

/// That a position lies outside the tables is no error.
fn if_inside<T>(probed: Result<T, ProbeError>) -> Result<Option<T>, ProbeError> {
    match probed {
        Ok(value) => Ok(Some(value)),
        Err(
            ProbeError::MissingTable { .. }
            | ProbeError::TooManyPieces { .. }
            | ProbeError::NoTables { .. },
        ) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Columns {
    /// The position of a row.
    ///
    /// # Errors
    /// [`LabelError::Position`].
    ///
    /// # Panics
    /// If there is no such row.
    pub fn position<B: Board>(&self, row: usize) -> Result<Position<B>, LabelError> {
        let wrong = |reason: String| LabelError::Position { row, reason };
        let sets = [0, 1, 2, 3].map(|kind| self.pieces[kind][row]);
        if sets.iter().any(|set| *set & !B::ALL.to_u128() != 0) {
            return Err(wrong("there are pieces beside the board".to_owned()));
        }
        let [white_men, black_men, white_kings, black_kings] = sets.map(B::from_u128);
        let side = match self.side[row] {
            0 => Color::White,
            1 => Color::Black,
            other => return Err(wrong(format!("stm is {other}"))),
        };
        Position::new(white_men, white_kings, black_men, black_kings, side)
            .map_err(|error| wrong(error.to_string()))
    }

    /// Looks every position up in the tables and writes what they know into `tb_wdl`, `tb_dtw` and `label_source`.
    /// Labels that there were are kept where the tables know nothing, or only the outcome. Returns how many rows
    /// have an exact label that had none. Works in the current rayon pool.
    ///
    /// # Errors
    /// [`LabelError`]; the rows are unchanged then.
    pub fn label<B: Board>(&mut self, tables: &Tablebase<B>) -> Result<u64, LabelError> {
        let found: Vec<Option<Known>> = (0..self.len())
            .into_par_iter()
            .map(|row| {
                let known = known(tables, &self.position(row)?)?;
                match (self.outcome[row], known) {
                    (Some(found), Some((outcome, _))) if found != sign(outcome) => {
                        Err(LabelError::Contradiction {
                            row,
                            found,
                            expected: sign(outcome),
                        })
                    }
                    _ => Ok(known),
                }
            })
            .collect::<Result<_, LabelError>>()?;
        let mut new = 0;
        for (row, known) in found.into_iter().enumerate() {
            let Some((outcome, value)) = known else {
                continue;
            };
            new += u64::from(self.outcome[row].is_none());
            self.outcome[row] = Some(sign(outcome));
            if let Some(value) = value {
                self.distance[row] = value.plies().map(|plies| plies.get());
            }
            self.source[row] = LabelSource::Tables as u8;
        }
        Ok(new)
    }
}

//! Rows from games.

use std::collections::HashSet;
use std::path::Path;

use makhos_probe::{ProbeError, Tablebase};
use makhos_rules::{Board, Color, Position, RuleSet};
use rayon::prelude::*;
use thiserror::Error;

use super::DatasetError;
use super::columns::{LabelSource, Row};
use super::label::known;
use super::writer::DatasetWriter;
use crate::games::{Ending, GameRecord, PlayedPosition, Shard, ShardError};

/// Where the number of the run begins in the number of a game. Runs have fewer games than 2^48.
const RUN_SHIFT: u32 = 48;

/// Why games were not exported.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A file of games cannot be read.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// The games are of another variant.
    #[error("{path}: games of {found} draughts, not {expected}")]
    OtherRules {
        /// The file.
        path: String,
        /// The rules asked for.
        expected: String,
        /// Those of the games.
        found: String,
    },
    /// A table is damaged.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The data set cannot be written.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

/// Which positions become rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filter {
    /// Also positions in which a random move of the opening was played.
    pub openings: bool,
    /// Also positions in which the side to move must capture.
    pub captures: bool,
    /// Also positions with a single legal move, which were not searched.
    pub forced: bool,
    /// Plies of a game before its first row.
    pub first_ply: u16,
    /// Every position once, those that are the same with colours turned round counting as one.
    pub fold: bool,
}

impl Default for Filter {
    /// Positions that an engine would evaluate: after the opening, quiet, with a choice; all occurrences.
    fn default() -> Self {
        Self {
            openings: false,
            captures: false,
            forced: false,
            first_ply: 0,
            fold: false,
        }
    }
}

/// What an export has written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exported {
    /// Games read.
    pub games: u64,
    /// Positions in them.
    pub positions: u64,
    /// Rows written.
    pub rows: u64,
    /// Rows left out because the position had come before.
    pub folded: u64,
}

/// Turns games into rows, labelled by tables.
#[derive(Debug)]
pub struct Exporter<'a, B> {
    rules: RuleSet,
    tables: Option<&'a Tablebase<B>>,
    filter: Filter,
    seen: HashSet<Position<B>>,
    exported: Exported,
}

impl<'a, B: Board> Exporter<'a, B> {
    /// An exporter of games under `rules`; positions that `tables` know get exact labels.
    #[must_use]
    pub fn new(rules: RuleSet, tables: Option<&'a Tablebase<B>>, filter: Filter) -> Self {
        Self {
            rules,
            tables,
            filter,
            seen: HashSet::new(),
            exported: Exported::default(),
        }
    }

    /// What was written so far.
    #[must_use]
    pub fn exported(&self) -> Exported {
        self.exported
    }

    /// The rows of a file of games of a run, in order. Runs are told apart by their number, which becomes a part of
    /// [`Row::game`]: several runs have games with the same numbers. Works in the current rayon pool.
    ///
    /// # Errors
    /// [`ExportError`].
    pub fn rows(&mut self, run: u16, path: &Path) -> Result<Vec<Row<B>>, ExportError> {
        let shard = Shard::open(path)?;
        let found = shard.rule_set()?;
        if found.move_rules_bytes() != self.rules.move_rules_bytes() {
            return Err(ExportError::OtherRules {
                path: path.display().to_string(),
                expected: self.rules.name.to_owned(),
                found: shard.header().run.variant.clone(),
            });
        }
        let games = shard.games::<B>()?;
        let rows: Vec<Vec<Row<B>>> = games
            .par_iter()
            .map(|game| self.of_game(game))
            .collect::<Result<_, ExportError>>()?;
        self.exported.games += games.len() as u64;
        self.exported.positions += games
            .iter()
            .map(|game| game.parts().plies.len() as u64)
            .sum::<u64>();
        let mut kept = Vec::new();
        for mut row in rows.into_iter().flatten() {
            row.game |= u64::from(run) << RUN_SHIFT;
            if self.filter.fold && !self.seen.insert(folded(&row.position)) {
                self.exported.folded += 1;
                continue;
            }
            kept.push(row);
        }
        self.exported.rows += kept.len() as u64;
        Ok(kept)
    }

    /// Writes the rows of a file of games of a run.
    ///
    /// # Errors
    /// [`ExportError`].
    pub fn write(
        &mut self,
        run: u16,
        path: &Path,
        writer: &mut DatasetWriter,
    ) -> Result<(), ExportError> {
        for row in self.rows(run, path)? {
            writer.push(&row)?;
        }
        Ok(())
    }

    fn of_game(&self, game: &GameRecord<B>) -> Result<Vec<Row<B>>, ExportError> {
        let source = match game.ending() {
            Ending::Tables => LabelSource::Adjudicated,
            Ending::NoMove | Ending::Drawn(_) | Ending::PlyLimit => LabelSource::Game,
        };
        let mut rows = Vec::new();
        for played in game.positions().filter(|played| self.takes(played)) {
            let position = played.position;
            let mut row = Row {
                game: game.number(),
                ply: u16::try_from(played.ply).unwrap_or(u16::MAX),
                position,
                mv: Some(played.mv),
                score: played.score,
                result: Some(game.result().seen_by(position.side())),
                source,
                outcome: None,
                distance: None,
            };
            self.label(&mut row)?;
            rows.push(row);
        }
        if game.ending() == Ending::Tables {
            rows.extend(self.last_row(game, source)?);
        }
        Ok(rows)
    }

    /// The position in which the tables decided the game. No move was played there.
    fn last_row(
        &self,
        game: &GameRecord<B>,
        source: LabelSource,
    ) -> Result<Option<Row<B>>, ExportError> {
        let position = game.last_position();
        let plies = game.parts().plies.len();
        let taken = (self.filter.captures || !self.rules.has_capture(&position))
            && plies >= usize::from(self.filter.first_ply);
        if !taken {
            return Ok(None);
        }
        let mut row = Row {
            game: game.number(),
            ply: u16::try_from(plies).unwrap_or(u16::MAX),
            position,
            mv: None,
            score: None,
            result: Some(game.result().seen_by(position.side())),
            source,
            outcome: None,
            distance: None,
        };
        self.label(&mut row)?;
        Ok(Some(row))
    }

    fn takes(&self, played: &PlayedPosition<B>) -> bool {
        let filter = &self.filter;
        (filter.openings || !played.is_opening)
            && (filter.captures || !played.mv.is_capture())
            && (filter.forced || played.choices > 1)
            && played.ply >= usize::from(filter.first_ply)
    }

    /// Adds what the tables know.
    fn label(&self, row: &mut Row<B>) -> Result<(), ExportError> {
        let Some(tables) = self.tables else {
            return Ok(());
        };
        if let Some((outcome, value)) = known(tables, &row.position)? {
            row.outcome = Some(outcome);
            row.distance = value;
            row.source = LabelSource::Tables;
        }
        Ok(())
    }
}

/// The position with White to move.
fn folded<B: Board>(position: &Position<B>) -> Position<B> {
    match position.side() {
        Color::White => *position,
        Color::Black => position.flip(),
    }
}

//! The table files of a finished class, as the planes that the solver reads.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use makhos_index::Material;
use makhos_probe::{Access, DtzSpec, Metric, Outcomes, PackedDtw, Plies, Table, dtz_path};
use makhos_rules::draw::DrawRules;
use makhos_rules::{Board, Color, RuleSet};

use super::road::Counted;
use crate::engine::distance::LONGEST;
use crate::engine::planes::{Packed, pairs_of_planes};
use crate::error::GenerateError;
use crate::reference::SolveError;
use crate::work::open_complete;

/// Where the values of a class come from.
#[derive(Debug)]
pub(super) struct Source<B> {
    /// A table without drawing rules, or with so many plies counted on the main road as who comes there has.
    table: Table,
    /// The positions that are counted there, if there are any.
    counted: Option<Counted<B>>,
}

/// Where tables under drawing rules are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Game<'a> {
    /// The directory of all tables.
    pub(super) dir: &'a Path,
    pub(super) rules: &'a RuleSet,
    pub(super) draw_rules: &'a DrawRules,
}

impl Game<'_> {
    /// The table of a class with so many plies counted on the main road.
    ///
    /// # Errors
    /// [`GenerateError::Table`].
    pub(super) fn open(&self, material: Material, road: u8) -> Result<Table, GenerateError> {
        let spec = DtzSpec {
            rules: self.rules,
            draw_rules: self.draw_rules,
            material,
            road,
        };
        let table = Table::open(&dtz_path(self.dir, &spec), Access::Map)?;
        table.expect_dtz(&spec)?;
        Ok(table)
    }
}

impl<B: Board> Source<B> {
    /// The table of a class without drawing rules, below the directory of all tables.
    ///
    /// # Errors
    /// [`GenerateError::Table`] or [`GenerateError::NoCaptureValues`].
    pub(super) fn plain(
        dir: &Path,
        rules: &RuleSet,
        material: Material,
        metric: Metric,
    ) -> Result<Self, GenerateError> {
        // Mapped, the checksum of a block is computed once and not whenever it is decoded again.
        let table = open_complete(dir, rules, material, metric, Access::Map)?;
        Ok(Self {
            table,
            counted: None,
        })
    }

    /// The tables of a class under drawing rules, for who has `road` plies counted on the main road before.
    ///
    /// # Errors
    /// [`GenerateError::Table`]; [`GenerateError::Class`].
    pub(super) fn ruled(
        game: &Game<'_>,
        material: Material,
        road: u8,
    ) -> Result<Self, GenerateError> {
        Ok(Self {
            table: game.open(material, road)?,
            counted: Counted::open(game, material, road)?,
        })
    }

    /// Positions with one side to move.
    pub(super) fn positions(&self) -> u64 {
        self.table.positions()
    }

    /// So many pairs of planes of these positions: their outcomes, then their plies.
    ///
    /// # Errors
    /// [`GenerateError::Table`]; [`SolveError::TooLong`] if a distance does not fit the planes.
    pub(super) fn decode(
        &self,
        side: Color,
        positions: Range<u64>,
        pairs: usize,
    ) -> Result<Arc<[Packed]>, GenerateError> {
        match (self.table.metric(), pairs) {
            (Metric::Dtz, _) => {
                let values = self.values(side, positions)?;
                Ok(pairs_of_planes(&values, pairs, needed_plies).into())
            }
            (_, 1) => outcomes(&self.table, side, positions),
            _ => {
                let values = self.values(side, positions)?;
                let longest = values.iter().copied().map(end_plies).max();
                if longest > Some(LONGEST) {
                    return Err(SolveError::TooLong {
                        material: self.table.material(),
                        most: Plies::new(LONGEST),
                    }
                    .into());
                }
                Ok(pairs_of_planes(&values, pairs, end_plies).into())
            }
        }
    }

    /// The values of positions, for who comes there.
    fn values(&self, side: Color, positions: Range<u64>) -> Result<Vec<PackedDtw>, GenerateError> {
        let mut values = Vec::new();
        self.table
            .read_values(side, positions.clone(), &mut values)?;
        if let Some(counted) = &self.counted {
            let counted = counted.values(side, positions)?;
            for (value, counted) in values.iter_mut().zip(counted) {
                *value = counted.unwrap_or(*value);
            }
        }
        Ok(values)
    }
}

fn outcomes(
    table: &Table,
    side: Color,
    positions: Range<u64>,
) -> Result<Arc<[Packed]>, GenerateError> {
    let mut outcomes = Outcomes::default();
    table.read_outcomes(side, positions, &mut outcomes)?;
    Ok(Arc::new([Packed {
        win: outcomes.win().to_vec(),
        loss: outcomes.loss().to_vec(),
        len: outcomes.len(),
    }]))
}

/// The plies of a packed distance to the end; anything for a draw.
#[inline]
fn end_plies(value: PackedDtw) -> u16 {
    value.bits().saturating_sub(1)
}

/// The plies that a packed value under drawing rules needs, at most one more than the planes are
/// [used](LONGEST) for: where so many decide anything, they are too many. Anything for a draw.
#[inline]
pub(super) fn needed_plies(value: PackedDtw) -> u16 {
    (value.bits() / 2).min(LONGEST + 1)
}

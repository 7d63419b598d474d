//! Drawing rules, as far as finished positions show them.

use std::ops::Range;
use std::path::Path;

use makhos_index::Material;
use makhos_rules::{Board, Color, RuleSet};

use super::Subs;
use super::road::{Counted, CountedPlanes};
use super::source::{Game, Source, needed_plies};
use crate::engine::passage::{Passage, Ruling};
use crate::engine::segment::{Form, Segments};
use crate::error::GenerateError;

/// Drawing rules, and what they say of the class in work.
pub(super) struct Ruled<B> {
    ruling: Ruling,
    /// What moves that stay in the class make of plies.
    inside: Passage,
    /// Its positions that are counted on the main road.
    counted: Option<Counted<B>>,
}

impl<B: Board> Ruled<B> {
    /// The tables of a smaller class.
    ///
    /// # Errors
    /// Those of [`Source::ruled`].
    pub(super) fn source(
        &self,
        dir: &Path,
        rules: &RuleSet,
        material: Material,
    ) -> Result<Source<B>, GenerateError> {
        let game = Game {
            dir,
            rules,
            draw_rules: &self.ruling.draw_rules,
        };
        Source::ruled(&game, material, self.ruling.counted_in(material))
    }
}

impl<B: Board> Subs<B> {
    /// The same under drawing rules, with the tables of [`Metric::Dtz`](makhos_probe::Metric::Dtz) of these.
    /// Positions have the plies that they need for who comes there by a move.
    ///
    /// # Errors
    /// [`GenerateError::Table`] if the table with one ply more on the main road is needed and not there.
    pub(crate) fn under(mut self, ruling: &Ruling) -> Result<Self, GenerateError> {
        let own = self.own.material();
        let game = Game {
            dir: &self.dir,
            rules: &self.rules,
            draw_rules: &ruling.draw_rules,
        };
        let counted = Counted::open(&game, own, ruling.road)?;
        self.ruled = Some(Ruled {
            ruling: ruling.clone(),
            // Whose move it is does not matter.
            inside: Passage::of(&ruling.draw_rules, own, own, Color::White),
            counted,
        });
        Ok(self)
    }

    /// Whether positions of the class in work are counted on the main road.
    pub(crate) fn has_counted(&self) -> bool {
        self.ruled
            .as_ref()
            .is_some_and(|ruled| ruled.counted.is_some())
    }

    /// Those of these positions that are, as they are for who comes there, in so many pairs of planes; `None`
    /// if there are none.
    ///
    /// # Errors
    /// [`GenerateError::Table`].
    pub(crate) fn counted(
        &self,
        side: Color,
        positions: Range<u64>,
        pairs: usize,
    ) -> Result<Option<CountedPlanes>, GenerateError> {
        let counted = self.ruled.as_ref().and_then(|ruled| ruled.counted.as_ref());
        match counted {
            Some(counted) => counted.planes(side, positions, pairs, needed_plies),
            None => Ok(None),
        }
    }

    /// Changes the dense form of a configuration of the class in work into what it is for who comes there by a
    /// move.
    pub(super) fn come_inside(&self, dense: &mut [B], rows: usize) {
        if let (Some(ruled), 2..) = (&self.ruled, self.pairs) {
            ruled.inside.change(dense, rows, ruled.ruling.late);
        }
    }

    /// The same for those of a segment of a smaller class, each with so many elements.
    pub(super) fn come_into(
        &self,
        segments: &Segments<B>,
        form: Form,
        dense: &mut [B],
        len: usize,
        rows: usize,
    ) {
        let (Some(ruled), 2.., 1..) = (&self.ruled, self.pairs, len) else {
            return;
        };
        let (stored, side) = (segments.material(), form.stored_side);
        let (after, mover) = match form.flipped {
            true => (stored.flip(), side),
            false => (stored, side.opponent()),
        };
        let Ruling {
            draw_rules, late, ..
        } = &ruled.ruling;
        let passage = Passage::of(draw_rules, self.own.material(), after, mover);
        for configuration in dense.chunks_exact_mut(len) {
            passage.change(configuration, rows, *late);
        }
    }
}

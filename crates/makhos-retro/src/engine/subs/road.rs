//! The main road: what is known of positions that are counted there.
//!
//! Who comes to such a position finds one ply more counted than before. So its value is that of the table
//! with one more, or a draw if no more may be counted.

use std::ops::Range;

use makhos_index::{Material, PlacementIndex};
use makhos_probe::{Dtz, PackedDtw, Plies, Table, road_tables};
use makhos_rules::draw::main_road;
use makhos_rules::{Board, Color, Position, RuleSet};

use super::source::Game;
use crate::engine::planes::{Packed, pairs_of_planes};
use crate::engine::ranks::subsets;
use crate::error::GenerateError;
use crate::ruled::pieces;

/// The positions of one class that are counted on the main road.
#[derive(Debug)]
pub(super) struct Counted<B> {
    rules: RuleSet,
    index: PlacementIndex<B>,
    /// Which they are, a bit for each placement: the first is the lowest of the first word.
    which: Vec<u64>,
    /// With as many plies counted as there are then; `None` if so many draw the game.
    table: Option<Table>,
}

/// The counted ones of some positions, as planes in stored order.
pub(crate) struct CountedPlanes {
    /// Which they are: the wins.
    pub(crate) which: Packed,
    /// Their outcomes and plies; the others are draws.
    pub(crate) pairs: Vec<Packed>,
}

impl<B: Board> Counted<B> {
    /// Those of a class, for who has `road` plies counted before; `None` if it is not the material of the
    /// rule.
    ///
    /// # Errors
    /// [`GenerateError::Table`]; [`GenerateError::Class`].
    pub(super) fn open(
        game: &Game<'_>,
        material: Material,
        road: u8,
    ) -> Result<Option<Self>, GenerateError> {
        let rule = game.draw_rules.road.as_ref();
        if !rule.is_some_and(|rule| rule.holds(&pieces(material))) {
            return Ok(None);
        }
        let index = PlacementIndex::new(material)
            .map_err(|source| GenerateError::Class { material, source })?;
        let table = match road + 1 < road_tables(game.draw_rules, material) {
            true => Some(game.open(material, road + 1)?),
            false => None,
        };
        Ok(Some(Self {
            rules: *game.rules,
            which: counted_placements(&index),
            index,
            table,
        }))
    }

    /// The values of these positions with `side` to move, as far as they are counted.
    ///
    /// # Errors
    /// [`GenerateError::Table`].
    pub(super) fn values(
        &self,
        side: Color,
        positions: Range<u64>,
    ) -> Result<Vec<Option<PackedDtw>>, GenerateError> {
        let mut known = Vec::new();
        if let Some(table) = &self.table {
            table.read_values(side, positions.clone(), &mut known)?;
        }
        let start = positions.start;
        let values = positions.map(|at| {
            if self.which[(at / 64) as usize] >> (at % 64) & 1 == 0 {
                return None;
            }
            if let Some(&value) = known.get((at - start) as usize) {
                return Some(value);
            }
            // A game that is over is not drawn any more.
            let position = self.index.position(at, side);
            let stuck = self.rules.legal_moves(&position).is_empty();
            Some(match stuck {
                true => Dtz::Loss(Plies::ZERO).pack(),
                false => PackedDtw::DRAW,
            })
        });
        Ok(values.collect())
    }

    /// The same as so many pairs of planes; `plies` unpacks a value's. `None` if no position is counted.
    ///
    /// # Errors
    /// [`GenerateError::Table`].
    pub(super) fn planes(
        &self,
        side: Color,
        positions: Range<u64>,
        pairs: usize,
        plies: fn(PackedDtw) -> u16,
    ) -> Result<Option<CountedPlanes>, GenerateError> {
        let found = self.values(side, positions)?;
        if found.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut which = Packed::default();
        for value in &found {
            which.push(value.is_some().into(), 0, 1);
        }
        let values: Vec<PackedDtw> = found
            .into_iter()
            .map(|value| value.unwrap_or(PackedDtw::DRAW))
            .collect();
        let pairs = pairs_of_planes(&values, pairs, plies);
        Ok(Some(CountedPlanes { which, pairs }))
    }
}

/// Bytes of the set of placements of a class that are counted, `placements` being all.
pub(crate) const fn bytes_of_counted(placements: u64) -> u64 {
    placements / 8
}

/// The placements of a class of the rule's material that are counted, as a set of bits: the lone king is on the
/// main road and nothing else is. To go through these is ten times less than to look at all placements.
fn counted_placements<B: Board>(index: &PlacementIndex<B>) -> Vec<u64> {
    let (road, material) = (main_road::<B>(), index.material());
    let mut which = vec![0; index.len().div_ceil(64) as usize];
    for lone in [Color::White, Color::Black] {
        let army = material.army(lone);
        if army.men > 0 || army.kings != 1 {
            continue;
        }
        let others = material.army(lone.opponent()).kings.into();
        for configuration in 0..index.outer() {
            let (white, black) = index.men(configuration);
            let men = white | black;
            if !(men & road).is_empty() {
                continue;
            }
            let kings = subsets(B::ALL & !(men | road), others);
            let placements = kings.flat_map(|kings| road.squares().map(move |at| (kings, at)));
            for (kings, square) in placements {
                let [white_kings, black_kings] = match lone {
                    Color::White => [B::bit(square), kings],
                    Color::Black => [kings, B::bit(square)],
                };
                let position = Position::new(white, white_kings, black, black_kings, Color::White);
                let at = index.index(&position.expect("every piece on a square of its own"));
                which[(at / 64) as usize] |= 1 << (at % 64);
            }
        }
    }
    which
}

impl CountedPlanes {
    /// Puts them in the place of what `planes` say of these positions.
    pub(super) fn put_into(&self, planes: &mut [Packed]) {
        for (planes, new) in planes.iter_mut().zip(&self.pairs) {
            for (at, &which) in self.which.win.iter().enumerate() {
                planes.win[at] = (planes.win[at] & !which) | new.win[at];
                planes.loss[at] = (planes.loss[at] & !which) | new.loss[at];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use makhos_rules::draw::Road;
    use makhos_rules::draw::official;
    use makhos_rules::variant;

    fn compare<B: Board>(road: &Road, class: &str) {
        let index = PlacementIndex::<B>::new(class.parse().expect("a class")).expect("small");
        let which = counted_placements(&index);
        let mut count = 0;
        for at in 0..index.len() {
            let counts = road.counts(&index.position(at, Color::White));
            assert_eq!(
                which[(at / 64) as usize] >> (at % 64) & 1 == 1,
                counts,
                "{class} {at}"
            );
            count += u64::from(counts);
        }
        assert!(count > 0 && count < index.len() / 5, "{class}: {count}");
    }

    #[test]
    fn counted_placements_are_those_of_the_rule() {
        let mut road = official::of(&variant::RUSSIAN).road.expect("a rule");
        for class in ["3k-1k", "1m2k-1k", "2m1k-1k"] {
            compare::<u32>(&road, class);
        }
        road.pieces = 2;
        compare::<u64>(&road, "1m1k-1k");
        road.pieces = 1;
        let index = PlacementIndex::<u32>::new("1k-1k".parse().expect("a class")).expect("small");
        let which = counted_placements(&index);
        for at in 0..index.len() {
            let counts = road.counts(&index.position(at, Color::White));
            assert_eq!(
                which[(at / 64) as usize] >> (at % 64) & 1 == 1,
                counts,
                "{at}"
            );
        }
    }
}

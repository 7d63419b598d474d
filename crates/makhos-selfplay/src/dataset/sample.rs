//! Positions straight from the tables, with exact labels.

use makhos_index::{Material, PlacementIndex, stored_sides};
use makhos_probe::{ProbeError, Tablebase};
use makhos_rules::{Board, Position};
use thiserror::Error;

use super::columns::{LabelSource, Row};
use crate::random::Dice;

/// Why there is no sample.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SampleError {
    /// A table is missing or damaged.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// There are no classes to sample.
    #[error("there is no table to sample positions from")]
    NoClasses,
}

/// Which positions are chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The classes, in either orientation.
    pub classes: Vec<Material>,
    /// Whether each class is as likely as the others; otherwise each position is.
    pub by_class: bool,
    /// Chooses the sample.
    pub seed: u64,
}

/// Draws positions from classes of which there are tables, with repetitions.
#[derive(Debug)]
pub struct Sampler<'a, B> {
    tables: &'a Tablebase<B>,
    indices: Vec<PlacementIndex<B>>,
    by_class: bool,
    seed: u64,
}

impl<'a, B: Board> Sampler<'a, B> {
    /// A sampler of the classes asked for.
    ///
    /// # Errors
    /// [`SampleError::NoClasses`] if none of them fits the board.
    pub fn new(tables: &'a Tablebase<B>, sample: &Sample) -> Result<Self, SampleError> {
        let classes = sample.classes.iter();
        let indices = classes.filter_map(|class| PlacementIndex::new(class.canonical()).ok());
        let indices: Vec<PlacementIndex<B>> = indices.filter(|index| index.len() > 0).collect();
        if indices.is_empty() {
            return Err(SampleError::NoClasses);
        }
        Ok(Self {
            tables,
            indices,
            by_class: sample.by_class,
            seed: sample.seed,
        })
    }

    /// The row with this number: the same for the same sample, whatever other rows are asked for. Colours
    /// are flipped in half of the rows.
    ///
    /// # Errors
    /// [`SampleError::Probe`].
    pub fn row(&self, number: u64) -> Result<Row<B>, SampleError> {
        let position = self.position(number);
        let distance = match self.tables.probe_dtw(&position) {
            Ok(value) => Some(value),
            Err(ProbeError::MissingTable { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let outcome = match distance {
            Some(value) => value.wld(),
            None => self.tables.probe_wld(&position)?,
        };
        Ok(Row {
            game: number,
            ply: 0,
            position,
            mv: None,
            score: None,
            result: None,
            source: LabelSource::Tables,
            outcome: Some(outcome),
            distance,
        })
    }

    /// The position of the row with this number.
    #[must_use]
    pub fn position(&self, number: u64) -> Position<B> {
        let dice = &mut Dice::of_game(self.seed, number);
        let (index, at) = if self.by_class {
            let index = &self.indices[dice.index(self.indices.len())];
            (index, below(dice, stored(index)))
        } else {
            let all = self.indices.iter().map(stored).sum();
            let mut at = below(dice, all);
            let mut index = &self.indices[0];
            for here in &self.indices {
                index = here;
                if at < stored(here) {
                    break;
                }
                at -= stored(here);
            }
            (index, at)
        };
        let side = stored_sides(index.material())[(at / index.len()) as usize];
        let position = index.position(at % index.len(), side);
        if dice.below(2) == 1 {
            position.flip()
        } else {
            position
        }
    }
}

/// Positions of a class.
fn stored<B: Board>(index: &PlacementIndex<B>) -> u64 {
    index.len() * stored_sides(index.material()).len() as u64
}

/// A number below `bound`, as good as uniform for bounds far below 2^64.
fn below(dice: &mut Dice, bound: u64) -> u64 {
    ((u128::from(dice.next_u64()) * u128::from(bound)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use makhos_rules::{Color, variant};

    use super::*;

    #[test]
    fn every_class_comes_as_often_as_asked() {
        let dir = tempfile::tempdir().expect("a directory");
        let tables = Tablebase::<u32>::open(variant::ENGLISH, dir.path()).expect("no tables");
        for by_class in [false, true] {
            let sample = Sample {
                classes: ["1k-1k", "1m-1m"]
                    .map(|name| name.parse().expect("a class"))
                    .to_vec(),
                by_class,
                seed: 5,
            };
            let sampler = Sampler::new(&tables, &sample).expect("two classes");
            let (mut kings, mut black) = (0_u32, 0_u32);
            for number in 0..4000 {
                let position = sampler.position(number);
                kings += u32::from(position.men(Color::White).is_empty());
                black += u32::from(position.side() == Color::Black);
            }
            // 992 positions of two kings, 760 of two men.
            let expected = if by_class {
                2000
            } else {
                4000 * 992 / (992 + 760)
            };
            assert!(kings.abs_diff(expected) < 200, "{kings}");
            assert!(black.abs_diff(2000) < 200, "{black}");
            // There is no table to tell what such a position is worth.
            let quiet = |number: &u64| !variant::ENGLISH.has_capture(&sampler.position(*number));
            let number = (0..).find(quiet).expect("a quiet position");
            let row = sampler.row(number);
            assert!(matches!(row, Err(SampleError::Probe(_))));
        }
        let nothing = Sample {
            classes: Vec::new(),
            by_class: false,
            seed: 0,
        };
        assert!(matches!(
            Sampler::new(&tables, &nothing),
            Err(SampleError::NoClasses)
        ));
    }
}

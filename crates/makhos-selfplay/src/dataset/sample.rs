//! Positions straight from the tables, with exact labels.

use makhos_index::{Material, PlacementIndex, stored_sides};
use makhos_probe::{ProbeError, Tablebase};
use makhos_rules::{Board, Position};
use thiserror::Error;

use super::columns::{LabelSource, Row};

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
        let mut random = mixed(self.seed ^ mixed(number));
        let position = self.position(&mut || {
            random = random.wrapping_add(0x9E37_79B9_7F4A_7C15);
            mixed(random)
        });
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

    fn position(&self, next: &mut impl FnMut() -> u64) -> Position<B> {
        let (index, at) = if self.by_class {
            let index = &self.indices[below(next(), self.indices.len() as u64) as usize];
            (index, below(next(), stored(index)))
        } else {
            let all = self.indices.iter().map(stored).sum();
            let mut at = below(next(), all);
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
        if next() & 1 == 1 {
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
fn below(random: u64, bound: u64) -> u64 {
    ((u128::from(random) * u128::from(bound)) >> 64) as u64
}

/// The finishing step of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// OOPSLA 2014).
pub(super) fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use makhos_rules::{Color, variant};

    use super::*;

    #[test]
    fn numbers_stay_below_their_bound() {
        let numbers: Vec<u64> = (0..1000).map(|n| below(mixed(n), 7)).collect();
        assert!((0..7).all(|n| numbers.contains(&n)));
        assert!(numbers.iter().all(|&n| n < 7));
    }

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
            let mut seed = 0;
            let (mut kings, mut black) = (0_u32, 0_u32);
            for _ in 0..4000 {
                let position = sampler.position(&mut || {
                    seed += 1;
                    mixed(seed)
                });
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
            assert!(matches!(sampler.row(0), Err(SampleError::Probe(_))));
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

//! What is learnt from, and how it is divided.

use makhos_rules::Position;

use super::error::{TrainError, check};
use crate::random::scrambled;

/// A position and what came of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Example<B> {
    /// The position; of use where nothing can be captured, since nothing else is ever evaluated.
    pub position: Position<B>,
    /// The expected score of the side to move: 1 for a win, 0.5 for a draw, 0 for a loss, or between.
    pub target: f32,
    /// How much it counts; 1 is usual.
    pub weight: f32,
    /// The game it comes from. Positions of one game are alike, so they stay together.
    pub game: u64,
}

impl<B> Example<B> {
    /// Whether all targets and weights make sense.
    pub(super) fn check_all(examples: &[Self]) -> Result<(), TrainError> {
        for (index, example) in examples.iter().enumerate() {
            let (target, weight) = (example.target, example.weight);
            if !(0.0..=1.0).contains(&target) || !(0.0..=f32::MAX).contains(&weight) {
                return Err(TrainError::Example {
                    index,
                    target,
                    weight,
                });
            }
        }
        Ok(())
    }
}

/// What an example is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Weights are fitted to it.
    Train,
    /// It tells how good weights are that have not seen it.
    Validation,
}

/// Divides examples by their games: no game is in both parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    /// Hashes below are for validation.
    below: u64,
    seed: u64,
}

impl Split {
    /// So large a share of the games is for validation. Which ones follows from the seed and the number of a
    /// game alone, so that a game stays where it is when others are added.
    ///
    /// # Errors
    /// [`TrainError::Setting`] if the share is not between 0 and 1.
    pub fn new(validation: f64, seed: u64) -> Result<Self, TrainError> {
        let right = validation > 0.0 && validation < 1.0;
        check(
            right,
            "the share for validation",
            validation,
            "between 0 and 1",
        )?;
        Ok(Self {
            // 2^64 as a float; the product is below it.
            below: (validation * 18_446_744_073_709_551_616.0) as u64,
            seed,
        })
    }

    /// The part that a game belongs to.
    #[must_use]
    pub fn part(&self, game: u64) -> Part {
        if scrambled(scrambled(game) ^ self.seed) < self.below {
            Part::Validation
        } else {
            Part::Train
        }
    }

    /// The examples to train on and those for validation, each in the order they had.
    #[must_use]
    pub fn divide<B>(
        &self,
        examples: impl IntoIterator<Item = Example<B>>,
    ) -> (Vec<Example<B>>, Vec<Example<B>>) {
        examples
            .into_iter()
            .partition(|example| self.part(example.game) == Part::Train)
    }
}

#[cfg(test)]
mod tests {
    use makhos_rules::variant::RUSSIAN;

    use super::*;

    #[test]
    fn games_stay_together_and_shares_are_right() {
        let example = |number: u64| Example {
            position: Position::<u32>::start(&RUSSIAN),
            target: 0.5,
            weight: 1.0,
            game: number / 10,
        };
        let split = Split::new(0.1, 7).expect("a split");
        let (train, validation) = split.divide((0..100_000).map(example));
        assert_eq!(train.len() + validation.len(), 100_000);
        assert!(
            (9_000..11_000).contains(&validation.len()),
            "{}",
            validation.len()
        );
        let games = |part: &[Example<u32>]| {
            let games = part.iter().map(|example| example.game);
            games.collect::<std::collections::BTreeSet<u64>>()
        };
        assert!(games(&train).is_disjoint(&games(&validation)));
        let other = Split::new(0.1, 8).expect("a split");
        assert!((0..1_000).any(|game| other.part(game) != split.part(game)));
        for bad in [0.0, 1.0, -0.1, f64::NAN] {
            assert!(Split::new(bad, 0).is_err());
        }
    }
}

//! Why nothing can be trained.

use thiserror::Error;

use crate::eval::WeightsError;

/// Why training cannot begin or go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrainError {
    /// There is nothing to learn from, or nothing to check it with.
    #[error("there are no {part} examples; more games are needed, or another share for validation")]
    Empty {
        /// Which of the two parts.
        part: &'static str,
    },
    /// There are more examples than can be numbered.
    #[error("{found} examples are too many; at most {most} can be trained on at once")]
    TooMany {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// An example makes no sense.
    #[error(
        "example {index} has the target {target} and the weight {weight}; a target is within 0 and 1, a \
             weight is not negative"
    )]
    Example {
        /// Its number.
        index: usize,
        /// Its target.
        target: f32,
        /// Its weight.
        weight: f32,
    },
    /// All examples have the weight 0.
    #[error("the weights of all {part} examples are 0")]
    Weightless {
        /// Which of the two parts.
        part: &'static str,
    },
    /// A setting makes no sense.
    #[error("{name} is {value}, but must be {must}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// What it is.
        value: f64,
        /// What it should be.
        must: &'static str,
    },
    /// Weights to begin with do not fit, or are not finite.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// Numbers have run out of range.
    #[error("the loss is no number any more in epoch {epoch}; a smaller rate may help")]
    Diverged {
        /// When.
        epoch: u32,
    },
}

/// The error if a setting is not what it must be.
pub(super) fn check(
    right: bool,
    name: &'static str,
    value: f64,
    must: &'static str,
) -> Result<(), TrainError> {
    if right {
        Ok(())
    } else {
        Err(TrainError::Setting { name, value, must })
    }
}

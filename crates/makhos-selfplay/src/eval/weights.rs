//! The weights of an evaluation by patterns.

use std::io;
use std::path::PathBuf;

use makhos_probe::variant_directory;
use makhos_rules::rules::KingRange;
use makhos_rules::{Board, RuleSet};
use thiserror::Error;

use super::features::{Features, Phase, Scalar};
use super::tensors;

/// The version of the files that are written, and the only one that is read.
pub const FORMAT_VERSION: u32 = 1;

/// Why weights cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// What a file holds cannot be used.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: Box<WeightsError>,
    },
    /// The bytes are no safetensors file.
    #[error("this is no safetensors file: {0}")]
    NotSafetensors(#[from] safetensors::SafeTensorError),
    /// The file says of itself something else than expected, or nothing.
    #[error("these are other weights: {key} is {found}, expected {expected}")]
    Metadata {
        /// What is said.
        key: &'static str,
        /// What was found.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// A tensor is missing or has another shape.
    #[error("the tensor \"{name}\" is missing, or is not of f32 in the shape {expected:?}")]
    Tensor {
        /// Its name.
        name: String,
        /// The shape it should have.
        expected: Vec<usize>,
    },
    /// A weight is not a number, or infinite.
    #[error("weight {index} is not a finite number")]
    NotFinite {
        /// The number of the weight.
        index: usize,
    },
    /// The weights have been changed since they were saved.
    #[error("the weights do not have the hash that the file states: it is damaged")]
    Hash,
    /// There are too few or too many of them.
    #[error("there are {found} weights where {expected} are needed")]
    Length {
        /// How many there are.
        found: usize,
        /// How many are needed.
        expected: usize,
    },
}

/// Weights as they are trained, in men: 1.0 is worth a man.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    pub(super) variant: String,
    pub(super) squares: u32,
    /// How many times training has been applied to play with the weights before; 0 for material only.
    pub generation: u32,
    /// One for each feature and phase, as [`Features::weight`] numbers them.
    pub values: Vec<f32>,
}

impl Weights {
    /// Weights that know nothing but material.
    #[must_use]
    pub fn material_only<B: Board>(rules: &RuleSet) -> Self {
        let features = Features::<B>::new(rules);
        let mut values = vec![0.0; 2 * features.count()];
        let (king, first) = match rules.king_range {
            KingRange::Short => (1.4, 0.0),
            KingRange::Flying => (2.0, 1.0),
        };
        let worths = [
            (Scalar::Man, 1.0),
            (Scalar::King, king),
            (Scalar::FirstKing, first),
        ];
        for (scalar, worth) in worths {
            for phase in [Phase::Full, Phase::Empty] {
                values[features.weight(features.scalar(scalar), phase)] = worth;
            }
        }
        Self {
            variant: variant_directory(rules),
            squares: B::SQUARES,
            generation: 0,
            values,
        }
    }

    /// The same description with other values, of the next generation.
    ///
    /// # Errors
    /// [`WeightsError::Length`] and [`WeightsError::NotFinite`].
    pub fn next_generation(&self, values: Vec<f32>) -> Result<Self, WeightsError> {
        let next = Self {
            variant: self.variant.clone(),
            squares: self.squares,
            generation: self.generation + 1,
            values,
        };
        next.check(self.values.len())?;
        Ok(next)
    }

    /// The variant they are for, with the house options that change its moves, as
    /// [`makhos_probe::variant_directory`] writes it.
    #[must_use]
    pub fn variant(&self) -> &str {
        &self.variant
    }

    /// Playable squares of the board they are for.
    #[must_use]
    pub fn squares(&self) -> u32 {
        self.squares
    }

    /// A number that changes with the variant and with every value (FNV-1a in 64 bits). It tells weights apart
    /// and finds damage; it is no protection against intent.
    #[must_use]
    pub fn hash(&self) -> u64 {
        tensors::hash(&self.variant, &self.values)
    }

    /// Whether they fit the variant and the board.
    pub(super) fn check_rules<B: Board>(&self, rules: &RuleSet) -> Result<(), WeightsError> {
        let differs = |key, found: String, expected: String| {
            if found == expected {
                return Ok(());
            }
            Err(WeightsError::Metadata {
                key,
                found,
                expected,
            })
        };
        differs("squares", self.squares.to_string(), B::SQUARES.to_string())?;
        differs(
            "squares of the variant",
            rules.board.squares().to_string(),
            B::SQUARES.to_string(),
        )?;
        differs("variant", self.variant.clone(), variant_directory(rules))?;
        self.check(2 * Features::<B>::new(rules).count())
    }

    fn check(&self, expected: usize) -> Result<(), WeightsError> {
        let found = self.values.len();
        if found != expected {
            return Err(WeightsError::Length { found, expected });
        }
        match self.values.iter().position(|value| !value.is_finite()) {
            Some(index) => Err(WeightsError::NotFinite { index }),
            None => Ok(()),
        }
    }
}

//! Whichever evaluation a file holds.

use std::path::Path;

use makhos_rules::{Board, Position, RuleSet};

use super::tensors::{self, TensorFile, wrong};
use super::weights::{Weights, WeightsError};
use super::{Evaluator, Net, Patterns, file, net_file};
use crate::score::Score;

/// An evaluation of either kind, as it was loaded.
///
/// ```
/// use makhos_rules::{Position, variant};
/// use makhos_selfplay::eval::{Evaluator, Model};
///
/// let model = Model::<u32>::material(&variant::RUSSIAN)?;
/// let start = Position::start(&variant::RUSSIAN);
/// assert_eq!(model.evaluate(&start).get(), 0);
/// # Ok::<(), makhos_selfplay::eval::WeightsError>(())
/// ```
#[derive(Debug)]
pub enum Model<B> {
    /// Patterns, whose weights have this hash and generation.
    Patterns {
        /// The evaluation.
        patterns: Patterns<B>,
        /// [`Weights::hash`].
        hash: u64,
        /// [`Weights::generation`].
        generation: u32,
    },
    /// A network.
    Network(Net<B>),
}

impl<B: Board> Model<B> {
    /// The patterns that know material only.
    ///
    /// # Errors
    /// [`WeightsError`] if the variant is not played on this board.
    pub fn material(rules: &RuleSet) -> Result<Self, WeightsError> {
        Self::patterns(rules, &Weights::material_only::<B>(rules))
    }

    /// Patterns with these weights.
    ///
    /// # Errors
    /// [`WeightsError`] if they are for another variant or board.
    pub fn patterns(rules: &RuleSet, weights: &Weights) -> Result<Self, WeightsError> {
        Ok(Self::Patterns {
            patterns: Patterns::new(rules, weights)?,
            hash: weights.hash(),
            generation: weights.generation,
        })
    }

    /// What the bytes of a file hold: weights of patterns or a network.
    ///
    /// # Errors
    /// [`WeightsError`] if they are neither, damaged, or for another variant.
    pub fn from_bytes(rules: &RuleSet, bytes: &[u8]) -> Result<Self, WeightsError> {
        match TensorFile::read(bytes)?.said("format") {
            file::FORMAT => Self::patterns(rules, &Weights::from_bytes::<B>(rules, bytes)?),
            net_file::FORMAT => Ok(Self::Network(Net::from_bytes(rules, bytes)?)),
            other => {
                let both = format!("{} or {}", file::FORMAT, net_file::FORMAT);
                Err(wrong("format", &format!("\"{other}\""), &both))
            }
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`WeightsError`].
    pub fn load(rules: &RuleSet, path: &Path) -> Result<Self, WeightsError> {
        tensors::load(path, |bytes| Self::from_bytes(rules, bytes))
    }

    /// A number that tells it from other evaluations; see [`Weights::hash`] and [`Net::hash`].
    #[must_use]
    pub fn hash(&self) -> u64 {
        match self {
            Self::Patterns { hash, .. } => *hash,
            Self::Network(net) => net.hash(),
        }
    }

    /// How many times training has been applied to play with it before; 0 for material only.
    #[must_use]
    pub fn generation(&self) -> u32 {
        match self {
            Self::Patterns { generation, .. } => *generation,
            Self::Network(net) => net.generation,
        }
    }

    /// The network, if it is one.
    #[must_use]
    pub fn network(&self) -> Option<&Net<B>> {
        match self {
            Self::Patterns { .. } => None,
            Self::Network(net) => Some(net),
        }
    }
}

impl<B: Board> Evaluator<B> for Model<B> {
    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> Score {
        match self {
            Self::Patterns { patterns, .. } => patterns.evaluate(position),
            Self::Network(net) => net.evaluate(position),
        }
    }
}

#[cfg(test)]
mod tests {
    use makhos_rules::variant::{RUSSIAN, THAI};

    use super::*;

    #[test]
    fn files_of_both_kinds_are_told_apart() {
        let mut weights = Weights::material_only::<u32>(&RUSSIAN);
        (weights.generation, weights.values[9]) = (3, 0.25);
        let bytes = weights.to_bytes::<u32>(&RUSSIAN).expect("bytes");
        let patterns = Model::<u32>::from_bytes(&RUSSIAN, &bytes).expect("patterns");
        assert_eq!(
            (patterns.hash(), patterns.generation()),
            (weights.hash(), 3)
        );
        let net = Net::<u32>::random(&RUSSIAN, 5);
        let bytes = net.to_bytes(&RUSSIAN).expect("bytes");
        let model = Model::<u32>::from_bytes(&RUSSIAN, &bytes).expect("a network");
        assert_eq!(model.network(), Some(&net));
        assert_ne!(model.hash(), patterns.hash());
        // Each judges as what it was made of.
        let position = Position::<u32>::start(&RUSSIAN);
        assert_eq!(model.evaluate(&position), net.evaluate(&position));
        assert!(Model::<u32>::from_bytes(&THAI, &bytes).is_err());
    }

    #[test]
    fn other_files_are_neither() {
        let other = [("format", "something".to_owned())];
        let bytes = tensors::to_bytes(&other, &[("a".to_owned(), vec![1])], &[1.0]);
        let error = Model::<u32>::from_bytes(&RUSSIAN, &bytes).expect_err("refused");
        assert!(
            error
                .to_string()
                .contains("makhos-patterns or makhos-wdl-net"),
            "{error}"
        );
        assert!(matches!(
            Model::<u32>::from_bytes(&RUSSIAN, b"nothing"),
            Err(WeightsError::NotSafetensors(_))
        ));
    }
}

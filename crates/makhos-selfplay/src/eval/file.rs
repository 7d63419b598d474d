//! Weights as a safetensors file.
//!
//! Tensors of f32: `patterns.N` of shape `[patterns, 2]` for each window, `kings` of `[squares, 2]` and `scalars`
//! of `[6, 2]`; the last dimension is the phase. The metadata has `format`, `version`, `variant`, `squares`,
//! `generation` and `hash`. Equal weights are equal bytes.

use std::path::Path;

use makhos_rules::{Board, RuleSet};

use super::features::{Features, Scalar};
use super::tensors::{self, Tensor, TensorFile};
use super::weights::{FORMAT_VERSION, Weights, WeightsError};

/// What files of weights say they are.
pub(super) const FORMAT: &str = "makhos-patterns";

/// Names and shapes of the tensors, in the order of the weights.
fn all_tensors<B: Board>(rules: &RuleSet) -> Vec<Tensor> {
    let (tables, patterns) = Features::<B>::new(rules).tables();
    let mut all: Vec<Tensor> = (0..tables)
        .map(|table| (format!("patterns.{table}"), vec![patterns, 2]))
        .collect();
    all.push(("kings".into(), vec![B::SQUARES as usize, 2]));
    all.push(("scalars".into(), vec![Scalar::ALL.len(), 2]));
    all
}

impl Weights {
    /// The bytes of a file. Equal weights have equal bytes.
    ///
    /// # Errors
    /// [`WeightsError`] if these are not weights of `rules`.
    pub fn to_bytes<B: Board>(&self, rules: &RuleSet) -> Result<Vec<u8>, WeightsError> {
        self.check_rules::<B>(rules)?;
        let metadata = [
            ("format", FORMAT.to_owned()),
            ("version", FORMAT_VERSION.to_string()),
            ("variant", self.variant.clone()),
            ("squares", self.squares.to_string()),
            ("generation", self.generation.to_string()),
            ("hash", format!("{:016x}", self.hash())),
        ];
        let all = all_tensors::<B>(rules);
        Ok(tensors::to_bytes(&metadata, &all, &self.values))
    }

    /// The weights that a file holds.
    ///
    /// # Errors
    /// [`WeightsError`] if the bytes are damaged or hold something else than weights of `rules`.
    pub fn from_bytes<B: Board>(rules: &RuleSet, bytes: &[u8]) -> Result<Self, WeightsError> {
        let file = TensorFile::read(bytes)?;
        file.expect("format", FORMAT)?;
        file.expect("version", &FORMAT_VERSION.to_string())?;
        // Before the tensors, whose shapes follow from the board.
        file.expect("squares", &B::SQUARES.to_string())?;
        let weights = Self {
            variant: file.said("variant").to_owned(),
            squares: file.number("squares")?,
            generation: file.number("generation")?,
            values: file.values(&all_tensors::<B>(rules))?,
        };
        weights.check_rules::<B>(rules)?;
        if file.said("hash") != format!("{:016x}", weights.hash()) {
            return Err(WeightsError::Hash);
        }
        Ok(weights)
    }

    /// Writes a file. It appears only when it is complete, and replaces one of that name.
    ///
    /// # Errors
    /// [`WeightsError`].
    pub fn save<B: Board>(&self, rules: &RuleSet, path: &Path) -> Result<(), WeightsError> {
        tensors::save(path, &self.to_bytes::<B>(rules)?)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`WeightsError`].
    pub fn load<B: Board>(rules: &RuleSet, path: &Path) -> Result<Self, WeightsError> {
        tensors::load(path, |bytes| Self::from_bytes::<B>(rules, bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use makhos_rules::variant::{INTERNATIONAL, RUSSIAN, THAI};

    use super::*;

    fn some() -> Weights {
        let mut weights = Weights::material_only::<u32>(&RUSSIAN);
        for (index, value) in weights.values.iter_mut().enumerate().step_by(97) {
            *value = index as f32 / 1_000.0 - 3.0;
        }
        weights.generation = 3;
        weights
    }

    #[test]
    fn a_file_gives_back_what_was_saved() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("g3.safetensors");
        let weights = some();
        weights.save::<u32>(&RUSSIAN, &path).expect("written");
        assert_eq!(
            Weights::load::<u32>(&RUSSIAN, &path).expect("read"),
            weights
        );
        assert_eq!(fs::read_dir(dir.path()).expect("a list").count(), 1);
        let bytes = weights.to_bytes::<u32>(&RUSSIAN).expect("bytes");
        assert_eq!(fs::read(&path).expect("read"), bytes);
    }

    #[test]
    fn other_files_are_refused_with_a_reason() {
        let bytes = some().to_bytes::<u32>(&RUSSIAN).expect("bytes");
        let refused = |bytes: &[u8]| {
            let result = Weights::from_bytes::<u32>(&RUSSIAN, bytes);
            result.expect_err("refused").to_string()
        };
        assert!(refused(b"").contains("no safetensors file"));
        assert!(refused(&bytes[..bytes.len() - 1]).contains("no safetensors file"));
        let mut damaged = bytes.clone();
        *damaged.last_mut().expect("bytes") ^= 1;
        assert!(refused(&damaged).contains("damaged"));
        let thai = Weights::from_bytes::<u32>(&THAI, &bytes).expect_err("refused");
        assert_eq!(
            thai.to_string(),
            "these are other weights: variant is russian, expected thai"
        );
        let ten = Weights::from_bytes::<u64>(&INTERNATIONAL, &bytes).expect_err("refused");
        assert!(matches!(ten, WeightsError::Metadata { key: "squares", .. }));
        let mut infinite = some();
        infinite.values[5] = f32::INFINITY;
        let error = infinite.to_bytes::<u32>(&RUSSIAN).expect_err("refused");
        assert!(matches!(error, WeightsError::NotFinite { index: 5 }));
        let values = vec![0.0; 3];
        assert!(some().next_generation(values).is_err());
    }
}

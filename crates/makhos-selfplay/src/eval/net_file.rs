//! Networks as safetensors files.
//!
//! Tensors of f32: `layer1.weight`, `layer1.bias` to `layer3`, weights of shape `[inputs, outputs]`. The
//! metadata has `format`, `version`, `variant`, `squares`, `generation`, `scale` and `hash`. Equal networks
//! are equal bytes.

use std::marker::PhantomData;
use std::path::Path;

use makhos_rules::{Board, RuleSet};

use super::net::{Net, Shape};
use super::tensors::{self, Tensor, TensorFile, wrong};
use super::weights::WeightsError;

/// What files of networks say they are, and their version.
pub(super) const FORMAT: &str = "makhos-wdl-net";
const VERSION: &str = "1";

/// Names and shapes of the tensors, in the order of the parameters.
fn all_tensors(shape: Shape) -> Vec<Tensor> {
    let mut all = Vec::new();
    for (number, (from, to)) in (1..).zip(shape.layers()) {
        all.push((format!("layer{number}.weight"), vec![from, to]));
        all.push((format!("layer{number}.bias"), vec![to]));
    }
    all
}

impl<B: Board> Net<B> {
    /// The bytes of a file.
    ///
    /// # Errors
    /// [`WeightsError`] if this is no network of `rules`.
    pub fn to_bytes(&self, rules: &RuleSet) -> Result<Vec<u8>, WeightsError> {
        self.check(rules)?;
        let metadata = [
            ("format", FORMAT.to_owned()),
            ("version", VERSION.to_owned()),
            ("variant", self.variant.clone()),
            ("squares", B::SQUARES.to_string()),
            ("generation", self.generation.to_string()),
            ("scale", self.scale.to_string()),
            ("hash", format!("{:016x}", self.hash())),
        ];
        let all = all_tensors(Shape::of::<B>());
        Ok(tensors::to_bytes(&metadata, &all, &self.values))
    }

    /// The network that a file holds.
    ///
    /// # Errors
    /// [`WeightsError`] if the bytes are damaged or hold something else than a network of `rules`.
    pub fn from_bytes(rules: &RuleSet, bytes: &[u8]) -> Result<Self, WeightsError> {
        let file = TensorFile::read(bytes)?;
        file.expect("format", FORMAT)?;
        file.expect("version", VERSION)?;
        file.expect("squares", &B::SQUARES.to_string())?;
        let scale = file.said("scale").parse::<f32>().ok();
        let scale = scale.filter(|scale| *scale > 0.0 && scale.is_finite());
        let net = Self {
            variant: file.said("variant").to_owned(),
            generation: file.number("generation")?,
            scale: scale.ok_or_else(|| wrong("scale", file.said("scale"), "a positive number"))?,
            values: file.values(&all_tensors(Shape::of::<B>()))?,
            board: PhantomData,
        };
        net.check(rules)?;
        if file.said("hash") != format!("{:016x}", net.hash()) {
            return Err(WeightsError::Hash);
        }
        Ok(net)
    }

    /// Writes a file. It appears only when it is complete, and replaces one of that name.
    ///
    /// # Errors
    /// [`WeightsError`].
    pub fn save(&self, rules: &RuleSet, path: &Path) -> Result<(), WeightsError> {
        tensors::save(path, &self.to_bytes(rules)?)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`WeightsError`].
    pub fn load(rules: &RuleSet, path: &Path) -> Result<Self, WeightsError> {
        tensors::load(path, |bytes| Self::from_bytes(rules, bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use makhos_rules::variant::{INTERNATIONAL, RUSSIAN, THAI};

    use super::*;

    #[test]
    fn a_file_gives_back_what_was_saved() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("n1.safetensors");
        let mut net = Net::<u32>::random(&RUSSIAN, 1);
        (net.generation, net.scale) = (4, 0.75);
        net.save(&RUSSIAN, &path).expect("written");
        assert_eq!(Net::load(&RUSSIAN, &path).expect("read"), net);
        assert_eq!(fs::read_dir(dir.path()).expect("a directory").count(), 1);
        assert!(matches!(
            Net::<u32>::load(&RUSSIAN, &dir.path().join("none")),
            Err(WeightsError::Io { .. })
        ));
    }

    #[test]
    fn other_files_are_refused() {
        let net = Net::<u32>::random(&RUSSIAN, 1);
        let bytes = net.to_bytes(&RUSSIAN).expect("bytes");
        let mut damaged = bytes.clone();
        *damaged.last_mut().expect("bytes") ^= 1;
        let refused = |bytes: &[u8]| Net::<u32>::from_bytes(&RUSSIAN, bytes).expect_err("refused");
        assert!(matches!(refused(&damaged), WeightsError::Hash));
        assert!(matches!(
            refused(&bytes[..99]),
            WeightsError::NotSafetensors(_)
        ));
        let thai = Net::<u32>::from_bytes(&THAI, &bytes).expect_err("refused");
        assert!(matches!(
            thai,
            WeightsError::Metadata { key: "variant", .. }
        ));
        let ten = Net::<u64>::from_bytes(&INTERNATIONAL, &bytes).expect_err("refused");
        assert!(matches!(ten, WeightsError::Metadata { key: "squares", .. }));
        let mut bad = net;
        bad.values[7] = f32::NAN;
        assert!(bad.to_bytes(&RUSSIAN).is_err());
    }
}

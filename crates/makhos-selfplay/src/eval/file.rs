//! Weights as a safetensors file.
//!
//! Tensors of f32: `patterns.N` of shape `[patterns, 2]` for each window, `kings` of `[squares, 2]` and `scalars`
//! of `[6, 2]`; the last dimension is the phase. The metadata has `format`, `version`, `variant`, `squares`,
//! `generation` and `hash`.
//!
//! The header is written here, not by the library, whose order of metadata changes from run to run: equal
//! weights are equal bytes.

use std::fs;
use std::io::Write;
use std::path::Path;

use makhos_rules::{Board, RuleSet};
use safetensors::{Dtype, SafeTensors};

use super::features::{Features, Scalar};
use super::weights::{FORMAT_VERSION, Weights, WeightsError};

/// What files of weights say they are.
const FORMAT: &str = "makhos-patterns";

/// Names and lengths of the tensors, in the order of the weights.
fn tensors<B: Board>(rules: &RuleSet) -> Vec<(String, usize)> {
    let (tables, patterns) = Features::<B>::new(rules).tables();
    let mut all: Vec<_> = (0..tables)
        .map(|table| (format!("patterns.{table}"), patterns))
        .collect();
    all.push(("kings".into(), B::SQUARES as usize));
    all.push(("scalars".into(), Scalar::ALL.len()));
    all
}

impl Weights {
    /// The bytes of a file. Equal weights have equal bytes.
    ///
    /// # Errors
    /// [`WeightsError`] if these are not weights of `rules`.
    pub fn to_bytes<B: Board>(&self, rules: &RuleSet) -> Result<Vec<u8>, WeightsError> {
        self.check_rules::<B>(rules)?;
        let mut header = format!(
            "{{\"__metadata__\":{{\"format\":\"{FORMAT}\",\"version\":\"{FORMAT_VERSION}\",\
             \"variant\":\"{}\",\"squares\":\"{}\",\"generation\":\"{}\",\"hash\":\"{:016x}\"}}",
            self.variant,
            self.squares,
            self.generation,
            self.hash()
        );
        let mut start = 0;
        for (name, length) in tensors::<B>(rules) {
            let end = start + length * 2 * size_of::<f32>();
            header.push_str(&format!(
                ",\"{name}\":{{\"dtype\":\"F32\",\"shape\":[{length},2],\"data_offsets\":[{start},{end}]}}"
            ));
            start = end;
        }
        header.push('}');
        while !header.len().is_multiple_of(8) {
            header.push(' ');
        }
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.bytes());
        bytes.extend(self.values.iter().flat_map(|value| value.to_le_bytes()));
        Ok(bytes)
    }

    /// The weights that a file holds.
    ///
    /// # Errors
    /// [`WeightsError`] if the bytes are damaged or hold something else than weights of `rules`.
    pub fn from_bytes<B: Board>(rules: &RuleSet, bytes: &[u8]) -> Result<Self, WeightsError> {
        let file = SafeTensors::deserialize(bytes)?;
        let (_, metadata) = SafeTensors::read_metadata(bytes)?;
        let said = |key: &str| {
            let all = metadata.metadata().as_ref();
            all.and_then(|all| all.get(key))
                .cloned()
                .unwrap_or_default()
        };
        expect("format", said("format"), FORMAT)?;
        expect("version", said("version"), &FORMAT_VERSION.to_string())?;
        let mut values = Vec::new();
        let mut weights = Self {
            variant: said("variant"),
            squares: number("squares", &said("squares"))?,
            generation: number("generation", &said("generation"))?,
            values: Vec::new(),
        };
        // Before the tensors, whose shapes follow from the board.
        expect(
            "squares",
            weights.squares.to_string(),
            &B::SQUARES.to_string(),
        )?;
        for (name, length) in tensors::<B>(rules) {
            let expected = vec![length, 2];
            let tensor = file.tensor(&name).ok();
            let right = tensor.filter(|it| it.dtype() == Dtype::F32 && it.shape() == expected);
            let Some(tensor) = right else {
                return Err(WeightsError::Tensor { name, expected });
            };
            let (chunks, _) = tensor.data().as_chunks::<4>();
            values.extend(chunks.iter().map(|chunk| f32::from_le_bytes(*chunk)));
        }
        weights.values = values;
        weights.check_rules::<B>(rules)?;
        if said("hash") != format!("{:016x}", weights.hash()) {
            return Err(WeightsError::Hash);
        }
        Ok(weights)
    }

    /// Writes a file. It appears only when it is complete, and replaces one of that name.
    ///
    /// # Errors
    /// [`WeightsError`].
    pub fn save<B: Board>(&self, rules: &RuleSet, path: &Path) -> Result<(), WeightsError> {
        let bytes = self.to_bytes::<B>(rules)?;
        let failed = |source| WeightsError::Io {
            path: path.to_owned(),
            source,
        };
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = Path::new(&name);
        let written = fs::File::create(temporary).and_then(|mut file| {
            file.write_all(&bytes)?;
            file.sync_all()
        });
        let written = written.and_then(|()| fs::rename(temporary, path));
        written.map_err(|error| {
            // What is left is of no use to anyone.
            let _ = fs::remove_file(temporary);
            failed(error)
        })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`WeightsError`].
    pub fn load<B: Board>(rules: &RuleSet, path: &Path) -> Result<Self, WeightsError> {
        let bytes = fs::read(path).map_err(|source| WeightsError::Io {
            path: path.to_owned(),
            source,
        })?;
        Self::from_bytes::<B>(rules, &bytes).map_err(|error| WeightsError::File {
            path: path.to_owned(),
            source: Box::new(error),
        })
    }
}

fn expect(key: &'static str, found: String, expected: &str) -> Result<(), WeightsError> {
    if found == expected {
        return Ok(());
    }
    Err(WeightsError::Metadata {
        key,
        found,
        expected: expected.to_owned(),
    })
}

fn number(key: &'static str, text: &str) -> Result<u32, WeightsError> {
    text.parse().map_err(|_| WeightsError::Metadata {
        key,
        found: format!("\"{text}\""),
        expected: "a number".to_owned(),
    })
}

#[cfg(test)]
mod tests {
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

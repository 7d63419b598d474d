//! Networks as safetensors files.
//!
//! Tensors of f32: `layer1.weight`, `layer1.bias` to `layer3`, weights of shape `[inputs, outputs]`. The
//! metadata has `format`, `version`, `variant`, `squares`, `generation`, `scale` and `hash`. Equal networks
//! are equal bytes.

use std::fs;
use std::io::Write;
use std::marker::PhantomData;
use std::path::Path;

use makhos_rules::{Board, RuleSet};
use safetensors::{Dtype, SafeTensors};

use super::net::{Net, Shape};
use crate::eval::WeightsError;

/// What files of networks say they are, and their version.
const FORMAT: &str = "makhos-wdl-net";
const VERSION: &str = "1";

/// Names and shapes of the tensors, in the order of the parameters.
fn tensors(shape: Shape) -> Vec<(String, Vec<usize>)> {
    let mut all = Vec::new();
    for (number, (from, to)) in (1..).zip(shape.layers()) {
        all.push((format!("layer{number}.weight"), vec![from, to]));
        all.push((format!("layer{number}.bias"), vec![to]));
    }
    all
}

/// FNV-1a in 64 bits: finds damage, protects against nothing else.
fn hash(values: &[f32]) -> u64 {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl<B: Board> Net<B> {
    /// The bytes of a file.
    ///
    /// # Errors
    /// [`WeightsError`] if this is no network of `rules`.
    pub fn to_bytes(&self, rules: &RuleSet) -> Result<Vec<u8>, WeightsError> {
        self.check(rules)?;
        // The library's order of metadata changes from run to run.
        let mut header = format!(
            "{{\"__metadata__\":{{\"format\":\"{FORMAT}\",\"version\":\"{VERSION}\",\"variant\":\"{}\",\
             \"squares\":\"{}\",\"generation\":\"{}\",\"scale\":\"{}\",\"hash\":\"{:016x}\"}}",
            self.variant,
            B::SQUARES,
            self.generation,
            self.scale,
            hash(&self.values)
        );
        let mut start = 0;
        for (name, shape) in tensors(Shape::of::<B>()) {
            let end = start + shape.iter().product::<usize>() * size_of::<f32>();
            let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
            header.push_str(&format!(
                ",\"{name}\":{{\"dtype\":\"F32\",\"shape\":[{}],\"data_offsets\":[{start},{end}]}}",
                shape.join(",")
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

    /// The network that a file holds.
    ///
    /// # Errors
    /// [`WeightsError`] if the bytes are damaged or hold something else than a network of `rules`.
    pub fn from_bytes(rules: &RuleSet, bytes: &[u8]) -> Result<Self, WeightsError> {
        let file = SafeTensors::deserialize(bytes)?;
        let (_, metadata) = SafeTensors::read_metadata(bytes)?;
        let said = |key: &str| {
            let all = metadata.metadata().as_ref();
            let value = all.and_then(|all| all.get(key));
            value.cloned().unwrap_or_default()
        };
        let expect = |key: &'static str, expected: &str| match said(key) {
            found if found == expected => Ok(()),
            found => Err(wrong(key, found, expected)),
        };
        expect("format", FORMAT)?;
        expect("version", VERSION)?;
        expect("squares", &B::SQUARES.to_string())?;
        let mut values = Vec::new();
        for (name, expected) in tensors(Shape::of::<B>()) {
            let tensor = file.tensor(&name).ok();
            let right = tensor.filter(|it| it.dtype() == Dtype::F32 && it.shape() == expected);
            let Some(tensor) = right else {
                return Err(WeightsError::Tensor { name, expected });
            };
            let (chunks, _) = tensor.data().as_chunks::<4>();
            values.extend(chunks.iter().map(|chunk| f32::from_le_bytes(*chunk)));
        }
        let generation = said("generation").parse();
        let scale = said("scale").parse::<f32>().ok();
        let scale = scale.filter(|scale| *scale > 0.0 && scale.is_finite());
        let net = Self {
            variant: said("variant"),
            generation: generation
                .map_err(|_| wrong("generation", said("generation"), "a number"))?,
            scale: scale.ok_or_else(|| wrong("scale", said("scale"), "a positive number"))?,
            values,
            board: PhantomData,
        };
        net.check(rules)?;
        if said("hash") != format!("{:016x}", hash(&net.values)) {
            return Err(WeightsError::Hash);
        }
        Ok(net)
    }

    /// Writes a file. It appears only when it is complete, and replaces one of that name.
    ///
    /// # Errors
    /// [`WeightsError`].
    pub fn save(&self, rules: &RuleSet, path: &Path) -> Result<(), WeightsError> {
        let bytes = self.to_bytes(rules)?;
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = Path::new(&name);
        let written = fs::File::create(temporary).and_then(|mut file| {
            file.write_all(&bytes)?;
            file.sync_all()
        });
        let written = written.and_then(|()| fs::rename(temporary, path));
        written.map_err(|source| {
            // What is left is of no use to anyone.
            let _ = fs::remove_file(temporary);
            WeightsError::Io {
                path: path.to_owned(),
                source,
            }
        })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`WeightsError`].
    pub fn load(rules: &RuleSet, path: &Path) -> Result<Self, WeightsError> {
        let bytes = fs::read(path).map_err(|source| WeightsError::Io {
            path: path.to_owned(),
            source,
        })?;
        Self::from_bytes(rules, &bytes)
    }
}

fn wrong(key: &'static str, found: String, expected: &str) -> WeightsError {
    WeightsError::Metadata {
        key,
        found,
        expected: expected.to_owned(),
    }
}

#[cfg(test)]
mod tests {
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

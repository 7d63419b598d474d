//! What files of weights and of networks have in common: safetensors of f32 with metadata, in which equal values
//! are equal bytes.
//!
//! The header is written here, not by the library, whose order of metadata changes from run to run.

use std::fs;
use std::path::Path;

use safetensors::tensor::Metadata;
use safetensors::{Dtype, SafeTensors};

use super::weights::WeightsError;
use crate::publish::publish;

/// A name and a shape.
pub(super) type Tensor = (String, Vec<usize>);

/// The bytes of a file with this metadata, and with tensors that share `values` among them in this order. Neither
/// keys nor texts of metadata may need escapes.
pub(super) fn to_bytes(metadata: &[(&str, String)], tensors: &[Tensor], values: &[f32]) -> Vec<u8> {
    let said: Vec<String> = metadata
        .iter()
        .map(|(key, text)| format!("\"{key}\":\"{text}\""))
        .collect();
    let mut header = format!("{{\"__metadata__\":{{{}}}", said.join(","));
    let mut start = 0;
    for (name, shape) in tensors {
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
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

/// A file that has been read.
pub(super) struct TensorFile<'a> {
    tensors: SafeTensors<'a>,
    metadata: Metadata,
}

impl<'a> TensorFile<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, WeightsError> {
        let (_, metadata) = SafeTensors::read_metadata(bytes)?;
        Ok(Self {
            tensors: SafeTensors::deserialize(bytes)?,
            metadata,
        })
    }

    /// What the metadata says of a key; nothing if it is not there.
    pub(super) fn said(&self, key: &str) -> &str {
        let all = self.metadata.metadata().as_ref();
        all.and_then(|all| all.get(key)).map_or("", String::as_str)
    }

    /// Whether the metadata says what it should.
    pub(super) fn expect(&self, key: &'static str, expected: &str) -> Result<(), WeightsError> {
        match self.said(key) {
            found if found == expected => Ok(()),
            found => Err(wrong(key, found, expected)),
        }
    }

    /// A number from the metadata.
    pub(super) fn number(&self, key: &'static str) -> Result<u32, WeightsError> {
        let text = self.said(key);
        let quoted = format!("\"{text}\"");
        text.parse().map_err(|_| wrong(key, &quoted, "a number"))
    }

    /// The values of tensors, one after the other.
    pub(super) fn values(&self, tensors: &[Tensor]) -> Result<Vec<f32>, WeightsError> {
        let mut values = Vec::new();
        for (name, shape) in tensors {
            let tensor = self.tensors.tensor(name).ok();
            let right = tensor.filter(|it| it.dtype() == Dtype::F32 && it.shape() == shape);
            let Some(tensor) = right else {
                return Err(WeightsError::Tensor {
                    name: name.clone(),
                    expected: shape.clone(),
                });
            };
            let (chunks, _) = tensor.data().as_chunks::<4>();
            values.extend(chunks.iter().map(|chunk| f32::from_le_bytes(*chunk)));
        }
        Ok(values)
    }
}

/// The metadata are not what they should be.
pub(super) fn wrong(key: &'static str, found: &str, expected: &str) -> WeightsError {
    WeightsError::Metadata {
        key,
        found: found.to_owned(),
        expected: expected.to_owned(),
    }
}

/// FNV-1a in 64 bits of a text and values. It tells models apart and finds damage; it is no protection against
/// intent.
pub(super) fn hash(text: &str, values: &[f32]) -> u64 {
    let values = values.iter().flat_map(|value| value.to_le_bytes());
    let bytes = text.bytes().chain([0]).chain(values);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Writes a file. It appears only when it is complete, and replaces one of that name.
pub(super) fn save(path: &Path, bytes: &[u8]) -> Result<(), WeightsError> {
    publish(path, bytes).map_err(|source| WeightsError::Io {
        path: path.to_owned(),
        source,
    })
}

/// Reads a file, and makes something of its bytes.
pub(super) fn load<T>(
    path: &Path,
    read: impl FnOnce(&[u8]) -> Result<T, WeightsError>,
) -> Result<T, WeightsError> {
    let bytes = fs::read(path).map_err(|source| WeightsError::Io {
        path: path.to_owned(),
        source,
    })?;
    read(&bytes).map_err(|error| WeightsError::File {
        path: path.to_owned(),
        source: Box::new(error),
    })
}

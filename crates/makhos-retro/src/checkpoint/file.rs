//! The bytes of a checkpoint: a header, the planes of the stored sides, and a checksum of all of it.
//!
//! For each stored side the outcomes come in parts of [`PART`] positions, the last one shorter: the
//! words of its wins, then those of its losses, little-endian.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use bincode::config::{Configuration, Fixint, LittleEndian};
use bincode::{Decode, Encode};
use makhos_probe::{Metric, file_name};
use makhos_rules::rules::MOVE_RULES_LEN;

use super::{CheckpointError, Place, State};
use crate::engine::{ClassPlanes, Packed};

const MAGIC: [u8; 8] = *b"MKHSTATE";
const FORMAT_VERSION: u16 = 2;

/// Positions that are handled at a time: 128 KiB of each plane. A multiple of 64.
const PART: u64 = 1 << 20;

const LAYOUT: Configuration<LittleEndian, Fixint> = bincode::config::standard()
    .with_little_endian()
    .with_fixed_int_encoding();

const HEADER_LEN: usize = 8 + 2 + 16 + MOVE_RULES_LEN + 4 + 8 + 1 + 4 * 8;
const CHECKSUM_LEN: usize = 4;

/// What is before the planes.
#[derive(Clone, PartialEq, Eq, Debug, Encode, Decode)]
struct Header {
    magic: [u8; 8],
    format_version: u16,
    /// The version of this library, as text with zeros behind it: another one may solve in another order.
    written_by: [u8; 16],
    move_rules: [u8; MOVE_RULES_LEN],
    /// Men and kings of White, then of Black.
    pieces: [u8; 4],
    /// Positions of each side.
    positions: u64,
    sides: u8,
    levels_left: u64,
    solved: u64,
    captures: [u64; 2],
}

impl Header {
    fn new(place: &Place<'_>, sides: usize, state: &State) -> Self {
        let mut written_by = [0; 16];
        let version = env!("CARGO_PKG_VERSION").as_bytes();
        let len = version.len().min(written_by.len());
        written_by[..len].copy_from_slice(&version[..len]);
        let (white, black) = (place.material.white, place.material.black);
        Self {
            magic: MAGIC,
            format_version: FORMAT_VERSION,
            written_by,
            move_rules: place.rules.move_rules_bytes(),
            pieces: [white.men, white.kings, black.men, black.kings],
            positions: place.positions,
            sides: sides as u8,
            levels_left: state.levels_left,
            solved: state.solved,
            captures: state.captures,
        }
    }

    fn state(&self) -> State {
        State {
            levels_left: self.levels_left,
            solved: self.solved,
            captures: self.captures,
        }
    }

    /// Whether this is the header of a checkpoint of that class, in whatever state.
    fn check(&self, place: &Place<'_>, sides: usize) -> Result<(), CheckpointError> {
        let expected = Self::new(place, sides, &self.state());
        if self.magic != expected.magic {
            return Err(CheckpointError::NotACheckpoint);
        }
        let version = |header: &Self| (header.format_version, header.written_by);
        if version(self) != version(&expected) {
            return Err(CheckpointError::OtherVersion);
        }
        if *self != expected {
            return Err(CheckpointError::OtherClass);
        }
        Ok(())
    }
}

/// Puts a checkpoint in the place of the one before it.
///
/// When the machine crashes, one of both is there: that is enough, so the directory is not made durable.
pub(super) fn write(place: &Place<'_>, state: &State, planes: &[&ClassPlanes]) -> io::Result<()> {
    let dir = place.path.parent().unwrap_or(Path::new("."));
    // The name of an unfinished table, which the next run removes.
    let prefix = format!(".{}.", file_name(place.material, Metric::Wld));
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    // As open as tables are, so that whoever may make them may take their making up.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(dir)?;
    let mut sum = crc32fast::Hasher::new();
    let mut put = |bytes: &[u8]| {
        sum.update(bytes);
        file.write_all(bytes)
    };
    let header = Header::new(place, planes.len(), state);
    put(&bincode::encode_to_vec(&header, LAYOUT).map_err(io::Error::other)?)?;
    let mut part = Packed::default();
    let mut bytes = Vec::new();
    for side in planes {
        for (start, len) in parts(place.positions) {
            side.get(start, len, &mut part);
            for plane in [&part.win, &part.loss] {
                bytes.clear();
                bytes.extend(plane.iter().flat_map(|word| word.to_le_bytes()));
                put(&bytes)?;
            }
        }
    }
    file.write_all(&sum.finalize().to_le_bytes())?;
    file.as_file().sync_all()?;
    file.persist(place.path)?;
    Ok(())
}

/// Fills planes that hold draws only.
pub(super) fn read(place: &Place<'_>, planes: &[&ClassPlanes]) -> Result<State, CheckpointError> {
    let file = File::open(place.path)?;
    let found = file.metadata()?.len();
    let mut input = Summed {
        file: BufReader::with_capacity(1 << 17, file),
        sum: crc32fast::Hasher::new(),
    };
    let mut bytes = vec![0; HEADER_LEN];
    input.fill(&mut bytes)?;
    let (header, _) = bincode::decode_from_slice::<Header, _>(&bytes, LAYOUT)
        .map_err(|_| CheckpointError::Damaged)?;
    header.check(place, planes.len())?;
    if found != file_len(place.positions, planes.len()) {
        return Err(CheckpointError::Damaged);
    }
    for side in planes {
        for (start, len) in parts(place.positions) {
            let words = len.div_ceil(64) as usize;
            let mut plane = || {
                bytes.resize(words * 8, 0);
                input.fill(&mut bytes)?;
                Ok::<_, CheckpointError>(words_of(&bytes))
            };
            let part = Packed {
                win: plane()?,
                loss: plane()?,
                len,
            };
            side.put(start, &part);
        }
    }
    let sum = input.sum.clone().finalize();
    let mut stored = [0; CHECKSUM_LEN];
    input.fill(&mut stored)?;
    if u32::from_le_bytes(stored) != sum {
        return Err(CheckpointError::Damaged);
    }
    Ok(header.state())
}

/// Bytes of a checkpoint.
fn file_len(positions: u64, sides: usize) -> u64 {
    let a_side = 2 * positions.div_ceil(64) * 8;
    (HEADER_LEN + CHECKSUM_LEN) as u64 + a_side * sides as u64
}

/// The first position and the length of each part.
fn parts(positions: u64) -> impl Iterator<Item = (u64, u64)> {
    let count = positions.div_ceil(PART);
    (0..count).map(move |part| (part * PART, PART.min(positions - part * PART)))
}

fn words_of(bytes: &[u8]) -> Vec<u64> {
    let (words, _) = bytes.as_chunks();
    words.iter().map(|&word| u64::from_le_bytes(word)).collect()
}

/// A file and the checksum of what was read of it.
struct Summed {
    file: BufReader<File>,
    sum: crc32fast::Hasher,
}

impl Summed {
    /// Fills `bytes`; a file that ends before is damaged.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), CheckpointError> {
        self.file.read_exact(bytes).map_err(|error| {
            if error.kind() == io::ErrorKind::UnexpectedEof {
                CheckpointError::Damaged
            } else {
                CheckpointError::Io(error)
            }
        })?;
        self.sum.update(bytes);
        Ok(())
    }
}

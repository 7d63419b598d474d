//! Files of games: `games-000000.mkg` and so on.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `89 4d 4b 47 41 4d 45 0a`: a byte above 127, `MKGAME`, a line end |
//! | 2 | version of the format, 1 |
//! | 4 | length of the header |
//! | .. | header: [`ShardHeader`] in the standard encoding of bincode 2 (numbers of variable length, little-endian; texts and lists behind their lengths) |
//! | .. | games, one behind the other as [`GameRecord::write`] writes them, compressed as one zstd frame |
//! | 32 | SHA-256 of everything before |
//! | 8 | length of the whole file |
//! | 8 | `89 45 4d 41 47 4b 4d 0a` |
//!
//! Numbers are little-endian. The digest is checked before anything else is believed, so a file that was changed
//! or cut off is never read. A file has its name only when it is complete.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use makhos_rules::{Board, RuleSet};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::header::{HeaderError, MOST_HEADER, ShardHeader};
use super::record::{GameRecord, RecordError};
use super::settings::MOST_SHARDS;
use super::tally::Tally;

const MAGIC: [u8; 8] = *b"\x89MKGAME\n";
const END_MAGIC: [u8; 8] = *b"\x89EMAGKM\n";
/// The version of the files that are written, and the only one that is read.
pub const SHARD_VERSION: u16 = 1;
/// Bytes before the header.
const PREFIX: usize = 14;
/// Bytes behind the games.
const FOOTER: usize = 48;
/// What games may take before compression: files of some hundred games are far smaller.
const MOST_BODY: u64 = 1 << 30;
/// Games are small, so there is time to compress them well.
const ZSTD_LEVEL: i32 = 9;

/// Why a file of games cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ShardError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is something else.
    #[error("{}: this is no file of games", path.display())]
    NotGames {
        /// The file.
        path: PathBuf,
    },
    /// It is of a version that this program does not know.
    #[error("{}: games in version {found} of the format; this program reads {SHARD_VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version.
        found: u16,
    },
    /// It was changed or cut off.
    #[error("{}: the file is damaged: {what}; delete it, and the same run makes it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What shows it.
        what: &'static str,
    },
    /// The rules of its games cannot be had.
    #[error("{}: {source}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// Why.
        source: HeaderError,
    },
    /// A game in it is none.
    #[error("{}: game {number}: {source}", path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// The number of the game in the run.
        number: u64,
        /// What is wrong with it.
        source: RecordError,
    },
}

/// The name of a file of games.
#[must_use]
pub fn shard_name(number: u64) -> String {
    format!("games-{number:06}.mkg")
}

/// The number of the file with this name; `None` for every name that [`shard_name`] does not give.
#[must_use]
pub fn parse_shard_name(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("games-")?.strip_suffix(".mkg")?;
    let number = digits.parse().ok()?;
    let usual = number < MOST_SHARDS && shard_name(number) == name;
    usual.then_some(number)
}

/// The files of games in a directory, in the order of their numbers.
///
/// # Errors
/// [`ShardError::Io`] if the directory cannot be listed.
pub fn list_shards(dir: &Path) -> Result<Vec<(u64, PathBuf)>, ShardError> {
    let failed = |source| ShardError::Io {
        path: dir.to_owned(),
        source,
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if let Some(number) = entry.file_name().to_str().and_then(parse_shard_name) {
            found.push((number, entry.path()));
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// A file of games whose digest is right.
#[derive(Clone, Debug)]
pub struct Shard {
    path: PathBuf,
    header: ShardHeader,
    sha256: [u8; 32],
    file_bytes: u64,
    /// The games before they were compressed.
    body: Vec<u8>,
}

impl Shard {
    /// Reads a file and checks that it is intact.
    ///
    /// # Errors
    /// [`ShardError`].
    pub fn open(path: &Path) -> Result<Self, ShardError> {
        let bytes = fs::read(path).map_err(|source| ShardError::Io {
            path: path.to_owned(),
            source,
        })?;
        Self::from_bytes(path, &bytes)
    }

    /// What the bytes of a file are; `path` is its name for errors.
    ///
    /// # Errors
    /// [`ShardError`].
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Self, ShardError> {
        let damaged = |what| ShardError::Damaged {
            path: path.to_owned(),
            what,
        };
        if !bytes.starts_with(&MAGIC) {
            return Err(ShardError::NotGames {
                path: path.to_owned(),
            });
        }
        let content = bytes.len().checked_sub(FOOTER).filter(|&len| len >= PREFIX);
        let content = content.ok_or_else(|| damaged("it is too short"))?;
        let (content, footer) = bytes.split_at(content);
        check_footer(content, footer, bytes.len()).map_err(damaged)?;
        let version = u16::from_le_bytes([content[8], content[9]]);
        if version != SHARD_VERSION {
            return Err(ShardError::Version {
                path: path.to_owned(),
                found: version,
            });
        }
        let length = u32::from_le_bytes([content[10], content[11], content[12], content[13]]);
        let parts = content[PREFIX..].split_at_checked(length as usize);
        let (header, body) = parts.ok_or_else(|| damaged("its header is too long"))?;
        let header = ShardHeader::decode(header).ok_or_else(|| damaged("its header"))?;
        let body = expanded(body, header.tally.bytes);
        Ok(Self {
            path: path.to_owned(),
            body: body.ok_or_else(|| damaged("the compressed games"))?,
            header,
            sha256: Sha256::digest(bytes).into(),
            file_bytes: bytes.len() as u64,
        })
    }

    /// What it says about itself.
    #[must_use]
    pub fn header(&self) -> &ShardHeader {
        &self.header
    }

    /// SHA-256 of the whole file.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        self.sha256
    }

    /// Its length.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// The rules of the moves of its games.
    ///
    /// # Errors
    /// [`ShardError::Header`].
    pub fn rule_set(&self) -> Result<RuleSet, ShardError> {
        self.header
            .run
            .rule_set()
            .map_err(|source| ShardError::Header {
                path: self.path.clone(),
                source,
            })
    }

    /// Its games, every move of which has been checked.
    ///
    /// # Errors
    /// [`ShardError`] if the games are not those the header tells of, or of a board of another size.
    pub fn games<B: Board>(&self) -> Result<Vec<GameRecord<B>>, ShardError> {
        let rules = self.rule_set()?;
        let failed = |number, source| ShardError::Game {
            path: self.path.clone(),
            number,
            source,
        };
        let (mut games, mut tally) = (Vec::new(), Tally::default());
        let mut number = self.header.first;
        let mut rest = self.body.as_slice();
        for _ in 0..self.header.tally.games {
            let before = rest.len();
            let (game, left) =
                GameRecord::read(rules, number, rest).map_err(|source| failed(number, source))?;
            tally.add(&Tally::of_game(game.parts(), before - left.len()));
            games.push(game);
            rest = left;
            number = number.wrapping_add(1);
        }
        if !rest.is_empty() {
            return Err(failed(number, RecordError::Trailing(rest.len())));
        }
        if tally != self.header.tally {
            return Err(ShardError::Damaged {
                path: self.path.clone(),
                what: "its figures are not those of its games",
            });
        }
        Ok(games)
    }
}

/// Says what is wrong with the footer.
fn check_footer(content: &[u8], footer: &[u8], length: usize) -> Result<(), &'static str> {
    if footer[40..] != END_MAGIC {
        return Err("its end is missing");
    }
    if footer[32..40] != (length as u64).to_le_bytes() {
        return Err("it has another length than it says");
    }
    if footer[..32] != *Sha256::digest(content) {
        return Err("its digest is wrong");
    }
    Ok(())
}

/// The bytes of a compressed frame, if there are so many.
fn expanded(compressed: &[u8], length: u64) -> Option<Vec<u8>> {
    let decoder = zstd::stream::read::Decoder::new(compressed).ok()?;
    let mut bytes = Vec::new();
    let mut limited = decoder.take(length.min(MOST_BODY) + 1);
    limited.read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == length).then_some(bytes)
}

/// The bytes of a file with these games.
pub(super) fn encode(header: &ShardHeader, body: &[u8]) -> io::Result<Vec<u8>> {
    let header = header.encode().map_err(io::Error::other)?;
    if header.len() > MOST_HEADER || body.len() as u64 > MOST_BODY {
        return Err(io::Error::other("too much for one file of games"));
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend(SHARD_VERSION.to_le_bytes());
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header);
    bytes.extend(zstd::bulk::compress(body, ZSTD_LEVEL)?);
    bytes.extend(<[u8; 32]>::from(Sha256::digest(&bytes)));
    let length = bytes.len() as u64 + 16;
    bytes.extend(length.to_le_bytes());
    bytes.extend(END_MAGIC);
    Ok(bytes)
}

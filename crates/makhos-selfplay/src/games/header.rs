//! What a file of games says about itself.

use bincode::config::{Configuration, Limit};
use bincode::{Decode, Encode};
use makhos_probe::Tablebase;
use makhos_rules::draw::{DrawRules, DrawRulesError};
use makhos_rules::rules::MOVE_RULES_LEN;
use makhos_rules::variant::{self, VariantError};
use makhos_rules::{Board, RuleSet};
use thiserror::Error;

use super::run::SelfPlay;
use super::settings::Players;
use super::tally::Tally;

/// No header is longer.
pub(super) const MOST_HEADER: usize = 1 << 16;

const LAYOUT: Configuration<
    bincode::config::LittleEndian,
    bincode::config::Varint,
    Limit<MOST_HEADER>,
> = bincode::config::standard().with_limit::<MOST_HEADER>();

/// All that decides the games of a run, but for how many there are. Runs that say the same have the same games.
#[derive(Clone, PartialEq, Eq, Debug, Encode, Decode)]
pub struct RunInfo {
    /// The variant's name.
    pub variant: String,
    /// Its house options, each as `KEY=VALUE`.
    pub options: Vec<String>,
    /// See [`RuleSet::move_rules_bytes`].
    pub move_rules: [u8; MOVE_RULES_LEN],
    /// The drawing rules, as [`DrawRules`] are written.
    pub draw_rules: String,
    /// The version of this crate.
    pub engine: String,
    /// The seed of the run.
    pub seed: u64,
    /// Positions that a search visits; 0 for random moves.
    pub nodes: u64,
    /// Entries of the hash table of a search; 0 for random moves.
    pub table_entries: u64,
    /// The hash of the weights of the evaluation; 0 for random moves.
    pub weights: u64,
    /// Pieces of the largest class of which there is a table; 0 without tables.
    pub table_pieces: u32,
    /// A hash of the names of all tables (FNV-1a in 64 bits); 0 without tables.
    pub tables: u64,
    /// The fewest and the most plies of an opening; 0 for random moves.
    pub opening_plies: [u16; 2],
    /// Positions that the search visits which judges an opening; 0 for random moves.
    pub opening_nodes: u64,
    /// How far from 0 its score may be; 0 for random moves.
    pub opening_bound: u16,
    /// How many openings are tried; 0 for random moves.
    pub opening_attempts: u16,
    /// After so many plies a game counts as drawn.
    pub ply_limit: u16,
    /// Games of a file, but the last one of a run.
    pub shard_games: u32,
}

/// What a file of games says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Encode, Decode)]
pub struct ShardHeader {
    /// The run it belongs to.
    pub run: RunInfo,
    /// The number of its first game in the run.
    pub first: u64,
    /// Figures of its games.
    pub tally: Tally,
}

/// Why rules cannot be had from a header.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// The variant or one of its options is not known.
    #[error(transparent)]
    Variant(#[from] VariantError),
    /// The drawing rules cannot be read.
    #[error(transparent)]
    DrawRules(#[from] DrawRulesError),
    /// The variant of that name has other rules.
    #[error("the games are of {variant} draughts by rules that this program does not have")]
    OtherRules {
        /// The variant.
        variant: String,
    },
}

impl RunInfo {
    /// What a run says about itself.
    pub(super) fn new<B: Board, E>(run: &SelfPlay<B, E>) -> Self {
        let settings = &run.settings;
        let mut info = Self {
            variant: run.rules.name.to_owned(),
            options: run.rules.changed_options(),
            move_rules: run.rules.move_rules_bytes(),
            draw_rules: run.draw_rules.to_string(),
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            seed: settings.seed,
            nodes: 0,
            table_entries: 0,
            weights: 0,
            table_pieces: run.tables.as_ref().map_or(0, |tables| tables.max_pieces()),
            tables: run.tables.as_deref().map_or(0, names_hash),
            opening_plies: [0; 2],
            opening_nodes: 0,
            opening_bound: 0,
            opening_attempts: 0,
            ply_limit: settings.ply_limit,
            shard_games: settings.shard_games,
        };
        if let Players::Engine {
            nodes,
            table_entries,
        } = settings.players
        {
            let opening = &settings.opening;
            info.nodes = nodes;
            info.table_entries = table_entries as u64;
            info.weights = run.weights;
            info.opening_plies = [*opening.plies.start(), *opening.plies.end()];
            info.opening_nodes = opening.nodes;
            info.opening_bound = opening.bound;
            info.opening_attempts = opening.attempts;
        }
        info
    }

    /// The rules of the moves.
    ///
    /// # Errors
    /// [`HeaderError`].
    pub fn rule_set(&self) -> Result<RuleSet, HeaderError> {
        let named = *variant::by_name(&self.variant)?;
        let mut options = self.options.iter();
        let rules = options.try_fold(named, |rules, option| rules.with_option(option))?;
        if rules.move_rules_bytes() == self.move_rules {
            Ok(rules)
        } else {
            Err(HeaderError::OtherRules {
                variant: self.variant.clone(),
            })
        }
    }

    /// The drawing rules.
    ///
    /// # Errors
    /// [`HeaderError::DrawRules`].
    pub fn draw_rules(&self) -> Result<DrawRules, HeaderError> {
        Ok(self.draw_rules.parse()?)
    }

    /// Everything as text, for people and comparisons.
    #[must_use]
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        let [least, most] = self.opening_plies;
        vec![
            ("variant", self.variant.clone()),
            ("options", self.options.join(" ")),
            ("move rules", format!("{:?}", self.move_rules)),
            ("drawing rules", self.draw_rules.clone()),
            ("engine", self.engine.clone()),
            ("seed", self.seed.to_string()),
            ("nodes", self.nodes.to_string()),
            ("table entries", self.table_entries.to_string()),
            ("weights", format!("{:016x}", self.weights)),
            ("pieces of tables", self.table_pieces.to_string()),
            ("tables", format!("{:016x}", self.tables)),
            ("random plies", format!("{least}-{most}")),
            ("opening nodes", self.opening_nodes.to_string()),
            ("opening bound", self.opening_bound.to_string()),
            ("opening attempts", self.opening_attempts.to_string()),
            ("ply limit", self.ply_limit.to_string()),
            ("games of a file", self.shard_games.to_string()),
        ]
    }

    /// The first thing that another run says otherwise: what, here, and there.
    pub(super) fn difference(&self, other: &Self) -> Option<(&'static str, String, String)> {
        let both = self.fields().into_iter().zip(other.fields());
        both.map(|((what, here), (_, there))| (what, here, there))
            .find(|(_, here, there)| here != there)
    }
}

/// A hash of the names of all tables.
fn names_hash<B: Board>(tables: &Tablebase<B>) -> u64 {
    let names = tables.tables().into_iter();
    let names = names.map(|(class, metric)| makhos_probe::file_name(class, metric) + "\n");
    let bytes: Vec<u8> = names.flat_map(String::into_bytes).collect();
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl ShardHeader {
    pub(super) fn encode(&self) -> Result<Vec<u8>, bincode::error::EncodeError> {
        bincode::encode_to_vec(self, LAYOUT)
    }

    /// The header that these bytes are, all of them.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (header, used) = bincode::decode_from_slice(bytes, LAYOUT).ok()?;
        (used == bytes.len()).then_some(header)
    }
}

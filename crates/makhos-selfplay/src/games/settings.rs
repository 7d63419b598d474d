//! What decides how games are played.

use std::ops::RangeInclusive;

use thiserror::Error;

/// Who moves after the opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Players {
    /// Every legal move is as likely as the others. There is no opening then.
    Random,
    /// The engine searches, for both sides.
    Engine {
        /// Positions a search visits.
        nodes: u64,
        /// Entries of the hash table; see [`Settings`](crate::search::Settings).
        table_entries: usize,
    },
}

impl Players {
    /// The engine with its usual hash table.
    #[must_use]
    pub fn engine(nodes: u64) -> Self {
        Self::Engine {
            nodes,
            table_entries: crate::search::Settings::default().table_entries,
        }
    }
}

/// How openings are made: random moves from the start position, drawn again if they favour a side too much.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpeningSettings {
    /// How many plies; the number of each opening is drawn from this range.
    pub plies: RangeInclusive<u16>,
    /// Positions that the search visits which judges an opening.
    pub nodes: u64,
    /// How far from 0 its score may be, in hundredths of a man.
    pub bound: u16,
    /// How many openings are tried. Then the most balanced of them is played.
    pub attempts: u16,
}

impl Default for OpeningSettings {
    fn default() -> Self {
        Self {
            plies: 6..=10,
            nodes: 1_000,
            bound: 100,
            attempts: 100,
        }
    }
}

/// Settings of a run. Together with rules, weights and tables they decide every byte of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameSettings {
    /// How many games.
    pub games: u64,
    /// From which all random numbers follow.
    pub seed: u64,
    /// Who moves.
    pub players: Players,
    /// How openings are made.
    pub opening: OpeningSettings,
    /// After so many plies a game counts as drawn.
    pub ply_limit: u16,
    /// Games of a file, but the last one of a run.
    pub shard_games: u32,
}

impl Default for GameSettings {
    fn default() -> Self {
        Self {
            games: 1_000,
            seed: 0,
            players: Players::engine(5_000),
            opening: OpeningSettings::default(),
            ply_limit: 300,
            shard_games: 256,
        }
    }
}

/// Why games cannot be played with some settings.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{what} is {found}, but must be {expected}")]
pub struct SettingsError {
    /// The setting.
    pub what: &'static str,
    /// What it is.
    pub found: String,
    /// What it may be.
    pub expected: &'static str,
}

/// The most files of a run: their numbers have six digits.
pub(super) const MOST_SHARDS: u64 = 1_000_000;

impl GameSettings {
    /// How many files the games make.
    #[must_use]
    pub fn shards(&self) -> u64 {
        self.games.div_ceil(u64::from(self.shard_games.max(1)))
    }

    /// The games of a file: the first, and how many.
    pub(super) fn shard(&self, number: u64) -> (u64, u32) {
        let first = number * u64::from(self.shard_games);
        let left = self.games.saturating_sub(first);
        // No more than the games of a file.
        (first, left.min(self.shard_games.into()) as u32)
    }

    /// Whether games can be played with them.
    ///
    /// # Errors
    /// [`SettingsError`].
    pub fn check(&self) -> Result<(), SettingsError> {
        let opening = &self.opening;
        let plies = format!("{}-{}", opening.plies.start(), opening.plies.end());
        let nodes = match self.players {
            Players::Random => 1,
            Players::Engine { nodes, .. } => nodes,
        };
        let ordered = opening.plies.start() <= opening.plies.end();
        let shards = self.shard_games > 0 && self.shards() <= MOST_SHARDS;
        #[rustfmt::skip]
        let checks = [
            (nodes > 0, "the number of nodes", nodes.to_string(), "1 at least"),
            (opening.nodes > 0, "the number of nodes for an opening", opening.nodes.to_string(), "1 at least"),
            (opening.attempts > 0, "the number of openings to try", opening.attempts.to_string(), "1 at least"),
            (ordered, "the number of random plies", plies.clone(), "a smaller and a larger number"),
            (*opening.plies.end() < self.ply_limit, "the number of random plies", plies,
                "below the ply limit"),
            (shards, "the number of games of a file", self.shard_games.to_string(),
                "1 at least, and large enough for no more than a million files"),
        ];
        match checks.into_iter().find(|(right, ..)| !right) {
            None => Ok(()),
            Some((_, what, found, expected)) => Err(SettingsError {
                what,
                found,
                expected,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_divided_among_files() {
        let settings = GameSettings {
            games: 600,
            ..GameSettings::default()
        };
        assert_eq!(settings.shards(), 3);
        assert_eq!(settings.shard(0), (0, 256));
        assert_eq!(settings.shard(2), (512, 88));
        assert_eq!(settings.check(), Ok(()));
    }

    #[test]
    fn settings_without_meaning_are_refused() {
        let refused = |change: fn(&mut GameSettings)| {
            let mut settings = GameSettings::default();
            change(&mut settings);
            settings.check().expect_err("refused").to_string()
        };
        assert!(refused(|it| it.players = Players::engine(0)).contains("nodes is 0"));
        assert!(refused(|it| it.opening.nodes = 0).contains("for an opening"));
        assert!(refused(|it| it.opening.attempts = 0).contains("to try"));
        let range = refused(|it| it.opening.plies = RangeInclusive::new(9, 4));
        assert!(range.contains("random plies is 9-4"));
        assert!(refused(|it| it.ply_limit = 10).contains("below the ply limit"));
        assert!(refused(|it| it.shard_games = 0).contains("file is 0"));
        assert!(refused(|it| it.games = 256_000_001).contains("million"));
    }
}

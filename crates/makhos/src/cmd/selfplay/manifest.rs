//! `manifest.json` of a directory of games.

use std::io::Write;
use std::path::Path;

use makhos_rules::RuleSet;
use makhos_selfplay::games::{RunInfo, RunReport, ShardReport, Tally};
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::exit::{OrFail, Outcome};
use crate::json::RulesJson;
use crate::text::grouped;

/// The name of the file.
pub(super) const MANIFEST: &str = "manifest.json";

/// What a directory of games holds. The same games have the same manifest.
#[derive(Debug, Serialize)]
pub(super) struct Manifest {
    format: &'static str,
    #[serde(flatten)]
    rules: RulesJson,
    run: RunJson,
    totals: Figures,
    files: Vec<FileJson>,
}

/// What decides the games.
#[derive(Debug, Serialize)]
struct RunJson {
    engine: String,
    seed: u64,
    players: &'static str,
    nodes: u64,
    weights: String,
    table_pieces: u32,
    tables: String,
    random_plies: [u16; 2],
    opening_nodes: u64,
    opening_bound: u16,
    ply_limit: u16,
    draw_rules: Vec<String>,
}

/// Figures of some games.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Figures {
    pub(super) games: u64,
    pub(super) positions: u64,
    scored: u64,
    opening: u64,
    unbalanced_openings: u64,
    white_wins: u64,
    draws: u64,
    black_wins: u64,
    ended_without_move: u64,
    ended_by_drawing_rule: u64,
    ended_by_tables: u64,
    ended_by_length: u64,
}

#[derive(Debug, Serialize)]
struct FileJson {
    name: String,
    first: u64,
    games: u64,
    positions: u64,
    bytes: u64,
    sha256: String,
}

impl Manifest {
    pub(super) fn new(rules: &RuleSet, report: &RunReport) -> Self {
        Self {
            format: "makhos-games 1",
            rules: RulesJson::new(rules),
            run: RunJson::new(&report.info),
            totals: Figures::new(&report.tally),
            files: report.shards.iter().map(FileJson::new).collect(),
        }
    }

    /// Writes it into the directory; it appears only when it is complete.
    pub(super) fn write(&self, dir: &Path) -> Outcome<()> {
        let mut text = serde_json::to_string_pretty(self).or_environment()?;
        text.push('\n');
        let mut builder = tempfile::Builder::new();
        // As open as the user's other files.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let write = || -> std::io::Result<()> {
            let mut file: NamedTempFile = builder.tempfile_in(dir)?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(dir.join(MANIFEST))?;
            Ok(())
        };
        write().or_environment()
    }
}

impl RunJson {
    fn new(info: &RunInfo) -> Self {
        Self {
            engine: info.engine.clone(),
            seed: info.seed,
            players: if info.nodes == 0 { "random" } else { "engine" },
            nodes: info.nodes,
            weights: format!("{:016x}", info.weights),
            table_pieces: info.table_pieces,
            tables: format!("{:016x}", info.tables),
            random_plies: info.opening_plies,
            opening_nodes: info.opening_nodes,
            opening_bound: info.opening_bound,
            ply_limit: info.ply_limit,
            draw_rules: info.draw_rules.lines().map(str::to_owned).collect(),
        }
    }
}

impl FileJson {
    fn new(shard: &ShardReport) -> Self {
        let name = shard.path.file_name().unwrap_or_default();
        Self {
            name: name.to_string_lossy().into_owned(),
            first: shard.first,
            games: shard.tally.games,
            positions: shard.tally.positions,
            bytes: shard.file_bytes,
            sha256: shard
                .sha256
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect(),
        }
    }
}

impl Figures {
    pub(super) fn new(tally: &Tally) -> Self {
        Self {
            games: tally.games,
            positions: tally.positions,
            scored: tally.scored,
            opening: tally.opening,
            unbalanced_openings: tally.unbalanced,
            white_wins: tally.white,
            draws: tally.draws,
            black_wins: tally.black,
            ended_without_move: tally.no_move,
            ended_by_drawing_rule: tally.by_rule,
            ended_by_tables: tally.by_tables,
            ended_by_length: tally.too_long,
        }
    }

    /// In short, for people.
    pub(super) fn line(&self) -> String {
        format!(
            "{} games (White won {}, Black {}, drawn {}), {} positions, {} of them searched",
            grouped(self.games.into()),
            grouped(self.white_wins.into()),
            grouped(self.black_wins.into()),
            grouped(self.draws.into()),
            grouped(self.positions.into()),
            grouped(self.scored.into()),
        )
    }
}

//! Short runs, and what is in their files.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use makhos_index::classes;
use makhos_probe::{Metric, Tablebase};
use makhos_retro::Generator;
use makhos_rules::draw::official;
use makhos_rules::{Board, RuleSet};
use makhos_selfplay::eval::{Patterns, Weights};
use makhos_selfplay::games::shard::list_shards;
use makhos_selfplay::games::{
    GameRecord, GameSettings, OpeningSettings, Players, Quiet, RunReport, SelfPlay, Shard,
    ShardReport,
};

/// A short run: ten games in three files.
pub(crate) fn settings() -> GameSettings {
    GameSettings {
        games: 10,
        seed: 5,
        players: Players::Engine {
            nodes: 60,
            table_entries: 1 << 10,
        },
        opening: OpeningSettings {
            nodes: 50,
            ..OpeningSettings::default()
        },
        ply_limit: 120,
        shard_games: 4,
    }
}

pub(crate) fn run_of<B: Board>(
    rules: &RuleSet,
    settings: GameSettings,
) -> SelfPlay<B, Patterns<B>> {
    let weights = Weights::material_only::<B>(rules);
    SelfPlay {
        rules: *rules,
        draw_rules: official::of(rules),
        eval: Arc::new(Patterns::new(rules, &weights).expect("weights of the variant")),
        weights: weights.hash(),
        tables: None,
        settings,
    }
}

pub(crate) fn play<B: Board>(
    run: &SelfPlay<B, Patterns<B>>,
    dir: &Path,
    threads: usize,
) -> RunReport {
    let threads = NonZero::new(threads).expect("threads");
    run.run(dir, threads, &Quiet).expect("games")
}

/// Names and bytes of all files of games.
pub(crate) fn contents(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = list_shards(dir).expect("a list").into_iter();
    let read = |(_, path): (u64, PathBuf)| {
        let bytes = fs::read(&path).expect("read");
        (PathBuf::from(path.file_name().expect("a name")), bytes)
    };
    files.map(read).collect()
}

pub(crate) fn games<B: Board>(report: &RunReport) -> Vec<GameRecord<B>> {
    let shards = report.shards.iter();
    let open = |shard: &ShardReport| Shard::open(&shard.path).expect("intact");
    shards
        .flat_map(|shard| open(shard).games().expect("games"))
        .collect()
}

/// Makes all tables of up to so many pieces and opens them.
pub(crate) fn tables(rules: RuleSet, dir: &Path, metric: Metric, pieces: u32) -> Tablebase<u32> {
    let generator = Generator::<u32>::new(rules, dir, metric);
    let plan = generator.plan(&classes(pieces)).expect("a plan");
    generator.run(&plan, &makhos_retro::Quiet).expect("tables");
    Tablebase::open(rules, dir).expect("tables")
}

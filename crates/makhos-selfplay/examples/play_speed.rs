//! How fast games are played on one thread: random moves in memory, and the engine against itself with files.
//!
//! ```text
//! cargo run --release -p makhos-selfplay --example play_speed -- english random 200000
//! cargo run --release -p makhos-selfplay --example play_speed -- russian 5000 100
//! ```
//!
//! The arguments are the variant, `random` or the nodes of a search, and the number of games. The second rate
//! counts time on the processor, where Linux tells it, and hardly depends on what else the machine does.

use std::error::Error;
use std::fs;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Instant;

use makhos_rules::draw::official;
use makhos_rules::{Board, BoardSize, RuleSet, variant};
use makhos_selfplay::eval::{Patterns, Weights};
use makhos_selfplay::games::{
    GameSettings, Players, Quiet, RandomGames, RunReport, SelfPlay, Tally,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [variant, players, games] = arguments.as_slice() else {
        return Err("usage: play_speed VARIANT random|NODES GAMES".into());
    };
    let rules = variant::by_name(variant)?;
    let games = games.parse()?;
    match rules.board {
        BoardSize::Eight => measure::<u32>(rules, players, games),
        BoardSize::Ten => measure::<u64>(rules, players, games),
        BoardSize::Twelve => measure::<u128>(rules, players, games),
    }
}

fn measure<B: Board>(rules: &RuleSet, players: &str, games: u64) -> Result<()> {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let (positions, bytes) = if players == "random" {
        (random::<B>(rules, games), None)
    } else {
        let report = engine::<B>(rules, players.parse()?, games)?;
        println!("{:?}", report.tally);
        (report.tally.positions, Some(bytes(&report)))
    };
    let wall = start.elapsed().as_secs_f64();
    print!("{}: {games} games, {positions} positions", rules.name);
    print!(", {:.0} positions/s by the clock", positions as f64 / wall);
    if let Some(cpu) = cpu_seconds().zip(cpu).map(|(after, before)| after - before) {
        print!(", {:.0} of the processor", positions as f64 / cpu);
    }
    if let Some((before, after)) = bytes {
        print!(", {before:.2} bytes a position, {after:.2} in files");
    }
    println!();
    Ok(())
}

/// Bytes a position: of the games, and of the files.
fn bytes(report: &RunReport) -> (f64, f64) {
    let Tally {
        positions, bytes, ..
    } = report.tally;
    let files: u64 = report.shards.iter().map(|shard| shard.file_bytes).sum();
    let each = |bytes: u64| bytes as f64 / positions as f64;
    (each(bytes), each(files))
}

fn random<B: Board>(rules: &RuleSet, games: u64) -> u64 {
    let draws = official::of(rules);
    let mut random = RandomGames::<B>::new(rules, &draws, 1, 1_000);
    let plies = (0..games).map(|number| random.play(number).parts().plies.len() as u64);
    plies.sum()
}

fn engine<B: Board>(rules: &RuleSet, nodes: u64, games: u64) -> Result<RunReport> {
    let weights = Weights::material_only::<B>(rules);
    let run = SelfPlay {
        rules: *rules,
        draw_rules: official::of(rules),
        eval: Arc::new(Patterns::<B>::new(rules, &weights)?),
        weights: weights.hash(),
        tables: None,
        settings: GameSettings {
            games,
            players: Players::engine(nodes),
            ..GameSettings::default()
        },
    };
    let dir = std::env::temp_dir().join(format!("play_speed.{}", std::process::id()));
    let report = run.run(&dir, NonZero::<usize>::MIN, &Quiet);
    fs::remove_dir_all(&dir)?;
    Ok(report?)
}

/// Time that the threads of this process were working, of those that still run and those that have ended.
fn cpu_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program may hold blanks and brackets; behind it follow numbers.
    let (_, numbers) = text.rsplit_once(')')?;
    let mut numbers = numbers.split_whitespace().skip(11);
    let user: f64 = numbers.next()?.parse().ok()?;
    let system: f64 = numbers.next()?.parse().ok()?;
    // The kernel's unit towards programs, the same on all machines.
    Some((user + system) / 100.0)
}

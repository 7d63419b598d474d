//! `makhos selfplay`: games of the engine against itself, or of random moves, into files.

mod manifest;
mod watch;

use std::num::NonZero;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use makhos_retro::SolvedBoard;
use makhos_rules::RuleSet;
use makhos_selfplay::eval::Model;
use makhos_selfplay::games::{
    GameSettings, OpeningSettings, Players, RunError, RunReport, SelfPlay,
};
use serde::Serialize;

use crate::args::{DirArgs, RulesArgs};
use crate::board::BoardCommand;
use crate::exit::{Exit, Failure, OrFail, Outcome};
use crate::interrupt::Interrupt;
use crate::json::path_text;
use crate::output::Output;
use crate::play::{self, Draws};
use crate::text::{self, grouped};

use self::manifest::{Figures, Manifest};
use self::watch::Watch;

const AFTER_HELP: &str = "\
Every game begins with random moves; both sides then search the same number of nodes a move.
Tables in the directory of tables decide games as soon as they can. The same command gives the
same files, byte for byte, for any number of threads, and resumes what was interrupted or killed.
More games are added by a larger --games.

Examples:
  makhos selfplay --variant russian --games 1000 --out games
  makhos selfplay --variant thai --games 50000 --weights g1.safetensors --seed 2 --out g2
  makhos selfplay --variant english --games 100000 --random --out noise";

/// Play: games of the engine against itself into files, as material for training
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct SelfplayArgs {
    #[command(flatten)]
    rules: RulesArgs,

    /// How many games the files hold in the end
    #[arg(long, value_name = "N")]
    games: u64,

    /// The directory for the files, which is made if it is missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Positions that the search of a move visits
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    nodes: u64,

    /// All random numbers follow from it
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// The evaluation, a safetensors file of weights or of a network; without it, material is all that the engine knows
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,

    #[command(flatten)]
    dir: DirArgs,

    /// Threads to play on; without it as many as the machine has
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// How many random plies begin a game: one number, or the smallest and the largest
    #[arg(long, value_name = "A-B", default_value = "6-10", value_parser = plies)]
    random_plies: RangeInclusive<u16>,

    /// Only random moves: no search, no tables, and no weights
    #[arg(long, conflicts_with_all = ["nodes", "weights", "random_plies"])]
    random: bool,

    /// By which rules games are drawn
    #[arg(long, value_enum, value_name = "RULES", default_value_t = Draws::Official)]
    draw_rules: Draws,

    /// After so many plies a game counts as drawn
    #[arg(long, value_name = "N", default_value_t = 300)]
    ply_limit: u16,

    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

fn plies(text: &str) -> Result<RangeInclusive<u16>, String> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse::<u16>();
    match (number(least), number(most)) {
        (Ok(least), Ok(most)) if least <= most => Ok(least..=most),
        _ => Err("write a number, or a smaller and a larger one, such as 6-10".to_owned()),
    }
}

impl BoardCommand for SelfplayArgs {
    fn rules(&self) -> &RulesArgs {
        &self.rules
    }

    fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        let run = self.prepare::<B>(rules)?;
        run.settings.check().or_usage()?;
        let threads = match self.threads {
            Some(threads) => NonZero::new(usize::from(threads)),
            None => thread::available_parallelism().ok(),
        };
        let threads = threads.unwrap_or(NonZero::<usize>::MIN);
        let watch = Watch::new(Interrupt::install()?, &self.out, self.games);
        let start = Instant::now();
        let report = run.run(&self.out, threads, &watch).map_err(failure)?;
        let made = Made {
            figures: watch.made(),
            threads,
            time: start.elapsed(),
        };
        Manifest::new(rules, &report).write(&self.out)?;
        self.print(rules, &report, &made)?;
        Ok(Exit::Done)
    }
}

impl SelfplayArgs {
    fn prepare<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<SelfPlay<B, Model<B>>> {
        let model = play::model::<B>(rules, self.weights.as_deref())?;
        let tables = if self.random {
            None
        } else {
            play::tables(rules, &self.dir.dir)?
        };
        Ok(SelfPlay {
            rules: *rules,
            draw_rules: self.draw_rules.of(rules),
            weights: model.hash(),
            eval: Arc::new(model),
            tables,
            settings: GameSettings {
                games: self.games,
                seed: self.seed,
                players: if self.random {
                    Players::Random
                } else {
                    Players::engine(self.nodes)
                },
                opening: OpeningSettings {
                    plies: self.random_plies.clone(),
                    ..OpeningSettings::default()
                },
                ply_limit: self.ply_limit,
                ..GameSettings::default()
            },
        })
    }

    fn print(&self, rules: &RuleSet, report: &RunReport, made: &Made) -> Outcome<()> {
        let mut output = Output::new();
        if self.json {
            output.json(&Document {
                dir: path_text(&self.out),
                manifest: Manifest::new(rules, report),
                made: made.json(),
            })?;
        } else {
            let files: u64 = report.shards.iter().map(|shard| shard.file_bytes).sum();
            output.line(format_args!(
                "{}: {} in {} files, {}",
                path_text(&self.out),
                Figures::new(&report.tally).line(),
                report.shards.len(),
                text::bytes(files)
            ))?;
            output.line(made.line())?;
        }
        output.flush()
    }
}

/// What this run itself has played.
#[derive(Debug)]
struct Made {
    figures: Figures,
    threads: NonZero<usize>,
    time: Duration,
}

#[derive(Serialize)]
struct Document {
    dir: String,
    #[serde(flatten)]
    manifest: Manifest,
    made: MadeJson,
}

#[derive(Serialize)]
struct MadeJson {
    games: u64,
    positions: u64,
    threads: usize,
    seconds: f64,
    games_per_second: f64,
    positions_per_second: f64,
}

impl Made {
    fn rate(&self, number: u64) -> f64 {
        number as f64 / self.time.as_secs_f64().max(1e-9)
    }

    fn json(&self) -> MadeJson {
        MadeJson {
            games: self.figures.games,
            positions: self.figures.positions,
            threads: self.threads.get(),
            seconds: self.time.as_secs_f64(),
            games_per_second: self.rate(self.figures.games),
            positions_per_second: self.rate(self.figures.positions),
        }
    }

    fn line(&self) -> String {
        format!(
            "played now: {} games in {} on {} threads: {:.1} games/s, {} positions/s",
            grouped(self.figures.games.into()),
            text::time(self.time),
            self.threads,
            self.rate(self.figures.games),
            text::short(self.rate(self.figures.positions)),
        )
    }
}

/// Gives an error of a run its exit code.
fn failure(error: RunError) -> Failure {
    match error {
        RunError::Interrupted { .. } => Failure::say(
            Exit::Interrupted,
            format!("{error}; the same command resumes"),
        ),
        RunError::Settings(_) | RunError::OtherRun { .. } | RunError::MoreGames { .. } => {
            Failure::new(Exit::Usage, error)
        }
        _ => Failure::new(Exit::Environment, error),
    }
}

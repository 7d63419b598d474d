//! `makhos train`: from games to the weights of an evaluation.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use makhos_probe::Wld;
use makhos_retro::SolvedBoard;
use makhos_rules::{Board, RuleSet};
use makhos_selfplay::dataset::{Exporter, Filter};
use makhos_selfplay::eval::Features;
use makhos_selfplay::games::list_shards;
use makhos_selfplay::train::{Example, FitSettings, LossPoint, Samples, Split, best_scale, fit};

use crate::args::{DirArgs, RulesArgs};
use crate::board::BoardCommand;
use crate::exit::{Exit, Failure, OrFail, Outcome};
use crate::interrupt::Interrupt;
use crate::output::{Output, note};
use crate::play;
use crate::text::grouped;

const AFTER_HELP: &str = "\
The weights of the evaluation are fitted to the results of games by logistic regression; a
position that the tables know counts by its exact value instead. Games are divided into those
to train on and those for validation; training stops when the loss in validation has not
fallen for a while, and the weights of the best epoch are kept. Beside FILE.safetensors the losses
are written to FILE.csv and FILE.svg. The same command gives the same weights for any number of
threads.

Examples:
  makhos train --variant russian --games games --out g1.safetensors
  makhos train --variant russian --games g1 --games g2 --weights g1.safetensors --out g2.safetensors";

/// Fit the weights of the evaluation to games and exact labels
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct TrainArgs {
    #[command(flatten)]
    rules: RulesArgs,

    /// A directory of games, as `makhos selfplay` makes it; may be repeated
    #[arg(long, value_name = "DIR", required = true)]
    games: Vec<PathBuf>,

    /// Where the weights go, a safetensors file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// The weights to begin with; without it, material only
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,

    #[command(flatten)]
    dir: DirArgs,

    /// The most epochs
    #[arg(long, value_name = "N", default_value_t = FitSettings::default().epochs)]
    epochs: u32,

    /// The share of games for validation
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    validation: f64,

    /// How firmly weights hold to those at the start
    #[arg(long, value_name = "X", default_value_t = FitSettings::default().prior)]
    prior: f32,

    /// Decides the split and the order of the examples
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Threads to work with; without it as many as the machine has
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl BoardCommand for TrainArgs {
    fn rules(&self) -> &RulesArgs {
        &self.rules
    }

    fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        let start = play::weights::<B>(rules, self.weights.as_deref())?;
        let split = Split::new(self.validation, self.seed).or_usage()?;
        let interrupt = Interrupt::install()?;
        let pool = play::pool(self.threads)?;
        let fitted = pool.install(|| {
            let examples = self.examples::<B>(rules)?;
            let exact = examples.1;
            let (train, validation) = split.divide(examples.0);
            note(format_args!(
                "{} positions to train on, {} for validation; {} of all have exact labels",
                grouped(train.len() as u128),
                grouped(validation.len() as u128),
                grouped(exact.into())
            ));
            let features = Features::<B>::new(rules);
            let train = Samples::extract(&features, &train, self.seed).or_usage()?;
            let validation = Samples::extract(&features, &validation, self.seed).or_usage()?;
            let settings = FitSettings {
                scale: best_scale(&train, &start).or_usage()?,
                epochs: self.epochs,
                prior: self.prior,
                seed: self.seed,
                ..FitSettings::default()
            };
            let mut watch = |point: &LossPoint| {
                note(format_args!(
                    "epoch {}: loss {:.5}, in validation {:.5}",
                    point.epoch, point.train, point.validation
                ));
                !interrupt.is_asked()
            };
            fit(&train, &validation, &start, &settings, &mut watch).or_usage()
        })?;
        fitted
            .weights
            .save::<B>(rules, &self.out)
            .or_environment()?;
        fs::write(self.out.with_extension("csv"), fitted.curve.to_csv()).or_environment()?;
        let title = format!("{}, generation {}", rules.name, fitted.weights.generation);
        fs::write(self.out.with_extension("svg"), fitted.curve.to_svg(&title)).or_environment()?;
        let mut output = Output::new();
        let first = fitted
            .curve
            .points
            .first()
            .map_or(0.0, |point| point.validation);
        output.line(format_args!(
            "{}: generation {}, loss in validation {:.5} after epoch {}, {first:.5} before",
            self.out.display(),
            fitted.weights.generation,
            fitted.best.validation,
            fitted.best.epoch,
        ))?;
        output.flush()?;
        Ok(Exit::Done)
    }
}

impl TrainArgs {
    /// The positions of all games with what came of them, and how many have exact labels.
    fn examples<B: Board>(&self, rules: &RuleSet) -> Outcome<(Vec<Example<B>>, u64)> {
        let tables = play::tables::<B>(rules, &self.dir.dir)?;
        let mut exporter = Exporter::new(*rules, tables.as_deref(), Filter::default());
        let mut examples = Vec::new();
        let mut exact = 0;
        for (run, dir) in (0_u64..).zip(&self.games) {
            let shards = list_shards(dir).or_environment()?;
            if shards.is_empty() {
                let message = format!("there are no games in {}", dir.display());
                return Err(Failure::say(Exit::Environment, message));
            }
            for (_, path) in shards {
                for row in exporter.rows(&path).or_environment()? {
                    let Some(value) = row.outcome.or(row.result) else {
                        continue;
                    };
                    exact += u64::from(row.outcome.is_some());
                    examples.push(Example {
                        position: row.position,
                        target: match value {
                            Wld::Win => 1.0,
                            Wld::Draw => 0.5,
                            Wld::Loss => 0.0,
                        },
                        weight: 1.0,
                        // Games of several runs have the same numbers.
                        game: row.game ^ (run << 48),
                    });
                }
            }
        }
        Ok((examples, exact))
    }
}

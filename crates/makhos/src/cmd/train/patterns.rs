//! `makhos train patterns`: the weights of patterns by logistic regression.

use std::path::PathBuf;

use clap::Args;
use makhos_retro::SolvedBoard;
use makhos_rules::RuleSet;
use makhos_selfplay::eval::Features;
use makhos_selfplay::train::{FitSettings, LossPoint, Samples, best_scale, fit};

use super::examples::{LearnArgs, report, tell};
use crate::args::RulesArgs;
use crate::board::BoardCommand;
use crate::exit::{Exit, OrFail, Outcome};
use crate::interrupt::Interrupt;
use crate::play;

const AFTER_HELP: &str = "\
The weights of the evaluation are fitted to the results of games by logistic regression; a
position that the tables know counts by its exact value instead. Games are divided into those
to train on and those for validation; training stops when the loss in validation has not
fallen for a while, and the weights of the best epoch are kept. Beside FILE.safetensors the losses
are written to FILE.csv and FILE.svg. The same command gives the same weights for any number of
threads.

Examples:
  makhos train patterns --variant russian --games games --out g1.safetensors
  makhos train patterns --variant russian --games g1 --games g2 --weights g1.safetensors --out g2.safetensors";

/// Fit the weights of patterns to games and exact labels
#[derive(Args, Debug)]
// The group tells `makhos train` whether these arguments were given; only those of nested structs are there.
#[group(id = "patterns", args = ["games", "out"], multiple = true)]
#[command(after_help = AFTER_HELP)]
pub(super) struct PatternsArgs {
    #[command(flatten)]
    learn: LearnArgs,

    /// Where the weights go, a safetensors file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// The weights to begin with; without it, material only
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,

    /// The most epochs
    #[arg(long, value_name = "N", default_value_t = FitSettings::default().epochs)]
    epochs: u32,

    /// How firmly weights hold to those at the start
    #[arg(long, value_name = "X", default_value_t = FitSettings::default().prior)]
    prior: f32,
}

impl BoardCommand for PatternsArgs {
    fn rules(&self) -> &RulesArgs {
        &self.learn.rules
    }

    fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        let start = play::weights::<B>(rules, self.weights.as_deref())?;
        let interrupt = Interrupt::install()?;
        let pool = play::pool(self.learn.threads)?;
        let fitted = pool.install(|| {
            let examples = self.learn.examples::<B>(rules)?;
            let (features, seed) = (Features::<B>::new(rules), self.learn.seed);
            let train = Samples::extract(&features, &examples.train, seed).or_usage()?;
            let validation = Samples::extract(&features, &examples.validation, seed).or_usage()?;
            let settings = FitSettings {
                scale: best_scale(&train, &start).or_usage()?,
                epochs: self.epochs,
                prior: self.prior,
                seed,
                ..FitSettings::default()
            };
            let mut watch = |point: &LossPoint| tell(point, &interrupt);
            fit(&train, &validation, &start, &settings, &mut watch).or_usage()
        })?;
        let weights = &fitted.weights;
        weights.save::<B>(rules, &self.out).or_environment()?;
        let generation = weights.generation;
        report(rules, &self.out, generation, &fitted.curve, &fitted.best)?;
        Ok(Exit::Done)
    }
}

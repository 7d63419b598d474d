//! `makhos train network`: the small network that says how likely a win, a draw and a loss are.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use makhos_retro::SolvedBoard;
use makhos_rules::RuleSet;
use makhos_selfplay::eval::{Features, Net, Weights};
use makhos_selfplay::train::{
    LossPoint, NetFit, NetSamples, NetSettings, Samples, best_scale, train_net,
};

use super::examples::{Examples, LearnArgs, report, tell};
use crate::args::RulesArgs;
use crate::board::BoardCommand;
use crate::exit::{Exit, OrFail, Outcome};
use crate::interrupt::Interrupt;
use crate::play;

const AFTER_HELP: &str = "\
The network has four inputs for each square, layers of 64 and 32 neurons, and says how likely the
side to move loses, draws and wins. It learns the results of games by Adam; a position that the
tables know counts by its exact value instead. Games are divided into those to train on and those
for validation; training stops when the loss in validation has not fallen for a while, and the
network of the best epoch is kept. Beside FILE.safetensors it is written to FILE.onnx, for other
programs, and the losses to FILE.csv and FILE.svg. The same command gives the same network for any
number of threads.

Examples:
  makhos train network --variant russian --games games --out n1.safetensors
  makhos match --variant russian n1.safetensors material";

/// Train a small network on games and exact labels
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct NetworkArgs {
    #[command(flatten)]
    learn: LearnArgs,

    /// Where the network goes, a safetensors file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// The network to begin with; without it, one that knows nothing
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,

    /// The most epochs
    #[arg(long, value_name = "N", default_value_t = NetSettings::default().epochs)]
    epochs: u32,

    /// The size of a step of Adam
    #[arg(long, value_name = "X", default_value_t = NetSettings::default().rate)]
    rate: f32,

    /// Examples of a step
    #[arg(long, value_name = "N", default_value_t = NetSettings::default().batch)]
    batch: usize,
}

impl BoardCommand for NetworkArgs {
    fn rules(&self) -> &RulesArgs {
        &self.learn.rules
    }

    fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        let start = match &self.network {
            Some(path) => Some(Net::<B>::load(rules, path).or_environment()?),
            None => None,
        };
        let interrupt = Interrupt::install()?;
        let pool = play::pool(self.learn.threads)?;
        let fitted = pool.install(|| self.train(rules, start, &interrupt))?;
        let net = &fitted.net;
        net.save(rules, &self.out).or_environment()?;
        let onnx = net.to_onnx(rules).or_environment()?;
        fs::write(self.out.with_extension("onnx"), onnx).or_environment()?;
        report(
            rules,
            &self.out,
            net.generation,
            &fitted.curve,
            &fitted.best,
        )?;
        Ok(Exit::Done)
    }
}

impl NetworkArgs {
    fn train<B: SolvedBoard>(
        &self,
        rules: &RuleSet,
        start: Option<Net<B>>,
        interrupt: &Interrupt,
    ) -> Outcome<NetFit<B>> {
        let examples = self.learn.examples::<B>(rules)?;
        let seed = self.learn.seed;
        let start = match start {
            Some(net) => net,
            None => {
                let mut net = Net::random(rules, seed);
                net.scale = worth_of_a_man(rules, &examples, seed)?;
                net
            }
        };
        let train = NetSamples::extract(&examples.train, seed).or_usage()?;
        let validation = NetSamples::extract(&examples.validation, seed).or_usage()?;
        let settings = NetSettings {
            epochs: self.epochs,
            rate: self.rate,
            batch: self.batch,
            seed,
            ..NetSettings::default()
        };
        let mut watch = |point: &LossPoint| tell(point, interrupt);
        train_net(&train, &validation, &start, &settings, &mut watch).or_usage()
    }
}

/// The logit that a man is worth in these games, so that scores of networks and of patterns are of one size.
fn worth_of_a_man<B: SolvedBoard>(
    rules: &RuleSet,
    examples: &Examples<B>,
    seed: u64,
) -> Outcome<f32> {
    let samples = Samples::extract(&Features::new(rules), &examples.train, seed).or_usage()?;
    best_scale(&samples, &Weights::material_only::<B>(rules)).or_usage()
}

//! `makhos train`: from games to an evaluation, and how good it is.

mod accuracy;
mod evaluate;
mod examples;
mod ladder;
mod network;
mod patterns;

use clap::{Args, Subcommand};

use crate::board::run_on_board;
use crate::exit::{Exit, Failure, Outcome};

const AFTER_HELP: &str = "\
`makhos train ARGUMENTS` is short for `makhos train patterns ARGUMENTS`. What is trained is a file
that `makhos engine`, `selfplay` and `match` play with.

Examples:
  makhos train --variant russian --games games --out g1.safetensors
  makhos train network --variant russian --games games --out n1.safetensors
  makhos train accuracy --variant russian g1.safetensors n1.safetensors
  makhos train loop --variant russian --generations 3 --out ladder";

/// Learn from games: weights of patterns or a network; measure what was learnt; or play, train and
/// test in turn
#[derive(Args, Debug)]
#[command(
    after_help = AFTER_HELP,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub(crate) struct TrainArgs {
    #[command(subcommand)]
    command: Option<TrainCommand>,

    #[command(flatten)]
    patterns: Option<patterns::PatternsArgs>,
}

#[derive(Subcommand, Debug)]
enum TrainCommand {
    Patterns(patterns::PatternsArgs),
    Network(network::NetworkArgs),
    Accuracy(accuracy::AccuracyArgs),
    Evaluate(evaluate::EvaluateArgs),
    Loop(ladder::LoopArgs),
}

pub(crate) fn run(args: &TrainArgs) -> Outcome<Exit> {
    match (&args.command, &args.patterns) {
        (Some(TrainCommand::Patterns(args)), _) | (None, Some(args)) => run_on_board(args),
        (Some(TrainCommand::Network(args)), _) => run_on_board(args),
        (Some(TrainCommand::Accuracy(args)), _) => run_on_board(args),
        (Some(TrainCommand::Evaluate(args)), _) => run_on_board(args),
        (Some(TrainCommand::Loop(args)), _) => run_on_board(args),
        (None, None) => Err(Failure::say(
            Exit::Usage,
            "say what to learn from and where it goes: --variant, --games and --out",
        )),
    }
}

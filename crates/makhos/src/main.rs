//! The command line of Makhos: endgame tables of draughts, generated, probed, inspected and verified.
//!
//! One sub-command a file in [`cmd`]; what they share lies beside it. Results go to standard output,
//! progress and logs to standard error, and the exit code is one of [`exit::Exit`].

mod args;
mod board;
mod cmd;
mod draw_figures;
mod exit;
mod figures;
mod interrupt;
mod json;
mod memory;
mod output;
mod play;
mod progress;
mod tables;
mod text;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};
use crate::board::run_on_board;
use crate::exit::{Exit, Outcome};

fn main() -> ExitCode {
    let outcome = run(&Cli::parse());
    let exit = outcome.unwrap_or_else(|failure| {
        if let Some(message) = failure.message() {
            output::note(format_args!("error: {message}"));
        }
        failure.exit()
    });
    exit.into()
}

fn run(cli: &Cli) -> Outcome<Exit> {
    match &cli.command {
        Command::Variants(args) => cmd::variants::run(args),
        Command::Moves(args) => run_on_board(args),
        Command::Perft(args) => run_on_board(args),
        Command::Generate(args) => run_on_board(args),
        Command::Stats(args) => run_on_board(args),
        Command::Probe(args) => run_on_board(args),
        Command::Verify(args) => run_on_board(args),
        Command::Engine(args) => run_on_board(args),
        Command::Selfplay(args) => run_on_board(args),
        Command::Dataset(args) => run_on_board(args),
        Command::Train(args) => cmd::train::run(args),
        Command::Match(args) => run_on_board(args),
        Command::Completions(args) => cmd::completions::run(args),
    }
}

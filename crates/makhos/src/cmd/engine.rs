//! `makhos engine`: the engine, for programs that speak the Hub protocol.

use std::io::{self, BufReader};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use makhos_probe::Tablebase;
use makhos_retro::SolvedBoard;
use makhos_rules::RuleSet;
use makhos_selfplay::hub::{Setup, serve};

use crate::args::{DirArgs, RulesArgs};
use crate::board::BoardCommand;
use crate::exit::{Exit, Failure, OrFail, Outcome};
use crate::play::{self, Draws};

const AFTER_HELP: &str = "\
Commands and answers are those of the Hub protocol, version 2, one a line. Tables that are
in the directory are used; without weights, material is all that the engine knows.

Examples:
  makhos engine --variant russian --dir tables
  makhos engine --variant international --weights g3.safetensors --hash 64
  makhos engine --variant russian --weights n1.safetensors";

/// Play: an engine on standard input and output, in the Hub protocol
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct EngineArgs {
    #[command(flatten)]
    rules: RulesArgs,

    #[command(flatten)]
    dir: DirArgs,

    /// The evaluation, a safetensors file of weights or of a network
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,

    /// Size of the hash table
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,

    /// By which rules games are drawn
    #[arg(long, value_enum, value_name = "RULES", default_value_t = Draws::Official)]
    draw_rules: Draws,
}

impl BoardCommand for EngineArgs {
    fn rules(&self) -> &RulesArgs {
        &self.rules
    }

    fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        let evaluator = play::model::<B>(rules, self.weights.as_deref())?;
        let tables = Tablebase::<B>::open(*rules, &self.dir.dir).or_environment()?;
        let setup = Setup {
            rules: *rules,
            draw_rules: self.draw_rules.of(rules),
            evaluator: Arc::new(evaluator),
            tables: (tables.max_pieces() > 0).then(|| Arc::new(tables)),
            mebibytes: self.hash as usize,
        };
        let input = BufReader::new(io::stdin());
        serve(&setup, input, io::stdout()).map_err(Failure::output)?;
        Ok(Exit::Done)
    }
}

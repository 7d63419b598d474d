//! `makhos train evaluate`: what an evaluation says of positions, without looking ahead.

use std::io::{self, BufRead};
use std::path::PathBuf;

use clap::Args;
use makhos_retro::SolvedBoard;
use makhos_rules::notation::fen;
use makhos_rules::{Board, RuleSet};
use makhos_selfplay::eval::{Evaluator, Model};
use serde::Serialize;

use crate::args::RulesArgs;
use crate::board::BoardCommand;
use crate::exit::{Exit, OrFail, Outcome};
use crate::json::RulesJson;
use crate::output::Output;
use crate::play;

const AFTER_HELP: &str = "\
A line is the FEN, the score for the side to move in hundredths of a man, and of a network the
probabilities of a loss, a draw and a win, with tabs between. Without FENs they are read from
standard input, one a line. Nothing is searched, so positions in which something can be captured
are judged badly.

Examples:
  makhos train evaluate --variant russian --weights n1.safetensors 'W:W22,27:BK3'";

/// Tell what an evaluation says of positions, without a search
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct EvaluateArgs {
    #[command(flatten)]
    rules: RulesArgs,

    /// Weights or a network, a safetensors file; without it, material only
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,

    /// Positions
    #[arg(value_name = "FEN")]
    fens: Vec<String>,

    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    rules: RulesJson,
    generation: u32,
    positions: Vec<Said>,
}

#[derive(Serialize)]
struct Said {
    fen: String,
    score: i32,
    /// Of a loss, a draw and a win; only a network knows them.
    probabilities: Option<[f64; 3]>,
}

impl Said {
    fn line(&self) -> String {
        let mut line = format!("{}\t{}", self.fen, self.score);
        for probability in self.probabilities.iter().flatten() {
            line.push_str(&format!("\t{probability:.7}"));
        }
        line
    }
}

impl BoardCommand for EvaluateArgs {
    fn rules(&self) -> &RulesArgs {
        &self.rules
    }

    fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        let model = play::model::<B>(rules, self.weights.as_deref())?;
        let mut output = Output::new();
        let fens: Box<dyn Iterator<Item = io::Result<String>>> = if self.fens.is_empty() {
            Box::new(io::stdin().lock().lines())
        } else {
            Box::new(self.fens.iter().cloned().map(Ok))
        };
        let mut positions = Vec::new();
        for fen in fens {
            let said = say(rules, &model, fen.or_environment()?)?;
            if self.json {
                positions.push(said);
            } else {
                output.line(said.line())?;
            }
        }
        if self.json {
            output.json(&Document {
                rules: RulesJson::new(rules),
                generation: model.generation(),
                positions,
            })?;
        }
        output.flush()?;
        Ok(Exit::Done)
    }
}

fn say<B: Board>(rules: &RuleSet, model: &Model<B>, fen: String) -> Outcome<Said> {
    let position = fen::parse::<B>(rules, &fen).or_usage()?;
    let probabilities = model.network().map(|net| net.probabilities(&position));
    Ok(Said {
        fen,
        score: model.evaluate(&position).get(),
        probabilities: probabilities.map(|all| all.map(f64::from)),
    })
}

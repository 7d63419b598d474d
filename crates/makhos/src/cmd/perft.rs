//! `makhos perft`: counting move sequences, the usual check of a move generator.

use std::collections::BTreeMap;
use std::time::Instant;

use clap::{Args, ValueEnum};
use makhos_retro::SolvedBoard;
use makhos_rules::notation::{fen, hub};
use makhos_rules::perft::{self, Counting};
use makhos_rules::{Board, Position, RuleSet};

use crate::args::RulesArgs;
use crate::board::BoardCommand;
use crate::exit::{Exit, OrFail, Outcome};
use crate::output::{Output, note};
use crate::text;

const AFTER_HELP: &str = "\
The last line of the output is the number alone; time and speed go to standard error.

Examples:
  makhos perft --variant english --depth 8
  makhos perft --variant international --depth 6 --divide
  makhos perft --variant russian --depth 5 --fen 'W:WK30:B9,10,17,18' --count keep";

/// Count the move sequences of a given length
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct PerftArgs {
    #[command(flatten)]
    rules: RulesArgs,

    /// Length of the sequences in plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=64))]
    depth: u32,

    /// Where to begin; without it the variant's start position with its own first mover
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,

    /// Print the count of every first move before the sum
    #[arg(long)]
    divide: bool,

    /// What counts as one move
    #[arg(long, value_enum, value_name = "COUNT", default_value_t = CountArg::Drop)]
    count: CountArg,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum CountArg {
    /// Captures with the same ends and the same captured pieces are one move
    Drop,
    /// Every route of a capture is a move
    Keep,
}

impl From<CountArg> for Counting {
    fn from(count: CountArg) -> Self {
        match count {
            CountArg::Drop => Self::Drop,
            CountArg::Keep => Self::Keep,
        }
    }
}

impl BoardCommand for PerftArgs {
    fn rules(&self) -> &RulesArgs {
        &self.rules
    }

    fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        let position = match &self.fen {
            Some(text) => fen::parse::<B>(rules, text).or_usage()?,
            None => Position::start(rules),
        };
        let counting = self.count.into();
        let mut output = Output::new();
        let start = Instant::now();
        let total = if self.divide && self.depth > 0 {
            let counts = divide(rules, &position, self.depth, counting);
            for (mv, count) in &counts {
                output.line(format_args!("{mv} {count}"))?;
            }
            counts.values().sum()
        } else {
            perft::count(rules, &position, self.depth, counting)
        };
        report(total, start);
        output.line(total)?;
        output.flush()?;
        Ok(Exit::Done)
    }
}

/// The counts by move in Hub form. The routes of a capture share that form, so they share a count.
fn divide<B: Board>(
    rules: &RuleSet,
    position: &Position<B>,
    depth: u32,
    counting: Counting,
) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for (mv, count) in perft::divide(rules, position, depth, counting) {
        *counts.entry(hub::write_move(rules, &mv)).or_insert(0) += count;
    }
    counts
}

fn report(total: u64, start: Instant) {
    let elapsed = start.elapsed();
    let rate = total as f64 / elapsed.as_secs_f64().max(1e-9);
    note(format_args!(
        "{} sequences in {}, {} sequences/s on one thread",
        text::grouped(total.into()),
        text::time(elapsed),
        text::short(rate)
    ));
}

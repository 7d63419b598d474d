//! The arguments of the command line.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use makhos_index::Material;
use makhos_probe::Metric;
use makhos_rules::draw::{DrawRules, official};
use makhos_rules::{RuleSet, variant};

use crate::cmd;
use crate::exit::{Exit, Failure, OrFail, Outcome};

const AFTER_HELP: &str = "\
Examples:
  makhos variants
  makhos generate --variant russian --pieces 4
  makhos probe --variant russian 'W:WK26,K27,K31:BK10'
  makhos stats --variant russian
  makhos verify --variant russian --full

FENs number the squares row by row from the top left as White sees the board; on the mirrored
boards (italian, spanish, portuguese) square 1 is a8. Distances are in plies: one player's
move is one ply.

Exit codes: 0 done; 1 a clean no (verification found a difference, a position lies outside
the tables); 2 bad usage or input; 3 the environment (disk full, not enough memory, a file
missing or damaged); 130 interrupted, the same command resumes.";

/// Exact endgame tables of draughts: generate, probe, inspect and verify them
#[derive(Parser, Debug)]
#[command(name = "makhos", version, after_help = AFTER_HELP, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The sub-commands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Variants(cmd::variants::VariantsArgs),
    Moves(cmd::moves::MovesArgs),
    Perft(cmd::perft::PerftArgs),
    Generate(cmd::generate::GenerateArgs),
    Stats(cmd::stats::StatsArgs),
    Probe(cmd::probe::ProbeArgs),
    Verify(cmd::verify::VerifyArgs),
    Engine(cmd::engine::EngineArgs),
    Selfplay(cmd::selfplay::SelfplayArgs),
    Dataset(cmd::dataset::DatasetArgs),
    Train(cmd::train::TrainArgs),
    Match(cmd::matches::MatchArgs),
    Completions(cmd::completions::CompletionsArgs),
}

/// Which rules are played.
#[derive(Args, Debug)]
pub(crate) struct RulesArgs {
    /// The draughts variant; `makhos variants` describes them
    #[arg(long, value_name = "VARIANT", value_parser = variant_names())]
    variant: String,

    /// A house rule as KEY=VALUE, e.g. removal=end or draw.no_progress=25; may be repeated
    #[arg(long = "option", value_name = "KEY=VALUE")]
    options: Vec<String>,
}

pub(crate) fn variant_names() -> PossibleValuesParser {
    PossibleValuesParser::new(variant::ALL.map(|rules| rules.name))
}

impl RulesArgs {
    /// The variant with its house rules, applied in the order in which they are given.
    pub(crate) fn rule_set(&self) -> Outcome<RuleSet> {
        let named = *variant::by_name(&self.variant).or_usage()?;
        let rules = self
            .options
            .iter()
            .filter(|option| !DrawRules::is_option(option))
            .try_fold(named, |rules, option| rules.with_option(option))
            .or_usage()?;
        // A wrong value is told even where drawing rules play no part.
        self.official(&rules)?;
        Ok(rules)
    }

    /// The official drawing rules of the variant with the house values given.
    fn official(&self, rules: &RuleSet) -> Outcome<DrawRules> {
        self.draw_options()
            .try_fold(official::of(rules), |rules, option| {
                rules.with_option(option)
            })
            .or_usage()
    }

    fn draw_options(&self) -> impl Iterator<Item = &String> {
        let options = self.options.iter();
        options.filter(|option| DrawRules::is_option(option))
    }
}

/// Which drawing rules are in force.
#[derive(Args, Debug)]
pub(crate) struct DrawArgs {
    /// Drawing rules: official for those of the variant, with house values by --option draw.KEY=VALUE;
    /// none; or a file, one rule a line, in the form that `makhos variants --draw-rules VARIANT` prints
    #[arg(long, value_name = "official|none|FILE")]
    draw_rules: Option<String>,
}

impl DrawArgs {
    /// The drawing rules asked for, if any: also by a house value of theirs, or by `asked`.
    pub(crate) fn draw_rules(
        &self,
        rules: &RuleSet,
        options: &RulesArgs,
        asked: bool,
    ) -> Outcome<Option<DrawRules>> {
        let with_values = options.draw_options().next().is_some();
        match self.draw_rules.as_deref() {
            None if !asked && !with_values => Ok(None),
            None | Some("official") => Ok(Some(options.official(rules)?)),
            Some(_) if with_values => Err(Failure::say(
                Exit::Usage,
                "house values of drawing rules, --option draw.KEY=VALUE, belong to --draw-rules official",
            )),
            Some("none") => Ok(None),
            Some(file) => {
                let text = std::fs::read_to_string(file)
                    .map_err(|error| Failure::say(Exit::Environment, format!("{file}: {error}")))?;
                let read: DrawRules = text
                    .parse()
                    .map_err(|error| Failure::say(Exit::Usage, format!("{file}: {error}")))?;
                Ok(Some(read))
            }
        }
    }
}

/// Where the tables are.
#[derive(Args, Debug)]
pub(crate) struct DirArgs {
    /// The directory of all tables
    #[arg(long, value_name = "DIR", env = "MAKHOS_DIR", default_value = "tables")]
    pub(crate) dir: PathBuf,
}

/// One class, in either orientation.
#[derive(Args, Debug)]
pub(crate) struct ClassArgs {
    /// Only this class of material, e.g. 3k-1k or 2m1k-1k (men m, kings k; either side first)
    #[arg(long, value_name = "CLASS")]
    pub(crate) class: Option<Material>,
}

impl ClassArgs {
    /// Whether a canonical class is asked for.
    pub(crate) fn includes(&self, material: Material) -> bool {
        self.class.is_none_or(|class| class.canonical() == material)
    }
}

/// What tables hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum MetricArg {
    /// Win, loss or draw only
    Wld,
    /// Distance to win in plies, and win, loss or draw beside it
    Dtw,
    /// Distance to conversion, the plies to the next capture, promotion or move of a man, and win, loss or
    /// draw beside it
    Dtc,
}

impl From<MetricArg> for Metric {
    fn from(metric: MetricArg) -> Self {
        match metric {
            MetricArg::Wld => Self::Wld,
            MetricArg::Dtw => Self::Dtw,
            MetricArg::Dtc => Self::Dtc,
        }
    }
}

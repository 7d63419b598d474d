//! `makhos dataset`: data sets for AI research, from games and from tables.

mod card;
mod export;
mod label;
mod sample;

use clap::{Args, Subcommand, ValueEnum};
use makhos_retro::SolvedBoard;
use makhos_rules::RuleSet;
use makhos_selfplay::dataset::{DatasetError, ExportError, Form, SampleError};

use crate::args::RulesArgs;
use crate::board::BoardCommand;
use crate::exit::{Exit, Failure, Outcome};

const AFTER_HELP: &str = "\
A data set is a directory of files that `datasets`, `pandas` or `numpy` load unaided, with a
README.md that describes the columns and a manifest.json with digests. All positions of a game
are in one split: train, validation or test. Exact labels come from the tables in the directory
of tables; after bigger tables were made, `makhos dataset label` labels more rows.

Examples:
  makhos dataset export --variant russian --games games --out data
  makhos dataset export --variant thai --games g1 --games g2 --fold --form npz --out data
  makhos dataset label data --variant russian --dir tables
  makhos dataset sample --variant russian --pieces 4 --positions 1000000 --out exact";

/// Make data sets with exact labels, from games or straight from tables
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct DatasetArgs {
    #[command(subcommand)]
    command: DatasetCommand,
}

#[derive(Subcommand, Debug)]
enum DatasetCommand {
    Export(export::ExportArgs),
    Label(label::LabelArgs),
    Sample(sample::SampleArgs),
}

impl BoardCommand for DatasetArgs {
    fn rules(&self) -> &RulesArgs {
        match &self.command {
            DatasetCommand::Export(args) => &args.rules,
            DatasetCommand::Label(args) => &args.rules,
            DatasetCommand::Sample(args) => &args.rules,
        }
    }

    fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        match &self.command {
            DatasetCommand::Export(args) => args.run::<B>(rules),
            DatasetCommand::Label(args) => args.run::<B>(rules),
            DatasetCommand::Sample(args) => args.run::<B>(rules),
        }
    }
}

/// How rows are written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
enum FormArg {
    /// Parquet, compressed by zstd
    Parquet,
    /// Arrays for NumPy
    Npz,
}

impl From<FormArg> for Form {
    fn from(form: FormArg) -> Self {
        match form {
            FormArg::Parquet => Self::Parquet,
            FormArg::Npz => Self::Npz,
        }
    }
}

/// What Parquet files say of themselves.
fn metadata(rules: &RuleSet) -> Vec<(&'static str, String)> {
    vec![("variant", rules.name.to_owned())]
}

fn dataset_failure(error: DatasetError) -> Failure {
    Failure::new(Exit::Environment, error)
}

fn export_failure(error: ExportError) -> Failure {
    let exit = match error {
        ExportError::OtherRules { .. } => Exit::Usage,
        _ => Exit::Environment,
    };
    Failure::new(exit, error)
}

fn sample_failure(error: SampleError) -> Failure {
    Failure::new(Exit::Environment, error)
}

//! What everything that learns has in common: examples from games, and the report.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use makhos_probe::Wld;
use makhos_rules::{Board, RuleSet};
use makhos_selfplay::dataset::{Exporter, Filter};
use makhos_selfplay::games::list_shards;
use makhos_selfplay::train::{Example, LossCurve, LossPoint, Split};

use crate::args::{DirArgs, RulesArgs};
use crate::exit::{Exit, Failure, OrFail, Outcome};
use crate::interrupt::Interrupt;
use crate::output::{Output, note};
use crate::play;
use crate::text::grouped;

/// What to learn from.
#[derive(Args, Debug)]
pub(super) struct LearnArgs {
    #[command(flatten)]
    pub(super) rules: RulesArgs,

    /// A directory of games, as `makhos selfplay` makes it; may be repeated
    #[arg(long, value_name = "DIR", required = true)]
    games: Vec<PathBuf>,

    #[command(flatten)]
    dir: DirArgs,

    /// The share of games for validation
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    validation: f64,

    /// Decides the split and the order of the examples
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(super) seed: u64,

    /// Threads to work with; without it as many as the machine has
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,
}

/// Examples, divided by their games.
pub(super) struct Examples<B> {
    pub(super) train: Vec<Example<B>>,
    pub(super) validation: Vec<Example<B>>,
}

impl LearnArgs {
    /// The positions of all games with what came of them. Works in the current rayon pool.
    pub(super) fn examples<B: Board>(&self, rules: &RuleSet) -> Outcome<Examples<B>> {
        let split = Split::new(self.validation, self.seed).or_usage()?;
        let tables = play::tables::<B>(rules, &self.dir.dir)?;
        let mut exporter = Exporter::new(*rules, tables.as_deref(), Filter::default());
        let mut examples = Vec::new();
        let mut exact: u64 = 0;
        for (run, dir) in (0..).zip(&self.games) {
            for path in shards(dir)? {
                for row in exporter.rows(run, &path).or_environment()? {
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
                        game: row.game,
                    });
                }
            }
        }
        let (train, validation) = split.divide(examples);
        note(format_args!(
            "{} positions to train on, {} for validation; {} of all have exact labels",
            grouped(train.len() as u128),
            grouped(validation.len() as u128),
            grouped(exact.into())
        ));
        Ok(Examples { train, validation })
    }
}

/// The files of a directory of games, of which there is at least one.
pub(super) fn shards(dir: &Path) -> Outcome<Vec<PathBuf>> {
    let shards = list_shards(dir).or_environment()?;
    if shards.is_empty() {
        let message = format!("there are no games in {}", dir.display());
        return Err(Failure::say(Exit::Environment, message));
    }
    Ok(shards.into_iter().map(|(_, path)| path).collect())
}

/// Tells the losses of an epoch; whether training goes on.
pub(super) fn tell(point: &LossPoint, interrupt: &Interrupt) -> bool {
    note(format_args!(
        "epoch {}: loss {:.5}, in validation {:.5}",
        point.epoch, point.train, point.validation
    ));
    !interrupt.is_asked()
}

/// Writes the losses beside what was learnt, and says what has come of it.
pub(super) fn report(
    rules: &RuleSet,
    out: &Path,
    generation: u32,
    curve: &LossCurve,
    best: &LossPoint,
) -> Outcome<()> {
    fs::write(out.with_extension("csv"), curve.to_csv()).or_environment()?;
    let title = format!("{}, generation {generation}", rules.name);
    fs::write(out.with_extension("svg"), curve.to_svg(&title)).or_environment()?;
    let first = curve.points.first().map_or(0.0, |point| point.validation);
    let mut output = Output::new();
    output.line(format_args!(
        "{}: generation {generation}, loss in validation {:.5} after epoch {}, {first:.5} before",
        out.display(),
        best.validation,
        best.epoch,
    ))?;
    output.flush()
}

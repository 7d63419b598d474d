//! `makhos dataset sample`: positions straight from the tables.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use makhos_index::{Material, classes};
use makhos_probe::{Metric, Tablebase};
use makhos_retro::SolvedBoard;
use makhos_rules::RuleSet;
use makhos_selfplay::dataset::{DatasetWriter, Sample, Sampler};
use rayon::prelude::*;

use crate::args::{DirArgs, RulesArgs};
use crate::exit::{Exit, Failure, OrFail, Outcome};
use crate::output::Output;
use crate::progress::{Progress, Unit};
use crate::text::grouped;

use super::card::Manifest;
use super::{FormArg, dataset_failure, metadata, sample_failure};

/// Rows drawn before they are written together.
const BATCH: u64 = 1 << 16;

/// Draw positions from the tables, with exact labels
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("what").multiple(true).args(["pieces", "class"])))]
pub(super) struct SampleArgs {
    #[command(flatten)]
    pub(super) rules: RulesArgs,

    #[command(flatten)]
    dir: DirArgs,

    /// How many positions to draw, with repetitions
    #[arg(long, value_name = "N")]
    positions: u64,

    /// Only classes with exactly so many pieces
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=24))]
    pieces: Option<u32>,

    /// Only this class; may be repeated
    #[arg(long, value_name = "CLASS")]
    class: Vec<Material>,

    /// Every class as likely as any other; otherwise every position is
    #[arg(long)]
    by_class: bool,

    /// All random numbers follow from it
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// The directory of the data set
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// The form of its files
    #[arg(long, value_enum, value_name = "FORM", default_value_t = FormArg::Parquet)]
    form: FormArg,

    /// Rows of a file at most
    #[arg(long, value_name = "N", default_value_t = 4_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    rows_per_file: u32,
}

impl SampleArgs {
    pub(super) fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        let tables = Tablebase::<B>::open(*rules, &self.dir.dir).or_environment()?;
        let sample = Sample {
            classes: self.classes(&tables)?,
            by_class: self.by_class,
            seed: self.seed,
        };
        let sampler = Sampler::new(&tables, &sample).map_err(sample_failure)?;
        let rows = self.rows_per_file as usize;
        let writer =
            DatasetWriter::new::<B>(&self.out, rules, self.form.into(), rows, metadata(rules));
        let mut writer = writer.map_err(dataset_failure)?;
        let progress = Progress::new(self.positions, Unit::Positions(1));
        progress.label("sampling");
        let mut done = 0;
        while done < self.positions {
            let end = (done + BATCH).min(self.positions);
            let rows: Result<Vec<_>, _> = (done..end)
                .into_par_iter()
                .map(|number| sampler.row(number))
                .collect();
            for row in rows.map_err(sample_failure)? {
                writer.push(&row).map_err(dataset_failure)?;
            }
            progress.advance(end - done);
            done = end;
        }
        let files = writer.finish::<B>().map_err(dataset_failure)?;
        progress.finish();
        let source = format!(
            "They were drawn from the endgame tables, {}, with seed {}.",
            if self.by_class {
                "every class as likely"
            } else {
                "every position as likely"
            },
            self.seed
        );
        let manifest = Manifest::new(rules, source, tables.max_pieces(), &files);
        manifest.write(rules, self.form.into(), &self.out)?;
        let mut output = Output::new();
        output.line(format_args!(
            "{}: {} positions of {} classes in {} files",
            self.out.display(),
            grouped(manifest.rows.into()),
            sample.classes.len(),
            files.len()
        ))?;
        output.flush()?;
        Ok(Exit::Done)
    }

    /// The classes asked for; without a word, all of which there are tables.
    fn classes<B: SolvedBoard>(&self, tables: &Tablebase<B>) -> Outcome<Vec<Material>> {
        let mut asked: Vec<Material> = self.class.iter().map(|class| class.canonical()).collect();
        if let Some(pieces) = self.pieces {
            let exactly = classes(pieces)
                .into_iter()
                .filter(|class| class.pieces() == pieces);
            asked.extend(exactly);
        }
        if self.class.is_empty() && self.pieces.is_none() {
            asked = tables
                .tables()
                .into_iter()
                .map(|(class, _)| class)
                .collect();
        }
        asked.sort_unstable();
        asked.dedup();
        for &class in &asked {
            let there = [Metric::Dtw, Metric::Wld].map(|metric| tables.table(class, metric));
            if let [Err(_), Err(error)] = there {
                return Err(Failure::new(Exit::Environment, error));
            }
        }
        Ok(asked)
    }
}

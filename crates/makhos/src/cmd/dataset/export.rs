//! `makhos dataset export`: games as rows.

use std::path::PathBuf;

use clap::Args;
use makhos_retro::SolvedBoard;
use makhos_rules::RuleSet;
use makhos_selfplay::dataset::{DatasetWriter, Exporter, Filter};
use makhos_selfplay::games::list_shards;

use crate::args::{DirArgs, RulesArgs};
use crate::exit::{Exit, Failure, OrFail, Outcome};
use crate::output::Output;
use crate::play;
use crate::progress::{Progress, Unit};
use crate::text::grouped;

use super::card::Manifest;
use super::{FormArg, dataset_failure, export_failure, metadata};

/// Turn games into rows, labelled by the tables that are there
#[derive(Args, Debug)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    pub(super) rules: RulesArgs,

    /// A directory of games, as `makhos selfplay` makes it; may be repeated
    #[arg(long, value_name = "DIR", required = true)]
    games: Vec<PathBuf>,

    /// The directory of the data set
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    #[command(flatten)]
    dir: DirArgs,

    /// The form of its files
    #[arg(long, value_enum, value_name = "FORM", default_value_t = FormArg::Parquet)]
    form: FormArg,

    /// Also positions of the random openings
    #[arg(long)]
    openings: bool,

    /// Also positions in which the side to move must capture
    #[arg(long)]
    captures: bool,

    /// Also positions with a single legal move
    #[arg(long)]
    forced: bool,

    /// Leave out the first plies of each game
    #[arg(long, value_name = "N", default_value_t = 0)]
    first_ply: u16,

    /// Every position once, with colours turned round counting as the same
    #[arg(long)]
    fold: bool,

    /// Rows of a file at most
    #[arg(long, value_name = "N", default_value_t = 4_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    rows_per_file: u32,
}

impl ExportArgs {
    pub(super) fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        let mut shards = Vec::new();
        for (run, dir) in (0..).zip(&self.games) {
            let found = list_shards(dir).or_environment()?;
            if found.is_empty() {
                let message = format!(
                    "there are no games in {}: play some with makhos selfplay --out {}",
                    dir.display(),
                    dir.display()
                );
                return Err(Failure::say(Exit::Environment, message));
            }
            shards.extend(found.into_iter().map(|(_, path)| (run, path)));
        }
        let tables = play::tables::<B>(rules, &self.dir.dir)?;
        let filter = Filter {
            openings: self.openings,
            captures: self.captures,
            forced: self.forced,
            first_ply: self.first_ply,
            fold: self.fold,
        };
        let mut exporter = Exporter::new(*rules, tables.as_deref(), filter);
        let rows = self.rows_per_file as usize;
        let writer =
            DatasetWriter::new::<B>(&self.out, rules, self.form.into(), rows, metadata(rules));
        let mut writer = writer.map_err(dataset_failure)?;
        let progress = Progress::new(shards.len() as u64, Unit::Files);
        progress.label("exporting");
        for (run, path) in &shards {
            exporter
                .write(*run, path, &mut writer)
                .map_err(export_failure)?;
            progress.advance(1);
        }
        let files = writer.finish::<B>().map_err(dataset_failure)?;
        progress.finish();
        let exported = exporter.exported();
        let source = format!(
            "They come from {} games of self-play with {} positions; {} rows were left out because the position had \
             come before.",
            exported.games, exported.positions, exported.folded
        );
        let pieces = tables.as_ref().map_or(0, |tables| tables.max_pieces());
        let manifest = Manifest::new(rules, source, pieces, &files);
        manifest.write(rules, self.form.into(), &self.out)?;
        let mut output = Output::new();
        output.line(format_args!(
            "{}: {} rows of {} games in {} files, {} with exact labels",
            self.out.display(),
            grouped(manifest.rows.into()),
            grouped(exported.games.into()),
            files.len(),
            grouped(manifest.exact_rows.into())
        ))?;
        output.flush()?;
        Ok(Exit::Done)
    }
}

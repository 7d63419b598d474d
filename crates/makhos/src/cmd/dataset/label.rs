//! `makhos dataset label`: a data set once more, with what the tables know by now.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use clap::Args;
use makhos_probe::{Access, Tablebase};
use makhos_retro::SolvedBoard;
use makhos_rules::{Board, RuleSet};
use makhos_selfplay::dataset::{DatasetFile, Form, LabelError, Replacement, Split};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::card::{MANIFEST, Manifest};
use super::{dataset_failure, metadata};
use crate::args::{DirArgs, RulesArgs};
use crate::exit::{Exit, Failure, OrFail, Outcome};
use crate::json::RulesJson;
use crate::output::Output;
use crate::progress::{Progress, Unit};
use crate::text::grouped;
use crate::{play, tables};

const AFTER_HELP: &str = "\
What the tables know is written into tb_wdl, tb_dtw and label_source of every row; README.md and
manifest.json are brought up to date. Labels that the tables at hand do not know are kept. The
files are replaced together once all of them are complete; a killed run is repeated.

Examples:
  makhos dataset label data --variant russian --dir tables";

/// Look the rows of a data set up in the tables again, which may be larger by now
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct LabelArgs {
    /// The directory of the data set
    #[arg(value_name = "DATASET")]
    dataset: PathBuf,

    #[command(flatten)]
    pub(super) rules: RulesArgs,

    #[command(flatten)]
    dir: DirArgs,

    /// Threads to work with; without it as many as the machine has
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// What must be known of a data set to label it again.
#[derive(Deserialize)]
struct Found {
    format: String,
    variant: String,
    options: Vec<String>,
    source: String,
    table_pieces: u32,
    files: Vec<FoundFile>,
}

#[derive(Deserialize)]
struct FoundFile {
    name: String,
    split: String,
    sha256: String,
}

impl LabelArgs {
    pub(super) fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        let _lock = self.lock()?;
        // Brings a killed run to its end before the manifest is read.
        let replacement = Replacement::begin(&self.dataset).or_environment()?;
        let found = self.manifest(rules)?;
        let tables = tables::open::<B>(rules, &self.dir.dir, Access::default())?;
        let pool = play::pool(self.threads)?;
        let progress = Progress::new(found.files.len() as u64, Unit::Files);
        progress.label("labelling");
        let (mut files, mut new) = (Vec::new(), 0);
        let mut forms = Vec::new();
        for file in &found.files {
            let (form, split) = self.kind(file)?;
            let path = replacement.writing().join(&file.name);
            let labelled = pool.install(|| self.label(rules, &tables, file, form, split, &path))?;
            new += labelled.1;
            files.push(labelled.0);
            forms.push(form);
            progress.advance(1);
        }
        let pieces = found.table_pieces.max(tables.max_pieces());
        let manifest = Manifest::new(rules, found.source, pieces, &files);
        let form = forms.first().copied().unwrap_or(Form::Parquet);
        manifest.write(rules, form, &replacement.writing())?;
        replacement.commit().or_environment()?;
        progress.finish();
        let mut output = Output::new();
        output.line(format_args!(
            "{}: {} rows in {} files, {} with exact labels, {} of them new",
            self.dataset.display(),
            grouped(manifest.rows.into()),
            files.len(),
            grouped(manifest.exact_rows.into()),
            grouped(new.into())
        ))?;
        output.flush()?;
        Ok(Exit::Done)
    }

    fn manifest_path(&self) -> PathBuf {
        self.dataset.join(MANIFEST)
    }

    /// Sees to it that only one process labels the data set.
    fn lock(&self) -> Outcome<File> {
        let path = self.manifest_path();
        let failed = |reason: String| {
            let message = format!("{}: {reason}", path.display());
            Failure::say(Exit::Environment, message)
        };
        let file = File::open(&path).map_err(|error| failed(error.to_string()))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => {
                Err(failed("another process labels this data set".to_owned()))
            }
            Err(TryLockError::Error(error)) => Err(failed(error.to_string())),
        }
    }

    /// The manifest, which must be of these rules.
    fn manifest(&self, rules: &RuleSet) -> Outcome<Found> {
        let path = self.manifest_path();
        let refused =
            |exit, reason: String| Failure::say(exit, format!("{}: {reason}", path.display()));
        let text = fs::read_to_string(&path).or_environment()?;
        let found: Found = serde_json::from_str(&text)
            .map_err(|error| refused(Exit::Environment, error.to_string()))?;
        if found.format != super::card::FORMAT {
            let reason = format!("this is {}, not {}", found.format, super::card::FORMAT);
            return Err(refused(Exit::Environment, reason));
        }
        let expected = RulesJson::new(rules);
        if found.variant != expected.variant || found.options != expected.options {
            let reason = format!(
                "positions of {} draughts, not {}",
                found.variant, rules.name
            );
            return Err(refused(Exit::Usage, reason));
        }
        Ok(found)
    }

    /// The form and the split of a file.
    fn kind(&self, file: &FoundFile) -> Outcome<(Form, Split)> {
        let form = Form::of_file(Path::new(&file.name));
        // A name that leads elsewhere is no name of a file of the data set.
        let plain = Path::new(&file.name).file_name() == Some(file.name.as_ref());
        match (form, Split::by_name(&file.split)) {
            (Some(form), Some(split)) if plain => Ok((form, split)),
            _ => {
                let path = self.manifest_path();
                let message = format!("{}: {} is no file of rows", path.display(), file.name);
                Err(Failure::say(Exit::Environment, message))
            }
        }
    }

    /// Writes a file anew at `to`; how many rows have an exact label now that had none.
    fn label<B: Board>(
        &self,
        rules: &RuleSet,
        tables: &Tablebase<B>,
        file: &FoundFile,
        form: Form,
        split: Split,
        to: &Path,
    ) -> Outcome<(DatasetFile, u64)> {
        let path = self.dataset.join(&file.name);
        let damaged = |reason: String| {
            Failure::say(Exit::Environment, format!("{}: {reason}", path.display()))
        };
        let bytes = fs::read(&path).map_err(|error| damaged(error.to_string()))?;
        let digest = Sha256::digest(&bytes);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        if digest != file.sha256 {
            return Err(damaged(
                "its digest is not that of the manifest: it is damaged".to_owned(),
            ));
        }
        drop(bytes);
        let mut columns = form.read(&path, B::SQUARES).map_err(dataset_failure)?;
        let new = columns.label(tables).map_err(|source| {
            let source = Box::new(source);
            let path = path.clone();
            Failure::new(Exit::Environment, LabelError::File { path, source })
        })?;
        form.write(&columns, &metadata(rules), to)
            .map_err(dataset_failure)?;
        let file = DatasetFile::describe(to, split, &columns).map_err(dataset_failure)?;
        Ok((file, new))
    }
}

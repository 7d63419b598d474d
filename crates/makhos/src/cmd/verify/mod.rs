//! `makhos verify`: proving tables from the rules and the files alone.

mod draw;
mod set;

use std::path::Path;

use clap::Args;
use makhos_index::Material;
use makhos_probe::{
    Access, Check, Difference, Metric, ProbeError, Sample, StatisticsDifference, Table, Tablebase,
    Verification, variant_directory, verification_bytes, verify_sample, verify_values,
};
use makhos_retro::SolvedBoard;
use makhos_rules::{Board, RuleSet};
use rayon::prelude::*;
use serde::Serialize;

use crate::args::{ClassArgs, DirArgs, DrawArgs, RulesArgs};
use crate::board::BoardCommand;
use crate::exit::{Exit, Failure, Outcome};
use crate::json::{RulesJson, path_text};
use crate::memory::MemoryArgs;
use crate::output::Output;
use crate::progress::{Progress, Unit};
use crate::tables;
use crate::text::{self, or_dash};

use self::set::SetJson;

const AFTER_HELP: &str = "\
Every file's digest and checksums are compared. Then values are compared with the best their
moves lead to, and outcomes with distances: for --quick those of a random sample, for --full
those of every position, which with distances proves the tables from the rules. The same seed
chooses the same sample.

Where the directory has a manifest, SHA256SUMS, as generation leaves it, the tables are also
compared with it: which are missing, which are extra, which have other bytes.

To check all positions of a table, it and the tables it needs are held in memory. What does
not fit is refused before anything is read.

With --draw-rules the tables under these rules are checked instead: --quick compares digests
and checksums, --full derives every value from those its moves lead to.

Exit code 1 if a value is wrong or a table extra, 3 if a file is damaged, another one than is
listed, or missing, or memory does not suffice.

Examples:
  makhos verify --variant russian
  makhos verify --variant russian --full
  makhos verify --variant russian --full --draw-rules official
  makhos verify --variant english --class 2k-1k --full --json";

/// Check the tables that are there
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    rules: RulesArgs,

    #[command(flatten)]
    dir: DirArgs,

    #[command(flatten)]
    class: ClassArgs,

    #[command(flatten)]
    draw: DrawArgs,

    /// Check a sample of the positions of every table (the default)
    #[arg(long, conflicts_with = "full")]
    quick: bool,

    /// Check every position
    #[arg(long)]
    full: bool,

    /// Positions in the sample of each table; tables with fewer are checked completely
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000,
        value_parser = clap::value_parser!(u64).range(1..),
        conflicts_with = "full"
    )]
    sample: u64,

    /// Chooses the sample
    #[arg(
        long,
        value_name = "SEED",
        default_value_t = 0,
        conflicts_with = "full"
    )]
    seed: u64,

    #[command(flatten)]
    memory: MemoryArgs,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Differences listed for a table; all are counted.
const LISTED: usize = 20;

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    rules: RulesJson,
    dir: String,
    /// `quick` or `full`.
    mode: &'static str,
    /// Whether every file is whole and every value that was checked is right.
    right: bool,
    positions: u64,
    differing: u64,
    bytes: u64,
    /// What the manifest says; `null` without one.
    manifest: Option<SetJson>,
    tables: Vec<TableJson>,
}

#[derive(Serialize)]
struct TableJson {
    class: String,
    metric: String,
    bytes: u64,
    /// Why the file cannot be used or its values cannot be checked.
    error: Option<String>,
    positions: u64,
    differing: u64,
    /// The first of them.
    differences: Vec<DifferenceJson>,
    wrong_statistics: Vec<String>,
}

#[derive(Serialize)]
struct DifferenceJson {
    fen: String,
    stored: String,
    expected: String,
    /// `moves` or `distances`: what the value was compared with.
    check: &'static str,
    text: String,
}

impl BoardCommand for VerifyArgs {
    fn rules(&self) -> &RulesArgs {
        &self.rules
    }

    fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        if let Some(draw_rules) = self.draw.draw_rules(rules, &self.rules, false)? {
            return self.run_drawn::<B>(rules, draw_rules);
        }
        // Damaged files must be an error, never a crash, so nothing is mapped.
        let tables = tables::open::<B>(rules, &self.dir.dir, Access::Read)?;
        let selected = tables::selected(&tables, &self.class)?;
        self.check_memory(&tables, &selected)?;
        let dir = tables.dir().join(variant_directory(rules));
        let mut set = SetJson::read(&dir, &self.class)?;
        let mut results = check_files(&tables, &selected);
        if let Some(set) = &mut set {
            compare_files(set, &dir, &selected, &mut results);
        }
        self.check_values(&tables, &selected, &mut results);
        let document = self.document(&tables, set, results);
        let mut output = Output::new();
        if self.json {
            output.json(&document)?;
        } else {
            output.text(&document.for_people())?;
        }
        output.flush()?;
        Ok(document.exit())
    }
}

/// Compares the digests of all files.
fn check_files<B: Board>(tables: &Tablebase<B>, files: &[(Material, Metric)]) -> Vec<TableJson> {
    let bytes = |file: &(Material, Metric)| {
        tables
            .table(file.0, file.1)
            .map_or(0, |table| table.bytes())
    };
    let progress = Progress::new(files.iter().map(bytes).sum(), Unit::Bytes);
    progress.label("files");
    let check = |&(material, metric): &(Material, Metric)| {
        let checked = tables.table(material, metric).and_then(|table| {
            table.verify_digest(|bytes| progress.advance(bytes))?;
            Ok(())
        });
        TableJson {
            class: material.to_string(),
            metric: metric.to_string(),
            bytes: bytes(&(material, metric)),
            error: checked.err().map(|error| error.to_string()),
            positions: 0,
            differing: 0,
            differences: Vec::new(),
            wrong_statistics: Vec::new(),
        }
    };
    files.par_iter().map(check).collect()
}

/// Compares the files that are whole with those that the manifest lists.
fn compare_files(
    set: &mut SetJson,
    dir: &Path,
    files: &[(Material, Metric)],
    results: &mut [TableJson],
) {
    let errors: Vec<Option<String>> = files
        .par_iter()
        .zip(&*results)
        .map(|(&file, result)| match result.error {
            None => set.error_of(dir, file),
            Some(_) => None,
        })
        .collect();
    for ((&(material, metric), result), error) in files.iter().zip(results).zip(errors) {
        if error.is_some() {
            set.add_different(material, metric);
            result.error = error;
        }
    }
}

impl VerifyArgs {
    /// Refuses what does not fit the memory allowed.
    fn check_memory<B: Board>(
        &self,
        tables: &Tablebase<B>,
        files: &[(Material, Metric)],
    ) -> Outcome<()> {
        let allowed = self.memory.allowed()?;
        for &(material, metric) in files {
            // What cannot be opened is reported with the other damaged files.
            let Ok(needed) = self.memory_needed(tables, material, metric) else {
                continue;
            };
            if needed > allowed {
                let smaller = if self.full {
                    "--quick"
                } else {
                    "a smaller --sample"
                };
                let message = format!(
                    "checking {material}.{metric} takes {} of memory, but {} are allowed; allow \
                     more with --memory, check less with {smaller}, or smaller classes with --class",
                    text::bytes(needed),
                    text::bytes(allowed)
                );
                return Err(Failure::say(Exit::Environment, message));
            }
        }
        Ok(())
    }

    /// Bytes that checking a table takes.
    fn memory_needed<B: Board>(
        &self,
        tables: &Tablebase<B>,
        material: Material,
        metric: Metric,
    ) -> Result<u64, ProbeError> {
        let positions = stored(tables.table(material, metric)?);
        if self.is_complete(positions) {
            return verification_bytes(tables, material, metric);
        }
        // The positions chosen, a number each.
        Ok(self.sample.saturating_mul(size_of::<u64>() as u64))
    }

    /// Checks the values of all tables that are whole. Those that need a damaged one fail in turn.
    fn check_values<B: Board>(
        &self,
        tables: &Tablebase<B>,
        files: &[(Material, Metric)],
        results: &mut [TableJson],
    ) {
        let positions = |&(material, metric): &(Material, Metric)| {
            tables.table(material, metric).map_or(0, stored)
        };
        let work = files.iter().map(|file| self.amount(positions(file))).sum();
        let progress = Progress::new(work, Unit::Positions(1));
        for (file, result) in files.iter().zip(results) {
            if result.error.is_some() {
                continue;
            }
            progress.label(&format!("{}.{}", file.0, file.1));
            match self.check_table(tables, *file, positions(file), &progress) {
                Ok(found) => result.add(&found),
                Err(error) => result.error = Some(error.to_string()),
            }
            progress.finished_part(false, || format!("{}.{} is checked", file.0, file.1));
        }
    }

    /// Whether all of that many positions are checked.
    fn is_complete(&self, positions: u64) -> bool {
        self.full || positions <= self.sample
    }

    /// Positions to check of that many.
    fn amount(&self, positions: u64) -> u64 {
        if self.is_complete(positions) {
            positions
        } else {
            self.sample
        }
    }

    fn check_table<B: Board>(
        &self,
        tables: &Tablebase<B>,
        (material, metric): (Material, Metric),
        positions: u64,
        progress: &Progress,
    ) -> Result<Verification, ProbeError> {
        let advance = |positions| progress.advance(positions);
        if self.is_complete(positions) {
            return verify_values(tables, material, metric, LISTED, &advance);
        }
        let sample = Sample {
            positions: self.sample,
            seed: self.seed,
        };
        verify_sample(tables, material, metric, sample, LISTED, &advance)
    }

    fn document<B: Board>(
        &self,
        tables: &Tablebase<B>,
        manifest: Option<SetJson>,
        results: Vec<TableJson>,
    ) -> Document {
        Document {
            rules: RulesJson::new(tables.rules()),
            dir: path_text(&tables.dir().join(variant_directory(tables.rules()))),
            mode: if self.full { "full" } else { "quick" },
            right: results.iter().all(TableJson::is_right)
                && manifest.as_ref().is_none_or(SetJson::is_right),
            positions: results.iter().map(|table| table.positions).sum(),
            differing: results.iter().map(|table| table.differing).sum(),
            bytes: results.iter().map(|table| table.bytes).sum(),
            manifest,
            tables: results,
        }
    }
}

/// Positions that a table stores.
fn stored(table: &Table) -> u64 {
    table.positions() * table.sides().len() as u64
}

impl TableJson {
    fn add(&mut self, found: &Verification) {
        self.positions = found.positions;
        self.differing = found.differing;
        self.differences = found.differences.iter().map(difference_json).collect();
        self.wrong_statistics = found.statistics.iter().map(statistics_text).collect();
    }

    fn is_right(&self) -> bool {
        self.error.is_none() && !self.differs()
    }

    fn differs(&self) -> bool {
        self.differing > 0 || !self.wrong_statistics.is_empty()
    }
}

fn difference_json(difference: &Difference) -> DifferenceJson {
    DifferenceJson {
        fen: difference.fen.clone(),
        stored: difference.stored.to_string(),
        expected: difference.expected.to_string(),
        check: match difference.check {
            Check::Moves => "moves",
            Check::Distances => "distances",
        },
        text: difference.to_string(),
    }
}

fn statistics_text(difference: &StatisticsDifference) -> String {
    let side = if difference.side.is_white() {
        "White"
    } else {
        "Black"
    };
    let text = |statistics: &makhos_probe::SideStatistics| {
        let plies = |longest: Option<makhos_probe::Longest>| or_dash(longest.map(|it| it.plies));
        format!(
            "{} won, {} drawn, {} lost, {} to capture, longest win {} and loss {} plies",
            statistics.wins,
            statistics.draws,
            statistics.losses,
            statistics.captures,
            plies(statistics.longest_win),
            plies(statistics.longest_loss)
        )
    };
    format!(
        "{side} to move: the header says {}; counted are {}",
        text(&difference.stored),
        text(&difference.counted)
    )
}

impl Document {
    fn exit(&self) -> Exit {
        let set = self.manifest.as_ref().map_or(Exit::Done, SetJson::exit);
        let any_error = self.tables.iter().any(|table| table.error.is_some());
        if any_error || set == Exit::Environment {
            Exit::Environment
        } else if self.right {
            Exit::Done
        } else {
            Exit::No
        }
    }

    fn for_people(&self) -> String {
        let mut text = String::new();
        for table in &self.tables {
            if let Some(error) = &table.error {
                text.push_str(&format!("{}.{}: {error}\n", table.class, table.metric));
            }
            if table.differing > 0 {
                text.push_str(&format!(
                    "{}.{}: {} of {} positions differ, among them\n",
                    table.class,
                    table.metric,
                    text::grouped(table.differing.into()),
                    text::grouped(table.positions.into())
                ));
            }
            for difference in &table.differences {
                text.push_str(&format!("  {}\n", difference.text));
            }
            for statistics in &table.wrong_statistics {
                text.push_str(&format!("{}.{}: {statistics}\n", table.class, table.metric));
            }
        }
        if let Some(set) = &self.manifest {
            text.push_str(&set.for_people());
        }
        text.push_str(&self.summary());
        text
    }

    fn summary(&self) -> String {
        let broken = self
            .tables
            .iter()
            .filter(|table| table.error.is_some())
            .count();
        let wrong = self.tables.iter().filter(|table| table.differs()).count();
        let how = if self.mode == "full" {
            "all"
        } else {
            "a sample"
        };
        let mut text = format!(
            "{}: {} tables, {}; {} positions checked ({how})\n",
            self.dir,
            self.tables.len(),
            text::bytes(self.bytes),
            text::grouped(self.positions.into())
        );
        if broken > 0 {
            text.push_str(&format!(
                "{broken} tables are damaged, not those listed, or lack one they need\n"
            ));
        }
        if wrong > 0 {
            text.push_str(&format!("{wrong} tables are wrong\n"));
        }
        if self.right {
            text.push_str("no difference was found\n");
        }
        text
    }
}

//! `makhos stats`: the figures of the tables that are there.

mod draw;
mod missing;

use clap::Args;
use makhos_index::{Material, stored_sides};
use makhos_probe::{Access, Metric, SideStatistics, Table, Tablebase, variant_directory};
use makhos_retro::SolvedBoard;
use makhos_rules::{Board, Color, RuleSet};
use serde::Serialize;

use crate::args::{ClassArgs, DirArgs, DrawArgs, RulesArgs};
use crate::board::BoardCommand;
use crate::exit::{Exit, OrFail, Outcome};
use crate::figures::{ClassFigures, Examples, FiguresTable, SideFigures, Totals};
use crate::json::{RulesJson, path_text};
use crate::output::{Output, note};
use crate::tables;
use crate::text::or_dash;

use self::missing::Missing;

const AFTER_HELP: &str = "\
Only the headers of the files are read. With --tsv there is one line for each class and side
to move, `-` standing where there is no such position or distance; a class whose armies are
equal has the same figures in both of its lines. Longest wins and losses are in plies.

With --draw-rules the figures are those of the tables under these rules, and how many results
the rules change: with fresh clocks, and with one ply left. Their values are read for it.

Examples:
  makhos stats --variant russian
  makhos stats --variant russian --class 3k-1k --json
  makhos stats --variant russian --pieces 5
  makhos stats --variant russian --draw-rules official
  makhos stats --variant english --tsv > english.tsv";

/// Print the figures of the tables that are there
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    rules: RulesArgs,

    #[command(flatten)]
    dir: DirArgs,

    #[command(flatten)]
    class: ClassArgs,

    #[command(flatten)]
    draw: DrawArgs,

    /// Tell what the set of all classes with 2 to N pieces lacks, every class; without it N are the
    /// pieces of the largest table
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(2..),
        conflicts_with_all = ["class", "tsv", "draw_rules"]
    )]
    pieces: Option<u32>,

    /// Print a line of tab-separated values for each class and side to move
    #[arg(long, conflicts_with = "json")]
    tsv: bool,

    /// Print one JSON document, with the digests of the files
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    rules: RulesJson,
    dir: String,
    classes: Vec<ClassJson>,
    totals: Totals,
    missing: Missing,
}

#[derive(Serialize)]
struct ClassJson {
    #[serde(flatten)]
    figures: ClassFigures,
    pieces: u32,
    /// Bytes of its files together.
    bytes: u64,
    tables: Vec<TableJson>,
}

#[derive(Serialize)]
struct TableJson {
    metric: String,
    file: String,
    bytes: u64,
    sha256: String,
}

impl BoardCommand for StatsArgs {
    fn rules(&self) -> &RulesArgs {
        &self.rules
    }

    fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        if let Some(draw_rules) = self.draw.draw_rules(rules, &self.rules, false)? {
            let plain = Tablebase::<B>::open_with(*rules, &self.dir.dir, Access::Read);
            let form = match (self.json, self.tsv) {
                (true, _) => draw::Form::Json,
                (_, true) => draw::Form::Tsv,
                _ => draw::Form::People,
            };
            return draw::run(&plain.or_environment()?, &draw_rules, &self.class, form);
        }
        let tables = tables::open::<B>(rules, &self.dir.dir, Access::Read)?;
        let selected = tables::selected(&tables, &self.class)?;
        let mut damaged = false;
        let mut classes = Vec::new();
        for group in selected.chunk_by(|a, b| a.0 == b.0) {
            let (class, errors) = read_class(&tables, group)?;
            damaged |= !errors.is_empty();
            for error in errors {
                note(format_args!("error: {error}"));
            }
            classes.extend(class);
        }
        let mut output = Output::new();
        if self.tsv {
            output.text(&tsv(rules, &classes))?;
        } else if self.json {
            output.json(&self.document(&tables, classes)?)?;
        } else {
            output.text(&self.for_people(&tables, &classes)?)?;
        }
        output.flush()?;
        Ok(if damaged {
            Exit::Environment
        } else {
            Exit::Done
        })
    }
}

impl StatsArgs {
    fn for_people<B: Board>(
        &self,
        tables: &Tablebase<B>,
        classes: &[ClassJson],
    ) -> Outcome<String> {
        let mut table = FiguresTable::new("tables", Examples::WinsAndLosses);
        for class in classes {
            let metrics: Vec<&str> = class
                .tables
                .iter()
                .map(|table| table.metric.as_str())
                .collect();
            table.add(&class.figures, class.bytes, &metrics.join(" "));
        }
        let mut text = table.render();
        if self.class.class.is_none() {
            let missing = Missing::of(tables, self.pieces)?;
            text.push_str(&missing.for_people(self.pieces.is_some()));
        }
        Ok(text)
    }

    fn document<B: Board>(
        &self,
        tables: &Tablebase<B>,
        classes: Vec<ClassJson>,
    ) -> Outcome<Document> {
        let mut totals = Totals::default();
        for class in &classes {
            totals.add(&class.figures, class.bytes);
        }
        Ok(Document {
            rules: RulesJson::new(tables.rules()),
            dir: path_text(tables.dir()),
            classes,
            totals,
            missing: Missing::of(tables, self.pieces)?,
        })
    }
}

/// The figures of a class from its files that can be read, and what is wrong with the others.
fn read_class<B: Board>(
    tables: &Tablebase<B>,
    files: &[(Material, Metric)],
) -> Outcome<(Option<ClassJson>, Vec<String>)> {
    let mut errors = Vec::new();
    let mut good: Vec<&Table> = Vec::new();
    for &(material, metric) in files {
        match tables.table(material, metric) {
            Ok(table) => good.push(table),
            Err(error) => errors.push(error.to_string()),
        }
    }
    // Metrics come in order, and the last knows the most; but distances to conversion are no distances to
    // the end.
    let of_end = |table: &&&Table| table.metric() != Metric::Dtc;
    let Some(best) = good.iter().rfind(of_end).or(good.last()) else {
        return Ok((None, errors));
    };
    let figures = |side: Color| {
        let mut figures = *best.statistics(side)?;
        if best.metric() == Metric::Dtc {
            (figures.longest_win, figures.longest_loss) = (None, None);
        }
        Some((side, figures))
    };
    let sides = stored_sides(best.material()).iter();
    let stored: Vec<(Color, SideStatistics)> = sides.filter_map(|&side| figures(side)).collect();
    let class = ClassJson {
        figures: ClassFigures::new::<B>(tables.rules(), best.material(), &stored)?,
        pieces: best.material().pieces(),
        bytes: good.iter().map(|table| table.bytes()).sum(),
        tables: good.iter().map(|table| table_json(table)).collect(),
    };
    Ok((Some(class), errors))
}

fn table_json(table: &Table) -> TableJson {
    TableJson {
        metric: table.metric().to_string(),
        file: path_text(table.path()),
        bytes: table.bytes(),
        sha256: table
            .sha256()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
    }
}

/// The columns of `--tsv`. Scripts rely on the first ten.
const COLUMNS: [&str; 12] = [
    "variant",
    "class",
    "side",
    "positions",
    "wins",
    "draws",
    "losses",
    "capture_positions",
    "max_win_plies",
    "max_loss_plies",
    "max_win_fen",
    "max_loss_fen",
];

fn tsv(rules: &RuleSet, classes: &[ClassJson]) -> String {
    let mut text = COLUMNS.join("\t");
    text.push('\n');
    let variant = variant_directory(rules);
    for class in classes {
        for side in &class.figures.sides {
            text.push_str(&tsv_cells(&variant, &class.figures.class, side).join("\t"));
            text.push('\n');
        }
    }
    text
}

fn tsv_cells(variant: &str, class: &str, side: &SideFigures) -> [String; COLUMNS.len()] {
    [
        variant.to_owned(),
        class.to_owned(),
        side.side.to_string(),
        side.positions.to_string(),
        side.wins.to_string(),
        side.draws.to_string(),
        side.losses.to_string(),
        side.capture_positions.to_string(),
        or_dash(side.max_win_plies),
        or_dash(side.max_loss_plies),
        or_dash(side.max_win_fen.as_ref()),
        or_dash(side.max_loss_fen.as_ref()),
    ]
}

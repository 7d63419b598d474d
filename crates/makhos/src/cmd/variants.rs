//! `makhos variants`: the variants and the house options.

use std::collections::BTreeMap;

use clap::Args;
use makhos_rules::draw::official;
use makhos_rules::notation::fen;
use makhos_rules::rules::KingRange;
use makhos_rules::{Board, BoardSize, Position, RuleSet, variant};
use serde::Serialize;

use crate::args::variant_names;
use crate::exit::{Exit, OrFail, Outcome};
use crate::output::Output;
use crate::text::{Align, TextTable, or_dash};

const AFTER_HELP: &str = "\
Examples:
  makhos variants
  makhos variants --json
  makhos variants --draw-rules russian > my.rules
  makhos generate --variant thai --option removal=end --pieces 3";

/// List the variants with their rules, and the house options
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct VariantsArgs {
    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Print the official drawing rules of one variant, one rule a line, in the form that --draw-rules
    /// FILE of other commands reads
    #[arg(long, value_name = "VARIANT", conflicts_with = "json", value_parser = variant_names())]
    draw_rules: Option<String>,
}

#[derive(Serialize)]
struct Document {
    variants: Vec<VariantJson>,
    options: Vec<OptionJson>,
}

/// A variant.
#[derive(Serialize)]
struct VariantJson {
    name: &'static str,
    rows: u32,
    squares: u32,
    men_a_side: u32,
    man_captures_king: &'static str,
    king_range: &'static str,
    /// What a house option can change: its key and the value in force, `None` where it has no meaning.
    #[serde(flatten)]
    options: BTreeMap<&'static str, Option<&'static str>>,
    pdn_game_type: &'static str,
    start: String,
    /// The official drawing rules, one a line.
    draw_rules: Vec<String>,
}

#[derive(Serialize)]
struct OptionJson {
    key: &'static str,
    values: Vec<&'static str>,
}

pub(crate) fn run(args: &VariantsArgs) -> Outcome<Exit> {
    if let Some(name) = &args.draw_rules {
        let rules = variant::by_name(name).or_usage()?;
        let mut output = Output::new();
        output.text(&official::of(rules).to_string())?;
        output.flush()?;
        return Ok(Exit::Done);
    }
    let document = Document {
        variants: variant::ALL.into_iter().map(describe).collect(),
        options: variant::options()
            .map(|(key, values)| OptionJson { key, values })
            .collect(),
    };
    let mut output = Output::new();
    if args.json {
        output.json(&document)?;
    } else {
        output.text(&for_people(&document))?;
    }
    output.flush()?;
    Ok(Exit::Done)
}

fn describe(rules: &RuleSet) -> VariantJson {
    VariantJson {
        name: rules.name,
        rows: rules.board.rows(),
        squares: rules.board.squares(),
        men_a_side: u32::from(rules.man_rows) * rules.board.rows() / 2,
        man_captures_king: if rules.man_captures_king { "yes" } else { "no" },
        king_range: match rules.king_range {
            KingRange::Short => "short",
            KingRange::Flying => "flying",
        },
        options: variant::options()
            .map(|(key, _)| (key, rules.option_value(key)))
            .collect(),
        pdn_game_type: rules.notation.game_type,
        draw_rules: official::of(rules)
            .to_string()
            .lines()
            .map(str::to_owned)
            .collect(),
        start: match rules.board {
            BoardSize::Eight => start::<u32>(rules),
            BoardSize::Ten => start::<u64>(rules),
            BoardSize::Twelve => start::<u128>(rules),
        },
    }
}

fn start<B: Board>(rules: &RuleSet) -> String {
    fen::write(rules, &Position::<B>::start(rules))
}

fn for_people(document: &Document) -> String {
    let left = |name| (name, Align::Left);
    let mut table = TextTable::new(&[
        left("variant"),
        left("board"),
        ("men", Align::Right),
        left("first"),
        left("kings"),
        left("men back"),
        left("removal"),
        left("king_landing"),
        left("promotion"),
        left("priority"),
        left("mirror"),
    ]);
    for variant in &document.variants {
        let option = |key| or_dash(variant.options.get(key).copied().flatten());
        let cells = [
            variant.name.to_owned(),
            format!("{0}x{0}", variant.rows),
            variant.men_a_side.to_string(),
            option("first"),
            variant.king_range.to_owned(),
            option("man_capture_back"),
            option("removal"),
            option("king_landing"),
            option("promotion"),
            option("priority"),
            option("mirror"),
        ];
        table.row(cells.to_vec());
    }
    let mut text = table.render();
    text.push_str("\nHouse options, each as --option KEY=VALUE:\n");
    for option in &document.options {
        text.push_str(&format!("  {}={}\n", option.key, option.values.join("|")));
    }
    text.push_str(
        "\nOf drawing rules, with --draw-rules official:\n  draw.no_progress=MOVES|off\n  \
         draw.repetition=TIMES|off\n  draw.thai16=plies=N|off\n  draw.balance_unit=moves|plies\n",
    );
    text
}

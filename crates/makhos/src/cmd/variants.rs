//! `makhos variants`: the variants and the house options.

use clap::Args;
use makhos_rules::notation::fen;
use makhos_rules::rules::{KingLanding, KingRange, Precedence, Promotion, Removal};
use makhos_rules::{Board, BoardSize, Color, Position, RuleSet, variant};
use serde::Serialize;

use crate::exit::{Exit, Outcome};
use crate::output::Output;
use crate::text::{Align, TextTable};

const AFTER_HELP: &str = "\
Examples:
  makhos variants
  makhos variants --json
  makhos generate --variant thai --option removal=end --pieces 3";

/// List the variants with their rules, and the house options
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct VariantsArgs {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document {
    variants: Vec<VariantJson>,
    options: Vec<OptionJson>,
}

/// A variant; rules that a house option changes have its key and its values.
#[derive(Serialize)]
struct VariantJson {
    name: &'static str,
    rows: u32,
    squares: u32,
    men_a_side: u32,
    first: &'static str,
    man_capture_back: &'static str,
    man_captures_king: &'static str,
    king_range: &'static str,
    king_landing: &'static str,
    removal: &'static str,
    uturn: &'static str,
    promotion: &'static str,
    priority: &'static str,
    mirror: &'static str,
    pdn_game_type: &'static str,
    start: String,
}

#[derive(Serialize)]
struct OptionJson {
    key: &'static str,
    values: Vec<&'static str>,
}

pub(crate) fn run(args: &VariantsArgs) -> Outcome<Exit> {
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
    let yes_no = |yes| if yes { "yes" } else { "no" };
    VariantJson {
        name: rules.name,
        rows: rules.board.rows(),
        squares: rules.board.squares(),
        men_a_side: u32::from(rules.man_rows) * rules.board.rows() / 2,
        first: match rules.first {
            Color::White => "white",
            Color::Black => "black",
        },
        man_capture_back: yes_no(rules.man_captures_backward),
        man_captures_king: yes_no(rules.man_captures_king),
        king_range: match rules.king_range {
            KingRange::Short => "short",
            KingRange::Flying => "flying",
        },
        king_landing: match rules.king_landing {
            KingLanding::Any => "any",
            KingLanding::Behind => "behind",
            KingLanding::BehindIfLastIsKing => "adjacent_if_last_is_king",
        },
        removal: match rules.removal {
            Removal::AtEnd => "end",
            Removal::AtOnce => "once",
        },
        uturn: yes_no(rules.uturn),
        promotion: match rules.promotion {
            Promotion::Stop => "stop",
            Promotion::Pass => "pass",
            Promotion::Continue => "continue",
        },
        priority: match rules.precedence {
            Precedence::Free => "none",
            Precedence::KingFirst => "king",
            Precedence::MostPieces => "max",
            Precedence::MostPiecesThenKings => "max_kings",
            Precedence::Italian => "italian",
        },
        mirror: if rules.mirrored {
            "mirrored"
        } else {
            "unmirrored"
        },
        pdn_game_type: rules.notation.game_type,
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
        let landing = if variant.king_range == "short" {
            "-"
        } else {
            variant.king_landing
        };
        let cells = [
            variant.name,
            &format!("{0}x{0}", variant.rows),
            &variant.men_a_side.to_string(),
            variant.first,
            variant.king_range,
            variant.man_capture_back,
            variant.removal,
            landing,
            variant.promotion,
            variant.priority,
            variant.mirror,
        ];
        table.row(cells.map(str::to_owned).to_vec());
    }
    let mut text = table.render();
    text.push_str("\nHouse options, each as --option KEY=VALUE:\n");
    for option in &document.options {
        text.push_str(&format!("  {}={}\n", option.key, option.values.join("|")));
    }
    text
}

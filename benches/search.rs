//! Speed of the search on one thread: nodes per second, and how deep a search of so many nodes gets, over
//! positions from games of the engine against itself. One row of a Markdown table for each variant.
//!
//! ```text
//! cargo bench -p makhos-benches --bench search
//! cargo bench -p makhos-benches --bench search -- --variant english --nodes 100000
//! ```
//!
//! Weights that differ everywhere are used, so that reading them costs what it does in play.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use makhos_benches::clock::timed;
use makhos_rules::draw::official;
use makhos_rules::game::Game;
use makhos_rules::{Board, BoardSize, Position, RuleSet, variant};
use makhos_selfplay::eval::{Patterns, Weights};
use makhos_selfplay::{Limits, Line, Searcher, Settings};

/// Variants that are measured unless some are named.
const DEFAULT: &[&str] = &[
    "english",
    "russian",
    "thai",
    "italian",
    "international",
    "canadian",
];

/// Measures the search
#[derive(Parser, Debug)]
struct Args {
    /// Variants to measure
    #[arg(long, value_name = "VARIANT")]
    variant: Vec<String>,

    /// Nodes of a search
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    nodes: u64,

    /// Searches altogether
    #[arg(long, value_name = "N", default_value_t = 400)]
    searches: u32,

    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    makhos_benches::exit(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Box<dyn std::error::Error>> {
    let names: Vec<&str> = if args.variant.is_empty() {
        DEFAULT.to_vec()
    } else {
        args.variant.iter().map(String::as_str).collect()
    };
    println!(
        "| variant | nodes a search | mean depth | M nodes/s, clock | M nodes/s, processor | searches/s |"
    );
    println!("|---|---|---|---|---|---|");
    for name in names {
        let rules = variant::by_name(name)?;
        match rules.board {
            BoardSize::Eight => measure::<u32>(rules, args)?,
            BoardSize::Ten => measure::<u64>(rules, args)?,
            BoardSize::Twelve => measure::<u128>(rules, args)?,
        }
    }
    Ok(())
}

/// Weights around those of material, by a fixed rule.
fn scattered<B: Board>(rules: &RuleSet) -> Weights {
    let mut weights = Weights::material_only::<B>(rules);
    for (index, value) in weights.values.iter_mut().enumerate() {
        let noise = (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
        *value += (noise as f32 / 65_536.0 - 0.5) / 20.0;
    }
    weights
}

fn measure<B: Board>(rules: &RuleSet, args: &Args) -> Result<(), Box<dyn std::error::Error>> {
    let eval = Arc::new(Patterns::<B>::new(rules, &scattered::<B>(rules))?);
    let draws = official::of(rules);
    let mut searcher = Searcher::new(*rules, draws.clone(), eval, Settings::default());
    let limits = Limits::nodes(args.nodes);
    let (mut nodes, mut depths) = (0, 0);
    let (span, ()) = timed(|| {
        let fresh = || {
            let start = Position::<B>::start(rules);
            Line::new(Game::new(*rules, draws.clone(), start))
        };
        let mut line = fresh();
        for number in 0..args.searches {
            let report = searcher.search_line(&line, &limits);
            nodes += report.nodes;
            depths += u64::from(report.depth);
            // Now and then another move, so that games differ.
            let mut moves = rules.legal_moves(line.game().position());
            let other = (number % 7 == 3).then(|| moves.swap_remove(number as usize % moves.len()));
            let played = other
                .or(report.best)
                .is_some_and(|mv| line.play(&mv).is_ok());
            if !played || line.game().end().is_some() || line.game().draw().is_some() {
                line = fresh();
                searcher.new_game();
            }
        }
    });
    let searches = f64::from(args.searches);
    let speed = |seconds: f64| nodes as f64 / seconds / 1e6;
    let cpu = span.cpu.map_or_else(
        || "-".to_owned(),
        |cpu| format!("{:.2}", speed(cpu.as_secs_f64())),
    );
    println!(
        "| {} | {} | {:.1} | {:.2} | {cpu} | {:.0} |",
        rules.name,
        args.nodes,
        depths as f64 / searches,
        speed(span.wall.as_secs_f64()),
        searches / span.wall.as_secs_f64(),
    );
    Ok(())
}

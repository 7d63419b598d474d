//! Speed of probing on one thread, files in the page cache: rows of a Markdown table. Without a directory of
//! tables they are made first, which takes a minute or two.
//!
//! ```text
//! cargo bench -p makhos-benches --bench probe
//! cargo bench -p makhos-benches --bench probe -- --dir tables --variant russian --pieces 4
//! cargo bench -p makhos-benches --bench probe -- --one-side
//! ```

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use makhos_benches::probing::{Times, batch, random_positions};
use makhos_index::classes;
use makhos_probe::{Metric, Tablebase};
use makhos_retro::{Generator, Quiet, Storage};
use makhos_rules::{BoardSize, Position, RuleSet, variant};

/// Positions that are probed: nearly every cell of the tables of five pieces has some.
const POSITIONS: usize = 1_000_000;
/// Those that are probed where every one takes some decoding.
const FEW: usize = 20_000;

/// Measures probing
#[derive(Parser, Debug)]
struct Args {
    /// The variant, one on 8x8
    #[arg(long, value_name = "VARIANT", default_value = "english")]
    variant: String,

    /// Pieces on the board, both sides together
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=8))]
    pieces: u32,

    /// Where the tables are; missing ones are made there and kept
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// Of outcomes, make tables of one side to move
    #[arg(long)]
    one_side: bool,

    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    makhos_benches::exit(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let rules = *variant::by_name(&args.variant)?;
    if rules.board != BoardSize::Eight {
        return Err(format!("{} is not played on 8x8", rules.name).into());
    }
    let temporary = tempfile::tempdir()?;
    let dir = args.dir.as_deref().unwrap_or(temporary.path());
    let storage = match args.one_side {
        true => Storage::OneSide,
        false => Storage::Compact,
    };
    let generator = Generator::<u32>::new(rules, dir, Metric::Dtw).with_storage(storage);
    generator.run(&generator.plan(&classes(args.pieces))?, &Quiet)?;
    let quiet = random_positions(&rules, args.pieces, true, POSITIONS)?;
    let all = random_positions(&rules, args.pieces, false, POSITIONS)?;
    println!(
        "{} random positions of {} pieces, {}, of which {:.0} % have a capture; nanoseconds",
        POSITIONS,
        args.pieces,
        rules.name,
        share(&rules, &all)
    );
    println!("\n| probe | median | 99 % |\n|---|--:|--:|");
    cold(rules, dir, &quiet)?;
    let tables = Tablebase::<u32>::open(rules, dir)?;
    for (what, positions) in [("quiet", &quiet), ("all", &all)] {
        // Once so that everything has been decoded.
        drop(tables.probe_wld_batch(positions));
        let outcome = |position: &Position<u32>| tables.probe_wld(position);
        row(&format!("outcome, {what}"), &Times::of(positions, outcome));
    }
    for (what, positions) in [("quiet", &quiet), ("all", &all)] {
        let distance = |position: &Position<u32>| tables.probe_dtw(position);
        let times = Times::of(&positions[..FEW], distance);
        row(&format!("distance, {what}, anywhere"), &times);
    }
    println!("\n| batch of outcomes | M positions/s | by the clock |\n|---|--:|--:|");
    for (what, positions) in [("quiet", &quiet), ("all", &all)] {
        for size in [1_000, POSITIONS] {
            let span = batch(&tables, positions, size);
            let rate = |time: std::time::Duration| POSITIONS as f64 / time.as_secs_f64() / 1e6;
            println!(
                "| {what}, {size} at once | {:.1} | {:.1} |",
                rate(span.cpu.unwrap_or(span.wall)),
                rate(span.wall)
            );
        }
    }
    Ok(())
}

/// Probes of cells that have not been decoded.
fn cold(rules: RuleSet, dir: &Path, positions: &[Position<u32>]) -> Result<(), Box<dyn Error>> {
    let tables = Tablebase::<u32>::open(rules, dir)?;
    // So that all files are open; of a class with a hundred thousand cells a few are decoded then.
    let (first, rest) = positions.split_at(2_000);
    drop(tables.probe_wld_batch(first));
    let rest = rest.iter().copied();
    let unknown = rest.filter(|position| tables.conditional(position).is_none());
    let unknown: Vec<_> = unknown.take(FEW).collect();
    let outcome = |position: &Position<u32>| tables.probe_wld(position);
    row("outcome, quiet, cold cell", &Times::of(&unknown, outcome));
    Ok(())
}

fn row(what: &str, times: &Times) {
    println!("| {what} | {} | {} |", times.part(0.5), times.part(0.99));
}

/// The percentage of positions with a capture.
fn share(rules: &RuleSet, positions: &[Position<u32>]) -> f64 {
    let captures = positions
        .iter()
        .filter(|position| rules.has_capture(position));
    100.0 * captures.count() as f64 / positions.len() as f64
}

//! Size and speed of the codecs of outcomes on one thread, files in the page cache: compact tables, of
//! all sides to move or of one, and complete ones, whose blocks are digits compressed by zstd. Rows of a Markdown table.
//!
//! ```text
//! cargo bench -p makhos-benches --bench codec
//! cargo bench -p makhos-benches --bench codec -- --variant thai --pieces 5
//! ```

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use makhos_benches::clock::{Span, median, timed};
use makhos_index::{PlacementIndex, classes};
use makhos_probe::{
    Access, CompactOptions, Metric, Outcomes, SideStatistics, Table, TableSpec, TableWriter,
    table_path,
};
use makhos_retro::{Generator, Quiet, Storage};
use makhos_rules::{BoardSize, RuleSet, variant};

/// Measures the codecs of outcomes
#[derive(Parser, Debug)]
struct Args {
    /// Variants to measure, on 8x8
    #[arg(long, value_name = "VARIANT", default_values = ["english", "russian"])]
    variant: Vec<String>,

    /// Pieces on the board, both sides together
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..=7))]
    pieces: u32,

    /// Measure so often and print medians
    #[arg(long, value_name = "R", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    repeat: u16,

    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

/// The outcomes of a class, and where a capture is compulsory.
struct Solved {
    spec: TableSpec,
    sides: Vec<Side>,
}

struct Side {
    statistics: SideStatistics,
    outcomes: Outcomes,
    captures: Vec<u64>,
}

/// How tables are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Codec {
    Compact,
    OneSide,
    Zstd,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let result = pool
        .map_err(Into::into)
        .and_then(|pool| pool.install(|| run(&args)));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Box<dyn Error + Send + Sync>> {
    println!(
        "Outcomes of {} pieces; M positions a second of one thread\n",
        args.pieces
    );
    println!("| variant | codec | bits a position | encoding | decoding |\n|---|---|--:|--:|--:|");
    for name in &args.variant {
        let rules = *variant::by_name(name)?;
        if rules.board != BoardSize::Eight {
            return Err(format!("{name} is not played on 8x8").into());
        }
        let classes = solved(rules, args.pieces)?;
        let sides = classes.iter().flat_map(|class| &class.sides);
        let positions: u64 = sides.map(|side| side.outcomes.len()).sum();
        for (codec, what) in [
            (Codec::Compact, "compact"),
            (Codec::OneSide, "compact, one side"),
            (Codec::Zstd, "complete (zstd)"),
        ] {
            let dir = tempfile::tempdir()?;
            let mut bytes = 0;
            let encoding = (0..args.repeat)
                .map(|_| {
                    let (span, written) = timed(|| encode(codec, &classes, dir.path()));
                    bytes = written?;
                    Ok::<_, Box<dyn Error + Send + Sync>>(span)
                })
                .collect::<Result<_, _>>()?;
            let mut decoded = 0;
            let decoding = (0..args.repeat)
                .map(|_| {
                    let (span, read) = timed(|| decode(&classes, dir.path()));
                    decoded = read?;
                    Ok::<_, Box<dyn Error + Send + Sync>>(span)
                })
                .collect::<Result<_, _>>()?;
            println!(
                "| {name} | {what} | {:.4} | {:.0} | {:.0} |",
                8.0 * bytes as f64 / positions as f64,
                rate(positions, encoding),
                rate(decoded, decoding)
            );
        }
    }
    Ok(())
}

/// All classes with exactly that many pieces.
fn solved(rules: RuleSet, pieces: u32) -> Result<Vec<Solved>, Box<dyn Error + Send + Sync>> {
    let dir = tempfile::tempdir()?;
    let metric = Metric::Wld;
    // The values at captures are among those that complete tables store.
    let generator =
        Generator::<u32>::new(rules, dir.path(), metric).with_storage(Storage::Complete);
    generator.run(&generator.plan(&classes(pieces))?, &Quiet)?;
    let mut all = Vec::new();
    for material in classes(pieces) {
        if material.pieces() != pieces {
            continue;
        }
        let table = Table::open(
            &table_path(dir.path(), &rules, material, metric),
            Access::Map,
        )?;
        let index = PlacementIndex::<u32>::new(material)?;
        let mut sides = Vec::new();
        for &color in table.sides() {
            let mut outcomes = Outcomes::default();
            table.read_outcomes(color, 0..table.positions(), &mut outcomes)?;
            let mut captures = vec![0; outcomes.win().len()];
            for at in 0..index.len() {
                let capture = rules.has_capture(&index.position(at, color));
                captures[at as usize / 64] |= u64::from(capture) << (at % 64);
            }
            let statistics = *table.statistics(color).ok_or("a side without figures")?;
            sides.push(Side {
                statistics,
                outcomes,
                captures,
            });
        }
        let spec = TableSpec {
            rules,
            material,
            metric,
        };
        all.push(Solved { spec, sides });
    }
    Ok(all)
}

/// Writes all classes; the bytes of their files.
fn encode(
    codec: Codec,
    classes: &[Solved],
    dir: &Path,
) -> Result<u64, Box<dyn Error + Send + Sync>> {
    let mut bytes = 0;
    for class in classes {
        let statistics: Vec<_> = class.sides.iter().map(|side| side.statistics).collect();
        let options = CompactOptions {
            one_side: codec == Codec::OneSide,
            ..CompactOptions::default()
        };
        let mut writer = match codec {
            Codec::Zstd => TableWriter::create(dir, &class.spec, &statistics)?,
            _ => TableWriter::create_compact_with(dir, &class.spec, &statistics, options)?,
        };
        for side in &class.sides {
            let (win, loss) = (side.outcomes.win(), side.outcomes.loss());
            let len = side.outcomes.len();
            match codec {
                Codec::Zstd => writer.push_outcomes(win, loss, len)?,
                _ => writer.push_quiet_outcomes(win, loss, &side.captures, len)?,
            }
        }
        bytes += writer.finish()?.bytes;
    }
    Ok(bytes)
}

/// Reads all values that are stored of all classes; how many these are.
fn decode(classes: &[Solved], dir: &Path) -> Result<u64, Box<dyn Error + Send + Sync>> {
    let mut values = 0;
    let mut into = Outcomes::default();
    for Solved { spec, .. } in classes {
        let path = table_path(dir, &spec.rules, spec.material, spec.metric);
        let table = Table::open(&path, Access::Map)?;
        for &side in table.sides() {
            table.read_outcomes(side, 0..table.positions(), &mut into)?;
            std::hint::black_box(&into);
            values += table.positions();
        }
    }
    Ok(values)
}

/// Millions of positions a second, of the processor where the system tells its time.
fn rate(positions: u64, spans: Vec<Span>) -> f64 {
    let time = median(spans).map_or(f64::NAN, |span| span.cpu.unwrap_or(span.wall).as_secs_f64());
    positions as f64 / time / 1e6
}

//! Speed of generation, all-in and solving alone, beside the reference solver's: one row of a Markdown
//! table for each variant and set of classes.
//!
//! ```text
//! cargo bench -p makhos-benches --bench generation
//! cargo bench -p makhos-benches --bench generation -- --variant czech --pieces 5 --repeat 3
//! cargo bench -p makhos-benches --bench generation -- --variant english --set 3v3 --dir tables
//! ```

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use makhos_benches::clock::Span;
use makhos_benches::generation::{Bench, Case, Measured};
use makhos_index::{Material, classes};
use makhos_rules::{BoardSize, RuleSet, variant};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Variants, numbers of pieces, and whether the reference solver runs too, for about a minute together.
const DEFAULT: &[(&str, u32, bool)] = &[
    ("english", 4, true),
    ("english", 5, false),
    ("russian", 4, true),
    ("russian", 5, false),
    ("thai", 4, false),
    ("italian", 4, false),
    ("brazilian", 4, false),
    ("czech", 4, false),
    ("spanish", 4, false),
    ("pool", 4, false),
    ("international", 3, true),
    ("international", 4, false),
];

/// Measures generation
#[derive(Parser, Debug)]
struct Args {
    /// Variants to measure
    #[arg(long, value_name = "VARIANT")]
    variant: Vec<String>,

    /// All classes with exactly N pieces on the board, both sides together; may be repeated
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=24))]
    pieces: Vec<u32>,

    /// A class; those given are measured together
    #[arg(long, value_name = "CLASS")]
    class: Vec<Material>,

    /// A set of classes with a name
    #[arg(long, value_enum, value_name = "SET")]
    set: Option<Set>,

    /// Threads to work with
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// Measure so often and print medians
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    repeat: u16,

    /// Where the tables are that classes need; missing ones are made there and kept
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// Leave out the reference solver
    #[arg(long)]
    no_reference: bool,

    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
enum Set {
    /// Three against three with a king on both sides
    #[value(name = "3v3")]
    ThreeAgainstThree,
}

impl Set {
    fn name(self) -> String {
        match self {
            Self::ThreeAgainstThree => "3v3 with kings".into(),
        }
    }

    fn classes(self) -> Vec<Material> {
        let of_six = classes(6).into_iter();
        match self {
            Self::ThreeAgainstThree => of_six
                .filter(|class| {
                    let armies = [class.white, class.black];
                    armies
                        .iter()
                        .all(|army| army.kings > 0 && army.men + army.kings == 3)
                })
                .collect(),
        }
    }
}

fn main() -> ExitCode {
    makhos_benches::exit(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Box<dyn std::error::Error>> {
    let cases = cases(args)?;
    let pool = pool(args.threads.into())?;
    let temporary = tempfile::tempdir()?;
    let tables = args.dir.as_deref().unwrap_or(temporary.path());
    let bench = Bench {
        pool: &pool,
        repeat: args.repeat.into(),
        tables,
    };
    println!("{}", header(args.threads));
    for case in &cases {
        println!("{}", row(case, &bench.measure(case)?));
    }
    Ok(())
}

/// One thread is the main one, so that nothing is handed over.
fn pool(threads: usize) -> Result<ThreadPool, rayon::ThreadPoolBuildError> {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    match threads {
        1 => builder.use_current_thread().build(),
        _ => builder.build(),
    }
}

fn cases(args: &Args) -> Result<Vec<Case>, Box<dyn std::error::Error>> {
    let asked = !args.pieces.is_empty() || !args.class.is_empty() || args.set.is_some();
    let mut cases = Vec::new();
    if !asked {
        for &(name, pieces, reference) in DEFAULT {
            if args.variant.is_empty() || args.variant.iter().any(|asked| asked == name) {
                cases.push(of_pieces(variant::by_name(name)?, pieces, reference));
            }
        }
        if cases.is_empty() {
            return Err("there is no default for these variants; say --pieces or --class".into());
        }
    }
    if asked && args.variant.is_empty() {
        return Err("say which --variant".into());
    }
    for name in &args.variant {
        let rules = variant::by_name(name)?;
        if asked {
            cases.extend(asked_for(args, rules));
        }
    }
    if args.no_reference {
        cases.iter_mut().for_each(|case| case.reference = false);
    }
    Ok(cases)
}

/// What the arguments ask for in one variant.
fn asked_for(args: &Args, rules: &RuleSet) -> Vec<Case> {
    let pieces = args.pieces.iter();
    let mut cases: Vec<_> = pieces
        .map(|&pieces| of_pieces(rules, pieces, true))
        .collect();
    let mut add = |name: String, classes: Vec<Material>| {
        let reference = classes
            .iter()
            .all(|class| affordable(rules, class.pieces()));
        cases.push(Case {
            rules: *rules,
            name,
            classes,
            reference,
        });
    };
    if !args.class.is_empty() {
        let classes: Vec<_> = args.class.iter().map(|class| class.canonical()).collect();
        let names: Vec<_> = classes.iter().map(Material::to_string).collect();
        add(names.join(" "), classes);
    }
    if let Some(set) = args.set {
        add(set.name(), set.classes());
    }
    cases
}

/// All classes of exactly so many pieces.
fn of_pieces(rules: &RuleSet, pieces: u32, reference: bool) -> Case {
    let mut classes = classes(pieces);
    classes.retain(|class| class.pieces() == pieces);
    Case {
        rules: *rules,
        name: format!("{pieces} pieces"),
        classes,
        reference: reference && affordable(rules, pieces),
    }
}

/// Whether the reference solver can be waited for.
fn affordable(rules: &RuleSet, pieces: u32) -> bool {
    pieces
        <= match rules.board {
            BoardSize::Eight => 4,
            BoardSize::Ten => 3,
            BoardSize::Twelve => 2,
        }
}

fn header(threads: u16) -> String {
    let threads = match threads {
        1 => "one thread".into(),
        more => format!("{more} threads"),
    };
    format!(
        "Positions a second, {threads}: by the clock, and in parentheses by the processor's time, which is\n\
         a core's. *Solving*: from files of smaller classes to outcomes in memory. *All-in*: with compression,\n\
         checksums and files on disk. *Reference*: all-in by the reference solver, with distances.\n\n\
         | variant | classes | positions | solving | all-in | reference | all-in to reference |\n\
         |---|---|--:|--:|--:|--:|--:|"
    )
}

fn row(case: &Case, measured: &Measured) -> String {
    let speed = |span: &Span| speed(measured.positions, span);
    let (reference, ratio) = match &measured.reference {
        Some(span) => (
            speed(span),
            format!("{:.0}x", seconds(span) / seconds(&measured.all_in)),
        ),
        None => ("not run".into(), "–".into()),
    };
    format!(
        "| {} | {} | {} | {} | {} | {reference} | {ratio} |",
        case.rules.name,
        case.name,
        measured.positions,
        speed(&measured.solving),
        speed(&measured.all_in),
    )
}

/// Time that other work on the machine disturbs least.
fn seconds(span: &Span) -> f64 {
    span.cpu.unwrap_or(span.wall).as_secs_f64().max(1e-9)
}

fn speed(positions: u64, span: &Span) -> String {
    let millions =
        |time: std::time::Duration| positions as f64 / time.as_secs_f64().max(1e-9) / 1e6;
    match span.cpu {
        Some(cpu) => format!("{:.2} M ({:.2} M)", millions(span.wall), millions(cpu)),
        None => format!("{:.2} M", millions(span.wall)),
    }
}

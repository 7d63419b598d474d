//! Prints the lines of `data/golden_outcomes.tsv` for the tables of outcomes in a directory:
//! `cargo run --release -p makhos-tests --example golden_outcomes -- DIR VARIANT...`.
//!
//! The tables are to be complete (`makhos generate --complete`) and verified first (`makhos verify --full`).

use std::error::Error;
use std::path::Path;

use makhos_probe::{Metric, Tablebase};
use makhos_rules::rules::BoardSize;
use makhos_rules::{Board, RuleSet, variant};
use makhos_tests::outcomes;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let dir = arguments.next().ok_or("usage: DIR VARIANT...")?;
    for name in arguments {
        let rules = variant::by_name(&name)?;
        match rules.board {
            BoardSize::Eight => print::<u32>(rules, Path::new(&dir))?,
            BoardSize::Ten => print::<u64>(rules, Path::new(&dir))?,
            BoardSize::Twelve => print::<u128>(rules, Path::new(&dir))?,
        }
    }
    Ok(())
}

fn print<B: Board>(rules: &RuleSet, dir: &Path) -> Result<(), Box<dyn Error>> {
    let tables = Tablebase::<B>::open(*rules, dir)?;
    for class in makhos_index::classes(tables.max_pieces()) {
        let table = tables.table(class, Metric::Wld)?;
        for &side in table.sides() {
            println!("{}", outcomes::line(rules, table, side)?);
        }
    }
    Ok(())
}

//! Writes compact tables from tables that store all values, and says how large they are and how quick.
//!
//! `cargo run --release -p makhos-probe --example compact -- VARIANT FROM TO METRIC PIECES [one-side]` reads all
//! tables of METRIC with up to PIECES pieces (or from A-B) below the directory FROM and writes compact ones
//! below TO, with one of two sides to move if it is asked for. Bits are those of all bytes of the files, divided by the positions of all sides of the
//! classes. Times are of the processor, as the system counts them; captures are found before.

use std::error::Error;
use std::path::Path;

use makhos_index::{Material, PlacementIndex, stored_sides};
use makhos_probe::{
    CompactOptions, Metric, Outcomes, SideStatistics, TableSpec, TableWriter, Tablebase,
};
use makhos_rules::variant;
use rayon::prelude::*;

/// Processor seconds of this process so far; 0 where the system does not tell.
fn seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = |at: usize| stat.split(' ').nth(at)?.parse::<f64>().ok();
    (ticks(13).unwrap_or(0.0) + ticks(14).unwrap_or(0.0)) / 100.0
}

/// Sums over classes.
#[derive(Default)]
struct Sums {
    positions: u64,
    bytes: u64,
    encode: f64,
    decode: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [variant, from, to, metric, pieces, rest @ ..] = &arguments[..] else {
        return Err("VARIANT FROM TO METRIC PIECES [one-side]".into());
    };
    let options = CompactOptions {
        one_side: rest == ["one-side"],
        ..CompactOptions::default()
    };
    let rules = variant::ALL
        .into_iter()
        .copied()
        .find(|rules| rules.name == variant)
        .ok_or("no such variant")?;
    let metric = match &metric[..] {
        "wld" => Metric::Wld,
        _ => Metric::Dtw,
    };
    let (least, most) = pieces.split_once('-').unwrap_or(("2", pieces));
    let pieces = least.parse::<u32>()?..=most.parse()?;
    let tables = Tablebase::<u32>::open(rules, Path::new(from))?;
    let mut sums = Sums::default();
    for (material, of) in tables.tables() {
        if of == metric && pieces.contains(&material.pieces()) {
            let spec = TableSpec {
                rules,
                material,
                metric,
            };
            write(&tables, &spec, (Path::new(to), options), &mut sums)?;
        }
    }
    println!(
        "{} positions, {} bytes: {:.4} bits; encoded {:.0} M/s, decoded {:.0} M/s",
        sums.positions,
        sums.bytes,
        8.0 * sums.bytes as f64 / sums.positions as f64,
        sums.positions as f64 / sums.encode / 1e6,
        sums.positions as f64 / sums.decode / 1e6,
    );
    Ok(())
}

/// Where captures are compulsory, as a bit plane.
fn captures(spec: &TableSpec, side: makhos_rules::Color) -> Result<Vec<u64>, Box<dyn Error>> {
    let index = PlacementIndex::<u32>::new(spec.material)?;
    let words = (0..index.len().div_ceil(64)).into_par_iter().map(|word| {
        let positions = 64 * word..index.len().min(64 * word + 64);
        positions.fold(0, |plane, at| {
            let capture = spec.rules.has_capture(&index.position(at, side));
            plane | u64::from(capture) << (at % 64)
        })
    });
    Ok(words.collect())
}

fn write(
    tables: &Tablebase<u32>,
    spec: &TableSpec,
    (to, options): (&Path, CompactOptions),
    sums: &mut Sums,
) -> Result<(), Box<dyn Error>> {
    let table = tables.table(spec.material, spec.metric)?;
    let sides = stored_sides(spec.material);
    let planes: Vec<Vec<u64>> = sides
        .iter()
        .map(|&side| captures(spec, side))
        .collect::<Result<_, _>>()?;
    let statistics: Vec<SideStatistics> = sides
        .iter()
        .zip(&planes)
        .filter_map(|(&side, plane)| {
            Some(SideStatistics {
                captures: plane.iter().map(|word| u64::from(word.count_ones())).sum(),
                ..*table.statistics(side)?
            })
        })
        .collect();
    let mut writer = TableWriter::create_compact_with(to, spec, &statistics, options)?;
    for (&side, plane) in sides.iter().zip(&planes) {
        let (mut outcomes, mut values) = (Outcomes::default(), Vec::new());
        if spec.metric == Metric::Wld {
            table.read_outcomes(side, 0..table.positions(), &mut outcomes)?;
        } else {
            table.for_each_value(side, |value| values.push(value))?;
        }
        let before = seconds();
        if spec.metric == Metric::Wld {
            let len = outcomes.len();
            writer.push_quiet_outcomes(outcomes.win(), outcomes.loss(), plane, len)?;
        } else {
            writer.push_quiet_values(&values, plane)?;
        }
        sums.encode += seconds() - before;
    }
    let before = seconds();
    let published = writer.finish()?;
    sums.encode += seconds() - before;
    let positions = table.positions() * sides.len() as u64;
    sums.positions += positions;
    sums.bytes += published.bytes;
    sums.decode += decode(spec.material, spec.metric, tables, to)?;
    println!(
        "{:12} {positions:11} positions {:.4} bits",
        spec.material.to_string(),
        8.0 * published.bytes as f64 / positions as f64
    );
    Ok(())
}

/// Processor seconds of decoding a compact table.
fn decode(
    material: Material,
    metric: Metric,
    tables: &Tablebase<u32>,
    to: &Path,
) -> Result<f64, Box<dyn Error>> {
    let compact = Tablebase::<u32>::open(*tables.rules(), to)?;
    let table = compact.table(material, metric)?;
    let before = seconds();
    for &side in table.sides() {
        let mut outcomes = Outcomes::default();
        table.read_outcomes(side, 0..table.positions(), &mut outcomes)?;
    }
    Ok(seconds() - before)
}

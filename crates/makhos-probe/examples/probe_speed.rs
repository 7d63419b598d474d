//! How long a probe takes.
//!
//! `cargo run --release -p makhos-probe --example probe_speed -- VARIANT DIR PIECES` probes random positions
//! of all classes with PIECES pieces, as often as they have positions, on one thread: once to warm up, then
//! measured. Probes are timed one by one; what the clock itself takes is subtracted. Rates, one by one and in
//! batches, are by the clock and by the time this process worked, which depends less on what else runs.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use makhos_index::{PlacementIndex, stored_sides};
use makhos_probe::{Metric, Tablebase};
use makhos_rules::{Position, variant};

/// Positions that are probed.
const POSITIONS: usize = 1_000_000;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(z ^ (z >> 31)) * u128::from(bound)) >> 64) as u64
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [variant, dir, pieces] = &arguments[..] else {
        return Err("VARIANT DIR PIECES".into());
    };
    let rules = variant::ALL
        .into_iter()
        .copied()
        .find(|rules| rules.name == variant)
        .ok_or("no such variant")?;
    let pieces: u32 = pieces.parse()?;
    let tables = Tablebase::<u32>::open(rules, Path::new(dir))?;
    let mut random = Random(1);
    for quiet in [true, false] {
        let mut positions = Vec::new();
        let classes: Vec<_> = tables
            .tables()
            .into_iter()
            .filter(|(material, metric)| *metric == Metric::Wld && material.pieces() == pieces)
            .map(|(material, _)| {
                Ok::<_, Box<dyn Error>>((material, PlacementIndex::<u32>::new(material)?))
            })
            .collect::<Result<_, _>>()?;
        let all: u64 = classes.iter().map(|(_, index)| index.len()).sum();
        while positions.len() < POSITIONS {
            let mut at = random.below(all);
            let Some((material, index)) = classes.iter().find(|(_, index)| {
                let here = at < index.len();
                if !here {
                    at -= index.len();
                }
                here
            }) else {
                continue;
            };
            let sides = stored_sides(*material);
            let side = sides[random.below(sides.len() as u64) as usize];
            let position = index.position(at, side);
            if !quiet || !rules.has_capture(&position) {
                positions.push(position);
            }
        }
        println!(
            "{}",
            if quiet {
                "quiet positions"
            } else {
                "all positions"
            }
        );
        measure(&tables, &positions)?;
    }
    Ok(())
}

fn measure(tables: &Tablebase<u32>, positions: &[Position<u32>]) -> Result<(), Box<dyn Error>> {
    let clock = median(
        (0..100_000)
            .map(|_| Instant::now().elapsed().as_nanos() as u64)
            .collect(),
    );
    for round in ["first", "warm", "warm"] {
        let mut times = Vec::with_capacity(positions.len());
        for position in positions {
            let start = Instant::now();
            std::hint::black_box(tables.probe_wld(position)?);
            times.push((start.elapsed().as_nanos() as u64).saturating_sub(clock));
        }
        times.sort_unstable();
        let at = |part: f64| times[(times.len() as f64 * part) as usize];
        println!(
            "  {round}: median {} ns, 90 % {} ns, 99 % {} ns",
            at(0.5),
            at(0.9),
            at(0.99)
        );
    }
    rate("one by one", positions, |positions| {
        for position in positions {
            let _ = std::hint::black_box(tables.probe_wld(position));
        }
    });
    for size in [1_000, positions.len()] {
        rate(&format!("in batches of {size}"), positions, |positions| {
            for positions in positions.chunks(size) {
                std::hint::black_box(tables.probe_wld_batch(positions));
            }
        });
    }
    Ok(())
}

/// Prints how long each position takes, by the clock and of the processor.
fn rate(what: &str, positions: &[Position<u32>], probe: impl Fn(&[Position<u32>])) {
    const ROUNDS: usize = 5;
    let (cpu, start) = (cpu_nanoseconds(), Instant::now());
    for _ in 0..ROUNDS {
        probe(positions);
    }
    let each = |nanoseconds: u64| nanoseconds as f64 / (ROUNDS * positions.len()) as f64;
    let wall = each(start.elapsed().as_nanos() as u64);
    print!("  {what}: {wall:.1} ns each by the clock");
    if let (Some(before), Some(after)) = (cpu, cpu_nanoseconds()) {
        let worked = each(after - before);
        print!(", {worked:.1} ns of the processor, {:.1} M/s", 1e3 / worked);
    }
    println!();
}

/// What this process, which has one thread, has been working; `None` where the system does not tell.
fn cpu_nanoseconds() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

fn median(mut times: Vec<u64>) -> u64 {
    times.sort_unstable();
    times[times.len() / 2]
}

//! Speed of training on one thread: examples a second of processor time, for the weights of patterns and for
//! the small network.
//!
//! ```text
//! cargo run --release -p makhos-selfplay --example train_speed -- 1000000
//! ```

use std::error::Error;
use std::time::Instant;

use makhos_rules::{Board, BoardSize, Position, RuleSet, variant};
use makhos_selfplay::eval::{Features, Net, Weights};
use makhos_selfplay::train::{
    Example, FitSettings, LossPoint, NetSamples, NetSettings, Samples, TrainError, fit, train_net,
};

/// Epochs that are timed.
const EPOCHS: u32 = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let count = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => 300_000,
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build()?;
    println!("| variant | examples | extracted, M/s | patterns, M/s | network, M/s |");
    println!("|---|---|---|---|---|");
    for name in ["russian", "international", "canadian"] {
        let rules = variant::by_name(name)?;
        pool.install(|| match rules.board {
            BoardSize::Eight => measure::<u32>(rules, count),
            BoardSize::Ten => measure::<u64>(rules, count),
            BoardSize::Twelve => measure::<u128>(rules, count),
        })?;
    }
    Ok(())
}

/// Positions of random games.
fn examples<B: Board>(rules: &RuleSet, count: usize) -> Vec<Example<B>> {
    let mut seed = 1_u64;
    let mut next = move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    let mut examples = Vec::with_capacity(count);
    for game in 0_u64.. {
        let mut position = Position::<B>::start(rules);
        for _ in 0..100 {
            let moves = rules.legal_moves(&position);
            if moves.is_empty() {
                break;
            }
            position = position.make(&moves[next() % moves.len()]);
            if examples.len() == count {
                return examples;
            }
            examples.push(Example {
                position,
                target: (next() % 3) as f32 / 2.0,
                weight: 1.0,
                game,
            });
        }
    }
    examples
}

/// Seconds that this thread has computed, where the system tells; elsewhere seconds by the clock.
fn seconds(since: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| since.elapsed().as_secs_f64(), |it| it / 1e9)
}

/// Times epochs, the first of which is not one.
struct Epochs {
    since: Instant,
    last: f64,
    fastest: f64,
}

impl Epochs {
    fn new() -> Self {
        Self {
            since: Instant::now(),
            last: 0.0,
            fastest: f64::INFINITY,
        }
    }

    fn ended(&mut self, point: &LossPoint) -> bool {
        let now = seconds(self.since);
        if point.epoch > 0 {
            // The fastest tells most on a machine that does other things as well.
            self.fastest = self.fastest.min(now - self.last);
        }
        self.last = now;
        true
    }
}

fn measure<B: Board>(rules: &RuleSet, count: usize) -> Result<(), TrainError> {
    let millions = count as f64 / 1e6;
    let examples = examples::<B>(rules, count);
    let few = &examples[..100];
    let features = Features::<B>::new(rules);
    let clock = Instant::now();
    let before = seconds(clock);
    let train = Samples::extract(&features, &examples, 1)?;
    let extracted = millions / (seconds(clock) - before);
    let validation = Samples::extract(&features, few, 1)?;
    let settings = FitSettings {
        epochs: EPOCHS,
        patience: EPOCHS,
        ..FitSettings::default()
    };
    let start = Weights::material_only::<B>(rules);
    let mut patterns = Epochs::new();
    let mut watch = |point: &LossPoint| patterns.ended(point);
    fit(&train, &validation, &start, &settings, &mut watch)?;
    let (train, validation) = (
        NetSamples::extract(&examples, 1)?,
        NetSamples::extract(few, 1)?,
    );
    let settings = NetSettings {
        epochs: EPOCHS,
        patience: EPOCHS,
        ..NetSettings::default()
    };
    let mut net = Epochs::new();
    let mut watch = |point: &LossPoint| net.ended(point);
    let start = Net::<B>::random(rules, 1);
    train_net(&train, &validation, &start, &settings, &mut watch)?;
    println!(
        "| {} | {count} | {extracted:.2} | {:.1} | {:.2} |",
        rules.name,
        millions / patterns.fastest,
        millions / net.fastest
    );
    Ok(())
}

//! Speed of probing: random positions of a 3-piece set, files in the page cache.

use divan::Bencher;
use divan::counter::ItemsCount;
use makhos_index::{PlacementIndex, classes, stored_sides};
use makhos_probe::{Metric, Tablebase};
use makhos_retro::{Generator, Quiet};
use makhos_rules::{Position, variant};

fn main() {
    divan::main();
}

/// A small generator of numbers, so that every run probes the same positions.
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

fn tables() -> (tempfile::TempDir, Tablebase<u32>, Vec<Position<u32>>) {
    let rules = variant::RUSSIAN;
    let dir = tempfile::tempdir().expect("a directory");
    let generator = Generator::<u32>::new(rules, dir.path(), Metric::Dtw);
    let plan = generator.plan(&classes(3)).expect("a plan");
    generator.run(&plan, &Quiet).expect("tables");
    let tables = Tablebase::open(rules, dir.path()).expect("tables");
    let mut random = SplitMix(1);
    let mut positions = Vec::new();
    for class in classes(3).into_iter().filter(|class| class.pieces() == 3) {
        let index = PlacementIndex::<u32>::new(class).expect("small");
        for _ in 0..1000 {
            let sides = stored_sides(class);
            let side = sides[random.below(sides.len() as u64) as usize];
            positions.push(index.position(random.below(index.len()), side));
        }
    }
    (dir, tables, positions)
}

#[divan::bench(args = [false, true])]
fn probe_wld(bencher: Bencher<'_, '_>, quiet_only: bool) {
    let (_dir, tables, mut positions) = tables();
    if quiet_only {
        positions.retain(|position| !tables.rules().has_capture(position));
    }
    bencher
        .counter(ItemsCount::new(positions.len()))
        .bench_local(|| {
            for position in &positions {
                divan::black_box(tables.probe_wld(position).expect("a value"));
            }
        });
}

#[divan::bench]
fn best_move(bencher: Bencher<'_, '_>) {
    let (_dir, tables, positions) = tables();
    let positions = &positions[..500];
    bencher
        .counter(ItemsCount::new(positions.len()))
        .bench_local(|| {
            for position in positions {
                divan::black_box(tables.best_move(position).expect("a value"));
            }
        });
}

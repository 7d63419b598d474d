//! Speed of the table file's codec for outcomes on one thread: all classes of four pieces, solved, as bit
//! planes to the bytes of a file and back.

use divan::Bencher;
use divan::counter::ItemsCount;
use makhos_index::classes;
use makhos_probe::{
    Access, Metric, Outcomes, SideStatistics, Table, TableSpec, TableWriter, table_path,
};
use makhos_retro::{Generator, Quiet, Storage};
use makhos_rules::{Color, RuleSet, variant};

fn main() {
    divan::main();
}

const VARIANTS: [&str; 2] = ["english", "russian"];

/// A table with the outcomes of its sides.
struct Solved {
    spec: TableSpec,
    table: Table,
    sides: Vec<(Color, SideStatistics, Outcomes)>,
}

fn rules(name: &str) -> RuleSet {
    let all = [variant::ENGLISH, variant::RUSSIAN];
    let at = VARIANTS.iter().position(|variant| *variant == name);
    all[at.expect("one of the variants")]
}

/// All classes of four pieces, and their number of positions.
fn solved(name: &str) -> (tempfile::TempDir, Vec<Solved>, u64) {
    let rules = rules(name);
    let dir = tempfile::tempdir().expect("a directory");
    // The values at captures are among those that are written.
    let generator = Generator::<u32>::new(rules, dir.path(), Metric::Wld);
    let generator = generator.with_storage(Storage::Complete);
    let plan = generator.plan(&classes(4)).expect("a plan");
    generator.run(&plan, &Quiet).expect("tables");
    let metric = Metric::Wld;
    let four = classes(4).into_iter().filter(|class| class.pieces() == 4);
    let tables: Vec<_> = four
        .map(|material| {
            let path = table_path(dir.path(), &rules, material, metric);
            let table = Table::open(&path, Access::Map).expect("a table");
            let sides = table.sides().iter().map(|&side| {
                let mut outcomes = Outcomes::default();
                let all = table.read_outcomes(side, 0..table.positions(), &mut outcomes);
                all.expect("outcomes");
                let statistics = table.statistics(side).expect("stored");
                (side, *statistics, outcomes)
            });
            Solved {
                spec: TableSpec {
                    rules,
                    material,
                    metric,
                },
                sides: sides.collect(),
                table,
            }
        })
        .collect();
    let sides = tables.iter().flat_map(|solved| &solved.sides);
    let positions = sides.map(|(_, _, outcomes)| outcomes.len()).sum();
    (dir, tables, positions)
}

/// Packing, compression, checksums and writing; without finishing, which waits for the disk.
#[divan::bench(args = VARIANTS, max_time = 5)]
fn encode_outcomes(bencher: Bencher<'_, '_>, name: &str) {
    let (dir, tables, positions) = solved(name);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.expect("a thread");
    let counted = bencher.counter(ItemsCount::new(positions));
    counted.bench_local(|| {
        pool.install(|| {
            for solved in &tables {
                let sides = solved.sides.iter();
                let statistics: Vec<_> = sides.map(|(_, statistics, _)| *statistics).collect();
                let writer = TableWriter::create(dir.path(), &solved.spec, &statistics);
                let mut writer = writer.expect("a file");
                for (_, _, side) in &solved.sides {
                    let pushed = writer.push_outcomes(side.win(), side.loss(), side.len());
                    pushed.expect("right outcomes");
                }
            }
        });
    });
}

/// Reading from the page cache, decompression and unpacking.
#[divan::bench(args = VARIANTS, max_time = 5)]
fn decode_outcomes(bencher: Bencher<'_, '_>, name: &str) {
    let (_dir, tables, positions) = solved(name);
    let mut into = Outcomes::default();
    let counted = bencher.counter(ItemsCount::new(positions));
    counted.bench_local(|| {
        for Solved { table, sides, .. } in &tables {
            for (side, _, _) in sides {
                let all = table.read_outcomes(*side, 0..table.positions(), &mut into);
                all.expect("outcomes");
                divan::black_box(&into);
            }
        }
    });
}

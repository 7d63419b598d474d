//! The same bytes for any number of threads and after any number of interruptions.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use makhos_index::classes;
use makhos_probe::{Metric, variant_directory};
use makhos_retro::{GenerateError, Generator, Monitor, Quiet, Storage};
use makhos_rules::{RuleSet, variant};

const RULES: RuleSet = variant::CZECH;
const PIECES: u32 = 3;

fn generator(dir: &Path) -> Generator<u32> {
    Generator::new(RULES, dir, Metric::Dtw)
}

fn run(dir: &Path, threads: usize, monitor: &dyn Monitor) -> Result<(), GenerateError> {
    run_for(Metric::Dtw, dir, threads, monitor)
}

fn run_for(
    metric: Metric,
    dir: &Path,
    threads: usize,
    monitor: &dyn Monitor,
) -> Result<(), GenerateError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool");
    pool.install(|| {
        let generator = Generator::<u32>::new(RULES, dir, metric);
        let plan = generator.plan(&classes(PIECES))?;
        generator.run(&plan, monitor).map(|_| ())
    })
}

/// Every table by its name.
fn tables(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let listed = fs::read_dir(dir.join(variant_directory(&RULES))).expect("a directory");
    let mut tables = BTreeMap::new();
    for entry in listed {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a plain name");
        if makhos_probe::parse_file_name(&name).is_some() {
            tables.insert(name, fs::read(entry.path()).expect("readable"));
        }
    }
    tables
}

/// Stops after a number of questions whether to stop.
struct StopAfter(AtomicU64);

impl Monitor for StopAfter {
    fn should_stop(&self) -> bool {
        let left = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
        left.is_err()
    }
}

/// Generates with stops, each `more` questions later than the one before, until all is done.
/// Returns how many there were.
fn stop_and_resume(
    metric: Metric,
    threads: usize,
    more: u64,
    expected: &BTreeMap<String, Vec<u8>>,
) -> u64 {
    let stopped = tempfile::tempdir().expect("a directory");
    let (mut interruptions, mut patience) = (0, more);
    loop {
        let monitor = StopAfter(AtomicU64::new(patience));
        let Err(error) = run_for(metric, stopped.path(), threads, &monitor) else {
            break;
        };
        assert!(error.is_interrupted(), "{error}");
        let so_far = tables(stopped.path());
        assert!(so_far.iter().all(|(name, bytes)| expected[name] == *bytes));
        interruptions += 1;
        patience += more;
    }
    assert!(
        tables(stopped.path()) == *expected,
        "{threads} threads, {interruptions} interruptions"
    );
    interruptions
}

/// Generates by different numbers of threads, and with stops after each number of questions in `steps`.
fn threads_and_interruptions_change_nothing(metric: Metric, steps: &[u64]) {
    let once = tempfile::tempdir().expect("a directory");
    run_for(metric, once.path(), 1, &Quiet).expect("tables");
    let expected = tables(once.path());
    let files = if metric == Metric::Dtw { 2 } else { 1 };
    assert_eq!(expected.len(), files * classes(PIECES).len());
    for threads in [1, 2, 4] {
        let dir = tempfile::tempdir().expect("a directory");
        run_for(metric, dir.path(), threads, &Quiet).expect("tables");
        assert!(tables(dir.path()) == expected, "{threads} threads");
        for &more in steps {
            let interruptions = stop_and_resume(metric, threads, more, &expected);
            assert!(interruptions > 3, "{interruptions}, each {more} later");
        }
    }
}

#[test]
fn threads_and_interruptions_do_not_change_distances() {
    threads_and_interruptions_change_nothing(Metric::Dtw, &[5]);
}

#[test]
fn threads_and_interruptions_do_not_change_outcomes() {
    threads_and_interruptions_change_nothing(Metric::Wld, &[23, 61]);
}

#[test]
fn tables_of_outcomes_do_not_depend_on_distances_beside_them() {
    let with = tempfile::tempdir().expect("a directory");
    run(with.path(), 2, &Quiet).expect("tables");
    let without = tempfile::tempdir().expect("a directory");
    let generator = Generator::<u32>::new(RULES, without.path(), Metric::Wld);
    let plan = generator.plan(&classes(PIECES)).expect("a plan");
    generator.run(&plan, &Quiet).expect("tables");
    let mut expected = tables(with.path());
    expected.retain(|name, _| name.ends_with(".wld"));
    assert!(tables(without.path()) == expected);
}

/// Classes of which only compact tables are there are solved again for larger ones, and not written again.
#[test]
fn a_set_grows_to_the_same_bytes() {
    for (metric, storage) in [
        (Metric::Wld, Storage::Compact),
        (Metric::Wld, Storage::OneSide),
        (Metric::Wld, Storage::Complete),
        (Metric::Dtw, Storage::Compact),
        (Metric::Dtc, Storage::Compact),
    ] {
        let run = |dir: &Path, pieces: u32, keep: bool| {
            let generator = Generator::<u32>::new(RULES, dir, metric)
                .with_storage(storage)
                .keeping_work(keep);
            let plan = generator.plan(&classes(pieces)).expect("a plan");
            let again = plan.steps.iter().filter(|step| step.again).count();
            generator.run(&plan, &Quiet).expect("tables");
            again
        };
        let once = tempfile::tempdir().expect("a directory");
        assert_eq!(run(once.path(), 3, false), 0);
        assert!(!once.path().join("work").exists());
        for keep in [false, true] {
            let grown = tempfile::tempdir().expect("a directory");
            assert_eq!(run(grown.path(), 2, keep), 0);
            let first = modified(grown.path());
            let again = run(grown.path(), 3, keep);
            // What no class needed before was not kept.
            assert_eq!(again > 0, storage != Storage::Complete, "{metric} {again}");
            assert_eq!(
                grown.path().join("work").exists(),
                keep && storage != Storage::Complete
            );
            assert!(tables(grown.path()) == tables(once.path()), "{metric}");
            let now = modified(grown.path());
            assert!(
                first.iter().all(|(name, time)| now[name] == *time),
                "{metric}"
            );
        }
    }
}

/// When each table was written.
fn modified(dir: &Path) -> BTreeMap<String, std::time::SystemTime> {
    let variant = dir.join(variant_directory(&RULES));
    let time = |name: String| {
        let written = fs::metadata(variant.join(&name)).and_then(|file| file.modified());
        (name, written.expect("a time"))
    };
    tables(dir).into_keys().map(time).collect()
}

#[test]
fn too_little_memory_is_said_before_anything_is_done() {
    let dir = tempfile::tempdir().expect("a directory");
    let generator = generator(dir.path()).with_memory(13 << 20);
    let error = generator.plan(&classes(4)).expect_err("too little");
    let GenerateError::Memory {
        needed, allowed, ..
    } = error
    else {
        panic!("{error}")
    };
    assert!(needed > allowed && allowed == 13 << 20);
    assert!(
        fs::read_dir(dir.path())
            .expect("a directory")
            .next()
            .is_none()
    );
}

#[test]
fn a_damaged_table_is_not_built_upon() {
    let dir = tempfile::tempdir().expect("a directory");
    run(dir.path(), 1, &Quiet).expect("tables");
    let variant_dir = dir.path().join(variant_directory(&RULES));
    let victim = variant_dir.join("1k-1k.dtw");
    let mut bytes = fs::read(&victim).expect("readable");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&victim, bytes).expect("writable");
    fs::remove_file(variant_dir.join("2k-1k.dtw")).expect("removable");
    let error = run(dir.path(), 1, &Quiet).expect_err("damaged");
    assert!(error.to_string().contains("1k-1k.dtw"), "{error}");
}

//! A class that was stopped or killed in work goes on from its checkpoint, to the same bytes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use makhos_index::{Material, dependencies};
use makhos_probe::{Metric, table_path};
use makhos_retro::{CheckpointError, Checkpoints, GenerateError, Generator, Monitor, Quiet, Step};
use makhos_rules::{RuleSet, variant};

/// Counts what it is told, and stops after a number of questions whether to stop.
#[derive(Default)]
struct Watch {
    questions: AtomicU64,
    /// 0 for never.
    patience: u64,
    work: AtomicU64,
    done: AtomicU64,
    resumed: AtomicU64,
    written: AtomicU64,
    ignored: Mutex<Vec<String>>,
    failed: Mutex<Vec<String>>,
}

impl Watch {
    fn stopping(patience: u64) -> Self {
        Self {
            patience,
            ..Self::default()
        }
    }
}

impl Monitor for Watch {
    fn class_started(&self, step: &Step) {
        self.work.fetch_add(step.work(), Ordering::Relaxed);
    }

    fn advanced(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    fn resumed(&self, _: Material, done: u64, total: u64) {
        assert!(0 < done && done < total);
        self.done.fetch_add(done, Ordering::Relaxed);
        self.resumed.fetch_add(1, Ordering::Relaxed);
    }

    fn checkpoint_written(&self, file: &Path) {
        assert!(file.exists());
        self.written.fetch_add(1, Ordering::Relaxed);
    }

    fn checkpoint_ignored(&self, _: &Path, why: &CheckpointError) {
        self.ignored.lock().expect("a lock").push(why.to_string());
    }

    fn checkpoint_failed(&self, _: &Path, why: &io::Error) {
        self.failed.lock().expect("a lock").push(why.to_string());
    }

    fn should_stop(&self) -> bool {
        let asked = self.questions.fetch_add(1, Ordering::Relaxed) + 1;
        self.patience != 0 && asked > self.patience
    }
}

/// Makes `class` in a directory that has what it needs.
fn make(
    rules: &RuleSet,
    dir: &Path,
    class: Material,
    threads: usize,
    when: Checkpoints,
    monitor: &dyn Monitor,
) -> Result<(), GenerateError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("a pool").install(|| {
        let generator = Generator::<u32>::new(*rules, dir, Metric::Wld);
        let generator = generator.with_checkpoints(Some(when));
        let plan = generator.plan(&[class])?;
        generator.run(&plan, monitor).map(|_| ())
    })
}

fn table(rules: &RuleSet, dir: &Path, class: Material) -> PathBuf {
    table_path(dir, rules, class, Metric::Wld)
}

fn checkpoint(rules: &RuleSet, dir: &Path, class: Material) -> PathBuf {
    let table = table(rules, dir, class);
    table.with_file_name(format!(".{class}.wld.checkpoint"))
}

fn class(text: &str) -> Material {
    text.parse().expect("a class")
}

/// A directory with what `class` needs, and the bytes of its table.
fn prepared(rules: &RuleSet, class: Material) -> (tempfile::TempDir, Vec<u8>) {
    let dir = tempfile::tempdir().expect("a directory");
    let generator = Generator::<u32>::new(*rules, dir.path(), Metric::Wld)
        .with_checkpoints(None)
        .keeping_work(true);
    let needed: Vec<Material> = dependencies(class).iter().map(|d| d.material).collect();
    let plan = generator.plan(&needed).expect("a plan");
    generator.run(&plan, &Quiet).expect("tables");
    let plan = generator.plan(&[class]).expect("a plan");
    generator.run(&plan, &Quiet).expect("a table");
    let table = table(rules, dir.path(), class);
    let bytes = fs::read(&table).expect("readable");
    fs::remove_file(&table).expect("removable");
    (dir, bytes)
}

/// Stops again and again, each time some questions later, until the class is made.
fn stop_and_resume(rules: &RuleSet, name: &str, threads: usize, more: u64) {
    let class = class(name);
    let (dir, expected) = prepared(rules, class);
    let dir = dir.path();
    let saved = checkpoint(rules, dir, class);
    let (mut patience, mut stops, mut resumed) = (more, 0, 0);
    loop {
        let watch = Watch::stopping(patience);
        let made = make(rules, dir, class, threads, Checkpoints::ALWAYS, &watch);
        resumed += watch.resumed.load(Ordering::Relaxed);
        assert!(watch.ignored.lock().expect("a lock").is_empty());
        let Err(error) = made else {
            let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
            assert_eq!(count(&watch.done), count(&watch.work), "{name}");
            break;
        };
        assert!(error.is_interrupted(), "{error}");
        stops += 1;
        patience += more;
    }
    assert!(stops > 3 && resumed > 1, "{name}: {stops}, {resumed}");
    let found = fs::read(table(rules, dir, class)).expect("readable");
    assert!(found == expected, "{name}, {threads} threads");
    assert!(!saved.exists());
}

#[test]
fn stopped_classes_go_on_to_the_same_bytes() {
    // Each shape of the solver, equal armies and others.
    for (rules, name, more) in [
        (&variant::ENGLISH, "1m1k-1m1k", 20),
        (&variant::RUSSIAN, "1m1k-1m1k", 17),
        (&variant::ENGLISH, "2k-2m", 20),
        (&variant::RUSSIAN, "2m1k-1m", 500),
        (&variant::CZECH, "1m1k-2m", 500),
        (&variant::ENGLISH, "2m-2m", 20),
        (&variant::RUSSIAN, "3m-1m", 200),
        (&variant::THAI, "1m2k-1k", 2),
    ] {
        for threads in [1, 2, 4] {
            stop_and_resume(rules, name, threads, more);
        }
    }
}

#[test]
fn a_table_does_not_depend_on_where_it_was_stopped() {
    let class = class("1m1k-1m1k");
    let rules = &variant::ENGLISH;
    let (dir, expected) = prepared(rules, class);
    for patience in (1..).map(|number| 29 * number) {
        let watch = Watch::stopping(patience);
        let made = make(rules, dir.path(), class, 2, Checkpoints::ALWAYS, &watch);
        if made.is_ok() {
            break;
        }
        make(rules, dir.path(), class, 2, Checkpoints::ALWAYS, &Quiet).expect("a table");
        let table = table(rules, dir.path(), class);
        assert!(
            fs::read(&table).expect("readable") == expected,
            "{patience}"
        );
        fs::remove_file(&table).expect("removable");
    }
}

#[test]
fn saving_takes_its_time_and_a_short_class_is_not_saved() {
    let class = class("1m1k-1m1k");
    let rules = &variant::ENGLISH;
    let (dir, _) = prepared(rules, class);
    let watch = Watch::stopping(200);
    make(rules, dir.path(), class, 1, Checkpoints::default(), &watch).expect_err("stopped");
    assert_eq!(watch.written.load(Ordering::Relaxed), 0);
    assert!(!checkpoint(rules, dir.path(), class).exists());
    let watch = Watch::default();
    make(rules, dir.path(), class, 1, Checkpoints::ALWAYS, &watch).expect("a table");
    // Six rows for either man to advance: 13 levels, the last of which the table follows.
    assert_eq!(watch.written.load(Ordering::Relaxed), 12);
}

#[test]
fn what_cannot_be_taken_up_is_told_and_ignored() {
    let class = class("1m1k-1m1k");
    let rules = &variant::ENGLISH;
    let (dir, expected) = prepared(rules, class);
    let dir = dir.path();
    let saved = checkpoint(rules, dir, class);
    let stop = Watch::stopping(200);
    make(rules, dir, class, 1, Checkpoints::ALWAYS, &stop).expect_err("stopped");
    let whole = fs::read(&saved).expect("a checkpoint");
    let (other_dir, _) = prepared(&variant::RUSSIAN, class);
    let stop = Watch::stopping(200);
    let russian = other_dir.path();
    make(
        &variant::RUSSIAN,
        russian,
        class,
        1,
        Checkpoints::ALWAYS,
        &stop,
    )
    .expect_err("stopped");
    let other_rules = fs::read(checkpoint(&variant::RUSSIAN, russian, class)).expect("readable");
    let flipped = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x20;
        bytes
    };
    let damages = [
        ("is not a checkpoint", flipped(0)),
        ("another version", flipped(8)),
        ("another class or other rules", other_rules),
        ("is damaged", flipped(whole.len() / 2)),
        ("is damaged", flipped(whole.len() - 1)),
        ("is damaged", whole[..whole.len() - 1].to_vec()),
        ("is damaged", Vec::new()),
    ];
    for (why, bytes) in damages {
        fs::write(&saved, bytes).expect("written");
        let watch = Watch::default();
        make(rules, dir, class, 2, Checkpoints::default(), &watch).expect("a table");
        assert_eq!(watch.resumed.load(Ordering::Relaxed), 0);
        let ignored = watch.ignored.lock().expect("a lock");
        assert!(
            ignored.len() == 1 && ignored[0].contains(why),
            "{ignored:?}"
        );
        let table = table(rules, dir, class);
        assert!(fs::read(&table).expect("readable") == expected, "{why}");
        assert!(!saved.exists());
        fs::remove_file(&table).expect("removable");
    }
    // The whole one would have been taken up.
    fs::write(&saved, &whole).expect("written");
    let watch = Watch::default();
    make(rules, dir, class, 2, Checkpoints::default(), &watch).expect("a table");
    assert_eq!(watch.resumed.load(Ordering::Relaxed), 1);
}

#[test]
fn a_checkpoint_that_cannot_be_written_stops_nothing() {
    let class = class("1m1k-1k");
    let rules = &variant::ENGLISH;
    let (dir, expected) = prepared(rules, class);
    let dir = dir.path();
    // Nothing can be renamed to a directory that is not empty.
    let saved = checkpoint(rules, dir, class);
    fs::create_dir_all(saved.join("inside")).expect("a directory");
    let watch = Watch::default();
    make(rules, dir, class, 1, Checkpoints::ALWAYS, &watch).expect("a table");
    assert!(!watch.failed.lock().expect("a lock").is_empty());
    assert_eq!(watch.ignored.lock().expect("a lock").len(), 1);
    assert!(fs::read(table(rules, dir, class)).expect("readable") == expected);
    let unfinished = fs::read_dir(saved.parent().expect("a directory")).expect("a directory");
    let names = unfinished.map(|entry| entry.expect("an entry").file_name());
    assert!(
        names
            .into_iter()
            .all(|name| !name.to_string_lossy().ends_with(".tmp"))
    );
}

/// Where a process started by [`killed_processes_go_on_to_the_same_bytes`] makes its tables.
const CHILD_DIR: &str = "MAKHOS_TEST_CHILD_DIR";
const KILLED: &str = "2m1k-1m1k";

/// Does nothing unless it is that process.
#[test]
fn child() {
    if let Some(dir) = std::env::var_os(CHILD_DIR) {
        let dir = Path::new(&dir);
        let made = make(
            &variant::ENGLISH,
            dir,
            class(KILLED),
            2,
            Checkpoints::ALWAYS,
            &Quiet,
        );
        made.expect("a table");
    }
}

#[test]
fn killed_processes_go_on_to_the_same_bytes() {
    let class = class(KILLED);
    let rules = &variant::ENGLISH;
    let (dir, expected) = prepared(rules, class);
    let saved = checkpoint(rules, dir.path(), class);
    let mut last = Vec::new();
    for _ in 0..3 {
        let mut child = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "child"])
            .env(CHILD_DIR, dir.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("a process");
        let start = Instant::now();
        // At least a level more each time.
        while !fs::read(&saved).is_ok_and(|bytes| bytes != last)
            && start.elapsed() < Duration::from_secs(60)
            && child.try_wait().expect("a process").is_none()
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = child.kill();
        child.wait().expect("it ends");
        last = fs::read(&saved).unwrap_or_default();
    }
    assert!(!last.is_empty(), "killed too late");
    let watch = Watch::default();
    make(rules, dir.path(), class, 2, Checkpoints::ALWAYS, &watch).expect("a table");
    assert_eq!(watch.resumed.load(Ordering::Relaxed), 1);
    let found = fs::read(table(rules, dir.path(), class)).expect("readable");
    assert!(found == expected);
    // Neither the checkpoint nor an unfinished one is left.
    let listed = fs::read_dir(saved.parent().expect("a directory")).expect("a directory");
    let hidden = listed.filter(|entry| {
        let name = entry.as_ref().expect("an entry").file_name();
        name.to_string_lossy().starts_with('.')
    });
    assert_eq!(hidden.count(), 0);
}

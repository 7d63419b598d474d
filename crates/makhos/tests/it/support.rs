//! Running the binary, and tables that several tests read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use assert_cmd::Command;

/// The binary under test.
pub(crate) const MAKHOS: &str = env!("CARGO_BIN_EXE_makhos");

/// What a run of the binary gave.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// The standard output of a run that must have ended with this code.
    pub(crate) fn expect(self, code: i32) -> String {
        assert_eq!(self.code, code, "{self:?}");
        self.stdout
    }

    /// The standard error of a run that must have ended with this code.
    pub(crate) fn expect_error(self, code: i32) -> String {
        assert_eq!(self.code, code, "{self:?}");
        self.stderr
    }
}

/// Runs the binary.
pub(crate) fn run(args: &[&str]) -> Run {
    run_with_input(args, "")
}

/// Runs the binary with a text on its standard input.
pub(crate) fn run_with_input(args: &[&str], input: &str) -> Run {
    let mut command = Command::new(MAKHOS);
    command
        .args(args)
        .env_remove("MAKHOS_DIR")
        .write_stdin(input);
    let output = command.output().expect("the binary runs");
    Run {
        code: output.status.code().expect("it was not killed"),
        stdout: String::from_utf8(output.stdout).expect("results are UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("logs are UTF-8"),
    }
}

/// Runs the binary and reads its standard output as JSON.
pub(crate) fn json(args: &[&str]) -> serde_json::Value {
    let output = run(args).expect(0);
    serde_json::from_str(&output).expect("a JSON document")
}

/// Starts the binary with its outputs held by pipes.
pub(crate) fn start(args: &[&str]) -> Child {
    std::process::Command::new(MAKHOS)
        .args(args)
        .env_remove("MAKHOS_DIR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs")
}

/// A directory with complete tables of english and russian up to 3 pieces and international of 2,
/// made once for all tests. Tests must not write to it.
pub(crate) fn tables() -> &'static str {
    static TABLES: OnceLock<String> = OnceLock::new();
    TABLES.get_or_init(|| {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tables");
        // Tables of an older build must not be tested.
        let _ = fs::remove_dir_all(&dir);
        let dir = dir.to_str().expect("a path in UTF-8").to_owned();
        for (variant, pieces) in [("english", "3"), ("russian", "3"), ("international", "2")] {
            let args = [
                "generate",
                "--variant",
                variant,
                "--pieces",
                pieces,
                "--dir",
                &dir,
            ];
            run(&args).expect(0);
        }
        dir
    })
}

/// A new directory with a copy of one variant's tables.
pub(crate) fn copy_of_tables(variant: &str) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a temporary directory");
    let to = copy.path().join(variant);
    fs::create_dir(&to).expect("a directory");
    for file in files(&Path::new(tables()).join(variant)) {
        let name = file.file_name().expect("a name");
        fs::copy(&file, to.join(name)).expect("a copy");
    }
    copy
}

/// The table files in a directory, sorted; none if it does not exist.
pub(crate) fn files(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|end| end == "wld" || end == "dtw")
        })
        .collect();
    files.sort();
    files
}

/// The names and bytes of all table files in a directory.
pub(crate) fn contents(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let read = |path: &PathBuf| {
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        (name, fs::read(path).expect("a readable file"))
    };
    files(dir).iter().map(read).collect()
}

/// Waits until a directory has that many table files.
pub(crate) fn wait_for_files(dir: &Path, count: usize) {
    let start = Instant::now();
    while files(dir).len() < count {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "no table appears"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A file of the repository's `data` directory, without its comments.
pub(crate) fn data_lines(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../data")
        .join(name);
    let text = fs::read_to_string(path).expect("the data file");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

/// A directory with a few quick games, made with the tables of three pieces.
pub(crate) fn quick_games(dir: &Path) -> String {
    let out = dir.join("games");
    let out = out.to_str().expect("a path in UTF-8").to_owned();
    let args = [
        "selfplay",
        "--variant",
        "russian",
        "--games",
        "40",
        "--nodes",
        "100",
        "--seed",
        "3",
        "--out",
        &out,
        "--dir",
        tables(),
    ];
    run(&args).expect(0);
    out
}

/// A path within a directory as text.
pub(crate) fn path(dir: &Path, name: &str) -> String {
    dir.join(name).to_str().expect("a path in UTF-8").to_owned()
}

//! Drawing rules: `--draw-rules` of every command, and counters.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{json, run, run_with_input};

/// Draws early enough that two pieces notice.
const SHORT: &str = "clock short plies=4 material=any resets=capture,promotion,man-move # house\n";

struct Tables {
    dir: tempfile::TempDir,
    rules: String,
}

impl Tables {
    /// English tables of two pieces with and without the rules of `text`.
    fn made(text: &str) -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let file = dir.path().join("my.rules");
        fs::write(&file, text).expect("a file");
        let rules = file.to_str().expect("a path in UTF-8").to_owned();
        let tables = Self { dir, rules };
        tables.run("generate", &["--pieces", "2"]).expect(0);
        tables
    }

    fn dir(&self) -> &str {
        self.dir.path().to_str().expect("a path in UTF-8")
    }

    fn args<'a>(&'a self, command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let all = [
            "--variant",
            "english",
            "--dir",
            self.dir(),
            "--draw-rules",
            &self.rules,
        ];
        [&[command], &all[..], more].concat()
    }

    fn run(&self, command: &str, more: &[&str]) -> crate::support::Run {
        run(&self.args(command, more))
    }

    /// The files under drawing rules.
    fn files(&self) -> Vec<PathBuf> {
        dtz_files(&self.dir.path().join("english"))
    }
}

fn dtz_files(variant: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(variant).expect("a directory");
    let directory = entries
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.is_dir())
        .expect("a directory of drawing rules");
    let mut files: Vec<PathBuf> = fs::read_dir(directory)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "dtz"))
        .collect();
    files.sort();
    files
}

#[test]
fn a_short_clock_spoils_wins_and_probe_says_so() {
    let tables = Tables::made(SHORT);
    let stats = json(&tables.args("stats", &["--json"]));
    let classes = stats["classes"].as_array().expect("classes");
    assert_eq!(classes.len(), 3);
    let spoiled: u64 = classes
        .iter()
        .flat_map(|class| class["sides"].as_array().expect("sides"))
        .map(|side| {
            side["spoiled_wins"]
                .as_u64()
                .expect("both tables are there")
        })
        .sum();
    assert!(spoiled > 50, "{spoiled}");
    // The longest win without drawing rules is longer than any that they allow.
    let plain = json(&[
        "stats",
        "--variant",
        "english",
        "--dir",
        tables.dir(),
        "--json",
    ]);
    let kings = plain["classes"].as_array().expect("classes").iter();
    let kings = kings
        .clone()
        .find(|class| class["class"] == "1k-1k")
        .expect("two kings");
    let fen = kings["sides"][0]["max_win_fen"].as_str().expect("a win");
    let line = tables.run("probe", &[fen]).expect(0);
    let cells: Vec<&str> = line.trim_end().split('\t').collect();
    assert_eq!(cells.len(), 9, "{line}");
    assert_eq!(
        (cells[1], cells[4], cells[6], cells[7]),
        ("win", "cursed-win", "4", "short")
    );
    let answer = json(&tables.args("probe", &["--json", fen]));
    assert_eq!(answer["draw_rules"]["value"], "cursed-win");
    assert_eq!(answer["draw_rules"]["article"], "house");
    assert_eq!(
        answer["draw_rules"]["moves"].as_array().map(Vec::len),
        answer["moves"].as_array().map(Vec::len)
    );
}

/// A king that takes the other one at once.
const SHOT: &str = "W:WK18:BK15";

#[test]
fn counters_come_from_the_fen_or_the_argument() {
    let tables = Tables::made(SHORT);
    let field = |args: &[&str], number: usize| {
        let line = tables.run("probe", args).expect(0);
        line.trim_end()
            .split('\t')
            .nth(number)
            .expect("a field")
            .to_owned()
    };
    assert_eq!(field(&[SHOT], 4), "win");
    assert_eq!(field(&[SHOT], 6), "4");
    let counted = format!("{SHOT}:H3:F20");
    // A win on the last ply counts.
    assert_eq!(field(&[&counted], 4), "win");
    assert_eq!(field(&[&counted], 6), "1");
    assert_eq!(field(&["--halfmoves", "3", SHOT], 6), "1");
    // The FEN knows better.
    assert_eq!(field(&["--halfmoves", "1", &counted], 6), "1");
    for over in ["H4", "H9", "H65535"] {
        let fen = format!("{SHOT}:{over}");
        assert_eq!(field(&[&fen], 4), "cursed-win");
        assert_eq!(field(&[&fen], 6), "0");
    }
    let bad = tables.run("probe", &[&format!("{SHOT}:Hx")]);
    assert!(bad.expect_error(2).contains('H'));
    let input = format!("{counted}\nnonsense\n");
    let lines = run_with_input(&tables.args("probe", &[]), &input);
    assert_eq!(lines.code, 2);
    for line in lines.stdout.lines() {
        assert_eq!(line.split('\t').count(), 9, "{line}");
    }
}

#[test]
fn official_rules_spoil_no_win_of_three_russian_pieces() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().to_str().expect("a path in UTF-8");
    let all = [
        "--variant",
        "russian",
        "--dir",
        path,
        "--draw-rules",
        "official",
    ];
    let generate = [&["generate", "--pieces", "3", "--metric", "wld"], &all[..]].concat();
    run(&generate).expect(0);
    let again = run(&generate).expect(0);
    assert!(!again.contains("Made"), "{again}");
    let stats = run(&[&["stats", "--tsv"], &all[..]].concat()).expect(0);
    let mut lines = stats
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let names = lines.next().expect("a heading");
    let column = |name: &str| names.iter().position(|n| *n == name).expect("a column");
    let mut rows = 0;
    for row in lines {
        assert_eq!(row.len(), names.len());
        assert_eq!(row[column("spoiled_wins")], "0", "{row:?}");
        assert_eq!(row[column("saved_losses")], "0", "{row:?}");
        rows += 1;
    }
    assert_eq!(rows, 16);
    // The longest win of two kings against one takes seven plies, as without drawing rules.
    let fens = ["W:WK1,K2:BK32", "W:WK1,K2:BK32:H9"];
    for fen in fens {
        run(&[&["probe", fen], &all[..]].concat()).expect(0);
    }
    assert!(
        run(&[&["verify", "--full"], &all[..]].concat())
            .expect(0)
            .contains("all right")
    );
}

#[test]
fn damage_and_other_rules_are_told() {
    let tables = Tables::made(SHORT);
    let files = tables.files();
    assert_eq!(files.len(), 3);
    assert!(
        tables
            .run("verify", &["--full"])
            .expect(0)
            .contains("all right")
    );
    // A file under a name that is not its own.
    let bytes = fs::read(&files[1]).expect("a file");
    fs::write(&files[0], &bytes).expect("a file");
    assert!(tables.run("verify", &[]).expect(3).contains("1k-1k"));
    // What is damaged is never taken for finished.
    let mut damaged = bytes;
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(&files[1], damaged).expect("a file");
    assert_ne!(tables.run("verify", &["--full"]).code, 0);
    // Other drawing rules have tables of their own.
    let other = tables.dir.path().join("other.rules");
    fs::write(&other, SHORT.replace("plies=4", "plies=5")).expect("a file");
    let other = other.to_str().expect("a path in UTF-8");
    let args = [
        "probe",
        "--variant",
        "english",
        "--dir",
        tables.dir(),
        "--draw-rules",
        other,
        SHOT,
    ];
    let error = run(&args).expect_error(1);
    assert!(error.contains("--draw-rules"), "{error}");
}

#[test]
fn a_missing_table_is_made_again_with_the_same_bytes() {
    let road = "clock a plies=6 material=any resets=man-move\nroad pieces=1 plies=3\n";
    let tables = Tables::made(road);
    let files = tables.files();
    // Two kings have a table for each number of plies on the main road.
    assert_eq!(files.len(), 5);
    let contents: Vec<Vec<u8>> = files
        .iter()
        .map(|file| fs::read(file).expect("a file"))
        .collect();
    for file in [&files[0], &files[3]] {
        fs::remove_file(file).expect("it was there");
    }
    tables.run("generate", &["--pieces", "2"]).expect(0);
    assert_eq!(tables.files(), files);
    for (file, content) in files.iter().zip(&contents) {
        assert!(&fs::read(file).expect("a file") == content, "{file:?}");
    }
}

#[test]
fn rules_are_printed_in_the_form_that_is_read() {
    let text = run(&["variants", "--draw-rules", "russian"]).expect(0);
    assert!(text.contains("# FMJD-64 7.2.8"), "{text}");
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = dir.path().join("copy.rules");
    fs::write(&file, text).expect("a file");
    let path = dir.path().to_str().expect("a path in UTF-8");
    let args = |rules| {
        [
            "generate",
            "--variant",
            "russian",
            "--class",
            "1k-1k",
            "--dir",
            path,
            "--draw-rules",
            rules,
        ]
    };
    run(&args("official")).expect(0);
    // The same rules, so nothing is left to be made.
    let again = run(&args(file.to_str().expect("a path in UTF-8"))).expect(0);
    assert!(!again.contains("Made"), "{again}");
}

#[test]
fn wrong_rules_are_bad_usage() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = dir.path().join("bad.rules");
    fs::write(&file, "repetition times=3\nclock a plies=none\n").expect("a file");
    let bad = file.to_str().expect("a path in UTF-8");
    let path = dir.path().to_str().expect("a path in UTF-8");
    let with = |more: &[&str]| {
        let args = ["stats", "--variant", "english", "--dir", path];
        run(&[&args[..], more].concat())
    };
    let error = with(&["--draw-rules", bad]).expect_error(2);
    assert!(error.contains("line 2"), "{error}");
    assert!(
        with(&["--draw-rules", "/no/such.rules"])
            .expect_error(3)
            .contains("such.rules")
    );
    assert!(
        with(&["--option", "draw.no_progress=0"])
            .expect_error(2)
            .contains("no_progress")
    );
    assert!(
        with(&["--option", "draw.thai16=off"])
            .expect_error(2)
            .contains("Thai")
    );
    let both = ["--draw-rules", "none", "--option", "draw.no_progress=20"];
    assert!(with(&both).expect_error(2).contains("official"));
    // A house value asks for the official rules, of which there are no tables here.
    let error = with(&["--option", "draw.no_progress=20"]).expect_error(3);
    assert!(error.contains("generate"), "{error}");
}

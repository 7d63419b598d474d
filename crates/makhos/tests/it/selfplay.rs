//! `makhos selfplay`: files, manifest, interruption, and what is refused.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::{json, run, start};

/// Takes some seconds; the first of its eight files appears at once.
const WORK: [&str; 6] = ["--games", "2000", "--nodes", "40", "--seed", "3"];

fn arguments<'a>(work: &[&'a str], out: &'a Path) -> Vec<&'a str> {
    let out = out.to_str().expect("a path in UTF-8");
    let fixed = ["selfplay", "--variant", "english", "--dir", "/nowhere"];
    [&fixed[..], &["--out", out], work].concat()
}

/// The names and bytes of all files but the lock, sorted.
fn contents(out: &Path) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(out) else {
        return Vec::new();
    };
    let read = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        // One that is being written may vanish.
        Some((name, fs::read(entry.path()).ok()?))
    };
    let mut files: Vec<_> = entries
        .filter_map(|entry| read(entry.expect("an entry")))
        .collect();
    files.retain(|(name, _)| name != "selfplay.lock");
    files.sort();
    files
}

fn wait_for_games(out: &Path, count: usize) {
    let start = Instant::now();
    let finished = || {
        let files = contents(out).into_iter();
        files.filter(|(name, _)| name.ends_with(".mkg")).count()
    };
    while finished() < count {
        assert!(
            start.elapsed() < Duration::from_secs(120),
            "no file appears"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn killed_and_interrupted_runs_resume_to_the_same_bytes() {
    let whole = tempfile::tempdir().expect("a temporary directory");
    let work = [&WORK[..], &["--threads", "2"]].concat();
    run(&arguments(&work, whole.path())).expect(0);
    let expected = contents(whole.path());
    assert_eq!(expected.len(), 9, "eight files and the manifest");
    let killed = tempfile::tempdir().expect("a temporary directory");
    for (count, threads) in [(1, "1"), (3, "3")] {
        let work = [&WORK[..], &["--threads", threads]].concat();
        let mut child = start(&arguments(&work, killed.path()));
        wait_for_games(killed.path(), count);
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
    }
    assert!(contents(killed.path()).len() < expected.len());
    if cfg!(unix) {
        let child = start(&arguments(&work, killed.path()));
        wait_for_games(killed.path(), 5);
        let kill = std::process::Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status();
        assert!(kill.expect("kill runs").success());
        let output = child.wait_with_output().expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{stderr}");
        assert!(stderr.contains("the same command resumes"), "{stderr}");
        assert!(contents(killed.path()).len() < expected.len());
    }
    run(&arguments(&WORK, killed.path())).expect(0);
    assert!(contents(killed.path()) == expected);
}

#[test]
fn the_document_and_the_manifest_tell_of_the_games() {
    let out = tempfile::tempdir().expect("a temporary directory");
    let work = ["--games", "300", "--random", "--json"];
    let document = json(&arguments(&work, out.path()));
    let manifest = fs::read_to_string(out.path().join("manifest.json")).expect("read");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("a JSON document");
    for key in ["variant", "run", "totals", "files"] {
        assert_eq!(document[key], manifest[key], "{key}");
    }
    assert_eq!(document["made"]["games"], 300);
    let totals = &manifest["totals"];
    let total = |key: &str| totals[key].as_u64().expect("a number");
    assert_eq!(
        total("white_wins") + total("draws") + total("black_wins"),
        300
    );
    assert_eq!((total("games"), total("scored")), (300, 0));
    let files = manifest["files"].as_array().expect("a list");
    let games: Vec<_> = files.iter().map(|file| file["games"].as_u64()).collect();
    assert_eq!(games, [Some(256), Some(44)]);
    assert_eq!(files[0]["sha256"].as_str().map(str::len), Some(64));
    // Once more: nothing is left to do, and the manifest stays as it is.
    let again = json(&arguments(&work, out.path()));
    assert_eq!(again["made"]["games"], 0);
    assert_eq!(again["files"], document["files"]);
}

#[test]
fn what_makes_no_sense_is_bad_usage() {
    let out = tempfile::tempdir().expect("a temporary directory");
    let refused = |work: &[&str], code| run(&arguments(work, out.path())).expect_error(code);
    let few = ["--games", "3", "--random"];
    run(&arguments(&few, out.path())).expect(0);
    let other = refused(&["--games", "3", "--random", "--seed", "9"], 2);
    assert!(other.contains("seed is \"0\" there, \"9\" here"), "{other}");
    let fewer = refused(&["--games", "2", "--random"], 2);
    assert!(fewer.contains("beyond the 2 of this run"), "{fewer}");
    let plies = refused(&["--games", "3", "--random-plies", "8-2"], 2);
    assert!(plies.contains("such as 6-10"), "{plies}");
    let both = refused(&["--games", "3", "--random", "--nodes", "5"], 2);
    assert!(both.contains("cannot be used with"), "{both}");
    assert!(refused(&["--games", "3", "--nodes", "0"], 2).contains("nodes is 0"));
    let weights = refused(&["--games", "3", "--weights", "/no/such.safetensors"], 3);
    assert!(weights.contains("/no/such.safetensors"), "{weights}");
}

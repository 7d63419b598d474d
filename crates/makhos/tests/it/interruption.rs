//! Killing, interrupting and disturbing `generate`.

use std::path::Path;
use std::process::Child;

use crate::support::{contents, files, run, start, wait_for_files};

/// Takes a second or two, and its first files appear at once: with distances, and for outcomes alone.
const DISTANCES: [&str; 2] = ["--class", "2m1k-1k"];
const OUTCOMES: [&str; 4] = ["--class", "2m1k-1m1k", "--metric", "wld"];

fn arguments<'a>(work: &[&'a str], dir: &'a Path) -> Vec<&'a str> {
    let dir = dir.to_str().expect("a path in UTF-8");
    [&["generate", "--variant", "english", "--dir", dir], work].concat()
}

fn start_in(work: &[&str], dir: &Path) -> Child {
    start(&arguments(work, dir))
}

fn finish_in(work: &[&str], dir: &Path) -> Vec<(String, Vec<u8>)> {
    run(&arguments(work, dir)).expect(0);
    contents(&dir.join("english"))
}

/// The names of files that are no tables, in a directory of tables without a run in it.
fn others(tables: &Path) -> Vec<String> {
    let names = std::fs::read_dir(tables)
        .expect("a directory")
        .map(|entry| {
            let name = entry.expect("an entry").file_name();
            name.to_string_lossy().into_owned()
        });
    names.filter(|name| name.starts_with('.')).collect()
}

fn killed_runs_resume(work: &[&str]) {
    let whole = tempfile::tempdir().expect("a temporary directory");
    let expected = finish_in(work, whole.path());
    let killed = tempfile::tempdir().expect("a temporary directory");
    let tables = killed.path().join("english");
    for count in [1, 4, 9] {
        let mut child = start_in(work, killed.path());
        wait_for_files(&tables, count);
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
    }
    assert!(
        files(&tables).len() < expected.len(),
        "it was finished before it was killed"
    );
    assert!(finish_in(work, killed.path()) == expected);
    assert!(others(&tables).is_empty());
}

#[test]
fn killed_runs_resume_to_the_same_bytes() {
    killed_runs_resume(&DISTANCES);
    killed_runs_resume(&OUTCOMES);
}

#[test]
fn a_checkpoint_that_is_none_is_told_and_ignored() {
    let whole = tempfile::tempdir().expect("a temporary directory");
    let work = ["--class", "2k-1k", "--metric", "wld"];
    let expected = finish_in(&work, whole.path());
    let dir = tempfile::tempdir().expect("a temporary directory");
    let tables = dir.path().join("english");
    std::fs::create_dir(&tables).expect("a directory");
    let checkpoint = tables.join(".2k-1k.wld.checkpoint");
    std::fs::write(&checkpoint, "anything").expect("written");
    let made = run(&arguments(&work, dir.path()));
    assert!(
        made.stderr
            .contains(".2k-1k.wld.checkpoint: not used: it is damaged"),
        "{made:?}"
    );
    made.expect(0);
    assert!(contents(&tables) == expected && !checkpoint.exists());
}

#[cfg(unix)]
fn ctrl_c_stops(work: &[&str]) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let tables = dir.path().join("english");
    let child = start_in(work, dir.path());
    wait_for_files(&tables, 1);
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("the same command resumes"), "{stderr}");
    assert!(output.stdout.is_empty());
    // Nothing unfinished is left, and what was published stays.
    let before = contents(&tables);
    assert!(others(&tables).is_empty());
    let after = finish_in(work, dir.path());
    assert!(before.len() < after.len());
    assert!(before.iter().all(|file| after.contains(file)));
}

#[test]
#[cfg(unix)]
fn ctrl_c_stops_cleanly_and_the_same_command_resumes() {
    ctrl_c_stops(&DISTANCES);
    ctrl_c_stops(&OUTCOMES);
}

#[test]
fn two_runs_into_one_directory_refuse_each_other() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let mut child = start_in(&DISTANCES, dir.path());
    wait_for_files(&dir.path().join("english"), 1);
    let error = run(&arguments(&DISTANCES, dir.path())).expect_error(3);
    assert!(
        error.contains("another process is generating here"),
        "{error}"
    );
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
}

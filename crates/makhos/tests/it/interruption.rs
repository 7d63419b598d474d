//! Killing, interrupting and disturbing `generate`.

use std::path::Path;
use std::process::Child;

use crate::support::{contents, files, run, start, wait_for_files};

/// Takes a second or two, and its first files appear at once.
const WORK: [&str; 5] = ["generate", "--variant", "english", "--class", "2m1k-1k"];

fn start_in(dir: &Path) -> Child {
    let dir = dir.to_str().expect("a path in UTF-8");
    start(&[WORK.as_slice(), &["--dir", dir]].concat())
}

fn finish_in(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let text = dir.to_str().expect("a path in UTF-8");
    run(&[WORK.as_slice(), &["--dir", text]].concat()).expect(0);
    contents(&dir.join("english"))
}

#[test]
fn killed_runs_resume_to_the_same_bytes() {
    let whole = tempfile::tempdir().expect("a temporary directory");
    let expected = finish_in(whole.path());
    let killed = tempfile::tempdir().expect("a temporary directory");
    let tables = killed.path().join("english");
    for count in [1, 4, 9] {
        let mut child = start_in(killed.path());
        wait_for_files(&tables, count);
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
    }
    assert!(
        files(&tables).len() < expected.len(),
        "it was finished before it was killed"
    );
    assert_eq!(finish_in(killed.path()), expected);
}

#[test]
#[cfg(unix)]
fn ctrl_c_stops_cleanly_and_the_same_command_resumes() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let tables = dir.path().join("english");
    let child = start_in(dir.path());
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
    let names = std::fs::read_dir(&tables).expect("a directory");
    let unfinished = names.filter(|entry| {
        let name = entry.as_ref().expect("an entry").file_name();
        name.to_string_lossy().ends_with(".tmp")
    });
    assert_eq!(unfinished.count(), 0);
    let after = finish_in(dir.path());
    assert!(before.len() < after.len());
    assert!(before.iter().all(|file| after.contains(file)));
}

#[test]
fn two_runs_into_one_directory_refuse_each_other() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let mut child = start_in(dir.path());
    wait_for_files(&dir.path().join("english"), 1);
    let text = dir.path().to_str().expect("a path in UTF-8");
    let error = run(&[WORK.as_slice(), &["--dir", text]].concat()).expect_error(3);
    assert!(
        error.contains("another process is generating here"),
        "{error}"
    );
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
}

//! From games to data sets, weights and matches.

use std::fs;
use std::path::Path;

use crate::support::{json, run, tables};

/// A directory with a few quick games, made with the tables of three pieces.
fn games(dir: &Path) -> String {
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

fn path(dir: &Path, name: &str) -> String {
    dir.join(name).to_str().expect("a path in UTF-8").to_owned()
}

#[test]
fn games_become_rows_with_exact_labels() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let games = games(dir.path());
    for form in ["parquet", "npz"] {
        let out = path(dir.path(), form);
        let args = [
            "dataset",
            "export",
            "--variant",
            "russian",
            "--games",
            &games,
            "--out",
            &out,
            "--form",
            form,
            "--dir",
            tables(),
            "--captures",
            "--forced",
        ];
        run(&args).expect(0);
        let text = fs::read_to_string(dir.path().join(form).join("manifest.json"));
        let manifest: serde_json::Value =
            serde_json::from_str(&text.expect("a manifest")).expect("JSON");
        // Games end where the tables of three pieces begin, so each has one such position.
        assert!(manifest["exact_rows"].as_u64().expect("a number") > 10);
        assert!(manifest["rows"].as_u64().expect("a number") > 500);
        for file in manifest["files"].as_array().expect("files") {
            let name = file["name"].as_str().expect("a name");
            let bytes = fs::metadata(dir.path().join(form).join(name))
                .expect("a file")
                .len();
            assert_eq!(file["bytes"].as_u64(), Some(bytes));
        }
        let first = fs::read(
            dir.path()
                .join(form)
                .join("train-00000-of-00001.".to_owned() + form),
        );
        run(&args).expect(0);
        let again = fs::read(
            dir.path()
                .join(form)
                .join("train-00000-of-00001.".to_owned() + form),
        );
        assert!(
            first.expect("a file") == again.expect("a file"),
            "{form}: other bytes"
        );
    }
    let english = [
        "dataset",
        "export",
        "--variant",
        "english",
        "--games",
        &games,
        "--out",
        &games,
    ];
    assert!(run(&english).expect_error(2).contains("russian"));
}

#[test]
fn samples_come_straight_from_the_tables() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let out = path(dir.path(), "exact");
    let sample = |more: &[&str]| {
        let args = [
            "dataset",
            "sample",
            "--variant",
            "russian",
            "--positions",
            "500",
            "--out",
            &out,
        ];
        run(&[&args[..], &["--dir", tables()], more].concat())
    };
    let text = sample(&["--pieces", "3", "--by-class"]).expect(0);
    assert!(text.contains("500 positions"), "{text}");
    let manifest = fs::read_to_string(dir.path().join("exact/manifest.json")).expect("a manifest");
    assert!(manifest.contains("\"exact_rows\": 500"), "{manifest}");
    assert!(
        sample(&["--class", "4k-1k"])
            .expect_error(3)
            .contains("5 pieces")
    );
}

#[test]
fn weights_are_trained_and_play_a_match() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let games = games(dir.path());
    let weights = |name: &str, threads: &str| {
        let out = path(dir.path(), name);
        let args = [
            "train",
            "--variant",
            "russian",
            "--games",
            &games,
            "--out",
            &out,
            "--epochs",
            "2",
            "--dir",
            tables(),
            "--threads",
            threads,
        ];
        run(&args).expect(0);
        out
    };
    let one = weights("one.safetensors", "1");
    let two = weights("two.safetensors", "2");
    assert!(
        fs::read(&one).expect("a file") == fs::read(&two).expect("a file"),
        "other weights"
    );
    assert!(
        fs::read_to_string(path(dir.path(), "one.csv"))
            .expect("losses")
            .lines()
            .count()
            > 2
    );
    assert!(
        fs::read_to_string(path(dir.path(), "one.svg"))
            .expect("a plot")
            .contains("<svg")
    );
    let args = [
        "match",
        "--variant",
        "russian",
        &one,
        "material",
        "--pairs",
        "8",
        "--nodes",
        "100",
        "--json",
        "--dir",
        tables(),
    ];
    let report = json(&args);
    let count = |name: &str| report[name].as_u64().expect("a number");
    assert_eq!(count("wins") + count("draws") + count("losses"), 16);
    assert_eq!(report["finished"], true);
    assert_eq!(json(&args), report);
    // An engine of our own by the Hub protocol plays the same.
    let hub = format!(
        "hub:{} engine --variant russian --dir {}",
        crate::support::MAKHOS,
        tables()
    );
    let args = [
        "match",
        "--variant",
        "russian",
        &hub,
        "material",
        "--pairs",
        "1",
        "--nodes",
        "50",
        "--dir",
        tables(),
    ];
    run(&args).expect(0);
    let missing = [
        "match",
        "--variant",
        "russian",
        "none.safetensors",
        "material",
    ];
    assert!(run(&missing).expect_error(3).contains("none.safetensors"));
}

#[test]
fn a_ladder_is_climbed_and_goes_on_where_it_was() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let out = path(dir.path(), "ladder");
    let climb = |generations: &str| {
        let args = [
            "ladder",
            "--variant",
            "russian",
            "--generations",
            generations,
            "--games",
            "30",
            "--nodes",
            "60",
            "--pairs",
            "4",
            "--out",
            &out,
            "--dir",
            tables(),
        ];
        run(&args).expect(0)
    };
    climb("1");
    let first = fs::read(path(dir.path(), "ladder/g1.safetensors")).expect("weights");
    // A killed run has left a generation without its second match.
    fs::remove_file(path(dir.path(), "ladder/g1.material.json")).expect("a result");
    let text = climb("2");
    assert!(text.contains("best: "), "{text}");
    let ladder = fs::read_to_string(path(dir.path(), "ladder/ladder.tsv")).expect("a ladder");
    assert_eq!(ladder.lines().count(), 5, "{ladder}");
    assert!(fs::read(path(dir.path(), "ladder/g1.safetensors")).expect("weights") == first);
    // Everything is there.
    assert_eq!(climb("2"), text);
}

//! From games to evaluations and matches.

use std::fs;

use crate::support::{MAKHOS, json, path, quick_games as games, run, run_with_input, tables};

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
    let hub = format!("hub:{} engine --variant russian --dir {}", MAKHOS, tables());
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
            "train",
            "loop",
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
    // A killed run has left a generation without its match.
    fs::remove_file(path(dir.path(), "ladder/g1.material.json")).expect("a result");
    let text = climb("2");
    assert!(text.contains("best: "), "{text}");
    let ladder = fs::read_to_string(path(dir.path(), "ladder/ladder.tsv")).expect("a ladder");
    assert_eq!(ladder.lines().count(), 5, "{ladder}");
    assert!(fs::read(path(dir.path(), "ladder/g1.safetensors")).expect("weights") == first);
    // Everything is there.
    assert_eq!(climb("2"), text);
}

#[test]
fn plain_train_means_patterns() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let games = games(dir.path());
    let train = |name: &[&str], out: &str| {
        let args = ["--variant", "russian", "--games", &games, "--out", out];
        let more = ["--epochs", "1", "--dir", tables()];
        run(&[&["train"], name, &args, &more].concat()).expect(0);
        fs::read(out).expect("weights")
    };
    let plain = train(&[], &path(dir.path(), "plain.safetensors"));
    let patterns = train(&["patterns"], &path(dir.path(), "patterns.safetensors"));
    assert!(plain == patterns, "other weights");
    // Also where the directory of tables comes from the environment.
    let out = path(dir.path(), "environment.safetensors");
    let args = [
        "--variant",
        "russian",
        "--games",
        &games,
        "--out",
        &out,
        "--epochs",
        "1",
    ];
    for name in [&["train"][..], &["train", "patterns"]] {
        let output = std::process::Command::new(MAKHOS)
            .args([name, &args].concat())
            .env("MAKHOS_DIR", tables())
            .output()
            .expect("the binary runs");
        assert!(output.status.success(), "{output:?}");
        assert!(fs::read(&out).expect("weights") == plain, "other weights");
    }
    for wrong in [&["train"][..], &["train", "--variant", "russian"]] {
        let error = run(wrong).expect_error(2);
        assert!(
            error.contains("--games") && error.contains("--out"),
            "{error}"
        );
    }
    run(&["train", "--variant", "russian", "loop", "--out", "x"]).expect_error(2);
    run(&["ladder", "--variant", "russian", "--out", "x"]).expect_error(2);
    for command in ["patterns", "network", "accuracy", "evaluate", "loop"] {
        let help = run(&["train", command, "--help"]).expect(0);
        let example = format!("Examples:\n  makhos train {command} ");
        assert!(help.contains(&example), "{help}");
    }
}

#[test]
fn networks_are_trained_and_play() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let games = games(dir.path());
    let network = |name: &str, threads: &str, start: &[&str]| {
        let out = path(dir.path(), &format!("{name}.safetensors"));
        let args = [
            "train",
            "network",
            "--variant",
            "russian",
            "--games",
            &games,
        ];
        let more = ["--out", &out, "--epochs", "2", "--threads", threads];
        let text = run(&[&args[..], &more, &["--dir", tables()], start].concat()).expect(0);
        (out, text)
    };
    let (one, text) = network("one", "1", &[]);
    assert!(text.contains("generation 1"), "{text}");
    let (two, _) = network("two", "2", &[]);
    let bytes = |name: &str| fs::read(path(dir.path(), name)).expect("a file");
    assert!(bytes("one.safetensors") == bytes("two.safetensors"));
    assert!(bytes("one.onnx") == bytes("two.onnx"));
    assert_eq!(
        bytes("one.csv")
            .iter()
            .filter(|byte| **byte == b'\n')
            .count(),
        4
    );
    assert!(String::from_utf8_lossy(&bytes("one.svg")).contains("<svg"));
    let (_, text) = network("next", "2", &["--network", &two]);
    assert!(text.contains("generation 2"), "{text}");
    // Patterns do not begin with a network.
    let args = [
        "train",
        "--variant",
        "russian",
        "--games",
        &games,
        "--out",
        "x",
    ];
    let error = run(&[&args[..], &["--weights", &one]].concat()).expect_error(3);
    assert!(error.contains("makhos-wdl-net"), "{error}");
    // It plays matches and games, and as an engine.
    let rules = ["--variant", "russian", "--dir", tables()];
    let args = [
        &[
            "match", &one, "material", "--pairs", "4", "--nodes", "50", "--json",
        ],
        &rules[..],
    ];
    let report = json(&args.concat());
    let count = |name: &str| report[name].as_u64().expect("a number");
    assert_eq!(count("wins") + count("draws") + count("losses"), 8);
    let out = path(dir.path(), "network-games");
    let args = [
        "selfplay",
        "--games",
        "4",
        "--nodes",
        "50",
        "--weights",
        &one,
        "--out",
        &out,
    ];
    run(&[&args, &rules[..]].concat()).expect(0);
    let tables = tables();
    let engine = format!("hub:{MAKHOS} engine --variant russian --weights {one} --dir {tables}");
    let args = [
        "match", &engine, "material", "--pairs", "1", "--nodes", "50",
    ];
    run(&[&args, &rules[..]].concat()).expect(0);
}

#[test]
fn evaluations_are_told() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let games = games(dir.path());
    let out = path(dir.path(), "n.safetensors");
    let args = [
        "train",
        "network",
        "--variant",
        "russian",
        "--games",
        &games,
        "--out",
        &out,
    ];
    run(&[&args[..], &["--epochs", "1", "--dir", tables()]].concat()).expect(0);
    let (white, black) = ("W:W22,K27:B3", "B:W30:BK6,11");
    let material = ["train", "evaluate", "--variant", "russian", white];
    assert_eq!(run(&material).expect(0), format!("{white}\t300\n"));
    let network = [
        "train",
        "evaluate",
        "--variant",
        "russian",
        "--weights",
        &out,
    ];
    let text = run_with_input(&network, &format!("{white}\n{black}\n")).expect(0);
    // The second is the first with colours turned round.
    let fields: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!((fields.len(), fields[0].len()), (2, 5), "{text}");
    assert_eq!(fields[0][1..], fields[1][1..]);
    let document = json(&[&network[..], &["--json", white]].concat());
    assert_eq!(document["generation"], 1);
    let position = &document["positions"][0];
    let probabilities = position["probabilities"].as_array().expect("a network");
    let sum: f64 = probabilities
        .iter()
        .map(|it| it.as_f64().expect("a number"))
        .sum();
    assert!((sum - 1.0).abs() < 1e-5, "{document}");
    let wrong = ["train", "evaluate", "--variant", "russian", "W:W99:B1"];
    run(&wrong).expect_error(2);
}

#[test]
fn accuracy_is_measured_against_tables() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let games = games(dir.path());
    let weights = path(dir.path(), "g1.safetensors");
    let rules = ["--variant", "russian", "--dir", tables()];
    let args = [
        "train", "--games", &games, "--out", &weights, "--epochs", "2",
    ];
    run(&[&args, &rules[..]].concat()).expect(0);
    let accuracy = |more: &[&str]| {
        let args = [
            "train",
            "accuracy",
            &weights,
            "--positions",
            "300",
            "--nodes",
            "60",
        ];
        run(&[&args, &rules[..], more].concat()).expect(0)
    };
    let text = accuracy(&["--json", "--games", &games, "--threads", "1"]);
    let other = accuracy(&["--json", "--games", &games, "--threads", "3"]);
    assert_eq!(text, other);
    let document: serde_json::Value = serde_json::from_str(&text).expect("a JSON document");
    let evaluations = document["evaluations"].as_array().expect("a list");
    assert_eq!(evaluations.len(), 2);
    assert_eq!(evaluations[0]["name"], "material");
    for evaluation in evaluations {
        let by_pieces = evaluation["by_pieces"].as_array().expect("a list");
        let pieces: Vec<_> = by_pieces.iter().map(|it| it["pieces"].as_u64()).collect();
        assert_eq!(pieces, [Some(2), Some(3)]);
        for figures in by_pieces {
            let number = |name: &str| figures[name].as_f64().expect("a number");
            assert_eq!(number("positions"), 300.0);
            // Better than knowing nothing, which would be ln 3 and a third.
            assert!(
                number("cross_entropy") < 1.0 && number("right") > 0.5,
                "{figures}"
            );
            assert!(number("kept") <= number("decisive") && number("decisive") > 0.0);
            assert!(number("kept_share") > 0.5, "{figures}");
        }
    }
    let text = accuracy(&["--pieces", "2"]);
    assert_eq!(
        text.lines().filter(|line| line.contains(" ± ")).count(),
        3,
        "{text}"
    );
    let missing = [
        "train",
        "accuracy",
        "--variant",
        "russian",
        "--dir",
        "/nowhere",
    ];
    run(&missing).expect_error(3);
}

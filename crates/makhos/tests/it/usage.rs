//! Help, completions, and what is refused as bad usage.

use std::time::{Duration, Instant};

use crate::support::{json, run};

#[test]
fn every_command_has_help_with_examples() {
    for command in [
        "variants",
        "moves",
        "perft",
        "generate",
        "stats",
        "probe",
        "verify",
        "engine",
        "selfplay",
        "dataset",
        "train",
        "match",
        "completions",
    ] {
        let help = run(&[command, "--help"]).expect(0);
        assert!(help.contains("Examples:\n  makhos "), "{command}: {help}");
    }
    assert!(
        run(&["--help"])
            .expect(0)
            .contains("Exit codes: 0 done; 1 ")
    );
    assert!(run(&["--version"]).expect(0).starts_with("makhos "));
}

#[test]
fn completions_of_the_usual_shells() {
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&["completions", shell]).expect(0);
        assert!(
            script.contains("makhos") && script.contains("generate"),
            "{shell}"
        );
    }
}

#[test]
fn variants_are_listed_for_people_and_programs() {
    let text = run(&["variants"]).expect(0);
    let document = json(&["variants", "--json"]);
    let variants = document["variants"].as_array().expect("a list");
    for name in [
        "english",
        "russian",
        "brazilian",
        "pool",
        "czech",
        "spanish",
        "portuguese",
        "italian",
        "thai",
        "thai12",
        "international",
    ] {
        assert!(text.lines().any(|line| line.starts_with(name)), "{name}");
        assert!(
            variants.iter().any(|variant| variant["name"] == name),
            "{name}"
        );
    }
    let thai = variants
        .iter()
        .find(|variant| variant["name"] == "thai")
        .expect("Thai");
    assert_eq!(thai["removal"], "once");
    assert_eq!(thai["men_a_side"], 8);
    assert_eq!(document["options"][0]["key"], "removal");
}

#[test]
fn what_a_rule_description_says_is_what_its_options_take() {
    let document = json(&["variants", "--json"]);
    for variant in document["variants"].as_array().expect("a list") {
        for option in document["options"].as_array().expect("a list") {
            let (key, values) = (option["key"].as_str().expect("a key"), &option["values"]);
            let value = &variant[key];
            let listed = values.as_array().expect("a list").contains(value);
            // Rules of flying kings have no value for short ones.
            let means_nothing =
                variant["king_range"] == "short" && ["uturn", "king_landing"].contains(&key);
            assert_eq!(value.is_null(), means_nothing, "{key}={value}");
            assert!(listed || means_nothing, "{key}={value}");
            let name = variant["name"].as_str().expect("a name");
            let option = format!("{key}={}", value.as_str().unwrap_or("no"));
            let start = variant["start"].as_str().expect("a FEN");
            let args = [
                "moves",
                "--variant",
                name,
                "--option",
                &option,
                "--json",
                start,
            ];
            if !means_nothing {
                // Giving the value in force changes nothing.
                assert_eq!(json(&args)["options"], serde_json::json!([]), "{option}");
            }
        }
    }
}

/// Runs command lines that are refused as bad usage, each with a word of the advice it gives.
fn assert_refused(command: &[&str], cases: &[(&[&str], &str)]) {
    for (args, advice) in cases {
        let args = [command, args].concat();
        let error = run(&args).expect_error(2);
        assert!(error.contains(advice), "{args:?}: {error}");
    }
}

#[test]
fn wrong_rules_and_positions_are_exit_code_2_with_advice() {
    assert_refused(
        &["moves", "--variant"],
        &[
            (&["chess", "W:W18:B7"], "international"),
            (&["english"], "FEN"),
            (&["thai", "--option", "removal=never", "W:W18:B7"], "once"),
            (&["thai", "--option", "colour=red", "W:W18:B7"], "removal"),
            (&["thai", "--option", "removal", "W:W18:B7"], "KEY=VALUE"),
            (&["english", "W:W1:B7"], "promotion row"),
            (&["english", "W:W18:B18"], "18"),
        ],
    );
    assert_refused(
        &["perft", "--variant", "english"],
        &[
            (&[], "--depth"),
            (&["--depth", "3", "--fen", "x"], "W or B"),
        ],
    );
}

#[test]
fn wrong_orders_to_generate_are_exit_code_2_with_advice() {
    assert_refused(
        &["generate", "--variant", "english"],
        &[
            (&[], "--pieces"),
            (&["--pieces", "1"], "2 to 24"),
            (&["--pieces", "25"], "2 to 24"),
            (&["--pieces", "3", "--memory", "lots"], "8GiB"),
            (&["--class", "3k"], "2m1k-1k"),
        ],
    );
}

#[test]
fn what_no_machine_can_make_is_refused_at_once() {
    let start = Instant::now();
    for variant in ["english", "international", "canadian"] {
        let command = ["generate", "--variant", variant, "--estimate"];
        assert_refused(
            &command,
            &[
                (&["--pieces", "24"], "fewer pieces"),
                (&["--class", "20m-20m"], "fewer"),
                (&["--class", "1k-1k", "--class", "7m7k-7m7k"], "fewer"),
                (&["--class", "72k-72k"], "fewer"),
                (&["--pieces", "4294967295"], "2 to "),
                (&["--pieces", "99999999999"], "--pieces"),
            ],
        );
    }
    assert_refused(
        &["generate", "--variant", "canadian", "--estimate"],
        &[
            (&["--pieces", "60"], "fewer pieces"),
            (&["--class", "66m-6k"], "fewer pieces"),
            (&["--class", "18m18k-18m18k"], "fewer pieces"),
        ],
    );
    // It took a minute for a single one of them once.
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_sample_of_nothing_is_refused() {
    assert_refused(
        &["verify", "--variant", "english"],
        &[
            (&["--sample", "0"], "--sample"),
            (&["--sample", "5", "--full"], "--full"),
            (&["--memory", "none"], "8GiB"),
        ],
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_under_the_results_is_exit_code_3() {
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .expect("Linux has it");
    let mut command = std::process::Command::new(crate::support::MAKHOS);
    let status = command
        .arg("variants")
        .stdout(full)
        .stderr(std::process::Stdio::null())
        .status();
    assert_eq!(status.expect("the binary runs").code(), Some(3));
}

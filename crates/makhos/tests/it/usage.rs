//! Help, completions, and what is refused as bad usage.

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
            assert!(
                values.as_array().expect("a list").contains(value),
                "{key}={value}"
            );
        }
    }
}

#[test]
fn bad_usage_is_exit_code_2_with_advice() {
    let cases: [(&[&str], &str); 14] = [
        (
            &["moves", "--variant", "chess", "W:W18:B7"],
            "international",
        ),
        (&["moves", "--variant", "english"], "FEN"),
        (
            &[
                "moves",
                "--variant",
                "thai",
                "--option",
                "removal=never",
                "W:W18:B7",
            ],
            "once",
        ),
        (
            &[
                "moves",
                "--variant",
                "thai",
                "--option",
                "colour=red",
                "W:W18:B7",
            ],
            "removal",
        ),
        (
            &[
                "moves",
                "--variant",
                "thai",
                "--option",
                "removal",
                "W:W18:B7",
            ],
            "KEY=VALUE",
        ),
        (
            &["moves", "--variant", "english", "W:W1:B7"],
            "promotion row",
        ),
        (&["moves", "--variant", "english", "W:W18:B18"], "18"),
        (&["perft", "--variant", "english"], "--depth"),
        (
            &[
                "perft",
                "--variant",
                "english",
                "--depth",
                "3",
                "--fen",
                "x",
            ],
            "W or B",
        ),
        (&["generate", "--variant", "english"], "--pieces"),
        (
            &["generate", "--variant", "english", "--pieces", "1"],
            "2 to 24",
        ),
        (
            &["generate", "--variant", "english", "--pieces", "25"],
            "2 to 24",
        ),
        (
            &[
                "generate",
                "--variant",
                "english",
                "--pieces",
                "3",
                "--memory",
                "lots",
            ],
            "8GiB",
        ),
        (
            &["generate", "--variant", "english", "--class", "3k"],
            "2m1k-1k",
        ),
    ];
    for (args, advice) in cases {
        let error = run(args).expect_error(2);
        assert!(error.contains(advice), "{args:?}: {error}");
    }
    let error = run(&["generate", "--variant", "english", "--pieces", "24"]).expect_error(2);
    assert!(error.contains("fewer pieces"), "{error}");
    let error = run(&["generate", "--variant", "english", "--class", "20m-20m"]).expect_error(2);
    assert!(error.contains("fewer"), "{error}");
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

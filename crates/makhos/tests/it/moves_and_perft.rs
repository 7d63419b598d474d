//! `moves` and `perft`.

use crate::support::{data_lines, json, run, start};

/// The command line's name and options of a variant in the conformance tables.
fn variant_args(name: &str) -> Option<Vec<&str>> {
    let (name, removal) = match name.split_once('/') {
        Some((name, removal)) => (name, Some(removal)),
        None => (name, None),
    };
    let name = match name {
        "thai-8" => "thai",
        "thai-12" => "thai12",
        "english" | "russian" | "brazilian" | "pool" | "czech" | "spanish" | "italian" | "thai"
        | "international" => name,
        _ => return None,
    };
    match removal {
        None => Some(vec!["--variant", name]),
        Some("end") => Some(vec!["--variant", name, "--option", "removal=end"]),
        Some(_) => None,
    }
}

#[test]
fn moves_are_those_of_the_conformance_table() {
    let mut checked = 0;
    for line in data_lines("moves.tsv") {
        let fields: Vec<&str> = line.split('\t').collect();
        let Some(mut args) = variant_args(fields[0]) else {
            continue;
        };
        args.splice(0..0, ["moves"]);
        args.push(fields[1]);
        let output = run(&args).expect(0);
        let moves: Vec<&str> = output.lines().collect();
        let expected: Vec<&str> = fields.get(2).unwrap_or(&"").split_whitespace().collect();
        assert_eq!(moves, expected, "{line}");
        checked += 1;
    }
    assert!(checked >= 100, "{checked}");
}

#[test]
fn a_lost_position_has_no_moves_and_that_is_no_error() {
    assert_eq!(
        run(&["moves", "--variant", "english", "W:W:B12"]).expect(0),
        ""
    );
    assert_eq!(
        run(&["moves", "--variant", "english", "W:W29:B25,22"]).expect(0),
        ""
    );
    let document = json(&["moves", "--variant", "english", "--json", "W:W:B12"]);
    assert_eq!(document["moves"].as_array().map(Vec::len), Some(0));
}

#[test]
fn json_moves_have_both_notations_and_routes() {
    let fen = "W:W30:B17,18,25,26";
    let document = json(&["moves", "--variant", "russian", "--json", fen]);
    assert_eq!(document["variant"], "russian");
    let moves = document["moves"].as_array().expect("a list");
    let lines = run(&["moves", "--variant", "russian", fen]).expect(0);
    assert_eq!(moves.len(), lines.lines().count());
    let routes = run(&["moves", "--variant", "russian", "--routes", fen]).expect(0);
    let all: usize = moves
        .iter()
        .map(|mv| mv["routes"].as_array().map_or(0, Vec::len))
        .sum();
    assert_eq!(routes.lines().count(), all);
    for (mv, line) in moves.iter().zip(lines.lines()) {
        assert_eq!(mv["hub"], line);
        assert!(mv["fen"].as_str().expect("a FEN").starts_with("B:W"));
        let captured = mv["captured"].as_array().expect("a list");
        assert_eq!(captured.len() + 2, line.split(['-', 'x']).count());
    }
}

#[test]
fn perft_counts_and_divides() {
    let english = ["perft", "--variant", "english", "--depth", "6"];
    assert_eq!(run(&english).expect(0), "36768\n");
    let divided = run(&[english.as_slice(), &["--divide"]].concat()).expect(0);
    let lines: Vec<&str> = divided.lines().collect();
    let (sum, moves) = lines.split_last().expect("some lines");
    assert_eq!(*sum, "36768");
    assert!(moves.is_sorted());
    let count = |line: &&str| {
        let count = line.split_once(' ').expect("a move and a number").1;
        count.parse::<u64>().expect("a number")
    };
    assert_eq!(moves.iter().map(count).sum::<u64>(), 36768);
    let international = ["perft", "--variant", "international", "--depth", "4"];
    assert_eq!(run(&international).expect(0), "4265\n");
    assert_eq!(
        run(&["perft", "--variant", "canadian", "--depth", "0"]).expect(0),
        "1\n"
    );
}

#[test]
fn keep_counts_every_route() {
    // The man can go round either way.
    let fen = "W:W30:B17,18,25,26";
    let perft = [
        "perft",
        "--variant",
        "russian",
        "--depth",
        "1",
        "--fen",
        fen,
        "--divide",
    ];
    let drop = run(&perft).expect(0);
    let keep = run(&[perft.as_slice(), &["--count", "keep"]].concat()).expect(0);
    let last = |text: &str| {
        text.lines()
            .last()
            .and_then(|line| line.parse::<u64>().ok())
    };
    let routes = run(&["moves", "--variant", "russian", "--routes", fen]).expect(0);
    assert_eq!(routes.lines().count(), 2);
    assert_eq!((last(&drop), last(&keep)), (Some(1), Some(2)));
    assert_eq!(drop.lines().count(), keep.lines().count());
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut child = start(&["perft", "--variant", "english", "--depth", "8", "--divide"]);
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(
        !stderr.contains("error") && !stderr.contains("panic"),
        "{stderr}"
    );
}

#[test]
fn more_routes_than_anyone_can_list_are_refused() {
    let fen = "W:WK19:B8,9,10,11,12,20,21,22,23,24,32,33,34,35,36,45,46,47,48,56,57,58,59,60";
    let mut args = vec!["moves", "--variant", "canadian", fen, "--routes"];
    for option in ["priority=none", "removal=once", "uturn=yes"] {
        args.extend(["--option", option]);
    }
    assert!(run(&args).expect_error(2).contains("100,000 routes"));
}

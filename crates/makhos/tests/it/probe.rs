//! `probe`.

use std::io::{BufRead, BufReader, Write};

use serde_json::Value;

use crate::support::{copy_of_tables, json, run, run_with_input, start, tables};

fn probe<'a>(variant: &'a str, args: &[&'a str]) -> Vec<&'a str> {
    [&["probe", "--variant", variant, "--dir", tables()], args].concat()
}

#[test]
fn four_fields_and_the_fen_in_our_form() {
    let answer = run(&probe("russian", &["B:BK10:WK27,K26."])).expect(0);
    let fields: Vec<&str> = answer.trim_end().split('\t').collect();
    assert_eq!(fields[0], "B:WK26,K27:BK10");
    assert!(["win", "draw", "loss"].contains(&fields[1]), "{answer}");
    assert_eq!(fields.len(), 4);
    let draw = run(&probe("russian", &["W:WK26,K27:BK10"])).expect(0);
    assert_eq!(draw, "W:WK26,K27:BK10\tdraw\t-\t26-12\n");
    // A side that cannot move has lost.
    let lost = run(&probe("english", &["W:W29:B22,25"])).expect(0);
    assert_eq!(lost, "W:W29:B22,25\tloss\t0\t-\n");
    let lost = run(&probe("english", &["B:W29:B"])).expect(0);
    assert_eq!(lost, "B:W29:B\tloss\t0\t-\n");
}

#[test]
fn playing_the_best_moves_counts_down_to_the_end() {
    // A longest win of the class.
    let stats = json(&[
        "stats",
        "--variant",
        "english",
        "--dir",
        tables(),
        "--class",
        "2m-1m",
        "--json",
    ]);
    let mut fen = stats["classes"][0]["sides"][0]["max_win_fen"]
        .as_str()
        .expect("a FEN")
        .to_owned();
    let mut left = 61;
    loop {
        let answer = json(&probe("english", &["--json", &fen]));
        let value = if left % 2 == 1 { "win" } else { "loss" };
        assert_eq!(
            (answer["value"].as_str(), answer["dtw"].as_u64()),
            (Some(value), Some(left)),
            "{fen}"
        );
        let moves = answer["moves"].as_array().expect("a list");
        let Some(best) = moves.first() else {
            break;
        };
        assert_eq!(answer["best"], best["hub"]);
        // Values of moves are the mover's, and count the move.
        assert_eq!(
            (best["value"].as_str(), best["dtw"].as_u64()),
            (Some(value), Some(left))
        );
        fen = best["fen"].as_str().expect("a FEN").to_owned();
        left -= 1;
    }
    assert_eq!(left, 0);
}

#[test]
fn moves_are_ranked_best_first() {
    let answer = json(&probe("russian", &["--json", "B:WK30:BK4,5"]));
    let rank = |mv: &Value| {
        let plies = mv["dtw"].as_i64().unwrap_or(0);
        match mv["value"].as_str() {
            Some("win") => plies - 1000,
            Some("draw") => 0,
            _ => 1000 - plies,
        }
    };
    let ranks: Vec<i64> = answer["moves"]
        .as_array()
        .expect("a list")
        .iter()
        .map(rank)
        .collect();
    assert!(ranks.len() > 5 && ranks.is_sorted(), "{ranks:?}");
}

#[test]
fn positions_on_standard_input_are_answered_in_order() {
    let fens: Vec<String> = (1..=32)
        .flat_map(|white| (1..=32).map(move |black| (white, black)))
        .filter(|(white, black)| white != black)
        .map(|(white, black)| format!("W:WK{white}:BK{black}"))
        .collect();
    let input = format!("# all of a class\n\n{}\n", fens.join("\n"));
    let output = run_with_input(&probe("english", &[]), &input.repeat(5)).expect(0);
    let answers: Vec<&str> = output.lines().collect();
    assert_eq!(answers.len(), 5 * fens.len());
    for (answer, fen) in answers.iter().zip(fens.iter().cycle()) {
        assert!(answer.starts_with(&format!("{fen}\t")), "{answer} {fen}");
    }
    assert_eq!(
        answers[..992]
            .iter()
            .filter(|answer| answer.contains("\twin\t"))
            .count(),
        230
    );
    assert_eq!(
        answers[..992]
            .iter()
            .filter(|answer| answer.contains("\tloss\t"))
            .count(),
        108
    );
}

#[test]
fn a_bad_line_is_reported_and_the_others_are_answered() {
    let input = b"# comment\nW:WK1:BK13\n\nnonsense\nW:WK1:BK14\r\n\xff\xfe\nW:WK1,K2,K3:BK14\n";
    let mut child = start(&probe("english", &[]));
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(input)
        .expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2));
    let stdout = String::from_utf8(output.stdout).expect("UTF-8");
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines.len(), 5, "{stdout}");
    assert!(lines[0].starts_with("W:WK1:BK13\twin\t11\t"), "{stdout}");
    assert_eq!(lines[1], "nonsense\terror\t-\t-");
    assert!(lines[2].starts_with("W:WK1:BK14\t"), "{stdout}");
    assert_eq!(lines[3], "\u{fffd}\u{fffd}\terror\t-\t-");
    assert_eq!(lines[4], "W:WK1,K2,K3:BK14\tunknown\t-\t-");
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    for line in ["line 4: ", "line 6: ", "line 7: 4 pieces are too many"] {
        assert!(stderr.contains(line), "{stderr}");
    }
}

/// Lines that are no FEN, each with what its answer begins with.
fn wrong_lines() -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = [
        ("x", "x"),
        ("W", "W"),
        ("W:WK1:BK1", "W:WK1:BK1"),
        ("  W:WK99:BK1 ", "  W:WK99:BK1 "),
        ("a\tb", "a b"),
        ("W:WK1:BK2\twin\t3\t1-6", "W:WK1:BK2 win 3 1-6"),
        ("\x1b[2J\0\x07\x0b\x0cx\ry", " [2J    x y"),
        ("a\u{85}b\u{2028}c\u{2029}d", "a b c d"),
        ("\"quoted\\", "\"quoted\\"),
        ("หมากฮอส", "หมากฮอส"),
    ]
    .map(|(line, answer)| (line.to_owned(), answer.to_owned()))
    .into();
    for len in [1 << 16, (1 << 16) + 1, 3_000_000] {
        lines.push(("y".repeat(len), "y".repeat(len.min(1 << 16))));
    }
    lines
}

#[test]
fn every_line_has_one_answer() {
    let wrong = wrong_lines();
    let input: String = wrong
        .iter()
        .map(|(line, _)| format!("{line}\nW:WK1:BK13\n"))
        .collect();
    let result = run_with_input(&probe("english", &[]), &input);
    let stderr = result.stderr.clone();
    assert_eq!(stderr.lines().count(), wrong.len(), "{stderr}");
    let stdout = result.expect(2);
    let answers: Vec<&str> = stdout.split_terminator('\n').collect();
    assert_eq!(answers.len(), 2 * wrong.len());
    for (pair, (number, (_, given))) in answers.chunks(2).zip((1..).step_by(2).zip(&wrong)) {
        assert_eq!(pair[0], format!("{given}\terror\t-\t-"));
        assert!(pair[1].starts_with("W:WK1:BK13\twin\t11\t"), "{}", pair[1]);
        assert!(stderr.contains(&format!("line {number}: ")), "{stderr}");
    }
    assert!(!stderr.contains('\x1b') && stderr.contains("longer than 65536 bytes"));
}

#[test]
fn every_line_has_one_answer_in_json() {
    let wrong = wrong_lines();
    let input: String = wrong
        .iter()
        .map(|(line, _)| format!("{line}\nW:WK1:BK13\n"))
        .collect();
    let stdout = run_with_input(&probe("english", &["--json"]), &input).expect(2);
    let answers: Vec<Value> = stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON in one line"))
        .collect();
    assert_eq!(answers.len(), 2 * wrong.len());
    for (pair, (_, given)) in answers.chunks(2).zip(&wrong) {
        assert_eq!(pair[0]["fen"], **given);
        assert_eq!(
            (&pair[0]["value"], &pair[0]["variant"]),
            (&"error".into(), &"english".into())
        );
        assert!(
            pair[0]["error"]
                .as_str()
                .is_some_and(|reason| !reason.is_empty())
        );
        assert_eq!(
            (&pair[1]["value"], &pair[1]["error"]),
            (&"win".into(), &Value::Null)
        );
    }
}

#[test]
fn each_line_is_answered_when_it_comes() {
    let mut child = start(&probe("english", &["--json"]));
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    for fen in ["W:WK1:BK13", "B:WK1:BK13"] {
        writeln!(input, "{fen}").expect("written");
        let mut answer = String::new();
        output.read_line(&mut answer).expect("an answer");
        let answer: Value = serde_json::from_str(&answer).expect("JSON in one line");
        assert_eq!(answer["fen"], fen);
        assert_eq!(answer["pieces"], 2);
    }
    drop(input);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn outside_the_tables_is_exit_code_1() {
    let result = run(&probe("english", &["W:WK1,K2,K3:BK14"]));
    assert_eq!(result.stdout, "W:WK1,K2,K3:BK14\tunknown\t-\t-\n");
    assert!(result.expect_error(1).contains("up to 3"));
    let result = run(&probe("english", &["--json", "W:WK1,K2,K3:BK14"]));
    let answer: Value = serde_json::from_str(&result.stdout).expect("JSON");
    assert_eq!(
        (result.code, &answer["value"]),
        (1, &Value::from("unknown"))
    );
    assert!(
        answer["reason"]
            .as_str()
            .expect("a reason")
            .contains("up to 3")
    );
    // A class that is missing within a set is named with the command that makes it.
    let copy = copy_of_tables("english");
    let dir = copy.path().to_str().expect("a path in UTF-8");
    for name in ["2k-1k.wld", "2k-1k.dtw"] {
        std::fs::remove_file(copy.path().join("english").join(name)).expect("it was there");
    }
    let error = run(&[
        "probe",
        "--variant",
        "english",
        "--dir",
        dir,
        "W:WK1,K2:BK14",
    ])
    .expect_error(1);
    assert!(
        error.contains("makhos generate --variant english --class 2k-1k"),
        "{error}"
    );
}

#[test]
fn without_distances_there_is_an_outcome_and_no_best_move() {
    let copy = copy_of_tables("english");
    let dir = copy.path().to_str().expect("a path in UTF-8");
    std::fs::remove_file(copy.path().join("english/1k-1k.dtw")).expect("it was there");
    let args = ["probe", "--variant", "english", "--dir", dir];
    let answer = run(&[args.as_slice(), &["W:WK1:BK13"]].concat()).expect(0);
    assert_eq!(answer, "W:WK1:BK13\twin\t-\t-\n");
    let answer = json(&[args.as_slice(), &["--json", "W:WK1:BK13"]].concat());
    assert!(answer["best"].is_null());
    let moves = answer["moves"].as_array().expect("a list");
    assert_eq!(moves[0]["value"], "win");
    assert!(moves.iter().all(|mv| mv["dtw"].is_null()));
}

#[test]
fn no_tables_broken_tables_and_other_rules_are_exit_code_3() {
    let error = run(&[
        "probe",
        "--variant",
        "pool",
        "--dir",
        tables(),
        "W:WK1:BK13",
    ])
    .expect_error(3);
    assert!(error.contains("makhos generate --variant pool"), "{error}");
    let error = run(&probe("pool", &["W:WK1:BK1"])).expect_error(2);
    assert!(error.contains("second time"), "{error}");
    let copy = copy_of_tables("english");
    let dir = copy.path().to_str().expect("a path in UTF-8");
    std::fs::rename(copy.path().join("english"), copy.path().join("italian")).expect("renamed");
    let error = run(&["probe", "--variant", "italian", "--dir", dir, "W:WK1:BK13"]).expect_error(3);
    assert!(
        error.contains("made under the rules \"english\""),
        "{error}"
    );
}

#[test]
fn the_directory_can_come_from_the_environment() {
    let output = std::process::Command::new(crate::support::MAKHOS)
        .args(["probe", "--variant", "international", "W:WK1:BK46"])
        .env("MAKHOS_DIR", tables())
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("W:WK1:BK46\t"));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut child = start(&probe("english", &[]));
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("a pipe");
    // The last lines may not be read any more.
    let _ = input.write_all("W:WK1:BK13\n".repeat(20_000).as_bytes());
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), stderr.as_ref()), (Some(0), ""));
}

/// A copy of the Russian tables and its path as a text.
fn russian_copy() -> (tempfile::TempDir, String) {
    let copy = copy_of_tables("russian");
    let dir = copy.path().to_str().expect("a path in UTF-8").to_owned();
    (copy, dir)
}

#[test]
fn a_missing_table_of_distances_is_told() {
    let (copy, dir) = russian_copy();
    std::fs::remove_file(copy.path().join("russian/2k-1m.dtw")).expect("removable");
    let args = ["probe", "--variant", "russian", "--dir", &dir];
    // Its own distance is not known, nor in the second position that of a move.
    for (fen, answer) in [
        ("W:WK1,K2:B22", "W:WK1,K2:B22\twin\t-\t-\n"),
        ("W:W6,K1:B22", "W:WK1,6:B22\tdraw\t-\t-\n"),
    ] {
        let told = run(&[&args[..], &[fen]].concat());
        assert!(told.stderr.contains("2k-1m"), "{}", told.stderr);
        assert_eq!(told.expect(0), answer);
        let object = json(&[&args[..], &["--json", fen]].concat());
        let reason = object["reason"].as_str().expect("a reason");
        assert!(reason.contains("2k-1m"), "{reason}");
    }
}

#[test]
fn a_damaged_table_does_not_keep_other_lines_from_their_answers() {
    let (copy, dir) = russian_copy();
    for metric in ["wld", "dtw"] {
        let file = copy.path().join(format!("russian/2k-1k.{metric}"));
        let mut bytes = std::fs::read(&file).expect("readable");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&file, bytes).expect("writable");
    }
    let args = ["probe", "--variant", "russian", "--dir", &dir];
    let input = "W:WK1,K2:BK30\nW:WK26,K27,K31,K32:BK10\nno FEN\nW:WK1:B22\n";
    let answers = run_with_input(&args, input);
    assert!(answers.stderr.contains("2k-1k"), "{}", answers.stderr);
    let lines = answers.expect(3);
    let values: Vec<&str> = lines
        .lines()
        .map(|line| line.split('\t').nth(1).expect("a value"))
        .collect();
    assert_eq!(values[..3], ["unknown", "unknown", "error"]);
    assert!(["win", "draw"].contains(&values[3]), "{lines}");
}

#[test]
fn distances_to_conversion_are_the_last_field_where_there_are_any() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().to_str().expect("a path in UTF-8");
    let generate = [
        "generate",
        "--variant",
        "russian",
        "--pieces",
        "2",
        "--dir",
        path,
    ];
    run(&generate).expect(0);
    let probe = ["probe", "--variant", "russian", "--dir", path];
    let lines = "W:WK1:B12\nno FEN\nW:WK1,K2:BK3\n";
    let fields = |args: &[&str]| -> Vec<Vec<String>> {
        let answers = run_with_input(&[&probe[..], args].concat(), lines).stdout;
        let fields = |line: &str| line.split('\t').map(str::to_owned).collect();
        answers.lines().map(fields).collect()
    };
    let without = fields(&[]);
    let without_ruled = fields(&["--draw-rules", "official"]);
    run(&[&generate[..], &["--metric", "dtc"]].concat()).expect(0);
    for (args, without) in [
        (&[][..], without),
        (&["--draw-rules", "official"][..], without_ruled),
    ] {
        for (before, after) in without.iter().zip(fields(args)) {
            assert_eq!(before[..], after[..before.len()]);
            assert_eq!(after.len(), before.len() + 1, "{after:?}");
            let answer = &after[0];
            let dtc = after.last().expect("a field");
            if answer == "W:WK1:B12" {
                let document = json(&[&probe[..], &["--json", answer]].concat());
                assert_eq!(document["dtc"].to_string(), *dtc, "{document}");
                assert_ne!(dtc, "-");
            } else {
                assert_eq!(dtc, "-", "{after:?}");
            }
        }
    }
}

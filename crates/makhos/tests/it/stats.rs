//! `stats`.

use std::collections::HashMap;

use crate::support::{copy_of_tables, data_lines, json, run, tables};

/// Rows of `stats --tsv` by variant, class and side, as columns by name.
fn rows(variant: &str) -> HashMap<(String, String), HashMap<String, String>> {
    let output = run(&["stats", "--variant", variant, "--dir", tables(), "--tsv"]).expect(0);
    let mut lines = output.lines();
    let names: Vec<&str> = lines.next().expect("a heading").split('\t').collect();
    assert!(names.starts_with(&[
        "variant",
        "class",
        "side",
        "positions",
        "wins",
        "draws",
        "losses",
        "capture_positions",
        "max_win_plies",
        "max_loss_plies",
    ]));
    let mut rows = HashMap::new();
    for line in lines {
        let cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        assert_eq!(cells.len(), names.len(), "{line}");
        assert_eq!(cells[0], variant);
        let key = (cells[1].clone(), cells[2].clone());
        let row = names.iter().map(ToString::to_string).zip(cells).collect();
        assert!(rows.insert(key, row).is_none(), "{line} twice");
    }
    rows
}

fn army(men: &str, kings: &str) -> String {
    let part = |number: &str, kind: &str| match number {
        "0" => String::new(),
        number => format!("{number}{kind}"),
    };
    part(men, "m") + &part(kings, "k")
}

#[test]
fn tsv_is_what_independent_solvers_found() {
    let stats: HashMap<&str, _> = ["english", "russian", "international"]
        .map(|variant| (variant, rows(variant)))
        .into();
    let lines = data_lines("endgame_slices.tsv");
    let names: Vec<&str> = lines[0].split('\t').collect();
    let mut checked = 0;
    for line in &lines[1..] {
        let cells: HashMap<&str, &str> = names.iter().copied().zip(line.split('\t')).collect();
        let most = if cells["variant"] == "international" {
            "2"
        } else {
            "3"
        };
        if cells["pieces"] > most {
            continue;
        }
        // White is always to move there, so our White is their Black in half of the rows.
        let material: Vec<&str> = cells["material(wm,wk,bm,bk)"].split(',').collect();
        let (white, black) = (
            army(material[0], material[1]),
            army(material[2], material[3]),
        );
        let stats = &stats[cells["variant"]];
        let row = stats
            .get(&(format!("{white}-{black}"), "w".into()))
            .or_else(|| stats.get(&(format!("{black}-{white}"), "b".into())))
            .unwrap_or_else(|| panic!("no row for {line}"));
        for (ours, theirs) in [
            ("positions", "placements"),
            ("wins", "wins"),
            ("draws", "draws"),
            ("losses", "losses"),
            ("capture_positions", "stm_capture_positions"),
            ("max_win_plies", "max_win_plies"),
            ("max_loss_plies", "max_loss_plies"),
        ] {
            let expected = if cells[theirs] == "-1" {
                "-"
            } else {
                cells[theirs]
            };
            assert_eq!(row[ours], expected, "{ours}: {line}");
        }
        checked += 1;
    }
    assert_eq!(checked, 4 + 16 + 16);
}

#[test]
fn the_examples_are_what_they_are_examples_of() {
    for ((class, side), row) in rows("russian") {
        for (fen, plies, value) in [
            ("max_win_fen", "max_win_plies", "win"),
            ("max_loss_fen", "max_loss_plies", "loss"),
        ] {
            assert_eq!(row[fen] == "-", row[plies] == "-", "{class} {side}");
            if row[fen] == "-" {
                continue;
            }
            assert!(
                row[fen].to_lowercase().starts_with(&side),
                "{class} {side}: {}",
                row[fen]
            );
            let answer = run(&[
                "probe",
                "--variant",
                "russian",
                "--dir",
                tables(),
                &row[fen],
            ])
            .expect(0);
            let expected = format!("{}\t{value}\t{}\t", row[fen], row[plies]);
            assert!(answer.starts_with(&expected), "{class} {side}: {answer}");
        }
    }
}

#[test]
fn a_symmetric_class_has_the_same_figures_for_both_sides() {
    let rows = rows("english");
    let [white, black] =
        ["w", "b"].map(|side| rows[&("1k-1k".to_owned(), side.to_owned())].clone());
    for (name, value) in &white {
        let same = name != "side" && !name.ends_with("fen");
        assert_eq!(black[name] == *value, same, "{name}");
    }
}

#[test]
fn one_class_in_json_names_its_files() {
    let document = json(&[
        "stats",
        "--variant",
        "russian",
        "--dir",
        tables(),
        "--class",
        "1k-2k",
        "--json",
    ]);
    let classes = document["classes"].as_array().expect("a list");
    assert_eq!(classes.len(), 1);
    assert_eq!(classes[0]["class"], "2k-1k");
    let files = classes[0]["tables"].as_array().expect("a list");
    let metrics: Vec<_> = files.iter().map(|file| file["metric"].as_str()).collect();
    assert_eq!(metrics, [Some("wld"), Some("dtw")]);
    assert_eq!(files[0]["sha256"].as_str().map(str::len), Some(64));
    assert_eq!(document["missing"]["pieces"], 3);
}

#[test]
fn what_is_missing_is_told_with_the_command_that_makes_it() {
    let text = run(&["stats", "--variant", "russian", "--dir", tables()]).expect(0);
    assert!(
        text.contains("all classes up to 3 pieces is complete"),
        "{text}"
    );
    let copy = copy_of_tables("russian");
    let dir = copy.path().to_str().expect("a path in UTF-8");
    for name in ["2k-1k.wld", "2k-1k.dtw", "2m-1m.dtw"] {
        std::fs::remove_file(copy.path().join("russian").join(name)).expect("it was there");
    }
    let text = run(&["stats", "--variant", "russian", "--dir", dir]).expect(0);
    assert!(text.contains("1 are missing: 2k-1k"), "{text}");
    assert!(text.contains("1 are without distances: 2m-1m"), "{text}");
    let command = format!("makhos generate --variant russian --pieces 3 --dir {dir}");
    assert!(text.contains(&command), "{text}");
    let first = format!(
        "make the first of them: makhos generate --variant russian --class 2k-1k --dir {dir}\n"
    );
    assert!(text.contains(&first), "{text}");
    // Without distances there is no longest win.
    let tsv = run(&[
        "stats",
        "--variant",
        "russian",
        "--dir",
        dir,
        "--class",
        "2m-1m",
        "--tsv",
    ])
    .expect(0);
    assert_eq!(
        tsv.lines().nth(1),
        Some("russian\t2m-1m\tw\t9936\t7161\t2713\t62\t1593\t-\t-\t-\t-")
    );
}

#[test]
fn no_tables_and_broken_tables_are_exit_code_3() {
    let copy = copy_of_tables("english");
    let dir = copy.path().to_str().expect("a path in UTF-8");
    let error = run(&["stats", "--variant", "pool", "--dir", dir]).expect_error(3);
    assert!(error.contains("makhos generate --variant pool"), "{error}");
    let error = run(&[
        "stats",
        "--variant",
        "english",
        "--dir",
        dir,
        "--class",
        "5k-1k",
    ])
    .expect_error(3);
    assert!(error.contains("up to 3"), "{error}");
    std::fs::write(copy.path().join("english/1k-1m.dtw"), b"MKHSTBL").expect("written");
    let run = run(&["stats", "--variant", "english", "--dir", dir, "--tsv"]);
    assert!(run.stderr.contains("1k-1m.dtw"), "{run:?}");
    // The other files are reported all the same.
    assert_eq!(run.expect(3).lines().count(), 1 + 18);
}

#[test]
fn what_a_larger_set_lacks_is_told_in_the_order_of_generation() {
    let stats = [
        "stats",
        "--variant",
        "russian",
        "--dir",
        tables(),
        "--pieces",
    ];
    let text = run(&[&stats[..], &["3"]].concat()).expect(0);
    assert!(
        text.contains("all classes up to 3 pieces is complete"),
        "{text}"
    );
    let text = run(&[&stats[..], &["4"]].concat()).expect(0);
    let document = json(&[&stats[..], &["4", "--json"]].concat());
    let missing = &document["missing"];
    let classes: Vec<&str> = missing["classes"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|class| class.as_str())
        .collect();
    // Three against one and two against two.
    assert_eq!(classes.len(), 14);
    assert!(
        text.contains(&format!("14 are missing: {}\n", classes.join(", "))),
        "{text}"
    );
    let first = format!(
        "makhos generate --variant russian --class {} --dir",
        classes[0]
    );
    assert!(text.contains(&first), "{text}");
    assert!(
        missing["first_command"]
            .as_str()
            .is_some_and(|it| it.starts_with(&first))
    );
    let refused = run(&[&stats[..], &["4", "--class", "2k-1k"]].concat());
    assert!(refused.expect_error(2).contains("--class"));
    run(&[&stats[..], &["30"]].concat()).expect(2);
}

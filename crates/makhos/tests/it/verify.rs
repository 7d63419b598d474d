//! `verify`.

use std::fs;
use std::path::Path;

use makhos_index::PlacementIndex;
use makhos_probe::{
    Access, MANIFEST_NAME, Metric, PackedDtw, SideStatistics, Table, TableSpec, TableWriter, Wld,
    table_path,
};
use makhos_rules::notation::fen;
use makhos_rules::{Color, variant};

use crate::support::{copy_of_tables, files, json, run, tables};

fn verify<'a>(dir: &'a str, args: &[&'a str]) -> Vec<&'a str> {
    [&["verify", "--variant", "english", "--dir", dir], args].concat()
}

#[test]
fn good_tables_are_right() {
    let quick = run(&verify(tables(), &[])).expect(0);
    assert!(
        quick.contains("18 tables") && quick.contains("no difference was found"),
        "{quick}"
    );
    let full = json(&verify(tables(), &["--full", "--json"]));
    assert_eq!(
        (&full["right"], &full["mode"]),
        (&true.into(), &"full".into())
    );
    // Tables of distances of unequal armies keep one side to move.
    assert_eq!(full["positions"], 2 * 199_520 - 98_884);
    let sample = json(&verify(
        tables(),
        &[
            "--class", "1m-2m", "--sample", "500", "--seed", "7", "--json",
        ],
    ));
    assert_eq!(sample["positions"], 1000);
    assert_eq!(sample["tables"].as_array().map(Vec::len), Some(2));
}

#[test]
fn one_flipped_byte_anywhere_is_found() {
    let copy = copy_of_tables("english");
    let dir = copy.path().to_str().expect("a path in UTF-8");
    let file = files(&copy.path().join("english")).remove(5);
    let name = file
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let whole = fs::read(&file).expect("a readable file");
    let places = [
        0,
        9,
        100,
        whole.len() / 3,
        whole.len() / 2,
        whole.len() - 60,
        whole.len() - 5,
    ];
    for place in places {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x10;
        fs::write(&file, bytes).expect("written");
        let result = run(&verify(dir, &["--quick"]));
        assert!(result.stdout.contains(&name), "byte {place}: {result:?}");
        result.expect(3);
    }
    fs::write(&file, &whole[..whole.len() - 1]).expect("written");
    run(&verify(dir, &[])).expect(3);
    fs::write(&file, &whole).expect("written");
    run(&verify(dir, &[])).expect(0);
}

#[test]
fn wrong_values_are_exit_code_1_and_named() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let spec = TableSpec {
        rules: variant::ENGLISH,
        material: "1k-1k".parse().expect("a class"),
        metric: Metric::Dtw,
    };
    // A table that calls everything a draw, and is otherwise in order.
    let placements = PlacementIndex::<u32>::new(spec.material)
        .expect("it fits")
        .len();
    let values = vec![PackedDtw::DRAW; placements as usize];
    let mut statistics = SideStatistics::default();
    for (index, &value) in values.iter().enumerate() {
        statistics.record(index as u64, value, false);
    }
    let mut writer = TableWriter::create(dir.path(), &spec, &[statistics]).expect("a writer");
    writer.push(&values).expect("written");
    writer.finish().expect("published");
    let path = dir.path().to_str().expect("a path in UTF-8");
    let text = run(&verify(path, &[])).expect(1);
    assert!(text.contains("positions differ"), "{text}");
    assert!(
        text.contains("stored is \"draw\", but its moves give \"win 1\""),
        "{text}"
    );
    assert!(text.contains("W:WK"), "{text}");
    let result = run(&verify(path, &["--json", "--full"]));
    let document: serde_json::Value = serde_json::from_str(&result.stdout).expect("JSON");
    assert_eq!((result.code, &document["right"]), (1, &false.into()));
    assert_eq!(
        document["tables"][0]["differences"]
            .as_array()
            .map(Vec::len),
        Some(20)
    );
    assert!(document["differing"].as_u64() > Some(20));
    assert_eq!(
        document["tables"][0]["wrong_statistics"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

/// A directory with the outcomes of a class and of all it needs.
fn outcomes_of(class: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().to_str().expect("a path in UTF-8");
    let class = [
        "--class",
        class,
        "--metric",
        "wld",
        "--complete",
        "--dir",
        path,
    ];
    let generate = ["generate", "--variant", "russian"];
    run(&[&generate[..], &class].concat()).expect(0);
    dir
}

/// Makes a draw of one position with Black to move that is lost, in a table that is in order
/// otherwise, its figures and its digest included. Returns the position.
fn change_one_outcome(dir: &Path, class: &str) -> String {
    let spec = TableSpec {
        rules: variant::RUSSIAN,
        material: class.parse().expect("a class"),
        metric: Metric::Wld,
    };
    let path = table_path(dir, &spec.rules, spec.material, spec.metric);
    let table = Table::open(&path, Access::Read).expect("a table");
    let sides = [Color::White, Color::Black];
    let mut statistics = sides.map(|side| *table.statistics(side).expect("stored"));
    let mut values = sides.map(|side| {
        let mut values = Vec::new();
        table
            .for_each_value(side, |value| values.push(value))
            .expect("values");
        values
    });
    drop(table);
    let lost = |value: &PackedDtw| value.wld() == Wld::Loss;
    let middle = values[1].len() / 2;
    let changed = middle + values[1][middle..].iter().position(lost).expect("a loss");
    values[1][changed] = PackedDtw::DRAW;
    statistics[1].losses -= 1;
    statistics[1].draws += 1;
    fs::remove_file(&path).expect("it was there");
    // Whoever changes values would not leave digests that tell.
    fs::remove_file(dir.join("russian").join(MANIFEST_NAME)).expect("it was there");
    let mut writer = TableWriter::create(dir, &spec, &statistics).expect("a writer");
    for values in &values {
        writer.push(values).expect("written");
    }
    writer.finish().expect("published");
    let numbering = PlacementIndex::<u32>::new(spec.material).expect("it fits");
    let position = numbering.position(changed as u64, Color::Black);
    fen::write(&spec.rules, &position)
}

#[test]
fn one_wrong_outcome_among_millions_is_found() {
    let dir = outcomes_of("4k-1k");
    let path = dir.path().to_str().expect("a path in UTF-8");
    let verify = ["verify", "--variant", "russian", "--dir", path];
    let full = [&verify[..], &["--class", "4k-1k", "--full"]].concat();
    let right = run(&full).expect(0);
    assert!(right.contains("no difference was found"), "{right}");
    let position = change_one_outcome(dir.path(), "4k-1k");
    let wrong = run(&full).expect(1);
    for part in [
        "4k-1k",
        &position,
        "stored is \"draw\", but its moves give \"loss\"",
    ] {
        assert!(wrong.contains(part), "{part}: {wrong}");
    }
    // The file itself is in order, and a sample of one position for each table misses it.
    run(&[&verify[..], &["--quick", "--sample", "1"]].concat()).expect(0);
}

#[test]
fn one_flipped_byte_among_outcomes_is_found() {
    let dir = outcomes_of("3k-1k");
    let path = dir.path().to_str().expect("a path in UTF-8");
    let quick = ["verify", "--variant", "russian", "--dir", path, "--quick"];
    run(&quick).expect(0);
    let file = dir.path().join("russian/3k-1k.wld");
    let mut bytes = fs::read(&file).expect("a readable file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).expect("a writable file");
    let text = run(&quick).expect(3);
    assert!(text.contains("3k-1k.wld"), "{text}");
}

#[test]
fn missing_tables_are_exit_code_3() {
    let error = run(&["verify", "--variant", "pool", "--dir", tables()]).expect_error(3);
    assert!(error.contains("makhos generate --variant pool"), "{error}");
    let error = run(&verify(tables(), &["--class", "3k-1k"])).expect_error(3);
    assert!(error.contains("up to 3"), "{error}");
    let copy = copy_of_tables("english");
    let dir = copy.path().to_str().expect("a path in UTF-8");
    for metric in ["wld", "dtw"] {
        fs::remove_file(copy.path().join(format!("english/1k-1k.{metric}"))).expect("it was there");
    }
    let text = run(&verify(dir, &[])).expect(3);
    assert!(text.contains("1k-1k"), "{text}");
    let error = run(&verify(dir, &["--quick", "--full"])).expect_error(2);
    assert!(error.contains("--full"), "{error}");
}

#[test]
fn what_does_not_fit_the_memory_is_refused_before_anything_is_checked() {
    let refused = run(&verify(tables(), &["--full", "--memory", "1kB"]));
    assert_eq!(refused.stdout, "", "{refused:?}");
    let error = refused.expect_error(3);
    for part in [
        "of memory, but 1000 B are allowed",
        "--memory",
        "--quick",
        "--class",
    ] {
        assert!(error.contains(part), "{error}");
    }
    let class = ["--class", "2k-1m", "--memory", "10kB"];
    let full = run(&verify(tables(), &[&class[..], &["--full"]].concat())).expect_error(3);
    assert!(full.contains("checking 2k-1m.wld takes"), "{full}");
    // A sample reads blocks one by one, unless it is the whole table or itself too large.
    run(&verify(
        tables(),
        &[&class[..], &["--sample", "1000"]].concat(),
    ))
    .expect(0);
    for sample in ["5000", "999999999999"] {
        let args = [&class[..], &["--sample", sample]].concat();
        let error = run(&verify(tables(), &args)).expect_error(3);
        assert!(error.contains("a smaller --sample"), "{error}");
    }
    run(&verify(tables(), &["--full", "--memory", "10MiB"])).expect(0);
}

#[test]
fn damaged_files_are_reported_whatever_memory_is_allowed() {
    let copy = copy_of_tables("english");
    let dir = copy.path().to_str().expect("a path in UTF-8");
    let file = copy.path().join("english/1k-1k.dtw");
    fs::write(&file, "no table").expect("written");
    let text = run(&verify(dir, &["--full"])).expect(3);
    assert!(
        text.contains("1k-1k.dtw: ") && text.contains("not a Makhos table"),
        "{text}"
    );
}

#[test]
fn tables_beside_a_damaged_one_are_checked() {
    let copy = copy_of_tables("english");
    let dir = copy.path().to_str().expect("a path in UTF-8");
    let file = copy.path().join("english/2m-1m.dtw");
    let bytes = fs::read(&file).expect("a readable file");
    fs::write(&file, &bytes[..bytes.len() / 2]).expect("a writable file");
    let report = run(&verify(dir, &["--full", "--json"])).expect(3);
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let tables = report["tables"].as_array().expect("a list");
    let broken = tables.iter().filter(|table| !table["error"].is_null());
    assert_eq!(
        broken.count(),
        2,
        "outcomes are compared with distances, nothing else needs them"
    );
    // All positions of all other classes.
    assert_eq!(report["positions"], 2 * (199_520 - 19_872) - 88_948);
}

/// A copy of the tables of a variant with their manifest.
fn copy_of_set(variant: &str) -> tempfile::TempDir {
    let copy = copy_of_tables(variant);
    let name = Path::new(variant).join(MANIFEST_NAME);
    fs::copy(Path::new(tables()).join(&name), copy.path().join(&name)).expect("a copy");
    copy
}

#[test]
fn a_set_is_compared_with_its_manifest() {
    let set = copy_of_set("english");
    let dir = set.path().to_str().expect("a path in UTF-8");
    let english = set.path().join("english");
    let text = run(&verify(dir, &[])).expect(0);
    let listed = "SHA256SUMS: 18 tables listed, 0 missing, 0 extra, 0 different";
    assert!(text.contains(listed), "{text}");
    // Without one nothing is said of it.
    let copy = copy_of_tables("english");
    let bare = copy.path().to_str().expect("a path in UTF-8");
    let text = run(&verify(bare, &[])).expect(0);
    assert!(!text.contains(MANIFEST_NAME), "{text}");

    // A part of a set can be probed, and what is missing is told, but not of classes not asked for.
    let part = english.join("2m-1m.dtw");
    let bytes = fs::read(&part).expect("readable");
    fs::remove_file(&part).expect("it was there");
    let text = run(&verify(dir, &[])).expect(3);
    assert!(
        text.contains("2m-1m.dtw is listed in SHA256SUMS but missing"),
        "{text}"
    );
    assert!(text.contains("1 missing"), "{text}");
    run(&verify(dir, &["--class", "2k-1k"])).expect(0);
    run(&[
        "probe",
        "--variant",
        "english",
        "--dir",
        dir,
        "W:WK26,K27:BK10",
    ])
    .expect(0);

    // A file that is in order itself, but another one.
    fs::copy(english.join("2m-1m.wld"), english.join("kept")).expect("a copy");
    fs::write(&part, bytes).expect("written");
    let complete = tempfile::tempdir().expect("a directory");
    let path = complete.path().to_str().expect("a path in UTF-8");
    let generate = [
        "generate",
        "--variant",
        "english",
        "--class",
        "2m-1m",
        "--metric",
        "wld",
    ];
    run(&[&generate[..], &["--complete", "--dir", path]].concat()).expect(0);
    let other = complete.path().join("english/2m-1m.wld");
    fs::copy(other, english.join("2m-1m.wld")).expect("a copy");
    let result = run(&verify(dir, &["--json"]));
    let document: serde_json::Value = serde_json::from_str(&result.stdout).expect("JSON");
    assert_eq!(
        document["manifest"]["different"],
        serde_json::json!(["2m-1m.wld"])
    );
    assert_eq!((result.code, &document["right"]), (3, &false.into()));
    fs::rename(english.join("kept"), english.join("2m-1m.wld")).expect("back");

    // A file that is not listed.
    let manifest = english.join(MANIFEST_NAME);
    let text = fs::read_to_string(&manifest).expect("readable");
    let less: Vec<&str> = text
        .lines()
        .filter(|line| !line.ends_with("1k-1k.wld"))
        .collect();
    fs::write(&manifest, less.join("\n")).expect("written");
    let found = run(&verify(dir, &[])).expect(1);
    assert!(
        found.contains("1k-1k.wld is not listed in SHA256SUMS"),
        "{found}"
    );

    // Generation brings it up to date, byte by byte.
    run(&[
        "generate",
        "--variant",
        "english",
        "--pieces",
        "3",
        "--dir",
        dir,
    ])
    .expect(0);
    assert_eq!(fs::read_to_string(&manifest).expect("readable"), text);
    fs::write(&manifest, "nonsense").expect("written");
    let error = run(&verify(dir, &[])).expect_error(3);
    assert!(error.contains("line 1 is not a SHA-256 digest"), "{error}");
}

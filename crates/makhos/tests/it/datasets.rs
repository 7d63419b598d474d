//! Data sets: from games, from tables, and labelled again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::{copy_of_tables, files, path, quick_games as games, run, tables};

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

/// Names and bytes of all files.
fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).expect("a directory");
    entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            (name.into_owned(), fs::read(&path).expect("a file"))
        })
        .collect()
}

#[test]
fn labelling_again_is_exporting_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let games = games(dir.path());
    let two_pieces = copy_of_tables("russian");
    for table in files(&two_pieces.path().join("russian")) {
        let name = table.file_stem().expect("a name").to_string_lossy();
        if !["1k-1k", "1m-1k", "1k-1m", "1m-1m"].contains(&name.as_ref()) {
            fs::remove_file(&table).expect("removed");
        }
    }
    let two_pieces = two_pieces.path().to_str().expect("a path in UTF-8");
    for form in ["parquet", "npz"] {
        let export = |name: &str, tables: &str| {
            let out = path(dir.path(), &format!("{form}-{name}"));
            let args = [
                "dataset",
                "export",
                "--variant",
                "russian",
                "--games",
                &games,
            ];
            let more = ["--out", &out, "--form", form, "--dir", tables, "--captures"];
            let few = ["--rows-per-file", "300"];
            run(&[&args[..], &more, &few].concat()).expect(0);
            out
        };
        let (less, more) = (export("less", two_pieces), export("more", tables()));
        let (before, expected) = (contents(Path::new(&less)), contents(Path::new(&more)));
        assert!(before != expected && expected.len() > 4);
        let label = |variant: &str, tables: &str| {
            let args = [
                "dataset",
                "label",
                &less,
                "--variant",
                variant,
                "--dir",
                tables,
            ];
            run(&args)
        };
        // Without tables nothing is touched; nor by those of other rules.
        label("russian", "/nowhere").expect_error(3);
        assert!(
            label("english", tables())
                .expect_error(2)
                .contains("russian")
        );
        assert!(contents(Path::new(&less)) == before);
        let text = label("russian", tables()).expect(0);
        assert!(
            text.contains(" of them new") && !text.contains(" 0 of them"),
            "{text}"
        );
        assert!(contents(Path::new(&less)) == expected, "{form}");
        let text = label("russian", tables()).expect(0);
        assert!(text.contains(", 0 of them new"), "{text}");
        assert!(contents(Path::new(&less)) == expected);
        // A damaged file is not made to look whole.
        let name = expected.keys().find(|name| name.starts_with("train-"));
        let file = Path::new(&less).join(name.expect("a file"));
        let mut bytes = fs::read(&file).expect("a file");
        bytes[100] ^= 1;
        fs::write(&file, &bytes).expect("written");
        let error = label("russian", tables()).expect_error(3);
        assert!(error.contains("digest"), "{error}");
        assert!(fs::read(&file).expect("a file") == bytes);
    }
    let none = ["dataset", "label", "/nowhere", "--variant", "russian"];
    assert!(run(&none).expect_error(3).contains("manifest.json"));
}

//! `generate`: what it reports, refuses and leaves behind.

use std::fs;
use std::path::Path;

use crate::support::{contents, json, run, tables};

fn generate<'a>(dir: &'a tempfile::TempDir, args: &[&'a str]) -> Vec<&'a str> {
    let dir = dir.path().to_str().expect("a path in UTF-8");
    [&["generate", "--dir", dir], args].concat()
}

fn temporary() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

#[test]
fn a_second_run_finds_everything_there() {
    let dir = temporary();
    let args = generate(&dir, &["--variant", "thai", "--pieces", "2"]);
    let first = run(&args);
    assert!(first.stderr.contains("thai: making 3 classes"), "{first:?}");
    let first = first.expect(0);
    assert!(first.contains("Made 3 classes, 3,488 positions"), "{first}");
    assert!(first.contains("1k-1m") && first.contains("W:WK"), "{first}");
    let before = contents(&dir.path().join("thai"));
    let second = run(&args).expect(0);
    assert!(second.contains("All of them were there"), "{second}");
    assert_eq!(second.matches("was there").count(), 3, "{second}");
    assert_eq!(contents(&dir.path().join("thai")), before);
    assert_eq!(before.len(), 6);
}

#[test]
fn a_class_brings_what_it_needs_and_either_side_may_come_first() {
    let dir = temporary();
    let args = generate(
        &dir,
        &[
            "--variant",
            "russian",
            "--class",
            "1k-2k",
            "--metric",
            "wld",
            "--json",
        ],
    );
    let document = json(&args);
    let classes: Vec<_> = document["classes"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    let names: Vec<_> = classes
        .iter()
        .map(|class| class["class"].as_str().expect("text"))
        .collect();
    assert_eq!(names, ["1k-1k", "2k-1k"]);
    assert_eq!(document["totals"]["positions"], 30_752);
    assert_eq!(document["made"]["classes"], 2);
    let names: Vec<_> = contents(&dir.path().join("russian"))
        .into_iter()
        .map(|file| file.0)
        .collect();
    assert_eq!(names, ["1k-1k.wld", "2k-1k.wld"]);
}

#[test]
fn figures_of_json_are_those_of_stats() {
    let generated = json(&[
        "generate",
        "--variant",
        "russian",
        "--pieces",
        "3",
        "--dir",
        tables(),
        "--json",
    ]);
    let stats = json(&["stats", "--variant", "russian", "--dir", tables(), "--json"]);
    let pairs = generated["classes"]
        .as_array()
        .expect("a list")
        .iter()
        .zip(stats["classes"].as_array().expect("a list"));
    for (generated, stats) in pairs {
        assert_eq!(generated["class"], stats["class"]);
        assert_eq!(generated["sides"], stats["sides"]);
        assert_eq!(generated["bytes"], stats["bytes"]);
        assert_eq!(generated["was_there"], true);
    }
    assert_eq!(generated["totals"], stats["totals"]);
}

#[test]
fn house_options_have_tables_of_their_own() {
    let dir = temporary();
    let args = generate(
        &dir,
        &[
            "--variant",
            "thai",
            "--option",
            "removal=end",
            "--pieces",
            "2",
        ],
    );
    run(&args).expect(0);
    assert_eq!(contents(&dir.path().join("thai+removal=end")).len(), 6);
}

#[test]
fn the_same_files_for_any_number_of_threads() {
    let one = temporary();
    let four = temporary();
    for (dir, threads) in [(&one, "1"), (&four, "4")] {
        run(&generate(
            dir,
            &["--variant", "czech", "--pieces", "3", "--threads", threads],
        ))
        .expect(0);
    }
    let (one, four) = (one.path().join("czech"), four.path().join("czech"));
    assert_eq!(contents(&one).len(), 18);
    assert_eq!(contents(&one), contents(&four));
}

#[test]
fn the_same_outcomes_for_any_number_of_threads_and_any_memory() {
    let mut all = Vec::new();
    for (threads, memory) in [("1", "1GiB"), ("2", "64MiB"), ("4", "1GiB")] {
        let dir = temporary();
        let amounts = ["--threads", threads, "--memory", memory];
        let what = ["--variant", "russian", "--pieces", "4", "--metric", "wld"];
        run(&generate(&dir, &[&what[..], &amounts].concat())).expect(0);
        all.push(contents(&dir.path().join("russian")));
    }
    assert_eq!(all[0].len(), 23);
    assert!(all[0] == all[1] && all[0] == all[2]);
}

#[test]
fn outcomes_take_more_memory_with_more_threads_and_never_more_than_allowed() {
    let dir = temporary();
    let memory = |threads: &str| {
        let args = [
            "--variant",
            "english",
            "--class",
            "2k1m-2k",
            "--metric",
            "wld",
        ];
        let args = [&args[..], &["--estimate", "--json", "--threads", threads]].concat();
        json(&generate(&dir, &args))["memory"]
            .as_u64()
            .expect("a number")
    };
    let (one, four) = (memory("1"), memory("4"));
    assert!(one < four, "{one}, {four}");
    let least = one.to_string();
    let less = (one - 1).to_string();
    let class = [
        "--variant",
        "english",
        "--class",
        "2k1m-2k",
        "--metric",
        "wld",
    ];
    let with = |memory: &str| {
        let amounts = ["--threads", "1", "--memory", memory];
        run(&generate(&dir, &[&class[..], &amounts].concat()))
    };
    let error = with(&less).expect_error(3);
    assert!(error.contains("of memory"), "{error}");
    with(&least).expect(0);
}

#[test]
fn an_estimate_writes_nothing() {
    let dir = temporary();
    let args = generate(
        &dir,
        &["--variant", "english", "--pieces", "4", "--estimate"],
    );
    let text = run(&args).expect(0);
    assert!(
        text.contains("23 classes to make, 6,408,836 positions"),
        "{text}"
    );
    let document = json(&[args.as_slice(), &["--json", "--memory", "1MiB"]].concat());
    assert_eq!(document["positions"], 6_408_836);
    assert_eq!(document["classes_to_make"], 23);
    assert_eq!(document["fits"], false);
    assert_eq!(document["memory_allowed"], 1 << 20);
    assert!(document["seconds"].as_f64().expect("a number") > 0.0);
    let (disk, bound) = (&document["disk"], &document["disk_bound"]);
    assert!(disk.as_u64().expect("a number") > 0 && disk.as_u64() <= bound.as_u64());
    assert!(text.contains("time:   about"), "{text}");
    assert!(!dir.path().join("english").exists());
    // What is there is not counted.
    let args = [
        "generate",
        "--dir",
        tables(),
        "--variant",
        "english",
        "--pieces",
        "4",
    ];
    let document = json(&[args.as_slice(), &["--estimate", "--json"]].concat());
    assert_eq!(document["classes_to_make"], 14);
}

#[test]
fn too_little_memory_is_told_before_anything_is_written() {
    let dir = temporary();
    let args = generate(
        &dir,
        &["--variant", "english", "--pieces", "4", "--memory", "1MiB"],
    );
    let error = run(&args).expect_error(3);
    assert!(error.contains("MiB are allowed"), "{error}");
    assert!(!dir.path().join("english").exists());
}

#[test]
fn a_directory_that_cannot_be_made_is_exit_code_3() {
    let dir = temporary();
    let file = dir.path().join("file");
    std::fs::write(&file, "").expect("a file");
    let file = file.to_str().expect("a path in UTF-8");
    let error = run(&[
        "generate",
        "--variant",
        "english",
        "--pieces",
        "2",
        "--dir",
        file,
    ])
    .expect_error(3);
    assert!(error.contains(file), "{error}");
}

#[test]
fn one_side_takes_less_room_and_tells_as_much() {
    let dir = temporary();
    let wanted = [
        "--variant",
        "english",
        "--pieces",
        "3",
        "--metric",
        "wld",
        "--one-side",
    ];
    let estimate = generate(&dir, &[&wanted[..], &["--estimate", "--json"]].concat());
    let foretold = json(&estimate)["disk"].as_u64();
    run(&generate(&dir, &wanted)).expect(0);
    let bytes = |dir: &Path| -> u64 {
        let files = contents(&dir.join("english")).into_iter();
        let outcomes = files.filter(|(name, _)| name.ends_with(".wld"));
        outcomes.map(|(_, bytes)| bytes.len() as u64).sum()
    };
    let one = bytes(dir.path());
    assert_eq!(foretold, Some(one));
    let both = bytes(Path::new(tables()));
    // Half of it are headers.
    assert!(one < both * 9 / 10, "{one} of {both}");
    let path = dir.path().to_str().expect("a path in UTF-8");
    let verified = run(&["verify", "--variant", "english", "--full", "--dir", path]).expect(0);
    assert!(verified.contains("no difference"), "{verified}");
    for fen in ["W:W29,K1:BK15", "B:W29,K1:BK15"] {
        let probe = |dir: &str| {
            let what = ["probe", "--variant", "english", "--json", "--dir", dir, fen];
            json(&what)["value"].clone()
        };
        assert!(probe(path).is_string());
        assert_eq!(probe(path), probe(tables()), "{fen}");
    }
    let both = generate(&dir, &[&wanted[..], &["--complete"]].concat());
    let error = run(&both).expect_error(2);
    assert!(error.contains("--one-side"), "{error}");
}

/// Replaces a file of a new set of tables, and follows the advice that `generate` gives then.
fn assert_advice_helps(name: &str, what: &str, replace: impl Fn(&Path)) {
    let dir = temporary();
    let all = ["--variant", "english", "--pieces", "2", "--complete"];
    run(&generate(&dir, &all)).expect(0);
    let variant = dir.path().join("english");
    let whole = contents(&variant);
    replace(&variant.join(name));
    // The class that needs all of them notices damage in their blocks as well.
    let more = generate(&dir, &[&all[..], &["--class", "2k-1k"]].concat());
    let error = run(&more).expect_error(3);
    assert!(error.contains(name), "{what}: {error}");
    let advice = ["delete", "then generate"];
    assert!(
        advice.iter().all(|part| error.contains(part)),
        "{what}: {error}"
    );
    fs::remove_file(variant.join(name)).expect("it was there");
    run(&more).expect(0);
    fs::remove_file(variant.join("2k-1k.wld")).expect("it was made");
    fs::remove_file(variant.join("2k-1k.dtw")).expect("it was made");
    assert!(contents(&variant) == whole, "{what}");
}

#[test]
fn a_damaged_table_is_named_and_made_again_when_it_is_deleted() {
    let flip = |from_start: bool, at: usize| {
        move |file: &Path| {
            let mut bytes = fs::read(file).expect("a readable file");
            let at = if from_start { at } else { bytes.len() - at };
            bytes[at] ^= 0x10;
            fs::write(file, bytes).expect("written");
        }
    };
    let write = |bytes: &'static str| move |file: &Path| fs::write(file, bytes).expect("written");
    for name in ["1k-1k.wld", "1k-1k.dtw"] {
        assert_advice_helps(name, "magic", flip(true, 1));
        assert_advice_helps(name, "version", flip(true, 9));
        assert_advice_helps(name, "header", flip(true, 60));
        assert_advice_helps(name, "index", flip(false, 55));
        assert_advice_helps(name, "footer", flip(false, 12));
        assert_advice_helps(name, "end", flip(false, 1));
        assert_advice_helps(name, "empty", write(""));
        assert_advice_helps(
            name,
            "foreign",
            write("not a table, but about as long as a header"),
        );
        assert_advice_helps(name, "cut off", |file| {
            let bytes = fs::read(file).expect("a readable file");
            fs::write(file, &bytes[..bytes.len() / 2]).expect("written");
        });
    }
    // Blocks are looked at when a class is solved from them.
    assert_advice_helps(
        "1k-1k.dtw",
        "block",
        flip(true, 184 + "english".len() + 4 + 9),
    );
}

#[test]
fn another_rule_sets_table_is_named_and_made_again_when_it_is_deleted() {
    assert_advice_helps("1k-1k.dtw", "other rules", |file| {
        let russian = Path::new(tables()).join("russian/1k-1k.dtw");
        fs::copy(russian, file).expect("a copy");
    });
}

#[test]
fn a_renamed_table_is_told_apart() {
    let dir = temporary();
    let args = generate(&dir, &["--variant", "english", "--pieces", "2"]);
    run(&args).expect(0);
    let path = |name: &str| dir.path().join("english").join(name);
    for (from, to) in [("1m-1m.dtw", "1k-1k.dtw"), ("1k-1k.wld", "1k-1k.dtw")] {
        let kept = fs::read(path(to)).expect("a readable file");
        fs::copy(path(from), path(to)).expect("a copy");
        let error = run(&args).expect_error(3);
        assert!(
            error.contains(to) && error.contains("its own name back"),
            "{error}"
        );
        fs::write(path(to), kept).expect("written");
        run(&args).expect(0);
    }
}

#[test]
fn options_that_change_no_move_share_the_tables() {
    let begins = ["--option", "first=white", "--option", "mirror=mirrored"];
    let args = ["--variant", "english", "--pieces", "3", "--dir", tables()];
    let text = run(&[&["generate"], &args[..], &begins].concat()).expect(0);
    assert!(text.contains("All of them were there"), "{text}");
    let position = "W:WK1:BK13";
    let probe = ["probe", "--variant", "english", "--dir", tables(), position];
    let plain = run(&probe).expect(0);
    let other = run(&[&probe[..], &begins[..2]].concat()).expect(0);
    assert_eq!(plain, other);
    // But the others do not.
    let other = [&probe[..], &["--option", "removal=once"]].concat();
    let error = run(&other).expect_error(3);
    assert!(
        error.contains("there are no english+removal=once tables"),
        "{error}"
    );
}

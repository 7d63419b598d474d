//! Data sets against the games and tables that they were made of.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use makhos_index::classes;
use makhos_probe::{Dtw, Metric, Tablebase, Wld};
use makhos_rules::notation::hub;
use makhos_rules::variant::{ENGLISH, RUSSIAN};
use makhos_selfplay::dataset::{
    Columns, DatasetFile, DatasetWriter, Exporter, Filter, Form, LabelError, LabelSource, Row,
    Sample, Sampler, Split,
};
use makhos_selfplay::games::{GameSettings, Players};

use crate::support::{play, run_of, settings, tables};

/// Everything that a game has.
const EVERYTHING: Filter = Filter {
    openings: true,
    captures: true,
    forced: true,
    first_ply: 0,
    fold: false,
};

/// Rows of two runs of random games, labelled by tables.
fn exported(tables: Option<&Tablebase<u32>>, dir: &Path) -> Vec<Row<u32>> {
    let mut exporter = Exporter::new(RUSSIAN, tables, EVERYTHING);
    let mut rows = Vec::new();
    for (number, seed) in [(0_u16, 5), (1, 6)] {
        let settings = GameSettings {
            games: 60,
            seed,
            players: Players::Random,
            shard_games: 25,
            ..settings()
        };
        let out = dir.join(format!("games-{seed}"));
        for shard in play(&run_of::<u32>(&RUSSIAN, settings), &out, 2).shards {
            rows.extend(exporter.rows(number, &shard.path).expect("rows"));
        }
    }
    rows
}

fn written(rows: &[Row<u32>], dir: &Path, form: Form, per_file: usize) -> Vec<DatasetFile> {
    let metadata = vec![("variant", "russian".to_owned())];
    let writer = DatasetWriter::new::<u32>(dir, &RUSSIAN, form, per_file, metadata);
    let mut writer = writer.expect("a directory");
    for row in rows {
        writer.push(row).expect("room");
    }
    writer.finish::<u32>().expect("room")
}

#[test]
fn rows_that_are_written_come_back_and_no_game_is_in_two_splits() {
    let dir = tempfile::tempdir().expect("a directory");
    let tables = tables(RUSSIAN, &dir.path().join("tables"), Metric::Dtw, 3);
    let rows = exported(Some(&tables), dir.path());
    assert!(rows.len() > 3_000 && rows.iter().any(|row| row.outcome.is_some()));
    for form in [Form::Parquet, Form::Npz] {
        let out = dir.path().join(form.name());
        let files = written(&rows, &out, form, 1_000);
        assert!(files.len() > 4, "several files of a split");
        let mut splits = BTreeMap::<u64, HashSet<Split>>::new();
        let mut read = 0;
        for split in Split::ALL {
            let mut expected = Columns::new::<u32>();
            for row in rows.iter().filter(|row| Split::of_game(row.game) == split) {
                splits.entry(row.game).or_default().insert(split);
                expected.push(&RUSSIAN, row);
            }
            let mut at = 0;
            for file in files.iter().filter(|file| file.split == split) {
                let columns = form.read(&out.join(&file.name), 32).expect("readable");
                assert_eq!(columns.len() as u64, file.rows);
                assert_eq!(columns.exact() as u64, file.exact);
                for row in 0..columns.len() {
                    same_row(&columns, row, &expected, at, form);
                    at += 1;
                }
            }
            assert_eq!(at, expected.len(), "{split:?}");
            assert!(at > 0, "{split:?}");
            read += at;
        }
        assert_eq!(read, rows.len());
        // Two runs have games with the same numbers, which are other games.
        assert_eq!(splits.len(), 120);
        assert!(splits.values().all(|splits| splits.len() == 1));
    }
}

/// Whether a row that was read is the one that was written; moves are in Parquet only.
fn same_row(read: &Columns, row: usize, written: &Columns, at: usize, form: Form) {
    assert_eq!(read.labels(row), written.labels(at));
    let position = read.position::<u32>(row).expect("a position");
    assert_eq!(position, written.position(at).expect("a position"));
    let mv = read.played(row);
    match form {
        Form::Parquet => assert_eq!(mv, written.played(at)),
        Form::Npz => assert_eq!(mv, None),
    }
    if let Some(text) = mv {
        let mv = hub::parse_move(&RUSSIAN, &position, text).expect("a legal move");
        assert_eq!(hub::write_move(&RUSSIAN, &mv), text);
    }
}

/// What the tables say of a row.
fn values(tables: &Tablebase<u32>, row: &Row<u32>) -> (Wld, Dtw) {
    let value = tables.probe_dtw(&row.position).expect("a value");
    (tables.probe_wld(&row.position).expect("a value"), value)
}

#[test]
fn every_exact_label_is_that_of_the_tables() {
    let dir = tempfile::tempdir().expect("a directory");
    let tables = tables(RUSSIAN, &dir.path().join("tables"), Metric::Dtw, 3);
    let sample = Sample {
        classes: classes(3),
        by_class: true,
        seed: 8,
    };
    let sampler = Sampler::new(&tables, &sample).expect("classes");
    let sampled: Vec<_> = (0..20_000)
        .map(|number| sampler.row(number).expect("a row"))
        .collect();
    assert!(sampled.iter().all(|row| row.outcome.is_some()));
    let (mut exact, mut seen) = (0, HashSet::new());
    for row in sampled.iter().chain(&exported(Some(&tables), dir.path())) {
        let inside = row.position.piece_count() <= 3;
        assert_eq!(row.outcome.is_some(), inside);
        assert_eq!(row.source == LabelSource::Tables, inside);
        if inside {
            let (outcome, value) = values(&tables, row);
            assert_eq!((row.outcome, row.distance), (Some(outcome), Some(value)));
            exact += 1;
            seen.insert((outcome, row.position.side()));
        }
    }
    assert!(exact > 20_000, "games have reached the tables");
    assert_eq!(seen.len(), 6, "all outcomes for both sides");
    // The same by what the files say.
    let out = dir.path().join("sample");
    for file in written(&sampled, &out, Form::Parquet, 1 << 20) {
        let columns = Form::Parquet.read(&out.join(&file.name), 32).expect("rows");
        for row in 0..columns.len() {
            let position = columns.position::<u32>(row).expect("a position");
            let value = tables.probe_dtw(&position).expect("a value");
            let labels = columns.labels(row);
            let sign = match value.wld() {
                Wld::Win => 1,
                Wld::Draw => 0,
                Wld::Loss => -1,
            };
            let plies = value.plies().map(|plies| plies.get());
            assert_eq!((labels.outcome, labels.distance), (Some(sign), plies));
            assert_eq!((labels.result, labels.source), (None, 2));
        }
    }
}

#[test]
fn labelling_again_gives_what_exporting_again_would() {
    let dir = tempfile::tempdir().expect("a directory");
    let small = tables(RUSSIAN, &dir.path().join("small"), Metric::Wld, 2);
    let large = tables(RUSSIAN, &dir.path().join("large"), Metric::Dtw, 3);
    let columns = |tables: &Tablebase<u32>| {
        let mut columns = Columns::new::<u32>();
        for row in exported(Some(tables), dir.path()) {
            columns.push(&RUSSIAN, &row);
        }
        columns
    };
    let mut labelled = columns(&small);
    let expected = columns(&large);
    let before = labelled.exact();
    let new = labelled.label(&large).expect("labels");
    assert!(new > 0 && before > 0);
    assert_eq!(labelled.exact() as u64, before as u64 + new);
    assert!(labelled == expected);
    // Small tables take nothing away, and nothing is new the second time.
    assert_eq!(labelled.label(&small).expect("labels"), 0);
    assert_eq!(labelled.label(&large).expect("labels"), 0);
    assert!(labelled == expected);
    // Tables of other rules contradict.
    let english = tables_of_english(&dir.path().join("english"));
    let error = labelled.label(&english).expect_err("refused");
    assert!(matches!(error, LabelError::Contradiction { .. }), "{error}");
    assert!(labelled == expected);
}

fn tables_of_english(dir: &Path) -> Arc<Tablebase<u32>> {
    Arc::new(tables(ENGLISH, dir, Metric::Wld, 3))
}

#[test]
fn damaged_files_are_errors() {
    let dir = tempfile::tempdir().expect("a directory");
    let rows = exported(None, dir.path());
    for form in [Form::Parquet, Form::Npz] {
        let out = dir.path().join(form.name());
        let files = written(&rows, &out, form, 1 << 20);
        let path = out.join(&files[0].name);
        let bytes = fs::read(&path).expect("a file");
        form.read(&path, 32).expect("intact");
        assert!(form.read(&path, 50).is_err(), "another board");
        assert!(form.read(&out.join("none"), 32).is_err());
        for length in [0, 4, bytes.len() / 2, bytes.len() - 1] {
            fs::write(&path, &bytes[..length]).expect("written");
            assert!(form.read(&path, 32).is_err(), "{form:?} {length}");
        }
    }
}

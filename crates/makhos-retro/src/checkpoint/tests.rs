use std::fs;

use makhos_index::{PlacementIndex, stored_sides};
use makhos_rules::variant;

use super::*;
use crate::engine::Packed;

/// A class with more positions than are handled at a time.
const LARGE: &str = "2k-2k";
const SMALL: &str = "1k-1m";

const STATE: State = State {
    levels_left: 3,
    solved: 1000,
    captures: [7, 8],
};

fn material(class: &str) -> Material {
    class.parse().expect("a class")
}

fn positions(class: &str) -> u64 {
    let index = PlacementIndex::<u64>::new(material(class));
    index.expect("small").len()
}

fn place<'a>(path: &'a Path, rules: &'a RuleSet, class: &str) -> Place<'a> {
    Place {
        path,
        rules,
        material: material(class),
        positions: positions(class),
    }
}

/// Planes of a class: draws, or any outcomes.
fn planes(class: &str, filled: bool) -> Vec<ClassPlanes> {
    let len = positions(class);
    let sides = stored_sides(material(class)).iter();
    let planes = sides.zip(1_u64..).map(|(_, seed)| {
        let planes = ClassPlanes::new(len);
        let mut packed = Packed::default();
        for number in 0..if filled { len } else { 0 } {
            let outcome = (number + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
            packed.push((outcome % 3 == 1).into(), (outcome % 3 == 2).into(), 1);
        }
        planes.put(0, &packed);
        // What a level solved again does.
        planes.put(0, &packed);
        planes
    });
    planes.collect()
}

fn all(planes: &[ClassPlanes]) -> Vec<&ClassPlanes> {
    planes.iter().collect()
}

fn words(planes: Vec<ClassPlanes>) -> Vec<(Vec<u64>, Vec<u64>)> {
    planes.into_iter().map(ClassPlanes::into_words).collect()
}

#[test]
fn what_is_written_is_read() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("checkpoint");
    for class in [SMALL, LARGE] {
        let rules = &variant::RUSSIAN;
        let place = place(&path, rules, class);
        let written = planes(class, true);
        file::write(&place, &STATE, &all(&written)).expect("written");
        let found = planes(class, false);
        let state = take_up(&place, &all(&found)).expect("a checkpoint");
        assert_eq!(state, Some(STATE));
        assert!(words(found) == words(written), "{class}");
        assert_eq!(fs::read_dir(dir.path()).expect("a directory").count(), 1);
    }
    fs::remove_file(&path).expect("removed");
    let place = place(&path, &variant::RUSSIAN, SMALL);
    assert!(matches!(
        take_up(&place, &all(&planes(SMALL, false))),
        Ok(None)
    ));
}

#[test]
fn others_are_not_taken_up() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("checkpoint");
    let rules = variant::RUSSIAN;
    let written = planes(SMALL, true);
    file::write(&place(&path, &rules, SMALL), &STATE, &all(&written)).expect("written");
    let refused = |rules: &RuleSet, class: &str| {
        take_up(&place(&path, rules, class), &all(&planes(class, false))).expect_err(class)
    };
    let other = CheckpointError::OtherClass.to_string();
    assert_eq!(refused(&variant::ENGLISH, SMALL).to_string(), other);
    assert_eq!(refused(&rules, "1m-1m").to_string(), other);
    assert_eq!(refused(&rules, "1k-1k").to_string(), other);
    let same = variant::RUSSIAN
        .with_option("first=black")
        .expect("an option");
    let taken = take_up(&place(&path, &same, SMALL), &all(&planes(SMALL, false)));
    assert_eq!(taken.expect("the same rules"), Some(STATE));
}

#[test]
fn no_damage_goes_unnoticed() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("checkpoint");
    let rules = variant::ENGLISH;
    let place = place(&path, &rules, SMALL);
    file::write(&place, &STATE, &all(&planes(SMALL, true))).expect("written");
    let whole = fs::read(&path).expect("readable");
    let refused = |bytes: &[u8], what: usize| {
        fs::write(&path, bytes).expect("written");
        take_up(&place, &all(&planes(SMALL, false))).expect_err(&what.to_string())
    };
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        refused(&bytes, at);
        let error = refused(&whole[..at], at);
        assert!(matches!(error, CheckpointError::Damaged), "{at}: {error}");
    }
    let longer = [&whole[..], &[0]].concat();
    assert!(matches!(refused(&longer, 0), CheckpointError::Damaged));
    let error = refused(
        b"not a checkpoint, but about as long as a header of one, or a little longer than that",
        0,
    );
    assert!(matches!(error, CheckpointError::NotACheckpoint), "{error}");
}

#[test]
fn names_stand_beside_those_of_tables() {
    let path = path(Path::new("tables"), &variant::THAI, material("2m1k-1k"));
    assert_eq!(path, Path::new("tables/thai/.2m1k-1k.wld.checkpoint"));
    assert_eq!(table_of(".2m1k-1k.wld.checkpoint"), Some("2m1k-1k.wld"));
    for other in [
        "2m1k-1k.wld",
        ".2m1k-1k.wld",
        ".2m1k.wld.checkpoint",
        "2k-1k.wld.checkpoint",
    ] {
        assert_eq!(table_of(other), None, "{other}");
    }
}

//! The figures of solved classes in `data/golden_outcomes.tsv`, and the same of tables.
//!
//! A line is one class with one side to move: variant, class, side, positions, wins, draws, losses,
//! positions with a capture, and a digest of all outcomes.

use makhos_probe::{Table, TableError, Wld, variant_directory};
use makhos_rules::{Color, RuleSet};
use sha2::{Digest, Sha256};

const GOLDEN: &str = include_str!("../../data/golden_outcomes.tsv");

/// What a line begins with, each followed by a tab.
#[must_use]
pub fn key(rules: &RuleSet, class: &str, side: Color) -> String {
    let side = if side.is_white() { 'W' } else { 'B' };
    format!("{}\t{class}\t{side}\t", variant_directory(rules))
}

/// The lines of `golden_outcomes.tsv` in their order, without its head.
pub fn golden_lines() -> impl Iterator<Item = &'static str> {
    let lines = GOLDEN.lines().filter(|line| !line.starts_with('#'));
    lines.skip(1)
}

/// The line of a table's class with this side, which must be stored, to move.
///
/// # Errors
/// [`TableError`] if the table is damaged.
///
/// # Panics
/// If the side is not stored.
pub fn line(rules: &RuleSet, table: &Table, side: Color) -> Result<String, TableError> {
    let figures = table.statistics(side).expect("a stored side");
    let key = key(rules, &table.material().to_string(), side);
    Ok(format!(
        "{key}{}\t{}\t{}\t{}\t{}\t{}",
        figures.positions,
        figures.wins,
        figures.draws,
        figures.losses,
        figures.captures,
        digest(table, side)?
    ))
}

/// The first 16 hexadecimal digits of the SHA-256 of all outcomes in the order of their numbers, a
/// letter for each: W, D or L as the side to move wins, draws or loses.
fn digest(table: &Table, side: Color) -> Result<String, TableError> {
    let mut hash = Sha256::new();
    let mut letters = Vec::with_capacity(1 << 16);
    table.for_each_value(side, |value| {
        letters.push(match value.wld() {
            Wld::Win => b'W',
            Wld::Draw => b'D',
            Wld::Loss => b'L',
        });
        if letters.len() == letters.capacity() {
            hash.update(&letters);
            letters.clear();
        }
    })?;
    hash.update(&letters);
    let digest = hash.finalize();
    Ok(digest[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

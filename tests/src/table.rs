//! The conformance tables of `data/`, row by row.
//!
//! A malformed table is a mistake in this repository, so reading one panics with the file and line.

use makhos_rules::{RuleSet, variant};

const PERFT: &str = include_str!("../../data/perft.tsv");
const MOVES: &str = include_str!("../../data/moves.tsv");

/// Variants of the tables whose rules are not built yet; their rows are left out.
const NOT_BUILT: [&str; 4] = ["frisian", "breakthrough", "losing", "turkish"];

/// A row of `perft.tsv`.
#[derive(Clone, Copy, Debug)]
pub struct PerftRow {
    /// Line number in the file.
    pub line: usize,
    /// The rules of the variant.
    pub rules: RuleSet,
    /// The variant's name in the table.
    pub variant: &'static str,
    /// The position; the start array with White to move if there is none.
    pub fen: Option<&'static str>,
    /// Plies.
    pub depth: u32,
    /// The number of move sequences of that length.
    pub leaves: u64,
    /// Whether every route of a capture counts ("keep"), or captures with the same ends and captured
    /// pieces once ("drop").
    pub keep: bool,
}

/// A row of `moves.tsv`.
#[derive(Clone, Debug)]
pub struct MovesRow {
    /// Line number in the file.
    pub line: usize,
    /// The rules of the variant.
    pub rules: RuleSet,
    /// The position.
    pub fen: &'static str,
    /// The legal moves in Hub form, sorted as texts.
    pub moves: Vec<&'static str>,
    /// What the position shows.
    pub tag: &'static str,
}

/// The rows of `perft.tsv` of the variants that are built, in the order of the file.
///
/// # Panics
/// If a row is malformed or its variant is neither built nor listed as not built.
#[must_use]
pub fn perft_rows() -> Vec<PerftRow> {
    let names = [
        "variant",
        "fen_or_startpos",
        "depth",
        "leaf_nodes",
        "source",
        "counting_convention",
    ];
    rows("perft.tsv", PERFT, &names)
        .into_iter()
        .filter_map(|row| {
            Some(PerftRow {
                line: row.line,
                rules: row.rules()?,
                variant: row.fields[0],
                fen: Some(row.fields[1]).filter(|text| *text != "startpos"),
                depth: row.number(2) as u32,
                leaves: row.number(3),
                keep: match row.fields[5] {
                    "keep" => true,
                    "drop" => false,
                    other => panic!("{}: no counting convention \"{other}\"", row.place()),
                },
            })
        })
        .collect()
}

/// The rows of `moves.tsv` of the variants that are built, in the order of the file.
///
/// # Panics
/// As [`perft_rows`].
#[must_use]
pub fn moves_rows() -> Vec<MovesRow> {
    rows("moves.tsv", MOVES, &["variant", "fen", "moves", "tag"])
        .into_iter()
        .filter_map(|row| {
            Some(MovesRow {
                line: row.line,
                rules: row.rules()?,
                fen: row.fields[1],
                moves: row.fields[2].split_whitespace().collect(),
                tag: row.fields[3],
            })
        })
        .collect()
}

/// A row of either table.
struct Row {
    file: &'static str,
    line: usize,
    fields: Vec<&'static str>,
}

impl Row {
    fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    fn number(&self, column: usize) -> u64 {
        let text = self.fields[column];
        text.parse()
            .unwrap_or_else(|_| panic!("{}: \"{text}\" is not a number", self.place()))
    }

    /// The rules of the variant in the first column; none if it is not built yet.
    fn rules(&self) -> Option<RuleSet> {
        let (name, removal_at_end) = match self.fields[0].strip_suffix("/end") {
            Some(name) => (name, true),
            None => (self.fields[0], false),
        };
        if NOT_BUILT.contains(&name) {
            return None;
        }
        let name = match name {
            "thai-8" => "thai",
            "thai-12" => "thai12",
            other => other,
        };
        let rules = *variant::by_name(name).unwrap_or_else(|why| panic!("{}: {why}", self.place()));
        Some(if removal_at_end {
            rules
                .with_option("removal=end")
                .unwrap_or_else(|why| panic!("{}: {why}", self.place()))
        } else {
            rules
        })
    }
}

/// The rows under the heading line, which must begin with `names`. Lines with `#` are comments.
fn rows(file: &'static str, text: &'static str, names: &[&str]) -> Vec<Row> {
    let mut lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.starts_with('#'))
        .map(|(number, line)| Row {
            file,
            line: number + 1,
            fields: line.split('\t').collect(),
        });
    let heading = lines.next().map(|row| row.fields).unwrap_or_default();
    assert!(heading.starts_with(names), "{file}: columns {heading:?}");
    let rows: Vec<Row> = lines.collect();
    for row in &rows {
        assert_eq!(row.fields.len(), heading.len(), "{}: fields", row.place());
    }
    rows
}

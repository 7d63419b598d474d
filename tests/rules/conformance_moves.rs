//! Complete lists of legal moves, and FEN both ways, against `data/moves.tsv` and `data/perft.tsv`.

use std::collections::BTreeSet;

use makhos_rules::notation::{fen, hub};
use makhos_rules::rules::BoardSize;
use makhos_rules::{Board, Position, RuleSet};
use makhos_tests::table::{MovesRow, moves_rows, perft_rows};

#[test]
fn every_row_has_exactly_these_moves() {
    let rows = moves_rows();
    assert!(rows.len() >= 135, "only {} rows", rows.len());
    let failures: Vec<String> = rows
        .iter()
        .filter_map(|row| match row.rules.board {
            BoardSize::Eight => difference::<u32>(row),
            BoardSize::Ten => difference::<u64>(row),
            BoardSize::Twelve => difference::<u128>(row),
        })
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

fn difference<B: Board>(row: &MovesRow) -> Option<String> {
    let position: Position<B> = match fen::parse(&row.rules, row.fen) {
        Ok(position) => position,
        Err(why) => return Some(format!("moves.tsv:{} {}: {why}", row.line, row.fen)),
    };
    let mut got: Vec<String> = row
        .rules
        .legal_moves(&position)
        .iter()
        .map(|mv| hub::write_move(&row.rules, mv))
        .collect();
    got.sort();
    if got == row.moves {
        return None;
    }
    Some(format!(
        "moves.tsv:{} {} {} ({})\n  expected {}\n  got      {}",
        row.line,
        row.rules.name,
        row.fen,
        row.tag,
        row.moves.join(" "),
        got.join(" "),
    ))
}

#[test]
fn every_move_text_is_read_as_the_move_it_was_written_from() {
    for row in moves_rows() {
        match row.rules.board {
            BoardSize::Eight => moves_both_ways::<u32>(&row),
            BoardSize::Ten => moves_both_ways::<u64>(&row),
            BoardSize::Twelve => moves_both_ways::<u128>(&row),
        }
    }
}

fn moves_both_ways<B: Board>(row: &MovesRow) {
    let position: Position<B> = fen::parse(&row.rules, row.fen).expect("checked above");
    let legal: BTreeSet<_> = rules_moves(&row.rules, &position);
    let read: BTreeSet<_> = row
        .moves
        .iter()
        .map(|text| {
            hub::parse_move(&row.rules, &position, text)
                .unwrap_or_else(|why| panic!("moves.tsv:{} {text}: {why}", row.line))
        })
        .collect();
    assert_eq!(read, legal, "moves.tsv:{} {}", row.line, row.fen);
}

fn rules_moves<B: Board>(
    rules: &RuleSet,
    position: &Position<B>,
) -> BTreeSet<makhos_rules::Move<B>> {
    rules.legal_moves(position).into_iter().collect()
}

#[test]
fn every_fen_survives_writing_and_reading() {
    let moves = moves_rows().into_iter().map(|row| (row.rules, row.fen));
    let perft = perft_rows()
        .into_iter()
        .filter_map(|row| Some((row.rules, row.fen?)));
    let fens: BTreeSet<(&str, &str)> = moves
        .chain(perft)
        .map(|(rules, fen)| {
            match rules.board {
                BoardSize::Eight => fen_both_ways::<u32>(&rules, fen),
                BoardSize::Ten => fen_both_ways::<u64>(&rules, fen),
                BoardSize::Twelve => fen_both_ways::<u128>(&rules, fen),
            }
            (rules.name, fen)
        })
        .collect();
    assert!(fens.len() >= 150, "only {} FENs", fens.len());
}

fn fen_both_ways<B: Board>(rules: &RuleSet, text: &str) {
    let read = |text: &str| -> Position<B> {
        fen::parse(rules, text).unwrap_or_else(|why| panic!("{} {text}: {why}", rules.name))
    };
    let position = read(text);
    let written = fen::write(rules, &position);
    assert_eq!(read(&written), position, "{text} was written as {written}");
    // The writer has one text for a position, with the pieces the table names.
    assert_eq!(fen::write(rules, &read(&written)), written);
    assert_eq!(pieces(&written), pieces(text), "{text} became {written}");
}

/// The side to move and the squares of each colour, in no order, straight from the text.
fn pieces(text: &str) -> (&str, BTreeSet<(char, &str)>) {
    let mut fields = text.split(':');
    let side = fields.next().unwrap_or_default();
    let squares = fields.flat_map(|field| {
        let color = field.chars().next().unwrap_or(' ');
        let list = field.get(1..).unwrap_or_default();
        list.split(',').map(move |square| (color, square))
    });
    (side, squares.collect())
}

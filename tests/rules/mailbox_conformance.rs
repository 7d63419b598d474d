//! The judge is judged: the mailbox generator against the published tables.

use makhos_rules::notation::fen;
use makhos_rules::rules::BoardSize;
use makhos_rules::{Board, Color, Position};
use makhos_tests::mailbox::{Grid, PlainMove, legal, perft_drop, perft_keep};
use makhos_tests::table::{MovesRow, PerftRow, moves_rows, perft_rows};
use rayon::prelude::*;

/// The mailbox generator counts about a million leaves a second.
const QUICK: u64 = 100_000;

#[test]
fn perft_of_the_mailbox_generator() {
    let mut rows = perft_rows();
    rows.retain(|row| row.leaves <= QUICK);
    rows.sort_by_key(|row| std::cmp::Reverse(row.leaves));
    let failures: Vec<String> = rows
        .par_iter()
        .filter_map(|row| {
            let got = match row.rules.board {
                BoardSize::Eight => leaves::<u32>(row),
                BoardSize::Ten => leaves::<u64>(row),
                BoardSize::Twelve => leaves::<u128>(row),
            };
            (got != row.leaves).then(|| format!("{row:?} got {got}"))
        })
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

fn leaves<B: Board>(row: &PerftRow) -> u64 {
    let position: Position<B> = match row.fen {
        None => Position::start(&row.rules).with_side(Color::White),
        Some(text) => fen::parse(&row.rules, text).expect("the FENs of the table are good"),
    };
    let perft = if row.keep { perft_keep } else { perft_drop };
    perft(&row.rules, &Grid::of(&position), position.side(), row.depth)
}

#[test]
fn move_lists_of_the_mailbox_generator() {
    for row in moves_rows() {
        let got = match row.rules.board {
            BoardSize::Eight => moves::<u32>(&row),
            BoardSize::Ten => moves::<u64>(&row),
            BoardSize::Twelve => moves::<u128>(&row),
        };
        assert_eq!(got, row.moves, "{row:?}");
    }
}

fn moves<B: Board>(row: &MovesRow) -> Vec<String> {
    let position: Position<B> =
        fen::parse(&row.rules, row.fen).expect("the FENs of the table are good");
    let mut moves: Vec<String> = legal(&row.rules, &Grid::of(&position), position.side())
        .moves
        .iter()
        .map(|mv| hub_text::<B>(mv, row.rules.mirrored))
        .collect();
    moves.sort();
    moves
}

/// The move in Hub form, with the numbering of the table: row by row from the top left.
fn hub_text<B: Board>(mv: &PlainMove, mirrored: bool) -> String {
    let per_row = B::PER_ROW as usize;
    let number = |square: usize| {
        let (row, place) = (square / per_row, square % per_row);
        1 + row * per_row + if mirrored { per_row - 1 - place } else { place }
    };
    let sign = if mv.captured.is_empty() { '-' } else { 'x' };
    let mut captured: Vec<usize> = mv.captured.iter().map(|square| number(*square)).collect();
    captured.sort_unstable();
    let mut text = format!("{}{sign}{}", number(mv.from), number(mv.to));
    for square in captured {
        text.push_str(&format!("x{square}"));
    }
    text
}

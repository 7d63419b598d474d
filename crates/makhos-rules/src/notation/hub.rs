//! Moves as the Hub protocol of draughts engines writes them.
//!
//! `18-14` moves without capturing. `29x1x10x22` moves from 29 to 1 and captures the pieces on 10 and
//! 22: first the two ends, then the captured squares, ascending. A route is not given; two captures
//! with the same ends and the same captured pieces are the same move. Squares are numbers of
//! [`Naming::Board`].

use super::{
    LetterCase, MoveError, MoveList, Naming, board_number, check_board, read_square,
    text::{Cursor, shorten},
};
use crate::board::{Board, Square};
use crate::moves::Move;
use crate::position::Position;
use crate::rules::RuleSet;

/// A move as a text. `mv` belongs to the board of `rules`; otherwise the text is meaningless.
#[must_use]
pub fn write_move<B: Board>(rules: &RuleSet, mv: &Move<B>) -> String {
    let number = |square| board_number(rules, square);
    let separator = if mv.is_capture() { 'x' } else { '-' };
    let mut text = format!("{}{separator}{}", number(mv.from), number(mv.to));
    let mut captured: Vec<u32> = mv
        .captured
        .squares()
        .map(|index| number(Square::new(index as u8)))
        .collect();
    captured.sort_unstable();
    for number in captured {
        text.push_str(&format!("x{number}"));
    }
    text
}

/// The legal move of `position` that `text` denotes.
///
/// The captured squares may come in any order, and may be left out altogether (`29x1`) where only one
/// legal capture has these ends.
///
/// # Errors
/// [`MoveError`]: the text is not a move, or not a legal one, or more than one.
pub fn parse_move<B: Board>(
    rules: &RuleSet,
    position: &Position<B>,
    text: &str,
) -> Result<Move<B>, MoveError> {
    check_board::<B>(rules)?;
    let text = text.trim();
    let written = read(rules, text)?;
    let legal = rules.legal_moves(position);
    let matching: Vec<Move<B>> = legal
        .iter()
        .filter(|mv| written.denotes(mv))
        .copied()
        .collect();
    let write = |mv: &Move<B>| write_move(rules, mv);
    match matching[..] {
        [mv] => Ok(mv),
        [] => Err(MoveError::Illegal {
            text: shorten(text),
            legal: MoveList::new(&legal, write),
        }),
        _ => Err(MoveError::Ambiguous {
            text: shorten(text),
            matching: MoveList::new(&matching, write),
        }),
    }
}

/// A move as written, not yet found among the legal ones.
struct Written {
    from: Square,
    to: Square,
    /// None for a quiet move; may be empty for a capture written by its ends.
    captured: Option<Vec<Square>>,
}

impl Written {
    fn denotes<B: Board>(&self, mv: &Move<B>) -> bool {
        let same_pieces = match &self.captured {
            None => !mv.is_capture(),
            Some(captured) if captured.is_empty() => mv.is_capture(),
            Some(captured) => {
                captured.len() == mv.captured.len() as usize && same_set(captured, mv.captured)
            }
        };
        same_pieces && self.from == mv.from && self.to == mv.to
    }
}

/// Whether these squares, as a set, are `set`.
pub(super) fn same_set<B: Board>(squares: &[Square], set: B) -> bool {
    let mut listed = B::EMPTY;
    for square in squares {
        listed |= B::bit(square.index());
    }
    listed == set
}

fn read(rules: &RuleSet, text: &str) -> Result<Written, MoveError> {
    let mut cursor = Cursor::new(text);
    let from = square(rules, text, &mut cursor)?;
    let captures = match cursor.take_if(|next| "-xX".contains(next)) {
        Some('-') => false,
        Some(_) => true,
        None => return Err(unexpected(text, &cursor, "'-' or 'x'")),
    };
    let to = square(rules, text, &mut cursor)?;
    let mut captured = captures.then(Vec::new);
    while let Some(squares) = &mut captured
        && cursor.take_if(|next| "xX".contains(next)).is_some()
    {
        squares.push(square(rules, text, &mut cursor)?);
    }
    if cursor.peek().is_some() {
        let expected = if captures {
            "'x' or the end"
        } else {
            "the end"
        };
        return Err(unexpected(text, &cursor, expected));
    }
    Ok(Written { from, to, captured })
}

fn square(rules: &RuleSet, text: &str, cursor: &mut Cursor<'_>) -> Result<Square, MoveError> {
    let at = cursor.at();
    read_square(rules, Naming::Board, cursor, LetterCase::Small)
        .map(|written| written.square)
        .map_err(|source| MoveError::Square {
            text: shorten(text),
            at,
            source,
        })
}

fn unexpected(text: &str, cursor: &Cursor<'_>, expected: &'static str) -> MoveError {
    MoveError::Unexpected {
        text: shorten(text),
        found: cursor.found(),
        at: cursor.at(),
        expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::variant::{INTERNATIONAL, ITALIAN, RUSSIAN};

    fn read_and_write(rules: &RuleSet, fen: &str, text: &str) -> Result<String, String> {
        let position = fen::parse::<u32>(rules, fen).expect("a FEN");
        parse_move(rules, &position, text)
            .map(|mv| write_move(rules, &mv))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn accepted_forms() {
        let russian = |text| read_and_write(&RUSSIAN, "W:WK29:B22,10", text);
        assert_eq!(russian("29x1x10x22"), Ok("29x1x10x22".to_owned()));
        assert_eq!(russian(" 29X1x22x10 "), Ok("29x1x10x22".to_owned()));
        assert_eq!(russian("29x6"), Ok("29x6x10x22".to_owned()));
        assert_eq!(russian("a1xb8xc3xd6"), Ok("29x1x10x22".to_owned()));
        let quiet = read_and_write(&RUSSIAN, "B:WK29:B10", "10-15");
        assert_eq!(quiet, Ok("10-15".to_owned()));
    }

    #[test]
    fn captured_squares_of_a_mirrored_board_ascend_by_their_number() {
        let text = read_and_write(&ITALIAN, "W:WK30:B10,K12,K18,20,K26,K27", "30x5x26x18x10");
        assert_eq!(text, Ok("30x5x10x18x26".to_owned()));
    }

    #[test]
    fn refused_texts_say_why() {
        for (text, error) in [
            (
                "29x5",
                "\"29x5\" is not a legal move here; the legal moves: ",
            ),
            (
                "29-1",
                "\"29-1\" is not a legal move here; the legal moves: ",
            ),
            (
                "29x1x10",
                "\"29x1x10\" is not a legal move here; the legal moves: ",
            ),
            (
                "29x1x10x22x22",
                "\"29x1x10x22x22\" is not a legal move here; ",
            ),
            (
                "",
                "in the move \"\", at byte 0: expected a square such as 32, found the end of the text",
            ),
            (
                "29",
                "in the move \"29\", unexpected the end of the text at byte 2: expected '-' or 'x'",
            ),
            (
                "29x33",
                "in the move \"29x33\", at byte 3: there is no square 33 on this board",
            ),
            (
                "29-25-21",
                "in the move \"29-25-21\", unexpected '-' at byte 5: expected the end",
            ),
            (
                "29x1é",
                "in the move \"29x1é\", unexpected 'é' at byte 4: expected 'x' or the end",
            ),
        ] {
            let refused = read_and_write(&RUSSIAN, "W:WK29:B22,10", text).expect_err(text);
            assert!(refused.starts_with(error), "{refused}");
        }
    }

    #[test]
    fn ambiguity_is_refused_with_the_moves_it_can_be() {
        // Two ways from 47 to 36 with four captured pieces each.
        let position = fen::parse::<u64>(&INTERNATIONAL, "W:WK47:B14,19,27,29,42").expect("a FEN");
        let error = parse_move(&INTERNATIONAL, &position, "47x36").expect_err("two moves");
        assert_eq!(
            error.to_string(),
            "\"47x36\" can be any of several moves here; write the one meant in full: \
             47x36x14x27x29x42, 47x36x19x27x29x42"
        );
    }
}

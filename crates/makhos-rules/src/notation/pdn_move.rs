//! Moves as PDN writes them, in the variant's own names of squares.
//!
//! A move is written by its two ends: `18-14`, `29x10`, `d4:f2`. If another legal capture has the same
//! ends but takes other pieces, the whole path is written: the start, every square on which the piece
//! turns or lands right behind a captured piece, and the end (`47x38x24x13x36`). Between two
//! neighbouring squares of a path exactly one piece is captured, so that in a given position a path
//! says which pieces they are: no two moves share one. Of several paths of a move the shortest is
//! written, then the one whose squares come first on the board.
//!
//! The reader takes `-`, `x` and `:` for a capture and only `-` for a quiet move; in names by letters
//! the separator may be missing (`a3b4`). It tries in turn, and the first rule that fits any legal move
//! decides:
//!
//! 1. the two ends, if one legal move has them;
//! 2. the exact path of a capture;
//! 3. the path with squares left out;
//! 4. every square on which the piece turns, and any empty squares that it crosses, in their order;
//! 5. the two ends followed by the captured squares, as in [`super::hub`].
//!
//! If that rule fits several moves, the text is ambiguous and refused.

use super::{
    LetterCase, MoveError, MoveList, Naming, check_board,
    hub::same_set,
    read_square, square_name,
    text::{Cursor, shorten},
};
use crate::board::{Board, Direction, Square};
use crate::moves::{Move, Route};
use crate::position::Position;
use crate::rules::RuleSet;

/// A legal move of `position` as a text.
///
/// A move that is not legal there is written by its ends.
#[must_use]
pub fn write_move<B: Board>(rules: &RuleSet, position: &Position<B>, mv: &Move<B>) -> String {
    let mut ends = [mv.from, mv.to].to_vec();
    if mv.is_capture() && shares_ends(mv, &rules.legal_moves(position)) {
        ends = full_path(rules, position, mv).unwrap_or(ends);
    }
    let separator = if mv.is_capture() {
        rules.notation.capture
    } else {
        '-'
    };
    join(rules, &ends, separator)
}

fn join(rules: &RuleSet, squares: &[Square], separator: char) -> String {
    let mut text = String::new();
    for (count, &square) in squares.iter().enumerate() {
        if count > 0 {
            text.push(separator);
        }
        text.push_str(&square_name(rules, Naming::Pdn, square));
    }
    text
}

fn shares_ends<B: Board>(mv: &Move<B>, legal: &[Move<B>]) -> bool {
    legal
        .iter()
        .any(|other| other != mv && (other.from, other.to) == (mv.from, mv.to))
}

fn full_path<B: Board>(
    rules: &RuleSet,
    position: &Position<B>,
    mv: &Move<B>,
) -> Option<Vec<Square>> {
    rules
        .legal_routes(position)
        .into_iter()
        .filter(|route| route.mv == *mv)
        .map(|route| route.path)
        .min_by(|one, other| one.len().cmp(&other.len()).then_with(|| one.cmp(other)))
}

/// The legal move of `position` that `text` denotes.
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
    let matching = written.find(rules, position, &legal);
    let write = |mv: &Move<B>| write_move(rules, position, mv);
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
    /// Two squares or more.
    squares: Vec<Square>,
    /// Whether a separator says that it captures; otherwise it may or may not.
    captures: bool,
}

impl Written {
    /// The legal moves that the text denotes by the first rule that fits any.
    fn find<B: Board>(
        &self,
        rules: &RuleSet,
        position: &Position<B>,
        legal: &[Move<B>],
    ) -> Vec<Move<B>> {
        let by_ends: Vec<Move<B>> = legal
            .iter()
            .filter(|mv| self.has_ends_of(mv) && (mv.is_capture() || !self.captures))
            .copied()
            .collect();
        if self.squares.len() == 2 && by_ends.len() <= 1 {
            return by_ends;
        }
        let routes: Vec<Route<B>> = rules
            .legal_routes(position)
            .into_iter()
            .filter(|route| route.mv.is_capture())
            .collect();
        let fits: [fn(&Self, &Route<B>) -> bool; 4] = [
            |written, route| written.squares == route.path,
            |written, route| {
                written.has_ends_of(&route.mv) && is_part_of(&written.squares, &route.path)
            },
            |written, route| written.has_ends_of(&route.mv) && written.follows(route),
            |written, route| written.lists_captured(&route.mv),
        ];
        for fit in fits {
            let mut matching: Vec<Move<B>> = routes
                .iter()
                .filter(|route| fit(self, route))
                .map(|route| route.mv)
                .collect();
            if !matching.is_empty() {
                matching.sort_unstable();
                matching.dedup();
                return matching;
            }
        }
        Vec::new()
    }

    fn has_ends_of<B: Board>(&self, mv: &Move<B>) -> bool {
        self.squares.first() == Some(&mv.from) && self.squares.last() == Some(&mv.to)
    }

    /// Whether the squares are the turns of the route and others that it crosses.
    fn follows<B: Board>(&self, route: &Route<B>) -> bool {
        is_part_of(&turns::<B>(&route.path), &self.squares)
            && is_part_of(&self.squares, &crossed(route))
    }

    /// Whether the text is the move in Hub form.
    fn lists_captured<B: Board>(&self, mv: &Move<B>) -> bool {
        let [from, to, captured @ ..] = &self.squares[..] else {
            return false;
        };
        (from, to) == (&mv.from, &mv.to)
            && captured.len() == mv.captured.len() as usize
            && same_set(captured, mv.captured)
    }
}

/// Whether all of `squares` occur in `path` in the same order.
fn is_part_of(squares: &[Square], path: &[Square]) -> bool {
    let mut rest = path.iter();
    squares
        .iter()
        .all(|square| rest.any(|other| other == square))
}

/// The direction of a straight step of a path.
fn direction<B: Board>(from: Square, to: Square) -> Option<Direction> {
    let rays = &B::geometry().ray[from.index()];
    Direction::ALL
        .into_iter()
        .find(|&direction| rays[direction as usize].contains(to.index()))
}

/// The squares of a path on which its direction changes.
fn turns<B: Board>(path: &[Square]) -> Vec<Square> {
    path.windows(3)
        .filter(|three| direction::<B>(three[0], three[1]) != direction::<B>(three[1], three[2]))
        .map(|three| three[1])
        .collect()
}

/// The path with every square in between that is not a captured piece's.
fn crossed<B: Board>(route: &Route<B>) -> Vec<Square> {
    let mut squares = Vec::new();
    for pair in route.path.windows(2) {
        squares.push(pair[0]);
        squares.extend(between::<B>(pair[0], pair[1], route.mv.captured));
    }
    squares.extend(route.path.last());
    squares
}

/// The squares between two squares of one diagonal, from the first to the second, without `skip`.
fn between<B: Board>(from: Square, to: Square, skip: B) -> Vec<Square> {
    let Some(direction) = direction::<B>(from, to) else {
        return Vec::new();
    };
    let rays = &B::geometry().ray;
    let ahead = rays[from.index()][direction as usize];
    let back = rays[to.index()][direction.opposite() as usize];
    let mut squares: Vec<Square> = (ahead & back & !skip)
        .squares()
        .map(|index| Square::new(index as u8))
        .collect();
    if direction.is_up() {
        squares.reverse();
    }
    squares
}

fn read(rules: &RuleSet, text: &str) -> Result<Written, MoveError> {
    let mut cursor = Cursor::new(text);
    let mut written = Written {
        squares: Vec::new(),
        captures: false,
    };
    loop {
        let at = cursor.at();
        let square = read_square(rules, Naming::Pdn, &mut cursor, LetterCase::Any);
        let square = square.map_err(|source| MoveError::Square {
            text: shorten(text),
            at,
            source,
        })?;
        written.squares.push(square.square);
        match cursor.take_if(|next| "-xX:".contains(next)) {
            Some('-') => {}
            Some(_) => written.captures = true,
            None if cursor.peek().is_none() && written.squares.len() > 1 => return Ok(written),
            None if square.number.is_none()
                && cursor.peek().is_some_and(|next| next.is_ascii_alphabetic()) => {}
            None => {
                return Err(MoveError::Unexpected {
                    text: shorten(text),
                    found: cursor.found(),
                    at: cursor.at(),
                    expected: "'-', 'x' or ':' and another square",
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{fen, hub};
    use crate::variant::{INTERNATIONAL, RUSSIAN, SPANISH, THAI};

    /// Reads a move and gives its Hub form, or the error.
    fn hub_of<B: Board>(rules: &RuleSet, fen: &str, text: &str) -> Result<String, String> {
        let position = fen::parse::<B>(rules, fen).expect("a FEN");
        parse_move(rules, &position, text)
            .map(|mv| hub::write_move(rules, &mv))
            .map_err(|error| error.to_string())
    }

    fn written<B: Board>(rules: &RuleSet, fen: &str) -> Vec<String> {
        let position = fen::parse::<B>(rules, fen).expect("a FEN");
        let mut texts: Vec<String> = rules
            .legal_moves(&position)
            .iter()
            .map(|mv| write_move(rules, &position, mv))
            .collect();
        texts.sort_unstable();
        texts
    }

    #[test]
    fn the_names_and_the_capture_sign_of_the_variant() {
        assert_eq!(
            written::<u32>(&RUSSIAN, "W:WK29:B22,10"),
            ["a1:b8", "a1:c7"]
        );
        assert_eq!(written::<u32>(&RUSSIAN, "W:W29:B10"), ["a1-b2"]);
        // Board numbers 29 and 18 of Thai draughts are 4 and 15 in its own counting.
        assert_eq!(written::<u32>(&THAI, "W:WK29:B22,10"), ["4-15"]);
        let spanish = written::<u32>(&SPANISH, "W:W29:B1");
        assert_eq!(spanish, ["4-7", "4-8"]);
    }

    /// Two ways from 47 to 36, and as many to 31, four pieces each.
    const TWO_WAYS: &str = "W:WK47:B14,19,27,29,42";

    #[test]
    fn captures_with_the_same_ends_are_told_apart_by_their_paths() {
        assert_eq!(
            written::<u64>(&INTERNATIONAL, TWO_WAYS),
            [
                "47x38x20x9x31",
                "47x38x20x9x36",
                "47x38x24x13x31",
                "47x38x24x13x36"
            ]
        );
        let read = |text| hub_of::<u64>(&INTERNATIONAL, TWO_WAYS, text);
        let by_19 = Ok("47x36x19x27x29x42".to_owned());
        // The whole path, part of it, an empty square that is crossed, the captured pieces.
        for text in [
            "47x38x24x13x36",
            "47x24x36",
            "47x33x24x13x36",
            "47-36-19-27-29-42",
        ] {
            assert_eq!(read(text), by_19, "{text}");
        }
        assert_eq!(read("47x9x36"), Ok("47x36x14x27x29x42".to_owned()));
        for text in ["47x36", "47x38x36"] {
            assert_eq!(
                read(text),
                Err(format!(
                    "\"{text}\" can be any of several moves here; write the one meant in full: \
                     47x38x20x9x36, 47x38x24x13x36"
                ))
            );
        }
    }

    #[test]
    fn separators() {
        let read = |text| hub_of::<u32>(&RUSSIAN, "W:WK29:B22,10", text);
        for text in ["a1:b8", "a1xb8", "a1-b8", "a1b8", "A1XB8", "29x1", " 29-1 "] {
            assert_eq!(read(text), Ok("29x1x10x22".to_owned()), "{text}");
        }
        // A capture sign on a quiet move is a mistake.
        assert_eq!(
            hub_of::<u32>(&RUSSIAN, "W:W29:B10", "a1:b2"),
            Err("\"a1:b2\" is not a legal move here; the legal moves: a1-b2".to_owned())
        );
    }

    #[test]
    fn whole_and_partial_paths_and_crossed_squares() {
        let read = |text| hub_of::<u32>(&RUSSIAN, "W:WK29:B22,10", text);
        // The king takes c3, crosses d4 and turns on e5.
        for text in ["a1:e5:b8", "a1:d4:e5:b8", "a1:b2:e5:c7:b8", "a1:b8:d6:c3"] {
            assert_eq!(read(text), Ok("29x1x10x22".to_owned()), "{text}");
        }
    }

    #[test]
    fn refused_texts_say_why() {
        for (text, error) in [
            (
                "",
                "in the move \"\", at byte 0: expected a square such as g1, found the end of the text",
            ),
            (
                "a1",
                "in the move \"a1\", unexpected the end of the text at byte 2: expected '-', 'x' or ':' and another square",
            ),
            (
                "a1-",
                "in the move \"a1-\", at byte 3: expected a square such as g1, found the end of the text",
            ),
            (
                "a1-a2",
                "in the move \"a1-a2\", at byte 3: a2 is not a playing square on this board: check its column and its row",
            ),
            (
                "a1*b8",
                "in the move \"a1*b8\", unexpected '*' at byte 2: expected '-', 'x' or ':' and another square",
            ),
            (
                "a1-b2",
                "\"a1-b2\" is not a legal move here; the legal moves: a1:b8, a1:c7",
            ),
            (
                "a1:d4:b8",
                "\"a1:d4:b8\" is not a legal move here; the legal moves: a1:b8, a1:c7",
            ),
            (
                "a1:h8:b8",
                "\"a1:h8:b8\" is not a legal move here; the legal moves: a1:b8, a1:c7",
            ),
        ] {
            let refused = hub_of::<u32>(&RUSSIAN, "W:WK29:B22,10", text);
            assert_eq!(refused, Err(error.to_owned()), "{text}");
        }
        let lost = hub_of::<u32>(&RUSSIAN, "W:W:B10", "a1-b2");
        assert_eq!(
            lost,
            Err("\"a1-b2\" is not a legal move here; the legal moves: none, the side to move has lost its moves".to_owned())
        );
    }
}

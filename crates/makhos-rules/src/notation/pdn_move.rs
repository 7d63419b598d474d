//! Moves as PDN writes them, in the variant's own names of squares.
//!
//! A move is written by its two ends: `18-14`, `29x10`, `d4:f2`. If another legal capture has the same
//! ends but takes other pieces, the whole path is written: the start, every square on which the piece
//! turns or lands right behind a captured piece, and the end (`47x38x24x13x36`). A capture that ends
//! where it began is never written with `-`, which would make a result of `1-1`. Between two
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
//!
//! A king among many pieces can have more routes than could ever be listed. In a position with more
//! than [`MAX_ROUTES`] of them no paths are compared: what would be written as a whole path is written
//! by the two ends and the captured squares, and of the rules only the first and the last are tried.
//! Two ends alone, and captures whose ends no other legal capture has, do not need the routes.

use super::{
    LetterCase, MoveError, MoveList, Naming, check_board,
    hub::same_set,
    legal::Legal,
    read_square, square_name,
    text::{Cursor, shorten},
};
use crate::board::{Board, Direction, Square};
use crate::moves::{Move, Route};
use crate::position::Position;
use crate::rules::RuleSet;

/// Most routes of a position that are looked at to write or to read a move. Routes that turn out to
/// take too few pieces count as well.
///
/// Positions of games have a few dozen. The bound keeps hostile ones from taking for ever.
pub const MAX_ROUTES: usize = 10_000;

/// A legal move of `position` as a text.
///
/// A move that is not legal there is written by its ends. Of several moves of one position,
/// [`write_moves`] writes all at once.
#[must_use]
pub fn write_move<B: Board>(rules: &RuleSet, position: &Position<B>, mv: &Move<B>) -> String {
    write(&Legal::new(rules, position, MAX_ROUTES), mv)
}

/// The texts of these moves of `position`, in their order, each as [`write_move`] writes it.
#[must_use]
pub fn write_moves<B: Board>(
    rules: &RuleSet,
    position: &Position<B>,
    moves: &[Move<B>],
) -> Vec<String> {
    let legal = Legal::new(rules, position, MAX_ROUTES);
    moves.iter().map(|mv| write(&legal, mv)).collect()
}

fn write<B: Board>(legal: &Legal<'_, B>, mv: &Move<B>) -> String {
    let rules = legal.rules();
    let separator = match rules.notation.capture {
        _ if !mv.is_capture() => '-',
        // In a game `1-1` would be a draw.
        '-' if mv.from == mv.to => 'x',
        capture => capture,
    };
    join(rules, &written_squares(legal, mv), separator)
}

/// The squares by which a move is written.
fn written_squares<B: Board>(legal: &Legal<'_, B>, mv: &Move<B>) -> Vec<Square> {
    let mut ends = vec![mv.from, mv.to];
    let is_alone = legal.with_ends(mv.from, mv.to).len() < 2;
    // The path of a capture of one piece is its two ends.
    if is_alone || mv.captured.len() < 2 || !legal.contains(mv) {
        return ends;
    }
    if let Some(path) = legal.shortest_path(mv) {
        return path.to_vec();
    }
    ends.extend(squares_of(mv.captured));
    ends
}

fn squares_of<B: Board>(set: B) -> Vec<Square> {
    set.squares()
        .map(|index| Square::new(index as u8))
        .collect()
}

fn join(rules: &RuleSet, squares: &[Square], separator: char) -> String {
    let names: Vec<String> = squares
        .iter()
        .map(|&square| square_name(rules, Naming::Pdn, square))
        .collect();
    names.join(separator.encode_utf8(&mut [0; 4]))
}

/// The legal move of `position` that `text` denotes.
///
/// # Errors
/// [`MoveError`]: the text is not a move, or not a legal one, or more than one, or the position has too
/// many routes to tell.
pub fn parse_move<B: Board>(
    rules: &RuleSet,
    position: &Position<B>,
    text: &str,
) -> Result<Move<B>, MoveError> {
    check_board::<B>(rules)?;
    let text = text.trim();
    // Read first: what is not made like a move needs no list of moves.
    let written = read(rules, text)?;
    only_move(&Legal::new(rules, position, MAX_ROUTES), &written, text)
}

/// The one legal move that `written`, whose text is `text`, denotes.
fn only_move<B: Board>(
    legal: &Legal<'_, B>,
    written: &Written,
    text: &str,
) -> Result<Move<B>, MoveError> {
    let list = |moves: &[Move<B>]| MoveList::new(moves, |mv| write(legal, mv));
    match written.find(legal) {
        Denoted::Moves(matching) => match matching[..] {
            [mv] => Ok(mv),
            [] => Err(MoveError::Illegal {
                text: shorten(text),
                legal: list(legal.moves()),
            }),
            _ => Err(MoveError::Ambiguous {
                text: shorten(text),
                matching: list(&matching),
            }),
        },
        Denoted::TooManyRoutes(possible) => Err(MoveError::TooManyRoutes {
            text: shorten(text),
            possible: list(&possible),
        }),
    }
}

/// What a text was found to denote.
enum Denoted<B> {
    /// These legal moves.
    Moves(Vec<Move<B>>),
    /// Perhaps one of these, but their routes are too many to tell.
    TooManyRoutes(Vec<Move<B>>),
}

/// A move as written, not yet found among the legal ones.
struct Written {
    /// The first and the last of the squares.
    ends: (Square, Square),
    /// Two squares or more.
    squares: Vec<Square>,
    /// Whether a separator says that it captures; otherwise it may or may not.
    captures: bool,
}

impl Written {
    /// The legal moves that the text denotes by the first rule that fits any.
    fn find<B: Board>(&self, legal: &Legal<'_, B>) -> Denoted<B> {
        let (from, to) = self.ends;
        let by_ends = legal.with_ends(from, to);
        if self.squares.len() == 2 {
            return Denoted::Moves(self.by_ends(by_ends));
        }
        // Whatever fits a path has its ends.
        let has_captures = by_ends.iter().any(Move::is_capture);
        let routes = if has_captures {
            legal.routes_with_ends(from, to)
        } else {
            Some(&[][..])
        };
        let mut matching = routes.map_or_else(Vec::new, |routes| self.by_path(routes));
        if matching.is_empty() {
            matching = self.by_captured(legal);
        }
        if matching.is_empty() && routes.is_none() {
            return Denoted::TooManyRoutes(by_ends.to_vec());
        }
        Denoted::Moves(matching)
    }

    /// What two squares denote among the legal moves between them: the only move, or else the one
    /// whose path they are, which is the one that takes a single piece, or else any.
    fn by_ends<B: Board>(&self, legal: &[Move<B>]) -> Vec<Move<B>> {
        let fits = |mv: &&Move<B>| mv.is_capture() || !self.captures;
        let all: Vec<Move<B>> = legal.iter().filter(fits).copied().collect();
        match all.iter().find(|mv| mv.captured.len() == 1) {
            Some(&exact) => vec![exact],
            None => all,
        }
    }

    /// What the squares denote as a path, complete or not, of one of the routes between their ends.
    fn by_path<B: Board>(&self, routes: &[Route<B>]) -> Vec<Move<B>> {
        let fits: [fn(&Self, &Route<B>) -> bool; 3] = [
            |written, route| written.squares == route.path,
            |written, route| is_part_of(&written.squares, &route.path),
            |written, route| written.follows(route),
        ];
        for fit in fits {
            let fitting = routes.iter().filter(|route| fit(self, route));
            let mut matching: Vec<Move<B>> = fitting.map(|route| route.mv).collect();
            if !matching.is_empty() {
                matching.sort_unstable();
                matching.dedup();
                return matching;
            }
        }
        Vec::new()
    }

    /// Whether the squares are the turns of the route and others that it crosses.
    fn follows<B: Board>(&self, route: &Route<B>) -> bool {
        // In this order the length of the text does not matter, only that of the route.
        is_part_of(&self.squares, &crossed(route))
            && is_part_of(&turns::<B>(&route.path), &self.squares)
    }

    /// The capture whose Hub form the squares are: its ends, then the captured squares.
    fn by_captured<B: Board>(&self, legal: &Legal<'_, B>) -> Vec<Move<B>> {
        let [from, to, captured @ ..] = &self.squares[..] else {
            return Vec::new();
        };
        let lists = |mv: &&Move<B>| {
            captured.len() == mv.captured.len() as usize && same_set(captured, mv.captured)
        };
        let same_ends = legal.with_ends(*from, *to).iter();
        same_ends.filter(lists).copied().collect()
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
    let mut squares = squares_of(ahead & back & !skip);
    if direction.is_up() {
        squares.reverse();
    }
    squares
}

fn read(rules: &RuleSet, text: &str) -> Result<Written, MoveError> {
    let mut cursor = Cursor::new(text);
    let first = read_one(rules, text, &mut cursor)?;
    let mut squares = vec![first.square];
    let mut last = first;
    let mut captures = false;
    loop {
        match cursor.take_if(|next| "-xX:".contains(next)) {
            Some('-') => {}
            Some(_) => captures = true,
            None if cursor.peek().is_none() && squares.len() > 1 => break,
            None if last.number.is_none()
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
        last = read_one(rules, text, &mut cursor)?;
        squares.push(last.square);
    }
    Ok(Written {
        ends: (squares[0], last.square),
        squares,
        captures,
    })
}

fn read_one(
    rules: &RuleSet,
    text: &str,
    cursor: &mut Cursor<'_>,
) -> Result<super::Written, MoveError> {
    let at = cursor.at();
    read_square(rules, Naming::Pdn, cursor, LetterCase::Any).map_err(|source| MoveError::Square {
        text: shorten(text),
        at,
        source,
    })
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

    /// A reader and a writer that look at no more than `most` routes.
    struct Bounded<'a, B>(Legal<'a, B>);

    impl<B: Board> Bounded<'_, B> {
        fn written(&self) -> Vec<String> {
            let texts = self.0.moves().iter().map(|mv| write(&self.0, mv));
            texts.collect()
        }

        fn read(&self, text: &str) -> Result<Move<B>, MoveError> {
            only_move(&self.0, &read(self.0.rules(), text)?, text)
        }
    }

    #[test]
    fn with_too_many_routes_captured_squares_stand_in_for_paths() {
        let position = fen::parse::<u64>(&INTERNATIONAL, TWO_WAYS).expect("a FEN");
        let bounded = |most| Bounded(Legal::new(&INTERNATIONAL, &position, most));
        let enough = bounded(100);
        let mut paths = enough.written();
        paths.sort_unstable();
        assert_eq!(paths, written::<u64>(&INTERNATIONAL, TWO_WAYS));
        let few = bounded(3);
        let by_captured = [
            "47x31x14x27x29x42",
            "47x31x19x27x29x42",
            "47x36x14x27x29x42",
            "47x36x19x27x29x42",
        ];
        assert_eq!(few.written(), by_captured);
        for (text, mv) in by_captured.iter().zip(few.0.moves()) {
            assert_eq!(few.read(text).as_ref(), Ok(mv));
        }
        let refusal = |text| few.read(text).expect_err("not clear").to_string();
        assert_eq!(
            refusal("47x38x24x13x36"),
            "\"47x38x24x13x36\" cannot be looked up: there are more than 10000 ways to capture here; \
             write the two ends and then the captured squares, or one of \
             47x36x14x27x29x42, 47x36x19x27x29x42"
        );
        assert!(refusal("47x36").starts_with("\"47x36\" can be any of several moves here"));
        // Neither the ends nor the captured squares of a legal move.
        assert!(refusal("47x38x24x13x35").starts_with("\"47x38x24x13x35\" is not a legal move"));
    }

    /// Every move reads back with any bound, also where two ends or a path could be meant.
    #[test]
    fn whatever_the_bound_what_is_written_reads_back() {
        fn check<B: Board>(rules: &RuleSet, fen: &str) {
            let position = fen::parse::<B>(rules, fen).expect("a FEN");
            let routes = rules.legal_routes(&position).len();
            for most in [0, 1, 2, routes / 2, routes] {
                let bounded = Bounded(Legal::new(rules, &position, most));
                for (text, mv) in bounded.written().iter().zip(bounded.0.moves()) {
                    assert_eq!(bounded.read(text).as_ref(), Ok(mv), "{text} in {fen}");
                }
            }
        }
        for rules in [&RUSSIAN, &THAI, &SPANISH] {
            for fen in [
                "W:W21:B1",
                "W:WK29:B22,10",
                "W:WK11:BK7,K16",
                "B:W6,7,K10,K24,26:BK2",
                "W:WK29:B25,18,10,11,19,26,27",
                "W:WK29:BK25,18,10,11,19,26,27,14,15,22",
            ] {
                check::<u32>(rules, fen);
            }
        }
        check::<u64>(&INTERNATIONAL, TWO_WAYS);
        check::<u64>(
            &INTERNATIONAL,
            "W:WK46:B41,31,32,21,22,23,11,12,13,14,33,34",
        );
    }

    /// `1-1` would be a draw in a game, and the Thai sign of a capture is that of a quiet move.
    #[test]
    fn a_circular_capture_is_not_written_as_a_result() {
        let rules = THAI.with_option("king_landing=any").expect("an option");
        let circle = "W:WK32:BK3,K6,K7,K10,K14,K19,K27";
        let texts = written::<u32>(&rules, circle);
        assert!(texts.contains(&"1x1".to_owned()), "{texts:?}");
        let hub = hub_of::<u32>(&rules, circle, "1x1").expect("legal");
        assert!(hub.starts_with("32x32x"), "{hub}");
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

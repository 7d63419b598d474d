//! Notation: names of squares, FEN, Hub moves, PDN moves and PDN games.
//!
//! Inside the library a square is an index on a board whose lower left corner is playable. Variants
//! played on the mirror image of that board, and variants that count their squares from another corner
//! or name them `a1`, differ only here: every conversion between an index and a name is in this file.
//!
//! Two namings exist. [`Naming::Board`] counts 1, 2, 3, … row by row from the top left of the variant's
//! real board as White sees it; it is the naming of our FENs and Hub moves. [`Naming::Pdn`] is the
//! variant's own and is used in PDN.
//!
//! Readers accept what people and programs write; writers produce one exact form. Whatever a reader
//! accepts, its writer writes as a text that reads as the same thing.
//!
//! ```
//! use makhos_rules::notation::{fen, hub, pdn_move};
//! use makhos_rules::variant::RUSSIAN;
//!
//! let position = fen::parse::<u32>(&RUSSIAN, "W:W18:B23").expect("a FEN");
//! let mv = hub::parse_move(&RUSSIAN, &position, "18x27x23").expect("a legal move");
//! assert_eq!(pdn_move::write_move(&RUSSIAN, &position, &mv), "d4:f2");
//! assert_eq!(fen::write(&RUSSIAN, &position.make(&mv)), "B:W27:B");
//! ```

pub mod fen;
pub mod hub;
mod legal;
mod move_error;
pub mod pdn;
pub mod pdn_move;
mod text;

use thiserror::Error;

pub use self::move_error::{MoveError, MoveList};
pub use self::text::Found;

use self::text::{Cursor, shorten};
use crate::board::{Board, Square};
use crate::rules::{RuleSet, SquareNames};

/// How the squares of a text are named.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Naming {
    /// Numbers from 1, row by row from the top left of the variant's real board as White sees it. On a
    /// mirrored board of eight rows 1 is a8, otherwise it is b8.
    Board,
    /// The variant's own names in PDN: numbers counted from the corner it uses, or `a1`.
    ///
    /// On a board of twelve rows `a1` names would clash with the `K` of a king, so numbers as in
    /// [`Naming::Board`] stand in for them.
    Pdn,
}

/// Why a text does not name a square.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum SquareError {
    /// Something else stands where a square should.
    #[error("expected a square such as {example}, found {found}")]
    Expected {
        /// What stands there.
        found: Found,
        /// A name as it should look.
        example: String,
    },
    /// The name lies beyond the board.
    #[error("there is no square {name} on this board: its squares run from {first} to {last}")]
    OffBoard {
        /// The name as written, shortened if very long.
        name: String,
        /// The lowest name.
        first: String,
        /// The highest name.
        last: String,
    },
    /// The name is that of a square nobody plays on.
    #[error("{name} is not a playing square on this board: check its column and its row")]
    NotPlayable {
        /// The name as written.
        name: String,
    },
}

/// A rule set and a position or move that belong to different boards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error(
    "{variant} draughts is played on {expected} squares, but a board of {given} was asked for: use the board type of the variant"
)]
pub struct WrongBoard {
    /// The variant's name.
    pub variant: &'static str,
    /// Playing squares of the variant.
    pub expected: u32,
    /// Playing squares of the board type.
    pub given: u32,
}

/// Refuses a board type that is not the variant's.
fn check_board<B: Board>(rules: &RuleSet) -> Result<(), WrongBoard> {
    if rules.board.squares() == B::SQUARES {
        return Ok(());
    }
    Err(WrongBoard {
        variant: rules.name,
        expected: rules.board.squares(),
        given: B::SQUARES,
    })
}

/// Whether `a1` names can be told from numbers and from the `K` of a king on this board.
fn has_letters(rules: &RuleSet) -> bool {
    rules.board.rows() <= 10
}

/// The naming as one of the three ways in which squares are written.
fn scheme(rules: &RuleSet, naming: Naming) -> SquareNames {
    match (naming, rules.notation.squares) {
        (Naming::Board, _) => SquareNames::TopLeft,
        (Naming::Pdn, SquareNames::Algebraic) if !has_letters(rules) => SquareNames::TopLeft,
        (Naming::Pdn, squares) => squares,
    }
}

/// Turns an index into the index of the mirrored square if the variant's board is mirrored, and back.
fn real_index(rules: &RuleSet, index: u32) -> u32 {
    if !rules.mirrored {
        return index;
    }
    let per_row = rules.board.rows() / 2;
    index - index % per_row + (per_row - 1 - index % per_row)
}

/// The number of a square in [`Naming::Board`].
///
/// Meaningless for a square beyond the variant's board.
#[must_use]
pub fn board_number(rules: &RuleSet, square: Square) -> u32 {
    real_index(rules, square.index() as u32) + 1
}

/// The square with this number; in a naming by letters the number is that of [`Naming::Board`].
fn numbered(rules: &RuleSet, naming: Naming, number: u32) -> Option<Square> {
    let count = rules.board.squares();
    if !(1..=count).contains(&number) {
        return None;
    }
    let from_top = match scheme(rules, naming) {
        SquareNames::BottomRight => count + 1 - number,
        SquareNames::TopLeft | SquareNames::Algebraic => number,
    };
    Some(Square::new(real_index(rules, from_top - 1) as u8))
}

/// Column (0 at the left) and row (0 at the bottom) on the real board, as White sees them.
fn coordinates(rules: &RuleSet, square: Square) -> (u32, u32) {
    let rows = rules.board.rows();
    let (row, k) = (
        square.index() as u32 / (rows / 2),
        square.index() as u32 % (rows / 2),
    );
    let column = 2 * k + u32::from(row.is_multiple_of(2));
    let column = if rules.mirrored {
        rows - 1 - column
    } else {
        column
    };
    (column, rows.saturating_sub(1 + row))
}

/// The playable square at these coordinates.
fn at_coordinates(rules: &RuleSet, column: u32, row: u32) -> Option<Square> {
    let rows = rules.board.rows();
    if column >= rows || row >= rows {
        return None;
    }
    let from_top = rows - 1 - row;
    let column = if rules.mirrored {
        rows - 1 - column
    } else {
        column
    };
    // Even rows start with an unplayable square, odd rows with a playable one.
    let playable = column % 2 != from_top % 2;
    playable.then(|| Square::new((from_top * (rows / 2) + column / 2) as u8))
}

/// What squares are sorted by when a text lists them: their number, or column and then row.
fn order(rules: &RuleSet, naming: Naming, square: Square) -> (u32, u32) {
    match scheme(rules, naming) {
        SquareNames::TopLeft => (board_number(rules, square), 0),
        SquareNames::BottomRight => {
            let count = rules.board.squares();
            ((count + 1).saturating_sub(board_number(rules, square)), 0)
        }
        SquareNames::Algebraic => coordinates(rules, square),
    }
}

/// The name of a square.
///
/// Meaningless for a square beyond the variant's board.
#[must_use]
pub fn square_name(rules: &RuleSet, naming: Naming, square: Square) -> String {
    let (first, second) = order(rules, naming, square);
    match scheme(rules, naming) {
        SquareNames::TopLeft | SquareNames::BottomRight => first.to_string(),
        SquareNames::Algebraic => algebraic(first, second),
    }
}

fn algebraic(column: u32, row: u32) -> String {
    let letter = char::from(b'a'.saturating_add(column as u8));
    format!("{letter}{}", row + 1)
}

/// The square named by the whole of `text`.
///
/// Numbers are those of the naming, or of [`Naming::Board`] where the naming is by letters. Names by
/// letters, in either case, are accepted in every naming on boards of eight and ten rows.
///
/// # Errors
/// [`SquareError`] says what is wrong with the name.
pub fn parse_square(rules: &RuleSet, naming: Naming, text: &str) -> Result<Square, SquareError> {
    let mut cursor = Cursor::new(text);
    let written = read_square(rules, naming, &mut cursor, LetterCase::Any)?;
    if cursor.peek().is_some() {
        return Err(expected(rules, naming, &cursor));
    }
    Ok(written.square)
}

/// Which letters name a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LetterCase {
    /// Small ones only, where capitals mean pieces.
    Small,
    /// Small ones and capitals.
    Any,
}

/// A square as read from a text.
struct Written {
    square: Square,
    /// Its number, or none if it was named by letters.
    number: Option<u32>,
}

fn expected(rules: &RuleSet, naming: Naming, cursor: &Cursor<'_>) -> SquareError {
    let last = Square::new((rules.board.squares() - 1) as u8);
    SquareError::Expected {
        found: cursor.found(),
        example: square_name(rules, naming, last),
    }
}

/// Reads one name and leaves the cursor behind it.
fn read_square(
    rules: &RuleSet,
    naming: Naming,
    cursor: &mut Cursor<'_>,
    letters: LetterCase,
) -> Result<Written, SquareError> {
    match cursor.peek() {
        Some(digit) if digit.is_ascii_digit() => read_number(rules, naming, cursor),
        Some(letter)
            if has_letters(rules)
                && letter.is_ascii_alphabetic()
                && (letters == LetterCase::Any || letter.is_ascii_lowercase()) =>
        {
            read_letters(rules, naming, cursor)
        }
        _ => Err(expected(rules, naming, cursor)),
    }
}

fn read_number(
    rules: &RuleSet,
    naming: Naming,
    cursor: &mut Cursor<'_>,
) -> Result<Written, SquareError> {
    let (digits, number) = cursor.digits();
    match numbered(rules, naming, number) {
        Some(square) => Ok(Written {
            square,
            number: Some(number),
        }),
        None => Err(SquareError::OffBoard {
            name: shorten(digits),
            first: "1".to_owned(),
            last: rules.board.squares().to_string(),
        }),
    }
}

fn read_letters(
    rules: &RuleSet,
    naming: Naming,
    cursor: &mut Cursor<'_>,
) -> Result<Written, SquareError> {
    let start = cursor.at();
    let before = cursor.clone();
    let Some(letter) = cursor.bump() else {
        return Err(expected(rules, naming, &before));
    };
    let (digits, row) = cursor.digits();
    if digits.is_empty() {
        return Err(expected(rules, naming, &before));
    }
    let name = shorten(cursor.since(start));
    let column = u32::from(letter.to_ascii_lowercase()) - u32::from('a');
    let rows = rules.board.rows();
    if column >= rows || !(1..=rows).contains(&row) {
        return Err(SquareError::OffBoard {
            name,
            first: algebraic(0, 0),
            last: algebraic(rows - 1, rows - 1),
        });
    }
    match at_coordinates(rules, column, row - 1) {
        Some(square) => Ok(Written {
            square,
            number: None,
        }),
        None => Err(SquareError::NotPlayable { name }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant::{self, CANADIAN, ENGLISH, INTERNATIONAL, ITALIAN, RUSSIAN, SPANISH};

    fn name(rules: &RuleSet, naming: Naming, index: u8) -> String {
        square_name(rules, naming, Square::new(index))
    }

    #[test]
    fn corners_of_the_boards() {
        let corners = |rules, naming| [0, 3, 28, 31].map(|index| name(rules, naming, index));
        assert_eq!(corners(&ENGLISH, Naming::Board), ["1", "4", "29", "32"]);
        assert_eq!(corners(&RUSSIAN, Naming::Pdn), ["b8", "h8", "a1", "g1"]);
        assert_eq!(corners(&RUSSIAN, Naming::Board), ["1", "4", "29", "32"]);
        // Mirrored: the first square of the internal top row is the last of the real one.
        assert_eq!(corners(&ITALIAN, Naming::Board), ["4", "1", "32", "29"]);
        assert_eq!(corners(&ITALIAN, Naming::Pdn), ["4", "1", "32", "29"]);
        assert_eq!(corners(&SPANISH, Naming::Pdn), ["29", "32", "1", "4"]);
        assert_eq!(name(&INTERNATIONAL, Naming::Pdn, 45), "46");
    }

    #[test]
    fn mirrored_boards_read_letters_by_the_real_column() {
        let parse = |text| parse_square(&SPANISH, Naming::Board, text);
        assert_eq!(parse("a8"), parse("1"));
        assert_eq!(parse("g8"), parse("4"));
        assert_eq!(parse("b7"), parse("5"));
        assert_eq!(parse("b1"), parse("29"));
        assert_eq!(parse("h1"), parse("32"));
        assert_eq!(
            parse("a1"),
            Err(SquareError::NotPlayable {
                name: "a1".to_owned()
            })
        );
        assert_eq!(parse_square(&SPANISH, Naming::Pdn, "1"), parse("h1"));
    }

    #[test]
    fn every_name_of_every_variant_reads_back() {
        for rules in variant::ALL {
            for naming in [Naming::Board, Naming::Pdn] {
                for index in 0..rules.board.squares() as u8 {
                    let square = Square::new(index);
                    let name = square_name(rules, naming, square);
                    assert_eq!(parse_square(rules, naming, &name), Ok(square), "{name}");
                    let (column, row) = coordinates(rules, square);
                    assert_eq!(at_coordinates(rules, column, row), Some(square));
                }
            }
        }
    }

    #[test]
    fn wrong_names_are_named() {
        let text = |rules, text| {
            parse_square(rules, Naming::Board, text)
                .expect_err("not a square")
                .to_string()
        };
        assert_eq!(
            text(&ENGLISH, "33"),
            "there is no square 33 on this board: its squares run from 1 to 32"
        );
        assert_eq!(
            text(&RUSSIAN, "k9"),
            "there is no square k9 on this board: its squares run from a1 to h8"
        );
        assert_eq!(
            text(&RUSSIAN, "a1x"),
            "expected a square such as 32, found 'x'"
        );
        assert_eq!(
            text(&CANADIAN, "a1"),
            "expected a square such as 72, found 'a'"
        );
        assert!(text(&ENGLISH, &"9".repeat(1000)).len() < 200);
    }

    #[test]
    fn letters_on_twelve_rows_fall_back_to_numbers() {
        let mut rules = CANADIAN;
        rules.notation.squares = SquareNames::Algebraic;
        assert_eq!(name(&rules, Naming::Pdn, 71), "72");
    }
}

//! FEN: a position as a text, `W:W18,K22:B5-8`.
//!
//! The side to move, then the squares of each colour. The reader accepts either order of the colours,
//! ranges of numbers, `a1` names (small letters, boards of eight and ten rows), letters of sides and
//! kings in either case, spaces between the parts, a final full stop, an empty or missing colour, and
//! unknown fields behind both colours such as `:H0:F1`. The first letter of a field is always its
//! colour: `:b1` is a black man on 1 and `:bb1` is one on b1.
//!
//! A `K` before a range makes every piece of the range a king, as the grammar of PDN 3.0 has it.
//!
//! The fields `:H5:F12`, half-moves counted by the drawing rules and the number of the move, are read by
//! [`parse_counted`].
//!
//! Squares marked `G` or `P` are captured pieces that another program has not lifted yet, because the
//! capture goes on. Such a text is not a position between two moves, and it is refused.

use thiserror::Error;

use super::{
    Found, LetterCase, Naming, SquareError, WrongBoard, check_board, order, read_square,
    square_name, text::Cursor,
};
use crate::board::{Board, MAX_SQUARES, Square};
use crate::position::{Position, PositionError};
use crate::rules::{Color, RuleSet};

/// Why a text is not a FEN. Positions `at` are in bytes from the start of the text.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum FenError {
    /// The board type is not the variant's.
    #[error(transparent)]
    WrongBoard(#[from] WrongBoard),
    /// The text does not begin with the side to move.
    #[error(
        "expected the side to move, W or B, at byte {at}, found {found}: write e.g. W:W31-50:B1-20"
    )]
    MissingSide {
        /// What stands there.
        found: Found,
        /// Where.
        at: usize,
    },
    /// No colour follows the side to move.
    #[error("expected a colour with its squares, :W or :B, at byte {at}, found {found}")]
    MissingColor {
        /// What stands there.
        found: Found,
        /// Where.
        at: usize,
    },
    /// A colour is listed twice.
    #[error("{color:?} is listed a second time at byte {at}: put all its squares in one list")]
    SecondList {
        /// The colour.
        color: Color,
        /// Where its second list begins.
        at: usize,
    },
    /// A name in a list is not a square of the board.
    #[error("at byte {at}: {source}")]
    Square {
        /// Where the name begins.
        at: usize,
        /// What is wrong with it.
        source: SquareError,
    },
    /// A range whose end comes before its start.
    #[error("the range {first}-{last} at byte {at} runs backwards: write the smaller number first")]
    ReversedRange {
        /// The first number as written.
        first: u32,
        /// The last number as written.
        last: u32,
        /// Where the range begins.
        at: usize,
    },
    /// A range that is not between two numbers.
    #[error(
        "the range at byte {at} is not between two numbers: list its squares one by one, e.g. a1,c1"
    )]
    LetterRange {
        /// Where the range begins.
        at: usize,
    },
    /// A captured piece that still lies on the board.
    #[error(
        "{letter} at byte {at} marks a captured piece that is not lifted yet: finish the capture and give the position after it"
    )]
    MidCapture {
        /// The letter, `G` or `P`.
        letter: char,
        /// Where it stands.
        at: usize,
    },
    /// Two pieces on one square.
    #[error("square {name} is listed a second time at byte {at}: a square holds one piece")]
    Occupied {
        /// The square's name.
        name: String,
        /// Where it is listed again.
        at: usize,
    },
    /// A man on the row where it is crowned.
    #[error(
        "a {} man on {name}, its own promotion row, at byte {at}: write K{name} if it is a king",
        if color.is_white() { "white" } else { "black" }
    )]
    ManOnPromotionRow {
        /// Whose man.
        color: Color,
        /// The square's name.
        name: String,
        /// Where the square, or the range it lies in, is listed.
        at: usize,
    },
    /// A count that is no number, too large, or given twice.
    #[error("the field {letter} at byte {at} needs one number up to {most}, e.g. {letter}0")]
    Count {
        /// The field, `H` or `F`.
        letter: char,
        /// Where it begins.
        at: usize,
        /// The largest number.
        most: u32,
    },
    /// Something that belongs nowhere in a FEN.
    #[error("unexpected {found} at byte {at}: expected {expected}")]
    Unexpected {
        /// What stands there.
        found: Found,
        /// Where.
        at: usize,
        /// What could stand there.
        expected: &'static str,
    },
}

/// The position written in `text` in [`Naming::Board`].
///
/// # Errors
/// [`FenError`] names the square, the character, where it stands and what to write instead.
pub fn parse<B: Board>(rules: &RuleSet, text: &str) -> Result<Position<B>, FenError> {
    parse_named(rules, Naming::Board, text)
}

/// The position written in `text` in the given naming. Names by letters are accepted in both, and in a
/// naming by letters numbers are those of [`Naming::Board`].
///
/// # Errors
/// As [`parse`].
pub fn parse_named<B: Board>(
    rules: &RuleSet,
    naming: Naming,
    text: &str,
) -> Result<Position<B>, FenError> {
    check_board::<B>(rules)?;
    let mut reader = Reader::new(rules, naming, text);
    let side = reader.side()?;
    reader.lists()?;
    reader.position(side)
}

/// The counts that a FEN can carry behind its position, after lidraughts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Counts {
    /// Plies that the drawing rule in force has counted, from the field `H`.
    pub halfmoves: Option<u16>,
    /// The number of the move, counted from 1 and shared by both players, from the field `F`.
    pub move_number: Option<u32>,
}

/// [`parse`], with the counts in the fields `H` and `F` if there are any.
///
/// # Errors
/// As [`parse`], and [`FenError::Count`].
pub fn parse_counted<B: Board>(
    rules: &RuleSet,
    text: &str,
) -> Result<(Position<B>, Counts), FenError> {
    check_board::<B>(rules)?;
    let mut reader = Reader::new(rules, Naming::Board, text);
    let side = reader.side()?;
    reader.lists()?;
    let position = reader.position(side)?;
    Ok((position, reader.counts(text)?))
}

/// [`write()`] with counts behind it: `W:WK1:BK32:H5:F12`.
#[must_use]
pub fn write_counted<B: Board>(rules: &RuleSet, position: &Position<B>, counts: Counts) -> String {
    let mut text = write(rules, position);
    if let Some(halfmoves) = counts.halfmoves {
        text.push_str(&format!(":H{halfmoves}"));
    }
    if let Some(number) = counts.move_number {
        text.push_str(&format!(":F{number}"));
    }
    text
}

/// `position` in [`Naming::Board`]: side to move, White, Black; squares ascending, a `K` before each
/// king, no ranges, e.g. `W:W9,K18:B6,7,11`.
///
/// `position` belongs to the board of `rules`; otherwise the text is meaningless.
#[must_use]
pub fn write<B: Board>(rules: &RuleSet, position: &Position<B>) -> String {
    write_named(rules, Naming::Board, position)
}

/// [`write()`] in the given naming. Names by letters ascend by column, then by row.
#[must_use]
pub fn write_named<B: Board>(rules: &RuleSet, naming: Naming, position: &Position<B>) -> String {
    let mut text = String::from(letter(position.side()));
    for color in [Color::White, Color::Black] {
        text.push(':');
        text.push(letter(color));
        let mut squares: Vec<Square> = position
            .pieces(color)
            .squares()
            .map(|index| Square::new(index as u8))
            .collect();
        squares.sort_by_key(|&square| order(rules, naming, square));
        for (count, square) in squares.into_iter().enumerate() {
            if count > 0 {
                text.push(',');
            }
            if position.kings(color).contains(square.index()) {
                text.push('K');
            }
            text.push_str(&square_name(rules, naming, square));
        }
    }
    text
}

fn letter(color: Color) -> char {
    match color {
        Color::White => 'W',
        Color::Black => 'B',
    }
}

fn color(letter: char) -> Option<Color> {
    match letter {
        'W' | 'w' => Some(Color::White),
        'B' | 'b' => Some(Color::Black),
        _ => None,
    }
}

/// The pieces of one colour.
#[derive(Clone, Copy, Default)]
struct Pieces<B> {
    men: B,
    kings: B,
}

struct Reader<'a, B> {
    rules: &'a RuleSet,
    naming: Naming,
    cursor: Cursor<'a>,
    /// White's and Black's pieces, once listed.
    lists: [Option<Pieces<B>>; 2],
    /// Where each occupied square was listed.
    placed_at: [usize; MAX_SQUARES],
    /// Fields that are not colours: where they begin and end.
    others: Vec<(usize, usize)>,
}

impl<'a, B: Board> Reader<'a, B> {
    fn new(rules: &'a RuleSet, naming: Naming, text: &'a str) -> Self {
        Self {
            rules,
            naming,
            cursor: Cursor::new(text),
            lists: [None, None],
            placed_at: [0; MAX_SQUARES],
            others: Vec::new(),
        }
    }

    /// The counts among the fields that are not colours.
    fn counts(&self, text: &str) -> Result<Counts, FenError> {
        let mut counts = Counts::default();
        for &(start, end) in &self.others {
            let field = text.get(start..end).unwrap_or_default();
            let (letter, most) = match field.chars().next() {
                Some('H') => ('H', u32::from(u16::MAX)),
                Some('F') => ('F', u32::MAX),
                _ => continue,
            };
            let wrong = FenError::Count {
                letter,
                at: start,
                most,
            };
            let digits = &field[1..];
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let number = digits.parse().ok().filter(|&n: &u32| plain && n <= most);
            let number = number.ok_or_else(|| wrong.clone())?;
            let before = match letter {
                'H' => counts.halfmoves.replace(number as u16).is_some(),
                _ => counts.move_number.replace(number).is_some(),
            };
            if before {
                return Err(wrong);
            }
        }
        Ok(counts)
    }

    fn unexpected(&self, expected: &'static str) -> FenError {
        FenError::Unexpected {
            found: self.cursor.found(),
            at: self.cursor.at(),
            expected,
        }
    }

    fn side(&mut self) -> Result<Color, FenError> {
        self.cursor.skip_space();
        let side = self.cursor.peek().and_then(color);
        let Some(side) = side else {
            return Err(FenError::MissingSide {
                found: self.cursor.found(),
                at: self.cursor.at(),
            });
        };
        self.cursor.bump();
        Ok(side)
    }

    /// Reads everything behind the side to move.
    fn lists(&mut self) -> Result<(), FenError> {
        loop {
            self.cursor.skip_space();
            if self.cursor.take_if(|next| next == ':').is_none() {
                break;
            }
            self.cursor.skip_space();
            self.field()?;
        }
        if self.lists.iter().all(Option::is_none) {
            return Err(FenError::MissingColor {
                found: self.cursor.found(),
                at: self.cursor.at(),
            });
        }
        self.cursor.take_if(|next| next == '.');
        self.cursor.skip_space();
        match self.cursor.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("a comma, a colon or the end")),
        }
    }

    fn field(&mut self) -> Result<(), FenError> {
        if let Some(color) = self.cursor.peek().and_then(color) {
            return self.list(color);
        }
        // A field is unknown only if nothing else can be meant: not a piece that lost its colour.
        let unknown =
            |next: char| next == '+' || (next.is_ascii_uppercase() && !"KGP".contains(next));
        let start = self.cursor.at();
        if self.lists.iter().all(Option::is_some) && self.cursor.take_if(unknown).is_some() {
            self.cursor
                .take_while(|next| next.is_ascii_alphanumeric() || "+-*/".contains(next));
            self.others.push((start, self.cursor.at()));
            return Ok(());
        }
        if self.lists.iter().any(Option::is_some) {
            return Err(self.unexpected("W or B and its squares"));
        }
        Err(FenError::MissingColor {
            found: self.cursor.found(),
            at: self.cursor.at(),
        })
    }

    fn list(&mut self, color: Color) -> Result<(), FenError> {
        let at = self.cursor.at();
        self.cursor.bump();
        let slot = color as usize;
        if self.lists[slot].is_some() {
            return Err(FenError::SecondList { color, at });
        }
        self.lists[slot] = Some(Pieces::default());
        self.cursor.skip_space();
        if matches!(self.cursor.peek(), None | Some(':' | '.')) {
            return Ok(());
        }
        loop {
            self.entry(color)?;
            self.cursor.skip_space();
            if self.cursor.take_if(|next| next == ',').is_none() {
                return Ok(());
            }
            self.cursor.skip_space();
        }
    }

    /// Reads one square or range.
    fn entry(&mut self, color: Color) -> Result<(), FenError> {
        let at = self.cursor.at();
        if let Some(letter) = self.cursor.peek().filter(|next| "GP".contains(*next)) {
            return Err(FenError::MidCapture { letter, at });
        }
        // On boards with letters up to j a small k is no column either.
        let king = self.cursor.take_if(|next| "Kk".contains(next)).is_some();
        let first = self.square()?;
        if self.cursor.take_if(|next| next == '-').is_none() {
            return self.place(first.square, color, king, at);
        }
        let last = self.square()?;
        let (Some(first), Some(last)) = (first.number, last.number) else {
            return Err(FenError::LetterRange { at });
        };
        if first > last {
            return Err(FenError::ReversedRange { first, last, at });
        }
        for number in first..=last {
            if let Some(square) = super::numbered(self.rules, self.naming, number) {
                self.place(square, color, king, at)?;
            }
        }
        Ok(())
    }

    fn square(&mut self) -> Result<super::Written, FenError> {
        let at = self.cursor.at();
        read_square(self.rules, self.naming, &mut self.cursor, LetterCase::Small)
            .map_err(|source| FenError::Square { at, source })
    }

    fn name(&self, square: Square) -> String {
        square_name(self.rules, self.naming, square)
    }

    fn place(
        &mut self,
        square: Square,
        color: Color,
        king: bool,
        at: usize,
    ) -> Result<(), FenError> {
        let index = square.index();
        let taken = |pieces: &Pieces<B>| (pieces.men | pieces.kings).contains(index);
        if self.lists.iter().flatten().any(taken) {
            return Err(FenError::Occupied {
                name: self.name(square),
                at,
            });
        }
        self.placed_at[index] = at;
        if let Some(pieces) = &mut self.lists[color as usize] {
            let set = if king {
                &mut pieces.kings
            } else {
                &mut pieces.men
            };
            *set |= B::bit(index);
        }
        Ok(())
    }

    fn position(&self, side: Color) -> Result<Position<B>, FenError> {
        let [white, black] = self.lists.map(Option::unwrap_or_default);
        Position::new(white.men, white.kings, black.men, black.kings, side)
            .map_err(|error| self.misplaced(error))
    }

    /// Gives the square of a refused placement its name and its place in the text.
    fn misplaced(&self, error: PositionError) -> FenError {
        match error {
            PositionError::ManOnPromotionRow { square, color } => FenError::ManOnPromotionRow {
                color,
                name: self.name(square),
                at: self.placed_at[square.index()],
            },
            // `place` has seen to both of these already; they keep the same meaning here.
            PositionError::Occupied { square } | PositionError::OffBoard { square } => {
                FenError::Occupied {
                    name: self.name(square),
                    at: self.placed_at.get(square.index()).copied().unwrap_or(0),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant::{CANADIAN, ENGLISH, INTERNATIONAL, RUSSIAN, SPANISH};

    fn rewrite(rules: &RuleSet, text: &str) -> String {
        match parse::<u32>(rules, text) {
            Ok(position) => write(rules, &position),
            Err(error) => panic!("{text}: {error}"),
        }
    }

    #[test]
    fn counts_are_read_and_written() {
        fn read(text: &str) -> Result<Counts, FenError> {
            parse_counted::<u32>(&RUSSIAN, text).map(|(_, counts)| counts)
        }
        let counts = |halfmoves, move_number| {
            Ok(Counts {
                halfmoves,
                move_number,
            })
        };
        assert_eq!(read("W:WK1:BK32"), counts(None, None));
        assert_eq!(read("W:WK1:BK32:H5:F12"), counts(Some(5), Some(12)));
        assert_eq!(read("W:WK1:BK32 : F3 : X9 :H0."), counts(Some(0), Some(3)));
        for text in ["H", "H-1", "H65536", "H1:H1", "F1+", "F4294967296", "Hx"] {
            let field = format!("W:WK1:BK32:{text}");
            let error = read(&field).expect_err(text);
            assert!(matches!(error, FenError::Count { .. }), "{text}: {error}");
        }
        let (position, counts) = parse_counted::<u32>(&RUSSIAN, "B:WK1:BK32:F7:H2").expect("fine");
        let text = write_counted(&RUSSIAN, &position, counts);
        assert_eq!(text, "B:WK1:BK32:H2:F7");
        // Who does not ask for counts is not troubled by them.
        assert!(parse::<u32>(&RUSSIAN, "W:WK1:BK32:Hx").is_ok());
    }

    fn refuse(text: &str) -> String {
        parse::<u32>(&RUSSIAN, text)
            .expect_err("not a FEN")
            .to_string()
    }

    #[test]
    fn start_positions_by_ranges() {
        let start = |rules| Position::<u32>::start(rules);
        assert_eq!(
            parse(&ENGLISH, "B:W21-32:B1-12"),
            Ok(start(&ENGLISH)),
            "English"
        );
        assert_eq!(
            parse(&INTERNATIONAL, "W:W31-50:B1-20"),
            Ok(Position::<u64>::start(&INTERNATIONAL))
        );
        assert_eq!(
            parse(&CANADIAN, "W:W43-72:B1-30"),
            Ok(Position::<u128>::start(&CANADIAN))
        );
        // Spanish numbers of PDN count from White's right hand.
        assert_eq!(
            parse_named(&SPANISH, Naming::Pdn, "W:W1-12:B21-32"),
            Ok(start(&SPANISH))
        );
    }

    #[test]
    fn liberal_forms_and_what_they_are_written_as() {
        for (text, strict) in [
            ("W:W31,K5:B1-3,K32", "W:WK5,31:B1,2,3,K32"),
            (" w : b K4 , 1 : w 18 . ", "W:W18:B1,K4"),
            ("B:B12:WK1-3.", "B:WK1,K2,K3:B12"),
            ("W:W:BK3", "W:W:BK3"),
            ("W:WK3", "W:WK3:B"),
            ("B:B", "B:W:B"),
            ("W:W018:B05", "W:W18:B5"),
            ("W:Wa1,Kb2:Bh8", "W:WK25,29:B4"),
            ("W:Wa1:bb4,b8", "W:W29:B1,17"),
            ("W:wa1,kb2:b1,b4", "W:WK25,29:B1,17"),
            ("W:W18:B23:H0:F1", "W:W18:B23"),
            ("W:W18:B23:H12:F30:+0+2", "W:W18:B23"),
            ("W:W5-5:B6", "W:W5:B6"),
        ] {
            assert_eq!(rewrite(&RUSSIAN, text), strict, "{text}");
        }
    }

    #[test]
    fn algebraic_writing() {
        let position = parse::<u32>(&RUSSIAN, "W:W29,32,K9:B4").expect("a FEN");
        assert_eq!(
            write_named(&RUSSIAN, Naming::Pdn, &position),
            "W:Wa1,Kb6,g1:Bh8"
        );
    }

    fn refuse_all(errors: &[(&str, &str)]) {
        for (text, error) in errors {
            assert_eq!(refuse(text), *error, "{text}");
        }
    }

    #[test]
    fn the_side_to_move_and_the_colours_are_asked_for() {
        refuse_all(&[
            (
                "",
                "expected the side to move, W or B, at byte 0, found the end of the text: write e.g. W:W31-50:B1-20",
            ),
            (
                ":W18:B23",
                "expected the side to move, W or B, at byte 0, found ':': write e.g. W:W31-50:B1-20",
            ),
            (
                "?:W18:B23",
                "expected the side to move, W or B, at byte 0, found '?': write e.g. W:W31-50:B1-20",
            ),
            (
                "W",
                "expected a colour with its squares, :W or :B, at byte 1, found the end of the text",
            ),
            (
                "W:18:B23",
                "expected a colour with its squares, :W or :B, at byte 2, found '1'",
            ),
        ]);
    }

    #[test]
    fn what_is_listed_twice_is_named() {
        refuse_all(&[
            (
                "W:W18:B23:W5",
                "White is listed a second time at byte 10: put all its squares in one list",
            ),
            (
                "W:W18:B23,18",
                "square 18 is listed a second time at byte 10: a square holds one piece",
            ),
            (
                "W:W18-20:B12,K19",
                "square 19 is listed a second time at byte 13: a square holds one piece",
            ),
        ]);
    }

    #[test]
    fn squares_that_cannot_be_are_named() {
        refuse_all(&[
            (
                "W:W33:B23",
                "at byte 3: there is no square 33 on this board: its squares run from 1 to 32",
            ),
            (
                "W:W0:B23",
                "at byte 3: there is no square 0 on this board: its squares run from 1 to 32",
            ),
            (
                "W:Wa2:B23",
                "at byte 3: a2 is not a playing square on this board: check its column and its row",
            ),
            (
                "W:W2:B23",
                "a white man on 2, its own promotion row, at byte 3: write K2 if it is a king",
            ),
            (
                "W:W18:B23,27-32",
                "a black man on 29, its own promotion row, at byte 10: write K29 if it is a king",
            ),
            (
                "W:W20-18:B1",
                "the range 20-18 at byte 3 runs backwards: write the smaller number first",
            ),
            (
                "W:Wa1-c1:B1",
                "the range at byte 3 is not between two numbers: list its squares one by one, e.g. a1,c1",
            ),
        ]);
    }

    #[test]
    fn stray_characters_are_named_with_their_place() {
        refuse_all(&[
            (
                "W:W18,:B23",
                "at byte 6: expected a square such as 32, found ':'",
            ),
            (
                "W:W18 B23",
                "unexpected 'B' at byte 6: expected a comma, a colon or the end",
            ),
            (
                "W:W18:B23é",
                "unexpected 'é' at byte 9: expected a comma, a colon or the end",
            ),
            (
                "W:W18:B23..",
                "unexpected '.' at byte 10: expected a comma, a colon or the end",
            ),
            (
                "W:W18:H0",
                "unexpected 'H' at byte 6: expected W or B and its squares",
            ),
            (
                "W:W18:B23:K5",
                "unexpected 'K' at byte 10: expected W or B and its squares",
            ),
            (
                "W:W18:B23,G12",
                "G at byte 10 marks a captured piece that is not lifted yet: finish the capture and give the position after it",
            ),
        ]);
    }

    #[test]
    fn a_board_of_another_size_is_refused() {
        let error = parse::<u64>(&RUSSIAN, "W:W18:B23").expect_err("10x10");
        assert_eq!(
            error.to_string(),
            "russian draughts is played on 32 squares, but a board of 50 was asked for: use the board type of the variant"
        );
    }
}

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
mod tests;

//! Material classes: how many men and kings each side has.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use makhos_rules::board::MAX_SQUARES;
use makhos_rules::{Board, Color, Position};
use thiserror::Error;

/// Men and kings of one side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Army {
    /// Number of men.
    pub men: u8,
    /// Number of kings.
    pub kings: u8,
}

impl Army {
    /// An army of `men` men and `kings` kings.
    #[must_use]
    pub const fn new(men: u8, kings: u8) -> Self {
        Self { men, kings }
    }

    /// Men and kings together.
    #[must_use]
    pub const fn pieces(self) -> u32 {
        self.men as u32 + self.kings as u32
    }

    /// The army of one side of a position.
    #[inline(always)]
    #[must_use]
    pub fn of<B: Board>(position: &Position<B>, color: Color) -> Self {
        // At most 72 squares, so neither count is cut off.
        Self {
            men: position.men(color).len() as u8,
            kings: position.kings(color).len() as u8,
        }
    }
}

/// Men before kings, a kind without pieces left out: `2m1k`, `3k`; `0` for no pieces at all.
impl fmt::Display for Army {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pieces() == 0 {
            return f.write_str("0");
        }
        if self.men > 0 {
            write!(f, "{}m", self.men)?;
        }
        if self.kings > 0 {
            write!(f, "{}k", self.kings)?;
        }
        Ok(())
    }
}

/// A material class as seen on the board: the armies of White and Black.
///
/// The text form is White's army, a dash, Black's army: `2m1k-1k`. Reading also accepts upper case,
/// kings before men, a kind with the number 0, and blanks around either army.
///
/// The order is the order of generation: by pieces, then by men, then by White's pieces, then by
/// White's men. Every class comes after all it depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Material {
    /// White's army.
    pub white: Army,
    /// Black's army.
    pub black: Army,
}

impl Material {
    /// The class with these armies.
    #[must_use]
    pub const fn new(white: Army, black: Army) -> Self {
        Self { white, black }
    }

    /// The class of a position, as it stands on the board.
    #[inline(always)]
    #[must_use]
    pub fn of<B: Board>(position: &Position<B>) -> Self {
        Self {
            white: Army::of(position, Color::White),
            black: Army::of(position, Color::Black),
        }
    }

    /// The army of one side.
    #[must_use]
    pub const fn army(self, color: Color) -> Army {
        match color {
            Color::White => self.white,
            Color::Black => self.black,
        }
    }

    /// The pieces of both sides.
    #[must_use]
    pub const fn pieces(self) -> u32 {
        self.white.pieces() + self.black.pieces()
    }

    /// The men of both sides.
    #[must_use]
    pub const fn men(self) -> u32 {
        self.white.men as u32 + self.black.men as u32
    }

    /// The same class with the colours exchanged.
    #[must_use]
    pub const fn flip(self) -> Self {
        Self {
            white: self.black,
            black: self.white,
        }
    }

    /// Whether both armies are equal.
    #[must_use]
    pub fn is_symmetric(self) -> bool {
        self.white == self.black
    }

    /// Whether tables exist under this name: both sides have pieces, and White has more pieces, or
    /// equally many with at least as many kings.
    #[must_use]
    pub fn is_canonical(self) -> bool {
        self.both_sides() && self.is_oriented()
    }

    /// This class or its [`flip`](Self::flip), whichever has the canonical orientation.
    ///
    /// Where one side has no pieces, the other becomes White; the result is then not
    /// [canonical](Self::is_canonical), for such a class has no table.
    #[must_use]
    pub fn canonical(self) -> Self {
        if self.is_oriented() {
            self
        } else {
            self.flip()
        }
    }

    /// Whether both sides have pieces.
    pub(crate) fn both_sides(self) -> bool {
        self.white.pieces() > 0 && self.black.pieces() > 0
    }

    fn is_oriented(self) -> bool {
        let strength = |army: Army| (army.pieces(), army.kings);
        strength(self.white) >= strength(self.black)
    }
}

impl Ord for Material {
    fn cmp(&self, other: &Self) -> Ordering {
        // Four numbers that determine the class, so that equal keys mean equal classes.
        let key = |m: &Self| (m.pieces(), m.men(), m.white.pieces(), m.white.men);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Material {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `pad` honours the width a table of classes asks for.
        f.pad(&format!("{}-{}", self.white, self.black))
    }
}

/// Why a text is not a material class.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ParseMaterialError {
    /// Not two armies with one dash between them.
    #[error(
        "\"{text}\" is not a material class: write White's pieces, one dash and Black's pieces, \
         such as 2m1k-1k for two men and a king against a king"
    )]
    NotTwoArmies {
        /// The whole text.
        text: String,
    },
    /// An army that is not made of numbers, each followed by `m` or `k`.
    #[error(
        "\"{army}\" is not an army: write a number before m for men and before k for kings, \
         such as 2m, 3k or 2m1k"
    )]
    NotAnArmy {
        /// The text of the army.
        army: String,
    },
    /// An army that names its men or its kings twice.
    #[error("\"{army}\" counts one kind of piece twice: add the numbers up, such as 3k for 1k2k")]
    KindTwice {
        /// The text of the army.
        army: String,
    },
    /// More pieces of one kind than the largest board has squares.
    #[error(
        "\"{army}\" has more pieces than the largest board has squares, {MAX_SQUARES}: \
         write a smaller number, such as 2m1k"
    )]
    TooManyPieces {
        /// The text of the army.
        army: String,
    },
    /// A side without pieces, which has lost already and has no table.
    #[error("\"{text}\" leaves a side without pieces: give each side at least one, such as 3k-1k")]
    NoPieces {
        /// The whole text.
        text: String,
    },
}

impl FromStr for Material {
    type Err = ParseMaterialError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut sides = text.split('-');
        let (Some(white), Some(black), None) = (sides.next(), sides.next(), sides.next()) else {
            return Err(ParseMaterialError::NotTwoArmies { text: text.into() });
        };
        let material = Self {
            white: parse_army(white.trim())?,
            black: parse_army(black.trim())?,
        };
        if material.both_sides() {
            Ok(material)
        } else {
            Err(ParseMaterialError::NoPieces { text: text.into() })
        }
    }
}

/// Reads an army; `0` and a kind with the number 0 are accepted.
fn parse_army(text: &str) -> Result<Army, ParseMaterialError> {
    if text == "0" {
        return Ok(Army::default());
    }
    let not_an_army = || ParseMaterialError::NotAnArmy { army: text.into() };
    let mut men = None;
    let mut kings = None;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .ok_or_else(not_an_army)?;
        let (digits, tail) = rest.split_at(end);
        let kind = match tail.as_bytes()[0].to_ascii_lowercase() {
            b'm' => &mut men,
            b'k' => &mut kings,
            _ => return Err(not_an_army()),
        };
        if digits.is_empty() {
            return Err(not_an_army());
        }
        // Digits only, so the one way to fail is a number beyond the type.
        let number = digits
            .parse::<u8>()
            .ok()
            .filter(|&number| usize::from(number) <= MAX_SQUARES)
            .ok_or_else(|| ParseMaterialError::TooManyPieces { army: text.into() })?;
        if kind.replace(number).is_some() {
            return Err(ParseMaterialError::KindTwice { army: text.into() });
        }
        rest = &tail[1..];
    }
    if men.is_none() && kings.is_none() {
        return Err(not_an_army());
    }
    Ok(Army::new(men.unwrap_or(0), kings.unwrap_or(0)))
}

/// Turns a position into the one a table stores.
///
/// The position is flipped (see [`Position::flip`]) if its material has not the canonical
/// orientation, or if the material is symmetric and Black is to move. A position and its flip give
/// the same result.
#[must_use]
pub fn normalize<B: Board>(position: &Position<B>) -> Position<B> {
    let material = Material::of(position);
    let stored = if material.is_symmetric() {
        position.side().is_white()
    } else {
        material.is_oriented()
    };
    if stored { *position } else { position.flip() }
}

/// The sides to move that the table of a class stores: both, or only White if the armies are equal.
///
/// ```
/// use makhos_index::{Material, stored_sides};
///
/// let material: Material = "2k-2k".parse().expect("well-formed");
/// assert_eq!(stored_sides(material), [makhos_rules::Color::White]);
/// ```
#[must_use]
pub fn stored_sides(material: Material) -> &'static [Color] {
    if material.is_symmetric() {
        &[Color::White]
    } else {
        &[Color::White, Color::Black]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn material(text: &str) -> Material {
        text.parse().expect(text)
    }

    #[test]
    fn writer_is_strict_and_reader_liberal() {
        let mixed = Material::new(Army::new(2, 1), Army::new(0, 1));
        for text in ["2m1k-1k", "2M1K-1K", "1k2m-1k", "2m1k-0m1k", " 2m1k - 01k "] {
            assert_eq!(material(text), mixed, "{text}");
        }
        assert_eq!(mixed.to_string(), "2m1k-1k");
        assert_eq!(format!("{mixed:>9}|"), "  2m1k-1k|");
        let lost = Material::new(Army::new(0, 3), Army::default());
        assert_eq!(lost.to_string(), "3k-0");
    }

    #[test]
    fn wrong_texts_get_the_right_error_and_an_example() {
        type Check = fn(&ParseMaterialError) -> bool;
        let not_two: Check = |e| matches!(e, ParseMaterialError::NotTwoArmies { .. });
        let not_army: Check = |e| matches!(e, ParseMaterialError::NotAnArmy { .. });
        let twice: Check = |e| matches!(e, ParseMaterialError::KindTwice { .. });
        let many: Check = |e| matches!(e, ParseMaterialError::TooManyPieces { .. });
        let none: Check = |e| matches!(e, ParseMaterialError::NoPieces { .. });
        let cases = [
            ("", not_two),
            ("3k1k", not_two),
            ("3k-1k-1k", not_two),
            ("3k-", not_army),
            ("-", not_army),
            ("k-1k", not_army),
            ("3-1k", not_army),
            ("3k-1q", not_army),
            ("3é-1k", not_army),
            ("3k1-1k", not_army),
            ("1k 2m-1k", not_army),
            ("+1k-1k", not_army),
            ("1k2k-1k", twice),
            ("256k-1k", many),
            ("73k-1k", many),
            ("99999999999999999999k-1k", many),
            ("3k-0", none),
            ("0m0k-1k", none),
        ];
        for (text, check) in cases {
            let error = text.parse::<Material>().expect_err(text);
            assert!(check(&error), "{text}: {error:?}");
            assert!(error.to_string().contains("such as"), "{error}");
        }
    }

    #[test]
    fn orientation() {
        for text in ["3k-1k", "1k2m-2k", "1k1m-2m", "2k-2k", "3m-2k"] {
            assert!(material(text).is_canonical(), "{text}");
            assert_eq!(material(text).canonical(), material(text));
            assert_eq!(material(text).flip().canonical(), material(text));
        }
        for text in ["1k-2m", "1m-1k", "1m1k-2k"] {
            assert!(!material(text).is_canonical(), "{text}");
        }
        let lost = Material::new(Army::new(0, 3), Army::default());
        assert!(!lost.is_canonical());
        assert_eq!(lost.flip().canonical(), lost);
    }

    #[test]
    fn sides_of_a_table() {
        assert_eq!(stored_sides(material("1m-1m")), [Color::White]);
        assert_eq!(
            stored_sides(material("1k-1m")),
            [Color::White, Color::Black]
        );
    }
}

//! The `GameType` tag: `25` or `25,W,8,8,A0,0`.
//!
//! The number names the variant. The long form adds the side that starts, width, height, how squares
//! are named and whether the lower left corner is not a playing square. `A` means names by letters and
//! `N` numbers; the digit is the corner of a1 or 1 as the starting side sees it: 0 bottom left, 1 bottom
//! right, 2 top left, 3 top right.

use thiserror::Error;

use super::super::{Found, text::shorten};
use crate::board::Board;
use crate::position::Position;
use crate::rules::{Color, RuleSet, SquareNames};
use crate::variant;

/// Why a game's `GameType` does not fit the rules it is read with.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum GameTypeError {
    /// The value is not a game type.
    #[error("GameType \"{value}\" cannot be read at {found}: write e.g. \"{example}\"")]
    Syntax {
        /// The value, shortened if very long.
        value: String,
        /// Its first wrong character.
        found: Found,
        /// The value of the variant.
        example: &'static str,
    },
    /// The game is of another variant.
    #[error(
        "the game is of type {found} ({}), not {variant}: read it with the rules of its own variant",
        named.unwrap_or("a game that is not known here")
    )]
    OtherVariant {
        /// The number in the tag.
        found: u32,
        /// The variant with this number.
        named: Option<&'static str>,
        /// The variant whose rules were given.
        variant: &'static str,
    },
    /// The variant is right, but its squares are named in a way that would be misread.
    #[error(
        "GameType \"{value}\" names squares otherwise than {variant} draughts here ({example}): renumber the game first"
    )]
    OtherNames {
        /// The value, shortened if very long.
        value: String,
        /// The variant's name.
        variant: &'static str,
        /// The value of the variant.
        example: &'static str,
    },
}

/// The leading number of a game type.
fn number(value: &str) -> Option<u32> {
    let value = value.trim();
    let end = value
        .find(|next: char| !next.is_ascii_digit())
        .unwrap_or(value.len());
    value[..end].parse().ok()
}

/// The variant of a `GameType` value, or none if the number is not known. Thai draughts with 8 and with
/// 12 men share a number, which stands for the former here.
#[must_use]
pub fn variant_of(value: &str) -> Option<&'static RuleSet> {
    let wanted = number(value)?;
    variant::ALL
        .into_iter()
        .find(|rules| number(rules.notation.game_type) == Some(wanted))
}

/// Where a game of this `GameType` begins unless it says otherwise: at the start of the variant, with
/// the side to move that the long form names or else the one that begins by the rules.
///
/// The two may differ: the standard lets Black begin in Thai draughts, the rules here White, and a house
/// option may say otherwise for any variant.
pub(super) fn start<B: Board>(rules: &RuleSet, value: &str) -> Position<B> {
    let side = match value.split(',').nth(1).map(str::trim) {
        Some("W") => Color::White,
        Some("B") => Color::Black,
        _ => rules.first,
    };
    Position::start(rules).with_side(side)
}

/// Checks a `GameType` value against the rules.
pub(super) fn check(rules: &RuleSet, value: &str) -> Result<(), GameTypeError> {
    let fields: Vec<&str> = value.split(',').map(str::trim).collect();
    let syntax = |field: &str| GameTypeError::Syntax {
        value: shorten(value),
        found: Found(field.chars().find(|next| !next.is_ascii_digit())),
        example: rules.notation.game_type,
    };
    let type_number: u32 = fields[0].parse().map_err(|_| syntax(fields[0]))?;
    if Some(type_number) != number(rules.notation.game_type) {
        return Err(GameTypeError::OtherVariant {
            found: type_number,
            named: variant_of(fields[0]).map(|rules| rules.name),
            variant: rules.name,
        });
    }
    if fields.len() < 5 {
        // Without the names of squares the variant's own are meant.
        return Ok(());
    }
    let rows = rules.board.rows().to_string();
    let same_board = fields[2] == rows
        && fields[3] == rows
        && fields
            .get(5)
            .is_none_or(|&flag| flag == if rules.mirrored { "1" } else { "0" });
    let names = corner(fields[1], fields[4]).ok_or_else(|| syntax(fields[4]))?;
    if same_board && reads(rules, names) {
        return Ok(());
    }
    Err(GameTypeError::OtherNames {
        value: shorten(value),
        variant: rules.name,
        example: rules.notation.game_type,
    })
}

/// Kind of names and the corner they start in as White sees it, from e.g. `B` and `N1`.
fn corner(starts: &str, names: &str) -> Option<(char, u8)> {
    let mut characters = names.chars();
    let (kind, digit) = (characters.next()?, characters.next()?);
    let digit = u8::try_from(digit.to_digit(4)?).ok()?;
    if characters.next().is_some() {
        return None;
    }
    match starts {
        "W" => Some((kind, digit)),
        // Turning the board exchanges opposite corners.
        "B" => Some((kind, 3 - digit)),
        _ => None,
    }
}

/// Whether the reader takes such names for the squares they mean.
fn reads(rules: &RuleSet, names: (char, u8)) -> bool {
    match names {
        ('A', corner) => corner == 0,
        ('N', corner) => {
            corner
                == match rules.notation.squares {
                    SquareNames::BottomRight => 1,
                    SquareNames::TopLeft | SquareNames::Algebraic => 2,
                }
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant::{BRAZILIAN, ENGLISH, INTERNATIONAL, ITALIAN, POOL, RUSSIAN, SPANISH};

    #[test]
    fn every_variant_fits_its_own_type() {
        for rules in variant::ALL {
            assert_eq!(check(rules, rules.notation.game_type), Ok(()));
            let short = number(rules.notation.game_type).expect("a number");
            assert_eq!(check(rules, &short.to_string()), Ok(()));
            let named = variant_of(rules.notation.game_type).expect("known");
            assert!(rules.name.starts_with(named.name));
        }
    }

    #[test]
    fn other_forms_that_mean_the_same() {
        assert_eq!(check(&POOL, "23,W,8,8,A0,0"), Ok(()));
        assert_eq!(check(&ENGLISH, "21,W,8,8,N2,0"), Ok(()));
        assert_eq!(check(&RUSSIAN, "25, W, 8, 8, N2"), Ok(()));
        assert_eq!(check(&ITALIAN, "22,W,8,8,N2"), Ok(()));
    }

    #[test]
    fn what_would_be_misread_is_refused() {
        let text = |rules, value| check(rules, value).expect_err("does not fit").to_string();
        assert_eq!(
            text(&RUSSIAN, "20,W,10,10,N2,0"),
            "the game is of type 20 (international), not russian: read it with the rules of its own variant"
        );
        assert_eq!(
            text(&RUSSIAN, "99"),
            "the game is of type 99 (a game that is not known here), not russian: read it with the rules of its own variant"
        );
        assert_eq!(
            text(&BRAZILIAN, "26,W,8,8,N0,0"),
            "GameType \"26,W,8,8,N0,0\" names squares otherwise than brazilian draughts here (26,W,8,8,A0,0): renumber the game first"
        );
        for value in ["24,W,8,8,N2,1", "24,W,8,8,N1,0", "24,W,10,8,N1,1"] {
            assert!(text(&SPANISH, value).contains("renumber"), "{value}");
        }
        for value in [
            "",
            "x",
            "20x",
            "20,W,10,10,N9,0",
            "20,?,10,10,N2",
            "99999999999",
        ] {
            assert!(
                text(&INTERNATIONAL, value).contains("cannot be read"),
                "{value}"
            );
        }
    }
}

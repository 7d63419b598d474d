//! Positions as the protocol writes them: the side to move and a letter for every square.

use makhos_rules::notation::board_number;
use makhos_rules::rules::Color;
use makhos_rules::{Board, Position, PositionError, RuleSet, Square};
use thiserror::Error;

/// Why a text is not a position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum PositionTextError {
    /// It is too long or too short.
    #[error("a position has {expected} characters, the side to move first, not {found}")]
    Length {
        /// The characters of a position.
        expected: usize,
        /// Those that there are.
        found: usize,
    },
    /// The first character is no side.
    #[error("a position begins with W or B for the side to move, not with '{found}'")]
    Side {
        /// The character.
        found: char,
    },
    /// A character is no piece.
    #[error("square {number} holds '{found}'; it can be w, b (men), W, B (kings) or e (empty)")]
    Piece {
        /// The square's number.
        number: u32,
        /// The character.
        found: char,
    },
    /// A man stands where it cannot.
    #[error("a man stands on its own promotion row, on square {number}")]
    ManOnPromotionRow {
        /// The square's number.
        number: u32,
    },
    /// The variant is played on another board.
    #[error("this is no position of the board of {squares} squares")]
    OtherBoard {
        /// Squares of the board.
        squares: u32,
    },
}

/// The squares in the order of their numbers on the real board.
fn in_order<B: Board>(rules: &RuleSet) -> Vec<Square> {
    let mut squares: Vec<Square> = (0..B::SQUARES as u8).map(Square::new).collect();
    squares.sort_by_key(|square| board_number(rules, *square));
    squares
}

/// Reads a position: `W` or `B` for the side to move, and a character for each square in the order of their
/// numbers ([`Naming::Board`](makhos_rules::notation::Naming::Board)): `w`, `b`, `W`, `B` or `e`.
///
/// # Errors
/// [`PositionTextError`].
pub fn parse_position<B: Board>(
    rules: &RuleSet,
    text: &str,
) -> Result<Position<B>, PositionTextError> {
    if rules.board.squares() != B::SQUARES {
        return Err(PositionTextError::OtherBoard {
            squares: B::SQUARES,
        });
    }
    let (expected, found) = (B::SQUARES as usize + 1, text.chars().count());
    if found != expected {
        return Err(PositionTextError::Length { expected, found });
    }
    let mut letters = text.chars();
    let side = match letters.next() {
        Some('W') => Color::White,
        Some('B') => Color::Black,
        other => {
            let found = other.unwrap_or(' ');
            return Err(PositionTextError::Side { found });
        }
    };
    let mut sets = [B::EMPTY; 4];
    for (square, found) in in_order::<B>(rules).into_iter().zip(letters) {
        let number = board_number(rules, square);
        match "wWbB".find(found) {
            Some(set) => sets[set] |= B::bit(square.index()),
            None if found == 'e' => {}
            None => return Err(PositionTextError::Piece { number, found }),
        }
    }
    let [white_men, white_kings, black_men, black_kings] = sets;
    let position = Position::new(white_men, white_kings, black_men, black_kings, side);
    position.map_err(|error| match error {
        PositionError::ManOnPromotionRow { square, .. } => PositionTextError::ManOnPromotionRow {
            number: board_number(rules, square),
        },
        // Every square has been named once.
        _ => PositionTextError::OtherBoard {
            squares: B::SQUARES,
        },
    })
}

/// Writes a position so that [`parse_position`] reads it.
#[must_use]
pub fn write_position<B: Board>(rules: &RuleSet, position: &Position<B>) -> String {
    let mut text = String::from(if position.side().is_white() { "W" } else { "B" });
    text.extend(in_order::<B>(rules).into_iter().map(|square| {
        let is = |set: B| set.contains(square.index());
        match () {
            () if is(position.men(Color::White)) => 'w',
            () if is(position.men(Color::Black)) => 'b',
            () if is(position.kings(Color::White)) => 'W',
            () if is(position.kings(Color::Black)) => 'B',
            () => 'e',
        }
    }));
    text
}

#[cfg(test)]
mod tests {
    use makhos_rules::notation::fen;
    use makhos_rules::variant::{CANADIAN, INTERNATIONAL, ITALIAN, RUSSIAN};

    use super::*;

    #[test]
    fn the_starts() {
        let ten = write_position(&INTERNATIONAL, &Position::<u64>::start(&INTERNATIONAL));
        assert_eq!(
            ten,
            format!("W{}{}{}", "b".repeat(20), "e".repeat(10), "w".repeat(20))
        );
        let twelve = Position::<u128>::start(&CANADIAN);
        let text = write_position(&CANADIAN, &twelve);
        assert_eq!(text.len(), 73);
        assert_eq!(parse_position(&CANADIAN, &text), Ok(twelve));
    }

    #[test]
    fn squares_are_numbered_as_on_the_real_board() {
        let position = fen::parse::<u32>(&ITALIAN, "B:W31,K5:BK32,1").expect("a position");
        let text = write_position(&ITALIAN, &position);
        assert_eq!(text, "BbeeeWeeeeeeeeeeeeeeeeeeeeeeeeewB");
        assert_eq!(parse_position(&ITALIAN, &text), Ok(position));
    }

    #[test]
    fn bad_texts_say_why() {
        let refused = |text: &str| {
            let error = parse_position::<u32>(&RUSSIAN, text).expect_err(text);
            error.to_string()
        };
        assert!(refused("We").contains("33 characters"));
        assert!(refused(&format!("X{}", "e".repeat(32))).contains("'X'"));
        assert!(refused(&format!("Wex{}", "e".repeat(30))).contains("square 2 holds 'x'"));
        assert!(refused(&format!("Wew{}", "e".repeat(30))).contains("promotion row, on square 2"));
        assert!(parse_position::<u64>(&RUSSIAN, "W").is_err());
    }
}

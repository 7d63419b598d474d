//! Taking quiet moves back.

use makhos_rules::{Board, Color, Position, RuleSet, Square};

/// Calls `each` with every position from which a quiet move that promotes nothing leads to
/// `position`. Whether that move was legal there, where a capture may have been compulsory, is not
/// looked at.
pub(crate) fn quiet_unmoves<B: Board>(
    rules: &RuleSet,
    position: &Position<B>,
    mut each: impl FnMut(Position<B>),
) {
    let mover = position.side().opponent();
    let (men, kings) = (position.men(mover), position.kings(mover));
    let occupied = position.occupied();
    for to in men.squares() {
        for direction in mover.forward() {
            let from = B::geometry().step[to][direction.opposite() as usize] & !occupied;
            if !from.is_empty() {
                each(before(position, mover, (men & !B::bit(to)) | from, kings));
            }
        }
    }
    for to in kings.squares() {
        // A king can go back the way it came.
        for from in rules
            .king_targets(Square::new(to as u8), occupied)
            .squares()
        {
            let kings = (kings & !B::bit(to)) | B::bit(from);
            each(before(position, mover, men, kings));
        }
    }
}

/// `position` with other men and kings of `mover`, who is to move.
fn before<B: Board>(position: &Position<B>, mover: Color, men: B, kings: B) -> Position<B> {
    let other = mover.opponent();
    let (other_men, other_kings) = (position.men(other), position.kings(other));
    let made = match mover {
        Color::White => Position::new(men, kings, other_men, other_kings, mover),
        Color::Black => Position::new(other_men, other_kings, men, kings, mover),
    };
    // One piece moved to an empty square, and men move away from their promotion row.
    made.expect("taking back a quiet move leaves a valid position")
}

#[cfg(test)]
mod tests {
    use makhos_rules::{notation::fen, variant};

    use super::*;

    /// Moves and un-moves are the same relation where nothing must be captured.
    fn agrees<B: Board>(rules: &RuleSet, texts: &[&str]) {
        for text in texts {
            let position = fen::parse::<B>(rules, text).expect("a position");
            let mut predecessors = Vec::new();
            quiet_unmoves(rules, &position, |before| predecessors.push(before));
            assert!(!predecessors.is_empty(), "{text}");
            for before in &predecessors {
                let leads_here = || {
                    rules
                        .legal_moves(before)
                        .iter()
                        .any(|mv| before.make(mv) == position)
                };
                assert!(rules.has_capture(before) || leads_here(), "{before:?}");
            }
            for mv in rules.legal_moves(&position) {
                if mv.is_capture() || mv.promotes {
                    continue;
                }
                let mut found = 0;
                quiet_unmoves(rules, &position.make(&mv), |before| {
                    found += usize::from(before == position);
                });
                assert_eq!(found, 1, "{text} {mv:?}");
            }
        }
    }

    #[test]
    fn quiet_unmoves_are_moves() {
        let texts = [
            "W:W18,K30:B7,K32",
            "B:W18,K30:B7,K32",
            "W:WK15,K10,22:B1,2,K29",
        ];
        agrees::<u32>(&variant::ENGLISH, &texts);
        agrees::<u32>(&variant::RUSSIAN, &texts);
        agrees::<u64>(
            &variant::INTERNATIONAL,
            &["W:W28,K50:B7,K32", "B:W28,K50:B7,K32"],
        );
    }
}

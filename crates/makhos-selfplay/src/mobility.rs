//! How many ways the pieces of a side have to move without capturing, from a few shifts of sets.

use makhos_rules::{Board, Color, Position, RuleSet, Square};

/// One row up, in the direction that changes the index by exactly one row's length.
#[inline(always)]
fn up_straight<B: Board>(set: B) -> B {
    set >> B::PER_ROW
}

/// One row up, in the other direction: right from even rows, left from odd ones.
#[inline(always)]
fn up_skew<B: Board>(set: B) -> B {
    ((set & B::EVEN_NOT_RIGHT) >> (B::PER_ROW - 1)) | ((set & B::ODD_NOT_LEFT) >> (B::PER_ROW + 1))
}

/// One row down, in the direction that changes the index by exactly one row's length.
#[inline(always)]
fn down_straight<B: Board>(set: B) -> B {
    set << B::PER_ROW
}

/// One row down, in the other direction: right from even rows, left from odd ones.
#[inline(always)]
fn down_skew<B: Board>(set: B) -> B {
    ((set & B::EVEN_NOT_RIGHT) << (B::PER_ROW + 1)) | ((set & B::ODD_NOT_LEFT) << (B::PER_ROW - 1))
}

/// The number of moves of men to empty squares.
#[inline(always)]
pub(crate) fn man_moves<B: Board>(position: &Position<B>, color: Color) -> i32 {
    let (men, empty) = (position.men(color), position.empty());
    let moves = if color.is_white() {
        (up_straight(men) & empty).len() + (up_skew(men) & empty).len()
    } else {
        (down_straight(men) & empty).len() + (down_skew(men) & empty).len()
    };
    moves as i32
}

/// The number of moves of kings to empty squares.
#[inline(always)]
pub(crate) fn king_moves<B: Board>(rules: &RuleSet, position: &Position<B>, color: Color) -> i32 {
    let occupied = position.occupied();
    let kings = position.kings(color).squares();
    let targets = kings.map(|at| rules.king_targets(Square::new(at as u8), occupied).len());
    targets.sum::<u32>() as i32
}

/// Whether the side to move has a move that captures nothing.
#[inline(always)]
pub(crate) fn has_quiet_move<B: Board>(position: &Position<B>) -> bool {
    let (side, empty) = (position.side(), position.empty());
    let (men, kings) = (position.men(side), position.kings(side));
    let (up, down) = if side.is_white() {
        (men | kings, kings)
    } else {
        (kings, men | kings)
    };
    let above = (up_straight(up) | up_skew(up)) & empty;
    let below = (down_straight(down) | down_skew(down)) & empty;
    !(above | below).is_empty()
}

#[cfg(test)]
mod tests {
    use makhos_rules::rules::KingRange;
    use makhos_rules::{Board, BoardSize, Position, RuleSet, variant};

    use super::*;

    fn agrees<B: Board>(rules: &RuleSet) {
        let mut seed = 1_u64;
        for _ in 0..40 {
            let mut position = Position::<B>::start(rules);
            for _ in 0..80 {
                let moves = rules.legal_moves(&position);
                if moves.is_empty() {
                    break;
                }
                if !rules.has_capture(&position) {
                    let side = position.side();
                    let counted = man_moves(&position, side) + king_moves(rules, &position, side);
                    assert_eq!(counted as usize, moves.len(), "{position:?}");
                    assert!(has_quiet_move(&position));
                }
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                position = position.make(&moves[(seed >> 33) as usize % moves.len()]);
            }
            if rules.legal_moves(&position).is_empty() {
                assert!(!has_quiet_move(&position));
            }
        }
    }

    #[test]
    fn counts_are_those_of_the_generator() {
        for rules in variant::ALL {
            match rules.board {
                BoardSize::Eight => agrees::<u32>(rules),
                BoardSize::Ten => agrees::<u64>(rules),
                BoardSize::Twelve => agrees::<u128>(rules),
            }
        }
        assert_eq!(variant::ENGLISH.king_range, KingRange::Short);
    }
}

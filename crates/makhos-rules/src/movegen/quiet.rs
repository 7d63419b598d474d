//! Moves without capture.

use super::sink::Sink;
use super::{View, down_skew, down_straight, up_skew, up_straight};
use crate::board::{Board, Direction, Square};
use crate::moves::Move;
use crate::rules::{KingRange, RuleSet};

/// Squares that a flying king on `square` reaches without capture.
#[inline(always)]
pub(super) fn flying_targets<B: Board>(square: usize, occupied: B) -> B {
    let rays = &B::geometry().ray;
    let mut targets = B::EMPTY;
    for direction in Direction::ALL {
        let ray = rays[square][direction as usize];
        targets |= match first_piece(square, direction, occupied) {
            None => ray,
            Some(first) => ray & !rays[first][direction as usize] & !B::bit(first),
        };
    }
    targets
}

/// The first piece that a king on `square` meets in `direction`.
#[inline(always)]
pub(super) fn first_piece<B: Board>(
    square: usize,
    direction: Direction,
    occupied: B,
) -> Option<usize> {
    let blockers = B::geometry().ray[square][direction as usize] & occupied;
    if blockers.is_empty() {
        None
    } else if direction.is_up() {
        Some(blockers.highest())
    } else {
        Some(blockers.lowest())
    }
}

/// The number of quiet moves.
#[inline(always)]
pub(super) fn count<B: Board, const WHITE: bool>(rules: &RuleSet, view: &View<B>) -> u64 {
    let empty = view.empty;
    let short = rules.king_range == KingRange::Short;
    let (mut up, mut down) = if WHITE {
        (view.men, B::EMPTY)
    } else {
        (B::EMPTY, view.men)
    };
    if short {
        up |= view.kings;
        down |= view.kings;
    }
    let mut moves = 0;
    if WHITE || short {
        moves += (up_straight(up) & empty).len() + (up_skew(up) & empty).len();
    }
    if !WHITE || short {
        moves += (down_straight(down) & empty).len() + (down_skew(down) & empty).len();
    }
    if !short {
        for square in view.kings.squares() {
            moves += flying_targets(square, !empty).len();
        }
    }
    u64::from(moves)
}

/// Hands every quiet move to `sink`.
#[inline(always)]
pub(super) fn generate<B: Board, S: Sink<B>, const WHITE: bool>(
    rules: &RuleSet,
    view: &View<B>,
    sink: &mut S,
) {
    men::<B, S, WHITE>(view.men, view.empty, B::promotion_row(WHITE), sink);
    if view.kings.is_empty() {
        return;
    }
    match rules.king_range {
        KingRange::Short => {
            men::<B, S, true>(view.kings, view.empty, B::EMPTY, sink);
            men::<B, S, false>(view.kings, view.empty, B::EMPTY, sink);
        }
        KingRange::Flying => {
            for from in view.kings.squares() {
                for to in flying_targets(from, !view.empty).squares() {
                    accept(sink, from, to, false);
                }
            }
        }
    }
}

/// Steps of men, or of short kings with no promotion row.
#[inline(always)]
fn men<B: Board, S: Sink<B>, const WHITE: bool>(
    pieces: B,
    empty: B,
    promotion_row: B,
    sink: &mut S,
) {
    let per_row = B::PER_ROW as usize;
    if WHITE {
        for to in (up_straight(pieces) & empty).squares() {
            accept(sink, to + per_row, to, promotion_row.contains(to));
        }
        for to in (up_skew(pieces) & empty).squares() {
            // A skew step up changes the index by one less from an even row, by one more from an odd.
            let from = if B::ODD_ROWS.contains(to) {
                to + per_row - 1
            } else {
                to + per_row + 1
            };
            accept(sink, from, to, promotion_row.contains(to));
        }
    } else {
        for to in (down_straight(pieces) & empty).squares() {
            accept(sink, to - per_row, to, promotion_row.contains(to));
        }
        for to in (down_skew(pieces) & empty).squares() {
            let from = if B::ODD_ROWS.contains(to) {
                to - per_row - 1
            } else {
                to - per_row + 1
            };
            accept(sink, from, to, promotion_row.contains(to));
        }
    }
}

#[inline(always)]
fn accept<B: Board, S: Sink<B>>(sink: &mut S, from: usize, to: usize, promotes: bool) {
    let (from, to) = (Square::new(from as u8), Square::new(to as u8));
    let mv = Move {
        from,
        to,
        captured: B::EMPTY,
        promotes,
    };
    sink.accept(mv, &[from, to]);
}

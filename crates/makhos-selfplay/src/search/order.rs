//! In which order moves are tried.

use makhos_rules::board::MAX_SQUARES;
use makhos_rules::rules::Color;
use makhos_rules::{Board, Move, Position};

use super::table::ShortMove;

const FROM_TABLE: i32 = 1 << 30;
const CAPTURED: i32 = 1 << 24;
const PROMOTION: i32 = 1 << 23;
const KILLER: i32 = 1 << 22;
/// Where the record of a move levels off.
const MOST_RECORD: i32 = 1 << 14;

/// Quiet moves that have cut off elsewhere: for every side and pair of ends how often, less how often not.
#[derive(Debug)]
pub(super) struct Record {
    worth: Vec<i32>,
}

impl Record {
    pub(super) fn new() -> Self {
        Self {
            worth: vec![0; 2 * MAX_SQUARES * MAX_SQUARES],
        }
    }

    pub(super) fn clear(&mut self) {
        self.worth.fill(0);
    }

    /// Makes what has been learnt count half.
    pub(super) fn fade(&mut self) {
        for worth in &mut self.worth {
            *worth /= 2;
        }
    }

    #[inline(always)]
    fn at<B: Board>(side: Color, mv: &Move<B>) -> usize {
        let ends = mv.from.index() * MAX_SQUARES + mv.to.index();
        usize::from(side.is_white()) * MAX_SQUARES * MAX_SQUARES + ends
    }

    /// Moves the record of a move towards its limit.
    pub(super) fn learn<B: Board>(&mut self, side: Color, mv: &Move<B>, bonus: i32) {
        let worth = &mut self.worth[Self::at(side, mv)];
        *worth += bonus - *worth * bonus.abs() / MOST_RECORD;
    }

    /// Fills `scores` with what the moves promise.
    #[inline(always)]
    pub(super) fn rate<B: Board>(
        &self,
        position: &Position<B>,
        moves: &[Move<B>],
        best: ShortMove,
        killers: &[ShortMove; 2],
        scores: &mut Vec<i32>,
    ) {
        scores.clear();
        let side = position.side();
        let foe_kings = position.kings(side.opponent());
        scores.extend(moves.iter().map(|mv| {
            let short = ShortMove::of(mv);
            if short == best {
                FROM_TABLE
            } else if mv.is_capture() {
                let kings = (mv.captured & foe_kings).len();
                CAPTURED + (mv.captured.len() + 2 * kings) as i32 * 2 + i32::from(mv.promotes)
            } else if mv.promotes {
                PROMOTION
            } else if let Some(at) = killers.iter().position(|killer| *killer == short) {
                KILLER - at as i32
            } else {
                self.worth[Self::at(side, mv)]
            }
        }));
    }
}

/// Brings the most promising of the moves from `at` on to `at`; among equals the first generated.
#[inline(always)]
pub(super) fn pick<B: Board>(moves: &mut [Move<B>], scores: &mut [i32], at: usize) {
    let mut best = at;
    for other in at + 1..scores.len() {
        if scores[other] > scores[best] {
            best = other;
        }
    }
    moves.swap(at, best);
    scores.swap(at, best);
}

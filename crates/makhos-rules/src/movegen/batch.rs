//! Counting the moves of many positions at once.
//!
//! Perft spends its time in the positions one ply above the leaves, and nearly all of those have only
//! quiet moves of men or only single jumps of men. Both are a handful of shifts, so siblings are counted
//! side by side in the lanes of vector registers (plain loops that the compiler vectorises), without a
//! branch. Lanes that need more, for longer chains or kings, are pointed out to be counted one by one.

use super::jumps::Jumps;
use super::{down_skew, down_straight, up_skew, up_straight};
use crate::board::Board;
use crate::position::Position;
use crate::rules::{Color, Precedence, Promotion, RuleSet};

/// Positions counted together: several vectors of any width. More would gain nothing measurable.
pub(crate) const LANES: usize = 16;

/// Up to [`LANES`] positions with the same side to move, as that side sees them.
pub(crate) struct Batch<B> {
    own: [B; LANES],
    opponents: [B; LANES],
    kings: [B; LANES],
}

impl<B: Board> Batch<B> {
    pub(crate) fn new() -> Self {
        Self {
            own: [B::EMPTY; LANES],
            opponents: [B::EMPTY; LANES],
            kings: [B::EMPTY; LANES],
        }
    }

    /// Sets one lane.
    #[inline(always)]
    pub(crate) fn set<const WHITE: bool>(&mut self, lane: usize, position: &Position<B>) {
        (self.own[lane], self.opponents[lane]) = if WHITE {
            (position.white, position.black)
        } else {
            (position.black, position.white)
        };
        self.kings[lane] = position.kings;
    }

    /// Empties one lane, which then counts nothing.
    #[inline(always)]
    pub(crate) fn clear(&mut self, lane: usize) {
        self.own[lane] = B::EMPTY;
        self.opponents[lane] = B::EMPTY;
        self.kings[lane] = B::EMPTY;
    }

    /// The position in one lane.
    #[inline(always)]
    pub(crate) fn position<const WHITE: bool>(&self, lane: usize) -> Position<B> {
        let (own, opponents) = (self.own[lane], self.opponents[lane]);
        let (white, black, side) = if WHITE {
            (own, opponents, Color::White)
        } else {
            (opponents, own, Color::Black)
        };
        Position {
            white,
            black,
            kings: self.kings[lane],
            side,
        }
    }
}

/// What the loop needs of a rule set, as sets that are empty where a rule does not apply.
struct Masks<B> {
    spared_by_men: B,
    quality: B,
    ends_chain: B,
    may_go_on_as_king: B,
}

impl<B: Board> Masks<B> {
    #[inline(always)]
    fn new<const WHITE: bool>(rules: &RuleSet) -> Self {
        let last_row = B::promotion_row(WHITE);
        let when = |rule: bool, set: B| if rule { set } else { B::EMPTY };
        Self {
            spared_by_men: when(!rules.man_captures_king, B::ALL),
            quality: when(
                matches!(
                    rules.precedence,
                    Precedence::MostPiecesThenKings | Precedence::Italian
                ),
                B::ALL,
            ),
            ends_chain: when(rules.promotion == Promotion::Stop, last_row),
            may_go_on_as_king: when(rules.promotion == Promotion::Continue, last_row),
        }
    }
}

/// The number of moves in all lanes that are simple, and a bit for each lane that is not.
///
/// `BACKWARD` tells whether men capture backward.
#[inline(always)]
pub(crate) fn count<B: Board, const WHITE: bool, const BACKWARD: bool>(
    rules: &RuleSet,
    batch: &Batch<B>,
) -> (u64, u32) {
    let masks = Masks::<B>::new::<WHITE>(rules);
    let mut moves = [0; LANES];
    let mut hard = [B::EMPTY; LANES];
    for lane in 0..LANES {
        (moves[lane], hard[lane]) = count_lane::<B, WHITE, BACKWARD>(
            &masks,
            batch.own[lane],
            batch.opponents[lane],
            batch.kings[lane],
        );
    }
    let mut total = 0;
    let mut hard_lanes = 0;
    for lane in 0..LANES {
        let is_hard = !hard[lane].is_empty();
        total += if is_hard { 0 } else { moves[lane] };
        hard_lanes |= u32::from(is_hard) << lane;
    }
    (u64::from(total), hard_lanes)
}

#[inline(always)]
fn count_lane<B: Board, const WHITE: bool, const BACKWARD: bool>(
    masks: &Masks<B>,
    own: B,
    opponents: B,
    kings: B,
) -> (u32, B) {
    let empty = B::ALL & !(own | opponents);
    let men = own & !kings;
    let opponent_kings = opponents & kings;
    let victims = opponents & !(opponent_kings & masks.spared_by_men);

    let board_jumps = Jumps::new(WHITE || BACKWARD, !WHITE || BACKWARD, victims, empty);
    let jumps = board_jumps.from(men);
    let going_on = (board_jumps.any() & !masks.ends_chain) | masks.may_go_on_as_king;
    let hard = (jumps.landings() & going_on) | (own & kings) | (opponent_kings & masks.quality);

    let quiet_squares = if jumps.any().is_empty() {
        empty
    } else {
        B::EMPTY
    };
    // Where there are jumps there are no quiet moves, so that they share two of the sums.
    let (quiet, forward, backward) = if WHITE {
        ([up_straight(men), up_skew(men)], jumps.up, jumps.down)
    } else {
        ([down_straight(men), down_skew(men)], jumps.down, jumps.up)
    };
    let mut moves = ((quiet[0] & quiet_squares) | forward[0]).len()
        + ((quiet[1] & quiet_squares) | forward[1]).len();
    if BACKWARD {
        moves += backward[0].len() + backward[1].len();
    }
    (moves, hard)
}

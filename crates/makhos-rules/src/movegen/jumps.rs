//! Captures of men as sets.
//!
//! Nearly all captures are one or two jumps of men. A jump is a straight and a skew shift in either
//! order (see [`super::up_straight`]), so the squares from which anything can be jumped are found for the
//! whole board at once, and a jump itself changes the index by the same amount everywhere. Longer
//! chains, kings, and men that are crowned in passing are left to the search.

use super::sink::JumpSink;
use super::{View, down_skew, down_straight, up_skew, up_straight};
use crate::board::{Board, Direction};
use crate::rules::{Precedence, Promotion, RuleSet};

/// Squares, occupied or not, from which a man could jump up or down, by its first step.
#[derive(Clone, Copy)]
pub(crate) struct Jumps<B> {
    /// Upwards: first step straight, first step skew.
    pub(crate) up: [B; 2],
    /// Downwards, likewise.
    pub(crate) down: [B; 2],
}

impl<B: Board> Jumps<B> {
    /// Jumps over `victims` to `empty`, upwards or downwards or both.
    #[inline(always)]
    pub(crate) fn new(up: bool, down: bool, victims: B, empty: B) -> Self {
        let mut jumps = Self {
            up: [B::EMPTY; 2],
            down: [B::EMPTY; 2],
        };
        if up {
            jumps.up = [
                down_straight(down_skew(empty) & victims),
                down_skew(down_straight(empty) & victims),
            ];
        }
        if down {
            jumps.down = [
                up_straight(up_skew(empty) & victims),
                up_skew(up_straight(empty) & victims),
            ];
        }
        jumps
    }

    /// All of them.
    #[inline(always)]
    pub(crate) fn any(&self) -> B {
        self.up[0] | self.up[1] | self.down[0] | self.down[1]
    }

    /// Only those from `squares`.
    #[inline(always)]
    pub(crate) fn from(&self, squares: B) -> Self {
        Self {
            up: self.up.map(|set| set & squares),
            down: self.down.map(|set| set & squares),
        }
    }

    /// The squares by direction, in the order of [`Direction::ALL`]. Going left, the first step is
    /// straight from even rows and skew from odd ones; going right it is the other way round.
    #[inline(always)]
    fn by_direction(&self) -> [B; 4] {
        let left = |[straight, skew]: [B; 2]| (straight & B::EVEN_ROWS) | (skew & B::ODD_ROWS);
        let right = |[straight, skew]: [B; 2]| (straight & B::ODD_ROWS) | (skew & B::EVEN_ROWS);
        [
            left(self.up),
            right(self.up),
            left(self.down),
            right(self.down),
        ]
    }

    /// Where all these jumps end.
    #[inline(always)]
    pub(crate) fn landings(&self) -> B {
        let [a, b, c, d] = self.by_direction();
        land(a, Direction::UpLeft)
            | land(b, Direction::UpRight)
            | land(c, Direction::DownLeft)
            | land(d, Direction::DownRight)
    }
}

/// Where jumps from `starts` in `direction` end; all of them must stay on the board.
#[inline(always)]
fn land<B: Board>(starts: B, direction: Direction) -> B {
    // Of the two steps one is straight and one skew, so the distance is the same from everywhere.
    let two_rows = 2 * B::PER_ROW;
    match direction {
        Direction::UpLeft => starts >> (two_rows + 1),
        Direction::UpRight => starts >> (two_rows - 1),
        Direction::DownLeft => starts << (two_rows - 1),
        Direction::DownRight => starts << (two_rows + 1),
    }
}

/// The square from which a jump in `direction` ends on `to`.
#[inline(always)]
pub(super) fn jump_start<B: Board>(to: usize, direction: Direction) -> usize {
    land(B::bit(to), direction.opposite()).lowest()
}

/// Captures of one and two pieces by men, by the directions of their jumps.
struct ShortChains<B> {
    singles: [B; 4],
    doubles: [[B; 4]; 4],
    any_double: B,
    /// Landing squares of chains that this does not cover.
    beyond: B,
}

impl<B: Board> ShortChains<B> {
    /// Finds the chains of `men`.
    ///
    /// `jumps` hold in the position before the move, and are exact for the second jump and for the
    /// question whether there is a third, if turning straight back is left out: the pieces taken so
    /// far lie elsewhere, and the square the man has left is out of reach of both.
    #[inline(always)]
    fn new<const WHITE: bool>(rules: &RuleSet, men: B, jumps: &Jumps<B>) -> Self {
        let starts = jumps.by_direction();
        let last_row = B::promotion_row(WHITE);
        let stops = if rules.promotion == Promotion::Stop {
            last_row
        } else {
            B::EMPTY
        };
        let crowned = if rules.promotion == Promotion::Continue {
            last_row
        } else {
            B::EMPTY
        };
        // From where a man that came in a direction can jump on.
        let on = Direction::ALL.map(|came| {
            let back = came.opposite();
            let others = Direction::ALL.into_iter().filter(|&next| next != back);
            others.fold(B::EMPTY, |set, next| set | starts[next as usize]) & !stops
        });
        let mut chains = Self {
            singles: [B::EMPTY; 4],
            doubles: [[B::EMPTY; 4]; 4],
            any_double: B::EMPTY,
            beyond: B::EMPTY,
        };
        for first in Direction::ALL {
            let landed = land(men & starts[first as usize], first);
            let going_on = landed & on[first as usize];
            chains.singles[first as usize] = landed & !going_on;
            chains.beyond |= landed & crowned;
            if going_on.is_empty() {
                continue;
            }
            for second in Direction::ALL {
                if second != first.opposite() {
                    let landed = land(going_on & starts[second as usize], second);
                    chains.doubles[first as usize][second as usize] = landed;
                    chains.any_double |= landed;
                    chains.beyond |= landed & (on[second as usize] | crowned);
                }
            }
        }
        chains
    }
}

/// Hands all captures to `sink` if they are by men and take at most two pieces, and all that take
/// equally many are of equal precedence. Otherwise hands over nothing and returns `false`.
///
/// `men` are those that can capture.
#[inline(always)]
pub(super) fn short_captures<B: Board, S: JumpSink<B>, const WHITE: bool>(
    rules: &RuleSet,
    view: &View<B>,
    men: B,
    jumps: &Jumps<B>,
    sink: &mut S,
) -> bool {
    let longest_only = match rules.precedence {
        Precedence::Free | Precedence::KingFirst => false,
        Precedence::MostPieces => true,
        Precedence::MostPiecesThenKings | Precedence::Italian => {
            if !view.opponent_kings.is_empty() {
                return false;
            }
            true
        }
    };
    let chains = ShortChains::new::<WHITE>(rules, men, jumps);
    if !chains.beyond.is_empty() {
        return false;
    }
    let last_row = B::promotion_row(WHITE);
    if !longest_only || chains.any_double.is_empty() {
        for direction in Direction::ALL {
            sink.single_jumps(chains.singles[direction as usize], direction, last_row);
        }
    }
    if !chains.any_double.is_empty() {
        for first in Direction::ALL {
            for second in Direction::ALL {
                let landings = chains.doubles[first as usize][second as usize];
                sink.double_jumps(landings, [first, second], last_row);
            }
        }
    }
    true
}

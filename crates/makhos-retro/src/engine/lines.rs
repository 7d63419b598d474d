//! Steps and slides of sets of squares along the diagonals, by shifts.
//!
//! One step changes the index by another amount on even and odd rows; two, four and eight steps by the
//! same one everywhere. So a slide over empty squares takes a few operations that double its length
//! (Kogge-Stone), and works on as many sets at once as a vector holds.

use makhos_rules::board::MAX_SQUARES;
use makhos_rules::{Board, Direction};

use super::outcome::Outcome;

/// Steps after which a doubling slide is complete on the largest board: 1 + 2 + 4 + 8 squares.
const DOUBLINGS: usize = 4;

/// Which squares have room for 2, 4 and 8 steps to the left and right within the board's columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines<B> {
    /// Squares at least 1, 2 and 4 squares of their row from the left edge; two steps each.
    from_left: [B; DOUBLINGS - 1],
    /// The same from the right edge.
    from_right: [B; DOUBLINGS - 1],
    /// The next square of each square, by direction.
    steps: [[B; MAX_SQUARES]; 4],
}

impl<B: Board> Lines<B> {
    pub(crate) fn new() -> Self {
        let at_least = |distance: u32, left: bool| {
            let mut set = B::EMPTY;
            for square in 0..B::SQUARES {
                let column = square % B::PER_ROW;
                let from_edge = if left {
                    column
                } else {
                    B::PER_ROW - 1 - column
                };
                if from_edge >= distance {
                    set |= B::bit(square as usize);
                }
            }
            set
        };
        Self {
            from_left: [1, 2, 4].map(|distance| at_least(distance, true)),
            from_right: [1, 2, 4].map(|distance| at_least(distance, false)),
            steps: Direction::ALL
                .map(|direction| B::single_squares().map(|square| step(square, direction))),
        }
    }

    /// For the square of each row what a king on it can cross or reach in `direction` without capture,
    /// flying or not.
    #[inline(always)]
    pub(crate) fn reach<const N: usize>(
        &self,
        flying: bool,
        empty: B,
        direction: Direction,
    ) -> [B; N] {
        if !flying {
            let mut reach = *self.steps[direction as usize]
                .first_chunk()
                .expect("rows are at most the squares of the largest board");
            for row in &mut reach {
                *row &= empty;
            }
            return reach;
        }
        // The direction is a constant in each loop, so that these are loops over vectors.
        match direction {
            Direction::UpLeft => self.slides(empty, Direction::UpLeft),
            Direction::UpRight => self.slides(empty, Direction::UpRight),
            Direction::DownLeft => self.slides(empty, Direction::DownLeft),
            Direction::DownRight => self.slides(empty, Direction::DownRight),
        }
    }

    #[inline(always)]
    fn slides<const N: usize>(&self, empty: B, direction: Direction) -> [B; N] {
        let mut reach = [B::EMPTY; N];
        let squares = B::single_squares();
        for row in 0..N {
            reach[row] = self.slide(squares[row], empty, direction) & empty;
        }
        reach
    }

    /// The set moved by `2 << doubling` steps.
    #[inline(always)]
    fn far(&self, set: B, direction: Direction, doubling: usize) -> B {
        let sideways = 1_u32 << doubling;
        let rows = B::PER_ROW * (2 << doubling);
        match direction {
            Direction::UpLeft => shr(set & self.from_left[doubling], rows + sideways),
            Direction::UpRight => shr(set & self.from_right[doubling], rows - sideways),
            Direction::DownLeft => shl(set & self.from_left[doubling], rows - sideways),
            Direction::DownRight => shl(set & self.from_right[doubling], rows + sideways),
        }
    }

    /// All squares that pieces on `set` reach in `direction` over squares of `empty`: the empty ones
    /// they cross and the first other one. The squares of `set` themselves need not be empty.
    #[inline(always)]
    pub(crate) fn slide(&self, set: B, empty: B, direction: Direction) -> B {
        let mut reached = set | (empty & step(set, direction));
        let mut open = empty & step(empty, direction);
        let mut doubling = 0;
        // Distances up to the rows less one; the last step is taken below.
        while (2 << doubling) < B::ROWS - 1 {
            reached |= open & self.far(reached, direction, doubling);
            open &= self.far(open, direction, doubling);
            doubling += 1;
        }
        step(reached, direction)
    }
}

/// `set >> by`, empty for shifts beyond the type, which only boards without such squares ask for.
#[inline(always)]
fn shr<B: Board>(set: B, by: u32) -> B {
    if by < B::SQUARES { set >> by } else { B::EMPTY }
}

/// `set << by` on the board.
#[inline(always)]
fn shl<B: Board>(set: B, by: u32) -> B {
    if by < B::SQUARES {
        (set << by) & B::ALL
    } else {
        B::EMPTY
    }
}

/// The set moved by one step; what leaves the board is gone.
#[inline(always)]
pub(crate) fn step<B: Board>(set: B, direction: Direction) -> B {
    let (even, odd) = (set & B::EVEN_ROWS, set & B::ODD_ROWS);
    match direction {
        Direction::UpLeft => (even >> B::PER_ROW) | ((odd & B::ODD_NOT_LEFT) >> (B::PER_ROW + 1)),
        Direction::UpRight => {
            ((even & B::EVEN_NOT_RIGHT) >> (B::PER_ROW - 1)) | (odd >> B::PER_ROW)
        }
        Direction::DownLeft => {
            ((even << B::PER_ROW) | ((odd & B::ODD_NOT_LEFT) << (B::PER_ROW - 1))) & B::ALL
        }
        Direction::DownRight => {
            (((even & B::EVEN_NOT_RIGHT) << (B::PER_ROW + 1)) | (odd << B::PER_ROW)) & B::ALL
        }
    }
}

/// What moves to the squares of `outcome` are worth to those who come from there in direction `back`: by
/// one step, or with `far` over any number of squares of `empty`, the best of which counts. What comes from
/// squares that are not empty is there too.
#[inline(always)]
pub(crate) fn moved<B: Board, const P: usize>(
    outcome: &Outcome<B, P>,
    back: Direction,
    empty: B,
    far: bool,
) -> Outcome<B, P> {
    let mut shifted = outcome.map(|set| step(set, back));
    let mut all = shifted;
    if !far {
        return all;
    }
    loop {
        shifted = shifted.map(|set| step(set & empty, back));
        if shifted.any.is_empty() {
            return all;
        }
        all.merge(&shifted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks square by square.
    fn walk<B: Board>(square: usize, empty: B, direction: Direction) -> B {
        let mut reached = B::EMPTY;
        let mut at = B::geometry().step[square][direction as usize];
        while !at.is_empty() {
            reached |= at;
            if (at & empty).is_empty() {
                break;
            }
            at = B::geometry().step[at.lowest()][direction as usize];
        }
        reached
    }

    fn slides_are_walks<B: Board>() {
        let lines = Lines::<B>::new();
        let mut random = 0x9E37_79B9_7F4A_7C15_u128;
        for _ in 0..500 {
            random = random
                .wrapping_mul(0x2545_F491_4F6C_DD1D_9E37_79B9)
                .rotate_left(59)
                ^ 77;
            let empty = B::from_u128(random) & B::ALL;
            let pair = (random >> 64) as usize;
            let squares = [
                pair % B::SQUARES as usize,
                (pair >> 20) % B::SQUARES as usize,
            ];
            let set = B::bit(squares[0]) | B::bit(squares[1]);
            for direction in Direction::ALL {
                let each = squares.map(|square| walk(square, empty, direction));
                assert_eq!(lines.slide(set, empty, direction), each[0] | each[1]);
                let steps = squares.map(|square| B::geometry().step[square][direction as usize]);
                assert_eq!(step(set, direction), steps[0] | steps[1]);
            }
        }
    }

    #[test]
    fn on_every_board() {
        slides_are_walks::<u32>();
        slides_are_walks::<u64>();
        slides_are_walks::<u128>();
    }
}

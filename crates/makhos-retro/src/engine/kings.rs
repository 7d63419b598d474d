//! The kings of a class beside the inner ones, and where kings can move.

use makhos_rules::{Board, Direction, RuleSet};

use super::lines::{Lines, step};
use super::mask::{all_if, bits};
use super::moves::flying;
use super::ranks::{rank, sets, subsets};

/// A move of one king of a set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KingMove<B> {
    /// The rank of the set afterwards.
    pub(super) to: u32,
    /// The squares crossed.
    pub(super) between: B,
}

/// The sets of a side's other kings, by rank, and the moves between them.
#[derive(Debug)]
pub(crate) struct OtherKings<B> {
    sets: Vec<B>,
    moves: Vec<KingMove<B>>,
    /// Where the moves of each set begin; one more at the end.
    starts: Vec<u32>,
}

impl<B: Board> OtherKings<B> {
    /// All sets of `kings` squares.
    pub(crate) fn new(rules: &RuleSet, kings: u32) -> Self {
        let all: Vec<B> = subsets(B::ALL, kings).collect();
        debug_assert_eq!(all.len(), sets(B::SQUARES, kings));
        let mut moves = Vec::new();
        let mut starts = vec![0];
        for &set in &all {
            for from in set.squares() {
                for direction in Direction::ALL {
                    add_moves(rules, set, from, direction, &mut moves);
                }
            }
            starts.push(moves.len() as u32);
        }
        Self {
            sets: all,
            moves,
            starts,
        }
    }

    /// How many sets there are.
    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }

    /// The set with this rank.
    pub(crate) fn set(&self, rank: usize) -> B {
        self.sets[rank]
    }

    /// Bytes that the sets and moves of `kings` kings take.
    pub(crate) fn bytes(rules: &RuleSet, kings: u32) -> u64 {
        let a_king = if flying(rules) { 2 * B::ROWS } else { 4 };
        let a_set = size_of::<B>() + 4 + (kings * a_king) as usize * size_of::<KingMove<B>>();
        sets(B::SQUARES, kings) as u64 * a_set as u64
    }

    #[inline(always)]
    pub(super) fn moves(&self, rank: usize) -> &[KingMove<B>] {
        &self.moves[self.starts[rank] as usize..self.starts[rank + 1] as usize]
    }
}

/// Adds the moves of the king on `from` in one direction.
fn add_moves<B: Board>(
    rules: &RuleSet,
    set: B,
    from: usize,
    direction: Direction,
    moves: &mut Vec<KingMove<B>>,
) {
    let mut between = B::EMPTY;
    let mut to = B::geometry().step[from][direction as usize];
    while !to.is_empty() && (to & set).is_empty() {
        let after = (set & !B::bit(from)) | to;
        moves.push(KingMove {
            to: rank(after) as u32,
            between,
        });
        if !flying(rules) {
            break;
        }
        between |= to;
        to = B::geometry().step[to.lowest()][direction as usize];
    }
}

/// Everything about the kings of a class that is the same for all configurations of its men.
#[derive(Debug)]
pub(crate) struct KingRoom<B, const N: usize> {
    flying: bool,
    lines: Lines<B>,
    /// White's other kings, then Black's.
    pub(crate) others: [OtherKings<B>; 2],
    /// Squares on even rows with a right neighbour, and on odd rows with a left one: all or none by row
    /// of a block.
    even_not_right: [B; N],
    odd_not_left: [B; N],
}

impl<B: Board, const N: usize> KingRoom<B, N> {
    /// For the numbers of White's and Black's kings without the inner ones.
    pub(crate) fn new(rules: &RuleSet, others: [u32; 2]) -> Self {
        let rows = |set: B| {
            let mut rows = [B::EMPTY; N];
            for (square, row) in rows.iter_mut().enumerate() {
                *row = all_if(square < B::SQUARES as usize && set.contains(square));
            }
            rows
        };
        Self {
            flying: flying(rules),
            lines: Lines::new(),
            others: others.map(|kings| OtherKings::new(rules, kings)),
            even_not_right: rows(B::EVEN_NOT_RIGHT),
            odd_not_left: rows(B::ODD_NOT_LEFT),
        }
    }

    /// The squares from which a king that is a bit moves to one of `set` over `empty` squares.
    #[inline(always)]
    pub(super) fn inner_moves(&self, set: B, empty: B) -> B {
        if self.flying {
            self.slides(set, empty)
        } else {
            steps(set)
        }
    }

    #[inline(always)]
    fn slides(&self, set: B, empty: B) -> B {
        self.lines.slide(set, empty, Direction::UpLeft)
            | self.lines.slide(set, empty, Direction::UpRight)
            | self.lines.slide(set, empty, Direction::DownLeft)
            | self.lines.slide(set, empty, Direction::DownRight)
    }

    /// Whether kings fly.
    #[inline(always)]
    pub(super) fn flying(&self) -> bool {
        self.flying
    }

    /// Blocks of one side to move.
    pub(crate) fn blocks(&self) -> usize {
        self.others[0].len() * self.others[1].len()
    }

    /// The positions from which the inner king of the side to move reaches one of `rows`.
    #[inline(always)]
    pub(super) fn inner_reach<const WHITE: bool>(&self, rows: &[B; N], empty: B) -> [B; N] {
        match (WHITE, self.flying) {
            (true, true) => rows_slide(rows, empty),
            (true, false) => self.rows_step(rows),
            (false, true) => {
                let mut reach = [B::EMPTY; N];
                let bits = bits::<B, N>();
                for row in 0..N {
                    reach[row] = self.slides(rows[row], empty & !bits[row]);
                }
                reach
            }
            (false, false) => {
                let mut reach = [B::EMPTY; N];
                for row in 0..N {
                    reach[row] = steps(rows[row]);
                }
                reach
            }
        }
    }

    /// Each row combined with its neighbours in all four directions.
    #[inline(always)]
    fn rows_step(&self, rows: &[B; N]) -> [B; N] {
        /// More than the farthest neighbour on the largest board.
        const EDGE: usize = 8;
        const ROOM: usize = makhos_rules::board::MAX_SQUARES + 2 * EDGE;
        let mut wide = [B::EMPTY; ROOM];
        wide[EDGE..EDGE + N].copy_from_slice(rows);
        let per_row = B::PER_ROW as usize;
        let shifted = |by: usize| -> &[B; N] { wide[by..by + N].try_into().expect("N rows") };
        // One direction up and one down is straight on every row; the others depend on its parity.
        let straight = [shifted(EDGE - per_row), shifted(EDGE + per_row)];
        let even = [shifted(EDGE - per_row + 1), shifted(EDGE + per_row + 1)];
        let odd = [shifted(EDGE - per_row - 1), shifted(EDGE + per_row - 1)];
        let mut reach = [B::EMPTY; N];
        for row in 0..N {
            reach[row] = straight[0][row]
                | straight[1][row]
                | (self.even_not_right[row] & (even[0][row] | even[1][row]))
                | (self.odd_not_left[row] & (odd[0][row] | odd[1][row]));
        }
        reach
    }
}

/// Each row combined with all rows that a flying king reaches from its square.
#[inline(always)]
fn rows_slide<B: Board, const N: usize>(rows: &[B; N], empty: B) -> [B; N] {
    let mut reach = [B::EMPTY; N];
    let geometry = B::geometry();
    for direction in Direction::ALL {
        let mut line = [B::EMPTY; N];
        for number in 0..B::SQUARES as usize {
            let square = if direction.is_up() {
                number
            } else {
                B::SQUARES as usize - 1 - number
            };
            let next = geometry.step[square][direction as usize];
            if next.is_empty() {
                continue;
            }
            let next_square = next.lowest();
            // Over an empty square, unless Black's inner king is there, to what lies behind it.
            let pass = all_if::<B>(!(next & empty).is_empty()) & !next;
            let set = rows[next_square] | (line[next_square] & pass);
            line[square] = set;
            reach[square] |= set;
        }
    }
    reach
}

/// The neighbours of a set.
#[inline(always)]
fn steps<B: Board>(set: B) -> B {
    step(set, Direction::UpLeft)
        | step(set, Direction::UpRight)
        | step(set, Direction::DownLeft)
        | step(set, Direction::DownRight)
}

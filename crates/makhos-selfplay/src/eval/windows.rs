//! Windows on the board and the numbers of the patterns of men seen through them.
//!
//! A window is a rectangle of dark squares. Its pattern is a number in base 3 with a digit for each square: 0
//! for no man, 1 for a man of the side that looks, 2 for a man of the other. Both sides look through every
//! window, Black with the board turned, so that a window and its image by rotation share one table.
//!
//! A number is linear in the men, so all patterns at once are a sum of vectors: one for the men of one colour
//! on one row.

use std::marker::PhantomData;

use makhos_rules::rules::Color;
use makhos_rules::{Board, Position, Square};

/// Patterns added at once.
const LANES: usize = 8;
/// Most patterns of a position.
pub(super) const MOST_PATTERNS: usize = 2 * LANES;

/// A rectangle of squares: rows from the top, and squares within a row from the left.
#[derive(Clone, Copy, Debug)]
struct Window {
    top: u32,
    left: u32,
    height: u32,
}

/// Dark squares of a window in each row.
const WIDTH: u32 = 2;

impl Window {
    /// Its squares; the first is the lowest digit.
    fn squares<B: Board>(self) -> Vec<Square> {
        let rows = self.top..self.top + self.height;
        let squares = rows
            .flat_map(|row| (self.left..self.left + WIDTH).map(move |at| row * B::PER_ROW + at));
        squares.map(|index| Square::new(index as u8)).collect()
    }
}

/// The windows of a board; what they show turned by 180 degrees is seen by the other side.
fn windows<B: Board>() -> Vec<Window> {
    let row = |top, height, count| (0..count).map(move |left| Window { top, left, height });
    let across = B::PER_ROW - 1;
    match B::ROWS {
        8 => row(0, 5, across).collect(),
        10 => row(0, 6, across).collect(),
        // Those in the middle rows are each other's images, but for the one in the centre.
        _ => row(0, 6, across)
            .chain(row(3, 6, across.div_ceil(2)))
            .collect(),
    }
}

/// The numbers of all patterns of a position.
#[derive(Debug)]
pub(super) struct Windows<B> {
    /// Windows, each with a table of its own.
    tables: usize,
    /// Patterns of one window.
    patterns: usize,
    /// What the men of a row add: by group of lanes, colour, row and men.
    sums: Vec<[u32; LANES]>,
    board: PhantomData<B>,
}

impl<B: Board> Windows<B> {
    pub(super) fn new() -> Self {
        let windows = windows::<B>();
        let tables = windows.len();
        let height = windows.first().map_or(0, |window| window.height);
        let groups = (2 * tables).div_ceil(LANES);
        let mut all = Self {
            tables,
            patterns: 3_usize.pow(WIDTH * height),
            sums: vec![[0; LANES]; groups * 2 * Self::PER_COLOR],
            board: PhantomData,
        };
        for (table, window) in windows.iter().enumerate() {
            for (digit, square) in window.squares::<B>().into_iter().enumerate() {
                let turned = B::SQUARES as usize - 1 - square.index();
                let unit = 3_u32.pow(digit as u32);
                all.set(table, Color::White, square.index(), unit);
                all.set(table, Color::Black, square.index(), 2 * unit);
                all.set(tables + table, Color::Black, turned, unit);
                all.set(tables + table, Color::White, turned, 2 * unit);
            }
        }
        all
    }

    /// Sets of men on a row.
    const ROW_SETS: usize = 1 << B::PER_ROW;
    /// Vectors of one colour and group.
    const PER_COLOR: usize = Self::ROW_SETS * B::ROWS as usize;

    /// A man of `color` on a square adds `value` to the number of a pattern.
    fn set(&mut self, pattern: usize, color: Color, square: usize, value: u32) {
        let (group, lane) = (pattern / LANES, pattern % LANES);
        let (row, at) = (square / B::PER_ROW as usize, square % B::PER_ROW as usize);
        let start = (group * 2 + usize::from(!color.is_white())) * Self::PER_COLOR;
        for men in (0..Self::ROW_SETS).filter(|men| men >> at & 1 == 1) {
            self.sums[start + row * Self::ROW_SETS + men][lane] += value;
        }
    }

    /// The number of tables.
    pub(super) fn tables(&self) -> usize {
        self.tables
    }

    /// The length of a table.
    pub(super) fn patterns(&self) -> usize {
        self.patterns
    }

    /// The patterns that White sees, by table, and then those that Black sees.
    #[inline(always)]
    pub(super) fn numbers(&self, position: &Position<B>) -> [u32; MOST_PATTERNS] {
        let men = [position.men(Color::White), position.men(Color::Black)];
        let mut numbers = [0; MOST_PATTERNS];
        let groups = self.sums.chunks_exact(2 * Self::PER_COLOR);
        for (numbers, sums) in numbers.chunks_exact_mut(LANES).zip(groups) {
            let mut total = [0; LANES];
            for (men, sums) in men.iter().zip(sums.chunks_exact(Self::PER_COLOR)) {
                for (row, sums) in sums.chunks_exact(Self::ROW_SETS).enumerate() {
                    let men = (*men >> (row as u32 * B::PER_ROW)).to_u128() as usize;
                    let sum = &sums[men % Self::ROW_SETS];
                    for (total, sum) in total.iter_mut().zip(sum) {
                        *total += sum;
                    }
                }
            }
            numbers.copy_from_slice(&total);
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares_of_a_window_lie_on_neighbouring_columns<B: Board>(tables: usize, patterns: usize) {
        let all = Windows::<B>::new();
        assert_eq!((all.tables(), all.patterns()), (tables, patterns));
        assert!(2 * tables <= MOST_PATTERNS);
        let mut covered = B::EMPTY;
        for window in windows::<B>() {
            let squares = window.squares::<B>();
            assert_eq!(3_usize.pow(squares.len() as u32), patterns);
            for square in squares {
                covered |= B::bit(square.index());
            }
        }
        assert_eq!(covered | covered.rotate(), B::ALL);
    }

    #[test]
    fn windows_cover_every_board() {
        squares_of_a_window_lie_on_neighbouring_columns::<u32>(3, 59_049);
        squares_of_a_window_lie_on_neighbouring_columns::<u64>(4, 531_441);
        squares_of_a_window_lie_on_neighbouring_columns::<u128>(8, 531_441);
    }

    #[test]
    fn digits_are_those_of_the_squares() {
        let windows = Windows::<u32>::new();
        // White men on the first square of the second row and on the last row, a Black one on the second square.
        let men = |bits| bits;
        let position = Position::<u32>::new(men(1 << 4 | 1 << 31), 0, men(1 << 1), 0, Color::White);
        let numbers = windows.numbers(&position.expect("a position"));
        // The first window: squares 0, 1, 4, 5, 8, ...
        assert_eq!(numbers[0], 2 * 3 + 9);
        // The second: 1, 2, 5, ...
        assert_eq!(numbers[1], 2);
        assert_eq!(numbers[2], 0);
        // Black sees the board turned: squares 31, 30, 27, ...; its man on 1 is its own on square 30.
        assert_eq!(numbers[3], 2);
        assert_eq!(numbers[4], 0);
    }
}

//! How the numbers of a class lie in rows: which earlier number is the one above.
//!
//! The innermost pieces of the numbering are Black's kings, without these White's kings, without any
//! king Black's men. A row is a run of numbers in which only the lowest of them moves, square by square.
//! Above a number is the one with the next higher of them (with a single one: whatever comes next in
//! the numbering) a square back. See "Index scheme 1" in `FORMAT.md`.

use makhos_index::{Material, binomials};

/// Most pieces of one kind that a class can have: the board would be full.
const MAX_PIECES: usize = 72;

/// One size of the innermost sets and where in the numbering it begins.
#[derive(Clone, Copy, Debug)]
struct Zone {
    /// The first index with it.
    start: u64,
    /// Squares the innermost pieces are on.
    squares: u64,
    /// Sets of them.
    sets: u64,
}

/// The rows of a class.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// The innermost pieces.
    pieces: usize,
    /// By the first index; one, but with men only one for each number of White's men on the bottom row.
    zones: Vec<Zone>,
    /// Squares of the board, and in a row of it.
    squares: usize,
    per_row: usize,
}

/// Some consecutive numbers of one row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    /// Where the lowest innermost piece is at the first of them; one more for each that follows.
    pub(crate) column: usize,
    /// How many.
    pub(crate) len: usize,
    /// How far back the number above is, at least 1.
    pub(crate) up: usize,
}

impl Rows {
    /// The rows of a class on a board with so many rows. The class fits the board.
    pub(crate) fn new(board_rows: u8, material: Material) -> Self {
        let per_row = u64::from(board_rows) / 2;
        let squares = u64::from(board_rows) * per_row;
        let (white, black) = (material.white, material.black);
        let men = u64::from(white.men + black.men);
        let one = |squares: u64, pieces: u8| Zone {
            start: 0,
            squares,
            sets: binomials(pieces.into())[squares as usize],
        };
        let (pieces, zones) = match (white.kings, black.kings) {
            (0, 0) => (black.men, Self::zones_of_men(squares, per_row, material)),
            (kings, 0) => (kings, vec![one(squares - men, kings)]),
            (others, kings) => {
                let free = squares - men - u64::from(others);
                (kings, vec![one(free, kings)])
            }
        };
        Self {
            pieces: pieces.into(),
            zones,
            squares: squares as usize,
            per_row: per_row as usize,
        }
    }

    /// Black's men as the innermost pieces.
    fn zones_of_men(squares: u64, per_row: u64, material: Material) -> Vec<Zone> {
        let choose = |from: u64, count: u64| match count <= from {
            true => binomials(count as usize)[from as usize],
            false => 0,
        };
        let white = u64::from(material.white.men);
        let mut start = 0;
        let mut zones = Vec::new();
        for bottom in 0..=white.min(per_row) {
            let others = white - bottom;
            let free = (squares - per_row).saturating_sub(others);
            let sets = choose(free, material.black.men.into());
            let outer = choose(per_row, bottom) * choose(squares - 2 * per_row, others);
            if outer > 0 && sets > 0 {
                zones.push(Zone {
                    start,
                    squares: free,
                    sets,
                });
                start += outer * sets;
            }
        }
        zones
    }

    /// Squares of the board, more than any column.
    pub(crate) fn squares(&self) -> usize {
        self.squares
    }

    /// Squares in a row of the board.
    pub(crate) fn per_row(&self) -> usize {
        self.per_row
    }

    /// Calls `each` with the runs of the `len` numbers from `start` on, in their order.
    #[inline]
    pub(crate) fn for_each_run(&self, start: u64, len: usize, mut each: impl FnMut(Run)) {
        let mut number = self.zones.partition_point(|zone| zone.start <= start) - 1;
        let mut zone = self.zones[number];
        let mut place = Place::new(&zone, self.pieces, (start - zone.start) % zone.sets);
        let (mut at, mut left) = (start, len);
        while left > 0 {
            let run = place.run(left);
            each(run);
            at += run.len as u64;
            left -= run.len;
            if left == 0 {
                break;
            }
            let next = self.zones.get(number + 1);
            if let Some(next) = next.filter(|next| next.start == at) {
                zone = *next;
                number += 1;
                place = Place::new(&zone, self.pieces, 0);
            } else {
                place.end_row(&zone);
            }
        }
    }
}

/// Where the innermost pieces are.
struct Place {
    /// Their squares, ascending; behind them the number of squares.
    squares: [u8; MAX_PIECES + 1],
    pieces: usize,
}

impl Place {
    /// The set with this rank.
    fn new(zone: &Zone, pieces: usize, mut rank: u64) -> Self {
        let mut squares = [0; MAX_PIECES + 1];
        squares[pieces] = zone.squares as u8;
        for piece in (0..pieces).rev() {
            let counts = &binomials(piece + 1)[..=usize::from(squares[piece + 1])];
            let square = counts.partition_point(|&count| count <= rank) - 1;
            let square = square.min(usize::from(squares[piece + 1]).saturating_sub(1));
            rank -= counts[square];
            squares[piece] = square as u8;
        }
        Self { squares, pieces }
    }

    /// The numbers from here to the end of the row, at most `most`.
    #[inline]
    fn run(&self, most: usize) -> Run {
        let (column, end) = (usize::from(self.squares[0]), usize::from(self.squares[1]));
        Run {
            column,
            len: (end - column).min(most),
            up: if self.pieces == 1 {
                end
            } else {
                (end - 1).max(1)
            },
        }
    }

    /// The first place of the next row.
    #[inline]
    fn end_row(&mut self, zone: &Zone) {
        // The lowest piece is at the end of its row: the next one moves, and all below it go back.
        let mut piece = 1;
        while piece < self.pieces && self.squares[piece] + 1 == self.squares[piece + 1] {
            piece += 1;
        }
        if piece < self.pieces {
            self.squares[piece] += 1;
        } else {
            piece = self.pieces;
            self.squares[piece] = zone.squares as u8;
        }
        for (square, below) in self.squares[..piece].iter_mut().zip(0..) {
            *square = below;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use makhos_index::PlacementIndex;
    use makhos_rules::{Board, Color, Position};

    /// The column of an index by the pieces on the board.
    fn column(position: &Position<u32>) -> usize {
        let kings = |color| position.kings(color);
        let men = position.men(Color::White) | position.men(Color::Black);
        let (inner, others) = match (kings(Color::White), kings(Color::Black)) {
            (0, 0) => (position.men(Color::Black), position.men(Color::White)),
            (white, 0) => (white, men),
            (white, black) => (black, men | white),
        };
        let lowest = inner.lowest();
        lowest - (others & (u32::bit(lowest) - 1)).len() as usize
    }

    #[test]
    fn columns_are_those_of_the_pieces() {
        for text in [
            "1k-1k", "2k-1m", "1k-1m", "1m1k-1k", "2k-2k", "3k-1m", "1m-1m", "2m-2m", "6m-1m",
        ] {
            let material: Material = text.parse().expect("well-formed");
            let index = PlacementIndex::<u32>::new(material).expect("fits");
            let rows = Rows::new(8, material);
            for start in [0, 1, 500, index.len() / 2, index.len() - 100] {
                let len = (index.len() - start).min(3000) as usize;
                let mut at = start;
                rows.for_each_run(start, len, |run| {
                    assert!(run.len > 0 && run.up > 0 && run.up <= rows.squares());
                    for number in 0..run.len {
                        let position = index.position(at, Color::White);
                        assert_eq!(column(&position), run.column + number, "{text} {at}");
                        at += 1;
                    }
                });
                assert_eq!(at, start + len as u64);
            }
        }
    }

    #[test]
    fn above_is_the_next_piece_a_square_back() {
        let rows = Rows::new(8, "2k-2k".parse().expect("well-formed"));
        let mut seen = Vec::new();
        rows.for_each_run(0, 10, |run| seen.push((run.column, run.len, run.up)));
        // The pairs are 01, 02 12, 03 13 23, 04 14 24 34.
        assert_eq!(seen, [(0, 1, 1), (0, 2, 1), (0, 3, 2), (0, 4, 3)]);
        let rows = Rows::new(8, "2k-1k".parse().expect("well-formed"));
        seen.clear();
        rows.for_each_run(35, 40, |run| seen.push((run.column, run.len, run.up)));
        assert_eq!(seen, [(5, 25, 30), (0, 15, 30)]);
    }
}

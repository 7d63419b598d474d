//! The board as rows and columns of cells.

use makhos_rules::{Board, Color, Position, PositionError};

/// A piece of either side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Whose piece it is.
    pub color: Color,
    /// Whether it is a king; else it is a man.
    pub king: bool,
}

/// A place on the board, or beyond it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cell {
    /// Counted from the top, White moving up.
    pub row: i32,
    /// Counted from the left.
    pub column: i32,
}

/// A diagonal direction: the change of row and of column by one step, each 1 or -1.
pub(crate) type Step = (i32, i32);

/// All four directions.
pub(crate) const STEPS: [Step; 4] = [(-1, -1), (-1, 1), (1, -1), (1, 1)];

impl Cell {
    /// The neighbour in the direction `step`.
    #[must_use]
    pub(crate) fn next(self, step: Step) -> Self {
        Self {
            row: self.row + step.0,
            column: self.column + step.1,
        }
    }
}

/// A board with pieces, without a side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    size: i32,
    cells: Vec<Vec<Option<Piece>>>,
}

impl Grid {
    /// The board of the size of `B` without pieces.
    #[must_use]
    pub fn empty<B: Board>() -> Self {
        let size = B::ROWS as usize;
        Self {
            size: size as i32,
            cells: vec![vec![None; size]; size],
        }
    }

    /// The board of `position`.
    #[must_use]
    pub fn of<B: Board>(position: &Position<B>) -> Self {
        let mut grid = Self::empty::<B>();
        for color in [Color::White, Color::Black] {
            for index in 0..B::SQUARES as usize {
                let king = position.kings(color).contains(index);
                if king || position.men(color).contains(index) {
                    grid.set(grid.cell(index), Some(Piece { color, king }));
                }
            }
        }
        grid
    }

    /// The position with this board and `side` to move.
    ///
    /// # Errors
    /// Those of [`Position::new`], e.g. for a man on its promotion row.
    ///
    /// # Panics
    /// If the board is of another size than `B`.
    pub fn position<B: Board>(&self, side: Color) -> Result<Position<B>, PositionError> {
        assert_eq!(self.size, B::ROWS as i32, "board of another size");
        let set = |color, king| {
            let wanted = Some(Piece { color, king });
            (0..B::SQUARES as usize)
                .filter(|index| self.at(self.cell(*index)) == wanted)
                .fold(B::EMPTY, |set, index| set | B::bit(index))
        };
        Position::new(
            set(Color::White, false),
            set(Color::White, true),
            set(Color::Black, false),
            set(Color::Black, true),
            side,
        )
    }

    /// The playable cell with the index `index`: row by row from the top, the lower left corner
    /// playable.
    #[must_use]
    pub fn cell(&self, index: usize) -> Cell {
        let per_row = self.size / 2;
        let row = index as i32 / per_row;
        // Playable cells have an odd sum of row and column, as has the lower left corner.
        let column = 2 * (index as i32 % per_row) + (row + 1) % 2;
        Cell { row, column }
    }

    /// The index of a playable cell.
    #[must_use]
    pub fn index(&self, cell: Cell) -> usize {
        (cell.row * (self.size / 2) + cell.column / 2) as usize
    }

    /// Every playable cell.
    pub(crate) fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        (0..(self.size * self.size / 2) as usize).map(|index| self.cell(index))
    }

    /// Whether the cell is on the board.
    #[must_use]
    pub(crate) fn contains(&self, cell: Cell) -> bool {
        (0..self.size).contains(&cell.row) && (0..self.size).contains(&cell.column)
    }

    /// The piece on a cell; none beyond the board.
    #[must_use]
    pub fn at(&self, cell: Cell) -> Option<Piece> {
        if self.contains(cell) {
            self.cells[cell.row as usize][cell.column as usize]
        } else {
            None
        }
    }

    /// Whether the cell is on the board and empty.
    #[must_use]
    pub(crate) fn is_free(&self, cell: Cell) -> bool {
        self.contains(cell) && self.at(cell).is_none()
    }

    /// Puts `piece` on a cell of the board, or clears it.
    pub(crate) fn set(&mut self, cell: Cell, piece: Option<Piece>) {
        self.cells[cell.row as usize][cell.column as usize] = piece;
    }

    /// A copy with the cell changed.
    #[must_use]
    pub(crate) fn with(&self, cell: Cell, piece: Option<Piece>) -> Self {
        let mut copy = self.clone();
        copy.set(cell, piece);
        copy
    }

    /// Whether a man of `color` is promoted on this cell.
    #[must_use]
    pub(crate) fn is_last_row(&self, cell: Cell, color: Color) -> bool {
        cell.row == if color.is_white() { 0 } else { self.size - 1 }
    }
}

/// Whether `step` leads forward for the men of `color`.
#[must_use]
pub(crate) fn is_forward(step: Step, color: Color) -> bool {
    (step.0 < 0) == color.is_white()
}

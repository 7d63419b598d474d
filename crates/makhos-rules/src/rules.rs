//! What a draughts variant is, as data: a [`RuleSet`] of a dozen small choices.
//!
//! The move generator reads nothing else, so a new variant of the same family is one more constant in
//! [`crate::variant`] and a house rule is one changed field.

use crate::board::Direction;

/// A player. White moves up the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Color {
    /// The side whose men move up, towards square 0.
    White,
    /// The side whose men move down.
    Black,
}

impl Color {
    /// The other side.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// Whether this is White.
    #[must_use]
    pub const fn is_white(self) -> bool {
        matches!(self, Self::White)
    }

    /// The two directions in which this side's men advance.
    #[must_use]
    pub const fn forward(self) -> [Direction; 2] {
        match self {
            Self::White => [Direction::UpLeft, Direction::UpRight],
            Self::Black => [Direction::DownLeft, Direction::DownRight],
        }
    }
}

/// The size of the board, which selects the integer type of [`crate::board::Board`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum BoardSize {
    /// 32 playable squares, `u32`.
    Eight = 8,
    /// 50 playable squares, `u64`.
    Ten = 10,
    /// 72 playable squares, `u128`.
    Twelve = 12,
}

impl BoardSize {
    /// Rows and columns.
    #[must_use]
    pub const fn rows(self) -> u32 {
        self as u32
    }

    /// Playable squares.
    #[must_use]
    pub const fn squares(self) -> u32 {
        self.rows() * self.rows() / 2
    }
}

/// How far a king moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum KingRange {
    /// One square; it captures an adjacent piece.
    Short = 0,
    /// Any number of empty squares, also before and after a captured piece.
    Flying = 1,
}

/// Where a flying king may stop behind the piece it has just captured.
///
/// In every case a king that can capture on from one of the squares it may choose must choose such a
/// square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum KingLanding {
    /// On any empty square behind the piece.
    Any = 0,
    /// On the square right behind the piece, after every capture of the chain (Thai).
    Behind = 1,
    /// As [`Any`](Self::Any), but right behind the piece if that is the last one and a king (Killer).
    BehindIfLastIsKing = 2,
}

/// When captured pieces leave the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Removal {
    /// Once the whole move is over: until then they block, and none may be jumped twice.
    AtEnd = 0,
    /// As soon as each is jumped: its square is empty for the rest of the move.
    AtOnce = 1,
}

/// What happens to a man that reaches the last row by a capture.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Promotion {
    /// It is crowned and the move ends.
    Stop = 0,
    /// It goes on capturing as a man if it can, and is crowned only if the move ends there.
    Pass = 1,
    /// It is crowned and goes on capturing as a king if it can.
    Continue = 2,
}

/// Which of the possible captures must be taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Precedence {
    /// Any.
    Free = 0,
    /// One made by a king if there is one, else any (Czech).
    KingFirst = 1,
    /// One that takes the most pieces (International, Brazilian).
    MostPieces = 2,
    /// The most pieces, among those the most kings (Spanish, Portuguese).
    MostPiecesThenKings = 3,
    /// The most pieces; then a king as taker; then the most kings; then the kings met earliest
    /// (Italian, FID articles 6.6-6.9).
    Italian = 4,
}

/// How squares are named in PDN and printed FEN of the variant. See [`crate::notation`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum SquareNames {
    /// Numbers, 1 at the top left as White sees the board, row by row.
    TopLeft = 0,
    /// Numbers, 1 at the bottom right as White sees the board, row by row upwards.
    BottomRight = 1,
    /// `a1` at the bottom left as White sees the board.
    Algebraic = 2,
}

/// How a variant is written down. It has no influence on play or on table values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NotationRules {
    /// Names of squares in PDN.
    pub squares: SquareNames,
    /// The character between the squares of a capture in PDN: `x`, `:` or `-`.
    pub capture: char,
    /// The value of the PDN tag `GameType`, e.g. `20,W,10,10,N2,0`, after the PDN 3.0 standard
    /// (github.com/wiegerw/pdn, `doc/gametype.rst`).
    pub game_type: &'static str,
}

/// A complete set of rules: what the move generator and the notation need to know about a variant.
///
/// Drawing rules are not part of it: tables hold values without move counters.
///
/// Sources of every field of every variant are given with the constants in [`crate::variant`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RuleSet {
    /// The variant's name on the command line, e.g. `russian`.
    pub name: &'static str,
    /// Board size.
    pub board: BoardSize,
    /// Whether the real board is the mirror image, its lower left corner not playable. Notation only.
    pub mirrored: bool,
    /// Rows filled with men on each side at the start.
    pub man_rows: u8,
    /// The side that moves first.
    pub first: Color,
    /// Whether men also capture backward. They always move forward.
    pub man_captures_backward: bool,
    /// Whether a man may capture a king.
    pub man_captures_king: bool,
    /// How far kings move.
    pub king_range: KingRange,
    /// Where a flying king lands; unused by short kings.
    pub king_landing: KingLanding,
    /// When captured pieces are lifted.
    pub removal: Removal,
    /// Whether a flying king may turn by 180 degrees in the middle of a capture. Only possible where
    /// pieces are lifted at once.
    pub uturn: bool,
    /// What happens to a man that reaches the last row by a capture.
    pub promotion: Promotion,
    /// Which captures must be taken.
    pub precedence: Precedence,
    /// How the variant is written.
    pub notation: NotationRules,
}

/// Length of [`RuleSet::move_rules_bytes`].
pub const MOVE_RULES_LEN: usize = 9;

impl RuleSet {
    /// The rules that decide which moves are legal, a byte each in the order: board rows, men capture
    /// backward, men capture kings, king range, king landing, removal, U-turn, promotion, precedence.
    /// Enumerations are written as their discriminants, truth values as 0 or 1.
    ///
    /// Two rule sets with equal bytes have the same positions, moves and table values, whatever their
    /// names, start positions and notation (a mirrored board included).
    #[must_use]
    pub const fn move_rules_bytes(&self) -> [u8; MOVE_RULES_LEN] {
        [
            self.board as u8,
            self.man_captures_backward as u8,
            self.man_captures_king as u8,
            self.king_range as u8,
            self.king_landing as u8,
            self.removal as u8,
            self.uturn as u8,
            self.promotion as u8,
            self.precedence as u8,
        ]
    }
}

//! Where generated moves go.

use super::jumps::jump_start;
use crate::board::{Board, Direction, Square};
use crate::moves::{Move, Route};

/// A receiver of moves.
pub(crate) trait Sink<B: Board> {
    /// Whether routes of one move count separately.
    const ROUTES: bool;

    /// Forgets everything received: a capture of higher precedence is coming.
    fn clear(&mut self);
    /// The moves from here on belong to another capturing piece.
    fn next_piece(&mut self);
    /// Receives a move and the squares its piece visits.
    fn accept(&mut self, mv: Move<B>, path: &[Square]);
    /// Hears of a capture that has less precedence than one it has received.
    #[inline(always)]
    fn pass_over(&mut self) {}
    /// Whether no more is wanted, so that the search may stop.
    #[inline(always)]
    fn is_full(&self) -> bool {
        false
    }
}

/// A receiver of short captures of men, many at once.
pub(crate) trait JumpSink<B: Board> {
    /// Receives single jumps in one direction, to each square of `landings`.
    fn single_jumps(&mut self, landings: B, direction: Direction, last_row: B);
    /// Receives two jumps in these directions, to each square of `landings`.
    fn double_jumps(&mut self, landings: B, directions: [Direction; 2], last_row: B);
}

/// The number of short captures.
pub(crate) struct JumpCount(pub(crate) u32);

impl<B: Board> JumpSink<B> for JumpCount {
    #[inline(always)]
    fn single_jumps(&mut self, landings: B, _: Direction, _: B) {
        self.0 += landings.len();
    }

    #[inline(always)]
    fn double_jumps(&mut self, landings: B, _: [Direction; 2], _: B) {
        self.0 += landings.len();
    }
}

/// Hands every jump to a sink of moves.
pub(crate) struct EachJump<'a, S>(pub(crate) &'a mut S);

impl<B: Board, S: Sink<B>> JumpSink<B> for EachJump<'_, S> {
    #[inline(always)]
    fn single_jumps(&mut self, landings: B, direction: Direction, last_row: B) {
        if !landings.is_empty() {
            each_single_jump(self.0, landings, direction, last_row);
        }
    }

    #[inline(always)]
    fn double_jumps(&mut self, landings: B, directions: [Direction; 2], last_row: B) {
        if !landings.is_empty() {
            each_double_jump(self.0, landings, directions, last_row);
        }
    }
}

// Not inlined: called for every direction and pair of directions, that would be most of the program.
#[inline(never)]
fn each_single_jump<B: Board, S: Sink<B>>(
    sink: &mut S,
    landings: B,
    direction: Direction,
    last_row: B,
) {
    for to in landings.squares() {
        let from = jump_start::<B>(to, direction);
        let path = [from, to].map(|square| Square::new(square as u8));
        let mv = Move {
            from: path[0],
            to: path[1],
            captured: B::geometry().step[from][direction as usize],
            promotes: last_row.contains(to),
        };
        sink.accept(mv, &path);
    }
}

#[inline(never)]
fn each_double_jump<B: Board, S: Sink<B>>(
    sink: &mut S,
    landings: B,
    [first, second]: [Direction; 2],
    last_row: B,
) {
    for to in landings.squares() {
        let turn = jump_start::<B>(to, second);
        let from = jump_start::<B>(turn, first);
        let path = [from, turn, to].map(|square| Square::new(square as u8));
        let step = &B::geometry().step;
        let mv = Move {
            from: path[0],
            to: path[2],
            captured: step[from][first as usize] | step[turn][second as usize],
            promotes: last_row.contains(to),
        };
        sink.accept(mv, &path);
    }
}

/// Captures of fewer pieces are never the same move by two routes: a second route would have to take
/// the same two pieces in the other order and end on the same square, which no geometry allows.
const FEWEST_WITH_TWO_ROUTES: u32 = 3;

/// Collects moves, each once.
pub(crate) struct Moves<'a, B> {
    moves: &'a mut Vec<Move<B>>,
    /// Moves before this one belong to other pieces and cannot be repeated.
    piece_start: usize,
}

impl<'a, B> Moves<'a, B> {
    #[inline(always)]
    pub(crate) fn new(moves: &'a mut Vec<Move<B>>) -> Self {
        let piece_start = moves.len();
        Self { moves, piece_start }
    }
}

impl<B: Board> Sink<B> for Moves<'_, B> {
    const ROUTES: bool = false;

    #[inline(always)]
    fn clear(&mut self) {
        self.moves.clear();
        self.piece_start = 0;
    }

    #[inline(always)]
    fn next_piece(&mut self) {
        self.piece_start = self.moves.len();
    }

    #[inline(always)]
    fn accept(&mut self, mv: Move<B>, _path: &[Square]) {
        if mv.captured.len() >= FEWEST_WITH_TWO_ROUTES
            && self.moves[self.piece_start..].contains(&mv)
        {
            return;
        }
        self.moves.push(mv);
    }
}

/// Collects moves once for every route.
pub(crate) struct MovesByRoute<'a, B>(pub(crate) &'a mut Vec<Move<B>>);

impl<B: Board> Sink<B> for MovesByRoute<'_, B> {
    const ROUTES: bool = true;

    #[inline(always)]
    fn clear(&mut self) {
        self.0.clear();
    }

    #[inline(always)]
    fn next_piece(&mut self) {}

    #[inline(always)]
    fn accept(&mut self, mv: Move<B>, _path: &[Square]) {
        self.0.push(mv);
    }
}

/// Collects routes, up to a number.
pub(crate) struct Routes<'a, B> {
    routes: &'a mut Vec<Route<B>>,
    /// How many more may come, those of too little precedence included.
    left: usize,
    full: bool,
}

impl<'a, B> Routes<'a, B> {
    pub(crate) fn new(routes: &'a mut Vec<Route<B>>, most: usize) -> Self {
        Self {
            routes,
            left: most,
            full: false,
        }
    }

    /// Takes one off the number left; whether there was one.
    fn spend(&mut self) -> bool {
        self.full |= self.left == 0;
        self.left = self.left.saturating_sub(1);
        !self.full
    }

    /// Whether there were more than it may collect.
    pub(crate) fn overflowed(&self) -> bool {
        self.full
    }
}

impl<B: Board> Sink<B> for Routes<'_, B> {
    const ROUTES: bool = true;

    fn clear(&mut self) {
        self.routes.clear();
    }

    fn next_piece(&mut self) {}

    fn accept(&mut self, mv: Move<B>, path: &[Square]) {
        if self.spend() {
            self.routes.push(Route {
                mv,
                path: path.to_vec(),
            });
        }
    }

    fn pass_over(&mut self) {
        self.spend();
    }

    fn is_full(&self) -> bool {
        self.full
    }
}

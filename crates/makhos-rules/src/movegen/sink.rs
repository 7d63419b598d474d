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
    /// Receives single jumps of men in one direction, to each square of `landings`.
    #[inline(always)]
    fn accept_jumps(&mut self, landings: B, direction: Direction, promotion_row: B) {
        for to in landings.squares() {
            let from = jump_start::<B>(to, direction);
            let path = [Square::new(from as u8), Square::new(to as u8)];
            let mv = Move {
                from: path[0],
                to: path[1],
                captured: B::geometry().step[from][direction as usize],
                promotes: promotion_row.contains(to),
            };
            self.accept(mv, &path);
        }
    }
    /// Receives two jumps of men in these directions, to each square of `landings`.
    #[inline(always)]
    fn accept_double_jumps(
        &mut self,
        landings: B,
        [first, second]: [Direction; 2],
        promotion_row: B,
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
                promotes: promotion_row.contains(to),
            };
            self.accept(mv, &path);
        }
    }
    /// The number of moves held.
    fn len(&self) -> u64;
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

    #[inline(always)]
    fn len(&self) -> u64 {
        self.moves.len() as u64
    }
}

/// Counts moves; only those that could repeat are kept to compare with.
pub(crate) struct MoveCount<'a, B> {
    short: u64,
    long: Moves<'a, B>,
}

impl<'a, B> MoveCount<'a, B> {
    #[inline(always)]
    pub(crate) fn new(scratch: &'a mut Vec<Move<B>>) -> Self {
        Self {
            short: 0,
            long: Moves::new(scratch),
        }
    }
}

impl<B: Board> Sink<B> for MoveCount<'_, B> {
    const ROUTES: bool = false;

    #[inline(always)]
    fn clear(&mut self) {
        self.short = 0;
        self.long.clear();
    }

    #[inline(always)]
    fn next_piece(&mut self) {
        self.long.next_piece();
    }

    #[inline(always)]
    fn accept(&mut self, mv: Move<B>, path: &[Square]) {
        if mv.captured.len() < FEWEST_WITH_TWO_ROUTES {
            self.short += 1;
        } else {
            self.long.accept(mv, path);
        }
    }

    #[inline(always)]
    fn accept_jumps(&mut self, landings: B, _: Direction, _: B) {
        self.short += u64::from(landings.len());
    }

    #[inline(always)]
    fn accept_double_jumps(&mut self, landings: B, _: [Direction; 2], _: B) {
        self.short += u64::from(landings.len());
    }

    #[inline(always)]
    fn len(&self) -> u64 {
        self.short + self.long.len()
    }
}

/// Counts routes.
#[derive(Default)]
pub(crate) struct RouteCount(u64);

impl<B: Board> Sink<B> for RouteCount {
    const ROUTES: bool = true;

    #[inline(always)]
    fn clear(&mut self) {
        self.0 = 0;
    }

    #[inline(always)]
    fn next_piece(&mut self) {}

    #[inline(always)]
    fn accept(&mut self, _: Move<B>, _: &[Square]) {
        self.0 += 1;
    }

    #[inline(always)]
    fn accept_jumps(&mut self, landings: B, _: Direction, _: B) {
        self.0 += u64::from(landings.len());
    }

    #[inline(always)]
    fn accept_double_jumps(&mut self, landings: B, _: [Direction; 2], _: B) {
        self.0 += u64::from(landings.len());
    }

    #[inline(always)]
    fn len(&self) -> u64 {
        self.0
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

    #[inline(always)]
    fn len(&self) -> u64 {
        self.0.len() as u64
    }
}

/// Collects routes.
pub(crate) struct Routes<'a, B> {
    routes: &'a mut Vec<Route<B>>,
}

impl<'a, B> Routes<'a, B> {
    pub(crate) fn new(routes: &'a mut Vec<Route<B>>) -> Self {
        Self { routes }
    }
}

impl<B: Board> Sink<B> for Routes<'_, B> {
    const ROUTES: bool = true;

    fn clear(&mut self) {
        self.routes.clear();
    }

    fn next_piece(&mut self) {}

    fn accept(&mut self, mv: Move<B>, path: &[Square]) {
        self.routes.push(Route {
            mv,
            path: path.to_vec(),
        });
    }

    fn len(&self) -> u64 {
        self.routes.len() as u64
    }
}

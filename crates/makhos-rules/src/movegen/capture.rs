//! Captures: a depth-first search over the chains of one piece.
//!
//! The search carries the set of pieces taken so far. Rules enter in four places only: which
//! directions a piece looks in, where a king lands, what a man becomes on the last row, and the
//! precedence of a finished chain ([`Search::finish`]).

use std::collections::HashSet;

use super::jumps::short_captures;
use super::quiet::{first_piece, flying_targets};
use super::sink::{EachJump, JumpCount, JumpSink, Moves, MovesByRoute, Sink};
use super::{Capturers, View};
use crate::board::{Board, Direction, Geometry, Square};
use crate::moves::Move;
use crate::rules::{KingLanding, KingRange, Precedence, Promotion, Removal, RuleSet};

/// The flying kings that can capture something.
#[inline(always)]
pub(super) fn flying_capturers<B: Board>(view: &View<B>) -> B {
    let geometry = B::geometry();
    let mut capturers = B::EMPTY;
    for square in view.kings.squares() {
        for direction in Direction::ALL {
            let victim = first_piece(square, direction, !view.empty);
            if let Some(victim) = victim
                && view.opponents.contains(victim)
                && !(geometry.step[victim][direction as usize] & view.empty).is_empty()
            {
                capturers |= B::bit(square);
                break;
            }
        }
    }
    capturers
}

/// Hands every capture that the rules allow to `sink`, given which pieces can capture.
#[inline(always)]
pub(super) fn generate<B: Board, S: Sink<B>, const WHITE: bool>(
    rules: &RuleSet,
    view: &View<B>,
    capturers: &Capturers<B>,
    sink: &mut S,
) {
    if !short::<B, _, WHITE>(rules, view, capturers, &mut EachJump(sink)) {
        search::<B, S, WHITE>(rules, view, capturers, sink);
    }
}

/// The number of captures that the rules allow; with `routes`, of their routes. `scratch` is
/// overwritten.
#[inline(always)]
pub(super) fn count<B: Board, const WHITE: bool>(
    rules: &RuleSet,
    view: &View<B>,
    capturers: &Capturers<B>,
    routes: bool,
    scratch: &mut Vec<Move<B>>,
) -> u64 {
    let mut jumps = JumpCount(0);
    if short::<B, _, WHITE>(rules, view, capturers, &mut jumps) {
        return u64::from(jumps.0);
    }
    scratch.clear();
    if routes {
        search::<B, _, WHITE>(rules, view, capturers, &mut MovesByRoute(scratch));
    } else {
        search::<B, _, WHITE>(rules, view, capturers, &mut Moves::new(scratch));
    }
    scratch.len() as u64
}

/// Hands all captures over, if all are short ones of men; otherwise none.
#[inline(always)]
fn short<B: Board, S: JumpSink<B>, const WHITE: bool>(
    rules: &RuleSet,
    view: &View<B>,
    capturers: &Capturers<B>,
    sink: &mut S,
) -> bool {
    capturers.kings.is_empty()
        && short_captures::<B, S, WHITE>(rules, view, capturers.men, &capturers.man_jumps, sink)
}

/// [`generate`] by a search of the chains of every capturing piece.
#[inline(never)]
fn search<B: Board, S: Sink<B>, const WHITE: bool>(
    rules: &RuleSet,
    view: &View<B>,
    capturers: &Capturers<B>,
    sink: &mut S,
) {
    let man_jumps = capturers.man_jumps.any();
    let mut search = Search::<B, S, WHITE>::new(rules, view, man_jumps, sink);
    for square in capturers.kings.squares() {
        search.king(square);
    }
    if rules.precedence == Precedence::KingFirst && !capturers.kings.is_empty() {
        return;
    }
    for square in capturers.men.squares() {
        search.man(square);
    }
}

/// From this many captured pieces on, states already searched are remembered. Shorter chains have too
/// few orders for that to pay; without it, chains through a lattice of many pieces would take
/// exponential time.
const REMEMBER_FROM: u32 = 6;

/// A state of the search whose continuations have all been seen: the square of the piece (or of the
/// victim just jumped), the direction of the jump (or [`MAN`] for a man), the pieces taken and the
/// order of kings among them.
type State<B> = (usize, usize, B, u64);
const MAN: usize = 4;

/// The capture search of all pieces of one position.
pub(super) struct Search<'a, B: Board, S, const WHITE: bool> {
    rules: &'a RuleSet,
    geometry: &'static Geometry<B>,
    man_victims: B,
    opponents: B,
    opponent_kings: B,
    /// Empty squares, among them the start of the capturing piece.
    empty: B,
    board_empty: B,
    /// Squares from which a man could jump in the position before the move.
    man_jumps: B,
    /// At least all squares from which a man could jump once the capturing piece has left its start.
    may_jump: B,
    from: usize,
    starts_as_king: bool,
    /// The highest precedence among the finished chains.
    best: u64,
    /// The squares visited, kept only where routes count.
    path: Vec<Square>,
    seen: Option<HashSet<State<B>>>,
    sink: &'a mut S,
}

impl<'a, B: Board, S: Sink<B>, const WHITE: bool> Search<'a, B, S, WHITE> {
    pub(super) fn new(rules: &'a RuleSet, view: &View<B>, man_jumps: B, sink: &'a mut S) -> Self {
        Self {
            rules,
            geometry: B::geometry(),
            man_victims: view.man_victims(rules),
            opponents: view.opponents,
            opponent_kings: view.opponent_kings,
            empty: view.empty,
            board_empty: view.empty,
            man_jumps,
            may_jump: B::EMPTY,
            from: 0,
            starts_as_king: false,
            best: 0,
            path: Vec::new(),
            seen: None,
            sink,
        }
    }

    /// All chains of the man on `square`.
    pub(super) fn man(&mut self, square: usize) {
        self.start(square, false);
        self.man_chain(square, B::EMPTY, 0);
    }

    /// All chains of the king on `square`.
    pub(super) fn king(&mut self, square: usize) {
        self.start(square, true);
        match self.rules.king_range {
            KingRange::Short => {
                self.short_king_chain(square, B::EMPTY, 0);
            }
            KingRange::Flying => {
                self.flying_chain(square, None, B::EMPTY, 0);
            }
        }
    }

    /// A man has jumped to `to`: it goes on as what it is there.
    #[inline(always)]
    fn man_landed(&mut self, to: usize, direction: Direction, captured: B, order: u64) {
        if !B::promotion_row(WHITE).contains(to) || self.rules.promotion == Promotion::Pass {
            self.man_chain(to, captured, order);
        } else {
            self.crowned_in_passing(to, direction, captured, order);
        }
    }

    fn start(&mut self, square: usize, king: bool) {
        self.from = square;
        self.starts_as_king = king;
        self.empty = self.board_empty | B::bit(square);
        let [a, b, c, d] = self.geometry.jump[square];
        self.may_jump = self.man_jumps | a | b | c | d;
        if S::ROUTES {
            self.path.clear();
            self.push(square);
        }
        self.sink.next_piece();
        self.seen = None;
    }

    /// Whether this state is met for the first time. Always true while chains are short, and where
    /// each route counts.
    #[inline(always)]
    fn is_new(&mut self, square: usize, direction: usize, captured: B, order: u64) -> bool {
        if S::ROUTES {
            return !self.sink.is_full();
        }
        if captured.len() < REMEMBER_FROM {
            return true;
        }
        let seen = self.seen.get_or_insert_default();
        seen.insert((square, direction, captured, order))
    }

    /// The order of kings among the captured pieces, as bits, the first piece most significant.
    ///
    /// Always 0 where no precedence asks for it, so that states that differ only in it are one.
    #[inline(always)]
    fn order_after(&self, order: u64, victim: B) -> u64 {
        if self.rules.precedence != Precedence::Italian {
            return 0;
        }
        (order << 1) | u64::from(!(self.opponent_kings & victim).is_empty())
    }

    /// Jumps on from `square` with a piece that steps over an adjacent victim. Calls `landed` for each
    /// jump and returns whether there was one.
    #[inline(always)]
    fn jumps(
        &mut self,
        square: usize,
        directions: &[Direction],
        victims: B,
        captured: B,
        order: u64,
        mut landed: impl FnMut(&mut Self, usize, Direction, B, u64),
    ) -> bool {
        let mut any = false;
        for &direction in directions {
            let victim = self.geometry.step[square][direction as usize] & victims & !captured;
            let landing = self.geometry.jump[square][direction as usize] & self.empty;
            if victim.is_empty() || landing.is_empty() {
                continue;
            }
            any = true;
            let to = landing.lowest();
            self.push(to);
            landed(
                self,
                to,
                direction,
                captured | victim,
                self.order_after(order, victim),
            );
            self.pop();
        }
        any
    }

    #[inline(always)]
    fn push(&mut self, square: usize) {
        if S::ROUTES {
            self.path.push(Square::new(square as u8));
        }
    }

    #[inline(always)]
    fn pop(&mut self) {
        if S::ROUTES {
            self.path.pop();
        }
    }

    /// Moves the last stop of the path to another square on the same line.
    #[inline(always)]
    fn slide(&mut self, square: usize) {
        self.pop();
        self.push(square);
    }

    fn man_chain(&mut self, square: usize, captured: B, order: u64) {
        if !self.is_new(square, MAN, captured, order) {
            return;
        }
        let directions: &[Direction] = match (self.rules.man_captures_backward, WHITE) {
            (true, _) => &Direction::ALL,
            (false, true) => &[Direction::UpLeft, Direction::UpRight],
            (false, false) => &[Direction::DownLeft, Direction::DownRight],
        };
        let last_row = B::promotion_row(WHITE);
        if !captured.is_empty() && !self.may_jump.contains(square) {
            self.finish(square, captured, order, last_row.contains(square));
            return;
        }
        let went_on = self.jumps(
            square,
            directions,
            self.man_victims,
            captured,
            order,
            |search, to, direction, captured, order| {
                search.man_landed(to, direction, captured, order);
            },
        );
        if !went_on && !captured.is_empty() {
            self.finish(square, captured, order, last_row.contains(square));
        }
    }

    /// A man has just captured its way to the last row, where it does not stay a man.
    fn crowned_in_passing(&mut self, square: usize, came: Direction, captured: B, order: u64) {
        let goes_on = self.rules.promotion == Promotion::Continue
            && match self.rules.king_range {
                KingRange::Short => self.short_king_jumps(square, captured, order),
                KingRange::Flying => self.flying_jumps(square, Some(came), captured, order),
            };
        if !goes_on {
            self.finish(square, captured, order, true);
        }
    }

    fn short_king_chain(&mut self, square: usize, captured: B, order: u64) {
        if self.is_new(square, MAN + 1, captured, order)
            && !self.short_king_jumps(square, captured, order)
            && !captured.is_empty()
        {
            self.finish(square, captured, order, !self.starts_as_king);
        }
    }

    fn short_king_jumps(&mut self, square: usize, captured: B, order: u64) -> bool {
        self.jumps(
            square,
            &Direction::ALL,
            self.opponents,
            captured,
            order,
            |search, to, _, captured, order| search.short_king_chain(to, captured, order),
        )
    }

    /// Squares a flying king may cross or stop on once `captured` have been jumped.
    #[inline(always)]
    fn passable(&self, captured: B) -> B {
        match self.rules.removal {
            Removal::AtEnd => self.empty,
            Removal::AtOnce => self.empty | captured,
        }
    }

    /// The chain of a flying king that stands on `square` and came in direction `came`.
    fn flying_chain(&mut self, square: usize, came: Option<Direction>, captured: B, order: u64) {
        if !self.flying_jumps(square, came, captured, order) && !captured.is_empty() {
            self.finish(square, captured, order, !self.starts_as_king);
        }
    }

    /// Captures of a flying king from `square` in every direction it may take.
    fn flying_jumps(
        &mut self,
        square: usize,
        came: Option<Direction>,
        captured: B,
        order: u64,
    ) -> bool {
        let mut any = false;
        for direction in Direction::ALL {
            let turns_back = came.is_some_and(|came| came.opposite() == direction);
            if !turns_back || self.rules.uturn {
                any |= self.flying_jump(square, direction, captured, order);
            }
        }
        any
    }

    /// A capture of a flying king from `square` in one direction, if there is one.
    #[inline(always)]
    fn flying_jump(
        &mut self,
        square: usize,
        direction: Direction,
        captured: B,
        order: u64,
    ) -> bool {
        let passable = self.passable(captured);
        let Some(victim) = first_piece(square, direction, B::ALL & !passable) else {
            return false;
        };
        if !(self.opponents & !captured).contains(victim)
            || (self.geometry.step[victim][direction as usize] & passable).is_empty()
        {
            return false;
        }
        self.after_flying_jump(victim, direction, captured, order);
        true
    }

    /// Everything that can follow once the flying king has jumped `victim`.
    fn after_flying_jump(&mut self, victim: usize, direction: Direction, captured: B, order: u64) {
        let victim_bit = B::bit(victim);
        let order = self.order_after(order, victim_bit);
        let captured = captured | victim_bit;
        if !self.is_new(victim, direction as usize, captured, order) {
            return;
        }
        let passable = self.passable(captured);
        let first = self.geometry.step[victim][direction as usize].lowest();
        self.push(first);
        if self.rules.king_landing == KingLanding::Behind {
            self.flying_chain(first, Some(direction), captured, order);
        } else if !self.flying_on(victim, direction, captured, order) {
            let landings = if self.rules.king_landing == KingLanding::BehindIfLastIsKing
                && !(victim_bit & self.opponent_kings).is_empty()
            {
                B::bit(first)
            } else {
                flying_targets(victim, B::ALL & !passable)
                    & self.geometry.ray[victim][direction as usize]
            };
            for to in landings.squares() {
                self.slide(to);
                self.finish(to, captured, order, !self.starts_as_king);
            }
        }
        self.pop();
    }

    /// Continues from any of the squares behind `victim`; returns whether that was possible.
    fn flying_on(&mut self, victim: usize, direction: Direction, captured: B, order: u64) -> bool {
        let passable = self.passable(captured);
        let ray = self.geometry.ray[victim][direction as usize];
        let landings = flying_targets(victim, B::ALL & !passable) & ray;
        let first = self.geometry.step[victim][direction as usize].lowest();
        // Going straight on, the squares in between are not separate routes.
        let mut any = self.flying_jump(first, direction, captured, order);
        let turns_back = self.rules.uturn && self.rules.removal == Removal::AtOnce;
        for landing in landings.squares() {
            self.slide(landing);
            for turn in direction.perpendicular() {
                any |= self.flying_jump(landing, turn, captured, order);
            }
            // Turning back on another square takes the same pieces: another route, the same move.
            if turns_back && (S::ROUTES || landing == first) {
                any |= self.flying_jump(landing, direction.opposite(), captured, order);
            }
        }
        any
    }

    /// A chain is complete: the piece ends on `to`.
    #[inline(always)]
    fn finish(&mut self, to: usize, captured: B, order: u64, promotes: bool) {
        let precedence = self.precedence(captured, order);
        if precedence < self.best {
            self.sink.pass_over();
            return;
        }
        if precedence > self.best {
            self.best = precedence;
            self.sink.clear();
        }
        let mv = Move {
            from: Square::new(self.from as u8),
            to: Square::new(to as u8),
            captured,
            promotes,
        };
        self.sink.accept(mv, &self.path);
    }

    /// How strongly the rules ask for this chain; only the highest of a position may be played.
    #[inline(always)]
    fn precedence(&self, captured: B, order: u64) -> u64 {
        // Counts fit in 8 bits; the order of kings has as many bits as there are captured pieces, and
        // only matters between chains of equal length.
        match self.rules.precedence {
            // King-first is decided before the search.
            Precedence::Free | Precedence::KingFirst => 0,
            Precedence::MostPieces => u64::from(captured.len()),
            Precedence::MostPiecesThenKings => {
                let kings = (captured & self.opponent_kings).len();
                (u64::from(captured.len()) << 8) | u64::from(kings)
            }
            Precedence::Italian => {
                let kings = (captured & self.opponent_kings).len();
                (u64::from(captured.len()) << 56)
                    | (u64::from(self.starts_as_king) << 55)
                    | (u64::from(kings) << 48)
                    | (order & ((1 << 48) - 1))
            }
        }
    }
}

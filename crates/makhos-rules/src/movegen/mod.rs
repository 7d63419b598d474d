//! The move generator: one for all variants, specialised at compile time for the board and the side
//! to move, and told everything else by the [`RuleSet`].
//!
//! It first asks with a few shifts which pieces can capture. If none can, the quiet moves are shifts
//! and ray look-ups ([`quiet`]). One or two jumps of men, by far the most frequent captures, are shifts
//! as well ([`jumps`]); all other chains are searched depth first ([`capture`]). Moves are handed to a
//! sink, which keeps them as moves, as routes, or only counts ([`sink`]).

pub(crate) mod batch;
mod capture;
mod jumps;
mod quiet;
mod sink;

use std::hint::select_unpredictable;

use thiserror::Error;

use crate::board::{Board, Square};
use crate::moves::{Move, Route};
use crate::perft::Counting;
use crate::position::Position;
use crate::rules::{KingRange, RuleSet};
use jumps::Jumps;
use sink::{Moves, MovesByRoute, Routes, Sink};

/// The move is not legal in the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error(
    "the move from index {} to index {} is not legal in this position",
    from.index(),
    to.index()
)]
pub struct IllegalMove {
    /// Start of the refused move.
    pub from: Square,
    /// End of the refused move.
    pub to: Square,
}

/// A position as the side to move sees it.
pub(crate) struct View<B> {
    pub(crate) men: B,
    pub(crate) kings: B,
    pub(crate) opponents: B,
    pub(crate) opponent_kings: B,
    pub(crate) empty: B,
}

impl<B: Board> View<B> {
    #[inline(always)]
    pub(crate) fn new<const WHITE: bool>(position: &Position<B>) -> Self {
        let (own, opponents) = if WHITE {
            (position.white, position.black)
        } else {
            (position.black, position.white)
        };
        Self {
            men: own & !position.kings,
            kings: own & position.kings,
            opponents,
            opponent_kings: opponents & position.kings,
            empty: B::ALL & !(own | opponents),
        }
    }

    /// The pieces that a man may capture.
    #[inline(always)]
    pub(crate) fn man_victims(&self, rules: &RuleSet) -> B {
        if rules.man_captures_king {
            self.opponents
        } else {
            self.opponents & !self.opponent_kings
        }
    }

    /// The pieces that can capture something.
    #[inline(always)]
    pub(crate) fn capturers<const WHITE: bool>(&self, rules: &RuleSet) -> Capturers<B> {
        let victims = self.man_victims(rules);
        let back = rules.man_captures_backward;
        let man_jumps = Jumps::new(WHITE || back, !WHITE || back, victims, self.empty);
        let mut kings = self.kings;
        if !kings.is_empty() {
            kings = match rules.king_range {
                KingRange::Short => {
                    kings & Jumps::new(true, true, self.opponents, self.empty).any()
                }
                KingRange::Flying => capture::flying_capturers(self),
            };
        }
        Capturers {
            men: self.men & man_jumps.any(),
            kings,
            man_jumps,
        }
    }
}

/// Which pieces can capture.
pub(crate) struct Capturers<B> {
    pub(crate) men: B,
    pub(crate) kings: B,
    /// From where a man of the side to move could capture.
    pub(crate) man_jumps: Jumps<B>,
}

impl<B: Board> Capturers<B> {
    #[inline(always)]
    fn is_empty(&self) -> bool {
        (self.men | self.kings).is_empty()
    }
}

/// Shifts one row up, in the direction that changes the index by exactly one row's length.
#[inline(always)]
pub(crate) fn up_straight<B: Board>(set: B) -> B {
    set >> B::PER_ROW
}

/// Shifts one row up, in the other direction: right from even rows, left from odd ones.
#[inline(always)]
pub(crate) fn up_skew<B: Board>(set: B) -> B {
    ((set & B::EVEN_NOT_RIGHT) >> (B::PER_ROW - 1)) | ((set & B::ODD_NOT_LEFT) >> (B::PER_ROW + 1))
}

/// Shifts one row down, in the direction that changes the index by exactly one row's length.
#[inline(always)]
pub(crate) fn down_straight<B: Board>(set: B) -> B {
    set << B::PER_ROW
}

/// Shifts one row down, in the other direction: right from even rows, left from odd ones.
#[inline(always)]
pub(crate) fn down_skew<B: Board>(set: B) -> B {
    ((set & B::EVEN_NOT_RIGHT) << (B::PER_ROW + 1)) | ((set & B::ODD_NOT_LEFT) << (B::PER_ROW - 1))
}

#[inline(always)]
fn generate<B: Board, S: Sink<B>, const WHITE: bool>(
    rules: &RuleSet,
    position: &Position<B>,
    sink: &mut S,
) {
    let view = View::new::<WHITE>(position);
    let capturers = view.capturers::<WHITE>(rules);
    if capturers.is_empty() {
        quiet::generate::<B, S, WHITE>(rules, &view, sink);
    } else {
        capture::generate::<B, S, WHITE>(rules, &view, &capturers, sink);
    }
}

/// The legal moves of the side to move, into a list that is cleared first.
#[inline(always)]
pub(crate) fn moves_into<B: Board, const WHITE: bool>(
    rules: &RuleSet,
    position: &Position<B>,
    moves: &mut Vec<Move<B>>,
) {
    moves.clear();
    generate::<B, _, WHITE>(rules, position, &mut Moves::new(moves));
}

/// The legal moves, once for every route, into a list that is cleared first.
pub(crate) fn moves_by_route_into<B: Board, const WHITE: bool>(
    rules: &RuleSet,
    position: &Position<B>,
    moves: &mut Vec<Move<B>>,
) {
    moves.clear();
    generate::<B, _, WHITE>(rules, position, &mut MovesByRoute(moves));
}

/// The number of legal moves, or of routes; `scratch` is overwritten.
#[inline(always)]
pub(crate) fn count<B: Board, const WHITE: bool>(
    rules: &RuleSet,
    position: &Position<B>,
    routes: bool,
    scratch: &mut Vec<Move<B>>,
) -> u64 {
    let view = View::new::<WHITE>(position);
    let capturers = view.capturers::<WHITE>(rules);
    if capturers.is_empty() {
        quiet::count::<B, WHITE>(rules, &view)
    } else {
        capture::count::<B, WHITE>(rules, &view, &capturers, routes, scratch)
    }
}

/// Whether the side to move can capture something, where men and kings take the same victims and jump equally
/// far. Whose move it is and whether there
/// are kings decides no branch: tables are asked for such positions in any order.
#[inline(always)]
fn has_short_capture<B: Board>(position: &Position<B>, men_back: bool) -> bool {
    let white = position.side.is_white();
    let own = select_unpredictable(white, position.white, position.black);
    let opponents = position.white ^ position.black ^ own;
    let empty = B::ALL & !(own | opponents);
    let jumps = Jumps::new(true, true, opponents, empty);
    let (up, down) = (jumps.up[0] | jumps.up[1], jumps.down[0] | jumps.down[1]);
    let forward = select_unpredictable(white, up, down);
    let all = up | down;
    let any = if men_back { own } else { own & position.kings };
    !(own & forward | any & all).is_empty()
}

/// The generator compiled for one board.
///
/// The generic code above is instantiated here and nowhere else: it is large, and every crate that
/// calls it would compile it again. [`Board`] demands this trait of every board.
pub trait Compiled: Sized {
    /// [`RuleSet::legal_moves_into`].
    fn moves_into(rules: &RuleSet, position: &Position<Self>, moves: &mut Vec<Move<Self>>);
    /// [`RuleSet::legal_routes_up_to`].
    fn routes(rules: &RuleSet, position: &Position<Self>, most: usize) -> Option<Vec<Route<Self>>>;
    /// [`RuleSet::has_capture`].
    fn has_capture(rules: &RuleSet, position: &Position<Self>) -> bool;
    /// [`perft::count`](crate::perft::count).
    fn perft(rules: &RuleSet, position: &Position<Self>, depth: u32, counting: Counting) -> u64;
}

macro_rules! compile {
    ($($board:ty)*) => {$(
        impl Compiled for $board {
            fn moves_into(rules: &RuleSet, position: &Position<Self>, moves: &mut Vec<Move<Self>>) {
                if position.side.is_white() {
                    moves_into::<Self, true>(rules, position, moves);
                } else {
                    moves_into::<Self, false>(rules, position, moves);
                }
            }

            fn routes(
                rules: &RuleSet,
                position: &Position<Self>,
                most: usize,
            ) -> Option<Vec<Route<Self>>> {
                let mut routes = Vec::new();
                let mut sink = Routes::new(&mut routes, most);
                if position.side.is_white() {
                    generate::<Self, _, true>(rules, position, &mut sink);
                } else {
                    generate::<Self, _, false>(rules, position, &mut sink);
                }
                (!sink.overflowed()).then_some(routes)
            }

            fn has_capture(rules: &RuleSet, position: &Position<Self>) -> bool {
                let capturers = if position.side.is_white() {
                    View::new::<true>(position).capturers::<true>(rules)
                } else {
                    View::new::<false>(position).capturers::<false>(rules)
                };
                !capturers.is_empty()
            }

            fn perft(
                rules: &RuleSet,
                position: &Position<Self>,
                depth: u32,
                counting: Counting,
            ) -> u64 {
                crate::perft::count_on_board(rules, position, depth, counting)
            }
        }
    )*};
}

compile!(u32 u64 u128);

impl RuleSet {
    /// All legal moves of the side to move, in no particular but a fixed order, each once.
    ///
    /// No moves means that the side to move has lost.
    #[must_use]
    pub fn legal_moves<B: Board>(&self, position: &Position<B>) -> Vec<Move<B>> {
        let mut moves = Vec::new();
        self.legal_moves_into(position, &mut moves);
        moves
    }

    /// [`legal_moves`](Self::legal_moves) into a list that is cleared first; allocates only if the
    /// list must grow.
    pub fn legal_moves_into<B: Board>(&self, position: &Position<B>, moves: &mut Vec<Move<B>>) {
        B::moves_into(self, position, moves);
    }

    /// Every legal move with every route of every capture. Two captures are different routes if they
    /// take the pieces in another order or turn on other squares.
    ///
    /// In positions made for it the routes of one king are more than fit any memory; from outside, use
    /// [`legal_routes_up_to`](Self::legal_routes_up_to).
    #[must_use]
    pub fn legal_routes<B: Board>(&self, position: &Position<B>) -> Vec<Route<B>> {
        B::routes(self, position, usize::MAX).unwrap_or_default()
    }

    /// [`legal_routes`](Self::legal_routes), or `None` once more than `most` routes have been met,
    /// among them those that turn out to take too few pieces.
    #[must_use]
    pub fn legal_routes_up_to<B: Board>(
        &self,
        position: &Position<B>,
        most: usize,
    ) -> Option<Vec<Route<B>>> {
        B::routes(self, position, most)
    }

    /// Whether the side to move must capture.
    #[inline(always)]
    #[must_use]
    pub fn has_capture<B: Board>(&self, position: &Position<B>) -> bool {
        if self.man_captures_king && self.king_range == KingRange::Short {
            return has_short_capture(position, self.man_captures_backward);
        }
        B::has_capture(self, position)
    }

    /// The squares that a king on `square` could reach without capture among the `occupied` squares.
    /// Such moves can be taken back the same way.
    #[inline]
    #[must_use]
    pub fn king_targets<B: Board>(&self, square: Square, occupied: B) -> B {
        match self.king_range {
            KingRange::Short => {
                let king = B::bit(square.index());
                (up_straight(king) | up_skew(king) | down_straight(king) | down_skew(king))
                    & B::ALL
                    & !occupied
            }
            KingRange::Flying => quiet::flying_targets(square.index(), occupied),
        }
    }

    /// The position after `mv` if that is a legal move.
    ///
    /// # Errors
    /// [`IllegalMove`] if it is not, for instance when the same move is played twice.
    pub fn play<B: Board>(
        &self,
        position: &Position<B>,
        mv: &Move<B>,
    ) -> Result<Position<B>, IllegalMove> {
        if self.legal_moves(position).contains(mv) {
            Ok(position.make(mv))
        } else {
            Err(IllegalMove {
                from: mv.from,
                to: mv.to,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::Color;
    use crate::variant;

    use super::*;

    /// Random positions of a few men and kings.
    fn captures_are_seen<B: Board>(rules: &RuleSet) {
        let mut random = 1_u128;
        let mut seen = [0; 2];
        for round in 0..2_000 {
            let mut set = |room: B| {
                // Each takes half of the pieces away.
                let mut bits = room.to_u128();
                for _ in 0..2 + round % 4 {
                    random = random.wrapping_mul(0xDA94_2042_E4DD_58B5).wrapping_add(1);
                    bits &= random >> 32;
                }
                B::from_u128(bits)
            };
            let white_men = set(B::ALL & !B::TOP_ROW);
            let black_men = set(B::ALL & !B::BOTTOM_ROW & !white_men);
            let men = white_men | black_men;
            let white_kings = set(B::ALL & !men);
            let black_kings = set(B::ALL & !(men | white_kings));
            for side in [Color::White, Color::Black] {
                let position = Position::new(white_men, white_kings, black_men, black_kings, side);
                let position = position.expect("free squares outside the promotion rows");
                let moves = rules.legal_moves(&position);
                let is_capture = moves.iter().any(Move::is_capture);
                assert_eq!(rules.has_capture(&position), is_capture, "{position:?}");
                seen[usize::from(is_capture)] += 1;
            }
        }
        assert!(
            seen.iter().all(|&count| count > 0),
            "{}: {seen:?}",
            rules.name
        );
    }

    #[test]
    fn has_capture_is_what_moves_say() {
        for rules in variant::ALL {
            match rules.board.squares() {
                32 => captures_are_seen::<u32>(rules),
                50 => captures_are_seen::<u64>(rules),
                _ => captures_are_seen::<u128>(rules),
            }
        }
    }
}

//! The legal moves of one position, found once and looked up by their ends, and their routes.

use std::cell::OnceCell;

use crate::board::{Board, Square};
use crate::moves::{Move, Route};
use crate::position::Position;
use crate::rules::RuleSet;

/// The legal moves of a position and, once they are asked for, their routes.
pub(super) struct Legal<'a, B> {
    rules: &'a RuleSet,
    position: &'a Position<B>,
    /// Most routes that are looked at.
    most: usize,
    /// Sorted, so that moves with the same ends are neighbours.
    moves: Vec<Move<B>>,
    /// Sorted by their moves, the shortest of each first; none if there are too many.
    routes: OnceCell<Option<Vec<Route<B>>>>,
}

impl<'a, B: Board> Legal<'a, B> {
    /// The legal moves of `position`, whose routes are looked at if they are at most `most`.
    pub(super) fn new(rules: &'a RuleSet, position: &'a Position<B>, most: usize) -> Self {
        let mut moves = rules.legal_moves(position);
        moves.sort_unstable();
        Self {
            rules,
            position,
            most,
            moves,
            routes: OnceCell::new(),
        }
    }

    pub(super) fn rules(&self) -> &'a RuleSet {
        self.rules
    }

    /// All legal moves.
    pub(super) fn moves(&self) -> &[Move<B>] {
        &self.moves
    }

    /// Whether the move is legal.
    pub(super) fn contains(&self, mv: &Move<B>) -> bool {
        self.moves.binary_search(mv).is_ok()
    }

    /// The legal moves with these ends.
    pub(super) fn with_ends(&self, from: Square, to: Square) -> &[Move<B>] {
        equal_range(&self.moves, |mv| (mv.from, mv.to), (from, to))
    }

    /// The routes of the moves with these ends; none if the position has too many routes.
    pub(super) fn routes_with_ends(&self, from: Square, to: Square) -> Option<&[Route<B>]> {
        let ends = |route: &Route<B>| (route.mv.from, route.mv.to);
        Some(equal_range(self.routes()?, ends, (from, to)))
    }

    /// The shortest path of a legal move; none if the position has too many routes.
    pub(super) fn shortest_path(&self, mv: &Move<B>) -> Option<&[Square]> {
        let routes = equal_range(self.routes()?, |route| route.mv, *mv);
        routes.first().map(|route| &route.path[..])
    }

    fn routes(&self) -> Option<&[Route<B>]> {
        let find = || {
            let mut routes = self.rules.legal_routes_up_to(self.position, self.most)?;
            routes.sort_unstable_by(|one, other| {
                let by_length = |route: &Route<B>| (route.mv, route.path.len());
                by_length(one)
                    .cmp(&by_length(other))
                    .then_with(|| one.path.cmp(&other.path))
            });
            Some(routes)
        };
        self.routes.get_or_init(find).as_deref()
    }
}

/// The part of a list sorted by `key` in which that is `wanted`.
fn equal_range<T, K: Ord>(list: &[T], key: impl Fn(&T) -> K, wanted: K) -> &[T] {
    let begin = list.partition_point(|item| key(item) < wanted);
    let length = list[begin..].partition_point(|item| key(item) == wanted);
    &list[begin..begin + length]
}

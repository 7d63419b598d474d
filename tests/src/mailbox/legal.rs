//! Legal moves, making them, and counting.

use std::collections::BTreeSet;

use makhos_rules::rules::KingRange;
use makhos_rules::{Board, Color, Move, RuleSet};

use super::capture::{Capture, captures_from};
use super::grid::{Cell, Grid, STEPS, is_forward};
use super::precedence::allowed;

/// A move with squares as plain indices.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PlainMove {
    /// Where the piece starts.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// The captured pieces, ascending.
    pub captured: Vec<usize>,
    /// Whether a man becomes a king.
    pub promotes: bool,
}

/// A move and the squares it touches, in the convention of [`makhos_rules::Route`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PlainRoute {
    /// The move.
    pub mv: PlainMove,
    /// The squares.
    pub path: Vec<usize>,
}

/// What may be played in a position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Legal {
    /// The moves in the "drop" sense.
    pub moves: BTreeSet<PlainMove>,
    /// The moves in the "keep" sense.
    pub routes: BTreeSet<PlainRoute>,
}

/// The same move with squares as plain indices.
#[must_use]
pub fn plain<B: Board>(mv: &Move<B>) -> PlainMove {
    PlainMove {
        from: mv.from.index(),
        to: mv.to.index(),
        captured: mv.captured.squares().collect(),
        promotes: mv.promotes,
    }
}

/// Everything `side` may play.
#[must_use]
pub fn legal(rules: &RuleSet, grid: &Grid, side: Color) -> Legal {
    let own: Vec<Cell> = grid
        .cells()
        .filter(|cell| grid.at(*cell).is_some_and(|piece| piece.color == side))
        .collect();
    let captures: Vec<Capture> = own
        .iter()
        .flat_map(|cell| captures_from(rules, grid, *cell))
        .collect();
    let routes: BTreeSet<PlainRoute> = if captures.is_empty() {
        own.iter()
            .flat_map(|cell| quiet_from(rules, grid, *cell))
            .collect()
    } else {
        allowed(rules.precedence, captures)
            .iter()
            .map(|capture| route(grid, capture))
            .collect()
    };
    Legal {
        moves: routes.iter().map(|route| route.mv.clone()).collect(),
        routes,
    }
}

fn route(grid: &Grid, capture: &Capture) -> PlainRoute {
    let mut captured: Vec<usize> = capture
        .jumps
        .iter()
        .map(|jump| grid.index(jump.over))
        .collect();
    captured.sort_unstable();
    PlainRoute {
        mv: PlainMove {
            from: grid.index(capture.from),
            to: grid.index(capture.to()),
            captured,
            promotes: capture.ends_as_king && !capture.by_king,
        },
        path: capture
            .path()
            .into_iter()
            .map(|cell| grid.index(cell))
            .collect(),
    }
}

/// The moves without capture of the piece on `from`.
fn quiet_from(rules: &RuleSet, grid: &Grid, from: Cell) -> Vec<PlainRoute> {
    let Some(piece) = grid.at(from) else {
        return Vec::new();
    };
    let flies = piece.king && rules.king_range == KingRange::Flying;
    let mut routes = Vec::new();
    for step in STEPS {
        if !piece.king && !is_forward(step, piece.color) {
            continue;
        }
        let mut to = from.next(step);
        while grid.is_free(to) {
            let (from, index) = (grid.index(from), grid.index(to));
            routes.push(PlainRoute {
                mv: PlainMove {
                    from,
                    to: index,
                    captured: Vec::new(),
                    promotes: !piece.king && grid.is_last_row(to, piece.color),
                },
                path: vec![from, index],
            });
            if !flies {
                break;
            }
            to = to.next(step);
        }
    }
    routes
}

/// The board after `mv`, a legal move.
#[must_use]
pub fn make(grid: &Grid, mv: &PlainMove) -> Grid {
    let from = grid.cell(mv.from);
    let mut after = grid.with(from, None);
    for victim in &mv.captured {
        after.set(grid.cell(*victim), None);
    }
    let mut piece = grid.at(from);
    if let Some(piece) = &mut piece {
        piece.king |= mv.promotes;
    }
    after.set(grid.cell(mv.to), piece);
    after
}

/// The number of sequences of `depth` moves, captures by different routes counted once.
#[must_use]
pub fn perft_drop(rules: &RuleSet, grid: &Grid, side: Color, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    legal(rules, grid, side)
        .moves
        .iter()
        .map(|mv| perft_drop(rules, &make(grid, mv), side.opponent(), depth - 1))
        .sum()
}

/// The number of sequences of `depth` moves, every route of a capture counted.
#[must_use]
pub fn perft_keep(rules: &RuleSet, grid: &Grid, side: Color, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    legal(rules, grid, side)
        .routes
        .iter()
        .map(|route| perft_keep(rules, &make(grid, &route.mv), side.opponent(), depth - 1))
        .sum()
}

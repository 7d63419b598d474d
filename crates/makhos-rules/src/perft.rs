//! Perft: the number of move sequences of a given length, the usual check of a move generator.

use crate::board::Board;
use crate::movegen;
use crate::movegen::batch::{self, Batch, LANES};
use crate::moves::Move;
use crate::position::Position;
use crate::rules::RuleSet;

/// What counts as one move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Counting {
    /// Captures with the same ends and the same captured pieces are one move.
    #[default]
    Drop,
    /// Every route of a capture is a move: another order of captured pieces or other turning squares.
    Keep,
}

/// The number of sequences of exactly `depth` plies from `position`. Lines that end earlier count
/// nothing, no drawing rule is applied, and depth 0 is 1.
///
/// Moves of the last ply are counted, not made.
#[must_use]
pub fn count<B: Board>(
    rules: &RuleSet,
    position: &Position<B>,
    depth: u32,
    counting: Counting,
) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut lists = vec![Vec::with_capacity(64); depth as usize];
    match counting {
        Counting::Drop => dispatch::<B, false>(rules, position, &mut lists),
        Counting::Keep => dispatch::<B, true>(rules, position, &mut lists),
    }
}

/// The legal moves of `position`, each with the number of sequences of `depth` plies that begin with
/// it (`depth` ≥ 1). With [`Counting::Keep`] a move stands once for every route.
#[must_use]
pub fn divide<B: Board>(
    rules: &RuleSet,
    position: &Position<B>,
    depth: u32,
    counting: Counting,
) -> Vec<(Move<B>, u64)> {
    let moves = match counting {
        Counting::Drop => rules.legal_moves(position),
        Counting::Keep => {
            let routes = rules.legal_routes(position);
            routes.into_iter().map(|route| route.mv).collect()
        }
    };
    let below = depth.saturating_sub(1);
    moves
        .into_iter()
        .map(|mv| (mv, count(rules, &position.make(&mv), below, counting)))
        .collect()
}

/// One scratch list for each remaining ply; its length is the depth.
type Lists<B> = [Vec<Move<B>>];

#[cfg(target_arch = "x86_64")]
fn dispatch<B: Board, const KEEP: bool>(
    rules: &RuleSet,
    position: &Position<B>,
    lists: &mut Lists<B>,
) -> u64 {
    if std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("popcnt")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("lzcnt")
    {
        // SAFETY: the processor has every feature the function is compiled for.
        return unsafe { walk_x86::<B, KEEP>(rules, position, lists) };
    }
    walk::<B, KEEP>(rules, position, lists)
}

#[cfg(not(target_arch = "x86_64"))]
fn dispatch<B: Board, const KEEP: bool>(
    rules: &RuleSet,
    position: &Position<B>,
    lists: &mut Lists<B>,
) -> u64 {
    walk::<B, KEEP>(rules, position, lists)
}

fn walk<B: Board, const KEEP: bool>(
    rules: &RuleSet,
    position: &Position<B>,
    lists: &mut Lists<B>,
) -> u64 {
    node::<B, KEEP>(rules, position, lists, walk::<B, KEEP>)
}

/// [`walk`] compiled for processors that count bits in one instruction, which is worth a third of the
/// time; the baseline of x86-64 has no such instruction.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt,bmi1,bmi2,lzcnt")]
fn walk_x86<B: Board, const KEEP: bool>(
    rules: &RuleSet,
    position: &Position<B>,
    lists: &mut Lists<B>,
) -> u64 {
    node::<B, KEEP>(rules, position, lists, |rules, position, lists| {
        walk_x86::<B, KEEP>(rules, position, lists)
    })
}

#[inline(always)]
fn node<B: Board, const KEEP: bool>(
    rules: &RuleSet,
    position: &Position<B>,
    lists: &mut Lists<B>,
    below: impl Fn(&RuleSet, &Position<B>, &mut Lists<B>) -> u64,
) -> u64 {
    if position.side.is_white() {
        node_as::<B, KEEP, true>(rules, position, lists, below)
    } else {
        node_as::<B, KEEP, false>(rules, position, lists, below)
    }
}

#[inline(always)]
fn node_as<B: Board, const KEEP: bool, const WHITE: bool>(
    rules: &RuleSet,
    position: &Position<B>,
    lists: &mut Lists<B>,
    below: impl Fn(&RuleSet, &Position<B>, &mut Lists<B>) -> u64,
) -> u64 {
    let Some((moves, lists)) = lists.split_first_mut() else {
        return 1;
    };
    if lists.is_empty() {
        return if KEEP {
            movegen::count_routes::<B, WHITE>(rules, position)
        } else {
            movegen::count_moves::<B, WHITE>(rules, position, moves)
        };
    }
    if KEEP {
        movegen::routes_into::<B, WHITE>(rules, position, moves);
    } else {
        movegen::moves_into::<B, WHITE>(rules, position, moves);
    }
    if let [scratch] = lists {
        return count_children::<B, KEEP, WHITE>(rules, position, moves, scratch);
    }
    moves
        .iter()
        .map(|mv| below(rules, &position.make_as::<WHITE>(mv), lists))
        .sum()
}

/// The number of moves in all the positions that `moves` lead to.
#[inline(always)]
fn count_children<B: Board, const KEEP: bool, const WHITE: bool>(
    rules: &RuleSet,
    position: &Position<B>,
    moves: &[Move<B>],
    scratch: &mut Vec<Move<B>>,
) -> u64 {
    let mut total = 0;
    let mut children = Batch::new();
    for chunk in moves.chunks(LANES) {
        for (lane, mv) in chunk.iter().enumerate() {
            let child = position.make_as::<WHITE>(mv);
            let (own, other) = if WHITE {
                (child.black, child.white)
            } else {
                (child.white, child.black)
            };
            children.set(lane, own, other, child.kings);
        }
        for lane in chunk.len()..LANES {
            children.set(lane, B::EMPTY, B::EMPTY, B::EMPTY);
        }
        // The children have the other side to move.
        let (simple, mut hard) = match (WHITE, rules.man_captures_backward) {
            (true, true) => batch::count::<B, false, true>(rules, &children),
            (true, false) => batch::count::<B, false, false>(rules, &children),
            (false, true) => batch::count::<B, true, true>(rules, &children),
            (false, false) => batch::count::<B, true, false>(rules, &children),
        };
        total += simple;
        while hard != 0 {
            let child = position.make_as::<WHITE>(&chunk[hard.trailing_zeros() as usize]);
            hard &= hard - 1;
            total += match (WHITE, KEEP) {
                (true, true) => movegen::count_routes::<B, false>(rules, &child),
                (true, false) => movegen::count_moves::<B, false>(rules, &child, scratch),
                (false, true) => movegen::count_routes::<B, true>(rules, &child),
                (false, false) => movegen::count_moves::<B, true>(rules, &child, scratch),
            };
        }
    }
    total
}

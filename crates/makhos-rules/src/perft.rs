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
    match (depth, counting) {
        (0, _) => 1,
        (1, Counting::Drop) => rules.legal_moves(position).len() as u64,
        (1, Counting::Keep) => rules.legal_routes(position).len() as u64,
        (_, Counting::Drop) => Walk::<B, false>::new(rules, depth).run(position),
        (_, Counting::Keep) => Walk::<B, true>::new(rules, depth).run(position),
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

/// A walk over all lines of at least two plies.
///
/// The positions one ply above the leaves are not counted one by one but gathered, whatever node they
/// come from, until a batch is full.
struct Walk<'a, B, const KEEP: bool> {
    rules: &'a RuleSet,
    /// A list of moves for each ply but the last.
    lists: Vec<Vec<Move<B>>>,
    batch: Batch<B>,
    gathered: usize,
    leaves: u64,
    scratch: Vec<Move<B>>,
}

impl<'a, B: Board, const KEEP: bool> Walk<'a, B, KEEP> {
    fn new(rules: &'a RuleSet, depth: u32) -> Self {
        Self {
            rules,
            lists: vec![Vec::with_capacity(64); depth as usize - 1],
            batch: Batch::new(),
            gathered: 0,
            leaves: 0,
            scratch: Vec::new(),
        }
    }

    fn run(mut self, position: &Position<B>) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("popcnt")
            && std::arch::is_x86_feature_detected!("bmi1")
            && std::arch::is_x86_feature_detected!("bmi2")
            && std::arch::is_x86_feature_detected!("lzcnt")
        {
            // SAFETY: the processor has every feature the function is compiled for.
            unsafe { self.root_x86(position) };
            return self.leaves;
        }
        self.root(position);
        self.leaves
    }

    fn root(&mut self, position: &Position<B>) {
        self.node(position, 0);
        let white = position.side.is_white() == self.lists.len().is_multiple_of(2);
        self.finish(white);
    }

    fn node(&mut self, position: &Position<B>, ply: usize) {
        self.step(position, ply, Self::node);
    }

    /// [`root`](Self::root) compiled for processors with wide registers that count bits in one
    /// instruction, which the baseline of x86-64 lacks: more than twice as fast.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt,bmi1,bmi2,lzcnt")]
    fn root_x86(&mut self, position: &Position<B>) {
        self.node_x86(position, 0);
        let white = position.side.is_white() == self.lists.len().is_multiple_of(2);
        self.finish(white);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt,bmi1,bmi2,lzcnt")]
    fn node_x86(&mut self, position: &Position<B>, ply: usize) {
        self.step(position, ply, |walk, position, ply| {
            walk.node_x86(position, ply);
        });
    }

    /// Counts what is left in the batch.
    #[inline(always)]
    fn finish(&mut self, white: bool) {
        if white {
            self.flush::<true>();
        } else {
            self.flush::<false>();
        }
    }

    #[inline(always)]
    fn step(
        &mut self,
        position: &Position<B>,
        ply: usize,
        below: impl Fn(&mut Self, &Position<B>, usize),
    ) {
        if position.side.is_white() {
            self.step_as::<true, false>(position, ply, below);
        } else {
            self.step_as::<false, true>(position, ply, below);
        }
    }

    /// A node with the side to move, and the side that moves next, known at compile time.
    #[inline(always)]
    fn step_as<const WHITE: bool, const NEXT: bool>(
        &mut self,
        position: &Position<B>,
        ply: usize,
        below: impl Fn(&mut Self, &Position<B>, usize),
    ) {
        // Taken out while it is walked over: deeper plies have lists of their own.
        let mut moves = std::mem::take(&mut self.lists[ply]);
        if KEEP {
            movegen::routes_into::<B, WHITE>(self.rules, position, &mut moves);
        } else {
            movegen::moves_into::<B, WHITE>(self.rules, position, &mut moves);
        }
        if ply + 1 == self.lists.len() {
            for mv in &moves {
                self.gather::<NEXT>(&position.make_as::<WHITE>(mv));
            }
        } else {
            for mv in &moves {
                below(self, &position.make_as::<WHITE>(mv), ply + 1);
            }
        }
        self.lists[ply] = moves;
    }

    #[inline(always)]
    fn gather<const WHITE: bool>(&mut self, position: &Position<B>) {
        self.batch.set::<WHITE>(self.gathered, position);
        self.gathered += 1;
        if self.gathered == LANES {
            self.flush::<WHITE>();
        }
    }

    /// Counts the moves of the positions gathered.
    #[inline(always)]
    fn flush<const WHITE: bool>(&mut self) {
        for lane in self.gathered..LANES {
            self.batch.clear(lane);
        }
        self.gathered = 0;
        let (simple, mut hard) = if self.rules.man_captures_backward {
            batch::count::<B, WHITE, true>(self.rules, &self.batch)
        } else {
            batch::count::<B, WHITE, false>(self.rules, &self.batch)
        };
        self.leaves += simple;
        while hard != 0 {
            let position = self.batch.position::<WHITE>(hard.trailing_zeros() as usize);
            hard &= hard - 1;
            self.leaves += if KEEP {
                movegen::count_routes::<B, WHITE>(self.rules, &position)
            } else {
                movegen::count_moves::<B, WHITE>(self.rules, &position, &mut self.scratch)
            };
        }
    }
}

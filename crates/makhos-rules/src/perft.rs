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
/// Moves of the last ply are counted, not made. The count wraps beyond `u64`, which takes centuries.
#[must_use]
pub fn count<B: Board>(
    rules: &RuleSet,
    position: &Position<B>,
    depth: u32,
    counting: Counting,
) -> u64 {
    B::perft(rules, position, depth, counting)
}

/// [`count`], instantiated for every board by [`Compiled`](crate::Compiled).
pub(crate) fn count_on_board<B: Board>(
    rules: &RuleSet,
    position: &Position<B>,
    depth: u32,
    counting: Counting,
) -> u64 {
    match (depth, counting) {
        (0, _) => 1,
        (1, Counting::Drop) => rules.legal_moves(position).len() as u64,
        (1, Counting::Keep) => rules.legal_routes(position).len() as u64,
        _ => Walk::new(rules, depth, counting).run(position),
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
struct Walk<'a, B> {
    rules: &'a RuleSet,
    /// Whether routes are counted.
    routes: bool,
    /// A list of moves for each ply but the last.
    lists: Vec<Vec<Move<B>>>,
    batch: Batch<B>,
    gathered: usize,
    leaves: u64,
    scratch: Vec<Move<B>>,
}

impl<'a, B: Board> Walk<'a, B> {
    fn new(rules: &'a RuleSet, depth: u32, counting: Counting) -> Self {
        Self {
            rules,
            routes: counting == Counting::Keep,
            lists: vec![Vec::new(); depth as usize - 1],
            batch: Batch::new(),
            gathered: 0,
            leaves: 0,
            scratch: Vec::new(),
        }
    }

    fn run(mut self, position: &Position<B>) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if let Some(processor) = x86::Modern::detect() {
            self.walk(processor, position);
            return self.leaves;
        }
        self.walk(Portable, position);
        self.leaves
    }

    fn walk<P: Processor<B>>(&mut self, processor: P, position: &Position<B>) {
        processor.node(self, position, 0);
        if position.side.is_white() == self.lists.len().is_multiple_of(2) {
            processor.flush::<true>(self);
        } else {
            processor.flush::<false>(self);
        }
    }

    #[inline(always)]
    fn step<P: Processor<B>>(&mut self, processor: P, position: &Position<B>, ply: usize) {
        if position.side.is_white() {
            self.step_as::<P, true, false>(processor, position, ply);
        } else {
            self.step_as::<P, false, true>(processor, position, ply);
        }
    }

    /// A node with the side to move, and the side that moves next, known at compile time.
    #[inline(always)]
    fn step_as<P: Processor<B>, const WHITE: bool, const NEXT: bool>(
        &mut self,
        processor: P,
        position: &Position<B>,
        ply: usize,
    ) {
        // Taken out while it is walked over: deeper plies have lists of their own.
        let mut moves = std::mem::take(&mut self.lists[ply]);
        if self.routes {
            movegen::moves_by_route_into::<B, WHITE>(self.rules, position, &mut moves);
        } else {
            movegen::moves_into::<B, WHITE>(self.rules, position, &mut moves);
        }
        let last_but_one = ply + 1 == self.lists.len();
        for mv in &moves {
            let next = position.make_as::<WHITE>(mv);
            if !last_but_one {
                processor.node(self, &next, ply + 1);
                continue;
            }
            self.batch.set::<NEXT>(self.gathered, &next);
            self.gathered += 1;
            if self.gathered == LANES {
                processor.flush::<NEXT>(self);
            }
        }
        self.lists[ply] = moves;
    }

    /// Counts the moves of the positions gathered.
    #[inline(always)]
    fn count_gathered<const WHITE: bool>(&mut self) {
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
            let (rules, scratch) = (self.rules, &mut self.scratch);
            self.leaves += movegen::count::<B, WHITE>(rules, &position, self.routes, scratch);
        }
    }
}

/// The two recursive steps of a [`Walk`], compiled for some kind of processor.
trait Processor<B: Board>: Copy {
    /// All lines from a position.
    fn node(self, walk: &mut Walk<'_, B>, position: &Position<B>, ply: usize);
    /// What is gathered, with this side to move.
    fn flush<const WHITE: bool>(self, walk: &mut Walk<'_, B>);
}

/// Any processor.
#[derive(Clone, Copy)]
struct Portable;

impl<B: Board> Processor<B> for Portable {
    fn node(self, walk: &mut Walk<'_, B>, position: &Position<B>, ply: usize) {
        walk.step(self, position, ply);
    }

    fn flush<const WHITE: bool>(self, walk: &mut Walk<'_, B>) {
        walk.count_gathered::<WHITE>();
    }
}

/// Calling functions compiled for features of the processor that have been detected.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use super::{Processor, Walk};
    use crate::board::Board;
    use crate::position::Position;

    /// A processor with wide registers that counts bits in one instruction, which the baseline of
    /// x86-64 lacks: perft is more than twice as fast. Exists only where it has been detected.
    #[derive(Clone, Copy)]
    pub(super) struct Modern(());

    impl Modern {
        pub(super) fn detect() -> Option<Self> {
            let detected = std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("popcnt")
                && std::arch::is_x86_feature_detected!("bmi1")
                && std::arch::is_x86_feature_detected!("bmi2")
                && std::arch::is_x86_feature_detected!("lzcnt");
            detected.then_some(Self(()))
        }
    }

    impl<B: Board> Processor<B> for Modern {
        #[inline(always)]
        fn node(self, walk: &mut Walk<'_, B>, position: &Position<B>, ply: usize) {
            // SAFETY: a `Modern` exists only where the features were detected.
            unsafe { node(self, walk, position, ply) }
        }

        #[inline(always)]
        fn flush<const WHITE: bool>(self, walk: &mut Walk<'_, B>) {
            // SAFETY: a `Modern` exists only where the features were detected.
            unsafe { flush::<B, WHITE>(walk) }
        }
    }

    #[target_feature(enable = "avx2,popcnt,bmi1,bmi2,lzcnt")]
    fn node<B: Board>(modern: Modern, walk: &mut Walk<'_, B>, position: &Position<B>, ply: usize) {
        walk.step(modern, position, ply);
    }

    #[target_feature(enable = "avx2,popcnt,bmi1,bmi2,lzcnt")]
    fn flush<B: Board, const WHITE: bool>(walk: &mut Walk<'_, B>) {
        walk.count_gathered::<WHITE>();
    }
}

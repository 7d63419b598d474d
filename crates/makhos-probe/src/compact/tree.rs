//! The cheapest tree of expectations for what was counted in each context.
//!
//! A node has an expectation of its own or that of the node above, and is divided or not. What is cheapest
//! below a node depends on what it inherits alone, which is the initial expectation or the best one of a node
//! on the way to it. So the cost of each node under each of these is found once.

use crate::compact::bits::Encoder;
use crate::compact::context::Questions;
use crate::compact::model::{Expectation, MISS, MISS_CODES, ORDERS, THIRD_CODES, TreeCodes};

/// A bit in the units of costs.
const BIT: u64 = 1 << 20;
/// About what an expectation of its own takes in the model.
const OWN_COST: u64 = 9 * BIT;
/// About what the other decisions of a node take.
const NODE_COST: u64 = BIT / 2;

/// The cost of an answer of that chance, of 65,536: the negative of its logarithm.
const fn cost(chance: u32) -> u64 {
    // Bit by bit, by squaring a number between one and two.
    let log = chance.ilog2();
    let mut mantissa = (chance as u64) << (31 - log);
    let mut fraction = 0;
    let mut bit = BIT;
    while bit > 1 {
        bit /= 2;
        mantissa = (mantissa * mantissa) >> 31;
        if mantissa >> 32 != 0 {
            mantissa >>= 1;
            fraction += bit;
        }
    }
    (16 - log as u64) * BIT - fraction
}

/// What a hit and a miss cost, by the code of the miss.
const MISS_COSTS: [(u64, u64); MISS_CODES] = {
    let mut costs = [(0, 0); MISS_CODES];
    let mut code = 0;
    while code < MISS_CODES {
        let miss = MISS[code] as u32;
        costs[code] = (cost((1 << 16) - miss), cost(miss));
        code += 1;
    }
    costs
};

/// What the second and third outcome cost on top, by the code of the third.
const THIRD_COSTS: [(u64, u64); THIRD_CODES] = {
    let mut costs = [(0, 0); THIRD_CODES];
    let mut code = 0;
    while code < THIRD_CODES {
        let third = 1 << (15 - code);
        costs[code] = (cost((1 << 16) - third), cost(third));
        code += 1;
    }
    costs
};

type Counts = [u64; 3];

/// Writes the tree that is cheapest for what was counted in each context, values of which each stands for
/// `weight`.
pub(crate) fn encode_tree(
    encoder: &mut Encoder<'_>,
    questions: &Questions,
    counts: &[[u32; 3]],
    initial: Expectation,
    weight: u64,
) {
    let mut writer = TreeWriter {
        encoder,
        codes: TreeCodes::default(),
        tree: Tree::new(questions, counts, initial, weight),
    };
    writer.node(0, 0, 0);
}

struct TreeWriter<'a, 'b> {
    encoder: &'a mut Encoder<'b>,
    codes: TreeCodes,
    tree: Tree,
}

impl TreeWriter<'_, '_> {
    /// Writes a node below an expectation and all below it, see [`Tree`].
    fn node(&mut self, depth: usize, number: usize, above: usize) {
        let own = self.tree.has_own(depth, number, above);
        let source = if own { depth + 1 } else { above };
        let expectation = own.then(|| self.tree.expectation(source));
        let inherited = self.tree.expectation(above);
        self.codes
            .encode_own(self.encoder, depth, inherited, expectation);
        let Some(below) = self.tree.below(depth, number) else {
            return;
        };
        let divided = self.tree.is_divided(depth, number, source);
        self.codes.encode_divided(self.encoder, depth, divided);
        if divided {
            below.for_each(|number| self.node(depth + 1, number, source));
        }
    }
}

/// All nodes, by depth and number: those below a node are consecutive, in the order of the answers.
///
/// An expectation is told by where it comes from, its *source*: 0 is the initial one, `depth + 1` the best of the
/// node at `depth` on the way to the one in hand.
struct Tree {
    weight: u64,
    /// By depth: nodes below each.
    answers: Vec<usize>,
    /// By depth and number.
    counts: Vec<Vec<Counts>>,
    best: Vec<Vec<Option<Expectation>>>,
    /// By depth, number and source: what a node with this expectation costs, and whether divided.
    costs: Vec<Vec<Option<(u64, bool)>>>,
    /// By source, on the way to the node in hand.
    path: Vec<Expectation>,
}

impl Tree {
    fn new(questions: &Questions, counts: &[[u32; 3]], initial: Expectation, weight: u64) -> Self {
        let answers: Vec<usize> = questions.answers().collect();
        let leaves = questions.in_order().into_iter();
        let mut sums = vec![
            leaves
                .map(|context| counts[context].map(u64::from))
                .collect::<Vec<Counts>>(),
        ];
        for &answers in answers.iter().rev() {
            let below = &sums[sums.len() - 1];
            let add = |sum: Counts, counts: &Counts| [0, 1, 2].map(|at| sum[at] + counts[at]);
            sums.push(
                below
                    .chunks(answers)
                    .map(|counts| counts.iter().fold([0; 3], add))
                    .collect(),
            );
        }
        sums.reverse();
        Self {
            weight,
            best: sums.iter().map(|nodes| vec![None; nodes.len()]).collect(),
            costs: (1..)
                .zip(&sums[..answers.len()])
                .map(|(sources, nodes)| vec![None; nodes.len() * (sources + 1)])
                .collect(),
            path: vec![initial; answers.len() + 2],
            counts: sums,
            answers,
        }
    }

    /// The numbers of the nodes below; `None` behind the last question.
    fn below(&self, depth: usize, number: usize) -> Option<std::ops::Range<usize>> {
        let &answers = self.answers.get(depth)?;
        Some(number * answers..(number + 1) * answers)
    }

    /// The expectation with this source, on the way to the node looked at last.
    fn expectation(&self, source: usize) -> Expectation {
        self.path[source]
    }

    /// Whether a node costs less with an expectation of its own.
    fn has_own(&mut self, depth: usize, number: usize, above: usize) -> bool {
        self.cost(depth, number, above).1
    }

    /// Whether a node costs less if it is divided, given where its expectation comes from.
    fn is_divided(&mut self, depth: usize, number: usize, source: usize) -> bool {
        self.cost_with(depth, number, source).1
    }

    /// What a node costs below an expectation, and whether it has one of its own.
    fn cost(&mut self, depth: usize, number: usize, above: usize) -> (u64, bool) {
        if self.counts[depth][number] == [0; 3] {
            return (NODE_COST / 8, false);
        }
        let (inherited, _) = self.cost_with(depth, number, above);
        // Nothing below can save more than all that inheriting costs.
        if inherited <= OWN_COST {
            return (inherited, false);
        }
        let counts = self.counts[depth][number];
        let best = *self.best[depth][number].get_or_insert_with(|| best_expectation(counts));
        self.path[depth + 1] = best;
        if best == self.path[above] {
            return (inherited, false);
        }
        let own = self.cost_with(depth, number, depth + 1).0 + OWN_COST;
        (own.min(inherited), own < inherited)
    }

    /// What a node costs with a given expectation, and whether it is divided.
    fn cost_with(&mut self, depth: usize, number: usize, source: usize) -> (u64, bool) {
        let whole = || {
            let counts = self.counts[depth][number];
            self.weight * counts_cost(counts, self.path[source]) + NODE_COST
        };
        let Some(below) = self.below(depth, number) else {
            return (whole(), false);
        };
        let place = number * (depth + 2) + source;
        if let Some(known) = self.costs[depth][place] {
            return known;
        }
        let whole = whole();
        let cost = match whole > OWN_COST + NODE_COST {
            true => self.divided(depth, below, source, whole),
            false => None,
        };
        let found = (cost.unwrap_or(whole), cost.is_some());
        self.costs[depth][place] = Some(found);
        found
    }

    /// What a node costs that is divided, if less than `whole`.
    fn divided(
        &mut self,
        depth: usize,
        below: std::ops::Range<usize>,
        source: usize,
        whole: u64,
    ) -> Option<u64> {
        let mut divided = NODE_COST;
        for number in below {
            divided += self.cost(depth + 1, number, source).0;
            if divided >= whole {
                return None;
            }
        }
        Some(divided)
    }
}

/// What outcomes cost under an expectation.
fn counts_cost(counts: Counts, expectation: Expectation) -> u64 {
    let [hits, seconds, thirds] = expectation
        .outcomes()
        .map(|outcome| counts[usize::from(outcome)]);
    let (hit, miss) = MISS_COSTS[usize::from(expectation.miss)];
    let (second, third) = THIRD_COSTS[usize::from(expectation.third)];
    hits * hit + seconds * (miss + second) + thirds * (miss + third)
}

/// The code of the costs under which so many likely and unlikely answers cost least.
fn cheapest(costs: &[(u64, u64)], likely: u64, unlikely: u64) -> u8 {
    let cost = |code: &usize| likely * costs[*code].0 + unlikely * costs[*code].1;
    (0..costs.len()).min_by_key(cost).unwrap_or(0) as u8
}

/// The code of [`MISS`] for so many hits and misses.
pub(crate) fn cheapest_miss(hits: u64, misses: u64) -> u8 {
    cheapest(&MISS_COSTS, hits, misses)
}

/// The expectation under which outcomes cost least.
fn best_expectation(counts: Counts) -> Expectation {
    let order = (0..ORDERS as u8)
        .rev()
        .max_by_key(|&order| {
            let expectation = Expectation {
                order,
                miss: 0,
                third: 0,
            };
            expectation
                .outcomes()
                .map(|outcome| counts[usize::from(outcome)])
        })
        .unwrap_or(0);
    let mut best = Expectation {
        order,
        miss: 0,
        third: 0,
    };
    let [hits, seconds, thirds] = best.outcomes().map(|outcome| counts[usize::from(outcome)]);
    best.miss = cheapest_miss(hits, seconds + thirds);
    best.third = cheapest(&THIRD_COSTS, seconds, thirds);
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The least cost of a node below an expectation, by trying everything.
    fn least(
        questions: &Questions,
        counts: &[[u32; 3]],
        (depth, context): (usize, usize),
        above: Expectation,
        weight: u64,
    ) -> u64 {
        fn sums(
            questions: &Questions,
            counts: &[[u32; 3]],
            depth: usize,
            context: usize,
        ) -> Counts {
            match questions.below(depth, context) {
                Some(below) => below.fold([0; 3], |all, context| {
                    let more = sums(questions, counts, depth + 1, context);
                    [0, 1, 2].map(|at| all[at] + more[at])
                }),
                None => counts[context].map(u64::from),
            }
        }
        let here = sums(questions, counts, depth, context);
        if here == [0; 3] {
            return NODE_COST / 8;
        }
        let with = |expectation| {
            let whole = weight * counts_cost(here, expectation) + NODE_COST;
            let below = questions.below(depth, context).map(|below| {
                let below = below.map(|context| {
                    least(questions, counts, (depth + 1, context), expectation, weight)
                });
                NODE_COST + below.sum::<u64>()
            });
            below.map_or(whole, |divided| divided.min(whole))
        };
        with(above).min(with(best_expectation(here)) + OWN_COST)
    }

    proptest! {
        #[test]
        fn the_tree_is_the_cheapest(
            counts in prop::collection::vec(
                prop_oneof![Just([0; 3]), [0..3_u32, 0..3_u32, 0..300_u32], [0..3000_u32, 0..9_u32, 0..2_u32]],
                18,
            ),
            usual in 0..3_u8,
            weight in 1..20_u64,
        ) {
            // The answers are digits in another order than that of the questions.
            let questions = Questions::new(&[(3, 2), (2, 1), (3, 6)]);
            let initial = Expectation::initial(usual);
            let expected = least(&questions, &counts, (0, 0), initial, weight);
            let mut tree = Tree::new(&questions, &counts, initial, weight);
            prop_assert_eq!(tree.cost(0, 0, 0).0, expected);
        }
    }
}

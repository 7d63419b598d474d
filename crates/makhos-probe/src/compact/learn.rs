//! Making the model of a chapter from some of its cells.
//!
//! Outcomes are counted by context, values that may be anything being what is expected; then the tree of
//! contexts is cut back to the nodes whose expectations save more bits than they take. All sums are
//! integers, so that the same values give the same model everywhere.

use crate::compact::bits::{BitString, Encoder};
use crate::compact::cell::CellBuffer;
use crate::compact::context::{Questions, uniform};
use crate::compact::model::{Expectation, MISS, MISS_CODES, ORDERS, THIRD_CODES, TreeCodes};
use crate::compact::rows::Rows;
use crate::compact::source::ANY;

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

/// A cell to learn from: the index of its first value, and the codes.
pub(crate) struct Lesson<'a> {
    pub(crate) start: u64,
    pub(crate) codes: &'a [u8],
    /// Whether every value is or may be the usual one.
    pub(crate) is_uniform: bool,
}

/// The bytes of the model for cells like these; `usual` is the most frequent outcome and `weight` how many cells each of them stands for.
pub(crate) fn learn(rows: &Rows, usual: u8, lessons: &[Lesson<'_>], weight: u64) -> Vec<u8> {
    let counter = Counter::of(rows, usual, lessons);
    let mut bits = BitString::default();
    let mut encoder = Encoder::new(&mut bits);
    encode_tree(
        &mut encoder,
        &counter.questions,
        &counter.counts,
        Expectation::initial(usual),
        weight,
    );
    encoder.finish();
    [&[usual], bits.bytes()].concat()
}

/// Writes the tree that is cheapest for what was counted in each context, values of which each stands for
/// `weight`.
pub(crate) fn encode_tree(
    encoder: &mut Encoder<'_>,
    questions: &Questions,
    counts: &[[u32; 3]],
    initial: Expectation,
    weight: u64,
) {
    let tree = node(questions, counts, 0, 0);
    let plan = tree.and_then(|tree| tree.plan(initial, weight).1);
    let mut writer = TreeWriter {
        encoder,
        codes: TreeCodes::default(),
        questions,
    };
    writer.node(0, initial, plan.as_ref());
}

/// The tree below a node; `None` if nothing was counted there.
fn node(questions: &Questions, counts: &[[u32; 3]], depth: usize, context: usize) -> Option<Node> {
    let Some(below) = questions.below(depth, context) else {
        let counts = counts[context].map(u64::from);
        return (counts != [0; 3]).then(|| Node::new(counts, Vec::new()));
    };
    let below: Vec<_> = below
        .map(|context| node(questions, counts, depth + 1, context))
        .collect();
    let mut sums = [0; 3];
    for node in below.iter().flatten() {
        for (sum, count) in sums.iter_mut().zip(node.counts) {
            *sum += count;
        }
    }
    (sums != [0; 3]).then(|| Node::new(sums, below))
}

/// Counts outcomes by context.
pub(crate) struct Counter<'a> {
    rows: &'a Rows,
    usual: u8,
    pub(crate) questions: Questions,
    pub(crate) counts: Vec<[u32; 3]>,
    /// The outcome to expect, by context.
    pub(crate) expected: Vec<u8>,
    buffer: CellBuffer,
}

impl<'a> Counter<'a> {
    fn new(rows: &'a Rows, usual: u8) -> Self {
        let questions = Questions::of_outcomes(rows.squares());
        let contexts = questions.contexts();
        Self {
            rows,
            usual,
            questions,
            counts: vec![[0; 3]; contexts],
            // At first the outcome before, which is the lowest digit of a context.
            expected: (0..contexts).map(|context| (context % 3) as u8).collect(),
            buffer: CellBuffer::new(),
        }
    }

    /// The counts of all lessons. What may be anything is filled in three times, each time as the counts
    /// before have it.
    pub(crate) fn of(rows: &'a Rows, usual: u8, lessons: &[Lesson<'_>]) -> Self {
        let mut counter = Self::new(rows, usual);
        counter.count(lessons, false);
        counter.expect();
        counter.count(lessons, true);
        counter.expect();
        counter.count(lessons, true);
        counter
    }

    /// Counts anew; values that may be anything as what is expected, or not at all.
    fn count(&mut self, lessons: &[Lesson<'_>], any: bool) {
        self.counts.fill([0; 3]);
        for lesson in lessons {
            let (counts, expected) = (&mut self.counts, &self.expected);
            let len = lesson.codes.len();
            if lesson.is_uniform {
                // All of it is expected, or will be.
                self.rows.for_each_run(lesson.start, len, |run| {
                    for column in run.column..run.column + run.len {
                        counts[uniform(column, self.usual)][usize::from(self.usual)] += 1;
                    }
                });
                continue;
            }
            self.buffer
                .walk(self.rows, self.usual, lesson.start, len, |at, context| {
                    let code = lesson.codes[at];
                    let outcome = if code == ANY { expected[context] } else { code };
                    counts[context][usize::from(outcome)] += u32::from(code != ANY || any);
                    outcome
                });
        }
    }

    /// Expects what was counted most.
    pub(crate) fn expect(&mut self) {
        for (expected, counts) in self.expected.iter_mut().zip(&self.counts) {
            let most =
                (0..3).max_by_key(|&outcome| (counts[outcome], outcome == usize::from(*expected)));
            *expected = most.unwrap_or(0) as u8;
        }
    }
}

/// A node of the tree of all contexts that were seen.
struct Node {
    counts: Counts,
    /// The best expectation for these.
    best: Expectation,
    below: Vec<Option<Node>>,
}

/// What becomes of a node in the model.
struct Plan {
    own: Option<Expectation>,
    /// Empty if the node is not divided.
    below: Vec<Option<Plan>>,
}

impl Node {
    fn new(counts: Counts, below: Vec<Option<Node>>) -> Self {
        let best = best_expectation(counts);
        Self {
            counts,
            best,
            below,
        }
    }

    /// The cheapest plan below `above`, and its cost. `None` for nothing of its own.
    fn plan(&self, above: Expectation, weight: u64) -> (u64, Option<Plan>) {
        let (inherited, plan) = self.plan_with(above, weight);
        if self.best == above {
            return (inherited, plan);
        }
        // Nothing below can save more than all that inheriting costs.
        if inherited <= OWN_COST {
            return (inherited, plan);
        }
        let (own, own_plan) = self.plan_with(self.best, weight);
        if own + OWN_COST >= inherited {
            return (inherited, plan);
        }
        let below = own_plan.map_or_else(Vec::new, |plan| plan.below);
        let own_plan = Plan {
            own: Some(self.best),
            below,
        };
        (own + OWN_COST, Some(own_plan))
    }

    /// The cheapest plan with a given expectation at the node.
    fn plan_with(&self, expectation: Expectation, weight: u64) -> (u64, Option<Plan>) {
        let whole = weight * counts_cost(self.counts, expectation) + NODE_COST;
        if self.below.is_empty() || whole <= OWN_COST + NODE_COST {
            return (whole, None);
        }
        let mut divided = NODE_COST;
        let mut below = Vec::with_capacity(self.below.len());
        for node in &self.below {
            let (cost, plan) = match node {
                Some(node) => node.plan(expectation, weight),
                None => (NODE_COST / 8, None),
            };
            divided += cost;
            below.push(plan);
            if divided >= whole {
                return (whole, None);
            }
        }
        (divided, Some(Plan { own: None, below }))
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

struct TreeWriter<'a, 'b, 'c> {
    encoder: &'a mut Encoder<'b>,
    codes: TreeCodes,
    questions: &'c Questions,
}

impl TreeWriter<'_, '_, '_> {
    /// Writes a node and all below it.
    fn node(&mut self, depth: usize, above: Expectation, plan: Option<&Plan>) {
        let own = plan.and_then(|plan| plan.own);
        self.codes.encode_own(self.encoder, depth, above, own);
        if self.questions.below(depth, 0).is_none() {
            return;
        }
        let below = plan.map_or(&[][..], |plan| &plan.below);
        self.codes
            .encode_divided(self.encoder, depth, !below.is_empty());
        let expectation = own.unwrap_or(above);
        for plan in below {
            self.node(depth + 1, expectation, plan.as_ref());
        }
    }
}

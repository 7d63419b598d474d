//! The model of a chapter: for every context the outcome to expect and how surely.

use crate::compact::bits::{Adaptive, BitReader, Decoder, Encoder, Number};
use crate::compact::context::{MAX_QUESTIONS, Questions, uniform};

/// Codes for the chance that the expected outcome is wrong.
pub(crate) const MISS_CODES: usize = 32;
/// Codes for the chance that the second outcome is wrong too.
pub(crate) const THIRD_CODES: usize = 8;
/// Orders of three outcomes.
pub(crate) const ORDERS: usize = 6;

/// The chances of a miss, of 65,536, by code: two to the octave, from 5/8 down.
pub(crate) const MISS: [u16; MISS_CODES] = {
    let mut chances = [0; MISS_CODES];
    let mut code = 0;
    while code < MISS_CODES {
        let octave = [40_960_u16, 28_963][code % 2] >> (code / 2);
        chances[code] = if octave == 0 { 1 } else { octave };
        code += 1;
    }
    chances
};

/// What is known of the outcomes in a context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Expectation {
    /// Below [`ORDERS`]: the expected outcome is `order / 2`, the second one the lower of the other two if
    /// `order` is even, else the higher.
    pub(crate) order: u8,
    /// Below [`MISS_CODES`].
    pub(crate) miss: u8,
    /// Below [`THIRD_CODES`]; the chance is 2^-(1 + code).
    pub(crate) third: u8,
}

impl Expectation {
    /// What is expected before anything is known, with `usual` as the most frequent outcome.
    pub(crate) const fn initial(usual: u8) -> Self {
        Self {
            order: 2 * usual,
            miss: 4,
            third: 1,
        }
    }

    /// The outcomes, the expected one first: 0 a draw, 1 a loss, 2 a win.
    pub(crate) const fn outcomes(self) -> [u8; 3] {
        let first = self.order / 2;
        let lower = if first == 0 { 1 } else { 0 };
        let higher = 3 - first - lower;
        if self.order.is_multiple_of(2) {
            [first, lower, higher]
        } else {
            [first, higher, lower]
        }
    }

    /// The chance of a miss, of 65,536.
    pub(crate) const fn miss_chance(self) -> u32 {
        MISS[self.miss as usize] as u32
    }
}

/// An expectation as it is looked up for every value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Packed(u32);

impl From<Expectation> for Packed {
    fn from(from: Expectation) -> Self {
        let [first, second, third] = from.outcomes().map(u32::from);
        let outcomes = first | second << 2 | third << 4;
        Self(from.miss_chance() | outcomes << 16 | u32::from(from.third) << 22)
    }
}

impl Packed {
    #[inline(always)]
    pub(crate) fn expected(self) -> u8 {
        (self.0 >> 16 & 3) as u8
    }

    #[inline(always)]
    fn miss_chance(self) -> u32 {
        self.0 & 0xFFFF
    }

    /// Writes an outcome.
    #[inline(always)]
    pub(crate) fn encode(self, encoder: &mut Encoder<'_>, outcome: u8) {
        let is_miss = outcome != self.expected();
        encoder.encode(is_miss, self.miss_chance());
        if is_miss {
            let is_third = outcome == (self.0 >> 20 & 3) as u8;
            encoder.encode(is_third, 1 << (15 - (self.0 >> 22)));
        }
    }

    /// Reads an outcome.
    #[inline(always)]
    pub(crate) fn decode(self, decoder: &mut Decoder<'_>) -> u8 {
        if !decoder.decode(self.miss_chance()) {
            return self.expected();
        }
        let is_third = decoder.decode(1 << (15 - (self.0 >> 22)));
        (self.0 >> (18 + 2 * u32::from(is_third)) & 3) as u8
    }
}

/// The model of a chapter, ready for coding.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// What stands before every cell.
    pub(crate) usual: u8,
    /// Whether the usual outcome is expected in every column whose neighbours all have it. Then cells of
    /// nothing else take no bits, and cells without bits hold nothing else.
    pub(crate) is_steady: bool,
    /// By context.
    table: Box<[Packed]>,
}

impl Model {
    #[inline(always)]
    pub(crate) fn get(&self, context: usize) -> Packed {
        self.table[context]
    }

    /// Reads a model for so many columns. Any bytes are some model.
    pub(crate) fn read(bytes: &[u8], columns: usize) -> Self {
        let (&usual, tree) = bytes.split_first().unwrap_or((&0, &[]));
        let mut decoder = Decoder::new(BitReader::new(tree, 0, tree.len() * 8));
        Self::decode(usual % 3, &mut decoder, columns)
    }

    /// Reads the tree of a model whose usual outcome is known.
    pub(crate) fn decode(usual: u8, decoder: &mut Decoder<'_>, columns: usize) -> Self {
        let questions = Questions::of_outcomes(columns);
        let table = decode_tree(decoder, &questions, Expectation::initial(usual));
        let is_steady =
            (0..columns).all(|column| table[uniform(column, usual)].expected() == usual);
        Self {
            usual,
            is_steady,
            table,
        }
    }
}

/// Reads a tree into a table by context. Any bits are some tree, with no more nodes than there are contexts
/// and questions.
pub(crate) fn decode_tree(
    decoder: &mut Decoder<'_>,
    questions: &Questions,
    initial: Expectation,
) -> Box<[Packed]> {
    let mut reader = TreeReader {
        decoder,
        codes: TreeCodes::default(),
        questions,
        table: vec![initial.into(); questions.contexts()].into(),
    };
    reader.node(0, 0, initial);
    reader.table
}

/// What writer and reader of a tree learn while they go through it.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreeCodes {
    /// Whether a node has an expectation of its own, by depth.
    own: [Adaptive; MAX_QUESTIONS + 1],
    /// Whether a node is divided, by depth.
    divided: [Adaptive; MAX_QUESTIONS],
    /// By the order above.
    order: [Number<8>; 8],
    miss: Number<MISS_CODES>,
    third: Number<THIRD_CODES>,
}

impl TreeCodes {
    /// Writes whether a node has an expectation of its own, and which.
    pub(crate) fn encode_own(
        &mut self,
        encoder: &mut Encoder<'_>,
        depth: usize,
        above: Expectation,
        own: Option<Expectation>,
    ) {
        self.own[depth].encode(encoder, own.is_some());
        if let Some(own) = own {
            self.order[usize::from(above.order)].encode(encoder, own.order.into());
            self.miss.encode(encoder, own.miss.into());
            self.third.encode(encoder, own.third.into());
        }
    }

    /// Writes whether a node is divided; those behind the last question never are, which is not written.
    pub(crate) fn encode_divided(&mut self, encoder: &mut Encoder<'_>, depth: usize, yes: bool) {
        self.divided[depth].encode(encoder, yes);
    }

    fn own(
        &mut self,
        decoder: &mut Decoder<'_>,
        depth: usize,
        above: Expectation,
    ) -> Option<Expectation> {
        self.own[depth].decode(decoder).then(|| Expectation {
            order: self.order[usize::from(above.order)]
                .decode(decoder)
                .min(ORDERS - 1) as u8,
            miss: self.miss.decode(decoder) as u8,
            third: self.third.decode(decoder) as u8,
        })
    }

    fn divided(&mut self, decoder: &mut Decoder<'_>, depth: usize) -> bool {
        self.divided[depth].decode(decoder)
    }
}

struct TreeReader<'a, 'b, 'c> {
    decoder: &'a mut Decoder<'b>,
    codes: TreeCodes,
    questions: &'c Questions,
    table: Box<[Packed]>,
}

impl TreeReader<'_, '_, '_> {
    /// Reads the node whose answers so far add up to `context`.
    fn node(&mut self, depth: usize, context: usize, above: Expectation) {
        let own = self.codes.own(self.decoder, depth, above);
        let expectation = own.unwrap_or(above);
        match self.questions.below(depth, context) {
            Some(below) if self.codes.divided(self.decoder, depth) => {
                below.for_each(|context| self.node(depth + 1, context, expectation));
            }
            _ => self.fill(depth, context, expectation.into()),
        }
    }

    /// Sets all contexts below a node.
    fn fill(&mut self, depth: usize, context: usize, packed: Packed) {
        match self.questions.below(depth, context) {
            Some(below) => below.for_each(|context| self.fill(depth + 1, context, packed)),
            None => self.table[context] = packed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compact::context::PER_COLUMN;
    use proptest::prelude::*;

    #[test]
    fn orders_are_all_permutations() {
        let all: std::collections::BTreeSet<_> = (0..ORDERS as u8)
            .map(|order| {
                Expectation {
                    order,
                    ..Expectation::initial(0)
                }
                .outcomes()
            })
            .collect();
        assert_eq!(all.len(), ORDERS);
        assert_eq!(Expectation::initial(1).outcomes(), [1, 0, 2]);
        assert!(MISS.is_sorted_by(|a, b| a >= b) && MISS[31] == 1);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_model(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let model = Model::read(&bytes, 32);
            for context in 0..32 * PER_COLUMN {
                prop_assert!(model.get(context).expected() < 3);
                prop_assert!(model.get(context).miss_chance() > 0);
            }
        }
    }
}

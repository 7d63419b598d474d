//! Where a chain of captures ends: the words of the positions it leads to.

use makhos_rules::Board;

use super::mask::{Product, all_if};
use super::outcome::Outcome;

/// Words of positions in dense form: the unwon and the lost plane, then, where distances are asked for,
/// planes of plies, two at a time.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a, B> {
    /// From the words of the positions on.
    words: &'a [B],
    /// From a pair of planes to the next one.
    stride: usize,
    /// For a single position its bit.
    bit: usize,
}

impl<'a, B: Board> Words<'a, B> {
    #[inline(always)]
    pub(crate) fn new(words: &'a [B], stride: usize, bit: usize) -> Self {
        Self { words, stride, bit }
    }

    /// A pair of planes of a block with `N` rows.
    #[inline(always)]
    pub(crate) fn planes<const N: usize>(&self, pair: usize) -> [&'a [B; N]; 2] {
        let (first, second) = self.words[pair * self.stride..].split_at(N);
        [first, second].map(|plane| {
            plane
                .first_chunk()
                .expect("a block has N rows of each plane")
        })
    }

    /// The words of one pair of planes, and the bit.
    #[inline(always)]
    pub(crate) fn pair(&self, pair: usize) -> (&'a [B], usize) {
        (&self.words[pair * self.stride..], self.bit)
    }

    /// The planes of plies of a block, not [upright](Self::upright).
    #[inline(always)]
    pub(crate) fn plies<const N: usize, const P: usize>(&self) -> [&'a [B; N]; P] {
        let mut planes = [self.planes::<N>(0)[0]; P];
        for pair in 0..P / 2 {
            let [first, second] = self.planes::<N>(pair + 1);
            planes[2 * pair] = first;
            planes[2 * pair + 1] = second;
        }
        planes
    }

    /// A word of plane number `p` of plies. The first one of a pair is stored as the unwon plane of
    /// outcomes is: its bits are turned round.
    #[inline(always)]
    pub(crate) fn upright(word: B, p: usize) -> B {
        if p.is_multiple_of(2) { !word } else { word }
    }

    /// The unwon and the lost word and those of plies of positions that are bits of words.
    #[inline(always)]
    fn word<const P: usize>(&self) -> (B, B, [B; P]) {
        let mut plies = [B::EMPTY; P];
        for p in 0..P {
            let word = self.words[(1 + p / 2) * self.stride + p % 2];
            plies[p] = Self::upright(word, p);
        }
        (self.words[0], self.words[1], plies)
    }
}

/// Where a capture ends.
#[derive(Clone, Copy)]
pub(crate) enum Target<'a, B, const P: usize> {
    /// The foe has no pieces left.
    Over,
    /// Positions of a smaller class.
    Words(Words<'a, B>),
    /// The best of several squares to land on. Only of chains after which one side at most has an inner
    /// king.
    Best(Gathered<B, P>),
}

impl<B: Board, const P: usize> Target<'_, B, P> {
    /// The outcome of ends on `here`, where a position is a bit of the words.
    #[inline(always)]
    pub(crate) fn by_word(&self, here: B) -> Outcome<B, P> {
        let (unwon, lost, plies) = match *self {
            Self::Over => (B::ALL, B::ALL, [B::EMPTY; P]),
            Self::Words(words) => words.word(),
            Self::Best(ends) => return ends.of(here),
        };
        Outcome {
            win: here & lost,
            draw: here & unwon & !lost,
            any: here,
            plies,
        }
    }

    /// The outcome of ends on `here` that all lead to the one position there is.
    #[inline(always)]
    pub(crate) fn by_bit(&self, here: B) -> Outcome<B, P> {
        let mut outcome = self.everywhere();
        outcome.win &= here;
        outcome.draw &= here;
        outcome.any = here;
        outcome
    }

    /// The outcome of the one position there is, for all squares.
    #[inline(always)]
    fn everywhere(&self) -> Outcome<B, P> {
        let Self::Words(words) = *self else {
            return self.by_word(B::ALL);
        };
        let (mut unwon, mut lost, mut plies) = words.word();
        unwon = all_if(unwon.contains(words.bit));
        lost = all_if(lost.contains(words.bit));
        for p in 0..P {
            plies[p] = all_if(plies[p].contains(words.bit));
        }
        Outcome {
            win: lost,
            draw: unwon & !lost,
            any: B::ALL,
            plies,
        }
    }
}

/// What several ends of one chain lead to together: for each placement the best of them.
#[derive(Clone, Copy)]
pub(crate) struct Gathered<B, const P: usize>(Outcome<B, P>);

impl<B: Board, const P: usize> Gathered<B, P> {
    pub(crate) fn none() -> Self {
        Self(Outcome::all(B::EMPTY))
    }

    /// Adds an end, for placements without an inner king on the squares `crossed` on the way.
    #[inline(always)]
    pub(crate) fn add<M: Product<B, N>, const N: usize>(
        &mut self,
        end: &Target<'_, B, P>,
        crossed: B,
    ) {
        let alone = !(M::OWN || M::FOE);
        let new = if alone {
            end.everywhere()
        } else {
            end.by_word(B::ALL & !crossed)
        };
        self.0.merge(&new);
    }

    /// The outcome of ends on `here`.
    #[inline(always)]
    fn of(&self, here: B) -> Outcome<B, P> {
        let mut outcome = self.0;
        outcome.win &= here;
        outcome.draw &= here;
        outcome.any = here;
        outcome
    }
}

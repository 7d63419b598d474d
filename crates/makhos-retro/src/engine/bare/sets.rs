//! Bits over all sets of Black's men of one size, in the order of their ranks.
//!
//! Of two sets that both have a square, the order does not change if it is taken out of both; so the sets
//! with a square, in their order, are the smaller sets without it in theirs. What is known of positions
//! goes from one size to the other by packing the bits of the one and spreading them over those of the
//! other, 64 at a time.

use makhos_rules::Board;

use crate::engine::isa::Isa;
use crate::engine::ranks::{rank, sets, subsets};

/// The number of sets of men of one side.
pub(super) fn count<B: Board>(men: u32) -> usize {
    sets(B::SQUARES - B::PER_ROW, men)
}

/// Words that hold a bit for each set of that many men.
pub(super) fn words<B: Board>(men: u32) -> usize {
    count::<B>(men).div_ceil(64)
}

/// The place of White's men among all sets of so many.
#[inline(always)]
pub(super) fn white_rank<B: Board>(men: B) -> usize {
    rank(men >> B::PER_ROW)
}

/// All sets of that many of White's or Black's men, in the order of their ranks.
pub(super) fn all_men<B: Board>(men: u32, white: bool) -> impl Iterator<Item = B> {
    subsets(B::ALL & !B::promotion_row(white), men)
}

/// The sets of one size.
#[derive(Debug)]
struct Size {
    words: usize,
    /// A bit for each set.
    all: Vec<u64>,
    /// For each square the sets with it, and those without.
    with: Vec<u64>,
    without: Vec<u64>,
}

impl Size {
    fn new<B: Board>(men: u32) -> Self {
        let squares = (B::SQUARES - B::PER_ROW) as usize;
        let (count, words) = (count::<B>(men), words::<B>(men));
        let mut all = vec![0; words];
        let mut with = vec![0; squares * words];
        for (number, set) in all_men::<B>(men, false).enumerate() {
            for square in set.squares() {
                with[square * words + number / 64] |= 1 << (number % 64);
            }
        }
        for number in 0..count {
            all[number / 64] |= 1 << (number % 64);
        }
        let without = with.chunks_exact(words);
        let without = without.flat_map(|with| with.iter().zip(&all).map(|(with, all)| all & !with));
        Self {
            words,
            without: without.collect(),
            all,
            with,
        }
    }
}

/// The sets of up to so many of Black's men.
#[derive(Debug)]
pub(super) struct BlackSets {
    sizes: Vec<Size>,
}

impl BlackSets {
    pub(super) fn new<B: Board>(men: u32) -> Self {
        Self {
            sizes: (0..=men).map(Size::new::<B>).collect(),
        }
    }

    /// Bytes of the sets of up to so many men.
    pub(super) fn bytes<B: Board>(men: u32) -> u64 {
        let squares = u64::from(B::SQUARES - B::PER_ROW);
        let words = (0..=men).map(|men| words::<B>(men) as u64);
        let words = words.fold(0, u64::saturating_add);
        words.saturating_mul(8 * (2 * squares + 1))
    }

    /// Words of a plane of sets of that many men.
    #[inline(always)]
    pub(super) fn words(&self, men: usize) -> usize {
        self.sizes[men].words
    }

    /// All sets of that many men.
    #[inline(always)]
    pub(super) fn all(&self, men: usize) -> &[u64] {
        &self.sizes[men].all
    }

    /// Those of them with this square.
    #[inline(always)]
    pub(super) fn with(&self, men: usize, square: usize) -> &[u64] {
        let Size { words, with, .. } = &self.sizes[men];
        &with[square * words..(square + 1) * words]
    }

    /// Those of them without this square.
    #[inline(always)]
    pub(super) fn without(&self, men: usize, square: usize) -> &[u64] {
        let Size { words, without, .. } = &self.sizes[men];
        &without[square * words..(square + 1) * words]
    }

    /// Fills `into` with the sets of that many men without those of `taken`.
    #[inline(always)]
    pub(super) fn outside<B: Board>(&self, men: usize, taken: B, into: &mut [u64]) {
        into.copy_from_slice(self.all(men));
        for square in (taken & !B::BOTTOM_ROW).squares() {
            for (into, without) in into.iter_mut().zip(self.without(men, square)) {
                *into &= without;
            }
        }
    }

    /// Adds to planes of sets of `men - 1` men, none on `square`, what is known with one more man on it.
    #[inline(always)]
    pub(super) fn take<I: Isa, const P: usize>(
        &self,
        isa: I,
        men: usize,
        square: usize,
        planes: [&[u64]; P],
        into: [&mut [u64]; P],
    ) {
        let (from, to) = (self.with(men, square), self.without(men - 1, square));
        transfer(isa, from, planes, to, into);
    }

    /// Adds to planes of sets of `men` men, one on `square`, what is known without this man.
    #[inline(always)]
    pub(super) fn put<I: Isa, const P: usize>(
        &self,
        isa: I,
        men: usize,
        square: usize,
        planes: [&[u64]; P],
        into: [&mut [u64]; P],
    ) {
        let (from, to) = (self.without(men - 1, square), self.with(men, square));
        transfer(isa, from, planes, to, into);
    }
}

/// Adds the bits of `planes` in `from` to `into`, in the same order to the bits in `to`, which are as many.
#[inline(always)]
pub(super) fn transfer<I: Isa, const P: usize>(
    isa: I,
    from: &[u64],
    planes: [&[u64]; P],
    to: &[u64],
    into: [&mut [u64]; P],
) {
    // Packed bits that are not spread yet, at most 63.
    let mut rest = [0; P];
    let mut held = 0;
    let mut next = 0;
    for (at, &mask) in to.iter().enumerate() {
        let wanted = mask.count_ones();
        if wanted == 0 {
            continue;
        }
        let mut packed = rest;
        if held >= wanted {
            for plane in 0..P {
                rest[plane] = packed[plane] >> wanted;
            }
            held -= wanted;
        } else {
            loop {
                let mut bits = [0; P];
                for plane in 0..P {
                    bits[plane] = isa.compress(planes[plane][next], from[next]);
                    packed[plane] |= bits[plane] << held;
                }
                let more = from[next].count_ones();
                next += 1;
                if held + more >= wanted {
                    let used = wanted - held;
                    for plane in 0..P {
                        // Two shifts, as one by 64 is not defined.
                        rest[plane] = (bits[plane] >> 1) >> (used - 1);
                    }
                    held = more - used;
                    break;
                }
                held += more;
            }
        }
        for plane in 0..P {
            into[plane][at] |= isa.expand(packed[plane], mask);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::isa::Portable;

    /// A bit for each set of so many men that has an odd hash.
    fn any_bits<B: Board>(men: u32, seed: u64) -> Vec<u64> {
        let mut plane = vec![0; words::<B>(men)];
        for number in 0..count::<B>(men) {
            let hash = (number as u64 + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
            plane[number / 64] |= (hash & 1) << (number % 64);
        }
        plane
    }

    fn bit(plane: &[u64], number: usize) -> bool {
        plane[number / 64] >> (number % 64) & 1 == 1
    }

    /// A man more or less moves the bit of every set to that of the other set, and no other bit.
    fn men_come_and_go<B: Board>(most: u32) {
        let sets = BlackSets::new::<B>(most);
        for men in 1..=most {
            for square in [0, 1, 9, (B::SQUARES - B::PER_ROW) as usize - 1] {
                let size = men as usize;
                let planes = [any_bits::<B>(men, 1), any_bits::<B>(men, 2)];
                let mut less = [1, 2].map(|_| vec![0; words::<B>(men - 1)]);
                let [first, second] = &mut less;
                sets.take(
                    Portable,
                    size,
                    square,
                    [&planes[0], &planes[1]],
                    [first, second],
                );
                let mut back = vec![0; words::<B>(men)];
                sets.put(Portable, size, square, [&less[1]], [&mut back]);
                for (number, set) in all_men::<B>(men - 1, false).enumerate() {
                    let with = rank(set | B::bit(square));
                    for (less, more) in less.iter().zip(&planes) {
                        let expected = !set.contains(square) && bit(more, with);
                        assert_eq!(bit(less, number), expected, "{set:?} and {square}");
                    }
                }
                for (number, set) in all_men::<B>(men, false).enumerate() {
                    let expected = set.contains(square) && bit(&planes[1], number);
                    assert_eq!(bit(&back, number), expected, "{set:?} and {square}");
                }
            }
        }
    }

    #[test]
    fn men_come_and_go_on_every_board() {
        men_come_and_go::<u32>(4);
        men_come_and_go::<u64>(3);
        men_come_and_go::<u128>(3);
    }

    #[test]
    fn sets_outside_are_those_without_any_of_the_squares() {
        let sets = BlackSets::new::<u32>(3);
        let taken = 0x9001_0204;
        let mut outside = vec![0; words::<u32>(3)];
        sets.outside(3, taken, &mut outside);
        for (number, set) in all_men::<u32>(3, false).enumerate() {
            assert_eq!(bit(&outside, number), set & taken == 0, "{set:#x}");
        }
    }
}

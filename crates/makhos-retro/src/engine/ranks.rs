//! Sets of squares of the whole board and their ranks among all sets of the same size.
//!
//! The order is that of the sets as binary numbers (colexicographic), the rank of `{c1 < … < ck}` is
//! `C(c1, 1) + … + C(ck, k)`.

use makhos_index::binomials;
use makhos_rules::Board;
use makhos_rules::board::MAX_SQUARES;

/// The number of sets of `k` of `n` squares, saturating; `n` at most 72.
#[inline(always)]
pub(crate) fn sets(n: u32, k: u32) -> usize {
    if k as usize > MAX_SQUARES {
        return 0;
    }
    usize::try_from(binomials(k as usize)[n as usize]).unwrap_or(usize::MAX)
}

/// The rank of `set` among all sets of its size.
#[inline(always)]
pub(crate) fn rank<B: Board>(set: B) -> usize {
    rank_above(set, 0)
}

/// What `set` adds to the rank of a set that has `skipped` more squares, all below those of `set`.
#[inline(always)]
pub(crate) fn rank_above<B: Board>(set: B, skipped: usize) -> usize {
    let mut rest = set;
    let mut sum = 0;
    let mut row = skipped + 1;
    while !rest.is_empty() {
        sum += binomials(row)[rest.lowest()] as usize;
        rest = rest.without_lowest();
        row += 1;
    }
    sum
}

/// The ranks of the sets `others + r` for every square `r` outside `others`, in `ranks[r]`.
///
/// The other entries are left as they are.
#[inline(always)]
pub(crate) fn ranks_with<B: Board, const N: usize>(others: B, ranks: &mut [usize; N]) {
    let mut above = others;
    let mut below_sum = 0;
    let mut row = 1;
    let mut first = 0;
    loop {
        // Squares between two neighbours of `others` come at the same place of the sorted set.
        let end = if above.is_empty() {
            B::SQUARES as usize
        } else {
            above.lowest()
        };
        let sum = below_sum + rank_above(above, row);
        for (rank, &own) in ranks[first..end]
            .iter_mut()
            .zip(&binomials(row)[first..end])
        {
            *rank = sum + own as usize;
        }
        if above.is_empty() {
            return;
        }
        below_sum += binomials(row)[end] as usize;
        above = above.without_lowest();
        first = end + 1;
        row += 1;
    }
}

/// The squares below the lowest one of `set`; all squares if it is empty.
#[inline(always)]
pub(crate) fn below<B: Board>(set: B) -> B {
    if set.is_empty() {
        B::ALL
    } else {
        B::ALL & !(B::ALL << set.lowest() as u32)
    }
}

/// All sets of `size` squares of `mask`, in the order of their ranks.
#[inline(always)]
pub(crate) fn subsets<B: Board>(mask: B, size: u32) -> Subsets<B> {
    Subsets {
        mask,
        next: (size <= mask.len()).then(|| lowest(mask, size)),
    }
}

/// The `size` lowest squares of `mask`, which has at least as many.
#[inline(always)]
fn lowest<B: Board>(mask: B, size: u32) -> B {
    let mut rest = mask;
    for _ in 0..size {
        rest = rest.without_lowest();
    }
    mask & !rest
}

/// Made by [`subsets`].
#[derive(Clone, Debug)]
pub(crate) struct Subsets<B> {
    mask: B,
    next: Option<B>,
}

impl<B: Board> Iterator for Subsets<B> {
    type Item = B;

    #[inline(always)]
    fn next(&mut self) -> Option<B> {
        let set = self.next?;
        // The lowest square that can move up does so, and all below it return to the start.
        let gaps = self.mask & !set & !below(set);
        self.next = if set.is_empty() || gaps.is_empty() {
            None
        } else {
            let low = below(B::bit(gaps.lowest()));
            let moved = set & low;
            let kept = set & !low;
            Some(kept | B::bit(gaps.lowest()) | lowest(self.mask, moved.len() - 1))
        };
        Some(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subsets_are_all_sets_in_order<B: Board>(mask: u128) {
        let mask = B::from_u128(mask) & B::ALL;
        for size in 0..=4 {
            let mut expected: Vec<B> = vec![B::EMPTY];
            for _ in 0..size {
                expected = expected
                    .iter()
                    .flat_map(|&set| {
                        let higher = mask & !set;
                        higher
                            .squares()
                            .filter(move |&square| set.is_empty() || square > set.highest())
                            .map(move |square| set | B::bit(square))
                    })
                    .collect();
            }
            expected.sort_unstable();
            let found: Vec<B> = subsets(mask, size).collect();
            assert_eq!(found, expected, "{size} of {mask:?}");
            assert_eq!(found.len(), sets(mask.len(), size));
        }
    }

    #[test]
    fn subsets_of_masks() {
        for mask in [0, 1, 0b1011, 0x8000_0001, 0x00F0_9231, u128::MAX] {
            subsets_are_all_sets_in_order::<u32>(mask);
        }
        subsets_are_all_sets_in_order::<u64>(0x2_8000_0000_5111);
        subsets_are_all_sets_in_order::<u128>(0x80_8000_0000_0000_5111);
    }

    fn ranks_count_the_sets_before<B: Board, const N: usize>(most: u32) {
        for size in 0..=most {
            for (number, set) in subsets(B::ALL, size).enumerate() {
                assert_eq!(rank(set), number);
            }
        }
        for others in subsets(B::ALL, most - 1) {
            let mut ranks = [usize::MAX; N];
            ranks_with(others, &mut ranks);
            for (square, &found) in ranks.iter().enumerate() {
                let none = square >= B::SQUARES as usize || others.contains(square);
                let expected = if none {
                    usize::MAX
                } else {
                    rank(others | B::bit(square))
                };
                assert_eq!(found, expected, "{others:?} and {square}");
            }
        }
    }

    #[test]
    fn ranks_of_every_board() {
        ranks_count_the_sets_before::<u32, 32>(4);
        ranks_count_the_sets_before::<u64, 52>(3);
        ranks_count_the_sets_before::<u128, 72>(3);
        assert_eq!(sets(32, 33), 0);
        assert_eq!(sets(72, 36), usize::MAX);
        assert_eq!(sets(5, 100), 0);
    }
}

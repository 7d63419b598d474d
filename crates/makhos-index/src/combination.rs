//! Ranks of sets of squares among all sets of the same size, in colexicographic order.
//!
//! The set `{c1 < c2 < … < ck}` has rank `C(c1, 1) + C(c2, 2) + … + C(ck, k)`. That is the order of
//! the sets written as binary numbers, square `i` being bit `i`.

use makhos_rules::board::MAX_SQUARES;

/// Entries in a row of the binomial coefficients.
pub(crate) const COUNTS: usize = MAX_SQUARES + 1;

/// Row `k` holds `C(n, k)` for `n` ascending, so that ranking and unranking one set reads few cache
/// lines.
///
/// Values beyond `u64` are `u64::MAX`. A class that would use one of them has too many placements
/// for an index, so none ever enters a sum; in searches it is rightly greater than any rank.
static BINOMIAL: [[u64; COUNTS]; COUNTS] = {
    let mut table = [[0; COUNTS]; COUNTS];
    let mut n = 0;
    while n < COUNTS {
        table[0][n] = 1;
        let mut k = 1;
        while k <= n {
            let without: u64 = table[k][n - 1];
            table[k][n] = without.saturating_add(table[k - 1][n - 1]);
            k += 1;
        }
        n += 1;
    }
    table
};

/// The binomial coefficients `C(n, k)` for `n` from 0 to 72: the number of sets of `k` of `n` squares.
/// The rank of a set of squares `c1 < c2 < …` is the sum of `binomials(i)[ci]`.
///
/// Those beyond `u64` are `u64::MAX`.
///
/// # Panics
/// If `k` is more than 72.
///
/// ```
/// assert_eq!(makhos_index::binomials(2)[32], 496);
/// ```
#[inline]
#[must_use]
pub fn binomials(k: usize) -> &'static [u64; COUNTS] {
    &BINOMIAL[k]
}

/// `C(n, k)`, saturating at `u64::MAX`; `n` and `k` at most 72.
#[inline(always)]
pub(crate) fn binomial(n: u32, k: u32) -> u64 {
    BINOMIAL[k as usize][n as usize]
}

/// `C(n, k)` for `at` = `COUNTS * k + n`, as [`binomial`].
#[inline(always)]
pub(crate) fn flat_binomial(at: u32) -> u64 {
    BINOMIAL.as_flattened()[at as usize]
}

/// `C(n, k)` exactly, for `n` at most 72.
pub(crate) fn exact_binomial(n: u32, k: u32) -> u128 {
    if k > n {
        return 0;
    }
    // Each partial product is itself a binomial times its divisor, so the division is exact.
    (0..k).fold(1, |product, i| {
        product * u128::from(n - i) / u128::from(i + 1)
    })
}

/// The rank of the set with these elements, given in ascending order.
#[inline(always)]
pub(crate) fn rank(elements: impl Iterator<Item = u32>) -> u64 {
    let mut rank = 0;
    for (element, row) in elements.zip(&BINOMIAL[1..]) {
        rank += row[element as usize];
    }
    rank
}

/// Calls `each` with the elements of the set of `size` elements below `bound` that has this rank,
/// highest element first.
///
/// The rank must be less than `C(bound, size)`.
#[inline(always)]
pub(crate) fn unrank(rank: u64, bound: u32, size: u32, mut each: impl FnMut(u32)) {
    let mut rest = rank;
    let mut bound = bound as usize;
    for row in BINOMIAL[1..=size as usize].iter().rev() {
        // Row k starts with zeros, so at least one entry is not above the rest.
        let element = row[..bound].partition_point(|&value| value <= rest) - 1;
        rest -= row[element];
        bound = element;
        each(element as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomials() {
        assert_eq!(binomial(32, 4), 35_960);
        assert_eq!(binomial(4, 5), 0);
        assert_eq!(binomial(0, 0), 1);
        for n in 0..=72 {
            for k in 0..=72 {
                let expected = u64::try_from(exact_binomial(n, k)).unwrap_or(u64::MAX);
                assert_eq!(binomial(n, k), expected, "C({n}, {k})");
            }
        }
        assert_eq!(exact_binomial(72, 36), 442_512_540_276_836_779_204);
    }

    #[test]
    fn rank_is_the_order_of_binary_numbers() {
        for size in 0..=5_u32 {
            let sets = (0_u32..1 << 12).filter(|set| set.count_ones() == size);
            for (number, set) in sets.enumerate() {
                let elements = (0..12).filter(|&i| set >> i & 1 == 1);
                assert_eq!(rank(elements), number as u64);
                let mut back = 0;
                unrank(number as u64, 12, size, |element| back |= 1 << element);
                assert_eq!(back, set);
            }
        }
    }
}

//! Square matrices of bits.
//!
//! A matrix over the squares of a board is an array of sets: row `r` holds column `c` as its bit `c`.

use makhos_rules::Board;

/// The transpose: bit `c` of row `r` becomes bit `r` of row `c`.
///
/// Rows and bits from `B::SQUARES` on must be empty, and are so in the result.
#[inline(always)]
pub(crate) fn transpose<B: Board, const N: usize>(rows: &[B; N]) -> [B; N] {
    // The width is known at compile time: only one arm is left.
    match size_of::<B>() {
        4 => padded::<B, N, 32, false>(rows),
        8 => padded::<B, N, 64, false>(rows),
        _ => padded::<B, N, 128, false>(rows),
    }
}

/// The transpose of the matrix turned by 180 degrees: with `s = B::SQUARES - 1`, bit `c` of row `r`
/// becomes bit `s - r` of row `s - c`. Its own inverse.
///
/// It costs no more than [`transpose`].
#[inline(always)]
pub(crate) fn transpose_turned<B: Board, const N: usize>(rows: &[B; N]) -> [B; N] {
    match size_of::<B>() {
        4 => padded::<B, N, 32, true>(rows),
        8 => padded::<B, N, 64, true>(rows),
        _ => padded::<B, N, 128, true>(rows),
    }
}

/// Either transpose, in a matrix as large as the integer is wide.
#[inline(always)]
fn padded<B: Board, const N: usize, const WIDTH: usize, const TURNED: bool>(
    rows: &[B; N],
) -> [B; N] {
    let squares = B::SQUARES as usize;
    // Turning moves the last square of the wide matrix to the front, so that is where the board goes.
    let pad = if TURNED { WIDTH - squares } else { 0 };
    let mut wide = [B::EMPTY; WIDTH];
    for (wide, &row) in wide[pad..].iter_mut().zip(&rows[..squares]) {
        *wide = row << pad as u32;
    }
    // One after the other, so that the compiler knows each distance: to compute a mask takes a division.
    if WIDTH > 64 {
        wide = exchange::<B, WIDTH, 64, TURNED>(&wide);
    }
    if WIDTH > 32 {
        wide = exchange::<B, WIDTH, 32, TURNED>(&wide);
    }
    wide = exchange::<B, WIDTH, 16, TURNED>(&wide);
    wide = exchange::<B, WIDTH, 8, TURNED>(&wide);
    wide = exchange::<B, WIDTH, 4, TURNED>(&wide);
    wide = exchange::<B, WIDTH, 2, TURNED>(&wide);
    wide = exchange::<B, WIDTH, 1, TURNED>(&wide);
    let mut result = [B::EMPTY; N];
    result[..squares].copy_from_slice(&wide[..squares]);
    result
}

/// Exchanges the off-diagonal (turned: the diagonal) quarters, `DISTANCE` wide, of all submatrices
/// twice as wide.
///
/// Rows `DISTANCE` apart belong together. The array is kept in such an order that these lie half an
/// array apart at every step: then all steps are the same loop over whole vectors. Each step stores
/// both results side by side, which turns the bits of a row's place by one; after the last step every
/// row is at its own place again.
#[inline(always)]
fn exchange<B: Board, const WIDTH: usize, const DISTANCE: u32, const TURNED: bool>(
    rows: &[B; WIDTH],
) -> [B; WIDTH] {
    let low = B::from_u128(const { u128::MAX / ((1 << DISTANCE) + 1) });
    let mut next = [B::EMPTY; WIDTH];
    let (first, second) = rows.split_at(WIDTH / 2);
    for ((pair, &a), &b) in next.chunks_exact_mut(2).zip(first).zip(second) {
        if TURNED {
            let changed = (a ^ (b >> DISTANCE)) & low;
            pair[0] = a ^ changed;
            pair[1] = b ^ (changed << DISTANCE);
        } else {
            let changed = ((a >> DISTANCE) ^ b) & low;
            pair[0] = a ^ (changed << DISTANCE);
            pair[1] = b ^ changed;
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "x86_64")]
    use crate::engine::isa::Avx2;
    use crate::engine::isa::{Isa, Portable, Task};

    /// Both transposes.
    struct Both<'a, B, const N: usize>(&'a [B; N]);

    impl<B: Board, const N: usize> Task for Both<'_, B, N> {
        type Output = [[B; N]; 2];

        #[inline(always)]
        fn call(self) -> [[B; N]; 2] {
            [transpose(self.0), transpose_turned(self.0)]
        }
    }

    fn every_bit_moves<B: Board, const N: usize>(isa: impl Isa) {
        let squares = B::SQUARES as usize;
        let mut rows = [B::EMPTY; N];
        let mut seed = 1_u64;
        for row in &mut rows[..squares] {
            for square in 0..squares {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                if seed >> 63 == 1 {
                    *row |= B::bit(square);
                }
            }
        }
        let [plain, turned] = isa.run(Both(&rows));
        let last = squares - 1;
        for (r, row) in rows[..squares].iter().enumerate() {
            for c in 0..squares {
                let bit = row.contains(c);
                assert_eq!(plain[c].contains(r), bit, "{r}, {c}");
                assert_eq!(turned[last - c].contains(last - r), bit, "{r}, {c}");
            }
        }
        let all_rows = plain.iter().chain(&turned);
        assert!(all_rows.clone().all(|&row| row & !B::ALL == B::EMPTY));
        assert!(plain[squares..].iter().all(|row| row.is_empty()));
        assert!(turned[squares..].iter().all(|row| row.is_empty()));
    }

    #[test]
    fn transposes_of_every_board() {
        every_bit_moves::<u32, 32>(Portable);
        every_bit_moves::<u64, 52>(Portable);
        every_bit_moves::<u128, 72>(Portable);
        #[cfg(target_arch = "x86_64")]
        if let Some(isa) = Avx2::detect() {
            every_bit_moves::<u32, 32>(isa);
            every_bit_moves::<u64, 52>(isa);
            every_bit_moves::<u128, 72>(isa);
        }
    }
}

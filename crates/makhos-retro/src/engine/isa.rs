//! One source, compiled for several processors.
//!
//! All of the engine is plain Rust over arrays, which the compiler turns into vector instructions. A
//! token of a type that implements [`Isa`] says that the running processor has the instructions of
//! that type; [`Isa::run`] compiles a [`Task`], and everything that is inlined into it, with them.
//! So every processor computes the same, and nothing but this file is unsafe.

use makhos_rules::Board;

/// Work to be compiled for a processor.
///
/// A closure would not do: it cannot be forced to be inlined, and what is not inlined into the function
/// that has the instructions is compiled without them.
pub(crate) trait Task {
    /// What it returns.
    type Output;

    /// Does the work. Must be `#[inline(always)]`, and so must all that is to profit.
    fn call(self) -> Self::Output;
}

/// A set of instructions that the running processor has.
pub(crate) trait Isa: Copy + Send + Sync + 'static {
    /// Runs a task, compiled with these instructions.
    fn run<T: Task>(self, task: T) -> T::Output;

    /// Packs the bits of `set` under `mask` together at the low end (`pext`).
    fn compress(self, set: u64, mask: u64) -> u64;

    /// Spreads the low bits of `bits` over the bits of `mask` (`pdep`), the inverse of
    /// [`compress`](Self::compress).
    fn expand(self, bits: u64, mask: u64) -> u64;
}

/// What every processor of the target has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

#[cfg(not(target_arch = "x86_64"))]
impl Portable {
    /// The token.
    pub(crate) fn detect() -> Option<Self> {
        Some(Self)
    }
}

impl Isa for Portable {
    #[inline(never)]
    fn run<T: Task>(self, task: T) -> T::Output {
        task.call()
    }

    #[inline]
    fn compress(self, set: u64, mut mask: u64) -> u64 {
        let mut packed = 0;
        let mut bit = 1;
        while mask != 0 {
            let low = mask & mask.wrapping_neg();
            if set & low != 0 {
                packed |= bit;
            }
            bit <<= 1;
            mask ^= low;
        }
        packed
    }

    #[inline]
    fn expand(self, mut bits: u64, mut mask: u64) -> u64 {
        let mut spread = 0;
        while mask != 0 && bits != 0 {
            let low = mask & mask.wrapping_neg();
            if bits & 1 != 0 {
                spread |= low;
            }
            bits >>= 1;
            mask ^= low;
        }
        spread
    }
}

/// Vectors of 256 bits and bit manipulation: any x86-64 server since 2015.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

/// Vectors of 512 bits as well.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use std::arch::x86_64::{_pdep_u64, _pext_u64};

    use super::{Avx2, Avx512, Isa, Task};

    impl Avx2 {
        /// The token, if the running processor has the instructions.
        pub(crate) fn detect() -> Option<Self> {
            let there = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            there.then_some(Self(()))
        }
    }

    impl Avx512 {
        /// The token, if the running processor has the instructions.
        pub(crate) fn detect() -> Option<Self> {
            let there = Avx2::detect().is_some()
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            there.then_some(Self(()))
        }
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn run_avx2<T: Task>(task: T) -> T::Output {
        task.call()
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn run_avx512<T: Task>(task: T) -> T::Output {
        task.call()
    }

    macro_rules! isa {
        ($token:ident, $run:ident) => {
            impl Isa for $token {
                #[inline(always)]
                fn run<T: Task>(self, task: T) -> T::Output {
                    // SAFETY: the token exists only where the instructions were detected.
                    unsafe { $run(task) }
                }

                #[inline(always)]
                fn compress(self, set: u64, mask: u64) -> u64 {
                    // SAFETY: the token exists only where bmi2 was detected.
                    unsafe { _pext_u64(set, mask) }
                }

                #[inline(always)]
                fn expand(self, bits: u64, mask: u64) -> u64 {
                    // SAFETY: the token exists only where bmi2 was detected.
                    unsafe { _pdep_u64(bits, mask) }
                }
            }
        };
    }

    isa!(Avx2, run_avx2);
    isa!(Avx512, run_avx512);
}

/// [`Isa::compress`] for the squares of a board; the packed bits are the low ones of the result.
#[inline(always)]
pub(crate) fn compress<I: Isa, B: Board>(isa: I, set: B, mask: B) -> u128 {
    if B::SQUARES <= 64 {
        return isa
            .compress(set.to_u128() as u64, mask.to_u128() as u64)
            .into();
    }
    let (set, mask) = (set.to_u128(), mask.to_u128());
    let low = isa.compress(set as u64, mask as u64);
    let high = isa.compress((set >> 64) as u64, (mask >> 64) as u64);
    u128::from(low) | (u128::from(high) << (mask as u64).count_ones())
}

/// [`Isa::expand`] for the squares of a board.
#[inline(always)]
pub(crate) fn expand<I: Isa, B: Board>(isa: I, bits: u128, mask: B) -> B {
    let mask = mask.to_u128();
    let low = isa.expand(bits as u64, mask as u64);
    if B::SQUARES <= 64 {
        return B::from_u128(low.into());
    }
    let rest = (bits >> (mask as u64).count_ones()) as u64;
    let high = isa.expand(rest, (mask >> 64) as u64);
    B::from_u128(u128::from(low) | (u128::from(high) << 64))
}

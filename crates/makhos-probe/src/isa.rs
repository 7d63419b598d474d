//! One source, compiled for two kinds of processor.
//!
//! Counting the bits of a word is one instruction that the baseline of x86-64 lacks, and finding the number
//! of a position is little else. What is inlined into a [`Task`] is compiled with these instructions as well
//! and without them; both compute the same.

/// Work to be compiled for a processor.
///
/// A closure would not do: it cannot be forced to be inlined, and what is not inlined into the function that
/// has the instructions is compiled without them.
pub(crate) trait Task {
    /// What it returns.
    type Output;

    /// Does the work. Must be `#[inline(always)]`, and so must all that is to profit.
    fn call(self) -> Self::Output;
}

/// The running processor, as far as it matters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Processor {
    #[cfg(target_arch = "x86_64")]
    modern: Option<x86::Modern>,
}

impl Processor {
    /// The one this runs on.
    pub(crate) fn detect() -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            modern: x86::Modern::detect(),
        }
    }

    /// Does the work, compiled for this processor.
    #[inline(always)]
    pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
        #[cfg(target_arch = "x86_64")]
        if let Some(modern) = self.modern {
            return modern.run(task);
        }
        task.call()
    }
}

/// Tells the processor that `place` will be read soon. It goes on without waiting for it.
#[inline(always)]
pub(crate) fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch(place);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    use std::ptr::from_ref;

    use super::Task;

    #[inline(always)]
    pub(super) fn prefetch<T>(place: &T) {
        // SAFETY: this is a hint that reads nothing, of an address that may be read.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from_ref(place).cast()) }
    }

    /// A processor with the bit counting and bit manipulation of any x86-64 server since 2015. Exists only
    /// where it has been detected.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Modern(());

    impl Modern {
        pub(super) fn detect() -> Option<Self> {
            let detected = is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt");
            detected.then_some(Self(()))
        }

        #[inline(always)]
        pub(super) fn run<T: Task>(self, task: T) -> T::Output {
            // SAFETY: a `Modern` exists only where the features were detected.
            unsafe { run(task) }
        }
    }

    #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt")]
    fn run<T: Task>(task: T) -> T::Output {
        task.call()
    }
}

//! From canonical outcomes to the dense form that the engine computes with, and back.
//!
//! [`Shape`] describes the dense form, [`makhos_index::placement`] the canonical order. In the latter
//! one side's kings, here the *outer* ones, vary more slowly than those of the other side, the *inner*
//! ones; and of the inner kings the lowest varies fastest. So for fixed outer and other inner kings the
//! lowest inner king walks over consecutive numbers: this *run* is one row of bits, which one
//! instruction spreads over the free squares. Everything else are copies and transposes.
//!
//! A dense form holds every position once for each choice of the inner kings of both sides, its
//! *labelings*. The one whose inner kings are the lowest of their sides is the canonical one: it is
//! what runs give, and the others are made from it.
//!
//! If the class is stored with colours flipped, everything is done in the coordinates of the stored
//! class; sets and bits turn by 180 degrees on their way into the dense form. This is free of charge
//! where a transpose is needed anyway.

mod forms;
mod frame;
mod slab;
mod words;

#[cfg(test)]
mod tests;

use makhos_rules::{Board, Color};

use self::frame::{Form, Frame};
use super::isa::{self, Isa, Task};
use super::planes::{ClassPlanes, Packed};
use super::ranks::sets;
use super::shape::{Kings, Shape};

/// The length of the dense form of one placement of the men, saturating; 0 if a side lacks the kings
/// that the shape asks for.
pub(crate) fn elements<B: Board, const N: usize>(shape: Shape, kings: Kings) -> usize {
    // `taken` kings of a side are no part of the index.
    let index = |kings: u32, taken: u32| {
        kings
            .checked_sub(taken)
            .map_or(0, |others| sets(B::SQUARES, others))
    };
    let (white, black, words) = match shape {
        Shape::Grid => (1, 1, 2 * N),
        Shape::GridWith(Color::White, _) => (2, 1, 2 * N),
        Shape::GridWith(Color::Black, _) => (1, 2, 2 * N),
        Shape::White => (1, 0, 2),
        Shape::Black => (0, 1, 2),
        Shape::Bare => (0, 0, 2),
    };
    index(kings.white, white)
        .saturating_mul(index(kings.black, black))
        .saturating_mul(words)
}

/// Fills `dense` with the positions that have these men.
///
/// The canonical outcomes of the placements of the kings are in `stored`, from bit `start` on. `men`
/// are the men of both sides; they, `kings` and `shape` are in the orientation of the dense form. With
/// `flipped` the outcomes are those of the class with colours flipped: turned by 180 degrees, White's
/// pieces Black's and the reverse, the other side to move.
///
/// # Panics
/// If the length of `dense` is not that of [`elements`].
#[allow(clippy::too_many_arguments)] // each is another thing
pub(crate) fn expand<I: Isa, B: Board, const N: usize>(
    isa: I,
    shape: Shape,
    kings: Kings,
    men: B,
    flipped: bool,
    stored: &Packed,
    start: u64,
    dense: &mut [B],
) {
    assert_eq!(dense.len(), elements::<B, N>(shape, kings), "dense form");
    if dense.is_empty() {
        return;
    }
    let frame = Frame::<I, B, N>::new(isa, shape, kings, men, flipped);
    isa.run(Expand {
        frame,
        stored,
        start,
        dense,
    });
}

/// [`expand`] as a task; no frame means no positions.
struct Expand<'a, I, B, const N: usize> {
    frame: Option<Frame<I, B, N>>,
    stored: &'a Packed,
    start: u64,
    dense: &'a mut [B],
}

impl<I: Isa, B: Board, const N: usize> Task for Expand<'_, I, B, N> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (stored, start, dense) = (self.stored, self.start, self.dense);
        let Some(frame) = self.frame else {
            return dense.fill(B::EMPTY);
        };
        match frame.form {
            Form::Grid => frame.expand_grid(stored, start, dense),
            Form::Inner => frame.expand_inner(stored, start, dense),
            Form::Outer => frame.expand_outer(stored, start, dense),
            Form::Bare => frame.expand_bare(stored, start, dense),
        }
    }
}

/// The words of the unwon and the lost plane where these are all of the dense form: for no king at all
/// in the shape [`Shape::Bare`], and for a single one in that of its side. `outcomes` are the bits of
/// the canonical outcomes; what follows them does not matter.
#[inline]
pub(crate) fn expand_word<I: Isa, B: Board>(
    isa: I,
    kings: Kings,
    men: B,
    flipped: bool,
    outcomes: (u128, u128),
) -> [B; 2] {
    let (win, loss) = outcomes;
    if kings.white + kings.black == 0 {
        return [B::from_u128(!win & 1), B::from_u128(loss & 1)];
    }
    let turn = |set: B| if flipped { set.rotate() } else { set };
    let free = turn(B::ALL & !men);
    let win = isa::expand(isa, win, free);
    [turn(free & !win), turn(isa::expand(isa, loss, free))]
}

/// Stores the canonical outcomes of the positions in `dense` from number `start` of `planes` on, by way of `packed`
/// where they are more than a word.
#[allow(clippy::too_many_arguments)] // each is another thing
pub(crate) fn store<I: Isa, B: Board, const N: usize>(
    isa: I,
    shape: Shape,
    kings: Kings,
    men: B,
    flipped: bool,
    dense: &[B],
    packed: &mut Packed,
    (planes, start): (&ClassPlanes, u64),
) {
    if let (true, [unwon, lost]) = (kings.white + kings.black == 1, dense) {
        let mut sets = [B::ALL & !men, !*unwon, *lost];
        if flipped {
            sets = sets.map(B::rotate);
        }
        let [free, win, loss] = sets;
        let [win, loss] = [win, loss].map(|set| isa::compress(isa, set & free, free));
        planes.put_bits(start, win, loss, free.len());
        return;
    }
    collect::<I, B, N>(isa, shape, kings, men, flipped, dense, packed);
    planes.put(start, packed);
}

/// Puts the canonical outcomes of the positions in `dense` into `packed`, in place of what it held:
/// the inverse of [`expand`], for all shapes but [`Shape::GridWith`].
///
/// Only canonical labelings are read.
///
/// # Panics
/// If the length of `dense` is not that of [`elements`], or if the shape holds no whole class.
pub(crate) fn collect<I: Isa, B: Board, const N: usize>(
    isa: I,
    shape: Shape,
    kings: Kings,
    men: B,
    flipped: bool,
    dense: &[B],
    packed: &mut Packed,
) {
    assert_eq!(dense.len(), elements::<B, N>(shape, kings), "dense form");
    assert!(
        !matches!(shape, Shape::GridWith(..)) && !dense.is_empty(),
        "{shape:?} holds no whole class with {kings:?}"
    );
    packed.clear();
    let Some(frame) = Frame::<I, B, N>::new(isa, shape, kings, men, flipped) else {
        return;
    };
    isa.run(Collect {
        frame,
        dense,
        packed,
    });
}

/// [`collect`] as a task.
struct Collect<'a, I, B, const N: usize> {
    frame: Frame<I, B, N>,
    dense: &'a [B],
    packed: &'a mut Packed,
}

impl<I: Isa, B: Board, const N: usize> Task for Collect<'_, I, B, N> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (frame, dense, packed) = (self.frame, self.dense, self.packed);
        match frame.form {
            Form::Grid => frame.collect_grid(dense, packed),
            Form::Inner => frame.collect_inner(dense, packed),
            Form::Outer => frame.collect_outer(dense, packed),
            Form::Bare => frame.collect_bare(dense, packed),
        }
    }
}

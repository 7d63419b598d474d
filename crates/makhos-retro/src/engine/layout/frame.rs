//! The stored class as seen from a dense form: which side is the outer one, and what lies where.

use makhos_rules::Board;

use crate::engine::isa::{Isa, compress};
use crate::engine::ranks::{rank, sets};
use crate::engine::shape::{Kings, Shape};

/// What a [`Shape`] is for the stored order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// The inner kings of both sides are dimensions of bits.
    Grid,
    /// That of the inner side is one.
    Inner,
    /// That of the outer side is one.
    Outer,
    /// None is.
    Bare,
}

/// The kings of one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<B> {
    /// How many there are, with the one on `held`.
    pub(super) kings: u32,
    /// The square of the king that stands still, if there is one.
    pub(super) held: B,
}

impl<B: Board> Side<B> {
    /// How many kings move.
    #[inline(always)]
    pub(super) fn moving(self) -> u32 {
        self.kings - self.held.len()
    }

    /// The number of sets of the moving kings but one.
    #[inline(always)]
    pub(super) fn others(self) -> usize {
        sets(B::SQUARES, self.moving() - 1)
    }
}

/// One placement of the men of the stored class. All sets here have the coordinates of that class.
pub(super) struct Frame<I, B, const N: usize> {
    pub(super) isa: I,
    pub(super) form: Form,
    /// The squares without men.
    pub(super) free: B,
    /// The kings that vary slowly.
    pub(super) outer: Side<B>,
    /// The kings that vary fast.
    pub(super) inner: Side<B>,
    /// Whether the dense form is the stored class turned by 180 degrees.
    pub(super) turned: bool,
    /// Whether White is the outer side, in the dense form.
    white_outer: bool,
    /// The number of placements of the inner kings for one of the outer ones.
    per_outer: u64,
}

impl<I: Isa, B: Board, const N: usize> Frame<I, B, N> {
    /// The frame; `None` if a man stands where the shape holds a king or if the kings have no room.
    #[inline(always)]
    pub(super) fn new(isa: I, shape: Shape, kings: Kings, men: B, flipped: bool) -> Option<Self> {
        let (free, second) = if flipped {
            (B::ALL & !men.rotate(), kings.white)
        } else {
            (B::ALL & !men, kings.black)
        };
        // The stored class is White's kings, then Black's. Without the latter the former vary fast.
        let white_outer = flipped == (second == 0);
        let side = |white: bool| {
            let held = match shape {
                Shape::GridWith(color, square) if color.is_white() == white => {
                    let held = B::bit(square.into());
                    if flipped { held.rotate() } else { held }
                }
                _ => B::EMPTY,
            };
            let kings = if white { kings.white } else { kings.black };
            Side { kings, held }
        };
        let (outer, inner) = (side(white_outer), side(!white_outer));
        let held = outer.held | inner.held;
        let room = (held & !free).is_empty() && outer.kings + inner.kings <= free.len();
        room.then(|| Self {
            isa,
            form: match shape {
                Shape::Grid | Shape::GridWith(..) => Form::Grid,
                Shape::Bare => Form::Bare,
                Shape::White | Shape::Black => {
                    if (shape == Shape::White) == white_outer {
                        Form::Outer
                    } else {
                        Form::Inner
                    }
                }
            },
            free,
            outer,
            inner,
            turned: flipped,
            white_outer,
            per_outer: sets(free.len() - outer.kings, inner.kings) as u64,
        })
    }

    /// Where the placements of the inner kings begin for these outer kings.
    #[inline(always)]
    pub(super) fn start_of(&self, outer: B) -> u64 {
        let compressed = B::from_u128(compress(self.isa, outer, self.free));
        rank(compressed) as u64 * self.per_outer
    }

    /// The rank that a set has in the dense form.
    #[inline(always)]
    pub(super) fn dense_rank(&self, set: B) -> usize {
        rank(self.turn(set))
    }

    /// A set in the coordinates of the dense form, or back.
    #[inline(always)]
    pub(super) fn turn(&self, set: B) -> B {
        if self.turned { set.rotate() } else { set }
    }

    /// The place of a block or word with these ranks of its outer and inner kings in the dense form;
    /// of these there are `outer_sets` and `inner_sets`.
    #[inline(always)]
    pub(super) fn place(&self, outer: usize, inner: usize, counts: (usize, usize)) -> usize {
        let (outer_sets, inner_sets) = counts;
        if self.white_outer {
            outer * inner_sets + inner
        } else {
            inner * outer_sets + outer
        }
    }

    /// How far apart two blocks or words are whose outer kings have successive ranks.
    #[inline(always)]
    pub(super) fn outer_stride(&self, inner_sets: usize) -> usize {
        if self.white_outer { inner_sets } else { 1 }
    }
}

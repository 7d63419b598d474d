//! Segments: neighbouring configurations of men, expanded and kept together.
//!
//! A table file is decoded in blocks of 16,384 positions, while the dense form of one configuration of
//! men may be 256 bytes. So configurations that follow each other in the order of the table make a
//! segment, of which one allocation, one entry of the cache and a few blocks of the file are enough.

use std::ops::Range;
use std::sync::Arc;

use makhos_index::{IndexError, Material, PlacementIndex};
use makhos_rules::{Board, Color};

use super::isa::Isa;
use super::layout::{elements, expand};
use super::planes::Packed;
use super::shape::{Kings, Shape};

/// A segment covers at least that many positions where it has several configurations: two blocks of a
/// file, so that what is decoded beyond its ends does not outweigh what is used.
const POSITIONS: u64 = 1 << 15;

/// The dense form of one configuration of men. It keeps the segment it lies in alive.
#[derive(Clone, Debug)]
pub(crate) struct Cube<B> {
    segment: Arc<[B]>,
    start: usize,
    len: usize,
}

impl<B> Cube<B> {
    /// Configuration number `place` of a segment whose configurations have `len` elements each.
    #[inline]
    pub(super) fn new(segment: Arc<[B]>, place: usize, len: usize) -> Self {
        Self {
            start: place * len,
            len,
            segment,
        }
    }

    /// What the shape asked for says.
    #[inline]
    pub(crate) fn elements(&self) -> &[B] {
        &self.segment[self.start..self.start + self.len]
    }

    /// How many elements the handle keeps alive: those of the whole segment.
    #[inline]
    pub(crate) fn held(&self) -> usize {
        self.segment.len()
    }
}

/// What is asked for, but for the men: all that configurations of one segment have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// As the solver sees it.
    pub(super) shape: Shape,
    /// As the solver sees them.
    pub(super) kings: Kings,
    /// Whether the table stores the flip of what the solver sees.
    pub(super) flipped: bool,
    /// The side to move as the table stores it.
    pub(super) stored_side: Color,
}

/// How the configurations of men of a stored class are grouped.
#[derive(Clone, Debug)]
pub(super) struct Segments<B> {
    index: PlacementIndex<B>,
    /// The logarithm of how many configurations a segment has.
    shift: u32,
}

impl<B: Board> Segments<B> {
    /// Segments of a class whose table is complete.
    pub(super) fn new(material: Material) -> Result<Self, IndexError> {
        let index = PlacementIndex::new(material)?;
        let configurations = POSITIONS.div_ceil(index.inner()).next_power_of_two();
        Ok(Self {
            shift: configurations.ilog2(),
            index,
        })
    }

    /// Segments of one configuration each: neighbours of a finished one may not be finished.
    pub(super) fn single(material: Material) -> Result<Self, IndexError> {
        Ok(Self {
            index: PlacementIndex::new(material)?,
            shift: 0,
        })
    }

    pub(super) fn material(&self) -> Material {
        self.index.material()
    }

    /// The numbering of the class.
    pub(super) fn index(&self) -> &PlacementIndex<B> {
        &self.index
    }

    /// The number of all positions of the class with one side to move.
    pub(super) fn all(&self) -> u64 {
        self.index.len()
    }

    /// In which segment a configuration lies, and which of the segment's it is.
    #[inline]
    pub(super) fn locate(&self, white_men: B, black_men: B) -> (u64, usize) {
        let number = self.index.men_index(white_men, black_men);
        let place = number & ((1 << self.shift) - 1);
        (number >> self.shift, place as usize)
    }

    /// The numbers of the configurations of a segment; the last one may have fewer.
    fn configurations(&self, segment: u64) -> Range<u64> {
        let first = segment << self.shift;
        first..(first + (1 << self.shift)).min(self.index.outer())
    }

    /// The numbers of the positions of a segment in the order of the table.
    pub(super) fn positions(&self, segment: u64) -> Range<u64> {
        let configurations = self.configurations(segment);
        configurations.start * self.index.inner()..configurations.end * self.index.inner()
    }

    /// The most elements that a segment has.
    pub(super) fn most_elements<const N: usize>(&self, shape: Shape, kings: Kings) -> u64 {
        let configurations = (1_u64 << self.shift).min(self.index.outer());
        configurations.saturating_mul(elements::<B, N>(shape, kings) as u64)
    }

    /// A segment in the dense form. `stored` holds the pairs of planes of its [`positions`](Self::positions):
    /// the outcomes, and with distances those of plies. A configuration has one pair behind the other.
    pub(super) fn expand<I: Isa, const N: usize>(
        &self,
        isa: I,
        form: Form,
        segment: u64,
        stored: &[Packed],
    ) -> Arc<[B]> {
        let len = elements::<B, N>(form.shape, form.kings);
        let all = len * stored.len();
        let configurations = self.configurations(segment);
        let count = (configurations.end - configurations.start) as usize;
        // Collected right into its place: a segment may be too large to be copied lightly.
        let mut dense: Arc<[B]> = std::iter::repeat_n(B::EMPTY, count * all).collect();
        let room = Arc::get_mut(&mut dense).expect("nobody else has it yet");
        for ((configuration, start), into) in configurations
            .zip((0..).step_by(self.index.inner() as usize))
            // A shape with more inner kings than there are kings has no elements.
            .zip(room.chunks_exact_mut(all.max(1)))
        {
            let (white, black) = self.index.men(configuration);
            let stored_men = white | black;
            let men = match form.flipped {
                true => stored_men.rotate(),
                false => stored_men,
            };
            for (stored, into) in stored.iter().zip(into.chunks_exact_mut(len.max(1))) {
                expand::<I, B, N>(
                    isa,
                    form.shape,
                    form.kings,
                    men,
                    form.flipped,
                    stored,
                    start,
                    into,
                );
            }
        }
        dense
    }
}

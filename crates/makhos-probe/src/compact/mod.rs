//! The codec of compact tables: outcomes and distances of quiet positions only, coded by what their
//! neighbours lead to expect. `FORMAT.md` specifies it.
//!
//! A side is a sequence of *chapters* with a model each, a chapter of *blocks* with a checksum each, a block
//! of *cells*, which are what is decoded for a probe.

pub(crate) mod bits;
pub(crate) mod block;
pub(crate) mod cell;
pub(crate) mod chapter;
pub(crate) mod context;
pub(crate) mod distance;
pub(crate) mod distance_chapter;
pub(crate) mod learn;
pub(crate) mod model;
pub(crate) mod rows;
pub(crate) mod source;
pub(crate) mod tree;

/// Cells in a block.
pub(crate) const CELLS: usize = 64;
/// Most values in a cell.
pub(crate) const MAX_CELL: usize = 1024;
/// Blocks in a chapter.
pub(crate) const CHAPTER_BLOCKS: usize = 64;
/// Values that are taken from bit planes at once.
pub(crate) const SUB_CELLS: usize = 64;

/// Chapters of a side with so many blocks.
pub(crate) const fn chapters(blocks: u64) -> u64 {
    blocks.div_ceil(CHAPTER_BLOCKS as u64)
}

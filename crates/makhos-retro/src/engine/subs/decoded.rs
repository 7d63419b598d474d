//! Outcomes as they were decoded from table files, kept for the next segment that needs them.
//!
//! A block of a file is wanted many times: by segments of several shapes, and by both neighbours whose
//! border lies in it. Decoded it takes a fraction of what its dense forms take, so a part of the budget
//! keeps most of what a class needs, and each block is decoded once.

use std::ops::Range;
use std::sync::Arc;

use makhos_probe::DEFAULT_BLOCK_VALUES;
use makhos_rules::{Board, Color};
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, Weighter};

use super::source::Source;
use crate::engine::dense_cache::{OVERHEAD, options};
use crate::engine::planes::Packed;
use crate::error::GenerateError;

/// Positions of a page: a block of a file with the usual block size. With another size pages are
/// decoded from parts of blocks, or from several.
pub(super) const PAGE: u64 = DEFAULT_BLOCK_VALUES as u64;

/// Neighbouring outcomes of a class with one side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct PageKey {
    page: u64,
    /// The class and the side to move, packed for quick hashing.
    class: u32,
}

impl PageKey {
    /// The page of the class with this number in which a position lies.
    #[inline(always)]
    pub(super) fn new(class: u16, side: Color, position: u64) -> Self {
        Self {
            page: position / PAGE,
            class: (u32::from(class) << 1) | u32::from(side.is_white()),
        }
    }

    /// The number of the class, and the side to move.
    pub(super) fn class(self) -> (u16, Color) {
        let side = match self.class & 1 {
            1 => Color::White,
            _ => Color::Black,
        };
        ((self.class >> 1) as u16, side)
    }

    /// A number to find it by.
    #[inline(always)]
    pub(super) fn hash(self) -> usize {
        let mixed = (self.page ^ (u64::from(self.class) << 40)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 40) as usize
    }
}

/// Weighs pages by their bytes.
#[derive(Clone)]
struct Bytes;

impl Weighter<PageKey, Arc<[Packed]>> for Bytes {
    fn weight(&self, _: &PageKey, page: &Arc<[Packed]>) -> u64 {
        page.iter().map(|pair| bytes(pair.len)).sum()
    }
}

/// Bytes of a pair of planes of a page with so many positions.
fn bytes(positions: u64) -> u64 {
    2 * positions.div_ceil(64) * 8 + OVERHEAD
}

/// Decoded pages, shared by all threads.
pub(super) struct Decoded {
    cache: Cache<PageKey, Arc<[Packed]>, Bytes>,
    /// How often a page was decoded.
    #[cfg(test)]
    pub(super) decodings: std::sync::atomic::AtomicU64,
}

impl Decoded {
    /// At most about `budget` bytes.
    pub(super) fn new(budget: u64) -> Self {
        Self {
            cache: Cache::with_options(
                options(budget, bytes(PAGE), bytes(PAGE)),
                Bytes,
                DefaultHashBuilder::default(),
                DefaultLifecycle::default(),
            ),
            #[cfg(test)]
            decodings: 0.into(),
        }
    }

    /// What is known of `positions` of the class with this number, from its table: so many pairs of
    /// planes, outcomes first.
    pub(super) fn read<B: Board>(
        &self,
        source: &Source<B>,
        class: u16,
        side: Color,
        positions: Range<u64>,
        pairs: usize,
    ) -> Result<Vec<Packed>, GenerateError> {
        let mut all = vec![Packed::default(); pairs];
        for pair in &mut all {
            pair.reserve(positions.end - positions.start);
        }
        for number in positions.start / PAGE..positions.end.div_ceil(PAGE) {
            let start = number * PAGE;
            let within = positions.start.max(start)..positions.end.min(start + PAGE);
            let page = self.page(source, PageKey::new(class, side, start), pairs)?;
            for (pair, page) in all.iter_mut().zip(&*page) {
                pair.append(page, within.start - start..within.end - start);
            }
        }
        Ok(all)
    }

    /// A page, decoded if it is not here.
    pub(super) fn page<B: Board>(
        &self,
        source: &Source<B>,
        key: PageKey,
        pairs: usize,
    ) -> Result<Arc<[Packed]>, GenerateError> {
        let start = key.page * PAGE;
        let whole = start..(start + PAGE).min(source.positions());
        // Other threads that want this page wait for it; decoding waits for nobody.
        self.cache.get_or_insert_with(&key, || {
            #[cfg(test)]
            self.decodings
                .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            source.decode(key.class().1, whole, pairs)
        })
    }

    /// Bytes in use.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> u64 {
        self.cache.weight()
    }
}

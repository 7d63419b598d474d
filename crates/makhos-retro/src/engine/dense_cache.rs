//! The segments that are kept expanded, up to a number of bytes.

use std::sync::Arc;

use makhos_rules::{Board, Color};
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, Options, OptionsBuilder, Weighter};

use super::segment::Form;
use super::shape::Shape;

/// Bytes of an entry beside its elements: the counts of the `Arc`, the allocator's and the cache's own.
pub(super) const OVERHEAD: u64 = 96;
/// A shard holds at least this many of the largest segments, if the budget does. Each shard has its own
/// part of the budget, so with fewer much of it would lie idle in those that few segments fall to.
const LARGEST_IN_SHARD: u64 = 8;
/// Shards a thread. More make it rarer that two threads want the same one at once.
const SHARDS_A_THREAD: usize = 4;
/// Bytes of a usual entry, for the number of entries that the cache is to expect.
const USUAL: u64 = 1 << 14;
/// The cache need not expect more entries. It remembers half as many after they are gone.
const MOST_ENTRIES: usize = 1 << 24;
/// The cache makes fewer shards if it expects fewer entries in each than that.
const ENTRIES_IN_SHARD: usize = 32;

/// A segment of a class in one form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    segment: u64,
    /// The class, the side to move, whether it is flipped and the shape, packed for quick hashing.
    form: u32,
}

impl Key {
    #[inline]
    pub(super) fn new(class: u16, form: Form, segment: u64) -> Self {
        let shape = match form.shape {
            Shape::Grid => 0,
            Shape::White => 1,
            Shape::Black => 2,
            Shape::Bare => 3,
            Shape::GridWith(Color::White, square) => 4 + 2 * u32::from(square),
            Shape::GridWith(Color::Black, square) => 5 + 2 * u32::from(square),
        };
        let orientation = 2 * u32::from(form.flipped) + u32::from(form.stored_side.is_white());
        Self {
            segment,
            // Ten bits are enough for any `u8` as a square.
            form: (u32::from(class) << 12) | (orientation << 10) | shape,
        }
    }

    pub(super) fn segment(&self) -> u64 {
        self.segment
    }
}

/// Weighs entries by their bytes.
#[derive(Clone)]
struct Bytes;

impl<B> Weighter<Key, Arc<[B]>> for Bytes {
    fn weight(&self, _: &Key, elements: &Arc<[B]>) -> u64 {
        bytes(elements)
    }
}

fn bytes<B>(elements: &[B]) -> u64 {
    size_of_val(elements) as u64 + OVERHEAD
}

/// Options of a cache of at most `budget` bytes for entries of usually `usual`, at most `largest` bytes.
pub(super) fn options(budget: u64, largest: u64, usual: u64) -> Options {
    let threads = rayon::current_num_threads();
    let room = budget / largest.saturating_mul(LARGEST_IN_SHARD);
    let most_shards = (threads.saturating_mul(SHARDS_A_THREAD)).next_power_of_two();
    // The greatest power of two that leaves the room; the cache rounds up.
    let shards = 1 << room.clamp(1, most_shards as u64).ilog2();
    let entries = usize::try_from(budget / usual).unwrap_or(usize::MAX);
    OptionsBuilder::new()
        .shards(shards)
        .estimated_items_capacity(entries.min(MOST_ENTRIES).max(shards * ENTRIES_IN_SHARD))
        .weight_capacity(budget)
        .build()
        .expect("both capacities are given")
}

/// Expanded segments, shared by all threads.
pub(super) struct DenseCache<B> {
    cache: Cache<Key, Arc<[B]>, Bytes>,
}

impl<B: Board> DenseCache<B> {
    /// A cache of at most `budget` bytes for segments of at most `largest` bytes.
    pub(super) fn new(budget: u64, largest: u64) -> Self {
        Self {
            cache: Cache::with_options(
                options(budget, largest.saturating_add(OVERHEAD), USUAL),
                Bytes,
                DefaultHashBuilder::default(),
                DefaultLifecycle::default(),
            ),
        }
    }

    /// The segment, which `expand` makes if it is not here. Other threads that want it wait for it. If
    /// `expand` fails, one of them tries next. A segment too large to be kept is handed to all that
    /// wait.
    ///
    /// `expand` must neither come back here nor hand work to other threads: they may be waiting for it.
    #[inline]
    pub(super) fn get_or_insert_with<E>(
        &self,
        key: &Key,
        expand: impl FnOnce() -> Result<Arc<[B]>, E>,
    ) -> Result<Arc<[B]>, E> {
        self.cache.get_or_insert_with(key, expand)
    }

    /// Whether so many elements take only a small part of the budget.
    pub(super) fn is_light(&self, elements: &[B]) -> bool {
        bytes(elements).saturating_mul(LARGEST_IN_SHARD) <= self.cache.shard_capacity()
    }

    /// Bytes in use.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> u64 {
        self.cache.weight()
    }

    pub(super) fn insert(&self, key: Key, dense: Arc<[B]>) {
        self.cache.insert(key, dense);
    }
}

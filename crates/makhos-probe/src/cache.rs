//! Decoded blocks that each thread keeps, so that nearby probes decode once.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Sets of the cache; a block belongs to one of them.
const SETS: usize = 32;
/// Blocks a set holds.
const WAYS: usize = 4;

/// Identifies a block among all open tables of the process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) table: u64,
    pub(crate) block: u64,
}

/// A number no other table of this process has or had.
pub(crate) fn new_table_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

struct Slot {
    key: Key,
    packed: Vec<u8>,
}

/// One thread's decoded blocks, the most recently used first in each set. At most
/// `SETS * WAYS` blocks of 128 KiB, of 32 KiB with the blocks that are written.
struct Cache {
    sets: [Vec<Slot>; SETS],
}

thread_local! {
    static CACHE: RefCell<Cache> = const { RefCell::new(Cache { sets: [const { Vec::new() }; SETS] }) };
}

/// Calls `read` with the packed bytes of a block, which `decode` fills in if this thread has not got
/// them. `len` is their number.
///
/// `decode` and `read` must not come back here.
pub(crate) fn with_block<T, E>(
    key: Key,
    len: usize,
    decode: impl FnOnce(&mut [u8]) -> Result<(), E>,
    read: impl FnOnce(&[u8]) -> T,
) -> Result<T, E> {
    CACHE.with_borrow_mut(|cache| {
        let set = &mut cache.sets[set_of(key)];
        if let Some(at) = set.iter().position(|slot| slot.key == key) {
            set[..=at].rotate_right(1);
            return Ok(read(&set[0].packed));
        }
        // The least recently used block gives its memory to the new one. It is out of the set while
        // decoding may fail.
        let mut packed = match set.len() {
            WAYS => set.pop().map(|slot| slot.packed).unwrap_or_default(),
            _ => Vec::new(),
        };
        packed.resize(len, 0);
        decode(&mut packed)?;
        let value = read(&packed);
        set.insert(0, Slot { key, packed });
        Ok(value)
    })
}

fn set_of(key: Key) -> usize {
    // Consecutive blocks of a table fall into different sets.
    (key.table.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32).wrapping_add(key.block) as usize % SETS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(key: Key, decoded: &mut u32) -> u8 {
        let fill = |packed: &mut [u8]| {
            *decoded += 1;
            packed.fill(key.block as u8);
            Ok::<(), ()>(())
        };
        with_block(key, 3, fill, |packed| packed[2]).expect("no error")
    }

    #[test]
    fn blocks_are_decoded_once_while_they_are_kept() {
        let table = new_table_id();
        let mut decoded = 0;
        for round in 0..3 {
            for block in 0..(SETS * WAYS) as u64 {
                assert_eq!(
                    read(Key { table, block }, &mut decoded),
                    block as u8,
                    "{round}"
                );
            }
        }
        assert_eq!(decoded as usize, SETS * WAYS);
    }

    #[test]
    fn the_least_recently_used_block_goes() {
        let table = new_table_id();
        let mut decoded = 0;
        let same_set = |n: u64| Key {
            table,
            block: n * SETS as u64,
        };
        for n in [0, 1, 2, 3, 0, 4, 0, 1] {
            read(same_set(n), &mut decoded);
        }
        // 4 replaced 1, so 1 was decoded twice.
        assert_eq!(decoded, 6);
    }

    #[test]
    fn a_failed_block_is_not_kept() {
        let key = Key {
            table: new_table_id(),
            block: 9,
        };
        let failed = with_block(key, 3, |_| Err("damaged"), |packed| packed[0]);
        assert_eq!(failed, Err("damaged"));
        let mut decoded = 0;
        assert_eq!(read(key, &mut decoded), 9);
        assert_eq!(decoded, 1);
    }
}

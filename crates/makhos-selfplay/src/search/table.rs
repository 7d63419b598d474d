//! The hash table of positions that have been searched.

use makhos_rules::rules::Color;
use makhos_rules::{Board, Move, Position};

/// What a stored score says about the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    /// It is the value.
    Exact,
    /// The value is not smaller.
    Lower,
    /// The value is not larger.
    Upper,
}

/// A move, short: ends and a digest of what is captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct ShortMove {
    from: u8,
    to: u8,
    captured: u8,
}

impl ShortMove {
    /// No move has these ends.
    pub(super) const NONE: Self = Self {
        from: u8::MAX,
        to: u8::MAX,
        captured: 0,
    };

    #[inline(always)]
    pub(super) fn of<B: Board>(mv: &Move<B>) -> Self {
        Self {
            from: mv.from.index() as u8,
            to: mv.to.index() as u8,
            captured: if mv.is_capture() {
                digest(mv.captured)
            } else {
                0
            },
        }
    }
}

fn digest<B: Board>(captured: B) -> u8 {
    (mix(captured.to_u128() as u64, (captured.to_u128() >> 64) as u64) >> 56) as u8
}

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Known {
    pub(super) score: i32,
    pub(super) depth: i32,
    pub(super) bound: Bound,
    pub(super) best: ShortMove,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry {
    key: u64,
    score: i16,
    depth: i8,
    /// The search it was stored in; 0 if nothing is.
    age: u8,
    bound: Bound,
    best: ShortMove,
}

const EMPTY: Entry = Entry {
    key: 0,
    score: 0,
    depth: 0,
    age: 0,
    bound: Bound::Upper,
    best: ShortMove::NONE,
};

/// Entries that a position may go to.
const WAYS: usize = 4;
/// How much depth being from an earlier search is worth.
const AGE_PENALTY: i32 = 8;

/// A table of a fixed number of entries.
#[derive(Debug)]
pub(super) struct HashTable {
    entries: Vec<[Entry; WAYS]>,
    age: u8,
}

impl HashTable {
    /// Bytes of an entry.
    pub(super) const ENTRY_BYTES: usize = size_of::<Entry>();

    /// A table of `entries` entries, rounded down to a power of two, but at least one set of them.
    pub(super) fn new(entries: usize) -> Self {
        let sets = (entries / WAYS).max(1);
        let sets = 1 << sets.ilog2();
        Self {
            entries: vec![[EMPTY; WAYS]; sets],
            age: 1,
        }
    }

    pub(super) fn clear(&mut self) {
        self.entries.fill([EMPTY; WAYS]);
        self.age = 1;
    }

    /// Another search begins; what is stored is of less worth from now on.
    pub(super) fn next_search(&mut self) {
        self.age = if self.age == u8::MAX { 1 } else { self.age + 1 };
    }

    #[inline(always)]
    fn set(&self, key: u64) -> usize {
        key as usize & (self.entries.len() - 1)
    }

    #[inline(always)]
    pub(super) fn get(&self, key: u64) -> Option<Known> {
        let set = &self.entries[self.set(key)];
        let entry = set
            .iter()
            .find(|entry| entry.key == key && entry.age != 0)?;
        Some(Known {
            score: entry.score.into(),
            depth: entry.depth.into(),
            bound: entry.bound,
            best: entry.best,
        })
    }

    #[inline(always)]
    pub(super) fn put(&mut self, key: u64, mut known: Known) {
        let (at, age) = (self.set(key), self.age);
        let set = &mut self.entries[at];
        let worth = |entry: &Entry| {
            if entry.age == 0 {
                i32::MIN
            } else {
                i32::from(entry.depth) - i32::from(age.wrapping_sub(entry.age)) * AGE_PENALTY
            }
        };
        let same = set
            .iter()
            .position(|entry| entry.key == key && entry.age != 0);
        let least = || (0..WAYS).min_by_key(|&way| worth(&set[way])).unwrap_or(0);
        let way = same.unwrap_or_else(least);
        if same.is_some() && known.best == ShortMove::NONE {
            known.best = set[way].best;
        }
        set[way] = Entry {
            key,
            // Scores are within 16 bits.
            score: known.score as i16,
            depth: known.depth.clamp(0, i8::MAX.into()) as i8,
            age,
            bound: known.bound,
            best: known.best,
        };
    }
}

/// A product of 128 bits folded to 64.
#[inline(always)]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x2d35_8dcc_aa6c_78a5) * u128::from(b ^ 0x8bb8_4b93_962e_acc9);
    product as u64 ^ (product >> 64) as u64
}

/// The key of a position without counters.
#[inline(always)]
pub(super) fn position_key<B: Board>(position: &Position<B>) -> u64 {
    let white = position.pieces(Color::White).to_u128();
    let black = position.pieces(Color::Black).to_u128();
    let kings = (position.kings(Color::White) | position.kings(Color::Black)).to_u128();
    let side = if position.side().is_white() {
        0
    } else {
        0x4cf5_ad43_2745_937f
    };
    let mut key = mix(white as u64, black as u64);
    key = mix(key ^ side, kings as u64 ^ 0x9e37_79b9_7f4a_7c15);
    if B::SQUARES > u64::BITS {
        key = mix(key, (white >> 64) as u64 ^ 0x1656_67b1_9e37_79f9);
        key = mix(key, ((black >> 64) | ((kings >> 64) << 32)) as u64);
    }
    key
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use makhos_rules::variant::{CANADIAN, RUSSIAN};

    use super::*;

    #[test]
    fn entries_are_found_and_replaced_by_worth() {
        assert_eq!(HashTable::ENTRY_BYTES, 16);
        let mut table = HashTable::new(4);
        let known = |depth| Known {
            score: -32_000,
            depth,
            bound: Bound::Exact,
            best: ShortMove::NONE,
        };
        for key in 1..=4 {
            table.put(key << 8, known(key as i32));
        }
        table.put(5 << 8, known(9));
        assert_eq!(table.get(1 << 8), None, "the shallowest goes");
        assert_eq!(table.get(5 << 8), Some(known(9)));
        table.next_search();
        table.put(6 << 8, known(0));
        table.put(7 << 8, known(0));
        assert_eq!(table.get(6 << 8), Some(known(0)), "older ones go first");
        table.clear();
        assert_eq!(table.get(7 << 8), None);
    }

    fn keys_differ<B: Board>(rules: &makhos_rules::RuleSet) {
        let mut seen: HashMap<u64, Position<B>> = HashMap::new();
        let mut level = vec![Position::<B>::start(rules)];
        while seen.len() < 50_000 {
            let mut next = Vec::new();
            for position in level {
                let known = seen.insert(position_key(&position), position);
                assert!(known.is_none_or(|known| known == position));
                let other = position.with_side(position.side().opponent());
                assert_ne!(position_key(&position), position_key(&other));
                if known.is_none() {
                    next.extend(
                        rules
                            .legal_moves(&position)
                            .iter()
                            .map(|mv| position.make(mv)),
                    );
                }
            }
            level = next;
        }
    }

    #[test]
    fn positions_have_keys_of_their_own() {
        keys_differ::<u32>(&RUSSIAN);
        keys_differ::<u128>(&CANADIAN);
    }
}

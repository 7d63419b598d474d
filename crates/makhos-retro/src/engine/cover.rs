//! Blocks that need not be looked at, because all their placements are in other blocks too.
//!
//! Of three equal kings any may be the inner one, so every placement is in three blocks. But of three
//! squares two lie in the same half of the board: it is enough to look at blocks whose two other kings
//! stand in one half, not quite half of all, and to copy the rest row by row. In general the other kings of
//! the blocks looked at must be sets of `m` squares of which every `m + 1` squares contain one, as few as
//! possible: *Turán's problem*. Known small families are used here (A. Sidorenko, "What we know and what
//! we do not know about Turán numbers", Graphs and Combinatorics 11, 1995):
//! - for an even `m`, those with an even number of squares in one half of the board;
//! - for three, the board being in three parts: those within a part, and those with two squares in one part
//!   and the third in the next;
//! - otherwise all.
//!
//! Only White's other kings are dealt with so: rows are copied whole, columns would have to be taken out bit
//! by bit. A class in which Black has three kings and White fewer has seven pieces at least.

use makhos_rules::Board;

use super::isa::Task;
use super::kings::OtherKings;
use super::ranks::{below, rank, sets};

/// Planes of a block.
const PLANES: usize = 2;

/// A row of a block that another block has too.
#[derive(Clone, Copy, Debug)]
struct Source {
    /// The rank of White's other kings there.
    rank: u32,
    /// The square of White's inner king there.
    row: u32,
}

/// Which sets of White's other kings are looked at, and where the placements of the others are found.
#[derive(Debug)]
pub(super) struct Cover<const N: usize> {
    /// By rank: whether blocks with these other kings are looked at.
    looked: Vec<bool>,
    /// By rank, for sets that are not looked at: where each row is found; `None` where the inner king would
    /// stand on another. Empty for the others.
    sources: Vec<Vec<Option<Source>>>,
}

impl<const N: usize> Cover<N> {
    /// For these other kings of White; `None` if all of their sets must be looked at.
    pub(super) fn new<B: Board>(others: &OtherKings<B>) -> Option<Self> {
        let sets = (0..others.len()).map(|rank| others.set(rank));
        let looked: Vec<bool> = sets.clone().map(is_looked).collect();
        if looked.iter().all(|&looked| looked) {
            return None;
        }
        let sources = sets
            .zip(&looked)
            .map(|(set, &looked)| if looked { Vec::new() } else { sources(set) })
            .collect();
        Some(Self { looked, sources })
    }

    /// Whether blocks with White's other kings of this rank are looked at.
    pub(super) fn is_looked(&self, rank: usize) -> bool {
        self.looked[rank]
    }

    /// Splits planes of all blocks, those of a set of White's after the other, into those of the sets that
    /// are looked at (the others are empty), and those to be filled in, by rank.
    pub(super) fn split<'a, B>(&self, planes: &'a mut [B]) -> Split<'a, B> {
        let a_set = planes.len() / self.looked.len();
        let mut split = Split {
            looked: Vec::with_capacity(self.looked.len()),
            others: Vec::new(),
        };
        for (rank, words) in planes.chunks_exact_mut(a_set).enumerate() {
            if self.looked[rank] {
                split.looked.push(words);
            } else {
                split.looked.push(&[]);
                split.others.push((rank, words));
            }
        }
        split
    }
}

/// Bytes that a [`Cover`] takes for sets of `kings` squares.
pub(super) fn bytes<B: Board>(kings: u32) -> u64 {
    if kings < 2 {
        return 0;
    }
    let rows = B::SQUARES as usize * size_of::<Option<Source>>();
    let a_set = (1 + size_of::<Vec<Source>>() + rows) as u64;
    (sets(B::SQUARES, kings) as u64).saturating_mul(a_set)
}

/// Planes of blocks, those of each set of White's other kings together.
pub(super) struct Split<'a, B> {
    /// By rank: of sets that are looked at. Others are empty.
    pub(super) looked: Vec<&'a [B]>,
    /// The other ones, with their ranks.
    pub(super) others: Vec<(usize, &'a mut [B])>,
}

/// Fills in the blocks of one set of White's other kings.
pub(super) struct Fill<'a, B, const N: usize> {
    pub(super) cover: &'a Cover<N>,
    /// The other kings of both sides.
    pub(super) others: &'a [OtherKings<B>; 2],
    /// The men of both sides.
    pub(super) men: B,
    /// The rank of the set.
    pub(super) rank: usize,
    /// The planes of the sets that are looked at, by rank.
    pub(super) looked: &'a [&'a [B]],
    /// The planes of this set.
    pub(super) into: &'a mut [B],
}

impl<B: Board, const N: usize> Task for Fill<'_, B, N> {
    /// Placements of the second plane, each counted once.
    type Output = u64;

    #[inline(always)]
    fn call(self) -> u64 {
        let white = self.others[0].set(self.rank);
        let sources = &self.cover.sources[self.rank];
        let mut count = 0;
        for (number, block) in self.into.chunks_exact_mut(PLANES * N).enumerate() {
            let black = self.others[1].set(number);
            if !((white & black) | ((white | black) & self.men)).is_empty() {
                block.fill(B::EMPTY);
                continue;
            }
            let start = number * PLANES * N;
            let (first, second) = block.split_at_mut(N);
            for (row, source) in sources.iter().enumerate() {
                (first[row], second[row]) = match source {
                    Some(source) => {
                        let words = self.looked[source.rank as usize];
                        let at = start + source.row as usize;
                        (words[at], words[at + N])
                    }
                    None => (B::EMPTY, B::EMPTY),
                };
            }
            // The inner king is the lowest of its side.
            let lowest = below(black);
            for row in below(white).squares() {
                count += u64::from((second[row] & lowest).len());
            }
        }
        count
    }
}

/// Whether blocks with these other kings of White are looked at.
fn is_looked<B: Board>(set: B) -> bool {
    let squares = B::SQUARES as usize;
    let parts = |parts: usize| {
        let mut counts = [0; 3];
        for square in set.squares() {
            counts[square * parts / squares] += 1;
        }
        counts
    };
    match set.len() {
        3 => {
            let counts: [u32; 3] = parts(3);
            (0..3)
                .any(|part| counts[part] == 3 || (counts[part] == 2 && counts[(part + 1) % 3] == 1))
        }
        kings if kings % 2 == 0 => parts(2)[0] % 2 == 0,
        _ => true,
    }
}

/// Where the placements of the block with these other kings are found, by the square of the inner king.
fn sources<B: Board>(set: B) -> Vec<Option<Source>> {
    let mut sources = vec![None; B::SQUARES as usize];
    for inner in (B::ALL & !set).squares() {
        let all = set | B::bit(inner);
        let row = set
            .squares()
            .find(|&square| is_looked(all & !B::bit(square)));
        sources[inner] = row.map(|row| Source {
            rank: rank(all & !B::bit(row)) as u32,
            row: row as u32,
        });
        debug_assert!(row.is_some(), "every placement is looked at somewhere");
    }
    sources
}

#[cfg(test)]
mod tests {
    use makhos_rules::variant;

    use super::*;
    use crate::engine::ranks::subsets;

    fn every_placement_is_in_a_block_that_is_looked_at<B: Board, const N: usize>(most: u32) {
        for kings in 0..=most {
            let others = OtherKings::<B>::new(&variant::ENGLISH, kings);
            let Some(cover) = Cover::<N>::new(&others) else {
                assert!(!(2..=4).contains(&kings));
                continue;
            };
            let looked = cover.looked.iter().filter(|&&looked| looked).count();
            let share = looked as f64 / others.len() as f64;
            // 1/2, 4/9 and 1/2 of very large boards.
            assert!(share < 0.55, "{kings}: {share}");
            for (rank, set) in subsets(B::ALL, kings).enumerate() {
                if cover.is_looked(rank) {
                    assert!(cover.sources[rank].is_empty());
                    continue;
                }
                for (inner, source) in cover.sources[rank].iter().enumerate() {
                    assert_eq!(source.is_none(), set.contains(inner));
                    let Some(source) = source else {
                        continue;
                    };
                    let there = others.set(source.rank as usize);
                    assert!(cover.is_looked(source.rank as usize));
                    assert!(!there.contains(source.row as usize));
                    assert_eq!(there | B::bit(source.row as usize), set | B::bit(inner));
                }
            }
        }
    }

    #[test]
    fn covers_are_complete() {
        every_placement_is_in_a_block_that_is_looked_at::<u32, 32>(5);
        every_placement_is_in_a_block_that_is_looked_at::<u64, 52>(3);
    }
}

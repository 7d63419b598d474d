//! Configurations of men in the order in which they are solved.
//!
//! A quiet move of a man advances it by one row, so it leads to a configuration whose *level*, the sum
//! of the rows that the men of both sides have advanced, is higher by one. Levels are solved from the
//! highest down; the configurations of one level do not depend on each other.

use makhos_rules::Board;

use super::ranks::subsets;

/// The sets of squares of one side's men by the rows they have advanced together.
#[derive(Clone, Debug)]
pub(crate) struct MenSets<B> {
    by_rows: Vec<Vec<B>>,
}

impl<B: Board> MenSets<B> {
    /// All sets of `men` men of White or Black.
    pub(crate) fn new(men: u32, white: bool) -> Self {
        let most = (men * (B::ROWS - 2)) as usize;
        let mut by_rows = vec![Vec::new(); most + 1];
        for set in subsets(B::ALL & !B::promotion_row(white), men) {
            let rows: u32 = set
                .squares()
                .map(|square| advance::<B>(square, white))
                .sum();
            by_rows[rows as usize].push(set);
        }
        Self { by_rows }
    }

    /// The largest number of rows.
    pub(crate) fn most(&self) -> usize {
        self.by_rows.len() - 1
    }

    /// The sets that have advanced so far; none beyond the largest number.
    pub(crate) fn with_rows(&self, rows: usize) -> &[B] {
        self.by_rows.get(rows).map_or(&[], Vec::as_slice)
    }
}

/// The rows that a man on `square` has advanced.
fn advance<B: Board>(square: usize, white: bool) -> u32 {
    let row = square as u32 / B::PER_ROW;
    if white { B::ROWS - 1 - row } else { row }
}

/// Parts that a level has for each thread, so that none waits long for another at its end.
pub(crate) const PARTS_A_THREAD: usize = 16;

/// One set of White's men with sets of Black's men of the same level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group<'a, B> {
    /// White's men.
    pub(crate) white: B,
    /// Sets of Black's men; those that overlap White's are among them.
    pub(crate) black: &'a [B],
}

/// The groups of one level, small enough for so many threads where White has few men or none.
pub(crate) fn groups<'a, B: Board>(
    white: &'a MenSets<B>,
    black: &'a MenSets<B>,
    level: usize,
    threads: usize,
) -> Vec<Group<'a, B>> {
    let sides = |rows| (white.with_rows(rows), black.with_rows(level - rows));
    let rows = 0..=level.min(white.most());
    let pairs = rows.clone().map(sides).map(|(w, b)| w.len() * b.len());
    let most = pairs
        .sum::<usize>()
        .div_ceil(threads.max(1) * PARTS_A_THREAD)
        .max(1);
    let mut groups = Vec::new();
    for (white, black) in rows.map(sides) {
        for &white in white {
            groups.extend(black.chunks(most).map(|black| Group { white, black }));
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use makhos_index::PlacementIndex;

    use super::*;

    /// Every configuration has exactly one level, below that of all it leads to.
    fn every_configuration_once<B: Board>(class: &str) {
        let index = PlacementIndex::<B>::new(class.parse().expect("a class")).expect("small");
        let army = index.material();
        let white = MenSets::<B>::new(army.white.men.into(), true);
        let black = MenSets::<B>::new(army.black.men.into(), false);
        let mut levels = HashMap::new();
        for level in 0..=white.most() + black.most() {
            let threads = level % 3 + 1;
            let groups = groups(&white, &black, level, threads);
            let configurations = groups.iter().map(|group| group.black.len()).sum::<usize>();
            for group in groups {
                let most = configurations.div_ceil(threads * PARTS_A_THREAD);
                assert!(group.black.len() <= most);
                for &black in group.black {
                    if (group.white & black).is_empty() {
                        assert_eq!(levels.insert((group.white, black), level), None);
                    }
                }
            }
        }
        assert_eq!(levels.len() as u64, index.outer());
        for (&(white, black), &level) in &levels {
            for square in white.squares() {
                for direction in makhos_rules::Color::White.forward() {
                    let to = B::geometry().step[square][direction as usize] & !(white | black);
                    if !(to & !B::promotion_row(true)).is_empty() {
                        let after = (white & !B::bit(square)) | to;
                        assert_eq!(levels[&(after, black)], level + 1);
                    }
                }
            }
        }
    }

    #[test]
    fn levels_order_configurations() {
        every_configuration_once::<u32>("2m-1m");
        every_configuration_once::<u32>("2m1k-1k");
        every_configuration_once::<u32>("3k-1k");
        every_configuration_once::<u64>("1m-1m");
        every_configuration_once::<u128>("1m-1m");
    }
}

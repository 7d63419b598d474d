//! How many plies are counted.

use makhos_rules::Board;

use super::{LONGEST, PLANES};

/// What becomes of a result that takes more plies than are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Beyond {
    /// It is a draw: the clock has run out.
    Draw,
    /// It cannot be told.
    TooLong,
}

/// The most plies that are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Limit {
    /// At most [`LONGEST`]; at least 1.
    pub(crate) plies: u16,
    /// What becomes of results beyond them.
    pub(crate) beyond: Beyond,
}

impl Limit {
    /// As many as the planes hold.
    pub(crate) const PLANES: Self = Self {
        plies: LONGEST,
        beyond: Beyond::TooLong,
    };

    /// The fewest plies for which one more is a draw; more than there are if that is never so.
    pub(crate) const fn late(&self) -> u16 {
        match self.beyond {
            Beyond::Draw => self.plies,
            Beyond::TooLong => LONGEST + 1,
        }
    }
}

/// Of positions that are bits of words, those with at least `least` plies, 1 or more, by their planes of
/// plies.
#[inline(always)]
pub(crate) fn at_least<B: Board>(plies: &[B; PLANES], least: u16) -> B {
    let most = least - 1;
    let mut more = B::EMPTY;
    for (p, &plane) in plies.iter().enumerate() {
        if most >> p & 1 == 0 {
            more |= plane;
        } else {
            more &= plane;
        }
    }
    more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_are_compared_in_all_planes() {
        for least in [1, 2, 3, 10, 511, 512, 1000, LONGEST, LONGEST + 1] {
            for plies in (0..=LONGEST + 1).step_by(7).chain([least - 1, least]) {
                let planes = std::array::from_fn(|p| u32::from(plies >> p & 1) << 5);
                let expected = if plies >= least { 1 << 5 } else { 0 };
                assert_eq!(at_least::<u32>(&planes, least), expected, "{plies} {least}");
            }
        }
    }
}

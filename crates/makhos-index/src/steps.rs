//! The number of a placement, piece by piece.
//!
//! Positions that are looked up one after the other are of any class, so loops over the men and kings of
//! each side would end where no processor expects it. Where all pieces fit two words of 64 bits, the number
//! is instead one sum over all pieces: each has a binomial coefficient for its square and a weight, which
//! depend on the class alone.

use std::hint::select_unpredictable;

use makhos_rules::{Board, Color, Position};

use crate::combination::{COUNTS, flat_binomial};
use crate::material::Material;
use crate::placement::Group;

/// Squares of the board that this is for: the bits of half a word.
pub(crate) const HALF: u32 = 32;

/// The bits of the lower half.
const LOWER: u64 = u32::MAX as u64;

/// What a piece adds to the number of a placement: `weight * C(c, k)` for the k-th piece of its kind on the
/// c-th square that such a piece can take.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Where row k of the binomial coefficients begins, less what the bit of the piece is above c.
    row: u32,
    weight: u64,
}

/// The steps of all placements of a class with as many of White's men on the bottom row.
#[derive(Clone, Debug)]
struct Row {
    /// The number of the first placement.
    start: u64,
    /// One for each piece.
    steps: Box<[Step]>,
}

/// The steps of all placements of a class.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    /// By White's men on the bottom row.
    rows: Box<[Row]>,
}

impl Steps {
    /// Those of a class that fits the board, with these groups in use; none on larger boards.
    pub(crate) fn new<B: Board>(
        material: Material,
        groups: &[Group],
        [inner, black_kings]: [u64; 2],
    ) -> Self {
        if B::SQUARES > HALF {
            return Self {
                rows: Box::default(),
            };
        }
        let row = |(bottom, group): (u32, &Group)| {
            // Of groups without placements products may overflow; they are never asked for.
            let black = group.black.wrapping_mul(inner);
            let mut steps = Vec::new();
            let mut add = |count: u32, base: u32, weight: u64| {
                steps.extend((1..=count).map(|k| Step {
                    row: COUNTS as u32 * k - base,
                    weight,
                }));
            };
            add(u32::from(material.white.men) - bottom, B::PER_ROW, black);
            let outside = B::SQUARES - B::PER_ROW;
            add(bottom, outside, group.middle.wrapping_mul(black));
            add(material.black.men.into(), HALF, inner);
            add(material.white.kings.into(), 0, black_kings);
            // All men count as squares below one of Black's kings, see `index`.
            add(material.black.kings.into(), HALF - material.men(), 1);
            Row {
                start: group.start.wrapping_mul(inner),
                steps: steps.into(),
            }
        };
        Self {
            rows: (0..).zip(groups).map(row).collect(),
        }
    }

    /// The number of a placement on a board of 32 squares, flipped if that is asked for.
    #[inline(always)]
    pub(crate) fn index<B: Board>(&self, position: &Position<B>, flip: bool) -> u64 {
        // White's pieces in the low half, Black's in the high one. So turning all bits of the word round turns
        // the board and exchanges the colours.
        let word = |set: fn(&Position<B>, Color) -> B| {
            let half = |color| set(position, color).to_u128() as u64;
            let word = half(Color::White) | half(Color::Black) << HALF;
            select_unpredictable(flip, word.reverse_bits(), word)
        };
        // Taking the lowest bits meets the pieces in the order of the steps.
        let mut men_left = word(Position::men);
        let mut kings_left = word(Position::kings);
        // Squares without which each half is counted.
        let bottom_row = B::BOTTOM_ROW.to_u128() as u64;
        let white_men = men_left & LOWER;
        let men = white_men | men_left >> HALF;
        let men_taken = (white_men & !bottom_row) << HALF;
        let kings_taken = men | (men | kings_left & LOWER) << HALF;
        let bottom = (white_men & bottom_row).count_ones() as usize;
        let row = &self.rows[bottom];
        let mut index = row.start;
        for step in &row.steps {
            let is_man = men_left != 0;
            let left = select_unpredictable(is_man, men_left, kings_left);
            let taken = select_unpredictable(is_man, men_taken, kings_taken);
            // The piece and all below it, which it is not among itself.
            let up_to = left ^ left.wrapping_sub(1);
            let place = left.trailing_zeros() - (taken & up_to).count_ones();
            index = index.wrapping_add(flat_binomial(step.row + place).wrapping_mul(step.weight));
            let less = kings_left & kings_left.wrapping_sub(1);
            kings_left = select_unpredictable(is_man, kings_left, less);
            // The empty set stays empty.
            men_left &= men_left.wrapping_sub(1);
        }
        index
    }
}

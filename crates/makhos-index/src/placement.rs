//! The numbering of the placements of one material class.
//!
//! A *placement* is where the pieces stand, without the side to move. White's men stand on any row
//! but the top one, Black's men on any row but the bottom one, kings anywhere; no two pieces share a
//! square. The placements of a class are numbered 0, 1, 2, … without gaps. Table files store values
//! in this order, so it must never change.
//!
//! # The order
//! Write a set of squares as a binary number, square `i` being bit `i`, where squares are counted row
//! by row from the top left as White sees the board, beginning with 0. Placements are ordered by, in
//! this sequence,
//!
//! 1. how many of White's men stand on the bottom row,
//! 2. the set of White's men,
//! 3. the set of Black's men,
//! 4. the set of White's kings,
//! 5. the set of Black's kings,
//!
//! each ascending. The number of a placement is how many placements of the class come before it.
//!
//! # The formula
//! `S` is the number of squares and `P` of squares in a row: 32 and 4 on 8x8, 50 and 5 on 10x10, 72
//! and 6 on 12x12. The class has `wm`, `wk`, `bm`, `bk` men and kings of White and Black. `C(n, k)` is
//! the binomial coefficient, 0 for `k > n`.
//!
//! *Rank.* A set of numbers `c1 < c2 < … < ck` has the rank `C(c1, 1) + C(c2, 2) + … + C(ck, k)`.
//! This is its number among all sets of `k` numbers, compared as binary numbers (colexicographic).
//!
//! *Compression.* A square `s` is counted without certain other squares: `s` minus how many of these
//! are less than `s`.
//!
//! White's men fall into `j` men on the bottom row (squares `S - P` and up), where Black's men cannot
//! stand, and `wm - j` in the middle. Only the latter take room from Black's men, so the number of
//! placements of Black's men depends on `j`:
//!
//! ```text
//! black(j)  = C(S - P - (wm - j), bm)             placements of Black's men
//! middle(j) = C(S - 2P, wm - j)                   placements of White's men in the middle
//! men(j)    = C(P, j) * middle(j) * black(j)      placements of all men with j on the bottom row
//! inner     = C(S - wm - bm, wk) * C(S - wm - bm - wk, bk)         placements of the kings
//! ```
//!
//! With these ranks of a placement
//!
//! ```text
//! bottom_rank   White's men on the bottom row, each square less S - P
//! middle_rank   White's other men, each square less P
//! black_rank    Black's men, each square compressed by White's men
//! wk_rank       White's kings, each square compressed by all men
//! bk_rank       Black's kings, each square compressed by all men and White's kings
//! ```
//!
//! its number is
//!
//! ```text
//! men_index = men(0) + … + men(j - 1)
//!           + (bottom_rank * middle(j) + middle_rank) * black(j) + black_rank
//! index     = men_index * inner + wk_rank * C(S - wm - bm - wk, bk) + bk_rank
//! ```
//!
//! and the class has `(men(0) + … + men(min(P, wm))) * inner` placements. So the men are the outer
//! part of the number and the kings the inner one: placements that differ only in their kings follow
//! each other.
//!
//! # Example
//! On 8x8, class `1m1k-1m`: White's man on square 29 (the second of the bottom row), Black's man on
//! square 3 and White's king on square 31. Then `j = 1`; `men(0) = 24 * 27 = 648`, `middle(1) = 1`,
//! `black(1) = 28`, `inner = 30`; `men_index = 648 + (1 * 1 + 0) * 28 + 3 = 679`. The king's square
//! compressed by both men is 29, so `index = 679 * 30 + 29 = 20_399`.

use std::marker::PhantomData;

use makhos_rules::{Board, Color, Position};
use thiserror::Error;

use crate::combination::{binomial, exact_binomial, rank, unrank};
use crate::material::Material;
use crate::steps::{HALF, Steps};

/// Why a class cannot be numbered on a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum IndexError {
    /// A side has no pieces.
    #[error(
        "class {material} leaves a side without pieces: that game is over and needs no table; \
         give each side at least one piece"
    )]
    NoPieces {
        /// The refused class.
        material: Material,
    },
    /// A side has more men than there are squares for them.
    #[error(
        "class {material} has {men} men of one side, but only {squares} squares may hold them: \
         choose fewer men or a larger board"
    )]
    TooManyMen {
        /// The refused class.
        material: Material,
        /// The men of that side.
        men: u32,
        /// The squares outside the row where they are promoted.
        squares: u32,
    },
    /// There are more pieces than squares.
    #[error("class {material} has {} pieces, but the board only {squares} squares: \
         choose fewer pieces or a larger board", material.pieces())]
    TooManyPieces {
        /// The refused class.
        material: Material,
        /// The squares of the board.
        squares: u32,
    },
    /// The placements cannot be numbered with 64 bits.
    #[error("class {material} has more than 2^64 - 1 placements: choose a class with fewer pieces")]
    TooManyPlacements {
        /// The refused class.
        material: Material,
    },
}

/// The number of placements of a class on the board `B`, 0 if the pieces do not fit; `None` beyond
/// `u128`.
///
/// Unlike [`PlacementIndex::new`] it also counts classes with a side without pieces and those with
/// more than `u64` placements.
///
/// ```
/// use makhos_index::{Material, placements};
///
/// let material: Material = "2m1k-2m1k".parse().expect("well-formed");
/// assert_eq!(placements::<u32>(material), Some(95_001_984));
/// assert_eq!(placements::<u64>(material), Some(1_870_120_800));
/// ```
#[must_use]
pub fn placements<B: Board>(material: Material) -> Option<u128> {
    if check_room::<B>(material).is_err() {
        return Some(0);
    }
    let free = B::SQUARES - material.men();
    let white_men = u32::from(material.white.men);
    let mut men = 0_u128;
    for bottom in 0..=white_men.min(B::PER_ROW) {
        let middle = white_men - bottom;
        let room = B::SQUARES - B::PER_ROW;
        // All groups together are at most 3^72, as a square is empty, White's or Black's: no overflow.
        men += exact_binomial(B::PER_ROW, bottom)
            * exact_binomial(room - B::PER_ROW, middle)
            * exact_binomial(room.saturating_sub(middle), material.black.men.into());
    }
    let white_kings = material.white.kings.into();
    men.checked_mul(exact_binomial(free, white_kings))?
        .checked_mul(exact_binomial(
            free - white_kings,
            material.black.kings.into(),
        ))
}

/// Refuses classes whose pieces do not fit the board.
fn check_room<B: Board>(material: Material) -> Result<(), IndexError> {
    let squares = B::SQUARES - B::PER_ROW;
    let men = u32::from(material.white.men.max(material.black.men));
    if men > squares {
        return Err(IndexError::TooManyMen {
            material,
            men,
            squares,
        });
    }
    if material.pieces() > B::SQUARES {
        return Err(IndexError::TooManyPieces {
            material,
            squares: B::SQUARES,
        });
    }
    Ok(())
}

/// Groups on the largest board: none to six of White's men on the bottom row.
const MAX_GROUPS: usize = 7;

/// The placements of the men with the same number of White's men on the bottom row.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Group {
    /// Placements of the men in the groups before.
    pub(crate) start: u64,
    /// Placements of White's men outside the bottom row.
    pub(crate) middle: u64,
    /// Placements of Black's men for one placement of White's.
    pub(crate) black: u64,
}

/// Numbering of all placements of one material class, gap-free, men outer and kings inner.
///
/// The [module](self) describes the numbering completely.
#[derive(Clone, Debug)]
pub struct PlacementIndex<B> {
    material: Material,
    len: u64,
    inner: u64,
    /// Placements of Black's kings for one placement of everything else.
    black_kings: u64,
    /// By the number of White's men on the bottom row.
    groups: [Group; MAX_GROUPS],
    /// The number of groups in use.
    used: usize,
    /// The way to the number of a placement where pieces fit two words.
    steps: Steps,
    board: PhantomData<B>,
}

impl<B: Board> PlacementIndex<B> {
    /// The numbering of `material` as it stands: White's army is the first one, in canonical
    /// orientation or not.
    ///
    /// # Errors
    /// [`IndexError`] if a side has no pieces, if the pieces do not fit the board, or if there are
    /// more than `u64` placements.
    pub fn new(material: Material) -> Result<Self, IndexError> {
        if !material.both_sides() {
            return Err(IndexError::NoPieces { material });
        }
        check_room::<B>(material)?;
        let len = placements::<B>(material)
            .and_then(|count| u64::try_from(count).ok())
            .ok_or(IndexError::TooManyPlacements { material })?;
        // From here on nothing overflows: every product below is a factor or a part of `len`.
        let free = B::SQUARES - material.men();
        let white_kings = material.white.kings.into();
        let black_kings = binomial(free - white_kings, material.black.kings.into());
        let (groups, used) = Self::groups(material);
        let inner = binomial(free, white_kings) * black_kings;
        Ok(Self {
            steps: Steps::new::<B>(material, &groups[..used], [inner, black_kings]),
            material,
            len,
            inner,
            black_kings,
            groups,
            used,
            board: PhantomData,
        })
    }

    /// The groups of a class that fits, and how many of them are in use.
    fn groups(material: Material) -> ([Group; MAX_GROUPS], usize) {
        let white_men = u32::from(material.white.men);
        let room = B::SQUARES - B::PER_ROW;
        let used = white_men.min(B::PER_ROW) + 1;
        let mut groups = [Group::default(); MAX_GROUPS];
        let mut start = 0;
        for (bottom, group) in (0..used).zip(&mut groups) {
            let middle_men = white_men - bottom;
            let middle = binomial(room - B::PER_ROW, middle_men);
            let black = binomial(room.saturating_sub(middle_men), material.black.men.into());
            *group = Group {
                start,
                middle,
                black,
            };
            // An impossible group may pair a saturated count with a zero, so multiply that first.
            start += binomial(B::PER_ROW, bottom) * black * middle;
        }
        (groups, used as usize)
    }

    /// The class.
    #[must_use]
    pub fn material(&self) -> Material {
        self.material
    }

    /// The number of placements, at least 1. The side to move is not counted.
    #[must_use]
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(&self) -> u64 {
        self.len
    }

    /// The number of placements of the kings for one placement of the men, at least 1.
    ///
    /// `index / inner()` numbers the men, `index % inner()` the kings.
    #[must_use]
    pub fn inner(&self) -> u64 {
        self.inner
    }

    /// The number of placements of the men alone, at least 1: `len() / inner()`.
    #[must_use]
    pub fn outer(&self) -> u64 {
        self.len / self.inner
    }

    /// The number of a placement, `0..len()`. The side to move is ignored.
    ///
    /// The position must be of this [`material`](Self::material); for another one the result is
    /// meaningless, or this panics (debug builds always do).
    #[inline(always)]
    #[must_use]
    pub fn index(&self, position: &Position<B>) -> u64 {
        debug_assert_eq!(Material::of(position), self.material);
        if B::SQUARES <= HALF {
            return self.steps.index(position, false);
        }
        let white_men = position.men(Color::White);
        let black_men = position.men(Color::Black);
        let men = white_men | black_men;
        let white_kings = position.kings(Color::White);
        let black_kings = position.kings(Color::Black);
        let white_rank = rank_among::<B>(white_kings, men);
        let black_rank = rank_among::<B>(black_kings, men | white_kings);
        self.men_index(white_men, black_men) * self.inner
            + white_rank * self.black_kings
            + black_rank
    }

    /// The number of a placement, or where `flip` of the [flipped](Position::flip) one, which must be of this
    /// [`material`](Self::material). For positions of any class in any order it is quicker than to flip the
    /// position first.
    #[inline(always)]
    #[must_use]
    pub fn index_flipped(&self, position: &Position<B>, flip: bool) -> u64 {
        if B::SQUARES <= HALF {
            return self.steps.index(position, flip);
        }
        self.index(&if flip { position.flip() } else { *position })
    }

    /// The number of a placement of the men alone, `0..outer()`.
    ///
    /// The placements of the kings among these men are numbered from `men_index * inner()` on. The men
    /// must be those of this [`material`](Self::material), each where it may stand; for other sets the
    /// result is meaningless.
    ///
    /// ```
    /// use makhos_index::PlacementIndex;
    /// use makhos_rules::Board;
    ///
    /// let material = "1m1k-1m".parse().expect("well-formed");
    /// let index = PlacementIndex::<u32>::new(material).expect("fits the board");
    /// let (white, black) = (u32::bit(29), u32::bit(3));
    /// assert_eq!(index.men_index(white, black), 679);
    /// assert_eq!(index.men(679), (white, black));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn men_index(&self, white: B, black: B) -> u64 {
        debug_assert_eq!(white.len(), self.material.white.men.into());
        debug_assert_eq!(black.len(), self.material.black.men.into());
        let bottom = white & B::BOTTOM_ROW;
        let middle = white & !B::BOTTOM_ROW;
        let group = &self.groups[bottom.len() as usize];
        let bottom_rank = rank_from::<B>(bottom, B::SQUARES - B::PER_ROW);
        let middle_rank = rank_from::<B>(middle, B::PER_ROW);
        let black_rank = rank_among::<B>(black, middle);
        group.start + (bottom_rank * group.middle + middle_rank) * group.black + black_rank
    }

    /// The placement with this number, with `side` to move.
    ///
    /// # Panics
    /// If `index` is not less than [`len`](Self::len).
    #[inline]
    #[must_use]
    pub fn position(&self, index: u64, side: Color) -> Position<B> {
        assert!(index < self.len, "placement number beyond the class");
        let men_index = index / self.inner;
        let kings_index = index % self.inner;
        let (white_men, black_men) = self.unrank_men(men_index);
        let free = B::SQUARES - self.material.men();
        let men = white_men | black_men;
        let white_kings = unrank_among(
            kings_index / self.black_kings,
            free,
            self.material.white.kings,
            men,
        );
        let black_kings = unrank_among(
            kings_index % self.black_kings,
            free - u32::from(self.material.white.kings),
            self.material.black.kings,
            men | white_kings,
        );
        Position::new(white_men, white_kings, black_men, black_kings, side)
            .expect("ranks only ever give free squares outside the promotion row")
    }

    /// White's and Black's men with this number, the inverse of [`men_index`](Self::men_index).
    ///
    /// # Panics
    /// If `men_index` is not less than [`outer`](Self::outer).
    #[inline]
    #[must_use]
    pub fn men(&self, men_index: u64) -> (B, B) {
        assert!(
            men_index < self.outer(),
            "number of the men beyond the class"
        );
        self.unrank_men(men_index)
    }

    /// [`men`](Self::men) of a number that is known to be below [`outer`](Self::outer).
    #[inline]
    fn unrank_men(&self, men_index: u64) -> (B, B) {
        // The last group that starts at or before the number; empty groups start where the next does.
        let mut bottom_men = self.used - 1;
        while self.groups[bottom_men].start > men_index {
            bottom_men -= 1;
        }
        let group = &self.groups[bottom_men];
        let number = men_index - group.start;
        let white_number = number / group.black;
        let bottom_men = bottom_men as u8;
        let middle_men = self.material.white.men - bottom_men;
        let room = B::SQUARES - B::PER_ROW;
        let bottom = unrank_from::<B>(white_number / group.middle, B::PER_ROW, bottom_men, room);
        let middle = unrank_from::<B>(
            white_number % group.middle,
            room - B::PER_ROW,
            middle_men,
            B::PER_ROW,
        );
        let black = unrank_among(
            number % group.black,
            room - u32::from(middle_men),
            self.material.black.men,
            middle,
        );
        (bottom | middle, black)
    }
}

/// The rank of a set, its squares counted from `first`.
#[inline(always)]
fn rank_from<B: Board>(set: B, first: u32) -> u64 {
    rank(set.squares().map(|square| square as u32 - first))
}

/// The rank of a set, its squares counted without the squares of `taken`.
#[inline(always)]
fn rank_among<B: Board>(set: B, taken: B) -> u64 {
    rank(set.squares().map(|square| {
        let below = taken & !(B::ALL << square as u32);
        square as u32 - below.len()
    }))
}

/// The set of `size` of the `bound` squares from `first` on that has this rank.
#[inline(always)]
fn unrank_from<B: Board>(rank: u64, bound: u32, size: u8, first: u32) -> B {
    let mut set = B::EMPTY;
    unrank(rank, bound, size.into(), |square| {
        set |= B::bit((square + first) as usize);
    });
    set
}

/// The set of `size` of the first `bound` squares outside `taken` that has this rank.
#[inline(always)]
fn unrank_among<B: Board>(rank: u64, bound: u32, size: u8, taken: B) -> B {
    let mut set = B::EMPTY;
    unrank(rank, bound, size.into(), |compressed| {
        let mut square = compressed as usize;
        for other in taken.squares() {
            if other > square {
                break;
            }
            square += 1;
        }
        set |= B::bit(square);
    });
    set
}

//! Sets of placements of the inner kings, as the capture search carries them.
//!
//! The search walks over the pieces whose squares are known and carries along for which placements of
//! the inner kings its path exists. On the way down that is always a product: a set of squares for each
//! inner king. What comes back, where a chain can go on, is any set: a [`Grid`] or a word.
//!
//! *Own* is the side to move, *foe* the other one.

use makhos_rules::Board;

use super::record::Record;

/// Any set of placements of the inner kings.
pub(crate) trait Set<B: Board>: Copy {
    /// Words that the set takes in memory.
    const LEN: usize;

    /// No placement.
    fn empty() -> Self;
    /// Placements in either set.
    fn or(&self, other: &Self) -> Self;
    /// Placements in both sets.
    fn and(&self, other: &Self) -> Self;
    /// Placements in this set that are not in the other.
    fn and_not(&self, other: &Self) -> Self;
    /// Placements of the set without an inner king on `square`.
    fn without(&self, square: usize) -> Self;
    /// The number of placements.
    fn len(&self) -> u64;
    /// Reads the set from [`LEN`](Self::LEN) words.
    fn load(words: &[B]) -> Self;
    /// Writes the set to [`LEN`](Self::LEN) words.
    fn store(&self, words: &mut [B]);
}

/// A product of sets of squares, one for each inner king that is still on the board.
pub(crate) trait Product<B: Board, const N: usize>: Copy {
    /// Any set of the same placements.
    type Set: super::outcome::Merge<B>;
    /// What remains once the foe's inner king is taken.
    type Taken: Record<B, N>;
    /// Whether the foe has an inner king.
    const FOE: bool;
    /// Whether the side to move has an inner king.
    const OWN: bool;
    /// Whether the side with inner kings has two of them, and the other side none.
    const PAIR: bool = false;

    /// Whether no placement is in the set.
    fn is_empty(&self) -> bool;
    /// Takes out the placements with an inner king on `square`.
    fn clear(&mut self, square: usize);
    /// The same for all squares of a set.
    fn clear_all(&mut self, squares: B);
    /// The placements with the foe's inner king on `square`.
    fn foe_on(&self, square: usize) -> Self::Taken;
    /// The same placements.
    fn set(&self) -> Self::Set;
    /// Adds the placements of `taken` with the foe's inner king on `square`.
    fn add_taken(set: &mut Self::Set, square: usize, taken: &<Self::Taken as Product<B, N>>::Set);
}

/// Both inner kings: any set. Row `x` holds the squares of Black's with White's on `x`.
#[derive(Clone, Copy)]
pub(crate) struct Grid<B, const N: usize>(pub(crate) [B; N]);

impl<B: Board, const N: usize> Grid<B, N> {
    /// The rows, each combined with the row of `other`.
    #[inline(always)]
    fn zip(&self, other: &Self, each: impl Fn(B, B) -> B) -> Self {
        let mut rows = [B::EMPTY; N];
        for ((row, &a), &b) in rows.iter_mut().zip(&self.0).zip(&other.0) {
            *row = each(a, b);
        }
        Self(rows)
    }

    /// Adds placements with White's inner king on `square`.
    #[inline(always)]
    pub(crate) fn add_row(&mut self, square: usize, row: B) {
        self.0[square] |= row;
    }

    /// Adds placements with Black's inner king on `square`.
    #[inline(always)]
    pub(crate) fn add_column(&mut self, square: usize, column: B) {
        let bit = B::bit(square);
        for (row, &own) in self.0.iter_mut().zip(bits::<B, N>()) {
            *row |= all_if::<B>(!(column & own).is_empty()) & bit;
        }
    }
}

/// The sets of single squares; empty beyond the board.
#[inline(always)]
pub(crate) fn bits<B: Board, const N: usize>() -> &'static [B; N] {
    const {
        assert!(N <= makhos_rules::board::MAX_SQUARES);
    }
    B::single_squares()
        .first_chunk()
        .expect("N rows are at most the squares of the largest board")
}

/// All squares or none.
#[inline(always)]
pub(crate) fn all_if<B: Board>(yes: bool) -> B {
    if yes { B::ALL } else { B::EMPTY }
}

impl<B: Board, const N: usize> Set<B> for Grid<B, N> {
    const LEN: usize = N;

    #[inline(always)]
    fn empty() -> Self {
        Self([B::EMPTY; N])
    }
    #[inline(always)]
    fn or(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
    #[inline(always)]
    fn and(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
    #[inline(always)]
    fn and_not(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }
    #[inline(always)]
    fn without(&self, square: usize) -> Self {
        let keep = !B::bit(square);
        let mut rows = self.0;
        for row in &mut rows {
            *row &= keep;
        }
        rows[square] = B::EMPTY;
        Self(rows)
    }
    #[inline(always)]
    fn len(&self) -> u64 {
        self.0.iter().map(|row| u64::from(row.len())).sum()
    }
    #[inline(always)]
    fn load(words: &[B]) -> Self {
        Self(*words.first_chunk().expect("a block has N rows"))
    }
    #[inline(always)]
    fn store(&self, words: &mut [B]) {
        words[..N].copy_from_slice(&self.0);
    }
}

/// Both inner kings: White's on `white`, Black's on `black`, not on the same square.
#[derive(Clone, Copy)]
pub(crate) struct Both<B, const N: usize, const WHITE: bool> {
    /// Squares of White's inner king.
    pub(crate) white: B,
    /// Squares of Black's inner king.
    pub(crate) black: B,
}

impl<B: Board, const N: usize, const WHITE: bool> Both<B, N, WHITE> {
    /// Row `x` of the set.
    #[inline(always)]
    pub(crate) fn row(&self, bit: B) -> B {
        all_if::<B>(!(self.white & bit).is_empty()) & self.black & !bit
    }
}

impl<B: Board, const N: usize, const WHITE: bool> Product<B, N> for Both<B, N, WHITE> {
    type Set = Grid<B, N>;
    type Taken = Own<B>;
    const FOE: bool = true;
    const OWN: bool = true;

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.white.is_empty() || self.black.is_empty()
    }
    #[inline(always)]
    fn clear(&mut self, square: usize) {
        let keep = !B::bit(square);
        self.white &= keep;
        self.black &= keep;
    }
    #[inline(always)]
    fn clear_all(&mut self, squares: B) {
        self.white &= !squares;
        self.black &= !squares;
    }
    #[inline(always)]
    fn foe_on(&self, square: usize) -> Own<B> {
        let (own, foe) = if WHITE {
            (self.white, self.black)
        } else {
            (self.black, self.white)
        };
        let bit = B::bit(square);
        Own(all_if::<B>(!(foe & bit).is_empty()) & own & !bit)
    }
    #[inline(always)]
    fn set(&self) -> Grid<B, N> {
        let mut rows = [B::EMPTY; N];
        for (row, &bit) in rows.iter_mut().zip(bits::<B, N>()) {
            *row = self.row(bit);
        }
        Grid(rows)
    }
    #[inline(always)]
    fn add_taken(set: &mut Grid<B, N>, square: usize, taken: &Own<B>) {
        if WHITE {
            set.add_column(square, taken.0);
        } else {
            set.add_row(square, taken.0);
        }
    }
}

/// The inner king of the side to move; the foe has none, or it is taken.
#[derive(Clone, Copy)]
pub(crate) struct Own<B>(pub(crate) B);

/// The foe's inner king; that of the side to move is a piece on a known square, or there is none.
#[derive(Clone, Copy)]
pub(crate) struct Foe<B>(pub(crate) B);

/// No inner king: the one placement there is, as the lowest bit.
#[derive(Clone, Copy)]
pub(crate) struct Known<B>(pub(crate) B);

/// No inner king, but the foe's was taken on one of the squares of `set` before: the placements there
/// were, by that square.
#[derive(Clone, Copy)]
pub(crate) struct Gone<B> {
    pub(crate) set: B,
    /// All squares if the taken king blocks the way until the end of the move, otherwise none.
    pub(crate) blocks: B,
}

macro_rules! word_set {
    ($name:ident, $keep:expr) => {
        impl<B: Board> Set<B> for $name<B> {
            const LEN: usize = 1;

            #[inline(always)]
            fn empty() -> Self {
                Self(B::EMPTY)
            }
            #[inline(always)]
            fn or(&self, other: &Self) -> Self {
                Self(self.0 | other.0)
            }
            #[inline(always)]
            fn and(&self, other: &Self) -> Self {
                Self(self.0 & other.0)
            }
            #[inline(always)]
            fn and_not(&self, other: &Self) -> Self {
                Self(self.0 & !other.0)
            }
            #[inline(always)]
            fn without(&self, square: usize) -> Self {
                Self(self.0 & $keep(square))
            }
            #[inline(always)]
            fn len(&self) -> u64 {
                self.0.len().into()
            }
            #[inline(always)]
            fn load(words: &[B]) -> Self {
                Self(words[0])
            }
            #[inline(always)]
            fn store(&self, words: &mut [B]) {
                words[0] = self.0;
            }
        }
    };
}

super::outcome::merge_word!(Own);
super::outcome::merge_word!(Foe);
super::outcome::merge_word!(Known);

word_set!(Own, |square| !B::bit(square));
word_set!(Foe, |square| !B::bit(square));
word_set!(Known, |_| !B::EMPTY);

/// What sets of squares of one inner king have in common as products.
macro_rules! one_king {
    () => {
        #[inline(always)]
        fn is_empty(&self) -> bool {
            self.0.is_empty()
        }
        #[inline(always)]
        fn clear(&mut self, square: usize) {
            self.0 &= !B::bit(square);
        }
        #[inline(always)]
        fn clear_all(&mut self, squares: B) {
            self.0 &= !squares;
        }
        #[inline(always)]
        fn set(&self) -> Self {
            *self
        }
    };
}

impl<B: Board, const N: usize> Product<B, N> for Own<B> {
    type Set = Self;
    type Taken = Self;
    const FOE: bool = false;
    const OWN: bool = true;

    one_king!();

    #[inline(always)]
    fn foe_on(&self, _: usize) -> Self {
        Self(B::EMPTY)
    }
    #[inline(always)]
    fn add_taken(_: &mut Self, _: usize, _: &Self) {}
}

impl<B: Board, const N: usize> Product<B, N> for Foe<B> {
    type Set = Self;
    type Taken = Known<B>;
    const FOE: bool = true;
    const OWN: bool = false;

    one_king!();

    #[inline(always)]
    fn foe_on(&self, square: usize) -> Known<B> {
        let there = !(self.0 & B::bit(square)).is_empty();
        Known(all_if::<B>(there) & B::bit(0))
    }
    #[inline(always)]
    fn add_taken(set: &mut Self, square: usize, taken: &Known<B>) {
        set.0 |= all_if::<B>(!taken.0.is_empty()) & B::bit(square);
    }
}

impl<B: Board, const N: usize> Product<B, N> for Known<B> {
    type Set = Self;
    type Taken = Self;
    const FOE: bool = false;
    const OWN: bool = false;

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    #[inline(always)]
    fn clear(&mut self, _: usize) {}
    #[inline(always)]
    fn clear_all(&mut self, _: B) {}
    #[inline(always)]
    fn foe_on(&self, _: usize) -> Self {
        Self(B::EMPTY)
    }
    #[inline(always)]
    fn set(&self) -> Self {
        *self
    }
    #[inline(always)]
    fn add_taken(_: &mut Self, _: usize, _: &Self) {}
}

impl<B: Board, const N: usize> Product<B, N> for Gone<B> {
    type Set = Foe<B>;
    type Taken = Self;
    const FOE: bool = false;
    const OWN: bool = false;

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.set.is_empty()
    }
    #[inline(always)]
    fn clear(&mut self, square: usize) {
        self.set &= !(B::bit(square) & self.blocks);
    }
    #[inline(always)]
    fn clear_all(&mut self, squares: B) {
        self.set &= !(squares & self.blocks);
    }
    #[inline(always)]
    fn foe_on(&self, _: usize) -> Self {
        Self {
            set: B::EMPTY,
            blocks: self.blocks,
        }
    }
    #[inline(always)]
    fn set(&self) -> Foe<B> {
        Foe(self.set)
    }
    #[inline(always)]
    fn add_taken(_: &mut Foe<B>, _: usize, _: &Foe<B>) {}
}

/// Two inner kings of one side, the other side having none: different squares of `set`. As a [`Grid`]
/// every placement is there twice, either king being that of the row.
#[derive(Clone, Copy)]
pub(crate) struct Pair<B, const N: usize, const OWN: bool> {
    pub(crate) set: B,
}

impl<B: Board, const N: usize, const OWN: bool> Pair<B, N, OWN> {
    /// Row `x` of the set.
    #[inline(always)]
    pub(crate) fn row(&self, bit: B) -> B {
        all_if::<B>(!(self.set & bit).is_empty()) & self.set & !bit
    }
}

impl<B: Board, const N: usize, const OWN: bool> Product<B, N> for Pair<B, N, OWN> {
    type Set = Grid<B, N>;
    type Taken = Foe<B>;
    const FOE: bool = !OWN;
    const OWN: bool = OWN;
    const PAIR: bool = true;

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.set.without_lowest().is_empty()
    }
    #[inline(always)]
    fn clear(&mut self, square: usize) {
        self.set &= !B::bit(square);
    }
    #[inline(always)]
    fn clear_all(&mut self, squares: B) {
        self.set &= !squares;
    }
    #[inline(always)]
    fn foe_on(&self, square: usize) -> Foe<B> {
        let bit = B::bit(square);
        Foe(all_if::<B>(!OWN && !(self.set & bit).is_empty()) & self.set & !bit)
    }
    #[inline(always)]
    fn set(&self) -> Grid<B, N> {
        let mut rows = [B::EMPTY; N];
        for (row, &bit) in rows.iter_mut().zip(bits::<B, N>()) {
            *row = self.row(bit);
        }
        Grid(rows)
    }
    #[inline(always)]
    fn add_taken(set: &mut Grid<B, N>, square: usize, taken: &Foe<B>) {
        set.add_row(square, taken.0);
        set.add_column(square, taken.0);
    }
}

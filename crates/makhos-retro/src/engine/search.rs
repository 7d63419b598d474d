//! The capture search: chains of one piece, for all placements of the inner kings at once.
//!
//! The capturing piece stands on a known square; the search carries the [`Product`] of placements for
//! which its path exists. A square that must be empty takes the placements with an inner king there
//! out; a jump over a square where the foe's inner king may be keeps only those with it there, and goes
//! on with one unknown piece less. The rules enter where they do in the move generator of
//! `makhos-rules`: directions, landing squares, promotion, removal of captured pieces and precedence.

use makhos_rules::board::Geometry;
use makhos_rules::rules::{KingRange, Precedence, Promotion, Removal};
use makhos_rules::{Board, Direction, RuleSet};

use super::ends::Ends;
use super::isa::{Isa, Task};
use super::lines::{Lines, step};
use super::lookup::{Lookup, Pieces, Place, number};
use super::mask::{Gone, Product, Set};
use super::record::{End, Record};
use super::target::Target;

/// A chain so far.
#[derive(Clone, Copy)]
pub(crate) struct Path<B> {
    /// All pieces captured, the foe's inner king among them.
    pub(crate) captured: B,
    /// Where the foe's inner kings were taken, the last one first.
    pub(crate) taken: [Option<usize>; 2],
    /// Whether it was taken on a square that only the mask knows.
    pub(crate) taken_first: bool,
    /// Kings among the captured pieces, the first piece most significant; kept for Italian precedence.
    pub(crate) order: u64,
}

impl<B: Board> Path<B> {
    pub(crate) fn start() -> Self {
        Self {
            captured: B::EMPTY,
            taken: [None; 2],
            taken_first: false,
            order: 0,
        }
    }

    /// The foe's inner king was taken, nothing else.
    pub(crate) fn inner_taken() -> Self {
        Self {
            taken_first: true,
            order: 1,
            ..Self::start()
        }
    }

    /// How many inner kings of the foe were taken.
    #[inline(always)]
    fn inner_kings(&self) -> u64 {
        let [last, before] = self.taken;
        u64::from(self.taken_first) + u64::from(last.is_some()) + u64::from(before.is_some())
    }

    /// The number of captured pieces.
    #[inline(always)]
    fn pieces(&self) -> u64 {
        u64::from(self.captured.len()) + u64::from(self.taken_first)
    }
}

/// Searches the chains of one piece after the other in the positions of one block.
pub(crate) struct Search<'s, 'a, B: Board, const N: usize, const P: usize, I> {
    pub(crate) isa: I,
    /// Whether White is to move.
    pub(crate) white: bool,
    pub(crate) rules: &'s RuleSet,
    pub(crate) lines: &'s Lines<B>,
    pub(crate) geometry: &'static Geometry<B>,
    pub(crate) lookup: &'s mut Lookup<'a, B>,
    pub(crate) ends: &'s mut Ends<B, N, P>,
    /// All pieces on known squares but the capturing one.
    pub(crate) rest: Pieces<B>,
    /// Squares without a piece on a known square; the start of the capturing piece is empty.
    pub(crate) empty: B,
    /// Foes on known squares.
    pub(crate) foes: B,
    pub(crate) foe_kings: B,
    /// At least all squares from which a foe on a known square could be captured.
    pub(crate) targets_from: B,
    pub(crate) starts_as_king: bool,
}

/// At least all squares of `empty` from which one of these foes could be captured: by a man, and by any piece.
#[inline(always)]
pub(crate) fn aim<B: Board>(rules: &RuleSet, lines: &Lines<B>, foes: B, empty: B) -> [B; 2] {
    let mut from = [B::EMPTY; 2];
    for direction in Direction::ALL {
        let back = direction.opposite();
        let victims = foes & step(empty, back);
        from[0] |= step(victims, back);
        if rules.king_range == KingRange::Flying {
            from[1] |= lines.slide(victims, empty, back);
        }
    }
    let [near, far] = from.map(|set| set & empty);
    [near, near | far]
}

impl<B: Board, const N: usize, const P: usize, I: Isa> Search<'_, '_, B, N, P, I> {
    /// All chains of the piece on `square`. Returns for which placements there is one.
    #[inline(always)]
    pub(crate) fn chains<M: Record<B, N>>(
        &mut self,
        square: usize,
        king: bool,
        mask: &M,
    ) -> M::Set {
        let path = Path::start();
        if king && self.rules.king_range == KingRange::Flying {
            self.fly::<M>(square, None, mask, &path)
        } else {
            self.steps::<M>(square, king, mask, &path)
        }
    }

    /// The chains that go on from `landing` after the inner king has taken the foe's on one of the squares
    /// `victims`, as words by that square. Returns for which there are any.
    #[inline(always)]
    pub(crate) fn go_on(&mut self, landing: usize, victims: B) -> B {
        let blocks = match self.rules.removal {
            Removal::AtEnd => B::ALL,
            Removal::AtOnce => B::EMPTY,
        };
        let mask = Gone {
            set: victims,
            blocks,
        };
        let path = Path::inner_taken();
        if self.rules.king_range == KingRange::Short {
            return self.steps::<Gone<B>>(landing, true, &mask, &path).0;
        }
        let mut any = B::EMPTY;
        for direction in Direction::ALL {
            let mut here = mask;
            if !self.rules.uturn {
                here.set &= !self.geometry.ray[landing][direction as usize];
            }
            any |= self.ray::<Gone<B>>(landing, direction, &here, &path).0;
        }
        any
    }

    /// Squares that may be crossed or stopped on.
    #[inline(always)]
    pub(super) fn passable(&self, path: &Path<B>) -> B {
        match self.rules.removal {
            Removal::AtEnd => self.empty & !path.captured,
            Removal::AtOnce => self.empty | path.captured,
        }
    }

    /// Whether a chain can possibly go on from one of `squares`.
    #[inline(always)]
    pub(super) fn may_go_on<M: Product<B, N>>(&self, squares: B, path: &Path<B>) -> bool {
        // Pieces lifted in mid-chain open lines that `targets_from` does not know.
        M::FOE
            || !(self.targets_from & squares).is_empty()
            || (self.rules.removal == Removal::AtOnce && !(path.captured & self.foes).is_empty())
    }

    /// The path with one more captured piece.
    #[inline(always)]
    pub(super) fn after(&self, path: &Path<B>, victim: B, taken: Option<usize>) -> Path<B> {
        let king = taken.is_some() || !(victim & self.foe_kings).is_empty();
        Path {
            captured: path.captured | victim,
            taken: match taken {
                None => path.taken,
                Some(_) => [taken, path.taken[0]],
            },
            taken_first: path.taken_first,
            order: match self.rules.precedence {
                Precedence::Italian => (path.order << 1) | u64::from(king),
                _ => 0,
            },
        }
    }

    /// Captures of a man or short king from `square`.
    #[inline(always)]
    pub(super) fn steps<M: Record<B, N>>(
        &mut self,
        square: usize,
        king: bool,
        mask: &M,
        path: &Path<B>,
    ) -> M::Set {
        let mut any = M::Set::empty();
        if !self.may_go_on::<M>(B::bit(square), path) {
            return any;
        }
        let directions: &[Direction] = match (king || self.rules.man_captures_backward, self.white)
        {
            (true, _) => &Direction::ALL,
            (false, true) => &[Direction::UpLeft, Direction::UpRight],
            (false, false) => &[Direction::DownLeft, Direction::DownRight],
        };
        let takes_kings = king || self.rules.man_captures_king;
        let passable = self.passable(path);
        let mut foes = self.foes & !path.captured;
        if !takes_kings {
            foes &= !self.foe_kings;
        }
        for &direction in directions {
            let landing = self.geometry.jump[square][direction as usize] & passable;
            if landing.is_empty() {
                continue;
            }
            let victim = self.geometry.step[square][direction as usize];
            let to = landing.lowest();
            if !(victim & foes).is_empty() {
                let mut here = *mask;
                here.clear(to);
                if !here.is_empty() {
                    any = any.or(&here.set());
                    let path = self.after(path, victim, None);
                    self.stepped::<M>(to, direction, king, &here, &path);
                }
            } else if M::FOE && takes_kings && !(victim & passable).is_empty() {
                let victim_square = victim.lowest();
                let mut here = mask.foe_on(victim_square);
                here.clear(to);
                if !here.is_empty() {
                    M::add_taken(&mut any, victim_square, &here.set());
                    let path = self.after(path, victim, Some(victim_square));
                    self.stepped::<M::Taken>(to, direction, king, &here, &path);
                }
            }
        }
        any
    }

    /// A man or short king has landed on `square`.
    pub(crate) fn stepped<M: Record<B, N>>(
        &mut self,
        square: usize,
        came: Direction,
        king: bool,
        mask: &M,
        path: &Path<B>,
    ) {
        let isa = self.isa;
        isa.run(Stepped {
            search: self,
            square,
            came,
            king,
            mask,
            path,
        });
    }

    #[inline(always)]
    fn stepped_here<M: Record<B, N>>(
        &mut self,
        square: usize,
        came: Direction,
        king: bool,
        mask: &M,
        path: &Path<B>,
    ) {
        let crowned = !king && B::promotion_row(self.white).contains(square);
        let on = match (crowned, self.rules.promotion) {
            (false, _) => self.steps::<M>(square, king, mask, path),
            (true, Promotion::Stop) => M::Set::empty(),
            (true, Promotion::Pass) => self.steps::<M>(square, false, mask, path),
            (true, Promotion::Continue) => match self.rules.king_range {
                KingRange::Short => self.steps::<M>(square, true, mask, path),
                KingRange::Flying => self.fly::<M>(square, Some(came), mask, path),
            },
        };
        self.finish::<M>(square, king || crowned, mask, &on, path);
    }

    /// The chain ends on `to` for the placements of `mask` that are not in `on`.
    #[inline(always)]
    pub(super) fn finish<M: Record<B, N>>(
        &mut self,
        to: usize,
        king: bool,
        mask: &M,
        on: &M::Set,
        path: &Path<B>,
    ) {
        let place = self.place::<M>(to, king, path);
        let end = self.end(path);
        let target = match place {
            None => Target::Over,
            Some(place) => Target::Words(self.lookup.words::<P>(place)),
        };
        M::record(self.ends, &end, mask, on, &target);
    }

    /// The words at a place.
    #[inline(always)]
    pub(super) fn target(&self, place: Option<Place>) -> Target<'_, B, P> {
        match place {
            None => Target::Over,
            Some(place) => Target::Words(self.lookup.words::<P>(place)),
        }
    }

    /// Where the position after the chain is looked up; `None` if the foe has no pieces left.
    #[inline(always)]
    pub(super) fn place<M: Record<B, N>>(
        &mut self,
        to: usize,
        king: bool,
        path: &Path<B>,
    ) -> Option<Place> {
        let (own, foe) = (number(self.white), number(!self.white));
        let mut pieces = self.rest;
        if king {
            pieces.kings[own] |= B::bit(to);
        } else {
            pieces.men[own] |= B::bit(to);
        }
        pieces.men[foe] &= !path.captured;
        pieces.kings[foe] &= !path.captured;
        if !M::FOE && (pieces.men[foe] | pieces.kings[foe]).is_empty() {
            return None;
        }
        Some(self.lookup.find::<I, M, N>(self.isa, &pieces, self.white))
    }

    /// What kind of chain has ended.
    #[inline(always)]
    pub(super) fn end(&self, path: &Path<B>) -> End {
        End {
            white: self.white,
            precedence: self.precedence(path),
            taken: path.taken,
        }
    }

    /// How strongly the rules ask for this chain; see the move generator of `makhos-rules`.
    #[inline(always)]
    pub(crate) fn precedence(&self, path: &Path<B>) -> u64 {
        let kings = || {
            let known = (path.captured & self.foe_kings).len();
            u64::from(known) + path.inner_kings()
        };
        match self.rules.precedence {
            Precedence::Free => 0,
            Precedence::KingFirst => u64::from(self.starts_as_king),
            Precedence::MostPieces => path.pieces(),
            Precedence::MostPiecesThenKings => (path.pieces() << 8) | kings(),
            Precedence::Italian => {
                (path.pieces() << 56)
                    | (u64::from(self.starts_as_king) << 55)
                    | (kings() << 48)
                    | (path.order & ((1 << 48) - 1))
            }
        }
    }
}

/// A man or short king has landed.
struct Stepped<'x, 's, 'a, B: Board, const N: usize, const P: usize, I, M> {
    search: &'x mut Search<'s, 'a, B, N, P, I>,
    square: usize,
    came: Direction,
    king: bool,
    mask: &'x M,
    path: &'x Path<B>,
}

impl<B: Board, const N: usize, const P: usize, I: Isa, M: Record<B, N>> Task
    for Stepped<'_, '_, '_, B, N, P, I, M>
{
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.search
            .stepped_here::<M>(self.square, self.came, self.king, self.mask, self.path);
    }
}

//! The capture search where only men take and are taken, for all sets of Black's men at once.
//!
//! White's men stand still. With White to move the chains of one of them are followed through squares
//! where Black's men may be: a captured man is one of the set, so the search goes on with the sets of
//! one man less. With Black to move one of Black's men captures, and what varies are its companions.
//! The rules enter where they do in [`crate::engine::search`]. A man that goes on as a king is not
//! followed: such positions are in doubt, and looked at one by one.

use makhos_index::{Army, Material};
use makhos_rules::board::Geometry;
use makhos_rules::rules::{KingRange, Promotion, Removal};
use makhos_rules::{Board, Color, Direction, RuleSet};

use super::found::Found;
use super::rows::Rows;
use super::sets::{BlackSets, white_rank};
use crate::engine::isa::{Isa, Task};
use crate::engine::subs::Subs;
use crate::error::GenerateError;

/// What the moves of one side lead to.
#[derive(Debug)]
pub(super) struct Targets {
    /// Only men are left, by the number of the foe's men, from one man on.
    men: Vec<Rows>,
    /// The same, one of the side's men having become a king.
    promoted: Vec<Rows>,
}

impl Targets {
    /// Reads what moves of White's or Black's men lead to in the class with so many men.
    pub(super) fn read<I: Isa, B: Board>(
        isa: I,
        subs: &Subs<B>,
        class: Material,
        color: Color,
    ) -> Result<Self, GenerateError> {
        let (own, foe) = (class.army(color).men, class.army(color.opponent()).men);
        let read = |own, left| {
            let left = Army::new(left, 0);
            let class = match color {
                Color::White => Material::new(own, left),
                Color::Black => Material::new(left, own),
            };
            Rows::read(isa, subs, class, color.opponent())
        };
        let men = (1..foe).map(|left| read(Army::new(own, 0), left));
        let promoted = (1..=foe).map(|left| read(Army::new(own - 1, 1), left));
        Ok(Self {
            men: men.collect::<Result<_, _>>()?,
            promoted: promoted.collect::<Result<_, _>>()?,
        })
    }

    /// Bytes of what [`read`](Self::read) gives, for so many men.
    pub(super) fn bytes<B: Board>(class: Material, color: Color) -> u64 {
        let (own, foe) = (class.army(color).men, class.army(color.opponent()).men);
        let rows = |own: u8, left: u8, king| {
            let (white, black) = match color {
                Color::White => (own, left),
                Color::Black => (left, own),
            };
            Rows::bytes::<B>(white.into(), black.into(), king)
        };
        let men = (1..foe).map(|left| rows(own, left, false));
        let promoted = (1..=foe).map(|left| rows(own - 1, left, true));
        men.chain(promoted).fold(0, u64::saturating_add)
    }

    /// The positions in which the foe has so many men left, and the side men only.
    #[inline(always)]
    pub(super) fn men(&self, left: usize) -> &Rows {
        &self.men[left - 1]
    }

    /// The positions in which one of the side's men has become a king.
    #[inline(always)]
    pub(super) fn promoted(&self, left: usize) -> &Rows {
        &self.promoted[left - 1]
    }
}

/// Vectors that are used again.
#[derive(Debug, Default)]
pub(super) struct Spare {
    found: Vec<Found>,
    planes: [Vec<u64>; 2],
}

impl Spare {
    /// Keeps vectors for the next search.
    #[inline(always)]
    pub(super) fn keep(&mut self, found: Found) {
        self.found.push(found);
    }
}

/// Searches the captures of men.
pub(super) struct Chains<'a, B: Board, I> {
    pub(super) isa: I,
    pub(super) rules: &'a RuleSet,
    /// Whether captures of more pieces come first.
    pub(super) counts: bool,
    pub(super) sets: &'a BlackSets,
    pub(super) targets: &'a Targets,
    pub(super) geometry: &'static Geometry<B>,
    /// White's men without the capturing one.
    pub(super) white: B,
    /// How many men Black has without the capturing one.
    pub(super) black: usize,
    pub(super) spare: &'a mut Spare,
}

impl<B: Board, I: Isa> Chains<'_, B, I> {
    /// Nothing, for the sets of so many men with captures of up to so many pieces.
    #[inline(always)]
    pub(super) fn empty_found(&mut self, men: usize, most: u32) -> Found {
        let mut found = self.spare.found.pop().unwrap_or_default();
        let most = if self.counts { most as usize } else { 0 };
        found.reset(self.sets.words(men), most);
        found
    }

    /// Adds the captures of White's man on `from`, after those of `taken`, to what is `found` for the sets
    /// of `left` men.
    #[inline(always)]
    pub(super) fn of_white(&mut self, from: usize, taken: B, left: usize, found: &mut Found) {
        for &direction in self.directions(true) {
            let victim = self.geometry.step[from][direction as usize];
            let landing = self.geometry.jump[from][direction as usize];
            let no_victim = victim & (self.white | taken | B::BOTTOM_ROW);
            if landing.is_empty() || !no_victim.is_empty() || !self.is_passable(landing, taken) {
                continue;
            }
            let (victim_square, to) = (victim.lowest(), landing.lowest());
            let mut on = self.empty_found(left - 1, left as u32 - 1);
            self.landed(true, to, taken | victim, left - 1, &mut on);
            if !B::BOTTOM_ROW.contains(to) {
                on.keep(self.sets.without(left - 1, to));
            }
            self.put(victim_square, &on, left, found, 1);
            self.spare.keep(on);
        }
    }

    #[inline(always)]
    fn white_landed(&mut self, at: usize, taken: B, left: usize, found: &mut Found) {
        if left == 0 {
            return found.won(self.sets.all(0));
        }
        let crowned = B::TOP_ROW.contains(at);
        if self.goes_on(crowned) {
            self.of_white(at, taken, left, found);
        }
        if self.goes_on_as_king(crowned) {
            self.white_doubts(at, taken, left, found.doubt_mut());
        }
        let [unwon, lost] = if crowned {
            self.targets.promoted(left).row(white_rank(self.white), at)
        } else {
            let men = self.white | B::bit(at);
            self.targets.men(left).row(white_rank(men), 0)
        };
        found.end(self.sets.all(left), unwon, lost);
    }

    /// Adds the captures of Black's man on `from`, after those of `taken`, to what is `found` for the sets
    /// of its companions.
    #[inline(always)]
    pub(super) fn of_black(&mut self, from: usize, taken: B, found: &mut Found) {
        for &direction in self.directions(false) {
            let victim = self.geometry.step[from][direction as usize];
            let landing = self.geometry.jump[from][direction as usize];
            let is_victim = !(victim & self.white & !taken).is_empty();
            if !is_victim || landing.is_empty() || !self.is_passable(landing, taken) {
                continue;
            }
            let to = landing.lowest();
            let taken = taken | victim;
            let mut on = self.empty_found(self.black, (self.white & !taken).len());
            self.landed(false, to, taken, self.black, &mut on);
            if !B::BOTTOM_ROW.contains(to) {
                on.keep(self.sets.without(self.black, to));
            }
            for pieces in on.pieces() {
                if let Some(planes) = on.planes(pieces) {
                    let into = found.planes_mut(if self.counts { pieces + 1 } else { 0 });
                    add(into.win, planes[0]);
                    add(into.draw, planes[1]);
                    add(into.any, planes[2]);
                }
            }
            if let Some(doubt) = on.doubt() {
                add(found.doubt_mut(), doubt);
            }
            self.spare.keep(on);
        }
    }

    /// Adds the captures of Black's man on `from` to what is `found` for the sets of all men.
    #[inline(always)]
    pub(super) fn any_of_black(&mut self, from: usize, found: &mut Found) {
        let [a, b, c, d] = self.geometry.step[from];
        if ((a | b | c | d) & self.white).is_empty() {
            return;
        }
        let mut of_man = self.empty_found(self.black, self.white.len());
        self.of_black(from, B::EMPTY, &mut of_man);
        self.put(from, &of_man, self.black + 1, found, 0);
        self.spare.keep(of_man);
    }

    /// Adds captures that are known without a man on `square` to those of `found` for the sets of so many
    /// men; they are of `more` pieces more.
    #[inline(always)]
    fn put(&self, square: usize, of_others: &Found, men: usize, found: &mut Found, more: usize) {
        let (isa, sets) = (self.isa, self.sets);
        for pieces in of_others.pieces() {
            if let Some(planes) = of_others.planes(pieces) {
                let into = found.planes_mut(if self.counts { pieces + more } else { 0 });
                let into = [into.win, into.draw, into.any];
                sets.put(isa, men, square, planes, into);
            }
        }
        if let Some(doubt) = of_others.doubt() {
            sets.put(isa, men, square, [doubt], [found.doubt_mut()]);
        }
    }

    #[inline(always)]
    fn black_landed(&mut self, at: usize, taken: B, found: &mut Found) {
        let (sets, black) = (self.sets, self.black);
        let white = self.white & !taken;
        if white.is_empty() {
            return found.won(sets.all(black));
        }
        let crowned = B::BOTTOM_ROW.contains(at);
        if self.goes_on(crowned) {
            self.of_black(at, taken, found);
        }
        if self.goes_on_as_king(crowned) {
            self.black_doubts(at, taken, found.doubt_mut());
        }
        let (left, row) = (white.len() as usize, white_rank(white));
        if crowned {
            let place = at - (B::SQUARES - B::PER_ROW) as usize;
            let [unwon, lost] = self.targets.promoted(left).row(row, place);
            return found.end(sets.all(black), unwon, lost);
        }
        // Where the man stands then, its companions do not.
        let mut planes = std::mem::take(&mut self.spare.planes);
        let [unwon, lost] = &mut planes;
        clear(unwon, sets.words(black));
        clear(lost, sets.words(black));
        let target = self.targets.men(left).row(row, 0);
        sets.take(self.isa, black + 1, at, target, [&mut *unwon, &mut *lost]);
        found.end(sets.all(black), unwon, lost);
        self.spare.planes = planes;
    }

    /// A man has landed.
    fn landed(&mut self, white: bool, at: usize, taken: B, left: usize, found: &mut Found) {
        let isa = self.isa;
        isa.run(Landed {
            chains: self,
            white,
            at,
            taken,
            left,
            found,
        });
    }

    /// Adds the positions in which White's man, now a king on `at`, might capture more.
    #[inline(always)]
    fn white_doubts(&mut self, at: usize, taken: B, left: usize, doubt: &mut [u64]) {
        let mut open = std::mem::take(&mut self.spare.planes[0]);
        for direction in Direction::ALL {
            open.clear();
            open.extend_from_slice(self.sets.all(left));
            for square in self.way(at, direction) {
                let bit = B::bit(square);
                let behind = self.geometry.step[square][direction as usize];
                if !self.is_passable(bit, taken) {
                    break;
                }
                if B::BOTTOM_ROW.contains(square) || !(taken & bit).is_empty() {
                    continue;
                }
                if !behind.is_empty() && self.is_passable(behind, taken) {
                    let victims = self.sets.with(left, square);
                    let empty = self.without(left, behind);
                    for at in 0..doubt.len() {
                        doubt[at] |= open[at] & victims[at] & empty[at];
                    }
                }
                keep(&mut open, self.sets.without(left, square));
            }
        }
        self.spare.planes[0] = open;
    }

    /// Adds the positions in which Black's man, now a king on `at`, might capture more.
    #[inline(always)]
    fn black_doubts(&mut self, at: usize, taken: B, doubt: &mut [u64]) {
        let mut open = std::mem::take(&mut self.spare.planes[0]);
        let foes = self.white & !taken;
        for direction in Direction::ALL {
            open.clear();
            open.extend_from_slice(self.sets.all(self.black));
            for square in self.way(at, direction) {
                let behind = self.geometry.step[square][direction as usize];
                if foes.contains(square) {
                    if !behind.is_empty() && self.is_passable(behind, taken) {
                        let empty = self.without(self.black, behind);
                        for at in 0..doubt.len() {
                            doubt[at] |= open[at] & empty[at];
                        }
                    }
                    break;
                }
                if !self.is_passable(B::bit(square), taken) {
                    break;
                }
                keep(&mut open, self.without(self.black, B::bit(square)));
            }
        }
        self.spare.planes[0] = open;
    }

    /// The squares where a king on `at` may meet its first foe in a direction.
    #[inline(always)]
    fn way(&self, at: usize, direction: Direction) -> impl Iterator<Item = usize> + use<B, I> {
        let steps = &self.geometry.step;
        let most = match self.rules.king_range {
            KingRange::Short => 1,
            KingRange::Flying => usize::MAX,
        };
        let mut square = at;
        let next = move || {
            let next = steps[square][direction as usize];
            square = next.lowest();
            (!next.is_empty()).then_some(square)
        };
        std::iter::from_fn(next).take(most)
    }

    /// The sets of so many men without the square in `bit`.
    #[inline(always)]
    fn without(&self, men: usize, bit: B) -> &[u64] {
        if (bit & B::BOTTOM_ROW).is_empty() {
            self.sets.without(men, bit.lowest())
        } else {
            self.sets.all(men)
        }
    }

    /// Whether neither White's men nor what is captured block a square.
    #[inline(always)]
    fn is_passable(&self, bit: B, taken: B) -> bool {
        let blocked = match self.rules.removal {
            Removal::AtEnd => self.white | taken,
            Removal::AtOnce => self.white & !taken,
        };
        (bit & blocked).is_empty()
    }

    /// Whether a man that has captured goes on as a man.
    #[inline(always)]
    fn goes_on(&self, crowned: bool) -> bool {
        !crowned || self.rules.promotion == Promotion::Pass
    }

    /// Whether it goes on as a king.
    #[inline(always)]
    fn goes_on_as_king(&self, crowned: bool) -> bool {
        crowned && self.rules.promotion == Promotion::Continue
    }

    #[inline(always)]
    fn directions(&self, white: bool) -> &'static [Direction] {
        match (self.rules.man_captures_backward, white) {
            (true, _) => &Direction::ALL,
            (false, true) => &[Direction::UpLeft, Direction::UpRight],
            (false, false) => &[Direction::DownLeft, Direction::DownRight],
        }
    }
}

/// A man has landed on a square.
struct Landed<'x, 'a, B: Board, I> {
    chains: &'x mut Chains<'a, B, I>,
    white: bool,
    at: usize,
    taken: B,
    left: usize,
    found: &'x mut Found,
}

impl<B: Board, I: Isa> Task for Landed<'_, '_, B, I> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self {
            at, taken, left, ..
        } = self;
        if self.white {
            self.chains.white_landed(at, taken, left, self.found);
        } else {
            self.chains.black_landed(at, taken, self.found);
        }
    }
}

/// Makes it that many words without bits.
#[inline(always)]
pub(super) fn clear(plane: &mut Vec<u64>, words: usize) {
    plane.clear();
    plane.resize(words, 0);
}

#[inline(always)]
pub(super) fn add(into: &mut [u64], plane: &[u64]) {
    for (into, plane) in into.iter_mut().zip(plane) {
        *into |= plane;
    }
}

#[inline(always)]
pub(super) fn keep(plane: &mut [u64], set: &[u64]) {
    for (plane, set) in plane.iter_mut().zip(set) {
        *plane &= set;
    }
}

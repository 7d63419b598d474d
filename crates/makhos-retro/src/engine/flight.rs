//! Captures of flying kings; the part of the [capture search](super::search) that looks along lines.

use makhos_rules::rules::{KingLanding, Removal};
use makhos_rules::{Board, Direction};

use super::isa::{Isa, Task};
use super::mask::{Product, Set};
use super::record::Record;
use super::search::{Path, Search};
use super::target::{Gathered, Target};

/// What a flying king sees in one direction.
#[derive(Clone, Copy)]
struct Sight<B> {
    /// The squares it can reach.
    open: B,
    /// The piece behind them; empty at the edge of the board.
    end: B,
}

impl<B: Board, const N: usize, const P: usize, I: Isa> Search<'_, '_, B, N, P, I> {
    /// Captures of a flying king from `square`, which it reached in direction `came`.
    #[inline(always)]
    pub(super) fn fly<M: Record<B, N>>(
        &mut self,
        square: usize,
        came: Option<Direction>,
        mask: &M,
        path: &Path<B>,
    ) -> M::Set {
        let mut any = M::Set::empty();
        if !self.may_go_on::<M>(B::bit(square), path) {
            return any;
        }
        for direction in Direction::ALL {
            let turns_back = came.is_some_and(|came| came.opposite() == direction);
            if !turns_back || self.rules.uturn {
                any = any.or(&self.ray::<M>(square, direction, mask, path));
            }
        }
        any
    }

    #[inline(always)]
    fn sight(&self, square: usize, direction: Direction, passable: B) -> Sight<B> {
        let rays = &self.geometry.ray;
        let line = rays[square][direction as usize];
        let blockers = line & !passable;
        if blockers.is_empty() {
            return Sight {
                open: line,
                end: B::EMPTY,
            };
        }
        let first = if direction.is_up() {
            blockers.highest()
        } else {
            blockers.lowest()
        };
        let end = B::bit(first);
        Sight {
            open: line & !rays[first][direction as usize] & !end,
            end,
        }
    }

    /// Captures of a flying king on `square` in one direction.
    #[inline(always)]
    pub(super) fn ray<M: Record<B, N>>(
        &mut self,
        square: usize,
        direction: Direction,
        mask: &M,
        path: &Path<B>,
    ) -> M::Set {
        let sight = self.sight(square, direction, self.passable(path));
        if M::FOE {
            // Two squares: the foe's inner king and where to land behind it.
            if !sight.open.without_lowest().is_empty() {
                let isa = self.isa;
                return isa.run(Ray {
                    search: self,
                    square,
                    direction,
                    sight,
                    mask,
                    path,
                });
            }
        }
        self.take_end::<M>(direction, &sight, mask, path)
    }

    /// Captures of the piece at the end of a line.
    #[inline(always)]
    fn take_end<M: Record<B, N>>(
        &mut self,
        direction: Direction,
        sight: &Sight<B>,
        mask: &M,
        path: &Path<B>,
    ) -> M::Set {
        if (sight.end & self.foes & !path.captured).is_empty() {
            return M::Set::empty();
        }
        let victim = sight.end.lowest();
        let path = self.after(path, sight.end, None);
        let behind = self.geometry.step[victim][direction as usize];
        let mut here = *mask;
        here.clear_all(sight.open);
        if (behind & self.passable(&path)).is_empty() || here.is_empty() {
            return M::Set::empty();
        }
        self.flown::<M>(victim, direction, &here, &path)
    }

    /// Captures on a line on which the foe's inner king may stand.
    #[inline(always)]
    fn take_on_line<M: Record<B, N>>(
        &mut self,
        square: usize,
        direction: Direction,
        sight: &Sight<B>,
        mask: &M,
        path: &Path<B>,
    ) -> M::Set {
        let mut any = M::Set::empty();
        // Pieces lifted in mid-chain open lines that `targets_from` does not know.
        let opened =
            self.rules.removal == Removal::AtOnce && !(path.captured & self.foes).is_empty();
        let turns = if opened {
            B::ALL
        } else {
            self.targets_from & sight.open
        };
        let far = self.rules.king_landing == KingLanding::Any;
        let back = direction.opposite() as usize;
        let mut behind = Gathered::none();
        // With another inner king of the foe left, every chain may go on.
        let mut plain = !<M::Taken as Product<B, N>>::FOE;
        // From the far end, so that what the landing squares behind a victim lead to adds up.
        let mut landing = if direction.is_up() {
            sight.open.lowest()
        } else {
            sight.open.highest()
        };
        let mut before = sight.open & !B::bit(landing);
        while !before.is_empty() {
            let bit = self.geometry.step[landing][back];
            let victim = bit.lowest();
            plain &= !turns.contains(landing);
            let mut here = *mask;
            before &= !bit;
            here.clear_all(before);
            let mut taken = here.foe_on(victim);
            let path = self.after(path, bit, Some(victim));
            if plain {
                if !far {
                    behind = Gathered::none();
                }
                let place = self.place::<M::Taken>(landing, true, &path);
                // Nothing of the side to move may stand on the way.
                let crossed = before | bit | B::bit(landing);
                behind.add::<M::Taken, N>(&self.target(place), crossed);
                taken.clear(landing);
                if !taken.is_empty() {
                    M::add_taken(&mut any, victim, &taken.set());
                    self.record_line::<M::Taken>(&taken, &behind, &path);
                }
            } else if !taken.is_empty() {
                let possible = self.flown::<M::Taken>(victim, direction, &taken, &path);
                M::add_taken(&mut any, victim, &possible);
            }
            landing = victim;
        }
        debug_assert_eq!(
            B::bit(landing),
            self.geometry.step[square][direction as usize]
        );
        any.or(&self.take_end::<M>(direction, sight, mask, path))
    }

    #[inline(always)]
    fn record_line<M: Record<B, N>>(&mut self, taken: &M, behind: &Gathered<B, P>, path: &Path<B>) {
        let end = self.end(path);
        M::record(
            self.ends,
            &end,
            taken,
            &M::Set::empty(),
            &Target::Best(*behind),
        );
    }

    /// Everything that can follow once a flying king has jumped `victim`. Returns for which placements
    /// it can.
    pub(super) fn flown<M: Record<B, N>>(
        &mut self,
        victim: usize,
        direction: Direction,
        mask: &M,
        path: &Path<B>,
    ) -> M::Set {
        let isa = self.isa;
        isa.run(Flown {
            search: self,
            victim,
            direction,
            mask,
            path,
        })
    }

    #[inline(always)]
    fn flown_here<M: Record<B, N>>(
        &mut self,
        victim: usize,
        direction: Direction,
        mask: &M,
        path: &Path<B>,
    ) -> M::Set {
        let next = self.geometry.step[victim][direction as usize];
        let passable = self.passable(path);
        let landings = if self.rules.king_landing == KingLanding::Behind {
            next & passable
        } else {
            self.sight(victim, direction, passable).open
        };
        let mut first = *mask;
        first.clear_all(next);
        if landings.is_empty() || first.is_empty() {
            return M::Set::empty();
        }
        let on = if self.may_go_on::<M>(landings, path) {
            self.fly_on::<M>(next.lowest(), direction, landings, mask, path)
        } else {
            M::Set::empty()
        };
        let victim_is_king = path.taken[0] == Some(victim) || self.foe_kings.contains(victim);
        let stops = match self.rules.king_landing {
            KingLanding::BehindIfLastIsKing if victim_is_king => next,
            _ => landings,
        };
        let mut here = *mask;
        let mut at = next;
        while !(at & stops).is_empty() {
            here.clear_all(at);
            if here.is_empty() {
                break;
            }
            self.finish::<M>(at.lowest(), true, &here, &on, path);
            at = self.geometry.step[at.lowest()][direction as usize];
        }
        first.set()
    }

    /// Goes on from any of the landing squares; returns for which placements that was possible.
    #[inline(always)]
    fn fly_on<M: Record<B, N>>(
        &mut self,
        next: usize,
        direction: Direction,
        landings: B,
        mask: &M,
        path: &Path<B>,
    ) -> M::Set {
        let mut here = *mask;
        here.clear(next);
        // Straight on and back, every landing square leads to the same captures.
        let mut on = self.ray::<M>(next, direction, &here, path);
        if self.rules.uturn {
            on = on.or(&self.ray::<M>(next, direction.opposite(), &here, path));
        }
        let mut at = B::bit(next);
        while !(at & landings).is_empty() {
            here.clear_all(at);
            if here.is_empty() {
                break;
            }
            if self.may_go_on::<M>(at, path) {
                for turn in direction.perpendicular() {
                    on = on.or(&self.ray::<M>(at.lowest(), turn, &here, path));
                }
            }
            at = self.geometry.step[at.lowest()][direction as usize];
        }
        on
    }
}

/// A flying king looks along a line on which the foe's inner king may stand.
struct Ray<'x, 's, 'a, B: Board, const N: usize, const P: usize, I, M> {
    search: &'x mut Search<'s, 'a, B, N, P, I>,
    square: usize,
    direction: Direction,
    sight: Sight<B>,
    mask: &'x M,
    path: &'x Path<B>,
}

impl<B: Board, const N: usize, const P: usize, I: Isa, M: Record<B, N>> Task
    for Ray<'_, '_, '_, B, N, P, I, M>
{
    type Output = M::Set;

    #[inline(always)]
    fn call(self) -> M::Set {
        self.search.take_on_line::<M>(
            self.square,
            self.direction,
            &self.sight,
            self.mask,
            self.path,
        )
    }
}

/// A flying king has jumped a piece.
struct Flown<'x, 's, 'a, B: Board, const N: usize, const P: usize, I, M> {
    search: &'x mut Search<'s, 'a, B, N, P, I>,
    victim: usize,
    direction: Direction,
    mask: &'x M,
    path: &'x Path<B>,
}

impl<B: Board, const N: usize, const P: usize, I: Isa, M: Record<B, N>> Task
    for Flown<'_, '_, '_, B, N, P, I, M>
{
    type Output = M::Set;

    #[inline(always)]
    fn call(self) -> M::Set {
        self.search
            .flown_here::<M>(self.victim, self.direction, self.mask, self.path)
    }
}

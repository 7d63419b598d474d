//! Solving one class: level by level, configuration by configuration.

use makhos_index::{Material, PlacementIndex};
use makhos_probe::SideStatistics;
use makhos_rules::{Board, Color, RuleSet};
use rayon::prelude::*;

use super::blocks::{PairWords, look_at_block};
use super::cover::{Cover, Fill};
use super::cube::{Block, Cube, own_and_other};
use super::ends::Ends;
use super::isa::Isa;
use super::kings::KingRoom;
use super::layout::store;
use super::levels::{Group, MenSets, groups};
use super::lines::Lines;
use super::lookup::{Lookup, Pieces, WORD, number};
use super::moves::Looker;
use super::planes::{ClassPlanes, Packed};
use super::ranks::subsets;
use super::settle::SettleWords;
use super::shape::{Kings, Shape};
use super::subs::Subs;
use super::tally::Tally;
use crate::checkpoint::{Keeper, State};
use crate::error::GenerateError;
use crate::monitor::Watch;
use crate::reference::SolveError;

/// A configuration with at least this many blocks of two inner kings is worked on by all threads at
/// once, and the configurations one after the other.
pub(super) const SHARED_BLOCKS: usize = 4096;

/// Blocks that a thread takes at least at a time of a shared configuration.
const BLOCKS_AT_ONCE: usize = 256;

/// What is the same for all configurations of a class.
pub(crate) struct ClassWork<'a, B: Board, const N: usize, I> {
    isa: I,
    rules: &'a RuleSet,
    index: &'a PlacementIndex<B>,
    subs: &'a Subs<B>,
    watch: Watch<'a>,
    material: Material,
    kings: Kings,
    shape: Shape,
    room: KingRoom<B, N>,
    /// Which blocks are looked at, if not all.
    cover: Option<Cover<N>>,
    /// Where one side has two kings or more and the other none: the sets of its kings without two.
    pairs: Option<Vec<B>>,
    lines: Lines<B>,
    tally: Tally,
}

/// What one thread works with.
struct Worker<'a, B: Board, const N: usize, I> {
    looker: Looker<'a, 'a, B, N, 0, I>,
    cube: Cube<B>,
    packed: Packed,
}

impl<'a, B: Board, const N: usize, I: Isa> ClassWork<'a, B, N, I> {
    pub(crate) fn new(
        isa: I,
        rules: &'a RuleSet,
        index: &'a PlacementIndex<B>,
        subs: &'a Subs<B>,
        watch: Watch<'a>,
    ) -> Self {
        let material = index.material();
        let kings = Kings {
            white: material.white.kings.into(),
            black: material.black.kings.into(),
        };
        let room = KingRoom::new(rules, others(kings));
        let cover = match shape(kings) {
            Shape::Grid => Cover::new(&room.others[0]),
            _ => None,
        };
        Self {
            isa,
            rules,
            index,
            subs,
            watch,
            material,
            kings,
            shape: shape(kings),
            room,
            cover,
            pairs: pairs(kings),
            lines: Lines::new(),
            tally: Tally::default(),
        }
    }

    /// Solves all configurations, in the current rayon pool, or those that are left after `begun`, whose
    /// outcomes are in the planes. `keeper` may save the state after each level.
    pub(crate) fn solve(
        &self,
        begun: Option<State>,
        keeper: &mut Keeper<'_>,
    ) -> Result<(), GenerateError> {
        let white = MenSets::<B>::new(self.material.white.men.into(), true);
        let black = MenSets::<B>::new(self.material.black.men.into(), false);
        let threads = rayon::current_num_threads();
        let levels = white.most() + black.most() + 1;
        let mut state = begun.unwrap_or_else(|| self.tally.state(levels));
        self.tally.resume(&state);
        for level in (0..levels.min(state.levels_left as usize)).rev() {
            if let Err(error) = self.level(&groups(&white, &black, level, threads)) {
                if error.is_interrupted() {
                    keeper.stopped(&state);
                }
                return Err(error);
            }
            state = self.tally.state(level);
            keeper.level_done(&state);
        }
        Ok(())
    }

    /// The statistics of a stored side, whose outcomes are complete.
    pub(crate) fn statistics(&self, side: Color, planes: &ClassPlanes) -> SideStatistics {
        self.tally.statistics(side, self.index.len(), planes)
    }

    fn worker(&self) -> Worker<'_, B, N, I> {
        Worker {
            looker: self.looker(),
            cube: Cube::new(self.room.blocks(), self.rows()),
            packed: Packed::default(),
        }
    }

    fn looker(&self) -> Looker<'_, '_, B, N, 0, I> {
        Looker {
            isa: self.isa,
            white: true,
            rules: self.rules,
            lines: &self.lines,
            lookup: Lookup::new::<N>(self.subs, self.material),
            ends: Ends::new(),
        }
    }

    /// Words of a plane of a block.
    fn rows(&self) -> usize {
        if self.shape == Shape::Grid { N } else { 1 }
    }

    /// Solves the configurations of one level.
    fn level(&self, groups: &[Group<'_, B>]) -> Result<(), GenerateError> {
        if self.pairs.is_none() && self.room.blocks() >= SHARED_BLOCKS {
            let mut worker = self.worker();
            return groups
                .iter()
                .try_for_each(|group| self.group(group, &mut worker, true));
        }
        groups.par_iter().try_for_each_init(
            || self.worker(),
            |worker, group| self.group(group, worker, false),
        )
    }

    fn group(
        &self,
        group: &Group<'_, B>,
        worker: &mut Worker<'_, B, N, I>,
        shared: bool,
    ) -> Result<(), GenerateError> {
        for &black in group.black {
            let men = [group.white, black];
            let mirror = mirrored(men);
            let needed = !self.material.is_symmetric() || men <= mirror;
            if (group.white & black).is_empty() && needed {
                self.configuration(men, worker, shared)?;
            }
        }
        Ok(())
    }

    /// Solves one configuration of men. In a class of equal armies that settles the mirrored one too.
    fn configuration(
        &self,
        men: [B; 2],
        worker: &mut Worker<'_, B, N, I>,
        shared: bool,
    ) -> Result<(), GenerateError> {
        if self.watch.monitor.should_stop() {
            return Err(self.interrupted());
        }
        let mut captures = if shared {
            self.look_shared(men, &mut worker.cube)?
        } else {
            worker.looker.lookup.next_configuration();
            let captures = match &self.pairs {
                Some(others) => self.look_at_pairs(men, others, worker),
                None => self.look_at_all(men, worker),
            };
            if let Some(error) = worker.looker.lookup.take_error() {
                return Err(error);
            }
            captures
        };
        if let Some(cover) = &self.cover {
            let more = self.fill(cover, men, &mut worker.cube, shared);
            captures = [captures[0] + more[0], captures[1] + more[1]];
        }
        self.settle(men, &mut worker.cube, shared)?;
        self.keep(men, worker, captures);
        // One side to move is the mirror of the other where both armies stand alike.
        let alike = self.material.is_symmetric() && men == mirrored(men);
        let solved = self.index.inner() * if alike { 1 } else { 2 };
        self.tally.add_solved(solved);
        self.watch.monitor.advanced(2 * solved);
        Ok(())
    }

    fn interrupted(&self) -> GenerateError {
        let material = self.material;
        SolveError::Interrupted { material }.into()
    }

    /// Looks at all blocks of a configuration that must be looked at.
    fn look_at_all(&self, men: [B; 2], worker: &mut Worker<'_, B, N, I>) -> [u64; 2] {
        let mut captures = [0; 2];
        let blocks = worker.cube.blocks_mut(2 * self.rows());
        for (number, block) in blocks.enumerate() {
            if !self.is_looked(number) {
                continue;
            }
            let here = self.look(&mut worker.looker, men, number, block);
            captures[0] += here[0];
            captures[1] += here[1];
        }
        captures
    }

    /// Looks at all positions of a configuration of a class in which one side has two kings or more and the
    /// other none, a block of two inner kings of one side at a time.
    fn look_at_pairs(
        &self,
        men: [B; 2],
        others: &[B],
        worker: &mut Worker<'_, B, N, I>,
    ) -> [u64; 2] {
        let (looker, cube) = (&mut worker.looker, &mut worker.cube);
        for words in [&mut cube.known, &mut cube.open, &mut cube.captures] {
            words.iter_mut().for_each(|words| words.fill(B::EMPTY));
        }
        let with_kings = number(self.shape == Shape::White);
        let mut captures = [0; 2];
        for &others in others {
            if !(others & (men[0] | men[1])).is_empty() {
                continue;
            }
            let mut kings = [B::EMPTY; 2];
            kings[with_kings] = others;
            let pieces = Pieces { men, kings };
            for side in [0, 1] {
                let into = PairWords {
                    known: &mut cube.known[side],
                    open: &mut cube.open[side],
                    captures: &mut cube.captures[side],
                };
                captures[side] += if side == with_kings {
                    into.look::<N, I, true>(looker, side == 0, others, &pieces)
                } else {
                    into.look::<N, I, false>(looker, side == 0, others, &pieces)
                };
            }
        }
        captures
    }

    /// The same with all threads.
    fn look_shared(&self, men: [B; 2], cube: &mut Cube<B>) -> Result<[u64; 2], GenerateError> {
        cube.par_blocks_mut(2 * self.rows())
            .with_min_len(BLOCKS_AT_ONCE)
            .enumerate()
            .map_init(
                || self.looker(),
                |looker, (number, block)| {
                    if self.watch.monitor.should_stop() {
                        return Err(self.interrupted());
                    }
                    if !self.is_looked(number) {
                        return Ok([0; 2]);
                    }
                    let captures = self.look(looker, men, number, block);
                    looker.lookup.take_error().map_or(Ok(captures), Err)
                },
            )
            .try_reduce(|| [0; 2], |a, b| Ok([a[0] + b[0], a[1] + b[1]]))
    }

    /// Whether the block with this number is to be looked at.
    fn is_looked(&self, number: usize) -> bool {
        let white = number / self.room.others[1].len();
        self.cover
            .as_ref()
            .is_none_or(|cover| cover.is_looked(white))
    }

    /// Fills in the blocks that are not looked at; returns the numbers of capture positions with White and
    /// Black to move, each placement counted once.
    fn fill(&self, cover: &Cover<N>, men: [B; 2], cube: &mut Cube<B>, shared: bool) -> [u64; 2] {
        for planes in [&mut cube.known, &mut cube.open].into_iter().flatten() {
            self.fill_planes(cover, men, planes, shared);
        }
        let [white, black] = &mut cube.captures;
        [white, black].map(|planes| self.fill_planes(cover, men, planes, shared))
    }

    /// Fills in two planes; returns the number of placements in the second, each counted once.
    fn fill_planes(&self, cover: &Cover<N>, men: [B; 2], planes: &mut [B], shared: bool) -> u64 {
        let split = cover.split(planes);
        let fill = |(rank, into)| {
            self.isa.run(Fill {
                cover,
                others: &self.room.others,
                men: men[0] | men[1],
                rank,
                looked: &split.looked,
                into,
            })
        };
        if shared {
            split.others.into_par_iter().map(fill).sum()
        } else {
            split.others.into_iter().map(fill).sum()
        }
    }

    /// Looks at one block with either side to move; returns the numbers of capture positions, each
    /// placement counted once.
    fn look(
        &self,
        looker: &mut Looker<'_, '_, B, N, 0, I>,
        men: [B; 2],
        number: usize,
        block: Block<'_, B>,
    ) -> [u64; 2] {
        let blacks = self.room.others[1].len();
        let kings = [
            self.room.others[0].set(number / blacks),
            self.room.others[1].set(number % blacks),
        ];
        let [white, black] = kings;
        if !((white & black) | ((white | black) & (men[0] | men[1]))).is_empty() {
            for words in [block.known, block.open, block.captures] {
                words.into_iter().for_each(|words| words.fill(B::EMPTY));
            }
            return [0; 2];
        }
        let pieces = Pieces { men, kings };
        look_at_block(looker, self.shape, &pieces, block)
    }

    /// Settles the moves of kings.
    fn settle(&self, men: [B; 2], cube: &mut Cube<B>, shared: bool) -> Result<(), GenerateError> {
        let all_men = men[0] | men[1];
        let with_kings = match self.shape {
            Shape::Bare => unreachable!("classes without kings are solved otherwise"),
            Shape::Grid | Shape::GridWith(..) => {
                let go_on = || !self.watch.monitor.should_stop();
                let settled = cube.settle(self.isa, &self.room, all_men, shared, &go_on);
                return settled.then_some(()).ok_or_else(|| self.interrupted());
            }
            Shape::White => 0,
            Shape::Black => 1,
        };
        let (known, other) = own_and_other(&mut cube.known, with_kings == 0);
        self.isa.run(SettleWords {
            room: &self.room,
            men: all_men,
            side: with_kings,
            other,
            known,
            open: &cube.open[with_kings],
        });
        Ok(())
    }

    /// Hands the outcomes of a solved configuration to the planes of the class.
    fn keep(&self, men: [B; 2], worker: &mut Worker<'_, B, N, I>, captures: [u64; 2]) {
        let symmetric = self.material.is_symmetric();
        let mirror = mirrored(men);
        for side in [0, 1] {
            if symmetric && side == 1 && men == mirror {
                continue;
            }
            let flipped = symmetric && side == 1;
            let ([white, black], stored) = if flipped {
                (mirror, Color::White)
            } else {
                (men, color(side))
            };
            let start = self.index.men_index(white, black) * self.index.inner();
            let (subs, cube) = (self.subs, &worker.cube);
            let planes = subs.planes(stored).expect("a stored side");
            for (dense, planes) in [
                (&cube.known[side], planes),
                (&cube.captures[side], subs.captures(stored)),
            ] {
                let (all_men, packed) = (men[0] | men[1], &mut worker.packed);
                let to = (planes, start);
                store::<I, B, N>(
                    self.isa, self.shape, self.kings, all_men, flipped, dense, packed, to,
                );
            }
            self.tally.add_captures(stored, captures[side]);
        }
        let size = worker.cube.known[0].len();
        if self.material.men() > 0 && size > WORD {
            for side in [0, 1] {
                let known = &worker.cube.known[side];
                self.subs
                    .insert_own::<N>(men[0], men[1], color(side), self.shape, known);
            }
        }
    }
}

/// The men of the flipped position.
pub(super) fn mirrored<B: Board>(men: [B; 2]) -> [B; 2] {
    [men[1].rotate(), men[0].rotate()]
}

pub(super) fn color(number: usize) -> Color {
    if number == 0 {
        Color::White
    } else {
        Color::Black
    }
}

/// The dense form in which a class with these kings is solved.
pub(crate) fn shape(kings: Kings) -> Shape {
    match (kings.white, kings.black) {
        (0, 0) => Shape::Bare,
        (_, 0) => Shape::White,
        (0, _) => Shape::Black,
        _ => Shape::Grid,
    }
}

/// The sets of kings without two inner ones, if only one side has kings, and at least two.
fn pairs<B: Board>(kings: Kings) -> Option<Vec<B>> {
    let most = kings.white.max(kings.black);
    (kings.white.min(kings.black) == 0 && most >= 2).then(|| subsets(B::ALL, most - 2).collect())
}

/// The kings of each side without the inner one.
pub(super) fn others(kings: Kings) -> [u32; 2] {
    [kings.white, kings.black].map(|kings| kings.saturating_sub(1))
}

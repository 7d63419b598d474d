//! Solving one class for distances: level by level, configuration by configuration.

use makhos_index::{Material, PlacementIndex};
use makhos_probe::Plies;
use makhos_rules::{Board, RuleSet};
use rayon::prelude::*;

use super::cube::{BlockMut, DistanceCube, OWN_PLANES};
use super::rounds::{Ended, Rounds};
use super::words::SettleWords;
use super::{LONGEST, Limit, PLANES};
use crate::engine::class::{SHARED_BLOCKS, color, mirrored, others, shape};
use crate::engine::ends::Ends;
use crate::engine::isa::Isa;
use crate::engine::kings::KingRoom;
use crate::engine::layout::store;
use crate::engine::levels::{Group, MenSets, groups};
use crate::engine::lines::Lines;
use crate::engine::lookup::{Lookup, Pieces, WORD};
use crate::engine::mask::{Both, Foe, Own, Set};
use crate::engine::moves::{Looker, Root};
use crate::engine::planes::Packed;
use crate::engine::ranks::below;
use crate::engine::shape::{Kings, Shape};
use crate::engine::subs::Subs;
use crate::engine::tally::Tally;
use crate::error::GenerateError;
use crate::monitor::Watch;
use crate::reference::SolveError;

/// Blocks that a thread takes at least at a time of a shared configuration.
const BLOCKS_AT_ONCE: usize = 64;

/// What is the same for all configurations of a class with kings. `P` is the number of planes of plies
/// that finished positions have: none, or [`PLANES`].
pub(crate) struct DistanceWork<'a, B: Board, const N: usize, const P: usize, I> {
    pub(super) isa: I,
    rules: &'a RuleSet,
    pub(super) index: &'a PlacementIndex<B>,
    pub(super) subs: &'a Subs<B>,
    watch: Watch<'a>,
    limit: Limit,
    material: Material,
    pub(super) kings: Kings,
    pub(super) shape: Shape,
    pub(super) room: KingRoom<B, N>,
    lines: Lines<B>,
    tally: Tally,
}

/// What one thread works with.
pub(super) struct Worker<'a, B: Board, const N: usize, const P: usize, I> {
    looker: Looker<'a, 'a, B, N, P, I>,
    pub(super) cube: DistanceCube<B>,
    rounds: Rounds,
    dense: Vec<B>,
    packed: Packed,
}

impl<'a, B: Board, const N: usize, const P: usize, I: Isa> DistanceWork<'a, B, N, P, I> {
    pub(crate) fn new(
        isa: I,
        rules: &'a RuleSet,
        index: &'a PlacementIndex<B>,
        subs: &'a Subs<B>,
        watch: Watch<'a>,
        limit: Limit,
    ) -> Self {
        let material = index.material();
        let kings = Kings {
            white: material.white.kings.into(),
            black: material.black.kings.into(),
        };
        Self {
            isa,
            rules,
            index,
            subs,
            watch,
            limit,
            material,
            kings,
            shape: shape(kings),
            room: KingRoom::new(rules, others(kings)),
            lines: Lines::new(),
            tally: Tally::default(),
        }
    }

    /// Solves all configurations in the current rayon pool, into the planes of the class in work.
    pub(crate) fn solve(&self) -> Result<(), GenerateError> {
        let white = MenSets::<B>::new(self.material.white.men.into(), true);
        let black = MenSets::<B>::new(self.material.black.men.into(), false);
        let threads = rayon::current_num_threads();
        for level in (0..white.most() + black.most() + 1).rev() {
            self.level(&groups(&white, &black, level, threads))?;
        }
        Ok(())
    }

    /// Capture positions of the stored sides.
    pub(crate) fn tally(&self) -> &Tally {
        &self.tally
    }

    fn worker(&self) -> Worker<'_, B, N, P, I> {
        let blocks = self.room.blocks();
        let rounds = if self.shape == Shape::Grid { blocks } else { 0 };
        Worker {
            looker: self.looker(),
            cube: DistanceCube::new(blocks, self.rows()),
            rounds: Rounds::new(rounds),
            dense: Vec::new(),
            packed: Packed::default(),
        }
    }

    fn looker(&self) -> Looker<'_, '_, B, N, P, I> {
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
    pub(super) fn rows(&self) -> usize {
        if self.shape == Shape::Grid { N } else { 1 }
    }

    fn level(&self, groups: &[Group<'_, B>]) -> Result<(), GenerateError> {
        if self.shape == Shape::Grid && self.room.blocks() >= SHARED_BLOCKS {
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
        worker: &mut Worker<'_, B, N, P, I>,
        shared: bool,
    ) -> Result<(), GenerateError> {
        for &black in group.black {
            let men = [group.white, black];
            let needed = !self.material.is_symmetric() || men <= mirrored(men);
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
        worker: &mut Worker<'_, B, N, P, I>,
        shared: bool,
    ) -> Result<(), GenerateError> {
        if self.watch.monitor.should_stop() {
            return Err(self.interrupted());
        }
        let captures = if shared {
            self.look_shared(men, &mut worker.cube)?
        } else {
            worker.looker.lookup.next_configuration();
            let captures = self.look_at_all(men, worker);
            if let Some(error) = worker.looker.lookup.take_error() {
                return Err(error);
            }
            captures
        };
        if self.subs.has_counted() {
            self.settle_counted(men, worker, shared)?;
        } else {
            self.settle(men, worker, shared)?;
        }
        self.keep(men, worker, captures);
        let alike = self.material.is_symmetric() && men == mirrored(men);
        let solved = self.index.inner() * if alike { 1 } else { 2 };
        self.watch.monitor.advanced(2 * solved);
        Ok(())
    }

    fn interrupted(&self) -> GenerateError {
        let material = self.material;
        SolveError::Interrupted { material }.into()
    }

    fn too_long(&self) -> GenerateError {
        SolveError::TooLong {
            material: self.material,
            most: Plies::new(LONGEST),
        }
        .into()
    }

    /// Looks at all blocks of a configuration; returns the numbers of capture positions with White and
    /// Black to move, each placement counted once.
    fn look_at_all(&self, men: [B; 2], worker: &mut Worker<'_, B, N, P, I>) -> [u64; 2] {
        let rows = self.rows();
        let cube = &mut worker.cube;
        let mut captures = [0; 2];
        for side in [0, 1] {
            let known = cube.known[side].chunks_exact_mut(2 * rows);
            let own = cube.own[side].chunks_exact_mut(OWN_PLANES * rows);
            for (number, (known, own)) in known.zip(own).enumerate() {
                let block = BlockMut { known, own };
                captures[side] += self.look(&mut worker.looker, men, side == 0, number, block);
            }
        }
        captures
    }

    /// The same with all threads.
    fn look_shared(
        &self,
        men: [B; 2],
        cube: &mut DistanceCube<B>,
    ) -> Result<[u64; 2], GenerateError> {
        let rows = self.rows();
        let mut captures = [0; 2];
        for side in [0, 1] {
            let known = cube.known[side].par_chunks_exact_mut(2 * rows);
            let own = cube.own[side].par_chunks_exact_mut(OWN_PLANES * rows);
            captures[side] = known
                .zip(own)
                .with_min_len(BLOCKS_AT_ONCE)
                .enumerate()
                .map_init(
                    || self.looker(),
                    |looker, (number, (known, own))| {
                        if self.watch.monitor.should_stop() {
                            return Err(self.interrupted());
                        }
                        let block = BlockMut { known, own };
                        let found = self.look(looker, men, side == 0, number, block);
                        looker.lookup.take_error().map_or(Ok(found), Err)
                    },
                )
                .try_reduce(|| 0, |a, b| Ok(a + b))?;
        }
        Ok(captures)
    }

    /// Looks at one block with one side to move.
    fn look(
        &self,
        looker: &mut Looker<'_, '_, B, N, P, I>,
        men: [B; 2],
        white_to_move: bool,
        number: usize,
        mut block: BlockMut<'_, B>,
    ) -> u64 {
        let blacks = self.room.others[1].len();
        let kings = [
            self.room.others[0].set(number / blacks),
            self.room.others[1].set(number % blacks),
        ];
        let [white, black] = kings;
        if !((white & black) | ((white | black) & (men[0] | men[1]))).is_empty() {
            block.clear();
            return 0;
        }
        let pieces = Pieces { men, kings };
        // Every placement once: the inner king is the lowest of its side.
        let [white, black] = kings.map(below);
        match (self.shape, white_to_move) {
            (Shape::White, true) => one(looker, true, &pieces, block, &Own(white)),
            (Shape::White, false) => one(looker, false, &pieces, block, &Foe(white)),
            (Shape::Black, true) => one(looker, true, &pieces, block, &Foe(black)),
            (Shape::Black, false) => one(looker, false, &pieces, block, &Own(black)),
            (Shape::Bare, _) => unreachable!("classes without kings are solved otherwise"),
            (Shape::Grid | Shape::GridWith(..), true) => {
                let all = Both::<B, N, true> { white, black };
                one(looker, true, &pieces, block, &all)
            }
            (Shape::Grid | Shape::GridWith(..), false) => {
                let all = Both::<B, N, false> { white, black };
                one(looker, false, &pieces, block, &all)
            }
        }
    }

    /// Settles the moves of kings.
    pub(super) fn settle(
        &self,
        men: [B; 2],
        worker: &mut Worker<'_, B, N, P, I>,
        shared: bool,
    ) -> Result<(), GenerateError> {
        let all_men = men[0] | men[1];
        let cube = &mut worker.cube;
        if self.shape == Shape::Grid {
            let go_on = || !self.watch.monitor.should_stop();
            let (isa, room, limit) = (self.isa, &self.room, self.limit);
            let rounds = &worker.rounds;
            return match rounds.settle(isa, room, all_men, cube, limit, shared, &go_on) {
                Ended::Settled => Ok(()),
                Ended::Stopped => Err(self.interrupted()),
                Ended::TooLong => Err(self.too_long()),
            };
        }
        let side = usize::from(self.shape != Shape::White);
        let [white, black] = &mut cube.known;
        let (known, other) = if side == 0 {
            (white, black)
        } else {
            (black, white)
        };
        let [white, black] = &mut cube.own;
        let (own, other_own) = if side == 0 {
            (white, black)
        } else {
            (black, white)
        };
        let too_long = self.isa.run(SettleWords {
            room: &self.room,
            men: all_men,
            side,
            known,
            other,
            own,
            other_own,
            limit: self.limit,
        });
        if too_long {
            return Err(self.too_long());
        }
        Ok(())
    }

    /// Hands what was found of a configuration to the planes of the class.
    fn keep(&self, men: [B; 2], worker: &mut Worker<'_, B, N, P, I>, captures: [u64; 2]) {
        let symmetric = self.material.is_symmetric();
        let mirror = mirrored(men);
        for side in [0, 1] {
            if symmetric && side == 1 && men == mirror {
                continue;
            }
            let flipped = symmetric && side == 1;
            let ([white, black], stored) = if flipped {
                (mirror, makhos_rules::Color::White)
            } else {
                (men, color(side))
            };
            let start = self.start([white, black]);
            let planes = self.subs.planes_of(stored);
            let all = planes
                .iter()
                .enumerate()
                .map(|(pair, planes)| (Some(pair), planes));
            for (pair, planes) in all.chain([(None, self.subs.captures(stored))]) {
                match pair {
                    Some(pair) => worker.cube.pair(side, pair, &mut worker.dense),
                    None => worker.cube.captures(side, &mut worker.dense),
                }
                let (dense, packed) = (&worker.dense, &mut worker.packed);
                let all_men = men[0] | men[1];
                let to = (planes, start);
                store::<I, B, N>(
                    self.isa, self.shape, self.kings, all_men, flipped, dense, packed, to,
                );
            }
            self.tally.add_captures(stored, captures[side]);
        }
        self.remember(men, worker);
    }

    /// The number of the first position of a configuration, as it is stored.
    pub(super) fn start(&self, men: [B; 2]) -> u64 {
        self.index.men_index(men[0], men[1]) * self.index.inner()
    }

    /// Keeps the dense form for the configurations from which men's moves lead here.
    fn remember(&self, men: [B; 2], worker: &mut Worker<'_, B, N, P, I>) {
        let size = worker.cube.known[0].len();
        // Positions counted on the main road are others for who comes there.
        if self.material.men() == 0 || size <= WORD || self.subs.has_counted() {
            return;
        }
        let mut all = Vec::new();
        for side in [0, 1] {
            all.clear();
            for pair in 0..self.subs.pairs() {
                worker.cube.pair(side, pair, &mut worker.dense);
                all.extend_from_slice(&worker.dense);
            }
            self.subs
                .insert_own::<N>(men[0], men[1], color(side), self.shape, &all);
        }
    }
}

/// Looks at a block of positions like `once`, of which it counts those where the side to move must
/// capture.
#[inline(always)]
fn one<B: Board, const N: usize, const P: usize, I: Isa, M: Root<B, N>>(
    looker: &mut Looker<'_, '_, B, N, P, I>,
    white_to_move: bool,
    pieces: &Pieces<B>,
    mut block: BlockMut<'_, B>,
    once: &M,
) -> u64 {
    let timed = looker.look_timed::<M, PLANES>(white_to_move, pieces);
    block.store(&timed);
    timed.captures.and(&once.set()).len()
}

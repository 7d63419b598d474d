//! The reference solver: exact distances of any class of any variant, one position at a time.
//!
//! Every position is first looked at forwards. Moves that leave the class (captures and promotions)
//! lead to finished tables and give it a best win, a longest loss, or a draw; the moves that stay are
//! only counted. Then the distances are settled in rising order: a position that is lost in d plies
//! makes every quiet predecessor a win in d + 1, a position that is won in d takes one of its
//! predecessor's counted moves away, and a position without any left is lost. What is never reached is
//! drawn.
//!
//! It judges faster solvers, so it is kept plain: the move generator, a count and a distance a
//! position, and nothing clever.

use makhos_index::{Material, PlacementIndex, normalize, stored_sides};
use makhos_probe::{Dtw, PackedDtw, Plies, SideStatistics, Wld};
use makhos_rules::{Board, Color, Move, Position, RuleSet};
use rayon::prelude::*;
use thiserror::Error;

use crate::engine::SolvedOutcomes;
use crate::monitor::{Monitor, Watch};
use crate::unmove::quiet_unmoves;

/// Values of positions outside the class that is being solved.
pub trait SubTables<B: Board>: Sync {
    /// The value of a [normalised](makhos_index::normalize) position with pieces on both sides, or
    /// `None` if its class is not there.
    fn value(&self, position: &Position<B>) -> Option<PackedDtw>;
}

/// No tables: enough for classes of two pieces without men.
impl<B: Board> SubTables<B> for () {
    fn value(&self, _: &Position<B>) -> Option<PackedDtw> {
        None
    }
}

/// Why a class was not solved.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// A class that moves lead to was not handed in.
    #[error("solving {material} needs the values of {missing}")]
    MissingClass {
        /// The class to be solved.
        material: Material,
        /// The class that is not there.
        missing: Material,
    },
    /// A distance does not fit the table format, or the solver.
    #[error("solving {material}: a position is further from its end than {most} plies")]
    TooLong {
        /// The class.
        material: Material,
        /// The most that fit.
        most: Plies,
    },
    /// The monitor asked to stop.
    #[error("solving {material} was interrupted")]
    Interrupted {
        /// The class.
        material: Material,
    },
}

/// The values of one class with one side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolvedSide {
    /// The side to move.
    pub side: Color,
    /// The value of every placement, in the order of [`PlacementIndex`].
    pub values: Vec<PackedDtw>,
    /// A bit for each placement, in the same order, the first the lowest of the first word: set where the
    /// side to move must capture.
    pub captures: Vec<u64>,
    /// Figures of these values.
    pub statistics: SideStatistics,
}

impl SolvedSide {
    /// Of all positions, in `open` the capture positions with [`CAPTURE`].
    pub(crate) fn new(side: Color, values: Vec<PackedDtw>, open: &[u16]) -> Self {
        let mut statistics = SideStatistics::default();
        let mut captures = vec![0; values.len().div_ceil(64)];
        for (index, (&value, &open)) in values.iter().zip(open).enumerate() {
            let capture = open & CAPTURE != 0;
            statistics.record(index as u64, value, capture);
            captures[index / 64] |= u64::from(capture) << (index % 64);
        }
        Self {
            side,
            values,
            captures,
            statistics,
        }
    }
}

impl SolvedSide {
    /// The outcomes as planes.
    pub(crate) fn outcomes(&self) -> SolvedOutcomes {
        let words = self.values.par_chunks(64).map(|values| {
            let (mut win, mut loss) = (0, 0);
            for (at, value) in values.iter().enumerate() {
                let wld = value.wld();
                win |= u64::from(wld == Wld::Win) << at;
                loss |= u64::from(wld == Wld::Loss) << at;
            }
            (win, loss)
        });
        let (win, loss) = words.unzip();
        SolvedOutcomes {
            side: self.side,
            win,
            loss,
            captures: self.captures.clone(),
            statistics: SideStatistics {
                longest_win: None,
                longest_loss: None,
                ..self.statistics
            },
        }
    }
}

/// Bytes of memory that [`solve`] takes a position.
pub const BYTES_PER_POSITION: u64 = 6;

/// Solves a class: one [`SolvedSide`] for each of its [`stored_sides`].
///
/// Looks at the positions in the current rayon pool; settling runs on one thread. `monitor` is told two
/// units of work for each position.
///
/// # Errors
/// [`SolveError`]; nothing is kept then.
pub fn solve<B: Board>(
    rules: &RuleSet,
    index: &PlacementIndex<B>,
    tables: &impl SubTables<B>,
    monitor: &dyn Monitor,
) -> Result<Vec<SolvedSide>, SolveError> {
    let watch = Watch {
        monitor,
        material: index.material(),
    };
    let class = Class {
        rules,
        index,
        watch,
    };
    let mut sides = Vec::new();
    for &side in stored_sides(index.material()) {
        sides.push(class.look_forwards(side, tables)?);
    }
    let settled = class.settle(&mut sides)?;
    let all = index.len() * sides.len() as u64;
    monitor.advanced(all - settled);
    Ok(sides.into_iter().map(Side::finish).collect())
}

/// Set in `open` where the side to move must capture.
pub(crate) const CAPTURE: u16 = 1 << 15;

/// Positions handed to a thread at a time.
const CHUNK: usize = 1 << 12;

/// What is known of the positions with one side to move.
struct Side {
    side: Color,
    /// The distance found so far: final once it is settled, before that the best of the moves that
    /// leave the class. 0 (a draw) where nothing is known.
    values: Vec<PackedDtw>,
    /// The longest loss by a move that leaves the class, in plies.
    floor: Vec<u16>,
    /// Moves not known to lose, with [`CAPTURE`]. Moves that draw or win outside the class are never
    /// taken away, so such a position is never counted as lost.
    open: Vec<u16>,
}

impl Side {
    fn new(side: Color, positions: usize) -> Self {
        Self {
            side,
            values: vec![PackedDtw::DRAW; positions],
            floor: vec![0; positions],
            open: vec![0; positions],
        }
    }

    fn finish(self) -> SolvedSide {
        SolvedSide::new(self.side, self.values, &self.open)
    }
}

struct Class<'a, B> {
    rules: &'a RuleSet,
    index: &'a PlacementIndex<B>,
    watch: Watch<'a>,
}

impl<B: Board> Class<'_, B> {
    fn look_forwards(&self, side: Color, tables: &impl SubTables<B>) -> Result<Side, SolveError> {
        let mut known = Side::new(side, self.index.len() as usize);
        known
            .values
            .par_chunks_mut(CHUNK)
            .zip(known.floor.par_chunks_mut(CHUNK))
            .zip(known.open.par_chunks_mut(CHUNK))
            .enumerate()
            .try_for_each_init(Vec::new, |moves, (chunk, ((values, floor), open))| {
                self.check_stop()?;
                for at in 0..values.len() {
                    let position = self.index.position((chunk * CHUNK + at) as u64, side);
                    (values[at], floor[at], open[at]) = self.look_at(&position, moves, tables)?;
                }
                self.watch.monitor.advanced(values.len() as u64);
                Ok(())
            })?;
        Ok(known)
    }

    /// The value, floor and open moves of a position by its moves alone.
    fn look_at(
        &self,
        position: &Position<B>,
        moves: &mut Vec<Move<B>>,
        tables: &impl SubTables<B>,
    ) -> Result<(PackedDtw, u16, u16), SolveError> {
        self.rules.legal_moves_into(position, moves);
        let mut win: Option<u16> = None;
        let mut floor = 0;
        let mut open = 0;
        for mv in &*moves {
            if !mv.is_capture() && !mv.promotes {
                open += 1;
                continue;
            }
            match self.outside(&position.make(mv), tables)?.before() {
                Dtw::Win(plies) => win = Some(win.unwrap_or(u16::MAX).min(plies.get())),
                Dtw::Loss(plies) => floor = floor.max(plies.get()),
                Dtw::Draw => open += 1,
            }
        }
        let value = match win {
            Some(plies) => {
                open += 1;
                Dtw::Win(Plies::new(plies)).pack()
            }
            None if open == 0 => Dtw::Loss(Plies::new(floor)).pack(),
            None => PackedDtw::DRAW,
        };
        if moves.first().is_some_and(Move::is_capture) {
            open |= CAPTURE;
        }
        Ok((value, floor, open))
    }

    /// The value of a position outside the class.
    fn outside(
        &self,
        position: &Position<B>,
        tables: &impl SubTables<B>,
    ) -> Result<Dtw, SolveError> {
        if position.pieces(position.side()).is_empty() {
            return Ok(PackedDtw::LOST.unpack());
        }
        let position = normalize(position);
        let value = tables.value(&position);
        value
            .map(PackedDtw::unpack)
            .ok_or_else(|| SolveError::MissingClass {
                material: self.watch.material,
                missing: Material::of(&position),
            })
    }

    /// Settles all distances in rising order. Returns the number of decided positions.
    fn settle(&self, sides: &mut [Side]) -> Result<u64, SolveError> {
        let mut settled = 0;
        let mut plies = 0;
        while plies <= longest(sides) {
            for slot in 0..sides.len() {
                for start in (0..sides[slot].values.len()).step_by(CHUNK) {
                    self.check_stop()?;
                    let here = self.settle_chunk(sides, slot, start, plies)?;
                    self.watch.monitor.advanced(here);
                    settled += here;
                }
            }
            plies += 1;
        }
        Ok(settled)
    }

    /// Settles the positions of one chunk that are decided in `plies`; returns how many.
    fn settle_chunk(
        &self,
        sides: &mut [Side],
        slot: usize,
        start: usize,
        plies: u32,
    ) -> Result<u64, SolveError> {
        let end = (start + CHUNK).min(sides[slot].values.len());
        let mut here = 0;
        for index in start..end {
            let value = sides[slot].values[index];
            if u32::from(value.bits()) == plies + 1 {
                here += 1;
                let position = self.index.position(index as u64, sides[slot].side);
                self.tell_predecessors(&position, value, sides)?;
            }
        }
        Ok(here)
    }

    /// Tells the positions that can move to `position` its value, now that it is settled.
    fn tell_predecessors(
        &self,
        position: &Position<B>,
        value: PackedDtw,
        sides: &mut [Side],
    ) -> Result<(), SolveError> {
        let Some(plies) = value.unpack().plies() else {
            return Ok(());
        };
        if plies >= Plies::STORED_MAX {
            return Err(SolveError::TooLong {
                material: self.watch.material,
                most: Plies::STORED_MAX,
            });
        }
        // In a symmetric class only White is stored to move: the position before has White to move if
        // this one is turned round first.
        let position = if sides.len() == 1 {
            position.flip()
        } else {
            *position
        };
        let before = value.unpack().before();
        quiet_unmoves(self.rules, &position, |predecessor| {
            let slot = sides
                .iter()
                .position(|side| side.side == predecessor.side());
            let side = &mut sides[slot.expect("a class stores the side that moves into it")];
            let index = self.index.index(&predecessor) as usize;
            if side.open[index] & CAPTURE != 0 {
                return;
            }
            let known = side.values[index];
            match before {
                Dtw::Win(_) => {
                    if known == PackedDtw::DRAW || before > known.unpack() {
                        side.values[index] = before.pack();
                    }
                }
                Dtw::Loss(plies) => {
                    side.open[index] -= 1;
                    if side.open[index] == 0 && known == PackedDtw::DRAW {
                        let plies = plies.get().max(side.floor[index]);
                        side.values[index] = Dtw::Loss(Plies::new(plies)).pack();
                    }
                }
                Dtw::Draw => {}
            }
        });
        Ok(())
    }

    fn check_stop(&self) -> Result<(), SolveError> {
        if self.watch.monitor.should_stop() {
            return Err(SolveError::Interrupted {
                material: self.watch.material,
            });
        }
        Ok(())
    }
}

/// The largest distance known so far, in plies.
fn longest(sides: &[Side]) -> u32 {
    let all = sides.iter().flat_map(|side| &side.values);
    let bits = all.map(|value| value.bits()).max().unwrap_or(0);
    u32::from(bits.saturating_sub(1))
}

//! Solving a class under drawing rules: for each position, the plies that must be left on the clock for the
//! result to hold.
//!
//! More plies left never hurt the side that wins, so one number a position says all about every state of
//! its clock: the [`Dtz`], the least number of plies left with which the result holds. A move after which
//! the clock is fresh needs one ply, the move itself, if what it leads to holds with a fresh clock; a move
//! that lets the clock run needs one ply more than what it leads to. As in the [reference](crate::reference)
//! solver, moves that leave the class are looked at forwards and those inside settle in rising order. Where
//! a man's move makes the clock fresh, it leads to a configuration of men that is solved before; then only
//! moves of kings are settled.
//!
//! This is the judge of the bit-parallel solver ([`SolvedBoard::solve_ruled`](crate::SolvedBoard::solve_ruled)),
//! kept plain, and does the classes that it does not.
//!
//! Where plies of a lone king on the main road are counted, a class is solved once for each number of
//! them, the largest first.

use makhos_index::{Material, PlacementIndex, normalize, stored_sides};
use makhos_probe::{Dtz, PackedDtw, Plies};
use makhos_rules::draw::{DrawRules, Pieces, Progress, Step};
use makhos_rules::{Board, Color, Move, Position, RuleSet};
use rayon::prelude::*;

use crate::monitor::{Monitor, Watch};
use crate::reference::{CAPTURE, SolveError, SolvedSide};
use crate::unmove::quiet_unmoves;

/// Values of positions outside the class, or of the class with more plies counted on the main road.
pub trait DtzTables<B: Board>: Sync {
    /// The value of a [normalised](makhos_index::normalize) position with pieces on both sides, with so
    /// many plies counted on the main road, or `None` if its class is not there.
    fn value(&self, position: &Position<B>, road: u8) -> Option<Dtz>;
}

/// No tables: enough for classes of two pieces without men.
impl<B: Board> DtzTables<B> for () {
    fn value(&self, _: &Position<B>, _: u8) -> Option<Dtz> {
        None
    }
}

/// What is to be solved.
#[derive(Clone, Copy, Debug)]
pub struct DtzTask<'a, B> {
    /// The rules of the moves.
    pub rules: &'a RuleSet,
    /// The drawing rules.
    pub draw_rules: &'a DrawRules,
    /// The numbering of the class, which must be canonical.
    pub index: &'a PlacementIndex<B>,
    /// Plies counted on the main road; 0 for a class that is not the material of that rule.
    pub road: u8,
}

/// Bytes of memory that [`solve_dtz`] takes a position.
pub const DTZ_BYTES_PER_POSITION: u64 = 28;

/// The pieces of a class.
pub(crate) fn pieces(material: Material) -> Pieces {
    let armies = [material.white, material.black];
    Pieces {
        men: armies.map(|army| army.men.into()),
        kings: armies.map(|army| army.kings.into()),
    }
}

/// Solves a class: one [`SolvedSide`] of packed [`Dtz`] for each of its [`stored_sides`].
///
/// Looks at the positions in the current rayon pool; settling runs on one thread. `monitor` is told two
/// units of work for each position.
///
/// # Errors
/// [`SolveError`]; nothing is kept then.
pub fn solve_dtz<B: Board>(
    task: &DtzTask<'_, B>,
    tables: &impl DtzTables<B>,
    monitor: &dyn Monitor,
) -> Result<Vec<SolvedSide>, SolveError> {
    let class = Class::new(task, monitor);
    let material = task.index.material();
    let mut sides: Vec<Side> = stored_sides(material)
        .iter()
        .map(|&side| Side::new(side, task.index.len() as usize))
        .collect();
    for unit in class.units() {
        class.look_forwards(&unit, &mut sides, tables)?;
        class.settle(&unit, &mut sides)?;
    }
    Ok(sides.into_iter().map(Side::finish).collect())
}

/// A position whose value does not follow from those its moves lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DtzDifference<B> {
    /// The position.
    pub position: Position<B>,
    /// The value of the table.
    pub found: Dtz,
    /// The value by its moves.
    pub expected: Dtz,
}

/// Derives the value of every position of a class from those its moves lead to, and compares. `tables`
/// holds the class itself as well. Returns the difference with the lowest index, the first side first.
///
/// Values that agree everywhere are right: each rests on others that need fewer plies.
///
/// Works in the current rayon pool; `monitor` is told one unit of work for each position.
///
/// # Errors
/// [`SolveError`], if a table is missing or the monitor asks to stop.
pub fn check_dtz<B: Board>(
    task: &DtzTask<'_, B>,
    tables: &impl DtzTables<B>,
    monitor: &dyn Monitor,
) -> Result<Option<DtzDifference<B>>, SolveError> {
    let class = Class::new(task, monitor);
    let len = task.index.len();
    for &side in stored_sides(task.index.material()) {
        let chunks = len.div_ceil(CHUNK);
        let differences = (0..chunks)
            .into_par_iter()
            .map_init(Vec::new, |moves, chunk| {
                class.check_stop()?;
                let range = chunk * CHUNK..((chunk + 1) * CHUNK).min(len);
                monitor.advanced(range.end - range.start);
                for index in range {
                    let difference = class.check(index, side, moves, tables)?;
                    if difference.is_some() {
                        return Ok(difference);
                    }
                }
                Ok(None)
            });
        let differences: Vec<_> = differences.collect::<Result<_, SolveError>>()?;
        if let Some(first) = differences.into_iter().flatten().next() {
            return Ok(Some(first));
        }
    }
    Ok(None)
}

/// Plies above which a value may not fit the table format, which packs two to one.
const LONGEST: Plies = Plies::new(Plies::STORED_MAX.get() / 2 - 1);

/// Positions handed to a thread at a time.
const CHUNK: u64 = 1 << 12;

/// What is known of the positions with one side to move.
struct Side {
    side: Color,
    /// Packed; a draw where nothing is known.
    values: Vec<PackedDtw>,
    /// The plies that the longest loss by a move that is not settled inside needs.
    floor: Vec<u16>,
    /// Moves not known to lose, with [`CAPTURE`].
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

/// What is known of one position by the moves that are not settled inside.
#[derive(Clone, Copy)]
struct Looked {
    value: PackedDtw,
    floor: u16,
    open: u16,
}

/// Where a move leads.
enum Target<B> {
    /// To a position of the class with as many plies on the road. It settles together with this one
    /// unless the clock is fresh then.
    Inside(Position<B>, Step),
    /// To a position with another table, [normalised](normalize).
    Outside(Position<B>, u8, Step),
    /// To the end of the game, or to a draw by the road.
    End(Dtz, Step),
}

/// Positions to be settled, by the plies they need.
type Queue = Vec<Vec<Entry>>;

/// The number of a side, in the highest bit, and the index of a position.
#[derive(Clone, Copy)]
struct Entry(u64);

impl Entry {
    fn new(slot: usize, index: u64) -> Self {
        Self(((slot as u64) << 63) | index)
    }

    fn slot(self) -> usize {
        (self.0 >> 63) as usize
    }

    fn index(self) -> u64 {
        self.0 & !(1 << 63)
    }
}

struct Class<'a, B> {
    task: DtzTask<'a, B>,
    watch: Watch<'a>,
    pieces: Pieces,
    /// The most plies that can be left.
    limit: u16,
    /// Whether a man's move makes the clock fresh.
    men_reset: bool,
    /// Whether the class is the material of the rule of the main road.
    on_road: bool,
}

impl<'a, B: Board> Class<'a, B> {
    fn new(task: &DtzTask<'a, B>, monitor: &'a dyn Monitor) -> Self {
        let material = task.index.material();
        let pieces = pieces(material);
        let governing = task.draw_rules.governing(&pieces);
        let clock = governing.map(|number| &task.draw_rules.clocks[number]);
        let road = task.draw_rules.road.as_ref();
        Self {
            task: *task,
            watch: Watch { monitor, material },
            pieces,
            limit: clock.map_or(u16::MAX, |clock| clock.plies),
            men_reset: clock.is_some_and(|clock| clock.resets.man_move),
            on_road: road.is_some_and(|road| road.holds(&pieces)),
        }
    }

    /// The configurations of men that are settled together, in the order in which that must be done.
    fn units(&self) -> Vec<Vec<u64>> {
        let index = self.task.index;
        if !self.men_reset {
            return vec![(0..index.outer()).collect()];
        }
        // A man's move leads one row further.
        let mut by_rows: Vec<Vec<u64>> = Vec::new();
        for number in 0..index.outer() {
            let (white, black) = index.men(number);
            let rows = advanced(white, true) + advanced(black, false);
            while by_rows.len() <= rows {
                by_rows.push(Vec::new());
            }
            by_rows[rows].push(number);
        }
        by_rows.reverse();
        by_rows
    }

    fn look_forwards(
        &self,
        unit: &[u64],
        sides: &mut [Side],
        tables: &impl DtzTables<B>,
    ) -> Result<(), SolveError> {
        let inner = self.task.index.inner();
        for slot in 0..sides.len() {
            let chunks = inner.div_ceil(CHUNK);
            // A configuration of men at a time where there are few kings, parts of it where there are many.
            let ranges: Vec<_> = unit
                .iter()
                .flat_map(|&men| {
                    (0..chunks).map(move |chunk| {
                        let start = men * inner + chunk * CHUNK;
                        start..(start + CHUNK).min((men + 1) * inner)
                    })
                })
                .collect();
            let known = &*sides;
            let looked: Vec<Vec<Looked>> = ranges
                .par_iter()
                .map_init(Vec::new, |moves, range| {
                    self.check_stop()?;
                    let positions = range.clone();
                    let looked = positions
                        .map(|index| self.look_at(index, known, slot, moves, tables))
                        .collect::<Result<Vec<_>, _>>()?;
                    self.watch.monitor.advanced(looked.len() as u64);
                    Ok(looked)
                })
                .collect::<Result<_, SolveError>>()?;
            let side = &mut sides[slot];
            for (range, looked) in ranges.into_iter().zip(looked) {
                for (index, looked) in range.zip(looked) {
                    let index = index as usize;
                    side.values[index] = looked.value;
                    side.floor[index] = looked.floor;
                    side.open[index] = looked.open;
                }
            }
        }
        Ok(())
    }

    /// What the moves of a position say that are not settled inside.
    fn look_at(
        &self,
        index: u64,
        known: &[Side],
        slot: usize,
        moves: &mut Vec<Move<B>>,
        tables: &impl DtzTables<B>,
    ) -> Result<Looked, SolveError> {
        let position = self.task.index.position(index, known[slot].side);
        self.task.rules.legal_moves_into(&position, moves);
        let mut win: Option<u16> = None;
        let mut floor = 0;
        let mut open = 0;
        for mv in &*moves {
            let (value, step) = match self.target(&position, mv) {
                Target::Inside(_, Step::On | Step::Unclocked) => {
                    open += 1;
                    continue;
                }
                Target::Inside(after, step) => (self.solved(&after, known), step),
                Target::Outside(after, road, step) => (self.outside(&after, road, tables)?, step),
                Target::End(value, step) => (value, step),
            };
            match self.needed(value, step) {
                Dtz::Win(plies) => win = Some(win.unwrap_or(u16::MAX).min(plies.get())),
                Dtz::Loss(plies) => floor = floor.max(plies.get()),
                Dtz::Draw => open += 1,
            }
        }
        let value = match win {
            Some(plies) => {
                open += 1;
                Dtz::Win(Plies::new(plies)).pack()
            }
            None if open == 0 => Dtz::Loss(Plies::new(floor)).pack(),
            None => PackedDtw::DRAW,
        };
        if moves.first().is_some_and(Move::is_capture) {
            open |= CAPTURE;
        }
        Ok(Looked { value, floor, open })
    }

    /// Where a move leads, and what it does to the clock.
    fn target(&self, position: &Position<B>, mv: &Move<B>) -> Target<B> {
        let draw_rules = self.task.draw_rules;
        let after = position.make(mv);
        let progress = Progress::of(position, mv);
        let stays = matches!(progress, Progress::KingMove | Progress::ManMove);
        let step = draw_rules.step(&self.pieces, &Pieces::of(&after), progress);
        let road = draw_rules.road_after(self.task.road, &self.pieces, &after);
        if after.pieces(after.side()).is_empty() {
            return Target::End(Dtz::Loss(Plies::ZERO), step);
        }
        if draw_rules
            .road
            .as_ref()
            .is_some_and(|rule| road >= rule.plies)
        {
            // A game that is over is not drawn any more.
            let stuck = self.task.rules.legal_moves(&after).is_empty();
            let value = if stuck {
                Dtz::Loss(Plies::ZERO)
            } else {
                Dtz::Draw
            };
            return Target::End(value, step);
        }
        let after = normalize(&after);
        if stays && road == self.task.road {
            Target::Inside(after, step)
        } else {
            Target::Outside(after, road, step)
        }
    }

    /// The value of a normalised position of the class that is settled already.
    fn solved(&self, position: &Position<B>, known: &[Side]) -> Dtz {
        let side = known.iter().find(|side| side.side == position.side());
        let side = side.expect("a class stores the sides of its normalised positions");
        Dtz::unpack(side.values[self.task.index.index(position) as usize])
    }

    fn outside(
        &self,
        position: &Position<B>,
        road: u8,
        tables: &impl DtzTables<B>,
    ) -> Result<Dtz, SolveError> {
        let value = tables.value(position, road);
        value.ok_or_else(|| SolveError::MissingClass {
            material: self.watch.material,
            missing: Material::of(position),
        })
    }

    /// The value, for the side that moves, of a move to `value`.
    fn needed(&self, value: Dtz, step: Step) -> Dtz {
        let plies = value.plies().map(Plies::get);
        let (holds, needed) = match (plies, step) {
            (None, _) => return Dtz::Draw,
            (Some(_), Step::Unclocked) => (true, 1),
            (Some(plies), Step::Fresh(fresh)) => (plies <= fresh, 1),
            (Some(plies), Step::On) => (true, plies.saturating_add(1)),
            (Some(plies), Step::Capped(most)) => (plies <= most, plies.saturating_add(1)),
        };
        if !holds || needed > self.limit {
            return Dtz::Draw;
        }
        match value {
            Dtz::Loss(_) => Dtz::Win(Plies::new(needed)),
            Dtz::Win(_) => Dtz::Loss(Plies::new(needed)),
            Dtz::Draw => Dtz::Draw,
        }
    }

    /// Compares the value of a position with those its moves lead to.
    fn check(
        &self,
        index: u64,
        side: Color,
        moves: &mut Vec<Move<B>>,
        tables: &impl DtzTables<B>,
    ) -> Result<Option<DtzDifference<B>>, SolveError> {
        let position = self.task.index.position(index, side);
        let found = self.outside(&position, self.task.road, tables)?;
        self.task.rules.legal_moves_into(&position, moves);
        let mut win: Option<Plies> = None;
        let mut loss = Some(Plies::ZERO);
        for mv in &*moves {
            let (value, step) = match self.target(&position, mv) {
                // In a class without a clock its plies are counted all the same.
                Target::Inside(after, Step::Unclocked) => {
                    (self.outside(&after, self.task.road, tables)?, Step::On)
                }
                Target::Inside(after, step) => {
                    (self.outside(&after, self.task.road, tables)?, step)
                }
                Target::Outside(after, road, step) => (self.outside(&after, road, tables)?, step),
                Target::End(value, step) => (value, step),
            };
            match self.needed(value, step) {
                Dtz::Win(plies) => win = Some(win.map_or(plies, |known| known.min(plies))),
                Dtz::Loss(plies) => loss = loss.map(|known| known.max(plies)),
                Dtz::Draw => loss = None,
            }
        }
        let expected = match (win, loss) {
            (Some(plies), _) => Dtz::Win(plies),
            (None, Some(plies)) => Dtz::Loss(plies),
            (None, None) => Dtz::Draw,
        };
        Ok((found != expected).then_some(DtzDifference {
            position,
            found,
            expected,
        }))
    }

    /// Settles the positions of a unit in rising order of the plies they need.
    fn settle(&self, unit: &[u64], sides: &mut [Side]) -> Result<(), SolveError> {
        let inner = self.task.index.inner();
        let mut queue = Queue::new();
        for (slot, side) in sides.iter().enumerate() {
            for &men in unit {
                for index in men * inner..(men + 1) * inner {
                    let value = side.values[index as usize];
                    enqueue(&mut queue, Entry::new(slot, index), value);
                }
            }
        }
        let mut needed = 0;
        while needed < queue.len() {
            self.check_stop()?;
            for entry in std::mem::take(&mut queue[needed]) {
                let value = sides[entry.slot()].values[entry.index() as usize];
                // Another way may have turned out shorter.
                if place(value) == Some(needed) {
                    self.tell_predecessors(entry, value, sides, &mut queue)?;
                }
            }
            needed += 1;
        }
        let positions = unit.len() as u64 * inner * sides.len() as u64;
        self.watch.monitor.advanced(positions);
        Ok(())
    }

    /// Tells the positions from which a move inside leads to this one its value, now that it is settled.
    fn tell_predecessors(
        &self,
        entry: Entry,
        value: PackedDtw,
        sides: &mut [Side],
        queue: &mut Queue,
    ) -> Result<(), SolveError> {
        let side = sides[entry.slot()].side;
        let position = self.task.index.position(entry.index(), side);
        let road = self.task.draw_rules.road.as_ref().filter(|_| self.on_road);
        if road.is_some_and(|road| road.counts(&position)) {
            // Reached with one ply more on the road: looked at forwards.
            return Ok(());
        }
        let value = Dtz::unpack(value);
        if value.plies().is_some_and(|plies| plies >= LONGEST) {
            return Err(SolveError::TooLong {
                material: self.watch.material,
                most: Plies::STORED_MAX,
            });
        }
        let before = self.needed(value, Step::On);
        let Some(plies) = before.plies() else {
            // The clock runs out before.
            return Ok(());
        };
        // In a symmetric class only White is stored to move: the position before has White to move if
        // this one is turned round first.
        let position = if sides.len() == 1 {
            position.flip()
        } else {
            position
        };
        let mover = position.side().opponent();
        quiet_unmoves(self.task.rules, &position, |predecessor| {
            if self.men_reset && predecessor.men(mover) != position.men(mover) {
                return;
            }
            let slot = sides
                .iter()
                .position(|side| side.side == predecessor.side());
            let slot = slot.expect("a class stores the side that moves into it");
            let side = &mut sides[slot];
            let index = self.task.index.index(&predecessor) as usize;
            if side.open[index] & CAPTURE != 0 {
                return;
            }
            let known = Dtz::unpack(side.values[index]);
            let found = match (before, known) {
                (Dtz::Win(_), Dtz::Draw) => before,
                (Dtz::Win(plies), Dtz::Win(known)) if plies < known => before,
                (Dtz::Loss(_), _) => {
                    side.open[index] -= 1;
                    if side.open[index] > 0 || known != Dtz::Draw {
                        return;
                    }
                    Dtz::Loss(plies.max(Plies::new(side.floor[index])))
                }
                _ => return,
            };
            side.values[index] = found.pack();
            enqueue(queue, Entry::new(slot, index as u64), found.pack());
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

/// Where a decided position is settled.
fn place(value: PackedDtw) -> Option<usize> {
    let plies = Dtz::unpack(value).plies()?;
    Some(plies.get().into())
}

/// Puts a decided position where its plies are settled.
fn enqueue(queue: &mut Queue, entry: Entry, value: PackedDtw) {
    let Some(place) = place(value) else {
        return;
    };
    if queue.len() <= place {
        queue.resize_with(place + 1, Vec::new);
    }
    queue[place].push(entry);
}

/// The rows that a side's men have advanced together.
fn advanced<B: Board>(men: B, white: bool) -> usize {
    let rows = |square: usize| {
        let row = square / B::PER_ROW as usize;
        if white {
            B::ROWS as usize - 1 - row
        } else {
            row
        }
    };
    men.squares().map(rows).sum()
}

//! The values of many positions at once.
//!
//! A single probe waits for memory again and again. Here all positions of a chunk take one step before any of
//! them takes the next, so that the processor waits for many places in memory at the same time: where a
//! position is stored, whether that stretch is all one outcome, where else the outcome is, the outcome.
//! Positions in which the side to move must capture, or whose side to move is not stored, are replaced by those that
//! its moves lead to, again and again, until there are only such that are looked up; then their values go back
//! the way they came.
//!
//! What has not been decoded yet is left to single probes, sorted so that each cell is decoded once.

use makhos_index::Material;
use makhos_rules::{Board, Move, Position};

use crate::isa::Task;
use crate::probe_error::ProbeError;
use crate::table::{Kept, Spot, Word};
use crate::tablebase::answers::Batch;
use crate::tablebase::quick::{Stored, outcome_of};
use crate::tablebase::{Class, Tablebase};
use crate::value::{Dtw, Wld};

/// Positions that go step by step together. Many more than memory can be asked for at once, few enough that
/// what is known of them stays near the processor.
const CHUNK: usize = 256;

/// Positions of a chunk and of all that follow, about. Usually there are less than two for each of a chunk, or ten
/// where its side to move is not stored; with many more pieces than any table has there could be any number.
const MOST: usize = 64 * CHUNK;

/// What is known of a position. The greater of two replies is the better; if one is unknown, so is the best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Known {
    /// Nothing yet.
    Nothing,
    Value(Wld),
    /// It takes a single probe.
    No,
}

impl Known {
    #[inline(always)]
    fn value(self) -> Option<Wld> {
        match self {
            Self::Value(value) => Some(value),
            Self::Nothing | Self::No => None,
        }
    }
}

/// What the first look tells, by the number of the outcome plus one.
const BY_UNIFORM: [Known; 4] = [
    Known::No,
    Known::Value(outcome_of(0)),
    Known::Value(outcome_of(1)),
    Known::Value(outcome_of(2)),
];

/// What the chunks of a batch need; its memory is used again.
struct Chunk<'a, B> {
    /// The positions of a chunk, behind them those that moves lead to: every one behind the one it comes
    /// from.
    positions: Vec<Position<B>>,
    /// From which position another one comes, for those behind the chunk itself.
    parents: Vec<u32>,
    known: Vec<Known>,
    /// Numbers of the positions that are looked up.
    quiet: Vec<u32>,
    /// Numbers of the positions whose moves are looked at: the side to move must capture, or is not stored.
    expanded: Vec<u32>,
    /// Of quiet positions: the class, and whether they are stored flipped.
    classes: Vec<(u32, &'a Class<B>, bool)>,
    /// Of those of classes of which something has been decoded.
    stored: Vec<(u32, &'a Kept, Stored<'a, B>)>,
    /// Of positions that are not known from the first look.
    spots: Vec<(u32, &'a Kept, Spot)>,
    words: Vec<(u32, Word<'a>)>,
    moves: Vec<Move<B>>,
}

/// Looks the positions of a chunk up, from number `from` on.
struct LookUp<'a, 'b, B> {
    tables: &'a Tablebase<B>,
    chunk: &'b mut Chunk<'a, B>,
    from: usize,
}

impl<B: Board> Task for LookUp<'_, '_, B> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.chunk.sort_out(self.tables, self.from);
        self.chunk.find(self.tables);
        self.chunk.look();
        self.chunk.read();
    }
}

impl<'a, B: Board> Chunk<'a, B> {
    fn new() -> Self {
        Self {
            positions: Vec::new(),
            parents: Vec::new(),
            known: Vec::new(),
            quiet: Vec::new(),
            expanded: Vec::new(),
            classes: Vec::new(),
            stored: Vec::new(),
            spots: Vec::new(),
            words: Vec::new(),
            moves: Vec::new(),
        }
    }

    /// Finds out what quick answers tell of these positions.
    fn probe(&mut self, tables: &'a Tablebase<B>, positions: &[Position<B>]) {
        self.positions.clear();
        self.positions.extend_from_slice(positions);
        self.parents.clear();
        self.known.clear();
        let mut from = 0;
        while from < self.positions.len() {
            self.known.resize(self.positions.len(), Known::Nothing);
            tables.processor.run(LookUp {
                tables,
                chunk: self,
                from,
            });
            from = self.positions.len();
            self.expand(tables);
        }
        for child in (positions.len()..self.positions.len()).rev() {
            let parent = self.parents[child - positions.len()] as usize;
            let reply = match self.known[child] {
                Known::Value(value) => Known::Value(value.before()),
                unknown => unknown,
            };
            self.known[parent] = self.known[parent].max(reply);
        }
    }

    /// Parts the positions from number `from` on into those that are quiet and the others.
    #[inline(always)]
    fn sort_out(&mut self, tables: &'a Tablebase<B>, from: usize) {
        let count = self.positions.len() - from;
        self.quiet.resize(count, 0);
        self.expanded.resize(count, 0);
        let (mut quiet, mut captures) = (0, 0);
        for (number, position) in (from as u32..).zip(&self.positions[from..]) {
            // Both lists are written and one of them grows: a branch could not be foreseen.
            let must_capture = tables.rules().has_capture(position);
            self.quiet[quiet] = number;
            self.expanded[captures] = number;
            quiet += usize::from(!must_capture);
            captures += usize::from(must_capture);
        }
        self.quiet.truncate(quiet);
        self.expanded.truncate(captures);
    }

    /// Finds out where quiet positions are stored. In several passes: the processor looks ahead by less than what
    /// one position takes in all, and each pass has it wait for other things.
    #[inline(always)]
    fn find(&mut self, tables: &'a Tablebase<B>) {
        self.classes.clear();
        for &number in &self.quiet {
            let position = &self.positions[number as usize];
            match tables.class_of(position) {
                Some((class, flipped)) => self.classes.push((number, class, flipped)),
                None if position.pieces(position.side()).is_empty() => {
                    self.known[number as usize] = Known::Value(Wld::Loss);
                }
                None => self.known[number as usize] = Known::No,
            }
        }
        self.stored.clear();
        for &(number, class, flipped) in &self.classes {
            let position = &self.positions[number as usize];
            match class.kept.get() {
                Some(kept) => self
                    .stored
                    .push((number, kept, class.stored(position, flipped))),
                None => self.known[number as usize] = Known::No,
            }
        }
        self.spots.clear();
        for (number, kept, stored) in &self.stored {
            let spot = kept.spot(stored.side_number(), stored.index);
            kept.prefetch_uniform(spot);
            self.spots.push((*number, kept, spot));
        }
    }

    /// Takes the first look, and keeps the spots it does not settle.
    #[inline(always)]
    fn look(&mut self) {
        let mut left = 0;
        for at in 0..self.spots.len() {
            let (number, kept, spot) = self.spots[at];
            let uniform = kept.uniform(spot);
            self.known[number as usize] = BY_UNIFORM[usize::from(uniform & 3)];
            self.spots[left] = (number, kept, spot);
            left += usize::from(uniform == 0);
        }
        self.spots.truncate(left);
        for &(_, kept, spot) in &self.spots {
            kept.prefetch_mixed(spot);
        }
    }

    /// Reads the outcomes of the others.
    #[inline(always)]
    fn read(&mut self) {
        self.words.clear();
        for &(number, kept, spot) in &self.spots {
            match kept.mixed_word(spot) {
                Some(word) => {
                    word.prefetch();
                    self.words.push((number, word));
                }
                None if kept.is_stored(spot) => self.known[number as usize] = Known::No,
                None => {
                    self.known[number as usize] = Known::Nothing;
                    self.expanded.push(number);
                }
            }
        }
        for &(number, word) in &self.words {
            self.known[number as usize] = Known::Value(outcome_of(word.outcome()));
        }
    }

    /// Puts the positions that moves lead to behind the others, unless there are too many.
    fn expand(&mut self, tables: &Tablebase<B>) {
        for at in 0..self.expanded.len() {
            let number = self.expanded[at];
            if self.positions.len() >= MOST {
                self.known[number as usize] = Known::No;
                continue;
            }
            let position = self.positions[number as usize];
            tables.rules().legal_moves_into(&position, &mut self.moves);
            if self.moves.is_empty() {
                self.known[number as usize] = Known::Value(Wld::Loss);
            }
            for mv in &self.moves {
                self.positions.push(position.make(mv));
                self.parents.push(number);
            }
        }
    }
}

impl<B: Board> Tablebase<B> {
    /// [`probe_wld`](Self::probe_wld) of many positions, on this thread. What has been decoded is
    /// read for many positions at the same time; the rest class by class and cell by cell, so that each part of
    /// a file is decoded once, however the positions are mixed.
    ///
    /// Each position has its own value or error, the same as by [`probe_wld`](Self::probe_wld).
    #[must_use]
    pub fn probe_wld_batch(&self, positions: &[Position<B>]) -> Batch<Wld> {
        let mut values = Vec::with_capacity(positions.len());
        let mut chunk = Chunk::new();
        for positions in positions.chunks(CHUNK) {
            chunk.probe(self, positions);
            values.extend(
                chunk.known[..positions.len()]
                    .iter()
                    .map(|known| known.value()),
            );
        }
        let numbered = (0..).zip(&values);
        let rest = numbered.filter_map(|(number, value)| value.is_none().then_some(number));
        let rest = rest.collect();
        self.one_by_one(positions, rest, values, Self::probe_wld)
    }

    /// [`probe_dtw`](Self::probe_dtw) of many positions, on this thread: class by class and cell by
    /// cell, as [`probe_wld_batch`](Self::probe_wld_batch).
    #[must_use]
    pub fn probe_dtw_batch(&self, positions: &[Position<B>]) -> Batch<Dtw> {
        let all = (0..positions.len()).collect();
        let values = vec![None; positions.len()];
        self.one_by_one(positions, all, values, Self::probe_dtw)
    }

    /// Probes the positions of these numbers, in the order in which they are stored. `values` has those of the
    /// others.
    fn one_by_one<V>(
        &self,
        positions: &[Position<B>],
        numbers: Vec<usize>,
        mut values: Vec<Option<V>>,
        probe: impl Fn(&Self, &Position<B>) -> Result<V, ProbeError>,
    ) -> Batch<V> {
        let place = |number: usize| {
            let position = &positions[number];
            let material = Material::of(position).canonical();
            let stored = self.stored(position);
            let place = stored.map_or((0, 0), |stored| (stored.side_number(), stored.index));
            (material, place, number)
        };
        let mut order: Vec<_> = numbers.into_iter().map(place).collect();
        order.sort_unstable();
        let mut errors = Vec::new();
        for (.., number) in order {
            match probe(self, &positions[number]) {
                Ok(value) => values[number] = Some(value),
                Err(error) => errors.push((number, error)),
            }
        }
        errors.sort_unstable_by_key(|(number, _)| *number);
        Batch { values, errors }
    }
}

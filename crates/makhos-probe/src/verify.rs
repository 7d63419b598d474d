//! Proving that a table is right, from the files and the rules alone.
//!
//! Every stored value is compared with the best its moves lead to, successors being read from the
//! files as well (Bellman's equation). For distances this is a proof, given that the tables of the
//! smaller classes are right: distances fall with every move, so nothing can support itself in a
//! circle. Outcomes could, which is why they are also compared with the distances if these are there.

use std::collections::HashMap;

use makhos_index::{Material, dependencies, normalize};
use makhos_rules::notation::fen;
use makhos_rules::{Board, Color, Move, Position, RuleSet};
use rayon::prelude::*;

use crate::dtc::Dtc;
use crate::probe_error::ProbeError;
use crate::report::{AnyValue, Check, Difference, StatisticsDifference, Verification};
use crate::statistics::SideStatistics;
use crate::table::{LoadedTable, Table};
use crate::tablebase::{Tablebase, Value};
use crate::value::{Dtw, Metric, PackedDtw, Plies, Wld};

/// Positions a thread takes at once.
const RANGE: u64 = 1 << 14;
/// Positions of a sample a thread takes at once.
const SAMPLE_RANGE: usize = 256;

/// Checks every stored value of a class, and its statistics. Values at capture positions are checked if the
/// table stores them; a compact table has none, and they are found by searching.
///
/// Decodes the table and those of the classes its moves lead to into memory (see
/// [`verification_bytes`]) and uses all threads of the current rayon pool. `progress` gets the number
/// of positions checked since it was last called, from any thread. At most `limit` differences are
/// kept; all are counted.
///
/// # Errors
/// [`ProbeError`] if a table is missing or damaged, or with [`Metric::Dtz`], for which the moves give no
/// values without counting plies.
pub fn verify_values<B: Board>(
    tables: &Tablebase<B>,
    material: Material,
    metric: Metric,
    limit: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Verification, ProbeError> {
    match metric {
        Metric::Wld => verify_all::<B, Wld>(tables, material, limit, progress),
        Metric::Dtw => verify_all::<B, Dtw>(tables, material, limit, progress),
        Metric::Dtc => verify_all::<B, Dtc>(tables, material, limit, progress),
        Metric::Dtz => Err(ProbeError::NeedsDrawRules { material, metric }),
    }
}

/// Bytes of memory that [`verify_values`] takes for decoded tables. Only headers are read.
///
/// # Errors
/// [`ProbeError`] if a table is missing or damaged, or with [`Metric::Dtz`], for which the moves give no
/// values without counting plies.
pub fn verification_bytes<B: Board>(
    tables: &Tablebase<B>,
    material: Material,
    metric: Metric,
) -> Result<u64, ProbeError> {
    if metric == Metric::Dtc {
        // Its values and outcomes are read as they are needed.
        return Ok(0);
    }
    let judge = Judge::new(tables, tables.table(material, metric)?, 0);
    let needed = judge.needed()?;
    let distances = judge.needed_distances()?;
    let all = needed.into_iter().chain(distances);
    Ok(all.map(Table::loaded_bytes).sum())
}

/// Which positions [`verify_sample`] checks.
///
/// The same sample is the same positions on every machine. One may be chosen twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// How many.
    pub positions: u64,
    /// Any number; another one chooses other positions.
    pub seed: u64,
}

/// Checks stored values of a class chosen at random, reading blocks as they are needed.
///
/// `limit` and `progress` are those of [`verify_values`].
///
/// # Errors
/// [`ProbeError`] if a table is missing or damaged, or with [`Metric::Dtz`], for which the moves give no
/// values without counting plies.
pub fn verify_sample<B: Board>(
    tables: &Tablebase<B>,
    material: Material,
    metric: Metric,
    sample: Sample,
    limit: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Verification, ProbeError> {
    match metric {
        Metric::Wld => verify_some::<B, Wld>(tables, material, sample, limit, progress),
        Metric::Dtw => verify_some::<B, Dtw>(tables, material, sample, limit, progress),
        Metric::Dtc => verify_some::<B, Dtc>(tables, material, sample, limit, progress),
        Metric::Dtz => Err(ProbeError::NeedsDrawRules { material, metric }),
    }
}

fn verify_all<B: Board, V: Value + Into<AnyValue>>(
    tables: &Tablebase<B>,
    material: Material,
    limit: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Verification, ProbeError> {
    let table = tables.table(material, V::METRIC)?;
    let mut judge = Judge::new(tables, table, limit);
    if V::METRIC != Metric::Dtc {
        judge.load()?;
    }
    let ranges = table.positions().div_ceil(RANGE);
    let mut report = Verification::default();
    for &side in table.sides() {
        let part = (0..ranges).into_par_iter().map(|range| {
            let start = range * RANGE;
            let end = (start + RANGE).min(table.positions());
            let part = judge.check::<V>(side, start..end)?;
            progress(end - start);
            Ok::<_, ProbeError>(part)
        });
        let part = part.try_reduce(Part::default, |a, b| Ok(a.merge(b, limit)))?;
        report
            .statistics
            .extend(judge.statistics_difference(side, &part));
        report.add(part, limit);
    }
    Ok(report)
}

fn verify_some<B: Board, V: Value + Into<AnyValue>>(
    tables: &Tablebase<B>,
    material: Material,
    sample: Sample,
    limit: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Verification, ProbeError> {
    let table = tables.table(material, V::METRIC)?;
    let judge = Judge::new(tables, table, limit);
    let mut random = SplitMix(sample.seed);
    let mut chosen = vec![Vec::new(); table.sides().len()];
    for _ in 0..sample.positions {
        let side = random.below(table.sides().len() as u64) as usize;
        chosen[side].push(random.below(table.positions()));
    }
    let mut report = Verification::default();
    for (&side, indices) in table.sides().iter().zip(&mut chosen) {
        // Neighbours share blocks.
        indices.sort_unstable();
        let part = indices.par_chunks(SAMPLE_RANGE).map(|chunk| {
            let part = judge.check::<V>(side, chunk.iter().copied())?;
            progress(chunk.len() as u64);
            Ok::<_, ProbeError>(part)
        });
        let part = part.try_reduce(Part::default, |a, b| Ok(a.merge(b, limit)))?;
        report.add(part, limit);
    }
    Ok(report)
}

/// Stored values, from tables in memory where they have been loaded, else from the files.
struct Values<'a, B> {
    tables: &'a Tablebase<B>,
    metric: Metric,
    loaded: HashMap<Material, LoadedTable>,
}

impl<B: Board> Values<'_, B> {
    fn load(&mut self, table: &Table) -> Result<(), ProbeError> {
        self.loaded.insert(table.material(), table.load()?);
        Ok(())
    }

    /// The value of a position in which both sides have pieces: the stored one, or where a compact table
    /// has none the one that captures lead to.
    fn get(&self, position: &Position<B>) -> Result<PackedDtw, ProbeError> {
        let stored = normalize(position);
        let material = Material::of(&stored);
        if let Some(index) = self.tables.index(material) {
            let index = index.index(&stored);
            if let Some(table) = self.loaded.get(&material) {
                if table.stores_side(stored.side())
                    && (table.stores_captures() || !self.tables.rules().has_capture(&stored))
                {
                    return Ok(table.get(stored.side(), index));
                }
            } else {
                let table = self.tables.serving_table(material, self.metric)?;
                if table.stores_side(stored.side())
                    && (table.stores_captures() || !self.tables.rules().has_capture(&stored))
                {
                    return Ok(table.packed(stored.side(), index)?);
                }
            }
            return self.best_of_moves(position);
        }
        Err(self.tables.missing_table(material, self.metric))
    }

    /// The value of a position that is not stored, by looking at all moves.
    fn best_of_moves(&self, position: &Position<B>) -> Result<PackedDtw, ProbeError> {
        let mut best = PackedDtw::LOST;
        for mv in self.tables.rules().legal_moves(position) {
            let after = position.make(&mv);
            let reply = if after.pieces(after.side()).is_empty() {
                PackedDtw::LOST
            } else {
                self.get(&after)?
            };
            best = best.max(reply.before());
        }
        Ok(best)
    }
}

/// Compares the values of one table.
struct Judge<'a, B> {
    rules: &'a RuleSet,
    table: &'a Table,
    values: Values<'a, B>,
    /// The distances of the same class, for a table of outcomes.
    distances: Option<Values<'a, B>>,
    /// Differences to keep.
    limit: usize,
}

impl<'a, B: Board> Judge<'a, B> {
    fn new(tables: &'a Tablebase<B>, table: &'a Table, limit: usize) -> Self {
        let values = |metric| Values {
            tables,
            metric,
            loaded: HashMap::new(),
        };
        let has_distances = tables.has(table.material(), Metric::Dtw);
        Self {
            rules: tables.rules(),
            table,
            values: values(table.metric()),
            distances: (table.metric() == Metric::Wld && has_distances)
                .then(|| values(Metric::Dtw)),
            limit,
        }
    }

    /// The tables from which every position needs values of the judged metric.
    fn needed(&self) -> Result<Vec<&'a Table>, ProbeError> {
        let (tables, metric) = (self.values.tables, self.values.metric);
        let material = self.table.material();
        let mut needed = vec![tables.serving_table(material, metric)?];
        for dependency in dependencies(material) {
            // Not every variant needs every one; a needed one that is missing is found later.
            if tables.serves(dependency.material, metric) {
                needed.push(tables.serving_table(dependency.material, metric)?);
            }
        }
        Ok(needed)
    }

    /// The table of distances that outcomes are held to, if there is one.
    fn needed_distances(&self) -> Result<Option<&'a Table>, ProbeError> {
        let distances = self.distances.as_ref();
        distances
            .map(|distances| {
                distances
                    .tables
                    .serving_table(self.table.material(), Metric::Dtw)
            })
            .transpose()
    }

    /// Decodes into memory what every position needs.
    fn load(&mut self) -> Result<(), ProbeError> {
        for table in self.needed()? {
            self.values.load(table)?;
        }
        let table = self.needed_distances()?;
        if let (Some(distances), Some(table)) = (&mut self.distances, table) {
            distances.load(table)?;
        }
        Ok(())
    }

    /// Checks the positions with these indices.
    fn check<V: Value + Into<AnyValue>>(
        &self,
        side: Color,
        indices: impl Iterator<Item = u64>,
    ) -> Result<Part, ProbeError> {
        let mut part = Part::default();
        let mut moves = Vec::new();
        let Some(placements) = self.values.tables.index(self.table.material()) else {
            return Ok(part);
        };
        for index in indices {
            let position = placements.position(index, side);
            let stored = match V::METRIC {
                Metric::Dtc => self.values.tables.probe_dtc(&position)?.pack(),
                _ => self.values.get(&position)?,
            };
            self.rules.legal_moves_into(&position, &mut moves);
            let value = V::from_packed(stored);
            let expected = match V::METRIC {
                Metric::Dtc => V::from_packed(self.best_conversion(&position, &moves)?.pack()),
                _ => self.best::<V>(&position, &moves)?,
            };
            let capture = moves.first().is_some_and(Move::is_capture);
            if value != expected {
                let pair = (value.into(), expected.into());
                self.note(&mut part, &position, index, pair, Check::Moves);
            }
            self.record(&mut part, &position, index, stored, capture)?;
        }
        Ok(part)
    }

    /// The best value the moves of a position lead to.
    fn best<V: Value>(&self, position: &Position<B>, moves: &[Move<B>]) -> Result<V, ProbeError> {
        let mut best = V::LOST;
        for mv in moves {
            let after = position.make(mv);
            let reply = if after.pieces(after.side()).is_empty() {
                V::LOST
            } else {
                V::from_packed(self.values.get(&after)?)
            };
            best = best.max(reply.before());
        }
        Ok(best)
    }

    /// The distance to conversion that the moves of a position lead to: a move that converts does so in one
    /// ply, to what the outcome behind it is.
    fn best_conversion(
        &self,
        position: &Position<B>,
        moves: &[Move<B>],
    ) -> Result<Dtc, ProbeError> {
        let one = Plies::new(1);
        let men = position.men(position.side());
        let mut best = Dtc::Loss(Plies::ZERO);
        for mv in moves {
            let after = position.make(mv);
            let value = if mv.is_capture() || men.contains(mv.from.index()) {
                let behind = match after.pieces(after.side()).is_empty() {
                    true => Wld::Loss,
                    false => self.values.tables.probe_wld(&after)?,
                };
                match behind {
                    Wld::Win => Dtc::Loss(one),
                    Wld::Draw => Dtc::Draw,
                    Wld::Loss => Dtc::Win(one),
                }
            } else {
                Value::before(self.values.tables.probe_dtc(&after)?)
            };
            best = best.max(value);
        }
        Ok(best)
    }

    /// Counts a position, and compares its outcome with its distance.
    fn record(
        &self,
        part: &mut Part,
        position: &Position<B>,
        index: u64,
        stored: PackedDtw,
        capture: bool,
    ) -> Result<(), ProbeError> {
        part.positions += 1;
        match &self.distances {
            Some(distances) => {
                let distance = distances.get(position)?;
                if distance.wld() != stored.wld() {
                    let pair = (stored.wld().into(), distance.unpack().into());
                    self.note(part, position, index, pair, Check::Distances);
                }
                // The outcome counts as stored; only a distance of the same kind can be its longest.
                if distance.wld() == stored.wld() {
                    part.statistics.record(index, distance, capture);
                } else {
                    part.statistics.count(stored.wld(), capture);
                }
            }
            None if self.table.metric().has_plies() => {
                part.statistics.record(index, stored, capture);
            }
            None => part.statistics.count(stored.wld(), capture),
        }
        Ok(())
    }

    fn note(
        &self,
        part: &mut Part,
        position: &Position<B>,
        index: u64,
        (stored, expected): (AnyValue, AnyValue),
        check: Check,
    ) {
        part.differing += 1;
        if part.differences.len() < self.limit {
            part.differences.push(Difference {
                fen: fen::write(self.rules, position),
                side: position.side(),
                index,
                stored,
                expected,
                check,
            });
        }
    }

    /// How the header's figures differ from the counted ones, if they do.
    fn statistics_difference(&self, side: Color, part: &Part) -> Option<StatisticsDifference> {
        let stored = *self.table.statistics(side)?;
        let mut counted = part.statistics;
        if self.table.metric() == Metric::Wld {
            // Outcomes need no longest distances, and can only be held to them by the distances.
            let known = self.distances.is_some();
            for (stored, counted) in [
                (stored.longest_win, &mut counted.longest_win),
                (stored.longest_loss, &mut counted.longest_loss),
            ] {
                if !known || stored.is_none() {
                    *counted = stored;
                }
            }
        }
        (stored != counted).then_some(StatisticsDifference {
            side,
            stored,
            counted,
        })
    }
}

/// What was found in some positions of one side.
#[derive(Default)]
struct Part {
    positions: u64,
    differing: u64,
    differences: Vec<Difference>,
    statistics: SideStatistics,
}

impl Part {
    /// Both parts, `self` being the one with the lower indices.
    fn merge(mut self, other: Self, limit: usize) -> Self {
        let room = limit - self.differences.len();
        self.differences
            .extend(other.differences.into_iter().take(room));
        Self {
            positions: self.positions + other.positions,
            differing: self.differing + other.differing,
            differences: self.differences,
            statistics: self.statistics.merge(other.statistics),
        }
    }
}

impl Verification {
    fn add(&mut self, part: Part, limit: usize) {
        self.positions += part.positions;
        self.differing += part.differing;
        let room = limit - self.differences.len();
        self.differences
            .extend(part.differences.into_iter().take(room));
    }
}

/// The generator SplitMix64: small, and the same everywhere.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

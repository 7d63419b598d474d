//! A solver for tests: slow, and too simple to be wrong.

use std::collections::HashMap;
use std::path::Path;

use makhos_index::{Material, PlacementIndex, closure, normalize, stored_sides};
use makhos_probe::{Metric, PackedDtw, SideStatistics, TableSpec, TableWriter};
use makhos_rules::{Board, Color, Move, Position, RuleSet};

/// The exact values of some classes.
pub(crate) struct Solved<B> {
    pub(crate) rules: RuleSet,
    pub(crate) classes: HashMap<Material, SolvedClass<B>>,
}

pub(crate) struct SolvedClass<B> {
    pub(crate) index: PlacementIndex<B>,
    pub(crate) sides: Vec<Vec<PackedDtw>>,
}

/// Solves a class and all it depends on.
pub(crate) fn solve<B: Board>(rules: RuleSet, class: &str) -> Solved<B> {
    let mut solved = Solved {
        rules,
        classes: HashMap::new(),
    };
    for material in closure(&[class.parse().expect("well-formed")]) {
        solved.add(material);
    }
    solved
}

impl<B: Board> Solved<B> {
    /// Finds, for n = 0, 1, 2, …, the positions decided in n plies. What is left is drawn.
    fn add(&mut self, material: Material) {
        let index = PlacementIndex::new(material).expect("fits");
        let len = index.len() as usize;
        let sides = stored_sides(material);
        let mut open: Vec<_> = (0..sides.len())
            .flat_map(|side| (0..len).map(move |at| (side, at)))
            .collect();
        // Beyond it only positions of this class can decide others, one ply after the other.
        let mut last_found = self.longest();
        let draws = vec![vec![PackedDtw::DRAW; len]; sides.len()];
        let class = SolvedClass {
            index: index.clone(),
            sides: draws,
        };
        self.classes.insert(material, class);
        for plies in 0_u16.. {
            let mut found = Vec::new();
            open.retain(|&(side, at)| {
                let value = self.best(&index.position(at as u64, sides[side]));
                let decided = value.bits() == plies + 1;
                if decided {
                    found.push((side, at, value));
                }
                !decided
            });
            if !found.is_empty() {
                last_found = last_found.max(plies);
            }
            let class = self.classes.get_mut(&material).expect("inserted above");
            for (side, at, value) in found {
                class.sides[side][at] = value;
            }
            if plies > last_found + 1 {
                return;
            }
        }
    }

    /// The longest distance of all classes so far, or a little more.
    fn longest(&self) -> u16 {
        let values = self
            .classes
            .values()
            .flat_map(|class| class.sides.iter().flatten());
        values.map(|value| value.bits()).max().unwrap_or(0)
    }

    fn best(&self, position: &Position<B>) -> PackedDtw {
        let moves = self.rules.legal_moves(position);
        let values = moves
            .iter()
            .map(|mv| self.value(&position.make(mv)).before());
        values.max().unwrap_or(PackedDtw::LOST)
    }

    /// The value of any position of the solved classes.
    pub(crate) fn value(&self, position: &Position<B>) -> PackedDtw {
        if position.pieces(position.side()).is_empty() {
            return PackedDtw::LOST;
        }
        let stored = normalize(position);
        let class = &self.classes[&Material::of(&stored)];
        let side = usize::from(stored.side() == Color::Black);
        class.sides[side][class.index.index(&stored) as usize]
    }

    /// Calls `each` with every stored position and its value.
    pub(crate) fn for_each(&self, mut each: impl FnMut(Position<B>, PackedDtw)) {
        for (&material, class) in &self.classes {
            for (values, &side) in class.sides.iter().zip(stored_sides(material)) {
                for (at, &value) in values.iter().enumerate() {
                    each(class.index.position(at as u64, side), value);
                }
            }
        }
    }

    /// Writes the tables of all solved classes.
    pub(crate) fn write(&self, dir: &Path, metric: Metric) {
        for &material in self.classes.keys() {
            self.write_changed(dir, material, metric, |_| ());
        }
    }

    /// Writes the table of one class, its values changed on the way.
    pub(crate) fn write_changed(
        &self,
        dir: &Path,
        material: Material,
        metric: Metric,
        change: impl Fn(&mut Vec<Vec<PackedDtw>>),
    ) {
        let class = &self.classes[&material];
        let mut sides = class.sides.clone();
        change(&mut sides);
        let statistics: Vec<_> = stored_sides(material)
            .iter()
            .zip(&sides)
            .map(|(&side, values)| self.statistics(class, side, values))
            .collect();
        self.write_with(dir, material, metric, &sides, &statistics);
    }

    pub(crate) fn write_with(
        &self,
        dir: &Path,
        material: Material,
        metric: Metric,
        sides: &[Vec<PackedDtw>],
        statistics: &[SideStatistics],
    ) {
        let spec = TableSpec {
            rules: self.rules,
            material,
            metric,
        };
        // Small blocks, so that probing crosses their borders.
        let writer = TableWriter::create_with_blocks(dir, &spec, statistics, 256);
        let mut writer = writer.expect("create");
        for values in sides {
            writer.push(values).expect("push");
        }
        writer.finish().expect("finish");
    }

    pub(crate) fn statistics(
        &self,
        class: &SolvedClass<B>,
        side: Color,
        values: &[PackedDtw],
    ) -> SideStatistics {
        let mut statistics = SideStatistics::default();
        for (at, &value) in values.iter().enumerate() {
            let position = class.index.position(at as u64, side);
            let moves = self.rules.legal_moves(&position);
            let capture = moves.first().is_some_and(Move::is_capture);
            statistics.record(at as u64, value, capture);
        }
        statistics
    }
}

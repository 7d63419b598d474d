//! Which class needs which, and the order in which to generate them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use makhos_rules::board::MAX_SQUARES;

use crate::material::{Army, Material};

/// Why one class needs another: the kind of move that leads there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// A man becomes a king without capturing.
    Promotion,
    /// One or more pieces are captured.
    Capture,
    /// A man captures and becomes a king in the same move.
    CaptureWithPromotion,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Promotion => "promotion",
            Self::Capture => "capture",
            Self::CaptureWithPromotion => "capture with promotion",
        })
    }
}

/// A class that another one needs, and why.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Dependency {
    /// The needed class, canonical.
    pub material: Material,
    /// The simplest kind of move that leads to it.
    pub reason: Reason,
}

/// All canonical classes with 2 to `pieces` pieces, each after everything it depends on.
///
/// Classes for which a small board has no room are among them; they start at 29 pieces on 8x8.
/// Numbers beyond 72, the squares of the largest board, count as 72.
///
/// ```
/// let names: Vec<String> = makhos_index::classes(2).iter().map(|m| m.to_string()).collect();
/// assert_eq!(names, ["1k-1k", "1k-1m", "1m-1m"]);
/// ```
#[must_use]
pub fn classes(pieces: u32) -> Vec<Material> {
    let most = pieces.min(MAX_SQUARES as u32) as u8;
    let mut classes = Vec::new();
    for white in 1..most {
        for black in 1..=white.min(most - white) {
            for white_men in 0..=white {
                for black_men in 0..=black {
                    let material = Material::new(
                        Army::new(white_men, white - white_men),
                        Army::new(black_men, black - black_men),
                    );
                    if material.is_canonical() {
                        classes.push(material);
                    }
                }
            }
        }
    }
    classes.sort_unstable();
    classes
}

/// The classes a single move of either side can lead to from `material`, without itself, sorted,
/// each once with its simplest reason.
///
/// Holds for every variant: one capture may take any part of the other army, and a man may become a
/// king while capturing. A variant may not need all of them; for example, where men cannot capture
/// kings. A side left without pieces is no class: that game is over.
///
/// ```
/// use makhos_index::{Material, dependencies};
///
/// let material: Material = "1m1k-1k".parse().expect("well-formed");
/// let needs: Vec<String> = dependencies(material)
///     .iter()
///     .map(|needed| format!("{} by {}", needed.material, needed.reason))
///     .collect();
/// assert_eq!(needs, ["1k-1k by capture", "1k-1m by capture", "2k-1k by promotion"]);
/// ```
#[must_use]
pub fn dependencies(material: Material) -> Vec<Dependency> {
    let mut reasons = BTreeMap::new();
    add_moves(material.white, material.black, &mut reasons);
    add_moves(material.black, material.white, &mut reasons);
    reasons
        .into_iter()
        .map(|(material, reason)| Dependency { material, reason })
        .collect()
}

/// Adds where a move of `mover` against `other` leads.
fn add_moves(mover: Army, other: Army, reasons: &mut BTreeMap<Material, Reason>) {
    let mut add = |mover: Army, other: Army, reason: Reason| {
        let material = Material::new(mover, other);
        if material.both_sides() {
            let simplest = reasons.entry(material.canonical()).or_insert(reason);
            *simplest = reason.min(*simplest);
        }
    };
    let promoted = (mover.men > 0).then(|| Army::new(mover.men - 1, mover.kings.saturating_add(1)));
    if let Some(promoted) = promoted {
        add(promoted, other, Reason::Promotion);
    }
    for men in 0..=other.men {
        for kings in 0..=other.kings {
            let left = Army::new(men, kings);
            if left == other {
                continue;
            }
            add(mover, left, Reason::Capture);
            if let Some(promoted) = promoted {
                add(promoted, left, Reason::CaptureWithPromotion);
            }
        }
    }
}

/// `targets` in canonical orientation and everything they need, directly or not, in generation order.
///
/// Targets with a side without pieces are left out: they need no table.
///
/// ```
/// use makhos_index::{Material, closure};
///
/// let target: Material = "3k-1k".parse().expect("well-formed");
/// let names: Vec<String> = closure(&[target]).iter().map(|m| m.to_string()).collect();
/// assert_eq!(names, ["1k-1k", "2k-1k", "3k-1k"]);
/// ```
#[must_use]
pub fn closure(targets: &[Material]) -> Vec<Material> {
    let mut found = BTreeSet::new();
    let mut open: Vec<Material> = targets
        .iter()
        .filter(|target| target.both_sides())
        .map(|target| target.canonical())
        .collect();
    while let Some(material) = open.pop() {
        if found.insert(material) {
            open.extend(dependencies(material).iter().map(|needed| needed.material));
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn material(text: &str) -> Material {
        text.parse().expect(text)
    }

    #[test]
    fn every_class_comes_after_all_it_needs() {
        let classes = classes(10);
        assert!(classes.is_sorted_by(|a, b| a < b));
        let place: BTreeMap<_, _> = classes.iter().zip(0..).collect();
        for (number, &class) in classes.iter().enumerate() {
            assert!(class.is_canonical());
            for needed in dependencies(class) {
                assert!(place[&needed.material] < number, "{class} needs {needed:?}");
            }
        }
    }

    #[test]
    fn number_of_classes() {
        // With both orientations of every class: 4, 12, 25, 44, 70, 104, 147 for 2 to 8 pieces.
        let all = classes(8);
        for (pieces, expected) in (2..=8).zip([4, 12, 25, 44, 70, 104, 147]) {
            let count: usize = all
                .iter()
                .filter(|class| class.pieces() == pieces)
                .map(|class| if class.is_symmetric() { 1 } else { 2 })
                .sum();
            assert_eq!(count, expected, "{pieces} pieces");
        }
        assert!(classes(0).is_empty());
        assert!(classes(1).is_empty());
    }

    #[test]
    fn one_capture_may_skip_piece_counts_and_promote() {
        let needs = dependencies(material("2k-2m"));
        let reason = |text| {
            needs
                .iter()
                .find(|needed| needed.material == material(text))
                .map(|needed| needed.reason)
        };
        assert_eq!(reason("2k-1m"), Some(Reason::Capture));
        assert_eq!(reason("2m-1k"), Some(Reason::Capture));
        assert_eq!(reason("1m1k-1k"), Some(Reason::CaptureWithPromotion));
        assert_eq!(reason("2k-1m1k"), Some(Reason::Promotion));
        assert_eq!(needs.len(), 4);

        let skipping = dependencies(material("3k-1k"));
        assert!(skipping.contains(&Dependency {
            material: material("1k-1k"),
            reason: Reason::Capture,
        }));
    }

    #[test]
    fn both_orientations_need_the_same() {
        for class in classes(6) {
            assert_eq!(dependencies(class), dependencies(class.flip()));
            assert_eq!(closure(&[class]), closure(&[class.flip()]));
        }
    }

    #[test]
    fn a_closure_needs_nothing_else() {
        let closed = closure(&[material("1m-2m1k"), material("2k-2k")]);
        assert!(closed.is_sorted());
        assert!(closed.contains(&material("2m1k-1m")));
        assert!(closed.contains(&material("2k-2k")));
        for &class in &closed {
            for needed in dependencies(class) {
                assert!(closed.contains(&needed.material), "{class}: {needed:?}");
            }
        }
        let lost = Material::new(Army::new(0, 3), Army::default());
        assert!(closure(&[lost]).is_empty());
    }
}

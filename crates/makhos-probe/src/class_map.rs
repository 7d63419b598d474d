//! What there is of each class, found by the armies of a position without hashing.

use makhos_index::{Army, Material};
use makhos_rules::{Board, Color, Position};

/// A value for each of some canonical classes.
///
/// The armies of up to so many pieces are numbered, and a square array over White's army and Black's holds the
/// number of the class, in whatever orientation. Its length is the square of the number of armies: 225 for
/// classes of five pieces, 7 million if one side had all 72 squares.
#[derive(Debug)]
pub(crate) struct ClassMap<T> {
    classes: Vec<(Material, T)>,
    /// Pieces of the largest army.
    most: u32,
    /// Armies with up to that many pieces, none included.
    armies: usize,
    places: Vec<Place>,
}

/// Where a class is, and how a position of it is stored.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// One more than the number of the class, 0 without one.
    class: u32,
    /// Whether positions are flipped with White to move, and with Black to move.
    flipped: [bool; 2],
}

/// The number of armies with fewer pieces.
const fn armies_below(pieces: u32) -> usize {
    (pieces as usize * (pieces as usize + 1)) / 2
}

impl<T> ClassMap<T> {
    /// A map of these classes, each once.
    pub(crate) fn new(classes: Vec<(Material, T)>) -> Self {
        let sides = classes.iter().flat_map(|(m, _)| [m.white, m.black]);
        let most = sides.map(Army::pieces).max().unwrap_or(0);
        let armies = armies_below(most + 1);
        let mut map = Self {
            most,
            armies,
            places: vec![Place::default(); armies * armies],
            classes: Vec::new(),
        };
        for (number, (material, _)) in (1..).zip(&classes) {
            for (seen, flipped) in [(*material, [false; 2]), (material.flip(), [true; 2])] {
                if let Some(at) = map.place_of(seen) {
                    map.places[at] = Place {
                        class: number,
                        flipped,
                    };
                }
            }
            if material.is_symmetric()
                && let Some(at) = map.place_of(*material)
            {
                map.places[at].flipped = [false, true];
            }
        }
        map.classes = classes;
        map
    }

    #[inline(always)]
    fn place_of(&self, material: Material) -> Option<usize> {
        let [white, black] = [material.white, material.black];
        if white.pieces().max(black.pieces()) > self.most {
            return None;
        }
        let number = |army: Army| armies_below(army.pieces()) + usize::from(army.men);
        Some(number(white) * self.armies + number(black))
    }

    /// What there is of a canonical class.
    pub(crate) fn get(&self, material: Material) -> Option<&T> {
        if !material.is_canonical() {
            return None;
        }
        let class = self.places[self.place_of(material)?].class;
        Some(&self.classes[(class as usize).checked_sub(1)?].1)
    }

    /// What there is of the class of a position, and whether it is stored
    /// [flipped](makhos_index::normalize).
    #[inline(always)]
    pub(crate) fn of<B: Board>(&self, position: &Position<B>) -> Option<(&T, bool)> {
        let place = &self.places[self.place_of(Material::of(position))?];
        let class = &self.classes[(place.class as usize).checked_sub(1)?].1;
        Some((
            class,
            place.flipped[usize::from(position.side() == Color::Black)],
        ))
    }

    /// All classes, in the order they were given in.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Material, T)> {
        self.classes.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use makhos_index::{PlacementIndex, classes, normalize};

    #[test]
    fn positions_find_their_class_and_orientation() {
        let known: Vec<Material> = classes(4).into_iter().step_by(2).collect();
        let map = ClassMap::new(known.iter().map(|&class| (class, class)).collect());
        for class in classes(5) {
            let is_known = known.contains(&class);
            assert_eq!(
                map.get(class).copied(),
                is_known.then_some(class),
                "{class}"
            );
            assert!(class.is_symmetric() || map.get(class.flip()).is_none());
            let index = PlacementIndex::<u32>::new(class).expect("small");
            for side in [Color::White, Color::Black] {
                let stored = index.position(index.len() / 3, side);
                for position in [stored, stored.flip()] {
                    let found = map.of(&position);
                    assert_eq!(found.is_some(), is_known, "{class}");
                    if let Some((&found, flipped)) = found {
                        assert_eq!(found, class);
                        assert_eq!(
                            if flipped { position.flip() } else { position },
                            normalize(&position),
                            "{class}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn armies_that_no_class_has_are_not_found() {
        let map = ClassMap::new(vec![("1k-1k".parse().expect("a class"), ())]);
        for text in ["2k-1k", "9m9k-1m", "1m-1m"] {
            assert!(map.get(text.parse().expect("a class")).is_none(), "{text}");
        }
        let alone = Position::<u32>::new(0, 1, 0, 0, Color::White).expect("a position");
        assert!(map.of(&alone).is_none());
        assert!(ClassMap::<()>::new(Vec::new()).of(&alone).is_none());
        assert!(ClassMap::<()>::new(Vec::new()).of(&alone.flip()).is_none());
    }
}

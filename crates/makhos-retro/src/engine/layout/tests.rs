//! The dense form is compared, bit by bit, with one made position by position.

use makhos_index::{Army, Material, PlacementIndex};
use makhos_rules::{Board, Color, Position};

use super::{collect, elements, expand};
use crate::engine::isa::{Isa, Portable};
use crate::engine::planes::Packed;
use crate::engine::ranks::{rank, sets};
use crate::engine::shape::{Kings, Shape};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// Random outcomes of one placement of the men, behind some of others.
struct Sample<B> {
    material: Material,
    flipped: bool,
    index: PlacementIndex<B>,
    men_index: u64,
    start: u64,
    stored: Packed,
}

impl<B: Board> Sample<B> {
    /// `material` is that of the dense form.
    fn new(material: Material, flipped: bool, random: &mut Random) -> Self {
        let stored_material = if flipped { material.flip() } else { material };
        let index = PlacementIndex::<B>::new(stored_material).expect("fits the board");
        let start = random.next() % 150;
        let mut stored = Packed::default();
        for _ in 0..start + index.inner() + 70 {
            let outcome = random.next() % 3;
            stored.push((outcome == 1).into(), (outcome == 2).into(), 1);
        }
        Self {
            material,
            flipped,
            men_index: random.next() % index.outer(),
            index,
            start,
            stored,
        }
    }

    fn kings(&self) -> Kings {
        Kings {
            white: self.material.white.kings.into(),
            black: self.material.black.kings.into(),
        }
    }

    /// The men of both sides in the orientation of the dense form.
    fn men(&self) -> B {
        let (white, black) = self.index.men(self.men_index);
        if self.flipped {
            (white | black).rotate()
        } else {
            white | black
        }
    }

    /// The positions in the orientation of the dense form, with whether they are won or lost.
    fn positions(&self) -> impl Iterator<Item = (Position<B>, bool, bool)> {
        (0..self.index.inner()).map(|number| {
            let index = self.men_index * self.index.inner() + number;
            let position = self.index.position(index, Color::White);
            let (win, loss) = self.stored.bits(self.start + number, 1);
            let position = if self.flipped {
                position.flip()
            } else {
                position
            };
            (position, win & 1 == 1, loss & 1 == 1)
        })
    }

    /// The outcomes of this placement alone.
    fn canonical(&self) -> Packed {
        let mut packed = Packed::default();
        for number in 0..self.index.inner() {
            let (win, loss) = self.stored.bits(self.start + number, 1);
            packed.push(win & 1, loss & 1, 1);
        }
        packed
    }

    /// What the shape's definition says.
    fn dense<const N: usize>(
        &self,
        shape: Shape,
        positions: &[(Position<B>, bool, bool)],
    ) -> Vec<B> {
        let mut dense = vec![B::EMPTY; elements::<B, N>(shape, self.kings())];
        for (position, win, loss) in positions {
            for (word, bit, gap) in places::<B, N>(shape, position) {
                if !win {
                    dense[word] |= B::bit(bit);
                }
                if *loss {
                    dense[word + gap] |= B::bit(bit);
                }
            }
        }
        dense
    }
}

/// Where a position lies in the dense form: for each labeling the word, the bit, and how far the word
/// of the lost plane is behind that of the unwon one.
fn places<B: Board, const N: usize>(
    shape: Shape,
    position: &Position<B>,
) -> Vec<(usize, usize, usize)> {
    let (white, black) = (position.kings(Color::White), position.kings(Color::Black));
    let held = |color: Color| match shape {
        Shape::GridWith(side, square) if side == color => B::bit(square.into()),
        _ => B::EMPTY,
    };
    let (white_held, black_held) = (held(Color::White), held(Color::Black));
    if white & white_held != white_held || black & black_held != black_held {
        return Vec::new();
    }
    let (white, black) = (white & !white_held, black & !black_held);
    let without = |set: B, square: usize| rank(set & !B::bit(square));
    let minor = |inner: u32| sets(B::SQUARES, black.len() - inner);
    match shape {
        Shape::Grid | Shape::GridWith(..) => {
            let labelings = white
                .squares()
                .flat_map(|x| black.squares().map(move |y| (x, y)));
            labelings
                .map(|(x, y)| {
                    let block = without(white, x) * minor(1) + without(black, y);
                    (block * 2 * N + x, y, N)
                })
                .collect()
        }
        Shape::White => white
            .squares()
            .map(|x| (2 * (without(white, x) * minor(0) + rank(black)), x, 1))
            .collect(),
        Shape::Black => black
            .squares()
            .map(|y| (2 * (rank(white) * minor(1) + without(black, y)), y, 1))
            .collect(),
        Shape::Bare => vec![(2 * (rank(white) * minor(0) + rank(black)), 0, 1)],
    }
}

fn check<B: Board, const N: usize>(
    isa: impl Isa,
    sample: &Sample<B>,
    shape: Shape,
    expected: &[B],
) {
    let what = || format!("{} {shape:?} flipped {}", sample.material, sample.flipped);
    let (kings, men) = (sample.kings(), sample.men());
    // Whatever was there before must be gone.
    let mut dense = vec![B::ALL; expected.len()];
    expand::<_, B, N>(
        isa,
        shape,
        kings,
        men,
        sample.flipped,
        &sample.stored,
        sample.start,
        &mut dense,
    );
    assert!(dense == expected, "expand: {}", what());
    if !dense.is_empty() && !matches!(shape, Shape::GridWith(..)) {
        let mut packed = sample.stored.clone();
        collect::<_, B, N>(isa, shape, kings, men, sample.flipped, &dense, &mut packed);
        assert!(packed == sample.canonical(), "collect: {}", what());
    }
}

/// All shapes of one class; grids with held kings on `held`, and on the square of a man.
fn check_class<B: Board, const N: usize>(
    isa: Option<impl Isa>,
    material: Material,
    held: &[u8],
    random: &mut Random,
) {
    for flipped in [false, true] {
        let sample = Sample::<B>::new(material, flipped, random);
        let positions: Vec<_> = sample.positions().collect();
        let mut shapes = vec![Shape::Grid, Shape::White, Shape::Black, Shape::Bare];
        let last = sample.men().squares().last().map(|square| square as u8);
        for &square in held.iter().chain(&last) {
            shapes.push(Shape::GridWith(Color::White, square));
            shapes.push(Shape::GridWith(Color::Black, square));
        }
        for shape in shapes {
            let expected = sample.dense::<N>(shape, &positions);
            check::<B, N>(Portable, &sample, shape, &expected);
            if let Some(isa) = isa {
                check::<B, N>(isa, &sample, shape, &expected);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn fast() -> Option<impl Isa> {
    crate::engine::isa::Avx2::detect()
}

#[cfg(not(target_arch = "x86_64"))]
fn fast() -> Option<impl Isa> {
    None::<Portable>
}

/// All classes with these kings (in both orders) and men a side.
fn check_kings<B: Board, const N: usize>(kings: &[(u8, u8)], men: &[(u8, u8)], held: &[u8]) {
    let mut random = Random(kings.len() as u64);
    for &(more, fewer) in kings {
        for &(white_men, black_men) in men {
            let sides = [(more, fewer), (fewer, more)];
            for (white, black) in sides.into_iter().take(if more == fewer { 1 } else { 2 }) {
                let material =
                    Material::new(Army::new(white_men, white), Army::new(black_men, black));
                if material.white.pieces() > 0 && material.black.pieces() > 0 {
                    check_class::<B, N>(fast(), material, held, &mut random);
                }
            }
        }
    }
}

#[test]
fn few_kings_on_8x8() {
    let kings = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0)];
    let men = [(0, 0), (1, 0), (0, 1), (1, 1), (2, 2), (2, 1)];
    check_kings::<u32, 32>(&kings, &men, &[0, 1, 14, 30, 31]);
}

#[test]
fn many_kings_on_8x8() {
    check_kings::<u32, 32>(&[(3, 1), (4, 0)], &[(0, 0), (1, 2)], &[0, 9, 31]);
    check_kings::<u32, 32>(&[(4, 1), (3, 2)], &[(2, 1)], &[9]);
}

#[test]
fn kings_on_10x10() {
    let kings = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0)];
    let men = [(0, 0), (1, 1), (2, 1)];
    check_kings::<u64, 52>(&kings, &men, &[0, 1, 27, 49]);
    check_kings::<u64, 52>(&[(2, 2)], &[(1, 1)], &[20]);
}

#[test]
fn kings_on_12x12() {
    let men = [(0, 0), (1, 1), (2, 1)];
    check_kings::<u128, 72>(&[(0, 0), (1, 0), (1, 1), (2, 0)], &men, &[0, 63, 64, 71]);
    check_kings::<u128, 72>(&[(2, 1)], &[(1, 1)], &[5, 70]);
}

#[test]
fn lengths() {
    let kings = |white, black| Kings { white, black };
    assert_eq!(elements::<u32, 32>(Shape::Grid, kings(3, 2)), 496 * 32 * 64);
    let with = Shape::GridWith(Color::White, 3);
    assert_eq!(elements::<u64, 52>(with, kings(3, 2)), 50 * 50 * 104);
    assert_eq!(elements::<u64, 52>(with, kings(1, 2)), 0);
    assert_eq!(elements::<u32, 32>(Shape::White, kings(2, 0)), 32 * 2);
    assert_eq!(elements::<u32, 32>(Shape::White, kings(0, 2)), 0);
    assert_eq!(elements::<u128, 72>(Shape::Black, kings(0, 1)), 2);
    assert_eq!(elements::<u128, 72>(Shape::Bare, kings(0, 0)), 2);
    assert_eq!(elements::<u128, 72>(Shape::Grid, kings(30, 30)), usize::MAX);
}

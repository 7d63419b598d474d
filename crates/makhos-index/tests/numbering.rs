//! Placements to numbers and back: exhaustively for small classes, at random for large ones.

use std::collections::HashSet;

use makhos_index::{
    Army, IndexError, Material, PlacementIndex, classes, normalize, placements, stored_sides,
};
use makhos_rules::{Board, Color, Position};
use proptest::prelude::*;

fn material(text: &str) -> Material {
    text.parse().expect(text)
}

/// All sets of `size` squares among those of `free`.
fn subsets<B: Board>(free: B, size: u8) -> Vec<B> {
    if size == 0 {
        return vec![B::EMPTY];
    }
    let mut sets = Vec::new();
    let mut rest = free;
    while rest.len() >= size.into() {
        let square = B::bit(rest.lowest());
        rest = rest.without_lowest();
        sets.extend(subsets(rest, size - 1).into_iter().map(|set| set | square));
    }
    sets
}

/// All placements of a class in the documented order, found without any of the code under test.
fn sorted_placements<B: Board>(material: Material) -> Vec<Position<B>> {
    let mut found = Vec::new();
    for wm in subsets(B::ALL & !B::TOP_ROW, material.white.men) {
        for bm in subsets(B::ALL & !B::BOTTOM_ROW & !wm, material.black.men) {
            for wk in subsets(B::ALL & !(wm | bm), material.white.kings) {
                for bk in subsets(B::ALL & !(wm | bm | wk), material.black.kings) {
                    found.push(Position::new(wm, wk, bm, bk, Color::White).expect("valid"));
                }
            }
        }
    }
    found.sort_by_key(|position| {
        let white_men = position.men(Color::White);
        (
            (white_men & B::BOTTOM_ROW).len(),
            white_men,
            position.men(Color::Black),
            position.kings(Color::White),
            position.kings(Color::Black),
        )
    });
    found
}

fn exhaustive_bijection<B: Board>(material: Material) {
    let index = PlacementIndex::<B>::new(material).expect("fits");
    let placements = sorted_placements::<B>(material);
    assert_eq!(index.len(), placements.len() as u64, "{material}");
    for (number, expected) in placements.iter().enumerate() {
        let number = number as u64;
        assert_eq!(index.index(expected), number, "{material} {expected:?}");
        assert_eq!(index.position(number, Color::White), *expected);
        let other = index.position(number, Color::Black);
        assert_eq!(other, expected.with_side(Color::Black));
    }
}

fn exhaustive_bijections<B: Board>(pieces: u32) {
    for class in classes(pieces) {
        exhaustive_bijection::<B>(class);
        if !class.is_symmetric() {
            exhaustive_bijection::<B>(class.flip());
        }
    }
}

#[test]
fn every_small_class_is_numbered_in_the_documented_order() {
    exhaustive_bijections::<u32>(3);
    exhaustive_bijections::<u64>(2);
    exhaustive_bijections::<u128>(2);
    exhaustive_bijection::<u32>(material("2m-2m"));
    exhaustive_bijection::<u64>(material("2m1k-1m"));
}

/// Table files rely on these numbers: a change here is a new file format.
#[test]
fn numbers_that_must_never_change() {
    let bits = |squares: &[usize]| squares.iter().fold(0_u32, |set, s| set | 1 << s);
    let number = |wm: &[usize], wk: &[usize], bm: &[usize], bk: &[usize]| {
        let (wm, wk, bm, bk) = (bits(wm), bits(wk), bits(bm), bits(bk));
        let position = Position::new(wm, wk, bm, bk, Color::White).expect("valid");
        let index = PlacementIndex::new(Material::of(&position)).expect("fits");
        index.index(&position)
    };
    assert_eq!(number(&[29], &[31], &[3], &[]), 20_399);
    assert_eq!(number(&[], &[0, 1, 2], &[], &[3]), 0);
    assert_eq!(number(&[], &[29, 30, 31], &[], &[28]), 143_839);
    assert_eq!(number(&[4], &[1], &[0], &[2]), 0);
}

#[test]
fn impossible_classes_are_refused_with_advice() {
    let new = |material| PlacementIndex::<u32>::new(material).map(|index| index.len());
    let lost = Material::new(Army::new(0, 3), Army::default());
    assert_eq!(new(lost), Err(IndexError::NoPieces { material: lost }));
    let men = material("29m-1k");
    assert_eq!(
        new(men),
        Err(IndexError::TooManyMen {
            material: men,
            men: 29,
            squares: 28,
        })
    );
    let pieces = material("28m1k-4m");
    assert_eq!(
        new(pieces),
        Err(IndexError::TooManyPieces {
            material: pieces,
            squares: 32,
        })
    );
    for class in [lost, men, pieces] {
        let error = new(class).expect_err("refused").to_string();
        assert!(error.contains(&class.to_string()), "{error}");
    }
    assert_eq!(placements::<u32>(men), Some(0));
    assert_eq!(placements::<u32>(pieces), Some(0));

    let placed = material("6m6k-6m6k");
    let error = PlacementIndex::<u64>::new(placed).expect_err("beyond u64");
    assert_eq!(error, IndexError::TooManyPlacements { material: placed });
    assert!(error.to_string().contains("6m6k-6m6k"), "{error}");
    assert!(placements::<u64>(placed).is_some_and(|count| count > u64::MAX.into()));
    assert_eq!(placements::<u128>(material("18m18k-18m18k")), None);
}

#[test]
fn extreme_men_fill_the_board() {
    // All squares taken: White's men on the bottom row and the middle, Black's on the top row.
    for text in ["28m-4m", "28m-1m", "27m-5m", "1m-28m", "4m-28m"] {
        let index = PlacementIndex::<u32>::new(material(text)).expect(text);
        let wanted = sorted_placements::<u32>(material(text)).len() as u64;
        assert_eq!(index.len(), wanted, "{text}");
        for number in 0..index.len() {
            let position = index.position(number, Color::White);
            assert_eq!(index.index(&position), number, "{text}");
        }
    }
}

#[test]
#[should_panic(expected = "beyond the class")]
fn a_number_beyond_the_class_panics() {
    let index = PlacementIndex::<u32>::new(material("1k-1k")).expect("fits");
    let _ = index.position(index.len(), Color::White);
}

/// Every position of up to three pieces is stored exactly once, or its flip is.
#[test]
fn every_position_is_stored_once_as_itself_or_flipped() {
    let mut seen = HashSet::new();
    for class in classes(3) {
        for orientation in [class, class.flip()] {
            for position in sorted_placements::<u32>(orientation) {
                for side in [Color::White, Color::Black] {
                    let position = position.with_side(side);
                    let stored = normalize(&position);
                    assert!(stored == position || stored == position.flip());
                    assert_eq!(stored, normalize(&position.flip()));
                    assert_eq!(Material::of(&stored), class);
                    assert!(stored_sides(class).contains(&stored.side()));
                    seen.insert(stored);
                }
            }
        }
    }
    assert_eq!(seen.len(), 3_488 + 196_032);
}

/// Random pieces put on the board one after the other, those without room left out.
fn positions<B: Board>(most: usize) -> impl Strategy<Value = Position<B>> {
    let piece = (
        0..B::SQUARES as usize,
        prop_oneof![2 => 0..4_usize, 1 => 0..1_usize],
    );
    let pieces = prop::collection::vec(piece, 2..=most);
    (pieces, any::<bool>()).prop_filter_map("each side needs a piece", |(pieces, white)| {
        let side = if white { Color::White } else { Color::Black };
        let mut sets = [B::EMPTY; 4];
        let mut position = None;
        for (square, kind) in pieces {
            let mut more = sets;
            more[kind] |= B::bit(square);
            let [wm, wk, bm, bk] = more;
            if let Ok(valid) = Position::new(wm, wk, bm, bk, side) {
                sets = more;
                position = Some(valid);
            }
        }
        position.filter(|position| {
            let material = Material::of(position);
            material.white.pieces() > 0 && material.black.pieces() > 0
        })
    })
}

/// A placement comes back from its number.
fn there_and_back<B: Board>(position: &Position<B>) -> Result<(), TestCaseError> {
    let material = Material::of(position);
    match PlacementIndex::<B>::new(material) {
        Ok(index) => {
            let number = index.index(position);
            prop_assert!(number < index.len());
            prop_assert_eq!(index.position(number, position.side()), *position);
            prop_assert_eq!(index.index_flipped(position, false), number);
            prop_assert_eq!(index.index_flipped(&position.flip(), true), number);
        }
        Err(error) => {
            prop_assert_eq!(error, IndexError::TooManyPlacements { material });
            let count = placements::<B>(material);
            prop_assert!(count.is_none_or(|count| count > u64::MAX.into()));
        }
    }
    let stored = normalize(position);
    prop_assert_eq!(stored, normalize(&position.flip()));
    prop_assert!(Material::of(&stored).is_canonical());
    Ok(())
}

/// A number comes back from its placement, for random armies and at both ends of the class.
fn back_and_there<B: Board>(armies: [u8; 4], random: u64) -> Result<(), TestCaseError> {
    let [wm, wk, bm, bk] = armies;
    let material = Material::new(Army::new(wm, wk), Army::new(bm, bk));
    let Ok(index) = PlacementIndex::<B>::new(material) else {
        return Ok(());
    };
    for number in [0, random % index.len(), index.len() - 1] {
        let position = index.position(number, Color::White);
        prop_assert_eq!(Material::of(&position), material);
        prop_assert_eq!(index.index(&position), number);
        let inner = number % index.inner();
        let first = index.position(number - inner, Color::White);
        for color in [Color::White, Color::Black] {
            prop_assert_eq!(first.men(color), position.men(color));
        }
    }
    Ok(())
}

fn armies() -> impl Strategy<Value = [u8; 4]> {
    let small = prop::array::uniform4(0..5_u8);
    let large =
        (0..29_u8, 0..3_u8, 0..29_u8, 0..3_u8).prop_map(|(wm, wk, bm, bk)| [wm, wk, bm, bk]);
    prop_oneof![small, large]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn there_and_back_on_8x8(position in positions::<u32>(24)) {
        there_and_back(&position)?;
    }

    #[test]
    fn there_and_back_on_10x10(position in positions::<u64>(16)) {
        there_and_back(&position)?;
    }

    #[test]
    fn there_and_back_on_12x12(position in positions::<u128>(12)) {
        there_and_back(&position)?;
    }

    #[test]
    fn back_and_there_on_8x8(armies in armies(), random: u64) {
        back_and_there::<u32>(armies, random)?;
    }

    #[test]
    fn back_and_there_on_10x10(armies in armies(), random: u64) {
        back_and_there::<u64>(armies, random)?;
    }

    #[test]
    fn back_and_there_on_12x12(armies in armies(), random: u64) {
        back_and_there::<u128>(armies, random)?;
    }
}

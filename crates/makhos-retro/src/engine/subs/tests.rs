//! Cubes are compared bit by bit with what the description of the shapes says about the values in the
//! files, read one by one.

use std::collections::HashMap;
use std::fs;
use std::sync::atomic::Ordering;

use makhos_index::{PlacementIndex, closure, normalize, stored_sides};
use makhos_probe::{Access, DEFAULT_BLOCK_VALUES, Metric, Table, TableError, Wld, table_path};
use makhos_rules::{Position, variant};
use tempfile::TempDir;

use super::*;
use crate::engine::isa::Portable;
use crate::{DistanceSolver, Generator, Quiet, SolvedBoard, Storage};

/// Rows of a block on 8x8.
const N: usize = 32;
const ROOMY: u64 = 64 << 20;
const SIDES: [Color; 2] = [Color::White, Color::Black];

fn class(text: &str) -> Material {
    text.parse().expect(text)
}

/// Tables of outcomes in a directory of their own, and all their values.
struct Tables<B = u32> {
    rules: RuleSet,
    dir: TempDir,
    values: HashMap<Material, (PlacementIndex<B>, Vec<Vec<Wld>>)>,
}

impl<B: SolvedBoard> Tables<B> {
    fn generate(rules: RuleSet, targets: &[Material]) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        // From the reference solver.
        let generator = Generator::<B>::new(rules, dir.path(), Metric::Dtw)
            .with_distances_by(DistanceSolver::Reference)
            .with_storage(Storage::Complete);
        let plan = generator.plan(targets).expect("a plan");
        generator.run(&plan, &Quiet).expect("tables");
        let mut tables = Self {
            rules,
            dir,
            values: HashMap::new(),
        };
        for material in closure(targets) {
            let table = Table::open(&tables.path(material), Access::Read).expect("a table");
            let values = stored_sides(material).iter().map(|&side| {
                (0..table.positions())
                    .map(|index| table.wld(side, index).expect("a value"))
                    .collect()
            });
            let values = values.collect();
            let index = PlacementIndex::new(material).expect("fits");
            tables.values.insert(material, (index, values));
        }
        tables
    }

    fn path(&self, material: Material) -> PathBuf {
        table_path(self.dir.path(), &self.rules, material, Metric::Wld)
    }

    fn subs<const N: usize>(&self, material: Material, budget: u64) -> Subs<B> {
        Subs::open::<N>(
            &self.rules,
            self.dir.path(),
            material,
            budget,
            PlanesOfPlies::NONE,
        )
        .expect("fits")
    }

    fn value(&self, position: &Position<B>) -> Wld {
        let stored = normalize(position);
        let (index, values) = &self.values[&Material::of(&stored)];
        let side = usize::from(!stored.side().is_white());
        values[side][index.index(&stored) as usize]
    }

    /// The dense form as [`Shape`] describes it.
    fn expected<const N: usize>(
        &self,
        class: Material,
        men: (B, B),
        side: Color,
        shape: Shape,
    ) -> Vec<B> {
        let inner = match shape {
            Shape::Grid | Shape::GridWith(..) => [true, true],
            Shape::White => [true, false],
            Shape::Black => [false, true],
            Shape::Bare => [false, false],
        };
        let fixed = SIDES.map(|color| match shape {
            Shape::GridWith(side, square) if side == color => B::bit(square.into()),
            _ => B::EMPTY,
        });
        let others = [0, 1].map(|color| {
            let kings = u32::from(class.army(SIDES[color]).kings);
            sets::<B>(kings - u32::from(inner[color]) - fixed[color].len())
        });
        let squares = inner.map(|inner| if inner { B::SQUARES as usize } else { 1 });
        let per_index = if inner == [true; 2] { 2 * N } else { 2 };
        let mut dense = vec![B::EMPTY; others[0].len() * others[1].len() * per_index];
        for (w, &white) in others[0].iter().enumerate() {
            for (b, &black) in others[1].iter().enumerate() {
                let start = (w * others[1].len() + b) * per_index;
                for (x, y) in (0..squares[0]).flat_map(|x| (0..squares[1]).map(move |y| (x, y))) {
                    let pieces = [(white, x), (black, y)];
                    let kings = [0, 1].map(|color| {
                        let (others, square) = pieces[color];
                        let king = if inner[color] {
                            B::bit(square)
                        } else {
                            B::EMPTY
                        };
                        let all = others | fixed[color] | king;
                        let count = class.army(SIDES[color]).kings;
                        (all.len() == count.into()).then_some(all)
                    });
                    let [Some(white), Some(black)] = kings else {
                        continue;
                    };
                    let Ok(position) = Position::new(men.0, white, men.1, black, side) else {
                        continue;
                    };
                    let (row, bit) = match inner {
                        [true, true] => (x, y),
                        [true, false] => (0, x),
                        _ => (0, y),
                    };
                    let value = self.value(&position);
                    if value != Wld::Win {
                        dense[start + row] |= B::bit(bit);
                    }
                    if value == Wld::Loss {
                        dense[start + per_index / 2 + row] |= B::bit(bit);
                    }
                }
            }
        }
        dense
    }

    /// Compares every `step`th configuration of a class in both orientations.
    fn compare<const N: usize>(&self, subs: &Subs<B>, material: Material, step: usize) {
        let mut pages = Pages::default();
        for oriented in [material, material.flip()] {
            let index = PlacementIndex::<B>::new(oriented).expect("fits");
            for number in (0..index.outer()).step_by(step) {
                let men = index.men(number);
                for shape in shapes::<B>(kings(oriented)) {
                    for side in SIDES {
                        let cube = subs
                            .cube::<_, N>(Portable, oriented, men.0, men.1, side, shape)
                            .expect("a cube");
                        let expected = self.expected::<N>(oriented, men, side, shape);
                        let place = || format!("{oriented} {number} {shape:?} {side:?}");
                        assert!(cube.elements() == expected, "{}", place());
                        let word = WordOf {
                            class: oriented,
                            men: [men.0, men.1],
                            side,
                            shape,
                            beside: None,
                        };
                        compare_words(subs, &word, &mut pages, &expected);
                    }
                }
            }
        }
    }
}

/// Compares the single words there are with those of the whole form, with and without a second king.
fn compare_words<B: Board>(subs: &Subs<B>, word: &WordOf<B>, pages: &mut Pages, expected: &[B]) {
    // Whatever was there before must be gone.
    let mut read = |word: &WordOf<B>| {
        let mut into = [B::ALL; 2];
        subs.word_into(Portable, word, pages, &mut into)
            .expect("words");
        into
    };
    if word.is_one() {
        assert_eq!(read(word)[..], *expected);
    }
    for color in SIDES {
        if word.class.army(color).kings == 0 {
            continue;
        }
        for square in 0..B::SQUARES as usize {
            let beside = Some((color, square));
            let word = WordOf { beside, ..*word };
            if word.is_one() {
                let expected = &expected[2 * square..][..2];
                assert_eq!(read(&word)[..], *expected, "{:?}", word.beside);
            }
        }
    }
}

impl Tables {
    /// The cube of one configuration in the natural shape.
    fn any_cube(
        &self,
        subs: &Subs<u32>,
        material: Material,
        number: u64,
    ) -> Result<Cube<u32>, GenerateError> {
        let index = PlacementIndex::<u32>::new(material).expect("fits");
        let (white, black) = index.men(number);
        let shape = shapes::<u32>(kings(material))[0];
        subs.cube::<_, N>(Portable, material, white, black, Color::White, shape)
    }
}

/// All sets of so many squares, as binary numbers ascending.
fn sets<B: Board>(size: u32) -> Vec<B> {
    let mut sets = Vec::new();
    let mut set = (1_u128 << size) - 1;
    while set < 1 << B::SQUARES {
        sets.push(B::from_u128(set));
        if set == 0 {
            break;
        }
        // The next number with as many bits.
        let low = set & set.wrapping_neg();
        let next = set + low;
        set = next | (((set ^ next) / low) >> 2);
    }
    sets
}

/// All shapes there are for so many kings, the one with the most inner kings first.
fn shapes<B: Board>(kings: Kings) -> Vec<Shape> {
    let mut shapes = Vec::new();
    if kings.white > 0 && kings.black > 0 {
        shapes.push(Shape::Grid);
        for (color, count) in [(Color::White, kings.white), (Color::Black, kings.black)] {
            let squares = 0..if count > 1 { B::SQUARES as u8 } else { 0 };
            shapes.extend(squares.map(|square| Shape::GridWith(color, square)));
        }
    }
    if kings.white > 0 {
        shapes.push(Shape::White);
    }
    if kings.black > 0 {
        shapes.push(Shape::Black);
    }
    shapes.push(Shape::Bare);
    shapes
}

/// For every class with up to so many pieces a class that needs it.
fn needed_by(pieces: u32) -> Vec<(Material, Material)> {
    let mut found = HashMap::new();
    for material in makhos_index::classes(pieces + 1) {
        for needed in dependencies(material) {
            if needed.material.pieces() <= pieces {
                found.insert(needed.material, material);
            }
        }
    }
    assert_eq!(found.len(), makhos_index::classes(pieces).len());
    found.into_iter().collect()
}

fn small(rules: RuleSet) -> Tables {
    Tables::<u32>::generate(rules, &makhos_index::classes(3))
}

#[test]
fn cubes_of_all_small_classes() {
    for rules in [variant::ENGLISH, variant::CZECH] {
        let tables = small(rules);
        for (material, by) in needed_by(3) {
            tables.compare::<N>(&tables.subs::<N>(by, ROOMY), material, 1);
        }
    }
}

fn larger_board<B: SolvedBoard, const N: usize>(rules: RuleSet) {
    let tables = Tables::<B>::generate(rules, &makhos_index::classes(2));
    for (material, by) in needed_by(2) {
        tables.compare::<N>(&tables.subs::<N>(by, ROOMY), material, 5);
    }
}

#[test]
fn cubes_of_larger_boards() {
    larger_board::<u64, 52>(variant::INTERNATIONAL);
    larger_board::<u128, 72>(variant::CANADIAN);
}

#[test]
fn a_tiny_budget_changes_nothing() {
    let tables = small(variant::ENGLISH);
    for budget in [0, 1 << 10] {
        for (material, by) in needed_by(3) {
            let subs = tables.subs::<N>(by, budget);
            tables.compare::<N>(&subs, material, 41);
            assert!(subs.cache.bytes() + subs.decoded.bytes() <= budget);
        }
    }
}

#[test]
fn classes_of_several_segments() {
    let tables = Tables::<u32>::generate(variant::ENGLISH, &[class("1m1k-1m1k")]);
    for (material, by, step) in [("1m1k-1m1k", "2m1k-1m1k", 3), ("2k-1m1k", "2k1m-1m1k", 2)] {
        let material = class(material);
        // The budget of a few segments, so that most are driven out and expanded again.
        let subs = tables.subs::<N>(class(by), 1 << 20);
        let number = usize::from(subs.places.get(material).expect("needed"));
        let (index, _) = &tables.values[&material];
        let (white, black) = index.men(index.outer() - 1);
        let (last, _) = subs.classes[number].segments.locate(white, black);
        assert!(last > 4, "{last}");
        tables.compare::<N>(&subs, material, step);
        assert!(subs.cache.bytes() + subs.decoded.bytes() <= 1 << 20);
    }
}

#[test]
fn each_block_is_decoded_once() {
    let tables = Tables::<u32>::generate(variant::ENGLISH, &[class("1m1k-1m1k")]);
    let material = class("1m1k-1m1k");
    let subs = tables.subs::<N>(class("2m1k-1m1k"), ROOMY);
    tables.compare::<N>(&subs, material, 3);
    let (index, _) = &tables.values[&material];
    let blocks = index.len().div_ceil(DEFAULT_BLOCK_VALUES.into());
    let decodings = &subs.decoded.decodings;
    // All shapes, both ways round, of the one stored side.
    assert_eq!(stored_sides(material).len(), 1);
    assert_eq!(decodings.load(Ordering::Relaxed), blocks);
}

#[test]
fn threads_share_what_is_expanded() {
    let tables = small(variant::CZECH);
    for budget in [1 << 14, ROOMY] {
        let subs = tables.subs::<N>(class("2m1k-1k"), budget);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for material in ["1m1k-1k", "2m-1k"] {
                        tables.compare::<N>(&subs, class(material), 3);
                    }
                });
            }
        });
    }
}

#[test]
fn the_budget_is_used_and_kept() {
    let tables = small(variant::ENGLISH);
    let fill = |budget| {
        let subs = tables.subs::<N>(class("2k1m-1k"), budget);
        tables.compare::<N>(&subs, class("2k-1k"), 1);
        (subs.cache.bytes(), subs.decoded.bytes())
    };
    let (all, decoded) = fill(ROOMY);
    // Every cube of the class is there: 3 whole ones, 32 small ones, for 2 sides, both ways.
    assert!(all > 4 * (32 * 64 + 32 * 64) * 4, "{all}");
    assert!(decoded > 0 && decoded < all / 4, "{decoded}");
    assert_eq!(fill(all / 3 * 4 + 4), (all, decoded));
    for budget in [all / 2, all / 8] {
        let (used, decoded) = fill(budget);
        assert!(decoded <= budget / FOR_DECODED);
        assert!(used <= budget && used > budget / 2, "{used} of {budget}");
    }
}

#[test]
fn the_class_in_work() {
    let tables = small(variant::CZECH);
    let materials = [
        "1m1k-1k", "2k-1m", "1m-1m", "1k-1k", "2m-1m", "1m1k-1m", "2m-1k",
    ];
    for material in materials {
        let material = class(material);
        let (index, values) = &tables.values[&material];
        for budget in [0, ROOMY] {
            let subs = tables.subs::<N>(material, budget);
            for (&side, values) in stored_sides(material).iter().zip(values) {
                let planes = subs.planes(side).expect("stored");
                planes.put(0, &packed_values(values));
            }
            for number in (0..index.outer()).step_by(7) {
                let (white, black) = index.men(number);
                for shape in shapes::<u32>(kings(material)) {
                    for side in SIDES {
                        let cube = subs
                            .own::<_, N>(Portable, white, black, side, shape)
                            .expect("a cube");
                        let expected = tables.expected::<N>(material, (white, black), side, shape);
                        let what = || format!("{material} {number} {shape:?} {side:?}");
                        assert!(cube.elements() == expected, "{}", what());
                        assert_eq!(cube.held(), expected.len());
                        let word = WordOf {
                            class: material,
                            men: [white, black],
                            side,
                            shape,
                            beside: None,
                        };
                        if word.is_one() {
                            // Whatever was there before must be gone.
                            let mut into = [u32::MAX; 2];
                            subs.own_word_into(Portable, &word, &mut into);
                            assert!(into[..] == expected, "{}", what());
                        }
                    }
                }
            }
            let kept = subs.into_planes();
            assert_eq!(kept.len(), values.len());
            for ((mut planes, _), values) in kept.into_iter().zip(values) {
                let packed = packed_values(values);
                let outcomes = planes.swap_remove(0);
                assert_eq!(outcomes.into_words(), (packed.win, packed.loss));
            }
        }
    }
}

/// Outcomes as two planes.
fn packed_values(values: &[Wld]) -> Packed {
    let plane = |of: Wld| {
        values
            .chunks(64)
            .map(|chunk| {
                let bits = chunk.iter().enumerate();
                bits.fold(0, |word, (bit, &value)| {
                    word | (u64::from(value == of) << bit)
                })
            })
            .collect()
    };
    Packed {
        win: plane(Wld::Win),
        loss: plane(Wld::Loss),
        len: values.len() as u64,
    }
}

#[test]
fn what_was_inserted_is_not_expanded_again() {
    let tables = small(variant::ENGLISH);
    let material = class("1k-1k");
    let solved = tables.expected::<N>(material, (0, 0), Color::Black, Shape::Grid);
    let own = |subs: &Subs<u32>, side| {
        subs.own::<_, N>(Portable, 0, 0, side, Shape::Grid)
            .expect("a cube")
    };
    // Nothing is in the planes, so only what was inserted can be right.
    let subs = tables.subs::<N>(material, ROOMY);
    subs.insert_own::<32>(0, 0, Color::Black, Shape::Grid, &solved);
    assert_eq!(own(&subs, Color::Black).elements(), solved);
    // The other side to move is another cube.
    assert_ne!(own(&subs, Color::White).elements(), solved);
    // Too heavy for this budget.
    let subs = tables.subs::<N>(material, 1 << 10);
    subs.insert_own::<32>(0, 0, Color::Black, Shape::Grid, &solved);
    assert_ne!(own(&subs, Color::Black).elements(), solved);
}

#[test]
fn a_missing_or_foreign_file_is_named() {
    let tables = small(variant::ENGLISH);
    let subs = tables.subs::<N>(class("1m1k-1k"), ROOMY);
    let wanted = tables.path(class("1k-1m"));
    fs::remove_file(&wanted).expect("was there");
    for _ in 0..2 {
        match tables.any_cube(&subs, class("1k-1m"), 0) {
            Err(GenerateError::Table(TableError::Io { path, .. })) => assert_eq!(path, wanted),
            other => panic!("{other:?}"),
        }
    }
    fs::copy(tables.path(class("1k-1k")), &wanted).expect("copied");
    match tables.any_cube(&subs, class("1k-1m"), 0) {
        Err(GenerateError::Table(TableError::OtherClass { path, .. })) => assert_eq!(path, wanted),
        other => panic!("{other:?}"),
    }
    // What is needed of other classes is still there.
    tables.compare::<N>(&subs, class("2k-1k"), 1);
    assert!(matches!(
        tables.any_cube(&subs, class("2m-1k"), 0),
        Err(GenerateError::Unneeded { class: unneeded, .. }) if unneeded == class("2m-1k")
    ));
    // The class in work is not a finished one.
    assert!(tables.any_cube(&subs, class("1m1k-1k"), 0).is_err());
}

#[test]
fn a_damaged_block_is_reported_to_all_who_need_it() {
    let tables = Tables::<u32>::generate(variant::ENGLISH, &[class("1m1k-1m1k")]);
    let material = class("1m1k-1m1k");
    let wanted = tables.path(material);
    let mut bytes = fs::read(&wanted).expect("a table");
    let (index, values) = &tables.values[&material];
    let blocks = values[0]
        .len()
        .div_ceil(makhos_probe::DEFAULT_BLOCK_VALUES as usize);
    // The last byte of the last block lies before 8 bytes a block of the index and the footer of 52.
    let at = bytes.len() - 52 - 8 * blocks - 1;
    bytes[at] ^= 0x10;
    fs::write(&wanted, bytes).expect("written");
    let subs = tables.subs::<N>(class("2m1k-1m1k"), ROOMY);
    let last = index.outer() - 1;
    let fails = || match tables.any_cube(&subs, material, last) {
        Err(GenerateError::Table(TableError::DamagedBlock { path, block, .. })) => {
            assert_eq!(path, wanted);
            assert_eq!(block.number, blocks as u64 - 1);
        }
        other => panic!("{other:?}"),
    };
    fails();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..20).for_each(|_| fails()));
        }
    });
    let (white, black) = index.men(0);
    let cube = tables.any_cube(&subs, material, 0).expect("not damaged");
    let expected = tables.expected::<N>(material, (white, black), Color::White, Shape::Grid);
    assert_eq!(cube.elements(), expected);
}

#[test]
fn a_table_without_values_of_captures_is_refused() {
    let tables = small(variant::ENGLISH);
    let wanted = tables.path(class("1k-1k"));
    let compact = tempfile::tempdir().expect("a directory");
    let generator = Generator::<u32>::new(variant::ENGLISH, compact.path(), Metric::Wld);
    let plan = generator.plan(&[class("1k-1k")]).expect("a plan");
    generator.run(&plan, &Quiet).expect("a table");
    let made = table_path(
        compact.path(),
        &variant::ENGLISH,
        class("1k-1k"),
        Metric::Wld,
    );
    fs::copy(made, &wanted).expect("copied");
    let subs = tables.subs::<N>(class("1m1k-1k"), ROOMY);
    match tables.any_cube(&subs, class("1k-1k"), 0) {
        Err(GenerateError::NoCaptureValues { path }) => assert_eq!(path, wanted),
        other => panic!("{other:?}"),
    }
}

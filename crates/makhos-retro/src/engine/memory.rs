//! How much memory solving a class takes.
//!
//! While a class is solved there are at the same time
//! - the outcomes of its stored sides, two bits a position ([`planes`](super::planes));
//! - a [cube](super::cube) of one configuration of men for each thread, or one in all where the
//!   threads share it, and the outcomes on their way from it into the planes, at most twice what they
//!   take there since their vector grows by doubling;
//! - for a class without kings, where its captures and promotions lead ([`bare`](super::bare));
//! - the sets of each side's other kings with their moves, and the sets of men;
//! - what each thread has of its own: remembered places, the buffers of the writer;
//! - expanded tables: those in the [cache](super::subs), at most its budget, and those that a thread uses
//!   though the cache has dropped them. For one configuration of men a thread needs the dense forms of
//!   all positions that a move from there leads to; they are counted a thread as if none were in the
//!   cache. All together they cannot be more than every needed table in every form.
//!
//! Table files are mapped. What the system keeps of them in memory it can drop, so it is not counted.

use makhos_index::{Army, Material, placements, stored_sides};
use makhos_rules::{Board, Color, RuleSet};

use super::bare;
use super::class::{SHARED_BLOCKS, others, shape};
use super::cover;
use super::cube::Cube;
use super::distance::{self, PLANES};
use super::kings::OtherKings;
use super::layout;
use super::levels::PARTS_A_THREAD;
use super::ranks::sets;
use super::shape::{Kings, Shape};

/// Expanded tables that are always allowed for: with less, they are expanded again and again.
const LEAST_CACHE: u64 = 16 << 20;

/// The program itself.
const BASE: u64 = 12 << 20;

/// A thread's stack, its remembered places, and its part of what the writer encodes at a time.
const A_THREAD: u64 = 2 << 20;

/// Bytes that solving a class takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SolverMemory {
    /// Whatever the cache has.
    fixed: u64,
    /// Expanded tables in use that the cache may have dropped.
    held: u64,
    /// Expanded tables at most.
    all: u64,
}

impl SolverMemory {
    /// For a canonical class, solved for outcomes by `threads` threads.
    pub(crate) fn of_outcomes<B: Board>(
        rules: &RuleSet,
        material: Material,
        threads: usize,
    ) -> Self {
        let threads = threads.max(1) as u64;
        let forms = Forms::new::<B>(material);
        let moves = others(kings(material)).map(|kings| king_moves::<B>(rules, kings));
        let parts = [
            BASE,
            A_THREAD.saturating_mul(threads),
            // With a bit for captures.
            planes::<B>(material).saturating_mul(3) / 2,
            cubes::<B>(material, threads),
            moves[0].saturating_add(moves[1]),
            men_sets::<B>(material, threads),
            without_kings::<B>(material, threads),
        ];
        Self {
            fixed: parts.into_iter().fold(0, u64::saturating_add),
            held: forms.a_configuration.saturating_mul(threads),
            all: forms.all,
        }
    }

    /// The same, with two bytes for each value in the end.
    pub(crate) fn with_values<B: Board>(self, material: Material) -> Self {
        self.with_bytes(planes::<B>(material).saturating_mul(8))
    }

    /// The same with so many bytes more.
    pub(crate) fn with_bytes(self, bytes: u64) -> Self {
        Self {
            fixed: self.fixed.saturating_add(bytes),
            ..self
        }
    }

    /// The same with positions that are counted on the main road, for which each configuration of men is
    /// settled three times: three more cubes, the dense forms of all planes of both sides, twice, and the values
    /// that are seen of one side, ten bytes a position.
    pub(crate) fn with_counted<B: Board>(self, material: Material, threads: usize) -> Self {
        let (blocks, rows) = cube_size::<B>(material);
        let cubes = distance::bytes::<B>(blocks, rows).saturating_mul(3);
        let pairs = 2 * 2 * (2 + PLANES as u64 / 2);
        let dense = blocks.saturating_mul((2 * rows * size_of::<B>()) as u64);
        let values = collected::<B>(material).saturating_mul(20);
        let all = cubes
            .saturating_add(dense.saturating_mul(pairs))
            .saturating_add(values);
        let threads = cube_count(material, blocks, threads.max(1) as u64);
        self.with_bytes(all.saturating_mul(threads))
    }

    /// The same for solving it for distances, which takes as much for each pair of planes of plies as for
    /// the outcomes, and in the end two bytes for each value. The class must have kings. Finished positions
    /// have `finished` planes of plies.
    pub(crate) fn of_distances<B: Board>(
        rules: &RuleSet,
        material: Material,
        threads: usize,
        finished: usize,
    ) -> Self {
        let threads = threads.max(1) as u64;
        let [pairs, finished] = [PLANES, finished].map(|planes| 1 + planes as u64 / 2);
        let forms = Forms::new::<B>(material);
        let moves = others(kings(material)).map(|kings| king_moves::<B>(rules, kings));
        let planes = planes::<B>(material);
        let parts = [
            BASE,
            A_THREAD.saturating_mul(threads),
            planes.saturating_mul(pairs),
            planes / 2,
            // Two bytes a value, instead of the two bits of its outcome.
            planes.saturating_mul(8),
            distance_cubes::<B>(material, threads, finished),
            moves[0].saturating_add(moves[1]),
            men_sets::<B>(material, threads),
        ];
        Self {
            fixed: parts.into_iter().fold(0, u64::saturating_add),
            held: forms
                .a_configuration
                .saturating_mul(threads)
                .saturating_mul(finished),
            all: forms.all.saturating_mul(finished),
        }
    }

    /// The least with which the class is solved in reasonable time.
    pub(crate) fn least(&self) -> u64 {
        self.with_cache(LEAST_CACHE)
    }

    /// With a cache of so many bytes.
    pub(crate) fn with_cache(&self, budget: u64) -> u64 {
        let tables = self.held.saturating_add(budget).min(self.all);
        self.fixed.saturating_add(tables)
    }

    /// The budget of the cache where so many bytes are allowed for all.
    pub(crate) fn cache(&self, allowed: u64) -> u64 {
        let rest = allowed.saturating_sub(self.fixed);
        if rest >= self.all {
            // A cache that may fill up drops nothing.
            return self.all;
        }
        rest.saturating_sub(self.held).min(self.all)
    }
}

/// Bytes of the outcomes of the stored sides.
fn planes<B: Board>(material: Material) -> u64 {
    let sides = stored_sides(material).len() as u128;
    let positions = placements::<B>(material).unwrap_or(u128::MAX);
    saturated(positions.saturating_mul(sides) / 4)
}

/// Bytes of the cubes, and of the outcomes that are taken from them.
fn cubes<B: Board>(material: Material, threads: u64) -> u64 {
    let (blocks, rows) = cube_size::<B>(material);
    let cube = Cube::<B>::bytes(blocks, rows);
    cube.saturating_add(collected::<B>(material))
        .saturating_mul(cube_count(material, blocks, threads))
}

/// The same with distances: of those a pair of planes at a time is brought into dense form, and of one side
/// all those that finished positions have, to be kept for later configurations.
fn distance_cubes<B: Board>(material: Material, threads: u64, finished: u64) -> u64 {
    let (blocks, rows) = cube_size::<B>(material);
    let cube = distance::bytes::<B>(blocks, rows);
    let dense = blocks.saturating_mul((2 * rows * size_of::<B>()) as u64);
    let kept = if material.men() > 0 { finished + 1 } else { 1 };
    cube.saturating_add(collected::<B>(material))
        .saturating_add(dense.saturating_mul(kept))
        .saturating_mul(cube_count(material, blocks, threads))
}

/// Blocks of a cube, and rows of a plane of a block.
fn cube_size<B: Board>(material: Material) -> (u64, usize) {
    let kings = kings(material);
    let rows = match shape(kings) {
        Shape::Grid => rows::<B>(),
        _ => 1,
    };
    let blocks = others(kings)
        .into_iter()
        .map(|kings| sets(B::SQUARES, kings))
        .fold(1, usize::saturating_mul);
    (blocks as u64, rows)
}

/// Bytes of the outcomes of one configuration of men, in vectors with twice the room.
fn collected<B: Board>(material: Material) -> u64 {
    let placements = placements::<B>(material).unwrap_or(u128::MAX);
    saturated(placements) / configurations::<B>(material).max(1) / 2
}

/// How many cubes there are at a time.
fn cube_count(material: Material, blocks: u64, threads: u64) -> u64 {
    let is_shared = shape(kings(material)) == Shape::Grid && blocks >= SHARED_BLOCKS as u64;
    if is_shared { 1 } else { threads }
}

/// Bytes of what a class without kings is solved with.
fn without_kings<B: Board>(material: Material, threads: u64) -> u64 {
    if material.men() < material.pieces() {
        return 0;
    }
    let (shared, a_thread) = bare::bytes::<B>(material);
    shared.saturating_add(a_thread.saturating_mul(threads))
}

/// Bytes of the sets of men; the vectors may have twice the room.
fn men_sets<B: Board>(material: Material, threads: u64) -> u64 {
    let places = B::SQUARES - B::PER_ROW;
    let [white, black] =
        [material.white, material.black].map(|army| sets(places, army.men.into()) as u64);
    let set = size_of::<B>() as u64;
    // The configurations of a level are listed by White's men, some in several parts.
    let group = set + 16 + 8;
    let lists = white.saturating_add(black).saturating_mul(2 * set);
    let groups = white.saturating_add(threads.saturating_mul(PARTS_A_THREAD as u64));
    lists.saturating_add(groups.saturating_mul(group))
}

/// Bytes of what solving a class looks up.
#[derive(Default)]
struct Forms {
    /// Everything, for all configurations of men.
    all: u64,
    /// What one configuration needs.
    a_configuration: u64,
}

impl Forms {
    fn new<B: Board>(material: Material) -> Self {
        let mut forms = Self::default();
        forms.add_moves::<B>(material.white, material.black, false);
        forms.add_moves::<B>(material.black, material.white, true);
        if material.men() > 0 {
            // Moves of men within the class, from either side; kept as they are solved.
            let own = form::<B>(shape(kings(material)), kings(material));
            let own = own.saturating_mul(2);
            forms.all = forms
                .all
                .saturating_add(own.saturating_mul(configurations::<B>(material)));
        }
        forms
    }

    /// What the moves of one side lead to; it is Black if `flipped`.
    fn add_moves<B: Board>(&mut self, mover: Army, foe: Army, flipped: bool) {
        let oriented = |mover, foe| match flipped {
            false => Material::new(mover, foe),
            true => Material::new(foe, mover),
        };
        // A man goes to the last row on one of two squares.
        let squares = (2 * u32::from(mover.men)).min(B::PER_ROW).into();
        let promoted = (mover.men > 0).then(|| Army::new(mover.men - 1, mover.kings + 1));
        if let Some(promoted) = promoted {
            let form = promotion::<B>(mover, foe, flipped);
            self.add::<B>(oriented(promoted, foe), form, B::PER_ROW, squares);
        }
        for left in subsets(foe) {
            let ways = sets(foe.men.into(), left.men.into()) as u64;
            let material = oriented(mover, left);
            self.add::<B>(material, captures::<B>(kings(material)), 1, ways);
            if let Some(promoted) = promoted {
                let material = oriented(promoted, left);
                self.add::<B>(material, captures::<B>(kings(material)), 1, ways);
            }
        }
    }

    /// A class that is looked up with one side to move. A dense form of one configuration of its men
    /// takes `form` bytes; there are so many of them, and one configuration of the class in work needs
    /// `ways`.
    fn add<B: Board>(&mut self, material: Material, form: u64, forms: u32, ways: u64) {
        let dense = form
            .saturating_mul(forms.into())
            .saturating_mul(configurations::<B>(material));
        // Outcomes as they are decoded are kept as well.
        let decoded = saturated(placements::<B>(material).unwrap_or(u128::MAX) / 4);
        self.all = self.all.saturating_add(dense).saturating_add(decoded);
        let held = form.saturating_mul(ways);
        self.a_configuration = self.a_configuration.saturating_add(held);
    }
}

/// What captures may leave of an army.
fn subsets(army: Army) -> impl Iterator<Item = Army> {
    let left = move |men| (0..=army.kings).map(move |kings| Army::new(men, kings));
    let all = (0..=army.men).flat_map(left);
    all.filter(move |&left| left != army && left.pieces() > 0)
}

/// Bytes of the forms in which positions after captures are looked up, for one configuration of men.
fn captures<B: Board>(kings: Kings) -> u64 {
    if kings.white + kings.black == 0 {
        return form::<B>(Shape::Bare, kings);
    }
    [Shape::Grid, Shape::White, Shape::Black]
        .into_iter()
        .map(|shape| form::<B>(shape, kings))
        .fold(0, u64::saturating_add)
}

/// Bytes of a form in which positions after a promotion without capture are looked up.
fn promotion<B: Board>(mover: Army, foe: Army, flipped: bool) -> u64 {
    let (own, color, other) = match flipped {
        false => (Shape::White, Color::White, Shape::Black),
        true => (Shape::Black, Color::Black, Shape::White),
    };
    // The kings that were there are the dimensions, if there were any.
    let shape = match (mover.kings, foe.kings) {
        (0, 0) | (1.., 0) => own,
        (0, _) => other,
        _ => Shape::GridWith(color, 0),
    };
    let (mover, foe) = (u32::from(mover.kings) + 1, foe.kings.into());
    let (white, black) = if flipped { (foe, mover) } else { (mover, foe) };
    form::<B>(shape, Kings { white, black })
}

/// Bytes of a dense form of one configuration of men.
fn form<B: Board>(shape: Shape, kings: Kings) -> u64 {
    let elements = match rows::<B>() {
        32 => layout::elements::<B, 32>(shape, kings),
        52 => layout::elements::<B, 52>(shape, kings),
        _ => layout::elements::<B, 72>(shape, kings),
    };
    (elements as u64).saturating_mul(size_of::<B>() as u64)
}

/// Rows of a block.
fn rows<B: Board>() -> usize {
    match B::SQUARES {
        32 => 32,
        50 => 52,
        _ => 72,
    }
}

/// Configurations of the men of a class.
fn configurations<B: Board>(material: Material) -> u64 {
    let men = |army: Army| Army::new(army.men, 0);
    let men = Material::new(men(material.white), men(material.black));
    saturated(placements::<B>(men).unwrap_or(u128::MAX))
}

fn kings(material: Material) -> Kings {
    Kings {
        white: material.white.kings.into(),
        black: material.black.kings.into(),
    }
}

/// Bytes of the sets of a side's other kings, their moves, and which of them are looked at.
fn king_moves<B: Board>(rules: &RuleSet, kings: u32) -> u64 {
    /// More fit no memory.
    const MOST: usize = 1 << 40;
    match sets(B::SQUARES, kings) {
        ..MOST => OtherKings::<B>::bytes(rules, kings).saturating_add(cover::bytes::<B>(kings)),
        _ => u64::MAX,
    }
}

fn saturated(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use makhos_index::PlacementIndex;
    use makhos_rules::variant;

    use super::*;

    fn memory(class: &str, threads: usize) -> SolverMemory {
        SolverMemory::of_outcomes::<u32>(
            &variant::RUSSIAN,
            class.parse().expect("a class"),
            threads,
        )
    }

    #[test]
    fn configurations_are_those_of_the_index() {
        for class in ["2m1k-1m", "3k-1k", "3m-2k", "1m-1m"] {
            let material = class.parse().expect("a class");
            let index = PlacementIndex::<u64>::new(material).expect("small");
            assert_eq!(
                configurations::<u64>(index.material()),
                index.outer(),
                "{class}"
            );
        }
    }

    #[test]
    fn the_cache_gets_what_is_left() {
        for class in ["3k-1m2k", "2m1k-2m1k", "3m-3m", "4k-4k", "6m6k-6m6k"] {
            let memory = memory(class, 2);
            let least = memory.least();
            assert!(
                memory.cache(least) >= LEAST_CACHE.min(memory.all),
                "{class}"
            );
            for allowed in [
                least,
                least.saturating_mul(2),
                least.saturating_mul(100),
                u64::MAX,
            ] {
                let budget = memory.cache(allowed);
                assert!(budget <= memory.all, "{class}");
                assert!(memory.with_cache(budget) <= allowed, "{class}, {allowed}");
            }
        }
    }

    #[test]
    fn threads_share_the_cube_of_many_kings() {
        let cube = Cube::<u32>::bytes(496 * 496, 32);
        for (class, cubes) in [("3k-3k", 1), ("2k-2k", 4)] {
            let (one, four) = (memory(class, 1), memory(class, 4));
            assert!(four.fixed - one.fixed < 4 * cube / 10, "{class}");
            // A thread more takes little else.
            assert_eq!(four.fixed > one.fixed + 4 * A_THREAD, cubes > 1, "{class}");
        }
    }

    #[test]
    fn distances_take_more_than_outcomes() {
        for class in ["2m1k-1m", "3k-1k", "1m1k-1m1k"] {
            let material = class.parse().expect("a class");
            let of = |finished| {
                SolverMemory::of_distances::<u32>(&variant::RUSSIAN, material, 2, finished)
            };
            let (conversions, ends) = (of(0), of(PLANES));
            assert!(conversions.all < ends.all, "{class}");
            assert!(conversions.fixed <= ends.fixed, "{class}");
            assert!(memory(class, 2).fixed < conversions.fixed, "{class}");
            let counted = ends.with_counted::<u32>(material, 2);
            assert!(ends.fixed < counted.fixed, "{class}");
        }
    }

    #[test]
    fn nothing_overflows() {
        let material = "18m18k-18m18k".parse().expect("a class");
        let memory = SolverMemory::of_outcomes::<u128>(&variant::CANADIAN, material, 1024);
        assert_eq!(memory.least(), u64::MAX);
        let memory = SolverMemory::of_distances::<u128>(&variant::CANADIAN, material, 1024, 0);
        assert_eq!(
            memory.with_counted::<u128>(material, 1024).least(),
            u64::MAX
        );
    }
}

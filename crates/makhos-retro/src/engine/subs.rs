//! What the solver needs to know of other positions, in the dense form and on demand: of smaller
//! classes from their table files, of the class in work from what of it is finished.
//!
//! What has been expanded is kept in a cache that all threads share, as far as the budget goes; so is,
//! in a smaller one before it, what has been decoded.
//!
//! # Memory
//! Both caches hold at most the budget. Beside it there is what was dropped from the cache while threads
//! still use it: the cubes they hold, each with its whole segment. A thread that expands a segment has
//! it and its outcomes, 2 bits a position, on top. So with `t` threads that hold at most `h` cubes each
//! the memory may exceed the budget by `t * (h + 1)` segments, and by the few pages of decoded positions that a
//! thread [remembers](Pages). A segment too large for the cache is
//! handed out all the same and lives as long as it is held. The outcomes of the class in work, 2 bits a
//! position, are no part of the budget.

mod decoded;
mod road;
mod ruled;
mod source;
mod words;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use makhos_index::{Material, PlacementIndex, dependencies, stored_sides};
use makhos_probe::Metric;
use makhos_rules::{Board, Color, RuleSet};

use self::decoded::{Decoded, PageKey};
pub(crate) use self::road::bytes_of_counted;
use self::ruled::Ruled;
use self::source::Source;
pub(crate) use self::words::{Pages, WordOf};
use super::dense_cache::{DenseCache, Key};
use super::isa::Isa;
use super::layout::elements;
use super::planes::{ClassPlanes, Packed};
pub(crate) use super::segment::Cube;
use super::segment::{Form, Segments};
use super::shape::{Kings, Shape};
use crate::error::GenerateError;

/// Outcomes that solving one class needs, and those found so far.
pub(crate) struct Subs<B> {
    rules: RuleSet,
    /// The drawing rules, if there are any.
    ruled: Option<Ruled<B>>,
    dir: PathBuf,
    places: Places,
    /// What the class in work depends on.
    classes: Vec<Class<B>>,
    /// The class in work.
    own: Segments<B>,
    /// Its outcomes for each stored side to move, each followed by its pairs of planes of plies.
    planes: Vec<ClassPlanes>,
    /// Its capture positions for each stored side to move.
    captures: Vec<ClassPlanes>,
    /// Pairs of planes that a side has in `planes`.
    own_pairs: usize,
    /// Pairs of planes in dense form: the outcomes, and with distances those of plies.
    pairs: usize,
    cache: DenseCache<B>,
    decoded: Decoded,
}

/// The part of the budget that decoded outcomes may take. In dense form they take 4 to 36 times as much.
const FOR_DECODED: u64 = 4;

/// A finished class.
struct Class<B> {
    segments: Segments<B>,
    /// Opened when first needed.
    source: OnceLock<Source<B>>,
}

/// A smaller class with one side to move as its table has it.
pub(crate) struct StoredClass<'a, B> {
    subs: &'a Subs<B>,
    number: u16,
    /// The numbering of the positions.
    pub(crate) index: &'a PlacementIndex<B>,
    /// The side to move in the table.
    side: Color,
    /// Whether these are the positions with colours exchanged.
    pub(crate) flipped: bool,
}

impl<B: Board> StoredClass<'_, B> {
    /// The outcomes of these positions.
    ///
    /// # Errors
    /// Those of [`Subs::cube`].
    pub(crate) fn read(&self, positions: Range<u64>) -> Result<Packed, GenerateError> {
        let source = self
            .subs
            .source(&self.subs.classes[usize::from(self.number)])?;
        let decoded = &self.subs.decoded;
        let mut pairs = decoded.read(source, self.number, self.side, positions, 1)?;
        Ok(pairs.swap_remove(0))
    }
}

/// One configuration of men as a table stores it.
struct Stored<B> {
    form: Form,
    white_men: B,
    black_men: B,
}

impl<B: Board> Subs<B> {
    /// What solving `material`, canonical, under `rules` needs, from tables below the directory `dir` of
    /// all tables. At most about `budget` bytes are [kept](self). `N` is the number of rows of a block.
    ///
    /// # Errors
    /// [`GenerateError::Class`] for a class that cannot be numbered on this board.
    pub(crate) fn open<const N: usize>(
        rules: &RuleSet,
        dir: &Path,
        material: Material,
        budget: u64,
        planes_of_plies: PlanesOfPlies,
    ) -> Result<Self, GenerateError> {
        let [own_pairs, pairs] =
            [planes_of_plies.own, planes_of_plies.finished].map(|planes| 1 + planes / 2);
        let refuse = |material| move |source| GenerateError::Class { material, source };
        let mut classes = Vec::new();
        for needed in dependencies(material) {
            let material = needed.material;
            classes.push(Class {
                segments: Segments::new(material).map_err(refuse(material))?,
                source: OnceLock::new(),
            });
        }
        let own = Segments::single(material).map_err(refuse(material))?;
        let largest = classes
            .iter()
            .map(|class| &class.segments)
            .chain([&own])
            .map(largest_bytes::<B, N>)
            .max()
            .unwrap_or(0)
            .saturating_mul(pairs as u64);
        let sides = stored_sides(material).iter();
        Ok(Self {
            rules: *rules,
            ruled: None,
            dir: dir.to_owned(),
            places: Places::new(&classes, material),
            classes,
            planes: (0..sides.clone().count() * own_pairs)
                .map(|_| ClassPlanes::new(own.all()))
                .collect(),
            captures: sides.map(|_| ClassPlanes::single(own.all())).collect(),
            own_pairs,
            pairs,
            own,
            cache: DenseCache::new(budget - budget / FOR_DECODED, largest),
            decoded: Decoded::new(budget / FOR_DECODED),
        })
    }

    /// The dense form of one configuration of men of a smaller class, all as the solver sees it: `class`
    /// need not be canonical.
    ///
    /// # Errors
    /// [`GenerateError::Unneeded`] if the class in work does not depend on `class`;
    /// [`GenerateError::Table`] or [`GenerateError::NoCaptureValues`] if its table is missing, damaged
    /// or another one. Nothing remembers an error: the next call tries again.
    #[allow(clippy::too_many_arguments)] // what tells one cube from another
    #[inline]
    pub(crate) fn cube<I: Isa, const N: usize>(
        &self,
        isa: I,
        class: Material,
        white_men: B,
        black_men: B,
        side: Color,
        shape: Shape,
    ) -> Result<Cube<B>, GenerateError> {
        let Some(number) = self.places.get(class) else {
            return Err(self.unneeded(class));
        };
        let segments = &self.classes[usize::from(number)].segments;
        let stored = stored_form(segments, class, white_men, black_men, side, shape);
        let (segment, place) = segments.locate(stored.white_men, stored.black_men);
        let key = Key::new(number, stored.form, segment);
        let dense = self.cache.get_or_insert_with(&key, || {
            self.read::<I, N>(isa, number, stored.form, segment)
        })?;
        Ok(Cube::new(
            dense,
            place,
            self.pairs * elements::<B, N>(shape, stored.form.kings),
        ))
    }

    /// How the table of a smaller class has the positions with this side to move, all as the solver sees it.
    ///
    /// # Errors
    /// Those of [`cube`](Self::cube).
    pub(crate) fn stored_class(
        &self,
        class: Material,
        side: Color,
    ) -> Result<StoredClass<'_, B>, GenerateError> {
        let Some(number) = self.places.get(class) else {
            return Err(self.unneeded(class));
        };
        let segments = &self.classes[usize::from(number)].segments;
        let flipped = is_flipped(segments, class, side);
        Ok(StoredClass {
            subs: self,
            number,
            index: segments.index(),
            side: if flipped { side.opponent() } else { side },
            flipped,
        })
    }

    /// Pairs of planes of dense forms: the outcomes, and with distances those of plies.
    pub(crate) fn pairs(&self) -> usize {
        self.pairs
    }

    /// All planes of a stored side of the class in work: its outcomes, then pairs of planes of plies.
    ///
    /// # Panics
    /// If the side is not stored.
    pub(crate) fn planes_of(&self, side: Color) -> &[ClassPlanes] {
        &self.planes[side_number(side) * self.own_pairs..][..self.own_pairs]
    }

    /// The outcomes of the class in work with this side to move, for the solver to fill in; `None` if
    /// they are [not stored](makhos_index::stored_sides), being those of the flipped positions.
    pub(crate) fn planes(&self, side: Color) -> Option<&ClassPlanes> {
        self.planes.get(side_number(side) * self.own_pairs)
    }

    /// The capture positions of the class in work with this side to move, for the solver to fill in, as
    /// losses of [`ClassPlanes::single`].
    ///
    /// # Panics
    /// If the side is not stored.
    pub(crate) fn captures(&self, side: Color) -> &ClassPlanes {
        &self.captures[side_number(side)]
    }

    /// All planes of the class in work: of each stored side, in their order, and its captures.
    pub(crate) fn into_planes(self) -> Vec<(Vec<ClassPlanes>, ClassPlanes)> {
        let mut planes = self.planes.into_iter();
        let mut sides = Vec::new();
        for captures in self.captures {
            sides.push((planes.by_ref().take(self.own_pairs).collect(), captures));
        }
        sides
    }

    /// The same as [`cube`](Self::cube) for the class in work. All outcomes of this configuration must
    /// be in the [`planes`](Self::planes) by now, for what is expanded is kept.
    ///
    /// # Errors
    /// [`GenerateError::Table`], of positions counted on the main road.
    #[inline]
    pub(crate) fn own<I: Isa, const N: usize>(
        &self,
        isa: I,
        white_men: B,
        black_men: B,
        side: Color,
        shape: Shape,
    ) -> Result<Cube<B>, GenerateError> {
        let (key, form) = self.own_key(white_men, black_men, side, shape);
        let dense = self.cache.get_or_insert_with(&key, || {
            let positions = self.own.positions(key.segment());
            let side = form.stored_side;
            let planes = &self.planes_of(side)[..self.pairs];
            let mut stored: Vec<Packed> = planes
                .iter()
                .map(|planes| {
                    let mut stored = Packed::default();
                    planes.get(
                        positions.start,
                        positions.end - positions.start,
                        &mut stored,
                    );
                    stored
                })
                .collect();
            if let Some(counted) = self.counted(side, positions, self.pairs)? {
                counted.put_into(&mut stored);
            }
            let mut segment = self.own.expand::<I, N>(isa, form, key.segment(), &stored);
            self.come_inside(alone(&mut segment), shape.rows::<N>());
            Ok::<_, GenerateError>(segment)
        })?;
        let len = self.pairs * elements::<B, N>(shape, form.kings);
        Ok(Cube::new(dense, 0, len))
    }

    /// Keeps the dense form of a configuration of the class in work that has just been solved, so that
    /// [`own`](Self::own) need not expand it; unless it would drive too much else out.
    pub(crate) fn insert_own<const N: usize>(
        &self,
        white_men: B,
        black_men: B,
        side: Color,
        shape: Shape,
        elements: &[B],
    ) {
        if self.cache.is_light(elements) {
            let (key, _) = self.own_key(white_men, black_men, side, shape);
            let mut dense = Arc::from(elements);
            self.come_inside(alone(&mut dense), shape.rows::<N>());
            self.cache.insert(key, dense);
        }
    }

    #[inline]
    fn own_key(&self, white_men: B, black_men: B, side: Color, shape: Shape) -> (Key, Form) {
        let class = self.own.material();
        let stored = stored_form(&self.own, class, white_men, black_men, side, shape);
        let (segment, _) = self.own.locate(stored.white_men, stored.black_men);
        // The number after those of the smaller classes.
        let number = self.classes.len() as u16;
        (Key::new(number, stored.form, segment), stored.form)
    }

    /// Reads and expands a segment of a smaller class.
    #[cold]
    fn read<I: Isa, const N: usize>(
        &self,
        isa: I,
        number: u16,
        form: Form,
        segment: u64,
    ) -> Result<Arc<[B]>, GenerateError> {
        let class = &self.classes[usize::from(number)];
        let positions = class.segments.positions(segment);
        let source = self.source(class)?;
        let stored = self
            .decoded
            .read(source, number, form.stored_side, positions, self.pairs)?;
        let mut dense = class.segments.expand::<I, N>(isa, form, segment, &stored);
        let len = self.pairs * elements::<B, N>(form.shape, form.kings);
        let rows = form.shape.rows::<N>();
        self.come_into(&class.segments, form, alone(&mut dense), len, rows);
        Ok(dense)
    }

    /// A page of decoded positions of a smaller class.
    #[cold]
    #[inline(never)]
    fn read_page(&self, class: &Class<B>, key: PageKey) -> Result<Arc<[Packed]>, GenerateError> {
        self.decoded.page(self.source(class)?, key, self.pairs)
    }

    /// The tables of a class, opened if they are not yet.
    fn source<'a>(&self, class: &'a Class<B>) -> Result<&'a Source<B>, GenerateError> {
        if let Some(source) = class.source.get() {
            return Ok(source);
        }
        let material = class.segments.material();
        let (dir, rules) = (&self.dir, &self.rules);
        let source = match (&self.ruled, self.pairs) {
            (Some(ruled), _) => ruled.source(dir, rules, material)?,
            (None, 1) => Source::plain(dir, rules, material, Metric::Wld)?,
            (None, _) => Source::plain(dir, rules, material, Metric::Dtw)?,
        };
        // Two threads may have opened it at the same time; one of the two stays.
        Ok(class.source.get_or_init(|| source))
    }

    #[cold]
    fn unneeded(&self, class: Material) -> GenerateError {
        GenerateError::Unneeded {
            material: self.own.material(),
            class,
        }
    }
}

/// A segment that was expanded just now.
fn alone<B>(segment: &mut Arc<[B]>) -> &mut [B] {
    Arc::get_mut(segment).expect("nobody else has it yet")
}

/// How many planes of plies there are, an even number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PlanesOfPlies {
    /// Of the class in work.
    pub(crate) own: usize,
    /// Of finished positions: none, so that tables of outcomes are enough, or as many.
    pub(crate) finished: usize,
}

impl PlanesOfPlies {
    /// Outcomes alone.
    pub(crate) const NONE: Self = Self {
        own: 0,
        finished: 0,
    };
}

/// The number of a side among the stored ones: White is always the first.
fn side_number(side: Color) -> usize {
    usize::from(!side.is_white())
}

/// Whether the table of `segments` stores the flip of what the solver sees.
#[inline]
fn is_flipped<B: Board>(segments: &Segments<B>, class: Material, side: Color) -> bool {
    match class.is_symmetric() {
        true => !side.is_white(),
        false => class != segments.material(),
    }
}

/// How the table of `segments` stores what the solver sees: as it is, or flipped, by the same rule as
/// [`makhos_index::normalize`].
#[inline]
fn stored_form<B: Board>(
    segments: &Segments<B>,
    class: Material,
    white_men: B,
    black_men: B,
    side: Color,
    shape: Shape,
) -> Stored<B> {
    debug_assert_eq!(white_men.len(), class.white.men.into());
    debug_assert_eq!(black_men.len(), class.black.men.into());
    let flipped = is_flipped(segments, class, side);
    let (stored_side, white_men, black_men) = match flipped {
        true => (side.opponent(), black_men.rotate(), white_men.rotate()),
        false => (side, white_men, black_men),
    };
    Stored {
        form: Form {
            shape,
            kings: kings(class),
            flipped,
            stored_side,
        },
        white_men,
        black_men,
    }
}

/// Whether the dense form is one word of each plane, as [`expand_word`] makes it.
#[inline]
fn is_one_word(shape: Shape, kings: Kings) -> bool {
    matches!(
        (shape, kings.white, kings.black),
        (Shape::Bare, 0, 0) | (Shape::White, 1, 0) | (Shape::Black, 0, 1)
    )
}

fn kings(class: Material) -> Kings {
    Kings {
        white: class.white.kings.into(),
        black: class.black.kings.into(),
    }
}

/// The most bytes that a segment of a class takes in a shape the solver may ask for.
fn largest_bytes<B: Board, const N: usize>(segments: &Segments<B>) -> u64 {
    let kings = kings(segments.material());
    // Where there are kings, one of them at least is a dimension of bits.
    [
        (Shape::Grid, kings.white > 0 && kings.black > 0),
        (Shape::White, kings.white > 0),
        (Shape::Black, kings.black > 0),
        (Shape::Bare, kings.white + kings.black == 0),
    ]
    .into_iter()
    .filter(|(_, asked)| *asked)
    .map(|(shape, _)| segments.most_elements::<N>(shape, kings))
    .max()
    .unwrap_or(0)
    .saturating_mul(size_of::<B>() as u64)
}

/// The numbers of the needed classes, by what they consist of: a table, as every cube starts here.
struct Places {
    /// One more than the most men and kings of a side.
    men: usize,
    kings: usize,
    numbers: Vec<Option<u16>>,
}

impl Places {
    fn new<B: Board>(classes: &[Class<B>], material: Material) -> Self {
        let most = |count: fn(&makhos_index::Army) -> u32| {
            count(&material.white).max(count(&material.black)) as usize + 1
        };
        let mut places = Self {
            men: most(|army| army.men.into()),
            // Every man may become a king.
            kings: most(|army| army.pieces()),
            numbers: Vec::new(),
        };
        places.numbers = vec![None; (places.men * places.kings).pow(2)];
        for (number, class) in (0..).zip(classes) {
            let material = class.segments.material();
            for oriented in [material, material.flip()] {
                if let Some(place) = places.place(oriented) {
                    places.numbers[place] = Some(number);
                }
            }
        }
        places
    }

    #[inline]
    fn get(&self, class: Material) -> Option<u16> {
        self.numbers[self.place(class)?]
    }

    #[inline]
    fn place(&self, class: Material) -> Option<usize> {
        let [white, black] = [class.white, class.black].map(|army| {
            let (men, kings) = (usize::from(army.men), usize::from(army.kings));
            (men < self.men && kings < self.kings).then_some(men * self.kings + kings)
        });
        Some(white? * self.men * self.kings + black?)
    }
}

#[cfg(test)]
mod tests;

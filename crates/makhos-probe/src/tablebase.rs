//! All tables of one rule set, and the value of any position from them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use makhos_index::{Material, PlacementIndex};
use makhos_rules::{Board, Move, Position, RuleSet};

use crate::class_map::ClassMap;
use crate::dtc::Dtc;
use crate::error::TableError;
use crate::isa::Processor;
use crate::listing::{Entry, list};
use crate::paths::{command_arguments, parse_file_name, table_path, variant_directory};
use crate::probe_error::{Origin, ProbeError};
use crate::source::Access;
use crate::table::{Kept, Table};
use crate::value::{Dtw, Metric, PackedDtw, Plies, Wld};
pub use answers::Batch;
use quick::NoAnswer;

mod answers;
mod batch;
mod more;
mod quick;

/// A legal move and its value for the player who makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveValue<B, V> {
    /// The move.
    pub mv: Move<B>,
    /// [`Wld`] or [`Dtw`] from the mover's view; a distance counts the move itself.
    pub value: V,
}

/// The tables of one rule set in one directory, those that ignore drawing rules: see
/// [`DrawTables`](crate::DrawTables) for the others.
///
/// Tables are opened when they are first needed. Probing takes `&self`, and no thread ever waits for
/// another.
///
/// By default files are mapped into memory. *They must not be changed in place or cut off while the
/// tablebase exists*: that could change values unnoticed or kill the process. Replacing a file by
/// renaming another over it, as [`TableWriter`](crate::TableWriter) does, and deleting it are
/// harmless. Where other programs may write to the directory, open it with [`Access::Read`].
///
/// Any legal position has an answer if the tables of its class and of those its captures lead to are
/// there. A side to move without a legal move, or without pieces, has lost in 0 plies. Positions in
/// which the side to move must capture are searched until nothing can be captured; the values that
/// files may hold for them are not used.
///
/// Outcomes of compact tables that have been decoded are kept for all threads, about a tenth of a byte a position,
/// until the tablebase is dropped; those of all tables of a process together take at most 256 MiB. Besides,
/// each thread keeps at most 128 decoded blocks of at most 128 KiB.
#[derive(Debug)]
pub struct Tablebase<B> {
    rules: RuleSet,
    dir: PathBuf,
    access: Access,
    processor: Processor,
    classes: ClassMap<Class<B>>,
    max_pieces: u32,
}

/// The metrics of the tables that there may be.
pub(crate) const METRICS: [Metric; 3] = [Metric::Wld, Metric::Dtw, Metric::Dtc];

/// What is there of one class.
#[derive(Debug)]
struct Class<B> {
    index: PlacementIndex<B>,
    /// What has been decoded of the table of outcomes, once that is open and if it is compact.
    kept: OnceLock<Arc<Kept>>,
    /// By metric, as in [`METRICS`].
    files: [Option<Entry>; METRICS.len()],
}

impl<B> Class<B> {
    /// The table of a metric.
    fn file(&self, metric: Metric) -> Option<&Entry> {
        self.files[slot(metric)?].as_ref()
    }

    /// The table that tells values of a metric, and its own: outcomes are also told by distances.
    fn find(&self, metric: Metric) -> Option<(&Entry, Metric)> {
        let metrics: &[Metric] = match metric {
            Metric::Wld => &Metric::ALL,
            Metric::Dtw => &[Metric::Dtw],
            Metric::Dtc => &[Metric::Dtc],
            Metric::Dtz => &[],
        };
        let found = metrics.iter();
        found
            .copied()
            .find_map(|metric| Some((self.file(metric)?, metric)))
    }
}

impl<B: Board> Tablebase<B> {
    /// The tables of `rules` below the directory `dir` of all tables. The directory is listed, no file
    /// is opened. A directory that does not exist counts as empty.
    ///
    /// # Errors
    /// [`ProbeError::OtherBoard`]; [`ProbeError::Table`] if the directory cannot be listed.
    pub fn open(rules: RuleSet, dir: &Path) -> Result<Self, ProbeError> {
        Self::open_with(rules, dir, Access::default())
    }

    /// [`open`](Self::open), and files are read as `access` says.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(rules: RuleSet, dir: &Path, access: Access) -> Result<Self, ProbeError> {
        Self::open_all(rules, &[dir], access)
    }

    /// The tables of `rules` below any number of directories of all tables. Of a table that is in several, the
    /// one in the first of them is used. Without directories there are no tables.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_all(rules: RuleSet, dirs: &[&Path], access: Access) -> Result<Self, ProbeError> {
        check_board::<B>(&rules)?;
        let mut classes = BTreeMap::new();
        for dir in dirs {
            for (material, metric) in list(&dir.join(variant_directory(&rules)), parse_file_name)? {
                // A file named after a class that does not fit the board cannot be asked for.
                let Ok(index) = PlacementIndex::new(material) else {
                    continue;
                };
                let class = classes.entry(material).or_insert(Class {
                    index,
                    kept: OnceLock::new(),
                    files: [const { None }; METRICS.len()],
                });
                if let Some(place) = slot(metric) {
                    let path = table_path(dir, &rules, material, metric);
                    class.files[place].get_or_insert_with(|| Entry::new(path));
                }
            }
        }
        let max_pieces = classes.keys().map(|class: &Material| class.pieces()).max();
        Ok(Self {
            rules,
            dir: dirs.first().copied().unwrap_or(Path::new("")).to_owned(),
            access,
            processor: Processor::detect(),
            classes: ClassMap::new(classes.into_iter().collect()),
            max_pieces: max_pieces.unwrap_or(0),
        })
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The directory of all tables, the first if there are several.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Pieces of the largest class of which there is a table, 0 without tables.
    #[must_use]
    pub fn max_pieces(&self) -> u32 {
        self.max_pieces
    }

    /// The tables that are there, in generation order.
    #[must_use]
    pub fn tables(&self) -> Vec<(Material, Metric)> {
        let all = self.classes.iter().flat_map(|(material, class)| {
            METRICS
                .into_iter()
                .filter(|&metric| class.file(metric).is_some())
                .map(move |metric| (*material, metric))
        });
        let mut all: Vec<_> = all.collect();
        all.sort_unstable();
        all
    }

    /// The table of a class in either orientation.
    ///
    /// # Errors
    /// [`ProbeError::MissingTable`]; [`ProbeError::Table`] if the file is damaged or another table;
    /// [`ProbeError::NeedsDrawRules`] for [`Metric::Dtz`].
    pub fn table(&self, material: Material, metric: Metric) -> Result<&Table, ProbeError> {
        let material = material.canonical();
        let class = self.classes.get(material);
        match class.and_then(|class| Some((class, class.file(metric)?))) {
            Some((class, entry)) => Ok(self.opened(class, entry, metric)?),
            None => Err(self.missing_table(material, metric)),
        }
    }

    /// Whether there is a table of a canonical class and a metric.
    pub(crate) fn has(&self, material: Material, metric: Metric) -> bool {
        let class = self.classes.get(material);
        class.is_some_and(|class| class.file(metric).is_some())
    }

    /// Whether some table of a canonical class tells values of that metric.
    pub(crate) fn serves(&self, material: Material, metric: Metric) -> bool {
        let class = self.classes.get(material);
        class.is_some_and(|class| class.find(metric).is_some())
    }

    /// The smallest table of a canonical class that tells values of that metric.
    pub(crate) fn serving_table(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<&Table, ProbeError> {
        let found = self
            .classes
            .get(material)
            .and_then(|class| class.find(metric).map(|found| (class, found)));
        let (class, (entry, found)) = found.ok_or_else(|| self.missing_table(material, metric))?;
        Ok(self.opened(class, entry, found)?)
    }

    /// The error for a class without a table.
    pub(crate) fn missing_table(&self, material: Material, metric: Metric) -> ProbeError {
        self.missing(material, metric, &Origin::of(material))
    }

    /// Whether the side to move wins, draws or loses. A table of distances serves as well where the
    /// smaller one is not there.
    ///
    /// # Errors
    /// [`ProbeError`], which tells what is missing or damaged.
    #[inline]
    pub fn probe_wld(&self, position: &Position<B>) -> Result<Wld, ProbeError> {
        match self.quick(position) {
            Ok(outcome) => Ok(outcome),
            Err(why) => self.search_from(position, why),
        }
    }

    /// The value of the position with its distance in plies.
    ///
    /// # Errors
    /// [`ProbeError`], which tells what is missing or damaged.
    pub fn probe_dtw(&self, position: &Position<B>) -> Result<Dtw, ProbeError> {
        self.search(position, Origin::of(Material::of(position)))
    }

    /// The outcome where there is no quick answer.
    #[inline(never)]
    fn search_from(&self, position: &Position<B>, why: NoAnswer) -> Result<Wld, ProbeError> {
        let origin = Origin::of(Material::of(position));
        match why {
            NoAnswer::Capture => self.capture(position, origin),
            NoAnswer::NotKept => self.search_all(position, origin),
        }
    }

    /// The value of the position with its distance to conversion. Tables of that metric are needed for the
    /// class of the position alone; where a capture is compulsory, those of outcomes decide.
    ///
    /// # Errors
    /// [`ProbeError`], which tells what is missing or damaged.
    pub fn probe_dtc(&self, position: &Position<B>) -> Result<Dtc, ProbeError> {
        let one = Plies::new(1);
        let side = position.side();
        let is_over =
            position.pieces(side).is_empty() || self.rules.legal_moves(position).is_empty();
        if is_over {
            return Ok(Dtc::Loss(Plies::ZERO));
        }
        let opponent = position.pieces(side.opponent());
        if opponent.is_empty() || self.rules.has_capture(position) {
            return Ok(match self.probe_wld(position)? {
                Wld::Win => Dtc::Win(one),
                Wld::Draw => Dtc::Draw,
                Wld::Loss => Dtc::Loss(one),
            });
        }
        let stored = self.stored(position);
        let Some((stored, entry)) =
            stored.and_then(|stored| stored.class.file(Metric::Dtc).map(|entry| (stored, entry)))
        else {
            let material = Material::of(position).canonical();
            return Err(self.missing_table(material, Metric::Dtc));
        };
        let table = self.opened(stored.class, entry, Metric::Dtc)?;
        Ok(table.dtc(stored.side(), stored.index)?)
    }

    /// Every legal move with its value for the mover, best first: the shortest win, draws, the longest
    /// loss. Moves of equal value are ordered by start, end and captured pieces.
    ///
    /// # Errors
    /// [`ProbeError`], which tells what is missing or damaged.
    pub fn move_values(
        &self,
        position: &Position<B>,
    ) -> Result<Vec<MoveValue<B, Dtw>>, ProbeError> {
        self.ranked_moves(position)
    }

    /// [`move_values`](Self::move_values) without distances, for which smaller tables are enough.
    /// Playing by outcomes alone may miss a win by walking in circles.
    ///
    /// # Errors
    /// [`ProbeError`], which tells what is missing or damaged.
    pub fn move_outcomes(
        &self,
        position: &Position<B>,
    ) -> Result<Vec<MoveValue<B, Wld>>, ProbeError> {
        self.ranked_moves(position)
    }

    /// The first of [`move_values`](Self::move_values): the shortest win, else a draw, else the longest
    /// defence. `None` without a legal move. Whoever plays it in a won position is closer to the end
    /// after every move.
    ///
    /// # Errors
    /// [`ProbeError`], which tells what is missing or damaged.
    pub fn best_move(
        &self,
        position: &Position<B>,
    ) -> Result<Option<MoveValue<B, Dtw>>, ProbeError> {
        Ok(self.move_values(position)?.first().copied())
    }

    /// The numbering of a class that has a table.
    pub(crate) fn index(&self, material: Material) -> Option<&PlacementIndex<B>> {
        self.classes.get(material).map(|class| &class.index)
    }

    fn ranked_moves<V: Value>(
        &self,
        position: &Position<B>,
    ) -> Result<Vec<MoveValue<B, V>>, ProbeError> {
        let origin = Origin::of(Material::of(position));
        let mut moves = Vec::new();
        for mv in self.rules.legal_moves(position) {
            let value: V = self.search(&position.make(&mv), origin.after(&mv))?;
            moves.push(MoveValue {
                mv,
                value: value.before(),
            });
        }
        moves.sort_by(|a, b| b.value.cmp(&a.value).then(a.mv.cmp(&b.mv)));
        Ok(moves)
    }

    /// The value of a position: by its captures if there are any, else from its table.
    fn search<V: Value>(&self, position: &Position<B>, origin: Origin) -> Result<V, ProbeError> {
        match V::quick(self, position) {
            Ok(value) => Ok(value),
            Err(NoAnswer::Capture) => self.capture(position, origin),
            Err(NoAnswer::NotKept) => self.search_all(position, origin),
        }
    }

    /// The same without a quick answer.
    fn search_all<V: Value>(
        &self,
        position: &Position<B>,
        origin: Origin,
    ) -> Result<V, ProbeError> {
        let side = position.side();
        if position.pieces(side).is_empty() {
            return Ok(V::LOST);
        }
        if position.pieces(side.opponent()).is_empty() {
            let stuck = self.rules.legal_moves(position).is_empty();
            return Ok(if stuck { V::LOST } else { V::LOST.before() });
        }
        if self.rules.has_capture(position) {
            self.capture(position, origin)
        } else {
            self.look_up(position, origin)
        }
    }

    /// The value of a position in which the side to move must capture.
    fn capture<V: Value>(&self, position: &Position<B>, origin: Origin) -> Result<V, ProbeError> {
        let mut best = None;
        for mv in self.rules.legal_moves(position) {
            let reply: V = self.search(&position.make(&mv), origin.after(&mv))?;
            best = best.max(Some(reply.before()));
            if best == Some(V::BEST) {
                break;
            }
        }
        // Where something can be captured there is a legal move.
        Ok(best.unwrap_or(V::LOST))
    }

    /// The stored value of a position without captures.
    fn look_up<V: Value>(&self, position: &Position<B>, origin: Origin) -> Result<V, ProbeError> {
        let stored = self.stored(position);
        let Some((stored, (entry, metric))) =
            stored.and_then(|stored| stored.class.find(V::METRIC).map(|found| (stored, found)))
        else {
            // Without a move no table is needed to know.
            if self.rules.legal_moves(position).is_empty() {
                return Ok(V::LOST);
            }
            let material = Material::of(position).canonical();
            return Err(self.missing(material, V::METRIC, &origin));
        };
        let table = self.opened(stored.class, entry, metric)?;
        let side = stored.side();
        if !table.stores_side(side) {
            return self.look_ahead(position, origin);
        }
        Ok(V::from_packed(table.packed(side, stored.index)?))
    }

    /// The value of a position without captures whose side to move is not stored, from those its moves lead
    /// to. These have the other side to move, and of every class one is stored, so that this ends: only
    /// promotions and captures lead on to another class.
    fn look_ahead<V: Value>(
        &self,
        position: &Position<B>,
        origin: Origin,
    ) -> Result<V, ProbeError> {
        let mut best = V::LOST;
        for mv in self.rules.legal_moves(position) {
            let reply: V = self.search(&position.make(&mv), origin.after(&mv))?;
            best = best.max(reply.before());
            if best == V::BEST {
                break;
            }
        }
        Ok(best)
    }

    /// The table of an entry, opened and compared with its name the first time.
    fn opened<'a>(
        &self,
        class: &'a Class<B>,
        entry: &'a Entry,
        metric: Metric,
    ) -> Result<&'a Table, TableError> {
        let material = class.index.material();
        let table = entry.opened(self.access, |table| {
            table.expect(&self.rules, material, metric)
        })?;
        if metric == Metric::Wld
            && let Some(kept) = table.kept()
        {
            class.kept.get_or_init(|| Arc::clone(kept));
        }
        Ok(table)
    }

    fn missing(&self, material: Material, metric: Metric, origin: &Origin) -> ProbeError {
        if metric == Metric::Dtz {
            return ProbeError::NeedsDrawRules { material, metric };
        }
        let dir = self.dir.clone();
        let variant = variant_directory(&self.rules);
        let generate = command_arguments(&self.rules);
        if self.max_pieces == 0 {
            return ProbeError::NoTables {
                variant,
                dir,
                generate,
                draw_rules: None,
            };
        }
        if material.pieces() > self.max_pieces {
            return ProbeError::TooManyPieces {
                pieces: material.pieces(),
                max_pieces: self.max_pieces,
                variant,
                dir,
            };
        }
        ProbeError::MissingTable {
            position_class: origin.class.canonical(),
            missing_class: material,
            metric,
            road: 0,
            reason: origin.reason(),
            dir,
            generate,
            draw_rules: None,
        }
    }
}

/// Checks that positions of this board are those of the rules.
pub(crate) fn check_board<B: Board>(rules: &RuleSet) -> Result<(), ProbeError> {
    if rules.board.squares() == B::SQUARES {
        return Ok(());
    }
    Err(ProbeError::OtherBoard {
        variant: rules.name,
        expected: rules.board.squares(),
        found: B::SQUARES,
    })
}

/// The place of a metric in [`METRICS`].
fn slot(metric: Metric) -> Option<usize> {
    match metric {
        Metric::Wld => Some(0),
        Metric::Dtw => Some(1),
        Metric::Dtc => Some(2),
        Metric::Dtz => None,
    }
}

/// The kinds of values a search can ask for.
pub(crate) trait Value: Copy + Ord + std::fmt::Debug + Send {
    /// The smallest metric that tells it.
    const METRIC: Metric;
    /// No legal move.
    const LOST: Self;
    /// Nothing is better.
    const BEST: Self;

    /// The value of a position if it can be told at once.
    fn quick<B: Board>(_: &Tablebase<B>, _: &Position<B>) -> Result<Self, NoAnswer> {
        Err(NoAnswer::NotKept)
    }

    fn before(self) -> Self;
    fn from_packed(packed: PackedDtw) -> Self;
}

impl Value for Wld {
    const METRIC: Metric = Metric::Wld;
    const LOST: Self = Self::Loss;
    const BEST: Self = Self::Win;

    fn quick<B: Board>(tables: &Tablebase<B>, position: &Position<B>) -> Result<Self, NoAnswer> {
        tables.quick(position)
    }

    fn before(self) -> Self {
        self.before()
    }

    fn from_packed(packed: PackedDtw) -> Self {
        packed.wld()
    }
}

impl Value for Dtw {
    const METRIC: Metric = Metric::Dtw;
    const LOST: Self = Self::Loss(Plies::ZERO);
    const BEST: Self = Self::Win(Plies::new(1));

    fn before(self) -> Self {
        self.before()
    }

    fn from_packed(packed: PackedDtw) -> Self {
        packed.unpack()
    }
}

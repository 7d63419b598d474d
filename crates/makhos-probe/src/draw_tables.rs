//! All tables of one rule set and one set of drawing rules, and the value of any position from them.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use makhos_index::{Material, PlacementIndex, normalize};
use makhos_rules::draw::{Counters, DrawRules, Pieces, Progress, Step};
use makhos_rules::{Board, Move, Position, RuleSet};

use crate::dtz::{Dtz, road_tables};
use crate::error::TableError;
use crate::listing::{Entry, list};
use crate::paths::{
    DtzSpec, command_arguments, draw_argument, draw_directory, dtz_path, parse_dtz_name,
};
use crate::probe_error::{Origin, ProbeError};
use crate::source::Access;
use crate::table::Table;
use crate::tablebase::check_board;
use crate::value::{Metric, Plies, Wld};

/// The value of a position with counters, for its side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ruled {
    /// The outcome.
    pub wld: Wld,
    /// The outcome if enough plies were left, and how many that takes.
    pub needed: Dtz,
    /// The plies that are left; `None` where no clock governs.
    pub left: Option<u16>,
}

/// A legal move and its value under drawing rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuledMove<B> {
    /// The move.
    pub mv: Move<B>,
    /// The outcome for the player who makes it.
    pub value: Wld,
    /// The value of the position it leads to, for the other player.
    pub after: Ruled,
}

/// The tables of one rule set and one set of drawing rules in one directory.
///
/// Tables are opened when they are first needed, as those of a [`Tablebase`](crate::Tablebase), and what is
/// said there about changing files holds here too. A position needs the table of its own class only: values
/// at captures are stored.
///
/// Counters are those of [`DrawRules::fresh`] and [`DrawRules::after`]. Plies left where no clock governs,
/// and plies counted on the main road where its rule has no meaning, are ignored.
#[derive(Debug)]
pub struct DrawTables<B> {
    rules: RuleSet,
    draw_rules: DrawRules,
    dir: PathBuf,
    access: Access,
    classes: HashMap<Material, Class<B>>,
    max_pieces: u32,
}

/// What is there of one class.
#[derive(Debug)]
struct Class<B> {
    index: PlacementIndex<B>,
    /// By the plies counted on the main road.
    roads: BTreeMap<u8, Entry>,
}

impl<B: Board> DrawTables<B> {
    /// The tables of `rules` and `draw_rules` below the directory `dir` of all tables. Their directory is
    /// listed, no file is opened. A directory that does not exist counts as empty.
    ///
    /// # Errors
    /// [`ProbeError::OtherBoard`]; [`ProbeError::Table`] if the directory cannot be listed.
    pub fn open(rules: RuleSet, draw_rules: DrawRules, dir: &Path) -> Result<Self, ProbeError> {
        Self::open_with(rules, draw_rules, dir, Access::default())
    }

    /// [`open`](Self::open), and files are read as `access` says.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(
        rules: RuleSet,
        draw_rules: DrawRules,
        dir: &Path,
        access: Access,
    ) -> Result<Self, ProbeError> {
        check_board::<B>(&rules)?;
        let found = list(
            &dir.join(draw_directory(&rules, &draw_rules)),
            parse_dtz_name,
        )?;
        let mut classes = HashMap::new();
        for (material, road) in found {
            // A file named after a class that does not fit the board, or after plies that would have drawn
            // the game, cannot be asked for.
            let Ok(index) = PlacementIndex::new(material) else {
                continue;
            };
            if road >= road_tables(&draw_rules, material) {
                continue;
            }
            let spec = DtzSpec {
                rules: &rules,
                draw_rules: &draw_rules,
                material,
                road,
            };
            let class = classes.entry(material).or_insert(Class {
                index,
                roads: BTreeMap::new(),
            });
            class.roads.insert(road, Entry::new(dtz_path(dir, &spec)));
        }
        let max_pieces = classes.keys().map(|class: &Material| class.pieces()).max();
        Ok(Self {
            rules,
            draw_rules,
            dir: dir.to_owned(),
            access,
            classes,
            max_pieces: max_pieces.unwrap_or(0),
        })
    }

    /// The rules of the moves.
    #[must_use]
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The drawing rules.
    #[must_use]
    pub fn draw_rules(&self) -> &DrawRules {
        &self.draw_rules
    }

    /// The directory of all tables.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Pieces of the largest class of which there is a table, 0 without tables.
    #[must_use]
    pub fn max_pieces(&self) -> u32 {
        self.max_pieces
    }

    /// The tables that are there, in generation order: class, and plies counted on the main road.
    #[must_use]
    pub fn tables(&self) -> Vec<(Material, u8)> {
        let all = self
            .classes
            .iter()
            .flat_map(|(&material, class)| class.roads.keys().map(move |&road| (material, road)));
        let mut all: Vec<_> = all.collect();
        all.sort_unstable();
        all
    }

    /// The table of a class in either orientation, with so many plies counted on the main road: fewer than
    /// [`road_tables`].
    ///
    /// # Errors
    /// [`ProbeError::MissingTable`]; [`ProbeError::Table`] if the file is damaged or another table.
    pub fn table(&self, material: Material, road: u8) -> Result<&Table, ProbeError> {
        let material = material.canonical();
        match self.find(material, road) {
            Some((_, entry)) => Ok(self.opened(entry, material, road)?),
            None => Err(self.missing(material, road, &Origin::of(material))),
        }
    }

    /// The value of the position with these counters.
    ///
    /// A side to move without a legal move, or without pieces, has lost, whatever the counters say. Where
    /// they say that the game is drawn, it is a draw, and a table that is not there does not matter.
    ///
    /// # Errors
    /// [`ProbeError`], which tells what is missing or damaged.
    pub fn probe(&self, position: &Position<B>, counters: Counters) -> Result<Ruled, ProbeError> {
        self.search(position, counters, Origin::of(Material::of(position)))
    }

    /// Every legal move with its value for the mover, best first.
    ///
    /// Wins come first, those that then need the fewest plies before others, and among these moves that
    /// make progress, after which the clock is fresh; then draws; then losses, those that need the most plies
    /// first. Moves that are equal in this are ordered by start, end and captured pieces. Where the counters
    /// say that the game is drawn already, every move is a draw.
    ///
    /// # Errors
    /// [`ProbeError`], which tells what is missing or damaged.
    pub fn move_values(
        &self,
        position: &Position<B>,
        counters: Counters,
    ) -> Result<Vec<RuledMove<B>>, ProbeError> {
        let origin = Origin::of(Material::of(position));
        let counters = self.meaningful(position, counters);
        let drawn = self.draw_rules.drawn(&counters, position).is_some();
        let mut moves = Vec::new();
        for mv in self.rules.legal_moves(position) {
            let counters = self.draw_rules.after(counters, position, &mv);
            let after = self.search(&position.make(&mv), counters, origin.after(&mv))?;
            let value = if drawn { Wld::Draw } else { after.wld.before() };
            moves.push(RuledMove { mv, value, after });
        }
        moves.sort_by_cached_key(|ruled| {
            let plies = ruled.after.needed.plies().unwrap_or(Plies::ZERO).get();
            let (first, second, third) = match ruled.value {
                Wld::Win => (0, plies, !self.makes_progress(position, &ruled.mv)),
                Wld::Draw => (1, 0, false),
                Wld::Loss => (2, u16::MAX - plies, false),
            };
            (first, second, third, ruled.mv)
        });
        Ok(moves)
    }

    /// Whether the clock is fresh after a move. Where none governs, whether the move cannot be taken back.
    fn makes_progress(&self, position: &Position<B>, mv: &Move<B>) -> bool {
        let progress = Progress::of(position, mv);
        let (before, after) = (Pieces::of(position), Pieces::of(&position.make(mv)));
        match self.draw_rules.step(&before, &after, progress) {
            Step::Fresh(_) => true,
            Step::Unclocked => progress.is_irreversible(),
            Step::On | Step::Capped(_) => false,
        }
    }

    /// The counters without what has no meaning in the position.
    fn meaningful(&self, position: &Position<B>, counters: Counters) -> Counters {
        let pieces = Pieces::of(position);
        let rule = self.draw_rules.road.as_ref();
        let on_road = rule.is_some_and(|rule| rule.holds(&pieces));
        Counters {
            left: counters
                .left
                .filter(|_| self.draw_rules.governing(&pieces).is_some()),
            road: if on_road { counters.road } else { 0 },
        }
    }

    fn search(
        &self,
        position: &Position<B>,
        counters: Counters,
        origin: Origin,
    ) -> Result<Ruled, ProbeError> {
        let Counters { left, road } = self.meaningful(position, counters);
        let side = position.side();
        if position.pieces(side).is_empty() || self.rules.legal_moves(position).is_empty() {
            let needed = Dtz::Loss(Plies::ZERO);
            return Ok(Ruled {
                wld: Wld::Loss,
                needed,
                left,
            });
        }
        let drawn = self
            .draw_rules
            .drawn(&Counters { left, road }, position)
            .is_some();
        let needed = if position.pieces(side.opponent()).is_empty() {
            // Any move leaves the other side without one.
            Dtz::Win(Plies::new(1))
        } else {
            match self.look_up(position, road)? {
                Some(needed) => needed,
                None if drawn => Dtz::Draw,
                None => {
                    let material = Material::of(&normalize(position));
                    return Err(self.missing(material, road, &origin));
                }
            }
        };
        let wld = if drawn {
            Wld::Draw
        } else {
            needed.with_left(left)
        };
        Ok(Ruled { wld, needed, left })
    }

    /// The stored value of a position; `None` if there is no table.
    fn look_up(&self, position: &Position<B>, road: u8) -> Result<Option<Dtz>, TableError> {
        let stored = normalize(position);
        let material = Material::of(&stored);
        let Some((class, entry)) = self.find(material, road) else {
            return Ok(None);
        };
        let table = self.opened(entry, material, road)?;
        let value = table.dtz(stored.side(), class.index.index(&stored))?;
        Ok(Some(value))
    }

    /// The file of a canonical class.
    fn find(&self, material: Material, road: u8) -> Option<(&Class<B>, &Entry)> {
        let class = self.classes.get(&material)?;
        Some((class, class.roads.get(&road)?))
    }

    /// The table of an entry, opened and compared with its name the first time.
    fn opened<'a>(
        &self,
        entry: &'a Entry,
        material: Material,
        road: u8,
    ) -> Result<&'a Table, TableError> {
        entry.opened(self.access, |table| {
            table.expect_dtz(&DtzSpec {
                rules: &self.rules,
                draw_rules: &self.draw_rules,
                material,
                road,
            })
        })
    }

    fn missing(&self, material: Material, road: u8, origin: &Origin) -> ProbeError {
        let dir = self.dir.clone();
        let variant = draw_directory(&self.rules, &self.draw_rules);
        let generate = command_arguments(&self.rules);
        let draw_rules = Some(draw_argument(&self.rules, &self.draw_rules));
        if self.max_pieces == 0 {
            return ProbeError::NoTables {
                variant,
                dir,
                generate,
                draw_rules,
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
            metric: Metric::Dtz,
            road,
            reason: origin.reason(),
            dir,
            generate,
            draw_rules,
        }
    }
}

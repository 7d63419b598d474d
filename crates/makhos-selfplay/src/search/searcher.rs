//! The searcher: what it holds between searches, and its settings.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use makhos_probe::Tablebase;
use makhos_rules::draw::DrawRules;
use makhos_rules::game::Game;
use makhos_rules::{Board, Move, Position, RuleSet};

use super::clock::{ClockState, Clocks};
use super::endgame::Endgames;
use super::limits::{Budget, Limits};
use super::line::Line;
use super::order::Record;
use super::table::{HashTable, ShortMove};
use crate::eval::{Evaluator, Patterns};
use crate::score::Score;

/// The most plies from the root to any position.
pub(super) const MOST_PLIES: usize = 256;

/// How the hash table is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hashing {
    /// Not at all.
    Off,
    /// Only what was searched exactly as deep cuts off.
    SameDepth,
    /// What was searched at least as deep cuts off.
    On,
}

/// Parts of the search, to be switched off by tests and experiments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Switches {
    /// The hash table.
    pub hashing: Hashing,
    /// Whether late quiet moves are searched less deep at first.
    pub reductions: bool,
    /// Whether a single legal move does not cost depth.
    pub extensions: bool,
    /// Whether alternatives are searched with empty windows, and the root with a small one.
    pub windows: bool,
    /// Whether branches are given up that are too long to change a win found elsewhere.
    pub distance_pruning: bool,
    /// How many times in a line quiescence looks at all moves where the other side threatens to capture.
    pub threats: u32,
}

impl Switches {
    /// Everything off that could change the value of a search to a fixed depth.
    #[must_use]
    pub const fn plain() -> Self {
        Self {
            hashing: Hashing::Off,
            reductions: false,
            extensions: false,
            windows: false,
            distance_pruning: false,
            threats: 0,
        }
    }
}

impl Default for Switches {
    fn default() -> Self {
        Self {
            hashing: Hashing::On,
            reductions: true,
            extensions: true,
            windows: true,
            distance_pruning: true,
            threats: 1,
        }
    }
}

/// What a searcher is made with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Entries of the hash table, rounded down to a power of two.
    pub table_entries: usize,
    /// Parts of the search.
    pub switches: Switches,
}

impl Settings {
    /// As many entries as fit so many MiB.
    #[must_use]
    pub fn with_mebibytes(mut self, mebibytes: usize) -> Self {
        self.table_entries = (mebibytes << 20) / HashTable::ENTRY_BYTES;
        self
    }
}

impl Default for Settings {
    /// A table of 2 MiB, for searches of some thousand nodes.
    fn default() -> Self {
        Self {
            table_entries: 1 << 17,
            switches: Switches::default(),
        }
    }
}

/// What a search has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchReport<B> {
    /// The move to play; `None` if there is no legal move.
    pub best: Option<Move<B>>,
    /// The value for the side to move.
    pub score: Score,
    /// Whether move and value come from tables of distances, nothing being searched.
    pub from_tables: bool,
    /// The expected line; its first move is the best one.
    pub pv: Vec<Move<B>>,
    /// The last iteration that was finished; 0 if nothing was searched.
    pub depth: u32,
    /// Positions visited.
    pub nodes: u64,
    /// Positions whose value came from tables.
    pub table_hits: u64,
    /// Time by the clock.
    pub time: Duration,
}

/// A position of the tree with what it has inherited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<B> {
    pub(super) position: Position<B>,
    pub(super) clock: ClockState,
    /// The ply of the first position of the line that can come back.
    pub(super) since: usize,
    /// Plies that have been granted for single moves.
    pub(super) extensions: u32,
    /// Threats that quiescence has looked at.
    pub(super) threats: u32,
}

/// What is kept for a ply.
#[derive(Clone, Debug)]
pub(super) struct Frame<B> {
    pub(super) moves: Vec<Move<B>>,
    pub(super) scores: Vec<i32>,
    pub(super) pv: Vec<Move<B>>,
    pub(super) killers: [ShortMove; 2],
}

/// An engine for one thread: it looks ahead from positions of one game after the other.
///
/// It holds the rules, an evaluation, tables if there are some, and what it remembers of a game.
pub struct Searcher<B, E = Patterns<B>> {
    pub(super) rules: RuleSet,
    pub(super) clocks: Clocks,
    pub(super) evaluator: Arc<E>,
    pub(super) endgames: Option<Endgames<B>>,
    pub(super) switches: Switches,
    pub(super) table: HashTable,
    pub(super) record: Record,
    pub(super) frames: Vec<Frame<B>>,
    /// The positions of the line in hand, that of the root first.
    pub(super) path: Vec<Position<B>>,
    /// Positions of the game before the root.
    pub(super) earlier: Vec<Position<B>>,
    pub(super) budget: Budget,
    pub(super) table_hits: u64,
    /// Tables are asked about positions with fewer pieces.
    pub(super) probe_below: u32,
    /// The depth of the iteration.
    pub(super) iteration: u32,
}

impl<B, E> fmt::Debug for Searcher<B, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searcher")
            .field("rules", &self.rules)
            .field("clocks", &self.clocks)
            .field("switches", &self.switches)
            .finish_non_exhaustive()
    }
}

impl<B: Board, E: Evaluator<B>> Searcher<B, E> {
    /// A searcher without tables.
    #[must_use]
    pub fn new(
        rules: RuleSet,
        draw_rules: DrawRules,
        evaluator: Arc<E>,
        settings: Settings,
    ) -> Self {
        let frame = Frame {
            moves: Vec::with_capacity(64),
            scores: Vec::with_capacity(64),
            pv: Vec::new(),
            killers: [ShortMove::NONE; 2],
        };
        let entries = match settings.switches.hashing {
            Hashing::Off => 0,
            Hashing::SameDepth | Hashing::On => settings.table_entries,
        };
        Self {
            rules,
            clocks: Clocks::new(draw_rules),
            evaluator,
            endgames: None,
            switches: settings.switches,
            table: HashTable::new(entries),
            record: Record::new(),
            frames: vec![frame; MOST_PLIES + 1],
            path: vec![Position::start(&rules); MOST_PLIES + 1],
            earlier: Vec::new(),
            budget: Budget::new(&Limits::default()),
            table_hits: 0,
            probe_below: 0,
            iteration: 0,
        }
    }

    /// Lets it use tables. Those of other rules are not used.
    #[must_use]
    pub fn with_tables(mut self, tables: Option<Arc<Tablebase<B>>>) -> Self {
        let rules = self.rules.move_rules_bytes();
        let fitting = tables.filter(|tables| tables.rules().move_rules_bytes() == rules);
        self.endgames = fitting
            .filter(|tables| tables.max_pieces() > 0)
            .map(Endgames::new);
        self
    }

    /// The rules of the moves.
    #[must_use]
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The drawing rules.
    #[must_use]
    pub fn draw_rules(&self) -> &DrawRules {
        self.clocks.rules()
    }

    /// Forgets everything about the game before. What follows depends on nothing that was searched so far.
    pub fn new_game(&mut self) {
        self.table.clear();
        self.record.clear();
    }

    /// Searches the position of a game. Repetitions of what is more than a move away from the present
    /// position are not seen; for those, use [`search_line`](Self::search_line).
    ///
    /// A game under other drawing rules changes those of the searcher, and makes it forget what it
    /// remembers. The rules of moves must be the same.
    pub fn search(&mut self, game: &Game<B>, limits: &Limits) -> SearchReport<B> {
        let earlier = known_repetitions(game);
        self.search_from(game, &earlier, limits, &mut |_| ())
    }

    /// Searches the position of a game whose past is known.
    pub fn search_line(&mut self, line: &Line<B>, limits: &Limits) -> SearchReport<B> {
        self.search_watched(line, limits, &mut |_| ())
    }

    /// [`search_line`](Self::search_line), with `watch` told of every iteration.
    pub fn search_watched(
        &mut self,
        line: &Line<B>,
        limits: &Limits,
        watch: &mut dyn FnMut(&SearchReport<B>),
    ) -> SearchReport<B> {
        self.search_from(line.game(), line.earlier(), limits, watch)
    }
}

/// What a game tells of its past: how often the position, and those one king's move away, have occurred.
fn known_repetitions<B: Board>(game: &Game<B>) -> Vec<Position<B>> {
    let mut earlier = vec![*game.position(); game.occurrences() - 1];
    for mv in game.rules().legal_moves(game.position()) {
        if mv.is_capture()
            || !game
                .position()
                .kings(game.position().side())
                .contains(mv.from.index())
        {
            continue;
        }
        let mut after = game.clone();
        if after.play(&mv).is_ok() {
            let before = after.occurrences() - 1;
            earlier.extend(std::iter::repeat_n(*after.position(), before));
        }
    }
    earlier
}

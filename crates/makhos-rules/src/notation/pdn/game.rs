//! A game as a tree of moves.

use crate::board::Board;
use crate::moves::Move;
use crate::position::Position;
use crate::rules::RuleSet;

/// A game: who played, from which position, the moves, and how it ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game<B> {
    /// The tags, except `GameType`, `SetUp` and `FEN`, which follow from the rules and [`start`], and
    /// except a `Result` that is [`result`]. Those with these names are ignored when writing.
    ///
    /// [`start`]: Self::start
    /// [`result`]: Self::result
    pub tags: Vec<Tag>,
    /// The position before the first move.
    pub start: Position<B>,
    /// The moves of the game.
    pub line: Line<B>,
    /// How the game ended.
    pub result: GameResult,
}

impl<B> Game<B> {
    /// A game of these moves, without tags, comments and a result.
    #[must_use]
    pub fn new(start: Position<B>, moves: impl IntoIterator<Item = Move<B>>) -> Self {
        Self {
            tags: Vec::new(),
            start,
            line: Line {
                notes: Notes::default(),
                plies: moves.into_iter().map(Ply::new).collect(),
            },
            result: GameResult::Unknown,
        }
    }

    /// The value of a tag.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags
            .iter()
            .find(|tag| tag.name == name)
            .map(|tag| &tag.value[..])
    }

    /// Gives a tag a value, replacing the one it has.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        let value = value.to_owned();
        match self.tags.iter_mut().find(|tag| tag.name == name) {
            Some(tag) => tag.value = value,
            None => self.tags.push(Tag {
                name: name.to_owned(),
                value,
            }),
        }
    }
}

/// A named fact about a game, `[Name "value"]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tag {
    /// A letter, then letters, digits and underscores.
    pub name: String,
    /// Any text on one line.
    pub value: String,
}

/// A sequence of moves: the game itself or a variation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line<B> {
    /// What is said before the first move.
    pub notes: Notes,
    /// The moves.
    pub plies: Vec<Ply<B>>,
}

impl<B> Default for Line<B> {
    fn default() -> Self {
        Self {
            notes: Notes::default(),
            plies: Vec::new(),
        }
    }
}

/// A move and what is said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ply<B> {
    /// The move.
    pub mv: Move<B>,
    /// Its strength: exclamation and question marks, often none.
    pub strength: String,
    /// What is said about it.
    pub notes: Notes,
    /// What could be played instead of it, each from the position before it.
    pub variations: Vec<Line<B>>,
}

impl<B> Ply<B> {
    /// A move without remarks.
    #[must_use]
    pub fn new(mv: Move<B>) -> Self {
        Self {
            mv,
            strength: String::new(),
            notes: Notes::default(),
            variations: Vec::new(),
        }
    }
}

/// Remarks: first the annotations, then the comments.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Notes {
    /// Numeric annotation glyphs: 1 is a good move, 2 a bad one, and so on.
    pub nags: Vec<u16>,
    /// Comments, each without line ends.
    pub comments: Vec<String>,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameResult {
    /// White won.
    WhiteWins,
    /// Black won.
    BlackWins,
    /// Nobody won.
    Draw,
    /// Both sides were declared to have lost.
    BothLose,
    /// The game is not over, or its end is not known.
    Unknown,
}

impl GameResult {
    /// The result written so, in chess points (`1-0`) or in draughts points (`2-0`).
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        Some(match text {
            "1-0" | "2-0" => Self::WhiteWins,
            "0-1" | "0-2" => Self::BlackWins,
            "1/2-1/2" | "1-1" => Self::Draw,
            "0-0" => Self::BothLose,
            "*" => Self::Unknown,
            _ => return None,
        })
    }

    /// The result in chess points (`1-0`), or in draughts points (`2-0`) as the International family
    /// writes it.
    #[must_use]
    pub const fn text(self, draughts_points: bool) -> &'static str {
        match (self, draughts_points) {
            (Self::WhiteWins, false) => "1-0",
            (Self::WhiteWins, true) => "2-0",
            (Self::BlackWins, false) => "0-1",
            (Self::BlackWins, true) => "0-2",
            (Self::Draw, false) => "1/2-1/2",
            (Self::Draw, true) => "1-1",
            (Self::BothLose, _) => "0-0",
            (Self::Unknown, _) => "*",
        }
    }
}

/// The seven standard tags in their order, each with the value that says that it is not known.
pub(super) const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// Whether the value of a tag says that it is not known.
pub(super) fn is_unknown(tag: &Tag) -> bool {
    ROSTER
        .iter()
        .any(|(name, unknown)| tag.name == *name && ["", "?", unknown].contains(&&tag.value[..]))
}

/// The place of a tag among the standard ones; others come behind.
pub(super) fn rank(name: &str) -> usize {
    ROSTER
        .iter()
        .position(|(standard, _)| *standard == name)
        .unwrap_or(ROSTER.len())
}

/// Tags that follow from the rules and the start position.
pub(super) fn is_derived(name: &str) -> bool {
    ["GameType", "SetUp", "FEN"].contains(&name)
}

/// A comment with its white space reduced to single spaces.
pub(super) fn plain(comment: &str) -> String {
    comment.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// Half moves from the beginning of a game's numbering to its start position: one if the side that
/// moves second in the variant moves first here.
///
/// With all men in place it is the beginning whoever moves.
pub(super) fn first_half_move<B: Board>(rules: &RuleSet, start: &Position<B>) -> usize {
    let is_beginning = start.with_side(rules.first) == Position::start(rules);
    usize::from(start.side() != rules.first && !is_beginning)
}

/// The number before a move, `12.` for the side whose moves begin a number and `12...` for the other.
pub(super) fn move_number(half_move: usize) -> String {
    let dots = if half_move.is_multiple_of(2) {
        "."
    } else {
        "..."
    };
    format!("{}{dots}", half_move / 2 + 1)
}

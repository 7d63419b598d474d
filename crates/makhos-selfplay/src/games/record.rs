//! A finished game, and the positions in it.

use makhos_probe::Wld;
use makhos_rules::draw::DrawRules;
use makhos_rules::{Board, Color, Move, Position, PositionError, RuleSet};
use thiserror::Error;

use super::track::Track;

/// Who has won.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum GameResult {
    /// White.
    White,
    /// Nobody.
    Draw,
    /// Black.
    Black,
}

impl GameResult {
    /// The result of a game that this side has won.
    #[must_use]
    pub const fn win_of(side: Color) -> Self {
        match side {
            Color::White => Self::White,
            Color::Black => Self::Black,
        }
    }

    /// The result of a position with `side` to move that has this value.
    #[must_use]
    pub const fn of_value(value: Wld, side: Color) -> Self {
        match value {
            Wld::Win => Self::win_of(side),
            Wld::Draw => Self::Draw,
            Wld::Loss => Self::win_of(side.opponent()),
        }
    }

    /// What it is for one side.
    #[must_use]
    pub fn seen_by(self, side: Color) -> Wld {
        if self == Self::Draw {
            Wld::Draw
        } else if self == Self::win_of(side) {
            Wld::Win
        } else {
            Wld::Loss
        }
    }

    /// `white`, `draw` or `black`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Draw => "draw",
            Self::Black => "black",
        }
    }
}

/// A rule that has drawn a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DrawnBy {
    /// A position occurred too often.
    Repetition,
    /// A lone king held the main road.
    Road,
    /// The clock with this number in the drawing rules.
    Clock(u8),
}

impl DrawnBy {
    /// `repetition`, `road` or the name of the clock; `None` if the rules have no such rule.
    #[must_use]
    pub fn name(self, rules: &DrawRules) -> Option<&str> {
        match self {
            Self::Repetition => rules.repetition.as_ref().map(|_| "repetition"),
            Self::Road => rules.road.as_ref().map(|_| "road"),
            Self::Clock(number) => {
                let clock = rules.clocks.get(usize::from(number));
                clock.map(|clock| clock.name.as_ref())
            }
        }
    }
}

/// How a game has ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// The side to move has no move and has lost.
    NoMove,
    /// A drawing rule holds. Draws that a player may claim are claimed.
    Drawn(DrawnBy),
    /// Tables know the value of the last position.
    Tables,
    /// It became too long and counts as drawn.
    PlyLimit,
}

/// A move that was played.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ply {
    /// Which one of the legal moves in ascending order, from 0.
    pub index: u32,
    /// What the search said for the side to move, as [`Score::get`](crate::Score::get) tells it. `None` if the
    /// move was not searched for: in the opening, in random play, and where it was the only one.
    pub score: Option<i16>,
}

/// A position of a game with the move that was played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayedPosition<B> {
    /// The position.
    pub position: Position<B>,
    /// Plies played before.
    pub ply: usize,
    /// The move.
    pub mv: Move<B>,
    /// How many moves were legal.
    pub choices: usize,
    /// What the search said; see [`Ply::score`].
    pub score: Option<i16>,
    /// Whether the move is one of the random ones of the opening.
    pub is_opening: bool,
}

/// A finished game. All its moves are legal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord<B> {
    pub(super) rules: RuleSet,
    pub(super) parts: GameParts<B>,
}

/// What a game consists of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameParts<B> {
    /// Its number in the run.
    pub number: u64,
    /// The position it began with.
    pub start: Position<B>,
    /// All moves.
    pub plies: Vec<Ply>,
    /// How many of them, from the first, are the random ones of the opening.
    pub opening: usize,
    /// Whether the opening was within the bounds. If none was found that is, the best one found was played.
    pub balanced: bool,
    /// Who has won.
    pub result: GameResult,
    /// How it ended.
    pub ending: Ending,
}

/// Why parts, or bytes, are not a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The variant is played on a board of another size.
    #[error("{variant} draughts is played on another board")]
    OtherBoard {
        /// The variant.
        variant: &'static str,
    },
    /// The bytes end too early.
    #[error("the bytes end within a game")]
    Truncated,
    /// There is something behind the last game.
    #[error("{0} bytes behind the last game")]
    Trailing(usize),
    /// A byte has no meaning.
    #[error("{what} is {found}, which has no meaning")]
    Meaningless {
        /// What it should say.
        what: &'static str,
        /// What it is.
        found: u64,
    },
    /// The game begins with an impossible position.
    #[error("the start position: {0}")]
    Start(#[from] PositionError),
    /// The opening is longer than the game.
    #[error("an opening of {opening} plies in a game of {plies}")]
    Opening {
        /// Plies of the opening.
        opening: usize,
        /// Plies of the game.
        plies: usize,
    },
    /// A move of the opening has a score.
    #[error("ply {0} belongs to the opening and has a score")]
    OpeningScore(usize),
    /// There is no move with that number.
    #[error("ply {ply} is move {index} of {moves} legal ones")]
    Move {
        /// Plies before.
        ply: usize,
        /// The number of the move, from 0.
        index: u32,
        /// Legal moves.
        moves: usize,
    },
    /// The game cannot have ended like that.
    #[error("the game cannot have ended as it says: {0}")]
    Ending(&'static str),
}

pub(super) fn check_board<B: Board>(rules: &RuleSet) -> Result<(), RecordError> {
    if rules.board.squares() == B::SQUARES {
        return Ok(());
    }
    Err(RecordError::OtherBoard {
        variant: rules.name,
    })
}

impl<B: Board> GameRecord<B> {
    /// The game of these parts.
    ///
    /// # Errors
    /// [`RecordError`] if a move is not legal, or the end contradicts the last position. Whether a drawing rule
    /// or tables have ended the game is not looked at; see [`check_ending`](Self::check_ending).
    pub fn new(rules: RuleSet, parts: GameParts<B>) -> Result<Self, RecordError> {
        check_board::<B>(&rules)?;
        let plies = parts.plies.len();
        if parts.opening > plies {
            let opening = parts.opening;
            return Err(RecordError::Opening { opening, plies });
        }
        let mut opening = parts.plies[..parts.opening].iter();
        if let Some(ply) = opening.position(|ply| ply.score.is_some()) {
            return Err(RecordError::OpeningScore(ply));
        }
        let record = Self { rules, parts };
        let mut replay = Replay::new(&record);
        while replay.next_or_error()?.is_some() {}
        record.check_last(&replay.position, &mut replay.moves)?;
        Ok(record)
    }

    fn check_last(&self, last: &Position<B>, moves: &mut Vec<Move<B>>) -> Result<(), RecordError> {
        self.rules.legal_moves_into(last, moves);
        let GameParts { result, ending, .. } = self.parts;
        match ending {
            Ending::NoMove if !moves.is_empty() => {
                Err(RecordError::Ending("the side to move can move"))
            }
            Ending::NoMove if result != GameResult::win_of(last.side().opponent()) => {
                Err(RecordError::Ending("the side without a move has not lost"))
            }
            Ending::NoMove => Ok(()),
            _ if moves.is_empty() => Err(RecordError::Ending("the side to move cannot move")),
            Ending::Drawn(_) | Ending::PlyLimit if result != GameResult::Draw => {
                Err(RecordError::Ending("a drawn game has a winner"))
            }
            Ending::Drawn(_) | Ending::PlyLimit | Ending::Tables => Ok(()),
        }
    }

    /// Checks that the game was not over before its end, and that it ended by the drawing rule it says.
    ///
    /// # Errors
    /// [`RecordError::Ending`].
    pub fn check_ending(&self, draw_rules: &DrawRules) -> Result<(), RecordError> {
        let mut track = Track::new(&self.rules, draw_rules, self.parts.start);
        for played in self.positions() {
            if track.drawn().is_some() {
                return Err(RecordError::Ending("it was drawn before"));
            }
            track.play(played.mv);
        }
        let by = if track.moves().is_empty() {
            None
        } else {
            track.drawn()
        };
        match (self.parts.ending, by) {
            (Ending::Drawn(said), Some(found)) if said == found => Ok(()),
            (Ending::Drawn(_), _) => Err(RecordError::Ending("no such drawing rule holds")),
            (_, Some(_)) => Err(RecordError::Ending("a drawing rule holds")),
            (_, None) => Ok(()),
        }
    }

    /// The rules of its moves.
    #[must_use]
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// What it consists of.
    #[must_use]
    pub fn parts(&self) -> &GameParts<B> {
        &self.parts
    }

    /// Its number in the run.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.parts.number
    }

    /// Who has won.
    #[must_use]
    pub fn result(&self) -> GameResult {
        self.parts.result
    }

    /// How it ended.
    #[must_use]
    pub fn ending(&self) -> Ending {
        self.parts.ending
    }

    /// The positions in which a move was played, from the first on. The one with which the game ended is
    /// [`last_position`](Self::last_position).
    #[must_use]
    pub fn positions(&self) -> Positions<'_, B> {
        Positions(Replay::new(self))
    }

    /// The position with which the game ended.
    #[must_use]
    pub fn last_position(&self) -> Position<B> {
        let mut positions = self.positions();
        positions.by_ref().for_each(drop);
        positions.0.position
    }
}

/// The positions of a game; see [`GameRecord::positions`].
#[derive(Clone, Debug)]
pub struct Positions<'a, B>(Replay<'a, B>);

impl<B: Board> Iterator for Positions<'_, B> {
    type Item = PlayedPosition<B>;

    fn next(&mut self) -> Option<Self::Item> {
        // The moves of a record were checked when it was made.
        self.0.next_or_error().ok().flatten()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.record.parts.plies.len() - self.0.ply;
        (left, Some(left))
    }
}

impl<B: Board> ExactSizeIterator for Positions<'_, B> {}

/// Plays a game through.
#[derive(Clone, Debug)]
struct Replay<'a, B> {
    record: &'a GameRecord<B>,
    position: Position<B>,
    ply: usize,
    moves: Vec<Move<B>>,
}

impl<'a, B: Board> Replay<'a, B> {
    fn new(record: &'a GameRecord<B>) -> Self {
        Self {
            record,
            position: record.parts.start,
            ply: 0,
            moves: Vec::new(),
        }
    }

    fn next_or_error(&mut self) -> Result<Option<PlayedPosition<B>>, RecordError> {
        let parts = &self.record.parts;
        let Some(&Ply { index, score }) = parts.plies.get(self.ply) else {
            return Ok(None);
        };
        let position = self.position;
        self.record
            .rules
            .legal_moves_into(&position, &mut self.moves);
        let (ply, choices) = (self.ply, self.moves.len());
        if index as usize >= choices {
            return Err(RecordError::Move {
                ply,
                index,
                moves: choices,
            });
        }
        let (_, &mut mv, _) = self.moves.select_nth_unstable(index as usize);
        self.position = position.make(&mv);
        self.ply += 1;
        Ok(Some(PlayedPosition {
            position,
            ply,
            mv,
            choices,
            score,
            is_opening: ply < parts.opening,
        }))
    }
}

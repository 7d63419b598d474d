//! Rows, and the columns they are collected in.

use makhos_probe::{Dtw, Wld};
use makhos_rules::notation::hub;
use makhos_rules::{Board, Color, Move, Position, RuleSet};

/// Where the best label of a row comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum LabelSource {
    /// From the result of the game, which was played to its end.
    Game = 0,
    /// From the result of the game, which tables decided.
    Adjudicated = 1,
    /// From the tables: they know the position itself.
    Tables = 2,
}

/// A position with what is known of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row<B> {
    /// The game, or the number of the row where there is none.
    pub game: u64,
    /// Plies since the game began.
    pub ply: u16,
    /// The position.
    pub position: Position<B>,
    /// The move that was played.
    pub mv: Option<Move<B>>,
    /// The search's score for the side to move.
    pub score: Option<i16>,
    /// The result of the game for the side to move.
    pub result: Option<Wld>,
    /// Where the best label comes from.
    pub source: LabelSource,
    /// The outcome by the tables.
    pub outcome: Option<Wld>,
    /// The value by the tables, where they hold distances.
    pub distance: Option<Dtw>,
}

/// What a row says of its position, as numbers of its columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Labels {
    /// `game_id`
    pub game: u64,
    /// `ply`
    pub ply: u16,
    /// `score`
    pub score: Option<i16>,
    /// `wdl`
    pub result: Option<i8>,
    /// `tb_wdl`
    pub outcome: Option<i8>,
    /// `tb_dtw`
    pub distance: Option<u16>,
    /// `label_source`
    pub source: u8,
}

/// The rows of a shard, by column.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Columns {
    /// Playable squares of the board.
    pub(super) squares: u32,
    pub(super) game: Vec<u64>,
    pub(super) ply: Vec<u16>,
    pub(super) side: Vec<u8>,
    /// White men, black men, white kings, black kings.
    pub(super) pieces: [Vec<u128>; 4],
    pub(super) mv: Vec<Option<String>>,
    pub(super) score: Vec<Option<i16>>,
    pub(super) result: Vec<Option<i8>>,
    pub(super) outcome: Vec<Option<i8>>,
    pub(super) distance: Vec<Option<u16>>,
    pub(super) source: Vec<u8>,
}

impl Columns {
    /// No rows.
    #[must_use]
    pub fn new<B: Board>() -> Self {
        Self {
            squares: B::SQUARES,
            ..Self::default()
        }
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.game.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.game.is_empty()
    }

    /// Adds a row.
    pub fn push<B: Board>(&mut self, rules: &RuleSet, row: &Row<B>) {
        let position = &row.position;
        self.game.push(row.game);
        self.ply.push(row.ply);
        self.side.push(u8::from(!position.side().is_white()));
        let sets = [
            position.men(Color::White),
            position.men(Color::Black),
            position.kings(Color::White),
            position.kings(Color::Black),
        ];
        for (column, set) in self.pieces.iter_mut().zip(sets) {
            column.push(set.to_u128());
        }
        self.mv.push(row.mv.map(|mv| hub::write_move(rules, &mv)));
        self.score.push(row.score);
        self.result.push(row.result.map(sign));
        self.outcome.push(row.outcome.map(sign));
        let plies = row.distance.and_then(Dtw::plies);
        self.distance.push(plies.map(|plies| plies.get()));
        self.source.push(row.source as u8);
    }

    /// What a row says of its position.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn labels(&self, row: usize) -> Labels {
        Labels {
            game: self.game[row],
            ply: self.ply[row],
            score: self.score[row],
            result: self.result[row],
            outcome: self.outcome[row],
            distance: self.distance[row],
            source: self.source[row],
        }
    }

    /// The move that was played in a row, in Hub form.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn played(&self, row: usize) -> Option<&str> {
        self.mv[row].as_deref()
    }

    /// How many rows the tables know.
    #[must_use]
    pub fn exact(&self) -> usize {
        self.outcome.iter().flatten().count()
    }
}

/// 1, 0 or -1.
pub(super) fn sign(outcome: Wld) -> i8 {
    match outcome {
        Wld::Win => 1,
        Wld::Draw => 0,
        Wld::Loss => -1,
    }
}

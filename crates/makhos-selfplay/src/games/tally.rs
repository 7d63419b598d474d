//! Figures of games.

use bincode::{Decode, Encode};

use super::record::{Ending, GameParts, GameResult};

/// Figures of some games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Encode, Decode)]
pub struct Tally {
    /// Games.
    pub games: u64,
    /// Moves, and so positions in which a move was played.
    pub positions: u64,
    /// Positions that were searched and have a score.
    pub scored: u64,
    /// Positions of openings.
    pub opening: u64,
    /// Games whose opening is not within the bounds.
    pub unbalanced: u64,
    /// Games that White has won.
    pub white: u64,
    /// Games that nobody has won.
    pub draws: u64,
    /// Games that Black has won.
    pub black: u64,
    /// Games that ended because a side had no move.
    pub no_move: u64,
    /// Games that ended by a drawing rule.
    pub by_rule: u64,
    /// Games that tables decided.
    pub by_tables: u64,
    /// Games that became too long.
    pub too_long: u64,
    /// Bytes of the games before compression.
    pub bytes: u64,
}

impl Tally {
    /// Counts a game of so many bytes.
    pub(super) fn of_game<B>(parts: &GameParts<B>, bytes: usize) -> Self {
        let scored = parts.plies.iter().filter(|ply| ply.score.is_some()).count();
        let one_if = |condition| u64::from(u8::from(condition));
        Self {
            games: 1,
            positions: parts.plies.len() as u64,
            scored: scored as u64,
            opening: parts.opening as u64,
            unbalanced: one_if(!parts.balanced),
            white: one_if(parts.result == GameResult::White),
            draws: one_if(parts.result == GameResult::Draw),
            black: one_if(parts.result == GameResult::Black),
            no_move: one_if(parts.ending == Ending::NoMove),
            by_rule: one_if(matches!(parts.ending, Ending::Drawn(_))),
            by_tables: one_if(parts.ending == Ending::Tables),
            too_long: one_if(parts.ending == Ending::PlyLimit),
            bytes: bytes as u64,
        }
    }

    /// Adds the figures of other games.
    pub fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.positions += other.positions;
        self.scored += other.scored;
        self.opening += other.opening;
        self.unbalanced += other.unbalanced;
        self.white += other.white;
        self.draws += other.draws;
        self.black += other.black;
        self.no_move += other.no_move;
        self.by_rule += other.by_rule;
        self.by_tables += other.by_tables;
        self.too_long += other.too_long;
        self.bytes += other.bytes;
    }
}

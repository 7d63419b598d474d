//! Official drawing rules as data: repetition, and clocks that count plies.
//!
//! A [`Clock`] draws the game when so many plies have been played without what resets it. At most one
//! clock *governs* a position: the first of the list whose [`Balance`] of material holds. So the whole
//! state of all clocks is one number, the plies that are left, and beside it the plies that a lone king
//! has stood on the main road where a rule counts those ([`Road`]). [`DrawRules::step`] says what a move
//! does to that state; play ([`crate::game`]), tables and their judge all follow it.
//!
//! # What is exact
//! A win on the last allowed ply counts: a clock draws a game that is not over. Whether a draw must be
//! claimed or comes by itself makes no difference to values, since the player who would lose claims it.
//!
//! Repetition makes none either, as long as no position has occurred before. Whoever can win can do so
//! without repeating a position: in a win by the shortest way to the next reset (or to the end), that way
//! gets shorter by every ply, and after a move of a man or a capture no earlier position can come back.
//! Whoever defends gains nothing by repeating what the attacker need not repeat. Not covered are values
//! of a position whose history already holds repetitions.
//!
//! Sources of the official rules stand with each in [`official`].

use std::borrow::Cow;

use crate::board::{Board, Direction};
use crate::moves::Move;
use crate::position::Position;
use crate::rules::Color;

pub mod official;
mod options;
#[cfg(test)]
mod tests;
mod text;

pub use options::DrawOptionError;
pub use text::DrawRulesError;

/// How a draw comes about once its condition holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Claim {
    /// By itself.
    Automatic,
    /// If a player asks for it.
    Claimable,
}

/// The draw by repetition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Repetition {
    /// How often the same position must occur with the same side to move.
    pub times: u8,
    /// How the draw comes about.
    pub claim: Claim,
    /// The article it comes from, for people.
    pub article: Cow<'static, str>,
}

/// How many men and kings each side has: White, Black.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pieces {
    /// Men.
    pub men: [u32; 2],
    /// Kings.
    pub kings: [u32; 2],
}

impl Pieces {
    /// Those of a position.
    #[must_use]
    pub fn of<B: Board>(position: &Position<B>) -> Self {
        let sides = [Color::White, Color::Black];
        Self {
            men: sides.map(|side| position.men(side).len()),
            kings: sides.map(|side| position.kings(side).len()),
        }
    }

    /// All pieces of both sides.
    #[must_use]
    pub const fn total(&self) -> u32 {
        self.men[0] + self.men[1] + self.kings[0] + self.kings[1]
    }

    /// Whether one side has a king and nothing else, and the other `least` to `most` pieces with at
    /// least one king among them, or kings only.
    fn lone_king(&self, least: u8, most: u8, kings_only: bool) -> bool {
        [0, 1].into_iter().any(|lone| {
            let (men, kings) = (self.men[1 - lone], self.kings[1 - lone]);
            let pieces = men + kings;
            self.men[lone] == 0
                && self.kings[lone] == 1
                && kings >= 1
                && (u32::from(least)..=u32::from(most)).contains(&pieces)
                && (men == 0 || !kings_only)
        })
    }
}

/// The material that a clock governs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Balance {
    /// Any.
    Any,
    /// Both sides have a king, and there are so many pieces on the board.
    BothHaveKings {
        /// At least.
        least: u8,
        /// At most.
        most: u8,
    },
    /// One side has a single king, the other so many pieces, a king among them.
    LoneKing {
        /// At least.
        least: u8,
        /// At most.
        most: u8,
        /// Whether all of them must be kings.
        kings_only: bool,
    },
}

impl Balance {
    /// Whether it holds.
    #[must_use]
    pub fn holds(&self, pieces: &Pieces) -> bool {
        match *self {
            Self::Any => true,
            Self::BothHaveKings { least, most } => {
                pieces.kings.iter().all(|&kings| kings > 0)
                    && (u32::from(least)..=u32::from(most)).contains(&pieces.total())
            }
            Self::LoneKing {
                least,
                most,
                kings_only,
            } => pieces.lone_king(least, most, kings_only),
        }
    }
}

/// What makes a clock begin again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Resets {
    /// A capture.
    pub capture: bool,
    /// A man that becomes a king.
    pub promotion: bool,
    /// Any other move of a man.
    pub man_move: bool,
}

/// A draw by counting plies.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Clock {
    /// A short name without spaces, for people and files.
    pub name: Cow<'static, str>,
    /// The article it comes from, for people.
    pub article: Cow<'static, str>,
    /// The material for which it counts.
    pub balance: Balance,
    /// The game is drawn when so many plies have been counted and it is not over; at least 1.
    pub plies: u16,
    /// What makes it begin again while it governs. It begins when its balance arises: the move that
    /// brings that about is not counted.
    pub resets: Resets,
    /// Whether it keeps running when another clock comes to govern. The smaller number of plies left
    /// counts from then on.
    pub runs_on: bool,
    /// How the draw comes about.
    pub claim: Claim,
}

/// The draw of a lone king that holds the main road.
///
/// Counted are the plies after which a lone king, against so many pieces with a king among them, stands
/// on the main road and no other piece does. Leaving the road does not take back what has been
/// counted; another balance of material does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Road {
    /// The article it comes from, for people.
    pub article: Cow<'static, str>,
    /// Pieces of the other side.
    pub pieces: u8,
    /// The game is drawn when so many plies have been counted and it is not over; at least 1.
    pub plies: u8,
    /// How the draw comes about.
    pub claim: Claim,
}

impl Road {
    /// Whether the material is that of the rule.
    #[must_use]
    pub fn holds(&self, pieces: &Pieces) -> bool {
        pieces.lone_king(self.pieces, self.pieces, false)
    }

    /// Whether a position in which [`holds`](Self::holds) is counted.
    #[must_use]
    pub fn counts<B: Board>(&self, position: &Position<B>) -> bool {
        let road = main_road::<B>();
        let on_it = position.occupied() & road;
        // Against a single king either may be the lone one.
        let holds_it = |side: Color| {
            position.men(side).is_empty()
                && position.kings(side).len() == 1
                && !(position.kings(side) & road).is_empty()
        };
        on_it.len() == 1 && [Color::White, Color::Black].into_iter().any(holds_it)
    }
}

/// The squares of the main road, the long diagonal from White's lower left corner.
#[must_use]
pub fn main_road<B: Board>() -> B {
    let mut square = B::SQUARES as usize - B::PER_ROW as usize;
    let mut road = B::bit(square);
    loop {
        let next = B::geometry().step[square][Direction::UpRight as usize];
        if next.is_empty() {
            return road;
        }
        road |= next;
        square = next.lowest();
    }
}

/// The drawing rules of a game.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct DrawRules {
    /// Repetition; `None`: it never draws.
    pub repetition: Option<Repetition>,
    /// The clocks. The first whose balance holds governs.
    pub clocks: Vec<Clock>,
    /// The rule of the main road, if there is one.
    pub road: Option<Road>,
}

/// The state of the clocks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Counters {
    /// Plies that can still be played until the governing clock draws the game; `None` if there is no
    /// clock.
    pub left: Option<u16>,
    /// Plies that the [`Road`] has counted.
    pub road: u8,
}

/// What a move is for the clocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Progress {
    /// A king moved and captured nothing.
    KingMove,
    /// A man moved, was not crowned and captured nothing.
    ManMove,
    /// A man was crowned without capturing.
    Promotion,
    /// Something was captured.
    Capture {
        /// Whether a man was crowned by it.
        promotes: bool,
    },
}

impl Progress {
    /// What `mv` is, made in `position`.
    #[must_use]
    pub fn of<B: Board>(position: &Position<B>, mv: &Move<B>) -> Self {
        let promotes = mv.promotes;
        let men = position.men(position.side());
        match (mv.is_capture(), promotes, men.contains(mv.from.index())) {
            (true, ..) => Self::Capture { promotes },
            (false, true, _) => Self::Promotion,
            (false, false, true) => Self::ManMove,
            (false, false, false) => Self::KingMove,
        }
    }

    /// Whether no earlier position can come back after it.
    #[must_use]
    pub const fn is_irreversible(self) -> bool {
        !matches!(self, Self::KingMove)
    }
}

/// What becomes of the plies left by a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// No clock governs afterwards.
    Unclocked,
    /// A clock begins with so many plies.
    Fresh(u16),
    /// The same clock goes on: one ply less.
    On,
    /// Another clock begins with so many plies, but no more are left than the one before had, less one.
    Capped(u16),
}

impl Step {
    /// The plies left after it.
    #[must_use]
    pub fn apply(self, left: Option<u16>) -> Option<u16> {
        let one_less = left.map(|left| left.saturating_sub(1));
        match self {
            Self::Unclocked => None,
            Self::Fresh(plies) => Some(plies),
            Self::On => one_less,
            Self::Capped(plies) => Some(one_less.map_or(plies, |left| left.min(plies))),
        }
    }
}

/// Why a game is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawReason<'a> {
    /// A position has occurred too often.
    Repetition(&'a Repetition),
    /// A clock has run out.
    Clock(&'a Clock),
    /// The lone king has held the main road long enough.
    Road(&'a Road),
}

impl DrawReason<'_> {
    /// How the draw comes about.
    #[must_use]
    pub fn claim(&self) -> Claim {
        match self {
            Self::Repetition(rule) => rule.claim,
            Self::Clock(rule) => rule.claim,
            Self::Road(rule) => rule.claim,
        }
    }

    /// The article of the rules.
    #[must_use]
    pub fn article(&self) -> &str {
        match self {
            Self::Repetition(rule) => &rule.article,
            Self::Clock(rule) => &rule.article,
            Self::Road(rule) => &rule.article,
        }
    }

    /// `repetition`, `road` or the name of the clock.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Repetition(_) => "repetition",
            Self::Clock(rule) => &rule.name,
            Self::Road(_) => "road",
        }
    }
}

impl DrawRules {
    /// The number of the clock that governs this material.
    #[must_use]
    pub fn governing(&self, pieces: &Pieces) -> Option<usize> {
        self.clocks
            .iter()
            .position(|clock| clock.balance.holds(pieces))
    }

    /// The clock that governs a position.
    #[must_use]
    pub fn clock<B: Board>(&self, position: &Position<B>) -> Option<&Clock> {
        self.governing(&Pieces::of(position))
            .map(|number| &self.clocks[number])
    }

    /// The counters of a position with which counting begins.
    #[must_use]
    pub fn fresh<B: Board>(&self, position: &Position<B>) -> Counters {
        Counters {
            left: self.clock(position).map(|clock| clock.plies),
            road: 0,
        }
    }

    /// The counters of a position of whose governing clock so many plies have been counted, and so many
    /// on the main road.
    #[must_use]
    pub fn counted<B: Board>(&self, position: &Position<B>, halfmoves: u16, road: u8) -> Counters {
        let left = self.clock(position).map(|clock| clock.plies);
        Counters {
            left: left.map(|plies| plies.saturating_sub(halfmoves)),
            road,
        }
    }

    /// The most plies that can be left with this material; `None` without a clock.
    #[must_use]
    pub fn limit(&self, pieces: &Pieces) -> Option<u16> {
        self.governing(pieces)
            .map(|number| self.clocks[number].plies)
    }

    /// What a move does to the plies left, by the material before and after it.
    #[must_use]
    pub fn step(&self, before: &Pieces, after: &Pieces, progress: Progress) -> Step {
        let Some(new) = self.governing(after) else {
            return Step::Unclocked;
        };
        let clock = &self.clocks[new];
        let old = self.governing(before);
        if old == Some(new) {
            let resets = &clock.resets;
            let again = match progress {
                Progress::KingMove => false,
                Progress::ManMove => resets.man_move,
                Progress::Promotion => resets.promotion,
                Progress::Capture { promotes } => resets.capture || (promotes && resets.promotion),
            };
            return if again {
                Step::Fresh(clock.plies)
            } else {
                Step::On
            };
        }
        if old.is_some_and(|old| self.clocks[old].runs_on) {
            Step::Capped(clock.plies)
        } else {
            Step::Fresh(clock.plies)
        }
    }

    /// The counters after `mv` in `position`.
    #[must_use]
    pub fn after<B: Board>(
        &self,
        counters: Counters,
        position: &Position<B>,
        mv: &Move<B>,
    ) -> Counters {
        let after = position.make(mv);
        let (old, new) = (Pieces::of(position), Pieces::of(&after));
        let step = self.step(&old, &new, Progress::of(position, mv));
        Counters {
            left: step.apply(counters.left),
            road: self.road_after(counters.road, &old, &after),
        }
    }

    /// The plies counted on the main road after a move from the material `before` to `after`.
    #[must_use]
    pub fn road_after<B: Board>(&self, road: u8, before: &Pieces, after: &Position<B>) -> u8 {
        match &self.road {
            Some(rule) if rule.holds(&Pieces::of(after)) => {
                let so_far = if rule.holds(before) { road } else { 0 };
                so_far.saturating_add(u8::from(rule.counts(after)))
            }
            _ => 0,
        }
    }

    /// The rule that draws a game with these counters, unless the side to move has no move.
    #[must_use]
    pub fn drawn<B: Board>(
        &self,
        counters: &Counters,
        position: &Position<B>,
    ) -> Option<DrawReason<'_>> {
        if let Some(road) = &self.road
            && counters.road >= road.plies
        {
            return Some(DrawReason::Road(road));
        }
        let clock = self.clock(position)?;
        (counters.left == Some(0)).then_some(DrawReason::Clock(clock))
    }
}

//! Openings: random moves that leave both sides a game.

use makhos_probe::{ProbeError, Tablebase};
use makhos_rules::draw::DrawRules;
use makhos_rules::game::Game;
use makhos_rules::{Board, Position, RuleSet};

use super::adjudicate::value;
use super::record::Ply;
use super::settings::OpeningSettings;
use super::track::Track;
use crate::eval::Evaluator;
use crate::random::Dice;
use crate::search::{Limits, Line, Searcher};

/// The first moves of a game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Opening {
    pub(super) plies: Vec<Ply>,
    /// How far from 0 the search scores the position after it.
    imbalance: u32,
}

impl Opening {
    pub(super) fn is_balanced(&self, settings: &OpeningSettings) -> bool {
        self.imbalance <= settings.bound.into()
    }
}

/// What an opening is judged with.
pub(super) struct Judge<'a, B, E> {
    pub(super) rules: &'a RuleSet,
    pub(super) draw_rules: &'a DrawRules,
    pub(super) tables: Option<&'a Tablebase<B>>,
    pub(super) searcher: &'a mut Searcher<B, E>,
    pub(super) settings: &'a OpeningSettings,
}

impl<B: Board, E: Evaluator<B>> Judge<'_, B, E> {
    /// The first opening within the bounds, or the most balanced of those tried. If the game was over in all of
    /// them, that is no move at all.
    pub(super) fn draw(&mut self, dice: &mut Dice) -> Result<Opening, ProbeError> {
        let nothing = Opening {
            plies: Vec::new(),
            imbalance: u32::MAX,
        };
        let mut best = nothing;
        for _ in 0..self.settings.attempts {
            let Some(opening) = self.attempt(dice)? else {
                continue;
            };
            if opening.is_balanced(self.settings) {
                return Ok(opening);
            }
            if opening.imbalance < best.imbalance {
                best = opening;
            }
        }
        Ok(best)
    }

    /// A random opening; `None` if the game is over in it, or decided by tables.
    fn attempt(&mut self, dice: &mut Dice) -> Result<Option<Opening>, ProbeError> {
        let start = Position::start(self.rules);
        let mut track = Track::new(self.rules, self.draw_rules, start);
        let mut line = Line::new(Game::new(*self.rules, self.draw_rules.clone(), start));
        let mut plies = Vec::new();
        for _ in 0..dice.within(&self.settings.plies) {
            let index = dice.below(track.moves().len() as u32);
            let mv = track.moves()[index as usize];
            if line.play(&mv).is_err() {
                return Ok(None);
            }
            track.play(mv);
            plies.push(Ply { index, score: None });
            if track.moves().is_empty() || track.drawn().is_some() {
                return Ok(None);
            }
        }
        if value(self.tables, &track)?.is_some() {
            return Ok(None);
        }
        self.searcher.new_game();
        let limits = Limits::nodes(self.settings.nodes);
        let score = self.searcher.search_line(&line, &limits).score;
        let imbalance = score.get().unsigned_abs();
        Ok(Some(Opening { plies, imbalance }))
    }
}

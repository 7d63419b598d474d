//! Playing one game.

use std::convert::Infallible;
use std::sync::Arc;

use makhos_probe::{ProbeError, Tablebase};
use makhos_rules::draw::DrawRules;
use makhos_rules::game::Game;
use makhos_rules::{Board, Move, Position, RuleSet};

use super::adjudicate::value;
use super::opening::Judge;
use super::record::{Ending, GameParts, GameRecord, GameResult, Ply};
use super::run::SelfPlay;
use super::settings::Players;
use super::track::Track;
use crate::eval::Evaluator;
use crate::random::Dice;
use crate::search::{Limits, Line, Searcher, Settings};

/// Plays games of a run, one after the other. A game does not depend on those played before.
pub(super) struct Player<'a, B, E> {
    run: &'a SelfPlay<B, E>,
    track: Track<'a, B>,
    engine: Option<(Searcher<B, E>, Limits)>,
}

/// The moves of a game so far.
struct Moves<B> {
    plies: Vec<Ply>,
    /// How many of them are the opening.
    opening: usize,
    balanced: bool,
    /// What the engine sees of the game.
    line: Line<B>,
}

impl<B: Board> Moves<B> {
    /// Plays a legal move of a game that is not over.
    fn play(&mut self, track: &mut Track<'_, B>, ply: Ply) {
        let mv = track.moves()[ply.index as usize];
        let played = self.line.play(&mv);
        debug_assert!(played.is_ok(), "the game is over or the move not legal");
        track.play(mv);
        self.plies.push(ply);
    }
}

impl<'a, B: Board, E: Evaluator<B>> Player<'a, B, E> {
    pub(super) fn new(run: &'a SelfPlay<B, E>) -> Self {
        let engine = match run.settings.players {
            Players::Random => None,
            Players::Engine {
                nodes,
                table_entries,
            } => {
                let settings = Settings {
                    table_entries,
                    ..Settings::default()
                };
                let (draws, eval) = (run.draw_rules.clone(), Arc::clone(&run.eval));
                let searcher = Searcher::new(run.rules, draws, eval, settings);
                let searcher = searcher.with_tables(run.tables.clone());
                Some((searcher, Limits::nodes(nodes)))
            }
        };
        let start = Position::start(&run.rules);
        Self {
            run,
            track: Track::new(&run.rules, &run.draw_rules, start),
            engine,
        }
    }

    /// Plays a game; `None` if `stop` asks to stop.
    pub(super) fn play(
        &mut self,
        number: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<GameRecord<B>>, ProbeError> {
        let run = self.run;
        let (tables, limit) = (run.tables.as_deref(), run.settings.ply_limit);
        let mut dice = Dice::of_game(run.settings.seed, number);
        self.track.restart(Position::start(&run.rules));
        let Some((searcher, limits)) = &mut self.engine else {
            let over = |track: &Track<'_, B>, plies| over(track, tables, plies, limit);
            let (plies, over) = play_random(&mut self.track, &mut dice, over)?;
            return Ok(Some(random_record(&run.rules, number, plies, over)));
        };
        let mut moves = begin(run, searcher, &mut self.track, &mut dice)?;
        let (result, ending) = loop {
            if let Some(over) = over(&self.track, tables, moves.plies.len(), limit)? {
                break over;
            }
            if stop() {
                return Ok(None);
            }
            let ply = choose(searcher, limits, self.track.moves(), &moves.line);
            moves.play(&mut self.track, ply);
        };
        let parts = GameParts {
            number,
            start: Position::start(&run.rules),
            plies: moves.plies,
            opening: moves.opening,
            balanced: moves.balanced,
            result,
            ending,
        };
        Ok(Some(GameRecord {
            rules: run.rules,
            parts,
        }))
    }
}

/// Chooses an opening and plays it; the searcher knows nothing of it then.
fn begin<B: Board, E: Evaluator<B>>(
    run: &SelfPlay<B, E>,
    searcher: &mut Searcher<B, E>,
    track: &mut Track<'_, B>,
    dice: &mut Dice,
) -> Result<Moves<B>, ProbeError> {
    let mut judge = Judge {
        rules: &run.rules,
        draw_rules: &run.draw_rules,
        tables: run.tables.as_deref(),
        searcher,
        settings: &run.settings.opening,
    };
    let opening = judge.draw(dice)?;
    searcher.new_game();
    let start = *track.position();
    let mut moves = Moves {
        plies: Vec::with_capacity(128),
        opening: opening.plies.len(),
        balanced: opening.is_balanced(&run.settings.opening),
        line: Line::new(Game::new(run.rules, run.draw_rules.clone(), start)),
    };
    for ply in opening.plies {
        moves.play(track, ply);
    }
    Ok(moves)
}

/// The engine's next move, one of the legal ones.
fn choose<B: Board, E: Evaluator<B>>(
    searcher: &mut Searcher<B, E>,
    limits: &Limits,
    legal: &[Move<B>],
    line: &Line<B>,
) -> Ply {
    if legal.len() == 1 {
        return Ply {
            index: 0,
            score: None,
        };
    }
    let report = searcher.search_line(line, limits);
    let found = report.best.and_then(|best| legal.binary_search(&best).ok());
    Ply {
        index: found.unwrap_or(0) as u32,
        // All scores fit.
        score: i16::try_from(report.score.get()).ok(),
    }
}

/// How a game has ended, by its rules or its length.
type Over = (GameResult, Ending);

/// The result and the ending of a game that is over by its rules.
fn over_by_rules<B: Board>(track: &Track<'_, B>) -> Option<Over> {
    if track.moves().is_empty() {
        let winner = track.position().side().opponent();
        return Some((GameResult::win_of(winner), Ending::NoMove));
    }
    let by = track.drawn()?;
    Some((GameResult::Draw, Ending::Drawn(by)))
}

/// The same, and by its length.
fn over_without_tables<B: Board>(track: &Track<'_, B>, plies: usize, limit: u16) -> Option<Over> {
    let too_long = || (plies >= usize::from(limit)).then_some((GameResult::Draw, Ending::PlyLimit));
    over_by_rules(track).or_else(too_long)
}

/// The same, and by tables: rules come first, the length last.
fn over<B: Board>(
    track: &Track<'_, B>,
    tables: Option<&Tablebase<B>>,
    plies: usize,
    limit: u16,
) -> Result<Option<Over>, ProbeError> {
    if let Some(over) = over_by_rules(track) {
        return Ok(Some(over));
    }
    if let Some(value) = value(tables, track)? {
        let result = GameResult::of_value(value, track.position().side());
        return Ok(Some((result, Ending::Tables)));
    }
    Ok(over_without_tables(track, plies, limit))
}

/// Plays random moves from the position of `track` until `over` says how the game has ended.
fn play_random<B: Board, E>(
    track: &mut Track<'_, B>,
    dice: &mut Dice,
    over: impl Fn(&Track<'_, B>, usize) -> Result<Option<Over>, E>,
) -> Result<(Vec<Ply>, Over), E> {
    let mut plies = Vec::with_capacity(128);
    loop {
        if let Some(over) = over(track, plies.len())? {
            return Ok((plies, over));
        }
        let legal = track.moves();
        let index = dice.below(legal.len() as u32);
        let mv = legal[index as usize];
        plies.push(Ply { index, score: None });
        track.play(mv);
    }
}

/// A game of random moves from the start position.
fn random_record<B: Board>(
    rules: &RuleSet,
    number: u64,
    plies: Vec<Ply>,
    (result, ending): Over,
) -> GameRecord<B> {
    GameRecord {
        rules: *rules,
        parts: GameParts {
            number,
            start: Position::start(rules),
            plies,
            opening: 0,
            balanced: true,
            result,
            ending,
        },
    }
}

/// Plays games of random moves in memory, without tables and on one thread: what a run of
/// [`Players::Random`] without tables writes to files.
///
/// ```
/// use makhos_rules::draw::official;
/// use makhos_rules::variant;
/// use makhos_selfplay::games::RandomGames;
///
/// let rules = variant::RUSSIAN;
/// let draws = official::of(&rules);
/// let mut games = RandomGames::<u32>::new(&rules, &draws, 7, 300);
/// let game = games.play(0);
/// assert_eq!(game.positions().count(), game.parts().plies.len());
/// ```
#[derive(Clone, Debug)]
pub struct RandomGames<'a, B> {
    rules: &'a RuleSet,
    track: Track<'a, B>,
    seed: u64,
    ply_limit: u16,
}

impl<'a, B: Board> RandomGames<'a, B> {
    /// Games of a run with this seed.
    ///
    /// # Panics
    /// If `rules` is for another board size than `B`.
    #[must_use]
    pub fn new(rules: &'a RuleSet, draw_rules: &'a DrawRules, seed: u64, ply_limit: u16) -> Self {
        Self {
            rules,
            track: Track::new(rules, draw_rules, Position::start(rules)),
            seed,
            ply_limit,
        }
    }

    /// The game with this number. It does not depend on those played before.
    pub fn play(&mut self, number: u64) -> GameRecord<B> {
        let mut dice = Dice::of_game(self.seed, number);
        let limit = self.ply_limit;
        self.track.restart(Position::start(self.rules));
        let played = play_random(&mut self.track, &mut dice, |track, plies| {
            Ok::<_, Infallible>(over_without_tables(track, plies, limit))
        });
        let (plies, over) = played.unwrap_or_else(|never| match never {});
        random_record(self.rules, number, plies, over)
    }
}

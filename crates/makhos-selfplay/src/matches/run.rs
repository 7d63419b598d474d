//! A match: pairs of games, in parallel.

use std::sync::Mutex;

use makhos_rules::draw::DrawRules;
use makhos_rules::{Board, RuleSet};
use rayon::prelude::*;
use thiserror::Error;

use super::game::{Ending, play_game};
use super::opening::Opening;
use super::player::{Player, PlayerError};
use super::score::{Outcome, Tally};
use super::sprt::{Sprt, Verdict};

/// Pairs between two looks at the results. A match ends after the same pair however it is divided.
const ROUND: u64 = 32;

/// A match between two players: every opening is played twice, with colours swapped.
#[derive(Clone, PartialEq, Debug)]
pub struct Match {
    /// The rules of the moves.
    pub rules: RuleSet,
    /// The drawing rules. Draws that can be claimed are claimed.
    pub draw_rules: DrawRules,
    /// Random plies of an opening.
    pub openings: usize,
    /// Decides the openings.
    pub seed: u64,
    /// The most pairs of games.
    pub pairs: u64,
    /// Plies after which a game is given up as a draw.
    pub most_plies: usize,
    /// A test that ends the match as soon as it is decided.
    pub sprt: Option<Sprt>,
}

/// Why a match has not been played to its end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MatchError {
    /// A player cannot be made.
    #[error("a player cannot be made: {0}")]
    Start(#[source] PlayerError),
    /// A player does not play.
    #[error("in pair {pair} of the match: {source}")]
    Play {
        /// The number of the pair, from 0.
        pair: u64,
        /// What has happened.
        source: PlayerError,
    },
}

/// What a match has shown.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchReport {
    /// All results, for the first player.
    pub tally: Tally,
    /// Games that ended because a side had no move, that were drawn by the rules, and that were too long.
    pub endings: [u64; 3],
    /// Plies after the openings.
    pub plies: u64,
    /// What the test says at the end, if there is one.
    pub verdict: Option<Verdict>,
    /// Whether all pairs have been played or the test is decided.
    pub finished: bool,
}

/// What a pair has shown.
struct Pair {
    outcomes: [Outcome; 2],
    endings: [Ending; 2],
    plies: u64,
}

/// Makes a player.
pub type MakePlayer<'a, P> = &'a (dyn Fn() -> Result<P, PlayerError> + Sync);

/// Players that are not playing now. There are never more than threads.
struct Bench<P, Q>(Mutex<Vec<(P, Q)>>);

impl Match {
    /// A match of 200 pairs with openings of 6 random plies, and no test.
    #[must_use]
    pub fn new(rules: RuleSet, draw_rules: DrawRules) -> Self {
        Self {
            rules,
            draw_rules,
            openings: 6,
            seed: 1,
            pairs: 200,
            most_plies: 400,
            sprt: None,
        }
    }

    /// Plays the match, on the threads of the pool that it is called in: each has two players of its own,
    /// made when they are needed. If players always play the same after [`Player::new_game`] the report is
    /// the same for any number of threads. `watch` is told how the match stands now and then, and ends it by
    /// returning false.
    ///
    /// # Errors
    /// [`MatchError`], with the first pair that could not be played.
    pub fn run<B: Board, P: Player<B>, Q: Player<B>>(
        &self,
        first: MakePlayer<'_, P>,
        second: MakePlayer<'_, Q>,
        watch: &mut dyn FnMut(&MatchReport) -> bool,
    ) -> Result<MatchReport, MatchError> {
        let bench = Bench(Mutex::new(Vec::new()));
        let mut report = MatchReport {
            tally: Tally::default(),
            endings: [0; 3],
            plies: 0,
            verdict: self.sprt.map(|_| Verdict::Open),
            finished: self.pairs == 0,
        };
        let mut next = 0;
        while !report.finished {
            let round = next..self.pairs.min(next + ROUND);
            next = round.end;
            let pairs: Vec<_> = round
                .into_par_iter()
                .map(|number| {
                    let mut players = bench.take(first, second)?;
                    let pair = self.pair(number, &mut players.0, &mut players.1);
                    // What has gone wrong with players may go on with them.
                    if pair.is_ok() {
                        bench.give_back(players);
                    }
                    pair.map_err(|source| MatchError::Play {
                        pair: number,
                        source,
                    })
                })
                .collect();
            for pair in pairs {
                report.add(&pair?, self.sprt.as_ref());
                if report.finished {
                    break;
                }
            }
            report.finished |= next == self.pairs;
            if !watch(&report) {
                break;
            }
        }
        Ok(report)
    }

    /// Plays an opening with the first player as White and then as Black.
    fn pair<B: Board>(
        &self,
        number: u64,
        first: &mut dyn Player<B>,
        second: &mut dyn Player<B>,
    ) -> Result<Pair, PlayerError> {
        let opening = Opening::<B>::random(&self.rules, self.openings, self.seed, number);
        let line = opening.line(&self.rules, &self.draw_rules);
        let white = play_game(line.clone(), first, second, self.most_plies)?;
        let black = play_game(line, second, first, self.most_plies)?;
        Ok(Pair {
            outcomes: [white.white, black.white.reversed()],
            endings: [white.ending, black.ending],
            plies: (white.moves.len() + black.moves.len()) as u64,
        })
    }
}

impl MatchReport {
    fn add(&mut self, pair: &Pair, sprt: Option<&Sprt>) {
        self.tally.add(pair.outcomes);
        for ending in pair.endings {
            self.endings[ending as usize] += 1;
        }
        self.plies += pair.plies;
        self.verdict = sprt.map(|test| test.verdict(&self.tally));
        self.finished = self.verdict.is_some_and(|verdict| verdict != Verdict::Open);
    }
}

impl<P, Q> Bench<P, Q> {
    fn take<B: Board>(
        &self,
        first: MakePlayer<'_, P>,
        second: MakePlayer<'_, Q>,
    ) -> Result<(P, Q), MatchError>
    where
        P: Player<B>,
        Q: Player<B>,
    {
        let waiting = self.players().pop();
        match waiting {
            Some(players) => Ok(players),
            None => {
                let first = first().map_err(MatchError::Start)?;
                let second = second().map_err(MatchError::Start)?;
                Ok((first, second))
            }
        }
    }

    fn give_back(&self, players: (P, Q)) {
        self.players().push(players);
    }

    /// A thread that has panicked while it held them cannot have left them in disorder.
    fn players(&self) -> std::sync::MutexGuard<'_, Vec<(P, Q)>> {
        self.0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use makhos_rules::draw::official;
    use makhos_rules::variant::{INTERNATIONAL, RUSSIAN, THAI};

    use super::*;
    use crate::eval::{Patterns, Weights};
    use crate::matches::EnginePlayer;
    use crate::search::{Limits, Searcher, Settings};

    fn engine<B: Board>(rules: &RuleSet, limits: Limits) -> EnginePlayer<B> {
        let weights = Weights::material_only::<B>(rules);
        let eval = Arc::new(Patterns::new(rules, &weights).expect("weights"));
        let settings = Settings::default().with_mebibytes(1);
        let searcher = Searcher::new(*rules, official::of(rules), eval, settings);
        EnginePlayer::new(searcher, limits)
    }

    fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads").install(run)
    }

    fn deep_against_shallow<B: Board>(
        rules: &RuleSet,
        sprt: Option<Sprt>,
        threads: usize,
    ) -> MatchReport {
        let test = Match {
            pairs: 40,
            sprt,
            ..Match::new(*rules, official::of(rules))
        };
        let deep = || Ok(engine::<B>(rules, Limits::nodes(400)));
        let shallow = || Ok(engine::<B>(rules, Limits::depth(1)));
        on_threads(threads, || test.run(&deep, &shallow, &mut |_| true)).expect("a match")
    }

    #[test]
    fn the_better_one_wins_whatever_the_threads() {
        let one = deep_against_shallow::<u32>(&RUSSIAN, None, 1);
        assert_eq!(one, deep_against_shallow::<u32>(&RUSSIAN, None, 3));
        assert_eq!(one.tally.game_count(), 80);
        assert_eq!(one.endings.iter().sum::<u64>(), 80);
        assert!(one.finished && one.verdict.is_none());
        assert!(one.tally.elo().low > 100.0, "{}", one.tally);
    }

    #[test]
    fn a_test_ends_the_match_after_the_same_pair() {
        let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05).ok();
        let one = deep_against_shallow::<u32>(&THAI, sprt, 1);
        assert_eq!(one, deep_against_shallow::<u32>(&THAI, sprt, 2));
        assert_eq!(one.verdict, Some(Verdict::Accepted));
        assert!(one.tally.pair_count() < 40, "{}", one.tally);
    }

    #[test]
    fn equals_score_the_same_in_every_pair() {
        let test = Match {
            pairs: 3,
            ..Match::new(INTERNATIONAL, official::of(&INTERNATIONAL))
        };
        let player = || Ok(engine::<u64>(&INTERNATIONAL, Limits::depth(2)));
        let report = test.run(&player, &player, &mut |_| true).expect("a match");
        assert_eq!(report.tally.pairs, [0, 0, 3, 0, 0]);
        let stopped = Match { pairs: 100, ..test };
        let report = stopped
            .run(&player, &player, &mut |_| false)
            .expect("a match");
        assert!(!report.finished && report.tally.pair_count() == ROUND);
    }

    #[test]
    fn players_that_cannot_play_stop_the_match() {
        let test = Match::new(RUSSIAN, official::of(&RUSSIAN));
        let good = || Ok(engine::<u32>(&RUSSIAN, Limits::depth(1)));
        let bad = || -> Result<EnginePlayer<u32>, PlayerError> { Err(PlayerError::NoMove) };
        let error = test.run(&good, &bad, &mut |_| true).expect_err("an error");
        assert!(matches!(error, MatchError::Start(PlayerError::NoMove)));
    }
}

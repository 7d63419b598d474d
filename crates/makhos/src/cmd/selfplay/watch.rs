//! Shows how self-play proceeds.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use makhos_selfplay::games::{Monitor, ShardError, ShardReport, Tally};

use super::manifest::{Figures, MANIFEST};
use crate::interrupt::Interrupt;
use crate::output::note;
use crate::text::{self, grouped};

/// Between two lines about progress.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// A [`Monitor`] that writes a line now and then and obeys Ctrl-C.
#[derive(Debug)]
pub(super) struct Watch {
    interrupt: Interrupt,
    dir: PathBuf,
    /// Games of the run.
    all: u64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Games in files that were there.
    before: u64,
    made: Tally,
    start: Instant,
    line: Instant,
}

impl Watch {
    pub(super) fn new(interrupt: Interrupt, dir: &Path, all: u64) -> Self {
        let now = Instant::now();
        Self {
            interrupt,
            dir: dir.to_owned(),
            all,
            state: Mutex::new(State {
                before: 0,
                made: Tally::default(),
                start: now,
                line: now,
            }),
        }
    }

    /// Figures of the games played by now.
    pub(super) fn made(&self) -> Figures {
        Figures::new(&self.state().made)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn report(&self, all: u64) -> String {
        let seconds = self.start.elapsed().as_secs_f64().max(1e-9);
        let rate = |number: u64| number as f64 / seconds;
        let done = self.before + self.made.games;
        let left = all.saturating_sub(done) as f64 / rate(self.made.games).max(1e-9);
        format!(
            "{} of {} games, {:.1} games/s, {} positions/s; White won {}, Black {}, drawn {}; about {} left",
            grouped(done.into()),
            grouped(all.into()),
            rate(self.made.games),
            text::short(rate(self.made.positions)),
            grouped(self.made.white.into()),
            grouped(self.made.black.into()),
            grouped(self.made.draws.into()),
            text::time(Duration::try_from_secs_f64(left).unwrap_or_default()),
        )
    }
}

impl Monitor for Watch {
    fn started(&self, there: &[ShardReport], to_make: u64) {
        let mut state = self.state();
        state.before = there.iter().map(|shard| shard.tally.games).sum();
        (state.start, state.line) = (Instant::now(), Instant::now());
        if to_make > 0 {
            // It would not be that of the files any more. Where there is none, there is nothing to do.
            let _ = fs::remove_file(self.dir.join(MANIFEST));
        }
        if state.before > 0 {
            note(format_args!(
                "{} of {} games are there",
                grouped(state.before.into()),
                grouped(self.all.into())
            ));
        }
    }

    fn game_finished(&self, game: &Tally) {
        let mut state = self.state();
        state.made.add(game);
        if state.line.elapsed() >= BETWEEN_LINES {
            state.line = Instant::now();
            note(format_args!("{}", state.report(self.all)));
        }
    }

    fn leftover_removed(&self, file: &Path) {
        note(format_args!(
            "removed {}, left over by a killed run",
            file.display()
        ));
    }

    fn damaged_file(&self, _: &Path, why: &ShardError) {
        note(format_args!("{why}; it is made again now"));
    }

    fn should_stop(&self) -> bool {
        self.interrupt.is_asked()
    }
}

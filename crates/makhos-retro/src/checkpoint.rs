//! The state of a class in work, saved so that a run that ends early need not begin it again.
//!
//! A class is solved [level](crate::engine) by level. Between two levels its state are the outcomes found
//! so far and a few numbers, and the rest of the work follows from them: so a class taken up again gets
//! the same bytes as one solved at once.
//!
//! A checkpoint lies beside the tables as `.CLASS.wld.checkpoint` and is removed when the table appears.
//! It is a note of one program to itself, not a format to be kept: only the version that wrote it reads
//! it, and whatever is wrong with it, the class is solved from its beginning instead.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use makhos_index::Material;
use makhos_probe::{Metric, file_name, table_path};
use makhos_rules::RuleSet;
use thiserror::Error;

use crate::engine::ClassPlanes;
use crate::monitor::Watch;

mod file;

/// What the name of a checkpoint ends with.
const SUFFIX: &str = ".checkpoint";

/// When the state of a class in work is saved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checkpoints {
    /// The least time between two of them, and before the first one.
    pub pause: Duration,
    /// The pause is at least so many times what writing the last one took.
    pub pause_by_writing: u32,
    /// A class in work for at least so long is saved when a stop is asked for.
    pub worth_saving: Duration,
}

impl Checkpoints {
    /// After every level and at every stop.
    pub const ALWAYS: Self = Self {
        pause: Duration::ZERO,
        pause_by_writing: 0,
        worth_saving: Duration::ZERO,
    };
}

impl Default for Checkpoints {
    /// Once a minute, but so that writing takes less than a twentieth of the time.
    fn default() -> Self {
        Self {
            pause: Duration::from_secs(60),
            pause_by_writing: 20,
            worth_saving: Duration::from_secs(10),
        }
    }
}

/// Why a checkpoint is not taken up.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The operating system refused.
    #[error("cannot read it: {0}")]
    Io(#[from] io::Error),
    /// It is another kind of file.
    #[error("it is not a checkpoint")]
    NotACheckpoint,
    /// Another version of this library wrote it.
    #[error("another version of Makhos wrote it")]
    OtherVersion,
    /// It is of another class or other rules.
    #[error("it is of another class or other rules")]
    OtherClass,
    /// Its bytes are not those that were written.
    #[error("it is damaged")]
    Damaged,
}

/// How far a class is solved: always up to the end of a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct State {
    /// Levels that are not solved.
    pub(crate) levels_left: u64,
    /// Positions that are solved, of all stored sides.
    pub(crate) solved: u64,
    /// Capture positions found with White and Black to move.
    pub(crate) captures: [u64; 2],
}

/// The place of the checkpoint of a class below the directory `dir` of all tables.
pub(crate) fn path(dir: &Path, rules: &RuleSet, material: Material) -> PathBuf {
    let table = table_path(dir, rules, material, Metric::Wld);
    table.with_file_name(format!(".{}{SUFFIX}", file_name(material, Metric::Wld)))
}

/// The name of the table that a file of this name is a checkpoint of, if it is one.
pub(crate) fn table_of(name: &str) -> Option<&str> {
    let table = name.strip_prefix('.')?.strip_suffix(SUFFIX)?;
    makhos_probe::parse_file_name(table).map(|_| table)
}

/// Which class a checkpoint is of, and where it lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) path: &'a Path,
    pub(crate) rules: &'a RuleSet,
    pub(crate) material: Material,
    /// Positions of each stored side.
    pub(crate) positions: u64,
}

/// Fills the outcomes of a class, all draws, from its checkpoint. `None` if there is none.
///
/// # Errors
/// [`CheckpointError`]; the outcomes are good for nothing then.
pub(crate) fn take_up(
    place: &Place<'_>,
    planes: &[&ClassPlanes],
) -> Result<Option<State>, CheckpointError> {
    match file::read(place, planes) {
        Err(CheckpointError::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}

/// Saves the state of a class in work when it is time.
pub(crate) struct Keeper<'a> {
    place: Place<'a>,
    planes: Vec<&'a ClassPlanes>,
    /// `None` if nothing is to be saved.
    when: Option<Checkpoints>,
    watch: Watch<'a>,
    /// When work on the class began.
    start: Instant,
    /// When the last checkpoint was written, or work began.
    last: Instant,
    /// The time from `last` on in which no other one is written.
    pause: Duration,
    /// The state that is saved.
    saved: Option<State>,
}

impl<'a> Keeper<'a> {
    /// `saved` is what was taken up.
    pub(crate) fn new(
        place: Place<'a>,
        planes: Vec<&'a ClassPlanes>,
        when: Option<Checkpoints>,
        saved: Option<State>,
        watch: Watch<'a>,
    ) -> Self {
        let now = Instant::now();
        Self {
            place,
            planes,
            when,
            watch,
            start: now,
            last: now,
            pause: when.map_or(Duration::MAX, |when| when.pause),
            saved,
        }
    }

    /// A level is solved.
    pub(crate) fn level_done(&mut self, state: &State) {
        // The table follows at once.
        let finished = state.levels_left == 0;
        if !finished && self.when.is_some() && self.last.elapsed() >= self.pause {
            self.write(state);
        }
    }

    /// Work stops; `state` is that of the end of the last level.
    ///
    /// Some outcomes of the next level are in the planes already. That is harmless: the level is solved
    /// again, and storing the same outcomes a second time changes nothing.
    pub(crate) fn stopped(&mut self, state: &State) {
        let worth = |when: Checkpoints| self.start.elapsed() >= when.worth_saving;
        // A single level may take long, but nothing of it can be saved.
        let anything = state.solved > 0;
        if anything && self.when.is_some_and(worth) && self.saved != Some(*state) {
            self.write(state);
        }
    }

    fn write(&mut self, state: &State) {
        let begin = Instant::now();
        let path = self.place.path;
        match file::write(&self.place, state, &self.planes) {
            Ok(()) => {
                self.saved = Some(*state);
                self.watch.monitor.checkpoint_written(path);
            }
            // The next one may have better luck; so far, the one before is still there.
            Err(error) => self.watch.monitor.checkpoint_failed(path, &error),
        }
        self.last = Instant::now();
        if let Some(when) = self.when {
            let writing = self.last.saturating_duration_since(begin);
            let by_writing = writing.saturating_mul(when.pause_by_writing);
            self.pause = when.pause.max(by_writing);
        }
    }
}

#[cfg(test)]
mod tests;

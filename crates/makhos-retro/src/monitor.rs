//! Watching and stopping long work.

use std::io;
use std::path::Path;

use makhos_index::Material;

use crate::checkpoint::CheckpointError;
use crate::generate::ClassReport;
use crate::plan::Step;

/// Is told how generation proceeds, from several threads, and may ask it to stop.
///
/// Every method has a default that does nothing.
pub trait Monitor: Sync {
    /// Work on a class begins.
    fn class_started(&self, step: &Step) {
        let _ = step;
    }

    /// `units` more of the class's [`Step::work`] are done.
    fn advanced(&self, units: u64) {
        let _ = units;
    }

    /// A class is published, or was there already.
    fn class_finished(&self, report: &ClassReport) {
        let _ = report;
    }

    /// A file left over by a killed run was removed.
    fn leftover_removed(&self, file: &Path) {
        let _ = file;
    }

    /// Work on a class goes on from a checkpoint: of its [`Step::work`], `total`, `done` is done already.
    /// [`advanced`](Self::advanced) is told of the rest only.
    fn resumed(&self, material: Material, done: u64, total: u64) {
        let _ = (material, done, total);
    }

    /// The state of a class in work is saved.
    fn checkpoint_written(&self, file: &Path) {
        let _ = file;
    }

    /// The state of a class in work could not be saved; work goes on without.
    fn checkpoint_failed(&self, file: &Path, why: &io::Error) {
        let _ = (file, why);
    }

    /// A checkpoint cannot be taken up, so the class is solved from its beginning.
    fn checkpoint_ignored(&self, file: &Path, why: &CheckpointError) {
        let _ = (file, why);
    }

    /// Whether to stop as soon as possible. What is published stays, and the same call resumes.
    fn should_stop(&self) -> bool {
        false
    }
}

/// A [`Monitor`] that watches nothing and never stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Monitor for Quiet {}

/// Progress of one class, for a solver.
#[derive(Clone, Copy)]
pub(crate) struct Watch<'a> {
    pub(crate) monitor: &'a dyn Monitor,
    pub(crate) material: Material,
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch")
            .field("material", &self.material)
            .finish()
    }
}

//! Shows how generation proceeds.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use makhos_index::Material;
use makhos_retro::{CheckpointError, ClassReport, Monitor, Plan, Step};

use crate::interrupt::Interrupt;
use crate::progress::{Progress, Unit};
use crate::text;

/// A [`Monitor`] that shows progress and obeys Ctrl-C.
#[derive(Debug)]
pub(super) struct Watch {
    progress: Progress,
    interrupt: Interrupt,
    /// Classes to be made, and those that are.
    classes: usize,
    made: AtomicUsize,
}

impl Watch {
    pub(super) fn new(plan: &Plan, interrupt: Interrupt) -> Self {
        let work: u64 = plan.open().map(Step::work).sum();
        // A class has two units of work a position.
        Self {
            progress: Progress::new(work, Unit::Positions(2)),
            interrupt,
            classes: plan.open().count(),
            made: AtomicUsize::new(0),
        }
    }

    pub(super) fn announce(&self, line: &str) {
        self.progress.say(line);
    }

    pub(super) fn finish(&self) {
        self.progress.finish();
    }
}

impl Monitor for Watch {
    fn class_started(&self, step: &Step) {
        let number = self.made.load(Ordering::Relaxed) + 1;
        self.progress
            .label(&format!("{number}/{} {}", self.classes, step.material));
    }

    fn advanced(&self, units: u64) {
        self.progress.advance(units);
    }

    fn class_finished(&self, report: &ClassReport) {
        // What was there is not counted.
        let Some(time) = report.time else { return };
        let number = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        self.progress.finished_part(number == self.classes, || {
            let positions: u64 = report.sides.iter().map(|(_, side)| side.positions).sum();
            format!(
                "{number}/{} {}: {} positions in {}",
                self.classes,
                report.material,
                text::grouped(positions.into()),
                text::time(time)
            )
        });
    }

    fn leftover_removed(&self, file: &Path) {
        self.progress.say(&format!(
            "removed {}, left over by a killed run",
            file.display()
        ));
    }

    fn resumed(&self, material: Material, done: u64, total: u64) {
        self.progress.advance(done);
        let percent = 100.0 * done as f64 / (total.max(1)) as f64;
        self.progress.say(&format!(
            "{material}: going on from what was saved, {percent:.0} % of it done"
        ));
    }

    fn checkpoint_failed(&self, file: &Path, why: &io::Error) {
        self.progress.say(&format!(
            "{}: cannot save the class in hand: {why}; going on without",
            file.display()
        ));
    }

    fn checkpoint_ignored(&self, file: &Path, why: &CheckpointError) {
        self.progress.say(&format!(
            "{}: not used: {why}; the class is made from its beginning",
            file.display()
        ));
    }

    fn should_stop(&self) -> bool {
        self.interrupt.is_asked()
    }
}

//! Progress on standard error: a bar on a terminal, a line now and then elsewhere.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::output::note;
use crate::text;

/// Without a terminal, lines about finished parts come at most this often.
const BETWEEN_LINES: Duration = Duration::from_secs(1);
/// Without a terminal, a part that takes long is reported on this often.
const BETWEEN_REPORTS: Duration = Duration::from_secs(30);

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unit {
    /// Positions, each of which is that many units of work.
    Positions(u64),
    /// Bytes.
    Bytes,
    /// Files.
    Files,
}

impl Unit {
    fn amount(self, units: u64) -> String {
        match self {
            Self::Positions(per) => text::grouped((units / per).into()),
            Self::Bytes => text::bytes(units),
            Self::Files => text::grouped(units.into()),
        }
    }

    fn rate(self, units_a_second: f64) -> String {
        match self {
            Self::Positions(per) => {
                format!("{} positions/s", text::short(units_a_second / per as f64))
            }
            Self::Bytes => format!("{}/s", text::bytes(units_a_second as u64)),
            Self::Files => format!("{units_a_second:.1} files/s"),
        }
    }
}

/// The progress of one long piece of work. Threads may share it.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    unit: Unit,
    total: u64,
    done: AtomicU64,
    start: Instant,
    /// What is being worked on, and when the last line was written.
    lines: Mutex<(String, Instant)>,
}

impl Progress {
    /// Begins; `total` is in units of work.
    pub(crate) fn new(total: u64, unit: Unit) -> Self {
        let bar = (io::stderr().is_terminal() && total > 0).then(|| bar(total, unit));
        let now = Instant::now();
        Self {
            bar,
            unit,
            total,
            done: AtomicU64::new(0),
            start: now,
            lines: Mutex::new((String::new(), now)),
        }
    }

    /// Says what is being worked on from now.
    pub(crate) fn label(&self, label: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(label.to_owned()),
            None => label.clone_into(&mut self.lock().0),
        }
    }

    /// That many more units are done.
    pub(crate) fn advance(&self, units: u64) {
        let done = self.done.fetch_add(units, Ordering::Relaxed) + units;
        if let Some(bar) = &self.bar {
            bar.inc(units);
            return;
        }
        // Another thread that holds the lock can report as well.
        let Ok(mut lines) = self.lines.try_lock() else {
            return;
        };
        if lines.1.elapsed() >= BETWEEN_REPORTS {
            lines.1 = Instant::now();
            note(format_args!("{}", self.report(&lines.0, done)));
        }
    }

    fn report(&self, label: &str, done: u64) -> String {
        let elapsed = self.start.elapsed();
        let left = self.total.saturating_sub(done);
        let rate = done as f64 / elapsed.as_secs_f64().max(1e-9);
        let left = Duration::try_from_secs_f64(left as f64 / rate.max(1e-9)).unwrap_or_default();
        format!(
            "{label}: {} of {} {}, {}, about {} left",
            self.unit.amount(done),
            self.unit.amount(self.total),
            if self.unit == Unit::Bytes {
                "read"
            } else {
                "positions"
            },
            self.unit.rate(rate),
            text::time(left)
        )
    }

    /// Writes a line about a finished part, if there is no bar. Unless it `must` appear, it is left
    /// out when the last line was written a moment ago.
    pub(crate) fn finished_part(&self, must: bool, line: impl FnOnce() -> String) {
        if self.bar.is_some() {
            return;
        }
        let mut lines = self.lock();
        if must || lines.1.elapsed() >= BETWEEN_LINES {
            lines.1 = Instant::now();
            note(format_args!("{}", line()));
        }
    }

    /// Writes a line that always appears.
    pub(crate) fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| note(format_args!("{line}"))),
            None => note(format_args!("{line}")),
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, (String, Instant)> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bar must not stay on the screen when work ends with an error.
impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

fn bar(total: u64, unit: Unit) -> ProgressBar {
    let amount = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let total = state.len().unwrap_or(0);
        let _ = write!(out, "{}/{}", unit.amount(state.pos()), unit.amount(total));
    };
    let rate = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let _ = write!(out, "{}", unit.rate(state.per_sec()));
    };
    let template = "{msg} {wide_bar} {amount} {percent}% {rate} {eta} left";
    let style = ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("amount", amount)
        .with_key("rate", rate);
    let bar = ProgressBar::new(total).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

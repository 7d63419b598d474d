//! Time that something takes: by the clock, and of the processor.

use std::fs;
use std::time::{Duration, Instant};

/// The time of one run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Span {
    /// By the clock.
    pub wall: Duration,
    /// What the threads of this process were working, `None` where the system does not tell. It hardly
    /// depends on what else runs on the machine, but leaves out waiting for the disk.
    pub cpu: Option<Duration>,
}

/// Runs `work` and takes its time. Threads that end meanwhile are not counted as working.
pub fn timed<R>(work: impl FnOnce() -> R) -> (Span, R) {
    let (cpu, start) = (cpu_time(), Instant::now());
    let result = work();
    let wall = start.elapsed();
    let cpu = cpu_time()
        .zip(cpu)
        .map(|(after, before)| after.saturating_sub(before));
    (Span { wall, cpu }, result)
}

/// The middle one of some spans, by the clock; `None` if there are none.
#[must_use]
pub fn median(mut spans: Vec<Span>) -> Option<Span> {
    spans.sort_unstable();
    spans.get(spans.len() / 2).copied()
}

/// Time on a processor of all threads there are. The kernel brings it up to date a few hundred times a
/// second, so it means little for shorter work.
fn cpu_time() -> Option<Duration> {
    let mut sum = Duration::ZERO;
    for thread in fs::read_dir("/proc/self/task").ok()? {
        let text = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
        sum += Duration::from_nanos(nanoseconds);
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_span_is_taken() {
        let span = |millis| Span {
            wall: Duration::from_millis(millis),
            cpu: None,
        };
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![span(9), span(1), span(4)]), Some(span(4)));
    }

    #[test]
    fn waiting_takes_no_processor_time() {
        let (span, ()) = timed(|| std::thread::sleep(Duration::from_millis(50)));
        assert!(span.wall >= Duration::from_millis(50));
        if let Some(cpu) = span.cpu {
            assert!(cpu < span.wall, "{cpu:?}");
        }
    }
}

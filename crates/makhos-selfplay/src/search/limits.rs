//! How long a search may take.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The limits of a search: it ends at the first that is met. The first ply is always finished, so that there
/// is a move.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Positions to visit.
    pub nodes: Option<u64>,
    /// Plies of the last iteration.
    pub depth: Option<u32>,
    /// Time by the clock. Results depend on the machine then.
    pub time: Option<Duration>,
    /// Set by someone else to stop the search.
    pub stop: Option<Arc<AtomicBool>>,
    /// Whether a position with one legal move is searched by one ply only.
    pub forced_at_once: bool,
}

impl Limits {
    /// So many positions: the same result everywhere.
    #[must_use]
    pub fn nodes(nodes: u64) -> Self {
        Self {
            nodes: Some(nodes),
            ..Self::default()
        }
    }

    /// So many plies: the same result everywhere.
    #[must_use]
    pub fn depth(depth: u32) -> Self {
        Self {
            depth: Some(depth),
            ..Self::default()
        }
    }

    /// So much time.
    #[must_use]
    pub fn time(time: Duration) -> Self {
        Self {
            time: Some(time),
            ..Self::default()
        }
    }
}

/// Nodes between two looks at the clock.
const CLOCK_NODES: u64 = 512;

/// What of the limits has been used.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    start: Instant,
    /// Positions visited.
    pub(super) nodes: u64,
    /// Whether limits are looked at yet.
    armed: bool,
    stopped: bool,
}

impl Budget {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            limits: limits.clone(),
            start: Instant::now(),
            nodes: 0,
            armed: false,
            stopped: false,
        }
    }

    /// From now on the limits count.
    pub(super) fn arm(&mut self) {
        self.armed = true;
    }

    /// Counts a node; whether the search goes on.
    #[inline(always)]
    pub(super) fn spend(&mut self) -> bool {
        if self.armed {
            if self.stopped {
                return false;
            }
            let most = self.limits.nodes.unwrap_or(u64::MAX);
            self.stopped = self.nodes >= most
                || (self.nodes.is_multiple_of(CLOCK_NODES) && self.out_of_time());
            if self.stopped {
                return false;
            }
        }
        self.nodes += 1;
        true
    }

    /// Whether the search is being given up.
    #[inline(always)]
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Whether another iteration is worth beginning.
    pub(super) fn allows(&self, depth: u32, most: u32) -> bool {
        let nodes_left = self.limits.nodes.is_none_or(|most| self.nodes < most);
        // An iteration takes longer than all before it; one that cannot end is of little use.
        let time = self.limits.time;
        let time_left = time.is_none_or(|most| self.time() < most * 3 / 5);
        let most = self.limits.depth.unwrap_or(most).clamp(1, most);
        depth <= most && (depth == 1 || (nodes_left && time_left && !self.out_of_time()))
    }

    pub(super) fn time(&self) -> Duration {
        self.start.elapsed()
    }

    #[inline(never)]
    fn out_of_time(&self) -> bool {
        let asked = self.limits.stop.as_ref();
        asked.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.limits.time.is_some_and(|most| self.time() >= most)
    }
}

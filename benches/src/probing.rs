//! Measuring how long probes take.

use std::hint::black_box;
use std::time::Instant;

use makhos_index::{IndexError, PlacementIndex, classes, stored_sides};
use makhos_probe::Tablebase;
use makhos_rules::{Position, RuleSet};

use crate::clock::{Span, timed};

/// Times of single probes in nanoseconds, the time the clock itself takes subtracted.
#[derive(Clone, Debug)]
pub struct Times(Vec<u64>);

impl Times {
    /// Takes the time of `probe` for each of some positions, which must not be empty.
    pub fn of<T>(positions: &[Position<u32>], mut probe: impl FnMut(&Position<u32>) -> T) -> Self {
        let clock = Self((0..100_000).map(|_| elapsed(Instant::now())).collect());
        let clock = clock.sorted().part(0.5);
        let times = positions.iter().map(|position| {
            let start = Instant::now();
            black_box(probe(position));
            elapsed(start).saturating_sub(clock)
        });
        Self(times.collect()).sorted()
    }

    fn sorted(mut self) -> Self {
        self.0.sort_unstable();
        self
    }

    /// The time that this part of all probes, from 0 to 1, does not exceed.
    #[must_use]
    pub fn part(&self, part: f64) -> u64 {
        let at = (self.0.len() as f64 * part) as usize;
        self.0[at.min(self.0.len() - 1)]
    }
}

fn elapsed(start: Instant) -> u64 {
    start.elapsed().as_nanos() as u64
}

/// The time a batch of positions takes, probed in parts of `size`; the least of five runs.
pub fn batch(tables: &Tablebase<u32>, positions: &[Position<u32>], size: usize) -> Span {
    let run = || {
        let parts = positions.chunks(size);
        parts.for_each(|positions| drop(black_box(tables.probe_wld_batch(positions))));
    };
    let spans = (0..5).map(|_| timed(run).0);
    let work = |span: &Span| span.cpu.unwrap_or(span.wall);
    spans.min_by_key(work).unwrap_or_else(|| timed(run).0)
}

/// Random positions of all classes with exactly that many pieces, each as likely as any other, or only of
/// those in which nothing can be captured. The same every time.
///
/// # Errors
/// [`IndexError`] if a class does not fit the board.
pub fn random_positions(
    rules: &RuleSet,
    pieces: u32,
    quiet: bool,
    count: usize,
) -> Result<Vec<Position<u32>>, IndexError> {
    let mut random = SplitMix(1);
    let mut parts = Vec::new();
    let mut all = 0;
    for class in classes(pieces)
        .into_iter()
        .filter(|class| class.pieces() == pieces)
    {
        let index = PlacementIndex::<u32>::new(class)?;
        for &side in stored_sides(class) {
            all += index.len();
            parts.push((all, side, index.clone()));
        }
    }
    let mut positions = Vec::with_capacity(count);
    while positions.len() < count {
        let at = random.below(all);
        let part = parts.partition_point(|(end, ..)| *end <= at);
        let (end, side, index) = &parts[part];
        let position = index.position(end - 1 - at, *side);
        if !quiet || !rules.has_capture(&position) {
            positions.push(position);
        }
    }
    Ok(positions)
}

/// A small generator of numbers, so that every run probes the same positions.
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * u128::from(bound)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use makhos_rules::variant;

    #[test]
    fn positions_are_random_and_quiet_where_asked() {
        let rules = variant::ENGLISH;
        let quiet = random_positions(&rules, 4, true, 1000).expect("small classes");
        assert!(quiet.iter().all(|position| !rules.has_capture(position)));
        let all = random_positions(&rules, 4, false, 1000).expect("small classes");
        assert!(all.iter().any(|position| rules.has_capture(position)));
        assert!(all.iter().all(|position| position.piece_count() == 4));
    }

    #[test]
    fn parts_of_times_are_in_order() {
        let times = Times(vec![5, 1, 3]).sorted();
        assert_eq!([0.0, 0.5, 1.0].map(|part| times.part(part)), [1, 3, 5]);
    }
}

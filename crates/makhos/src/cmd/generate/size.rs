//! Refusing what no machine can make, before it is planned.

use std::collections::BTreeSet;

use makhos_index::{Material, classes, dependencies, placements, stored_sides};
use makhos_rules::Board;

use crate::exit::{Exit, Failure, Outcome};
use crate::text;

/// More positions than this fit no machine, and amounts derived from them no 64-bit number.
const MOST_POSITIONS: u128 = 1 << 56;

/// Refuses the classes with up to `pieces` pieces and `targets`, with all these need, if they have too
/// many positions together.
///
/// It stops as soon as there are too many, for listing all that a large number needs takes minutes.
pub(crate) fn check<B: Board>(pieces: Option<u32>, targets: &[Material]) -> Outcome<()> {
    let mut sum = Sum::default();
    for most in 2..=pieces.unwrap_or(0) {
        for class in classes(most) {
            sum.add::<B>(class)?;
        }
    }
    let mut open: Vec<Material> = targets.iter().map(|class| class.canonical()).collect();
    while let Some(class) = open.pop() {
        if sum.add::<B>(class)? {
            open.extend(dependencies(class).iter().map(|needed| needed.material));
        }
    }
    Ok(())
}

/// Different classes and their positions.
#[derive(Default)]
struct Sum {
    classes: BTreeSet<Material>,
    positions: u128,
}

impl Sum {
    /// Adds a canonical class; whether it is a new one.
    fn add<B: Board>(&mut self, class: Material) -> Outcome<bool> {
        if !self.classes.insert(class) {
            return Ok(false);
        }
        let sides = stored_sides(class).len() as u128;
        let positions = placements::<B>(class).unwrap_or(u128::MAX);
        self.positions = (positions.saturating_mul(sides)).saturating_add(self.positions);
        if self.positions <= MOST_POSITIONS {
            return Ok(true);
        }
        let message = format!(
            "that is more than {} positions, which no machine can hold; ask for fewer pieces",
            text::grouped(MOST_POSITIONS)
        );
        Err(Failure::say(Exit::Usage, message))
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use makhos_index::{Army, closure};

    use super::*;

    fn material(class: &str) -> Material {
        class.parse().expect("well-formed")
    }

    /// The sum over everything that is needed, without a stop.
    fn positions<B: Board>(targets: &[Material]) -> u128 {
        let of = |class: Material| {
            let sides = stored_sides(class).len() as u128;
            placements::<B>(class).expect("small") * sides
        };
        closure(targets).into_iter().map(of).sum()
    }

    #[test]
    fn exactly_what_has_too_many_positions_is_refused() {
        for pieces in 2..=13 {
            let fits = positions::<u64>(&classes(pieces)) <= MOST_POSITIONS;
            assert_eq!(check::<u64>(Some(pieces), &[]).is_ok(), fits, "{pieces}");
            let fits = positions::<u128>(&classes(pieces)) <= MOST_POSITIONS;
            assert_eq!(check::<u128>(Some(pieces), &[]).is_ok(), fits, "{pieces}");
        }
        for class in [
            "3k-1k", "1k-5m", "8k-8k", "10k-1m", "20k-1k", "31k-1k", "6m6k-1k",
        ] {
            let fits = positions::<u32>(&[material(class)]) <= MOST_POSITIONS;
            let checked = check::<u32>(None, &[material(class)]);
            assert_eq!(checked.is_ok(), fits, "{class}");
        }
    }

    #[test]
    fn absurd_numbers_are_refused_at_once() {
        let start = Instant::now();
        for pieces in [14, 24, 40, 60, 72, u32::MAX] {
            assert!(check::<u128>(Some(pieces), &[]).is_err(), "{pieces}");
        }
        // Some of them have few placements themselves, but not what they need.
        for (white, black) in [
            ((66, 0), (0, 6)),
            ((66, 0), (6, 0)),
            ((18, 18), (18, 18)),
            ((0, 36), (0, 36)),
            ((60, 0), (0, 12)),
            ((33, 3), (33, 3)),
            ((30, 30), (0, 12)),
        ] {
            let class = Material::new(Army::new(white.0, white.1), Army::new(black.0, black.1));
            assert!(check::<u128>(None, &[class]).is_err(), "{class}");
            assert!(check::<u128>(Some(3), &[class.flip()]).is_err(), "{class}");
        }
        // Seconds where it once took minutes.
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

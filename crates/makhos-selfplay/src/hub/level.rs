//! How long to think, as the protocol tells it.

use std::time::Duration;

use super::syntax::Command;
use crate::search::Limits;

/// Moves that a game is expected to last where nobody says.
const EXPECTED_MOVES: f64 = 30.0;
/// The longest time that is understood, in seconds.
const MOST_SECONDS: f64 = 1e6;

/// The last `level`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Level {
    depth: Option<u32>,
    nodes: Option<u64>,
    /// Seconds for a move.
    move_time: Option<f64>,
    /// Seconds, moves and seconds a move that are left for the game.
    clock: Option<(f64, Option<u32>, f64)>,
}

impl Level {
    /// What a command says.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn parse(command: &Command) -> Result<Self, String> {
        let seconds = |name: &str| match command.number::<f64>(name)? {
            Some(time) if !(0.0..=MOST_SECONDS).contains(&time) => {
                Err(format!("{name} of level is no time in seconds"))
            }
            time => Ok(time),
        };
        let moves = command.number("moves")?;
        let increment = seconds("inc")?.unwrap_or(0.0);
        let level = Self {
            depth: command.number("depth")?,
            nodes: command.number("nodes")?,
            move_time: seconds("move-time")?,
            clock: seconds("time")?.map(|time| (time, moves, increment)),
        };
        if level == Self::default() && command.get("infinite").is_none() {
            return Err("level takes depth, nodes, move-time, time or infinite".to_owned());
        }
        Ok(level)
    }

    /// Whether nothing but a command ends the search.
    #[cfg(test)]
    fn is_infinite(&self) -> bool {
        *self == Self::default()
    }

    /// The time for the next move.
    pub(super) fn time(&self) -> Option<Duration> {
        let of_clock = self.clock.map(|(time, moves, increment)| {
            let moves = moves.map_or(EXPECTED_MOVES, |moves| f64::from(moves.max(1)));
            let share = (time - increment).max(0.0) / moves.min(EXPECTED_MOVES) + increment * 0.9;
            share.min(time * 0.8)
        });
        let seconds = self.move_time.map(|time| time * 0.98).or(of_clock)?;
        Some(Duration::from_secs_f64(seconds))
    }

    /// The limits of a search to play a move.
    pub(super) fn limits(&self) -> Limits {
        Limits {
            nodes: self.nodes,
            depth: self.depth,
            time: self.time(),
            stop: None,
            forced_at_once: self.clock.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(text: &str) -> Result<Level, String> {
        Level::parse(&Command::parse(text)?.ok_or("nothing")?)
    }

    #[test]
    fn forms() {
        let time = |text| level(text).expect(text).time();
        assert_eq!(
            time("level move-time=1"),
            Some(Duration::from_secs_f64(0.98))
        );
        assert_eq!(
            time("level moves=10 time=100"),
            Some(Duration::from_secs(10))
        );
        assert_eq!(
            time("level time=1 inc=1"),
            Some(Duration::from_secs_f64(0.8))
        );
        assert_eq!(time("level depth=7"), None);
        assert_eq!(
            level("level nodes=7").expect("right").limits().nodes,
            Some(7)
        );
        assert!(level("level infinite").expect("right").is_infinite());
        for bad in [
            "level",
            "level depth=-1",
            "level time=x",
            "level move-time=-2",
            "level time=NaN",
        ] {
            assert!(level(bad).is_err(), "{bad}");
        }
    }
}

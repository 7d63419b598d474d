//! How often a search that knows no tables plays a move that keeps the exact result.

use std::collections::BTreeMap;
use std::sync::Arc;

use makhos_probe::{ProbeError, Tablebase};
use makhos_rules::draw::DrawRules;
use makhos_rules::game::Game;
use makhos_rules::{Board, Position};
use rayon::prelude::*;

use crate::eval::Evaluator;
use crate::search::{Limits, Searcher, Settings};

/// Entries of the hash table of a search: enough for some thousand nodes, and soon cleared.
const TABLE_ENTRIES: usize = 1 << 14;

/// What has been counted of some positions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Keeping {
    /// Positions in which some legal move keeps the result and some other one does not.
    pub positions: u64,
    /// Those of them in which the search has chosen one that keeps it.
    pub kept: u64,
}

impl Keeping {
    /// The share of positions in which the result was kept; `None` without positions.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        (self.positions > 0).then(|| self.kept as f64 / self.positions as f64)
    }
}

/// Lets a search without tables choose a move in every position, and counts by the number of pieces how often the
/// result stays what `tables` say it is. Positions in which nothing can go wrong are not counted: those in which
/// all moves have one value, as in every lost position.
///
/// Drawing rules by counting play no part, neither in the search nor in the tables. By nodes or depth the same
/// is counted for any number of threads.
///
/// # Errors
/// [`ProbeError`] if `tables` do not know a position or one that a move leads to.
pub fn keeping<B: Board, E: Evaluator<B>>(
    evaluator: &Arc<E>,
    tables: &Tablebase<B>,
    positions: &[Position<B>],
    limits: &Limits,
) -> Result<BTreeMap<u32, Keeping>, ProbeError> {
    let rules = *tables.rules();
    let settings = Settings {
        table_entries: TABLE_ENTRIES,
        ..Settings::default()
    };
    let new_searcher = || {
        let evaluator = Arc::clone(evaluator);
        Searcher::new(rules, DrawRules::default(), evaluator, settings)
    };
    let judged: Result<Vec<Option<(u32, bool)>>, ProbeError> = positions
        .par_iter()
        .map_init(new_searcher, |searcher, position| {
            let moves = tables.move_outcomes(position)?;
            let differ = |pair: &[_]| pair[0] != pair[1];
            let values: Vec<_> = moves.iter().map(|mv| mv.value).collect();
            if !values.windows(2).any(differ) {
                return Ok(None);
            }
            searcher.new_game();
            let game = Game::new(rules, DrawRules::default(), *position);
            let chosen = searcher.search(&game, limits).best;
            // The best value comes first.
            let mut keeping = moves.iter().filter(|mv| mv.value == values[0]);
            let kept = keeping.any(|mv| Some(mv.mv) == chosen);
            Ok(Some((position.piece_count(), kept)))
        })
        .collect();
    let mut all = BTreeMap::<u32, Keeping>::new();
    for (pieces, kept) in judged?.into_iter().flatten() {
        let counted = all.entry(pieces).or_default();
        counted.positions += 1;
        counted.kept += u64::from(kept);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use makhos_index::classes;
    use makhos_probe::Metric;
    use makhos_retro::{Generator, Quiet};
    use makhos_rules::notation::fen;
    use makhos_rules::variant::RUSSIAN;

    use super::*;
    use crate::eval::Model;
    use crate::score::Score;

    /// Wants the other side to have as much as possible.
    struct Foolish;

    impl Evaluator<u32> for Foolish {
        fn evaluate(&self, position: &Position<u32>) -> Score {
            let side = position.side();
            let worth = |side| {
                let kings = position.kings(side).len() as i32;
                100 * (position.men(side).len() as i32 + 3 * kings)
            };
            Score::estimate(worth(side.opponent()) - worth(side))
        }
    }

    #[test]
    fn a_fool_keeps_less_and_safe_positions_do_not_count() {
        let dir = tempfile::tempdir().expect("a directory");
        let generator = Generator::<u32>::new(RUSSIAN, dir.path(), Metric::Wld);
        let plan = generator.plan(&classes(3)).expect("a plan");
        generator.run(&plan, &Quiet).expect("tables");
        let tables = Tablebase::<u32>::open(RUSSIAN, dir.path()).expect("tables");
        let class = "2k-1k".parse().expect("a class");
        let index = makhos_index::PlacementIndex::<u32>::new(class).expect("a numbering");
        let positions: Vec<_> = (0..index.len())
            .step_by(7)
            .map(|at| index.position(at, makhos_rules::Color::White))
            .filter(|position| !RUSSIAN.has_capture(position))
            .collect();
        let limits = Limits::nodes(50);
        let material = Arc::new(Model::<u32>::material(&RUSSIAN).expect("weights"));
        let good = keeping(&material, &tables, &positions, &limits).expect("figures")[&3];
        let bad = keeping(&Arc::new(Foolish), &tables, &positions, &limits).expect("figures")[&3];
        assert_eq!(good.positions, bad.positions);
        assert!(good.positions > 100 && good.positions < positions.len() as u64);
        assert!(good.kept > bad.kept, "{good:?} {bad:?}");
        // One king against another on an empty board: every move draws.
        let safe = fen::parse::<u32>(&RUSSIAN, "W:WK4:BK8").expect("a position");
        let none = keeping(&material, &tables, &[safe], &limits).expect("figures");
        assert!(none.is_empty() && Keeping::default().share().is_none());
        let start = Position::start(&RUSSIAN);
        assert!(keeping(&material, &tables, &[start], &limits).is_err());
    }
}

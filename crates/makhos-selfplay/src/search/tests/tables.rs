//! The search against tables, and with them.

use std::path::Path;
use std::sync::Arc;

use makhos_index::{Material, PlacementIndex, classes};
use makhos_probe::{Dtw, Metric, Tablebase, Wld};
use makhos_retro::{Generator, Quiet};
use makhos_rules::draw::DrawRules;
use makhos_rules::game::Game;
use makhos_rules::variant::{ENGLISH, RUSSIAN};
use makhos_rules::{Color, Position, RuleSet};

use super::{Dice, game, scattered, searcher};
use crate::score::Score;
use crate::search::{Limits, Searcher, Settings, Switches};

fn generate(rules: &RuleSet, dir: &Path, metric: Metric) -> Arc<Tablebase<u32>> {
    let generator = Generator::<u32>::new(*rules, dir, metric);
    let plan = generator.plan(&classes(3)).expect("a plan");
    generator.run(&plan, &Quiet).expect("tables");
    Arc::new(Tablebase::open(*rules, dir).expect("a directory"))
}

fn with_tables(rules: &RuleSet, tables: &Arc<Tablebase<u32>>) -> Searcher<u32> {
    let eval = scattered::<u32>(rules);
    Searcher::new(*rules, DrawRules::default(), eval, Settings::default())
        .with_tables(Some(Arc::clone(tables)))
}

/// Random positions of three pieces.
fn positions(count: usize) -> Vec<Position<u32>> {
    let mut dice = Dice(11);
    let of_three: Vec<Material> = classes(3)
        .into_iter()
        .filter(|class| class.pieces() == 3)
        .collect();
    let random = |_| {
        let class = of_three[dice.below(of_three.len())];
        let index = PlacementIndex::<u32>::new(class).expect("small");
        let side = [Color::White, Color::Black][dice.below(2)];
        index.position(dice.below(index.len() as usize) as u64, side)
    };
    (0..count).map(random).collect()
}

#[test]
fn wins_and_losses_are_as_long_as_tables_say() {
    for rules in [ENGLISH, RUSSIAN] {
        let dir = tempfile::tempdir().expect("a directory");
        let tables = generate(&rules, dir.path(), Metric::Dtw);
        let switches = Switches {
            reductions: false,
            ..Switches::default()
        };
        let none = DrawRules::default();
        let mut exact = searcher::<u32>(&rules, &none, switches);
        let mut usual = searcher::<u32>(&rules, &none, Switches::default());
        let mut seen = [0; 2];
        for position in positions(4_000) {
            let value = tables.probe_dtw(&position).expect("a value");
            let plies = u32::from(value.plies().map_or(99, |plies| plies.get()));
            if plies > 7 {
                continue;
            }
            let game = Game::new(rules, none.clone(), position);
            let expected = match value {
                Dtw::Win(_) => Score::win_in(plies),
                _ => Score::loss_in(plies),
            };
            let depth = Limits::depth(plies.max(1));
            exact.new_game();
            assert_eq!(exact.search(&game, &depth).score, expected, "{position:?}");
            // With late moves reduced a win may come later, but nothing is won that is not.
            let report = usual.search(&game, &Limits::depth(plies + 4));
            assert_eq!(report.score.is_win(), expected.is_win(), "{position:?}");
            assert!(report.score.plies().is_some_and(|found| found >= plies));
            seen[plies as usize % 2] += 1;
        }
        assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
    }
}

#[test]
fn the_root_is_played_by_distance() {
    let dir = tempfile::tempdir().expect("a directory");
    let tables = generate(&RUSSIAN, dir.path(), Metric::Dtw);
    let mut searcher = with_tables(&RUSSIAN, &tables);
    for position in positions(200) {
        let game = Game::new(RUSSIAN, DrawRules::default(), position);
        let report = searcher.search(&game, &Limits::nodes(200));
        let Some(best) = report.best else {
            assert_eq!(report.score, Score::loss_in(0));
            continue;
        };
        let value = tables.probe_dtw(&position).expect("a value");
        let after = tables.probe_dtw(&position.make(&best)).expect("a value");
        assert_eq!(after.before(), value, "{position:?}");
        let plies = value.plies().map(|plies| u32::from(plies.get()));
        assert_eq!(report.from_tables, plies.is_some());
        if value.wld() != Wld::Draw {
            assert_eq!(report.score.plies(), plies);
        }
    }
    // A clock that may run out makes the win one of tables only.
    let official = makhos_rules::draw::official::of(&RUSSIAN);
    let long = game::<u32>(&RUSSIAN, &official, "W:WK31,K32:B5");
    let report = searcher.search(&long, &Limits::nodes(200));
    assert!(report.score.is_win() && report.from_tables, "{report:?}");
}

#[test]
fn outcomes_alone_are_never_thrown_away() {
    let dir = tempfile::tempdir().expect("a directory");
    let tables = generate(&ENGLISH, dir.path(), Metric::Wld);
    let mut searcher = with_tables(&ENGLISH, &tables);
    for position in positions(300) {
        let game = Game::new(ENGLISH, DrawRules::default(), position);
        let report = searcher.search(&game, &Limits::nodes(300));
        if let Some(best) = report.best {
            let value = tables.probe_wld(&position).expect("a value");
            let after = tables.probe_wld(&position.make(&best)).expect("a value");
            assert_eq!(after.before(), value, "{position:?}");
        }
    }
}

#[test]
fn tables_end_lines_in_the_tree() {
    let dir = tempfile::tempdir().expect("a directory");
    let tables = generate(&ENGLISH, dir.path(), Metric::Wld);
    let mut searcher = with_tables(&ENGLISH, &tables);
    // White gives a man and takes two.
    let root = game::<u32>(&ENGLISH, &DrawRules::default(), "W:W22,26,K32:B13,14");
    let report = searcher.search(&root, &Limits::depth(9));
    assert!(report.table_hits > 0, "{report:?}");
    // Tables of other rules are not used.
    let eval = scattered::<u32>(&RUSSIAN);
    let other = Searcher::new(RUSSIAN, DrawRules::default(), eval, Settings::default());
    let mut other = other.with_tables(Some(tables));
    let root = game::<u32>(&RUSSIAN, &DrawRules::default(), "W:WK31,K32:B5");
    assert_eq!(other.search(&root, &Limits::depth(3)).table_hits, 0);
}

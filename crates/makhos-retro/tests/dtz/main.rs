//! Tables that know the drawing rules are right: equal to the judge in every state, to distances where a
//! clock never begins again, and to known facts; and the bit-parallel solver is equal to the plain one.

mod engine;
mod judge;

use std::collections::HashMap;

use makhos_index::{Material, PlacementIndex, classes, closure, stored_sides};
use makhos_probe::{Dtw, Dtz, PackedDtw, Wld, road_tables};
use makhos_retro::Quiet;
use makhos_retro::reference::{SolvedSide, SubTables, solve};
use makhos_retro::ruled::{DtzTables, DtzTask, solve_dtz};
use makhos_rules::draw::{Counters, DrawRules, official};
use makhos_rules::{Board, Position, RuleSet, variant};

use self::judge::Judge;

/// Solved classes in memory, by the number of plies on the main road.
struct Solved<B> {
    tables: HashMap<(Material, u8), (PlacementIndex<B>, Vec<SolvedSide>)>,
}

impl<B: Board> Solved<B> {
    fn packed(&self, position: &Position<B>, road: u8) -> Option<PackedDtw> {
        let (index, sides) = self.tables.get(&(Material::of(position), road))?;
        let side = sides.iter().find(|side| side.side == position.side())?;
        Some(side.values[index.index(position) as usize])
    }
}

impl<B: Board> DtzTables<B> for Solved<B> {
    fn value(&self, position: &Position<B>, road: u8) -> Option<Dtz> {
        self.packed(position, road).map(Dtz::unpack)
    }
}

impl<B: Board> SubTables<B> for Solved<B> {
    fn value(&self, position: &Position<B>) -> Option<PackedDtw> {
        self.packed(position, 0)
    }
}

/// Solves classes and all they need under drawing rules.
fn solve_all<B: Board>(rules: &RuleSet, draw_rules: &DrawRules, targets: &[Material]) -> Solved<B> {
    let mut solved = Solved {
        tables: HashMap::new(),
    };
    for material in closure(targets) {
        let index = PlacementIndex::new(material).expect("a small class");
        for road in (0..road_tables(draw_rules, material)).rev() {
            let task = DtzTask {
                rules,
                draw_rules,
                index: &index,
                road,
            };
            let sides = solve_dtz(&task, &solved, &Quiet).expect("all it needs is there");
            solved
                .tables
                .insert((material, road), (index.clone(), sides));
        }
    }
    solved
}

/// Solves classes and all they need without drawing rules.
fn distances<B: Board>(rules: &RuleSet, targets: &[Material]) -> Solved<B> {
    let mut solved = Solved {
        tables: HashMap::new(),
    };
    for material in closure(targets) {
        let index = PlacementIndex::new(material).expect("a small class");
        let sides = solve(rules, &index, &solved, &Quiet).expect("all it needs is there");
        solved.tables.insert((material, 0), (index, sides));
    }
    solved
}

/// Every state of all classes has the value that the judge gives it. Returns how many states are spoiled
/// wins or saved losses: won or lost with all plies left, drawn with fewer.
fn equals_the_judge<B: Board>(
    rules: &RuleSet,
    draw_rules: &DrawRules,
    targets: &[Material],
) -> u64 {
    let solved = solve_all::<B>(rules, draw_rules, targets);
    let mut judge = Judge::<B>::new(rules, draw_rules);
    let mut changed = 0;
    for material in closure(targets) {
        judge.judge(material);
        for road in 0..road_tables(draw_rules, material) {
            let (index, sides) = &solved.tables[&(material, road)];
            for (slot, &side) in stored_sides(material).iter().enumerate() {
                for (at, &packed) in (0..index.len()).zip(&sides[slot].values) {
                    let value = Dtz::unpack(packed);
                    let position = index.position(at, side);
                    let limit = draw_rules.clock(&position).map(|clock| clock.plies);
                    let lefts = limit.map_or(vec![None], |most| (1..=most).map(Some).collect());
                    for left in lefts {
                        let holds = left.is_none_or(|left| {
                            value.plies().is_some_and(|plies| plies.get() <= left)
                        });
                        let found = if holds { value.wld() } else { Wld::Draw };
                        changed += u64::from(found != value.wld());
                        let expected = judge.value(material, slot, at, Counters { left, road });
                        assert_eq!(
                            found, expected,
                            "{} {material} {position:?} left {left:?} road {road}: {value:?}",
                            rules.name
                        );
                    }
                }
            }
        }
    }
    changed
}

fn class(name: &str) -> Material {
    name.parse().expect("a class")
}

fn draw_rules(text: &str) -> DrawRules {
    text.parse().expect("drawing rules")
}

/// Clocks that run out early enough to matter with three pieces, of every kind there is.
const SHORT: [&str; 6] = [
    "clock a plies=6 material=any resets=man-move\nroad pieces=1 plies=3",
    "clock a plies=6 material=any resets=capture,promotion,man-move",
    "clock a plies=5 material=any resets=capture,promotion",
    "clock few plies=4 material=lone-king:1 runs-on\n\
     clock more plies=7 material=lone-king:2 runs-on\n\
     clock rest plies=9 material=any resets=capture,man-move",
    "clock a plies=7 material=both-kings:2-3 resets=promotion,man-move\n\
     road pieces=2 plies=3",
    "clock a plies=8 material=lone-king-kings:2- resets=man-move runs-on\n\
     clock b plies=3 material=any resets=promotion\n\
     road pieces=2 plies=2",
];

#[test]
fn three_pieces_equal_the_judge_with_short_clocks() {
    for rules in [variant::RUSSIAN, variant::ENGLISH, variant::THAI] {
        for text in SHORT {
            let changed = equals_the_judge::<u32>(&rules, &draw_rules(text), &classes(3));
            assert!(changed > 1000, "{}: {text}", rules.name);
        }
    }
}

#[test]
#[ignore = "takes minutes"]
fn three_pieces_of_every_variant_equal_the_judge() {
    for rules in variant::ALL {
        let mut all = vec![official::of(rules)];
        all.extend(SHORT.map(draw_rules));
        for draw_rules in all {
            match rules.board.squares() {
                32 => equals_the_judge::<u32>(rules, &draw_rules, &classes(3)),
                50 if draw_rules == official::of(rules) => {
                    equals_the_judge::<u64>(rules, &draw_rules, &classes(3))
                }
                50 => equals_the_judge::<u64>(rules, &draw_rules, &classes(2)),
                _ => equals_the_judge::<u128>(rules, &draw_rules, &[class("1k-1k")]),
            };
        }
    }
}

#[test]
#[ignore = "takes minutes"]
fn three_kings_against_one_equal_the_judge_under_official_rules() {
    for rules in variant::ALL {
        let official = official::of(rules);
        match rules.board.squares() {
            32 => equals_the_judge::<u32>(rules, &official, &[class("3k-1k")]),
            50 => equals_the_judge::<u64>(rules, &official, &[class("3k-1k")]),
            _ => 0,
        };
    }
}

/// A clock that never begins again and never runs out counts the plies to the end of the game.
fn equals_distances<B: Board>(rules: &RuleSet, targets: &[Material]) {
    let endless = draw_rules("clock endless plies=1000 material=any resets=none");
    let ruled = solve_all::<B>(rules, &endless, targets);
    let plain = distances::<B>(rules, targets);
    for (key, (_, sides)) in &ruled.tables {
        for (found, expected) in sides.iter().zip(&plain.tables[key].1) {
            for (&found, &expected) in found.values.iter().zip(&expected.values) {
                let (found, expected) = (Dtz::unpack(found), expected.unpack());
                assert_eq!(found.wld(), expected.wld(), "{key:?}");
                assert_eq!(found.plies(), expected.plies(), "{key:?}");
            }
        }
    }
}

#[test]
fn a_clock_that_never_begins_again_counts_distances() {
    for rules in [
        variant::ENGLISH,
        variant::RUSSIAN,
        variant::ITALIAN,
        variant::THAI,
    ] {
        equals_distances::<u32>(&rules, &classes(3));
    }
    equals_distances::<u64>(&variant::INTERNATIONAL, &classes(2));
}

/// With twelve moves, and no way to begin them anew, 868 placements of three kings against one that take
/// thirteen are drawn (an independent count of wins in 25 plies); the official fifteen cost none.
#[test]
fn twelve_moves_are_too_few_for_three_kings() {
    let kings = [class("3k-1k")];
    for rules in [variant::RUSSIAN, variant::SPANISH, variant::POOL] {
        let twelve = draw_rules("clock twelve plies=24 material=lone-king:1-3 resets=none");
        let wins = |solved: &Solved<u32>| solved.tables[&(kings[0], 0)].1[0].statistics.wins;
        let fifteen = solve_all::<u32>(&rules, &official::of(&variant::RUSSIAN), &kings);
        assert_eq!(wins(&fifteen), 132_240);
        let spoiled = wins(&fifteen) - wins(&solve_all::<u32>(&rules, &twelve, &kings));
        assert_eq!(spoiled, 868);
    }
}

/// Found by an independent program, published nowhere else: the most plies to the next capture or man's move in a won position, both sides playing best for it.
#[test]
fn the_longest_ways_to_progress_are_known() {
    let progress = draw_rules("clock p plies=1000 material=any resets=capture,promotion,man-move");
    let longest = |rules: &RuleSet, pieces: u32| {
        let solved = solve_all::<u32>(rules, &progress, &classes(pieces));
        let plain = distances::<u32>(rules, &classes(pieces));
        let mut longest = 0;
        for (key, (_, sides)) in &solved.tables {
            for (found, plain) in sides.iter().zip(&plain.tables[key].1) {
                for (&found, &plain) in found.values.iter().zip(&plain.values) {
                    // No clock this long spoils anything.
                    assert_eq!(Dtz::unpack(found).wld(), plain.wld());
                    if let Dtz::Win(plies) = Dtz::unpack(found) {
                        longest = longest.max(plies.get());
                    }
                    if let Dtw::Draw = plain.unpack() {
                        assert_eq!(found, PackedDtw::DRAW);
                    }
                }
            }
        }
        longest
    };
    assert_eq!(longest(&variant::RUSSIAN, 2), 3);
    assert_eq!(longest(&variant::RUSSIAN, 3), 7);
    assert_eq!(longest(&variant::ENGLISH, 2), 11);
    assert_eq!(longest(&variant::ENGLISH, 3), 33);
}

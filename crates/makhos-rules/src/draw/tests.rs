//! Clocks and counters under the official rules.

use super::*;
use crate::game::{Game, GameEnd, PlayError};
use crate::notation::{fen, hub};
use crate::rules::RuleSet;
use crate::variant;

fn position<B: Board>(rules: &RuleSet, text: &str) -> Position<B> {
    fen::parse(rules, text).expect(text)
}

fn clock_name<B: Board>(rules: &RuleSet, text: &str) -> Option<String> {
    let official = official::of(rules);
    let clock = official.clock(&position::<B>(rules, text));
    clock.map(|clock| clock.name.to_string())
}

#[test]
fn material_chooses_the_clock() {
    let russian = |text| clock_name::<u32>(&variant::RUSSIAN, text);
    let named = |name: &str| Some(name.to_owned());
    assert_eq!(russian("W:WK1:BK32"), named("5-moves"));
    assert_eq!(russian("W:WK1,21:BK32"), named("5-moves"));
    assert_eq!(russian("W:WK1,K2,K3:BK32"), named("15-moves-3-kings"));
    assert_eq!(russian("W:WK1,K2,K3,K4:BK32"), named("15-moves-3-kings"));
    assert_eq!(russian("W:WK1,K2,21:BK32"), named("30-moves"));
    assert_eq!(russian("W:WK1,K2:BK32,K31,5"), named("30-moves"));
    assert_eq!(russian("W:WK1,21,22:BK32,5,6"), named("60-moves"));
    assert_eq!(russian("W:WK1:B5"), named("15-king-moves"));
    assert_eq!(russian("W:WK1,21,22,23:BK32,5,6,7"), named("15-king-moves"));
    let international = |text| clock_name::<u64>(&variant::INTERNATIONAL, text);
    assert_eq!(international("W:WK1,K2:BK50"), named("5-moves"));
    assert_eq!(international("B:WK1,K2,30:BK50"), named("16-moves"));
    assert_eq!(international("B:W29,31,30:BK50"), named("25-king-moves"));
    assert_eq!(international("W:WK1,K2,K3,K4:BK50"), named("25-king-moves"));
    let thai = |text| clock_name::<u32>(&variant::THAI, text);
    assert_eq!(thai("W:WK1,21:BK32,8"), named("16-moves"));
    assert_eq!(thai("W:WK1,21:B8"), None);
}

/// The counters after each of these moves, from fresh ones.
fn counted<B: Board>(rules: &RuleSet, start: &str, moves: &[&str]) -> Vec<(Option<u16>, u8)> {
    let mut game = Game::new(*rules, official::of(rules), position::<B>(rules, start));
    let mut counted = vec![(game.counters().left, game.counters().road)];
    for text in moves {
        let mv = hub::parse_move(rules, game.position(), text).expect(text);
        game.play(&mv).expect(text);
        counted.push((game.counters().left, game.counters().road));
    }
    counted
}

#[test]
fn king_moves_count_and_other_moves_reset() {
    let english = counted::<u32>(
        &variant::ENGLISH,
        "W:WK1,K2,22:BK32,K31",
        &["1-5", "32-28", "22-18", "28-32", "5-1"],
    );
    let left: Vec<_> = english.iter().map(|(left, _)| *left).collect();
    assert_eq!(left, [80, 79, 78, 80, 79, 78].map(Some));
    // In Czech draughts a man's move is no progress, but a promotion is.
    let czech = counted::<u32>(
        &variant::CZECH,
        "W:WK4,10,K3:BK29,K30",
        &["10-7", "30-26", "7-2", "26-30"],
    );
    let left: Vec<_> = czech.iter().map(|(left, _)| *left).collect();
    assert_eq!(left, [80, 79, 78, 80, 79].map(Some));
}

#[test]
fn a_balance_begins_after_the_move_that_creates_it() {
    // Three kings against two become three against one, by a capture.
    let russian = counted::<u32>(&variant::RUSSIAN, "W:WK1,K2,K29:BK22,K28", &["29x18x22"]);
    assert_eq!(russian.last().map(|(left, _)| *left), Some(Some(30)));
    // International: the sixteen moves go on when a piece is lost, the five begin beside them.
    let rules = official::of(&variant::INTERNATIONAL);
    let three = Pieces {
        men: [0, 0],
        kings: [3, 1],
    };
    let two = Pieces {
        men: [0, 0],
        kings: [2, 1],
    };
    let step = rules.step(&three, &two, Progress::Capture { promotes: false });
    assert_eq!(step, Step::Capped(10));
    assert_eq!(step.apply(Some(32)), Some(10));
    assert_eq!(step.apply(Some(4)), Some(3));
    // Russian: the five moves begin anew.
    let rules = official::of(&variant::RUSSIAN);
    let step = rules.step(&three, &two, Progress::Capture { promotes: false });
    assert_eq!(step, Step::Fresh(10));
    assert_eq!(rules.step(&two, &two, Progress::KingMove), Step::On);
}

#[test]
fn the_main_road_is_the_long_diagonal() {
    let squares = |road: u32| road.squares().map(|at| at + 1).collect::<Vec<_>>();
    assert_eq!(squares(main_road::<u32>()), [4, 8, 11, 15, 18, 22, 25, 29]);
    assert_eq!(main_road::<u64>().len(), 10);
    assert_eq!(main_road::<u128>().len(), 12);
    // Both sides see the same road.
    assert_eq!(main_road::<u64>().rotate(), main_road::<u64>());
}

#[test]
fn plies_on_the_main_road_are_counted() {
    let road = |start, moves: &[&str]| {
        let counted = counted::<u32>(&variant::RUSSIAN, start, moves);
        counted.iter().map(|(_, road)| *road).collect::<Vec<_>>()
    };
    // On the road after each ply, then off it, then on it again.
    let moves = ["1-5", "4-8", "5-1", "8-3", "1-5", "3-8"];
    assert_eq!(road("W:WK1,K2,K9:BK4", &moves), [0, 1, 2, 3, 3, 3, 4]);
    // An attacker stands on it too.
    assert_eq!(road("W:WK1,K2,K29:BK4", &["1-5", "4-8"]), [0, 0, 0]);
    // Two attackers are other material.
    assert_eq!(road("W:WK1,K2:BK4", &["1-5", "4-8"]), [0, 0, 0]);
}

#[test]
fn both_sides_see_the_same_plies_on_the_road() {
    let rule: DrawRules = "road pieces=1 plies=3".parse().expect("a rule");
    let rule = rule.road.expect("the rule");
    for (text, counts) in [
        ("W:WK4:BK32", true),
        ("W:WK32:BK4", true),
        ("B:WK4:BK29", false),
        ("B:WK1:BK32", false),
        ("W:WK4,K1,K2:BK32", false),
        ("W:WK32,K1,K2:BK4", true),
    ] {
        let position = position::<u32>(&variant::RUSSIAN, text);
        assert_eq!(rule.counts(&position), counts, "{text}");
        assert_eq!(rule.counts(&position.flip()), counts, "{text} flipped");
    }
}

#[test]
fn a_win_on_the_last_ply_counts() {
    let rules = variant::RUSSIAN;
    let start = position::<u32>(&rules, "W:WK29,K9:BK18");
    let official = official::of(&rules);
    let counters = official.counted(&start, 9, 0);
    assert_eq!(counters.left, Some(1));
    let mut game = Game::with_counters(rules, official.clone(), start, counters);
    let mv = rules.legal_moves(&start)[0];
    assert!(mv.is_capture());
    game.play(&mv).expect("the last ply");
    assert_eq!(game.end(), Some(GameEnd::Win(Color::White)));
    // With no ply left the position itself is drawn.
    let counters = official.counted(&start, 10, 0);
    let mut game = Game::with_counters(rules, official, start, counters);
    assert!(matches!(
        game.end(),
        Some(GameEnd::Draw(DrawReason::Clock(_)))
    ));
    assert_eq!(game.play(&mv), Err(PlayError::Over));
}

#[test]
fn a_position_that_occurs_three_times_may_be_claimed() {
    let rules = variant::ENGLISH;
    let start = position::<u32>(&rules, "W:WK1,K2:BK32,K31");
    let mut game = Game::new(rules, official::of(&rules), start);
    for round in 1..=2 {
        assert_eq!(game.occurrences(), round);
        assert_eq!(game.draw(), None);
        for text in ["1-5", "32-28", "5-1", "28-32"] {
            let mv = hub::parse_move(&rules, game.position(), text).expect(text);
            game.play(&mv).expect(text);
        }
    }
    let draw = game.draw().expect("three times");
    assert_eq!(
        (draw.name(), draw.claim()),
        ("repetition", Claim::Claimable)
    );
    // It does not come by itself.
    assert_eq!(game.end(), None);
    let illegal =
        hub::parse_move(&rules, &start.with_side(Color::Black), "32-27").expect("Black's");
    assert_eq!(game.play(&illegal), Err(PlayError::Illegal));
}

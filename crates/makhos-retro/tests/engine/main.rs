//! The bit-parallel solver against the reference solver, position by position.
//!
//! The reference solver's tables are what each class is solved from, so a mistake shows in the class
//! in which it is made. Long runs: `cargo test --release -p makhos-retro --test engine -- --ignored`.

mod conversions;

use std::collections::HashSet;
use std::path::Path;

use makhos_index::{Material, PlacementIndex, classes, stored_sides};
use makhos_probe::{
    Access, Metric, PackedDtw, SideStatistics, Table, Tablebase, Wld, table_path, verify_values,
};
use makhos_retro::engine::{Instructions, OutcomeTask, SolvedBoard, SolvedOutcomes};
use makhos_retro::{DistanceSolver, Generator, Quiet, Storage};
use makhos_rules::rules::{BoardSize, KingLanding, KingRange, Precedence, Promotion, Removal};
use makhos_rules::{Color, RuleSet, variant};

/// Bytes of expanded tables that are kept, where that is not what is tested.
const CACHE: u64 = 64 << 20;

fn class(text: &str) -> Material {
    text.parse().expect("a class")
}

fn with_options(base: &RuleSet, options: &[&str]) -> RuleSet {
    let apply = |rules: RuleSet, option: &&str| rules.with_option(option).expect("an option");
    options.iter().fold(*base, apply)
}

/// A rule set with its options, for messages.
fn name(rules: &RuleSet) -> String {
    format!("{} {:?}", rules.name, rules.move_rules_bytes())
}

/// The named variants whose moves differ: Portuguese draughts have the Spanish ones, and so on.
fn different_variants() -> Vec<&'static RuleSet> {
    let mut known = HashSet::new();
    let all = variant::ALL.into_iter();
    all.filter(|rules| known.insert(rules.move_rules_bytes()))
        .collect()
}

/// Tables of outcomes by the engine; those of distances, and the outcomes beside them, by the reference
/// solver.
fn generate<B: SolvedBoard>(rules: &RuleSet, dir: &Path, metric: Metric, targets: &[Material]) {
    let generator = Generator::<B>::new(*rules, dir, metric)
        .with_distances_by(DistanceSolver::Reference)
        .with_storage(Storage::Complete);
    let plan = generator.plan(targets).expect("a plan");
    generator.run(&plan, &Quiet).expect("tables");
}

/// Solves a class from the tables in `dir`.
fn solve<B: SolvedBoard>(
    rules: &RuleSet,
    dir: &Path,
    material: Material,
    cache: u64,
    instructions: Instructions,
) -> Vec<SolvedOutcomes> {
    let index = PlacementIndex::<B>::new(material).expect("it fits");
    let task = task(rules, dir, &index, cache, instructions);
    B::solve_outcomes(&task, &Quiet).expect("solved")
}

fn task<'a, B: SolvedBoard>(
    rules: &'a RuleSet,
    dir: &'a Path,
    index: &'a PlacementIndex<B>,
    cache: u64,
    instructions: Instructions,
) -> OutcomeTask<'a, B> {
    OutcomeTask {
        rules,
        index,
        dir,
        cache,
        instructions,
        checkpoints: None,
    }
}

/// Solves a class with kings for distances and compares all values and figures with the reference solver's
/// table.
fn compare_distances<B: SolvedBoard>(rules: &RuleSet, dir: &Path, table: &Table) {
    let material = table.material();
    let index = PlacementIndex::<B>::new(material).expect("it fits");
    let task = task(rules, dir, &index, CACHE, Instructions::best());
    let Some(solved) = B::solve_distances(&task, &Quiet) else {
        assert!(!B::solves_distances());
        return;
    };
    let solved = solved.expect("solved");
    let sides: Vec<_> = solved.iter().map(|side| side.side).collect();
    assert_eq!(sides, stored_sides(material), "{material}");
    for solved in solved {
        let mut expected = Vec::new();
        let whole = 0..table.positions();
        let read = table.read_values(solved.side, whole, &mut expected);
        read.expect("values");
        let differ = |&(at, found): &(usize, &PackedDtw)| *found != expected[at];
        let wrong: Vec<_> = solved.values.iter().enumerate().filter(differ).collect();
        let first = wrong.iter().take(5).map(|&(at, found)| {
            let position = index.position(at as u64, solved.side);
            let fen = makhos_rules::notation::fen::write(rules, &position);
            format!("{fen} is {found:?}, not {:?}", expected[at])
        });
        let first: Vec<String> = first.collect();
        assert!(
            wrong.is_empty() && solved.values.len() == expected.len(),
            "{} {material}: {} of {} distances differ: {first:?}",
            name(rules),
            wrong.len(),
            expected.len()
        );
        let statistics = table.statistics(solved.side).expect("stored");
        assert_eq!(solved.statistics, *statistics, "{} {material}", name(rules));
        check_captures::<B>(rules, material, solved.side, &solved.captures, statistics);
    }
}

/// The outcome of a position, unless it is both won and lost.
fn outcome(solved: &SolvedOutcomes, index: u64) -> Option<Wld> {
    let bit = |plane: &[u64]| (plane[(index / 64) as usize] >> (index % 64)) & 1 == 1;
    match (bit(&solved.win), bit(&solved.loss)) {
        (true, false) => Some(Wld::Win),
        (false, true) => Some(Wld::Loss),
        (false, false) => Some(Wld::Draw),
        (true, true) => None,
    }
}

/// Compares all positions of a class with one side to move, and its figures, with the reference
/// solver's table. Returns how many they are.
fn compare<B: SolvedBoard>(rules: &RuleSet, table: &Table, solved: &SolvedOutcomes) -> u64 {
    let material = table.material();
    let mut number = 0;
    let mut wrong = Vec::new();
    let check = |value: PackedDtw| {
        let found = outcome(solved, number);
        if found != Some(value.wld()) {
            wrong.push((number, found, value.wld()));
        }
        number += 1;
    };
    table.for_each_value(solved.side, check).expect("values");
    let first = wrong.iter().take(5).map(|&(index, found, expected)| {
        let numbering = PlacementIndex::<B>::new(material).expect("it fits");
        let position = numbering.position(index, solved.side);
        let fen = makhos_rules::notation::fen::write(rules, &position);
        format!("{fen} is {found:?}, not {expected:?}")
    });
    let first: Vec<String> = first.collect();
    assert!(
        wrong.is_empty(),
        "{} {material}: {} positions differ: {first:?}",
        name(rules),
        wrong.len()
    );
    let bits = |plane: &[u64]| plane.iter().map(|word| u64::from(word.count_ones())).sum();
    let (wins, losses): (u64, u64) = (bits(&solved.win), bits(&solved.loss));
    let statistics = SideStatistics {
        longest_win: None,
        longest_loss: None,
        ..*table.statistics(solved.side).expect("stored")
    };
    assert_eq!(solved.statistics, statistics, "{} {material}", name(rules));
    // Nothing is set behind the last position.
    assert_eq!((wins, losses), (statistics.wins, statistics.losses));
    let captures = &solved.captures;
    check_captures::<B>(rules, material, solved.side, captures, &statistics);
    number
}

/// Checks a plane of capture positions: their number, and every seventh position.
fn check_captures<B: SolvedBoard>(
    rules: &RuleSet,
    material: Material,
    side: Color,
    captures: &[u64],
    statistics: &SideStatistics,
) {
    let count: u64 = captures
        .iter()
        .map(|word| u64::from(word.count_ones()))
        .sum();
    assert_eq!(count, statistics.captures, "{} {material}", name(rules));
    let numbering = PlacementIndex::<B>::new(material).expect("it fits");
    for index in (0..numbering.len()).step_by(7) {
        let found = captures[(index / 64) as usize] >> (index % 64) & 1 == 1;
        let expected = rules.has_capture(&numbering.position(index, side));
        assert_eq!(found, expected, "{} {material} {index}", name(rules));
    }
}

/// Compares all classes of up to `pieces` pieces.
fn agrees<B: SolvedBoard>(rules: &RuleSet, pieces: u32) {
    let dir = tempfile::tempdir().expect("a directory");
    generate::<B>(rules, dir.path(), Metric::Dtw, &classes(pieces));
    for material in classes(pieces) {
        let path = table_path(dir.path(), rules, material, Metric::Dtw);
        let table = Table::open(&path, Access::Read).expect("a table");
        let solved = solve::<B>(rules, dir.path(), material, CACHE, Instructions::best());
        let sides: Vec<_> = solved.iter().map(|side| side.side).collect();
        assert_eq!(sides, stored_sides(material), "{material}");
        for solved in &solved {
            assert_eq!(compare::<B>(rules, &table, solved), table.positions());
        }
        if material.men() < material.pieces() {
            compare_distances::<B>(rules, dir.path(), &table);
        }
    }
}

/// Compares up to `eight` pieces on 8x8, `ten` on 10x10, `twelve` on 12x12.
fn agrees_by_board(rules: &RuleSet, [eight, ten, twelve]: [u32; 3]) {
    match rules.board {
        BoardSize::Eight => agrees::<u32>(rules, eight),
        BoardSize::Ten => agrees::<u64>(rules, ten),
        BoardSize::Twelve => agrees::<u128>(rules, twelve),
    }
}

#[test]
fn every_variant_of_few_pieces() {
    for rules in different_variants() {
        agrees_by_board(rules, [3, 3, 2]);
    }
}

#[test]
fn english_of_four_pieces() {
    agrees::<u32>(&variant::ENGLISH, 4);
}

#[test]
fn thai_of_four_pieces() {
    agrees::<u32>(&variant::THAI, 4);
}

#[test]
#[ignore = "minutes"]
fn every_variant_of_more_pieces() {
    for rules in different_variants() {
        agrees_by_board(rules, [4, 3, 3]);
    }
}

/// Rules that no named variant has, by a variant and the house options that change it.
const HOUSE_RULES: [(&RuleSet, &[&str]); 24] = [
    (&variant::ENGLISH, &["removal=once", "promotion=pass"]),
    (
        &variant::ENGLISH,
        &[
            "man_capture_back=yes",
            "promotion=continue",
            "priority=king",
        ],
    ),
    (
        &variant::ENGLISH,
        &["removal=once", "man_capture_back=yes", "priority=max_kings"],
    ),
    (&variant::ITALIAN, &["removal=once", "promotion=continue"]),
    (
        &variant::ITALIAN,
        &["man_capture_back=yes", "promotion=pass", "priority=max"],
    ),
    (
        &variant::ITALIAN,
        &[
            "priority=none",
            "man_capture_back=yes",
            "promotion=continue",
        ],
    ),
    (&variant::RUSSIAN, &["removal=once"]),
    (&variant::RUSSIAN, &["removal=once", "uturn=yes"]),
    (
        &variant::RUSSIAN,
        &["king_landing=adjacent_if_last_is_king", "priority=max"],
    ),
    (
        &variant::RUSSIAN,
        &["king_landing=behind", "priority=italian"],
    ),
    (
        &variant::BRAZILIAN,
        &["promotion=continue", "removal=once", "uturn=yes"],
    ),
    (
        &variant::BRAZILIAN,
        &["king_landing=adjacent_if_last_is_king"],
    ),
    (
        &variant::BRAZILIAN,
        &["king_landing=behind", "man_capture_back=no"],
    ),
    (&variant::POOL, &["priority=king", "removal=once"]),
    (&variant::POOL, &["priority=italian"]),
    (
        &variant::CZECH,
        &["promotion=continue", "man_capture_back=yes"],
    ),
    (
        &variant::CZECH,
        &[
            "removal=once",
            "uturn=yes",
            "king_landing=adjacent_if_last_is_king",
        ],
    ),
    (
        &variant::SPANISH,
        &["promotion=continue", "king_landing=behind"],
    ),
    (
        &variant::SPANISH,
        &[
            "removal=once",
            "uturn=yes",
            "promotion=pass",
            "man_capture_back=yes",
        ],
    ),
    (
        &variant::SPANISH,
        &["priority=italian", "promotion=continue"],
    ),
    (&variant::THAI, &["removal=end"]),
    (&variant::THAI, &["king_landing=any"]),
    (
        &variant::THAI,
        &["uturn=no", "promotion=continue", "priority=max_kings"],
    ),
    (
        &variant::THAI,
        &[
            "king_landing=any",
            "priority=italian",
            "man_capture_back=yes",
        ],
    ),
];

#[test]
fn house_rules_of_three_pieces() {
    let mut known: HashSet<_> = variant::ALL.map(RuleSet::move_rules_bytes).into();
    for (base, options) in HOUSE_RULES {
        let rules = with_options(base, options);
        let is_new = known.insert(rules.move_rules_bytes());
        assert!(is_new, "{} {options:?} is there already", base.name);
        agrees::<u32>(&rules, 3);
    }
}

#[test]
#[ignore = "minutes"]
fn house_rules_of_four_pieces() {
    for (base, options) in HOUSE_RULES {
        agrees::<u32>(&with_options(base, options), 4);
    }
}

/// Every rule set of 8x8 boards, those included that no options of a variant give.
fn all_rules() -> Vec<RuleSet> {
    let mut all = vec![variant::RUSSIAN];
    let mut vary = |change: &dyn Fn(&mut RuleSet, u8), values: u8| {
        let each = all.iter().flat_map(|rules| {
            (0..values).map(|value| {
                let mut rules = *rules;
                change(&mut rules, value);
                rules
            })
        });
        all = each.collect();
    };
    vary(&|rules, value| rules.man_captures_backward = value == 1, 2);
    vary(&|rules, value| rules.man_captures_king = value == 1, 2);
    vary(
        &|rules, value| rules.removal = [Removal::AtEnd, Removal::AtOnce][usize::from(value)],
        2,
    );
    let promotions = [Promotion::Stop, Promotion::Pass, Promotion::Continue];
    vary(
        &|rules, value| rules.promotion = promotions[usize::from(value)],
        3,
    );
    let precedences = [
        Precedence::Free,
        Precedence::KingFirst,
        Precedence::MostPieces,
        Precedence::MostPiecesThenKings,
        Precedence::Italian,
    ];
    vary(
        &|rules, value| rules.precedence = precedences[usize::from(value)],
        5,
    );
    let landings = [
        KingLanding::Any,
        KingLanding::Behind,
        KingLanding::BehindIfLastIsKing,
    ];
    // The last is short kings, which have neither.
    let kings = |rules: &mut RuleSet, value: u8| {
        rules.uturn = value / 3 == 1;
        rules.king_landing = landings[usize::from(value % 3)];
        if value == 6 {
            (rules.king_range, rules.uturn) = (KingRange::Short, false);
        }
    };
    vary(&kings, 7);
    all
}

#[test]
#[ignore = "minutes"]
fn all_rules_of_three_pieces() {
    let all = all_rules();
    assert_eq!(all.len(), 840);
    for rules in all {
        agrees::<u32>(&rules, 3);
    }
}

/// Long chains of captures: of a king past itself, round to where it began, past pieces that still
/// lie there. Too many positions for the reference solver, so each is held to the moves it has.
#[test]
#[ignore = "minutes"]
fn long_chains_follow_the_rules() {
    let named = different_variants().into_iter().copied();
    let house = HOUSE_RULES.map(|(base, options)| with_options(base, options));
    for rules in named
        .chain(house)
        .filter(|rules| rules.board == BoardSize::Eight)
    {
        let targets = ["4k-1k", "4m-1k", "4k-1m", "4m-1m"].map(class);
        let dir = tempfile::tempdir().expect("a directory");
        generate::<u32>(&rules, dir.path(), Metric::Wld, &targets);
        let tables = Tablebase::<u32>::open(rules, dir.path()).expect("tables");
        for material in targets {
            let found = verify_values(&tables, material, Metric::Wld, 5, &|_| {});
            let found = found.expect("whole tables");
            assert!(found.is_right(), "{} {material}: {found:?}", name(&rules));
        }
    }
}

/// How a class is solved; nothing of it may change the outcomes.
#[derive(Clone, Copy, Debug)]
struct Way {
    cache: u64,
    instructions: Instructions,
    threads: usize,
}

impl Way {
    fn best() -> Self {
        Self {
            cache: CACHE,
            instructions: Instructions::best(),
            threads: 2,
        }
    }
}

/// Solves classes in each way, which must all give the same.
fn same_outcomes<B: SolvedBoard>(rules: &RuleSet, names: &[&str], ways: &[Way]) {
    let dir = tempfile::tempdir().expect("a directory");
    let targets: Vec<Material> = names.iter().map(|name| class(name)).collect();
    generate::<B>(rules, dir.path(), Metric::Wld, &targets);
    for &material in &targets {
        let solve = |way: Way| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(way.threads);
            let pool = pool.build().expect("a pool");
            let dir = dir.path();
            pool.install(|| solve::<B>(rules, dir, material, way.cache, way.instructions))
        };
        let expected = solve(Way::best());
        for &way in ways {
            assert!(
                solve(way) == expected,
                "{} {material}: {way:?}",
                name(rules)
            );
        }
    }
}

/// Classes of every shape and board: with kings of both sides, of one, of none, several of them.
fn same_outcomes_of_every_shape(ways: &[Way]) {
    let shapes = [
        "2m-1m", "1m1k-1m", "1m-2k", "1k-1k", "1m1k-1k", "2k-1m1k", "2k-2m",
    ];
    same_outcomes::<u32>(&variant::ENGLISH, &shapes, ways);
    same_outcomes::<u32>(&variant::ITALIAN, &shapes, ways);
    same_outcomes::<u32>(&variant::THAI, &shapes, ways);
    same_outcomes::<u64>(&variant::INTERNATIONAL, &shapes[..5], ways);
    same_outcomes::<u64>(&variant::KILLER, &["2k-1k"], ways);
    same_outcomes::<u128>(&variant::CANADIAN, &["1m-1m", "1k-1m", "1k-1k"], ways);
}

#[test]
fn outcomes_do_not_depend_on_the_instructions() {
    let ways = Instructions::ALL
        .into_iter()
        .filter(|instructions| instructions.are_there())
        .map(|instructions| Way {
            instructions,
            ..Way::best()
        });
    same_outcomes_of_every_shape(&ways.collect::<Vec<_>>());
}

#[test]
fn outcomes_do_not_depend_on_the_cache() {
    let ways = [0, 1 << 12, 1 << 20].map(|cache| Way {
        cache,
        ..Way::best()
    });
    same_outcomes_of_every_shape(&ways);
}

#[test]
fn outcomes_do_not_depend_on_the_threads() {
    let ways = [1, 3, 4].map(|threads| Way {
        threads,
        ..Way::best()
    });
    same_outcomes_of_every_shape(&ways);
}

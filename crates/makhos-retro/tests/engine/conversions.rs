//! Distances to conversion against the rules.

use makhos_index::{PlacementIndex, classes, normalize, stored_sides};
use makhos_probe::{Access, Dtc, Metric, Plies, Table, Tablebase, Wld, table_path, verify_values};
use makhos_retro::{Generator, Quiet, SolvedBoard, Storage};
use makhos_rules::rules::BoardSize;
use makhos_rules::{Position, RuleSet, variant};

use crate::{different_variants, name};

/// Makes tables of distances to conversion and holds every position to the moves it has: outcomes of what is
/// behind a conversion, distances behind other moves. Returns the longest of a win.
fn conversions_follow_the_rules<B: SolvedBoard>(rules: &RuleSet, pieces: u32) -> u16 {
    let dir = tempfile::tempdir().expect("a directory");
    let generator = Generator::<B>::new(*rules, dir.path(), Metric::Dtc);
    let generator = generator.with_storage(Storage::Complete);
    let plan = generator.plan(&classes(pieces)).expect("a plan");
    generator.run(&plan, &Quiet).expect("tables");
    let outcomes = Tablebase::<B>::open(*rules, dir.path()).expect("tables");
    let mut longest = 0;
    for material in classes(pieces) {
        let path = table_path(dir.path(), rules, material, Metric::Dtc);
        let table = Table::open(&path, Access::Read).expect("a table");
        let table = table.load().expect("values");
        let index = PlacementIndex::<B>::new(material).expect("it fits");
        let stored = |position: &Position<B>| {
            let position = normalize(position);
            Dtc::unpack(table.get(position.side(), index.index(&position)))
        };
        let verified = verify_values(&outcomes, material, Metric::Dtc, 5, &|_| {});
        assert!(verified.expect("whole tables").is_right(), "{material}");
        for &side in stored_sides(material) {
            for at in 0..index.len() {
                let position = index.position(at, side);
                let found = stored(&position);
                let expected = by_moves(rules, &outcomes, &position, stored);
                assert_eq!(found, expected, "{} {material} {position:?}", name(rules));
                if let Dtc::Win(plies) = found {
                    longest = longest.max(plies.get());
                }
            }
        }
    }
    longest
}

/// The distance to conversion that follows from those behind the moves.
fn by_moves<B: SolvedBoard>(
    rules: &RuleSet,
    outcomes: &Tablebase<B>,
    position: &Position<B>,
    stored: impl Fn(&Position<B>) -> Dtc,
) -> Dtc {
    let own_men = position.men(position.side());
    let mut best = Dtc::Loss(Plies::ZERO);
    for mv in rules.legal_moves(position) {
        let after = position.make(&mv);
        let is_man = own_men.contains(mv.from.index());
        let value = if mv.is_capture() || is_man {
            let behind = match after.pieces(after.side()).is_empty() {
                true => Wld::Loss,
                false => outcomes.probe_wld(&after).expect("a value"),
            };
            match behind {
                Wld::Win => Dtc::Loss(Plies::new(1)),
                Wld::Draw => Dtc::Draw,
                Wld::Loss => Dtc::Win(Plies::new(1)),
            }
        } else {
            match stored(&after) {
                Dtc::Win(plies) => Dtc::Loss(plies.next()),
                Dtc::Draw => Dtc::Draw,
                Dtc::Loss(plies) => Dtc::Win(plies.next()),
            }
        };
        if value.pack() > best.pack() {
            best = value;
        }
    }
    best
}

#[test]
fn conversions_of_few_pieces_follow_the_rules() {
    for rules in different_variants() {
        match rules.board {
            BoardSize::Eight => conversions_follow_the_rules::<u32>(rules, 3),
            BoardSize::Ten => conversions_follow_the_rules::<u64>(rules, 2),
            BoardSize::Twelve => conversions_follow_the_rules::<u128>(rules, 2),
        };
    }
}

/// The longest of four pieces, as found by an independent program.
#[test]
#[ignore = "minutes"]
fn the_longest_conversions_of_four_pieces_are_known() {
    for (rules, longest) in [
        (&variant::RUSSIAN, 22),
        (&variant::THAI, 20),
        (&variant::ENGLISH, 37),
        (&variant::ITALIAN, 43),
    ] {
        assert_eq!(conversions_follow_the_rules::<u32>(rules, 4), longest);
    }
}

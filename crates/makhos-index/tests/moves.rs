//! Dependencies against the moves of every variant.

use makhos_index::{
    Dependency, Material, PlacementIndex, Reason, classes, dependencies, normalize,
};
use makhos_rules::{Board, Color, Move, Position, RuleSet, variant};
use std::collections::BTreeSet;

/// What a move needs: nothing if the class stays the same or the game is over.
fn needed<B: Board>(position: &Position<B>, mv: &Move<B>) -> Option<Dependency> {
    let before = Material::of(position).canonical();
    let after = position.make(mv);
    let material = Material::of(&normalize(&after));
    let reason = match (mv.is_capture(), mv.promotes) {
        (false, false) => {
            assert_eq!(material, before, "a quiet move changed the class");
            return None;
        }
        (false, true) => Reason::Promotion,
        (true, false) => Reason::Capture,
        (true, true) => Reason::CaptureWithPromotion,
    };
    material
        .is_canonical()
        .then_some(Dependency { material, reason })
}

/// Plays every move in every `step`-th placement of a class and collects what they need.
fn collect<B: Board>(
    rules: &RuleSet,
    class: Material,
    step: usize,
    all: &mut BTreeSet<Dependency>,
) {
    let index = PlacementIndex::<B>::new(class).expect("fits");
    let mut moves = Vec::new();
    for number in (0..index.len()).step_by(step) {
        for side in [Color::White, Color::Black] {
            let position = index.position(number, side);
            rules.legal_moves_into(&position, &mut moves);
            all.extend(moves.iter().filter_map(|mv| needed(&position, mv)));
        }
    }
}

/// Checks that no move of a variant leads outside the dependencies.
fn no_move_leads_elsewhere<B: Board>(rules: &RuleSet, class: Material, step: usize) {
    let allowed = dependencies(class);
    let mut found = BTreeSet::new();
    collect::<B>(rules, class, step, &mut found);
    for found in found {
        let allowed = allowed
            .iter()
            .find(|allowed| allowed.material == found.material)
            .unwrap_or_else(|| panic!("{}: {class} leads to {found:?}", rules.name));
        assert!(allowed.reason <= found.reason, "{class}: {found:?}");
    }
}

#[test]
fn no_move_of_any_variant_leads_elsewhere() {
    for rules in variant::ALL {
        for class in classes(4) {
            match rules.board.squares() {
                u32::SQUARES => no_move_leads_elsewhere::<u32>(rules, class, 97),
                u64::SQUARES => no_move_leads_elsewhere::<u64>(rules, class, 997),
                _ => no_move_leads_elsewhere::<u128>(rules, class, 9_973),
            }
        }
    }
}

/// In Russian draughts every dependency of a small class is met by some move.
#[test]
fn every_dependency_has_a_move_in_russian_draughts() {
    for class in classes(3) {
        let mut found = BTreeSet::new();
        collect::<u32>(&variant::RUSSIAN, class, 1, &mut found);
        let found: BTreeSet<Material> = found.iter().map(|found| found.material).collect();
        let wanted = dependencies(class).iter().map(|d| d.material).collect();
        assert_eq!(found, wanted, "{class}");
    }
}

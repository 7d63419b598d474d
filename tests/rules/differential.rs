//! The fast generator against the mailbox generator, on random rules and positions.

use std::collections::BTreeSet;

use makhos_rules::perft::{self, Counting};
use makhos_rules::rules::{BoardSize, Removal};
use makhos_rules::{Board, Color, Move, Position, Route, RuleSet, Square, notation, variant};
use makhos_tests::generate::{any_color, any_placements, any_rules, any_variant, lattice};
use makhos_tests::mailbox::{Grid, Legal, PlainRoute, legal, make, perft_drop, perft_keep, plain};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

type Checked = Result<(), TestCaseError>;

/// `count` cases, or as many as the environment variable `PROPTEST_CASES` says. Failures are shrunk
/// and printed as FEN; nothing is written to the source tree.
fn cases(count: u32) -> ProptestConfig {
    let mut config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = count;
    }
    config
}

/// Calls `$check::<B>(&$rules, …)` with the board of the rules.
macro_rules! on_its_board {
    ($check:ident, $rules:expr, $placements:expr $(, $more:expr)*) => {
        match $rules.board {
            BoardSize::Eight => $check::<u32>(&$rules, $placements.position() $(, $more)*),
            BoardSize::Ten => $check::<u64>(&$rules, $placements.position() $(, $more)*),
            BoardSize::Twelve => $check::<u128>(&$rules, $placements.position() $(, $more)*),
        }
    };
}

proptest! {
    #![proptest_config(cases(20_000))]

    #[test]
    fn random_positions_under_house_rules(rules in any_rules(), placed in any_placements()) {
        on_its_board!(everything_agrees, rules, placed)?;
    }

    #[test]
    fn random_positions_of_the_variants(rules in any_variant(), placed in any_placements()) {
        on_its_board!(everything_agrees, rules, placed)?;
    }

    #[test]
    fn turned_positions_have_turned_moves(rules in any_rules(), placed in any_placements()) {
        on_its_board!(flip_turns_the_moves, rules, placed)?;
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn random_games_from_the_start(rules in any_rules(), choices in vec(any::<u16>(), 0..150)) {
        match rules.board {
            BoardSize::Eight => playout::<u32>(&rules, &choices)?,
            BoardSize::Ten => playout::<u64>(&rules, &choices)?,
            BoardSize::Twelve => playout::<u128>(&rules, &choices)?,
        }
    }

    #[test]
    fn small_perft_of_random_positions(rules in any_rules(), placed in any_placements()) {
        on_its_board!(perft_agrees, rules, placed)?;
    }
}

proptest! {
    #![proptest_config(cases(1_500))]

    /// Long chains by many routes: what the search remembers must not cost it a move.
    #[test]
    fn chains_through_a_lattice(
        rules in any_rules(),
        side in any_color(),
        hunter: u8,
        king: bool,
        victims: u32,
        kings: u32,
    ) {
        match rules.board {
            BoardSize::Eight => {
                everything_agrees::<u32>(&rules, lattice(side, hunter, king, victims, kings))?;
            }
            BoardSize::Ten => {
                everything_agrees::<u64>(&rules, lattice(side, hunter, king, victims, kings))?;
            }
            BoardSize::Twelve => {
                everything_agrees::<u128>(&rules, lattice(side, hunter, king, victims, kings))?;
            }
        }
    }
}

/// A king among many victims has more routes than anyone can list, and still its moves.
#[test]
fn a_flood_of_routes_is_bounded() {
    let rules = variant::CANADIAN;
    let victims = 0x0020_8208_2082_0820_8200 & u128::ALL;
    let hunter = u128::bit(71);
    let position = Position::new(
        u128::EMPTY,
        hunter,
        victims & !u128::BOTTOM_ROW,
        u128::EMPTY,
        Color::White,
    )
    .expect("a position");
    assert!(rules.legal_routes_up_to(&position, 0).is_none());
    let routes = rules.legal_routes(&position);
    assert_eq!(rules.legal_routes_up_to(&position, 1 << 20), Some(routes));
}

/// Turning round is a turn: each square on which the king can do so makes a route of its own.
#[test]
fn a_turn_by_180_degrees_makes_a_route() {
    let rules = ["removal=once", "uturn=yes"]
        .into_iter()
        .try_fold(variant::RUSSIAN, RuleSet::with_option)
        .expect("both exist");
    let position = notation::fen::parse::<u32>(&rules, "W:WK18:B9,23").expect("a good FEN");
    let paths: BTreeSet<Vec<usize>> = rules
        .legal_routes(&position)
        .iter()
        .map(|route| plain_route(route).path)
        .collect();
    let expected = [[17, 4, 26], [17, 4, 31], [17, 26, 4], [17, 31, 4]];
    assert_eq!(paths, expected.map(Vec::from).into());
}

/// What a failure is about, in the words of the notation.
fn context<B: Board>(rules: &RuleSet, position: &Position<B>) -> String {
    format!(
        "{} {:?} {}",
        rules.name,
        rules.changed_options(),
        notation::fen::write(rules, position),
    )
}

fn everything_agrees<B: Board>(rules: &RuleSet, position: Position<B>) -> Checked {
    let grid = Grid::of(&position);
    let expected = legal(rules, &grid, position.side());
    let moves = same_moves(rules, &position, &expected)?;
    same_routes(rules, &position, &expected)?;
    for mv in &moves {
        same_result(rules, &position, &grid, mv)?;
    }
    Ok(())
}

/// The moves are those of the mailbox generator, each once, however they are asked for.
fn same_moves<B: Board>(
    rules: &RuleSet,
    position: &Position<B>,
    expected: &Legal,
) -> Result<Vec<Move<B>>, TestCaseError> {
    let about = context(rules, position);
    let moves = rules.legal_moves(position);
    let set: BTreeSet<_> = moves.iter().map(plain).collect();
    prop_assert_eq!(&set, &expected.moves, "moves of {}", about);
    prop_assert_eq!(moves.len(), set.len(), "a move twice in {}", about);

    // A list in use before is cleared first.
    let mut list = moves.clone();
    rules.legal_moves_into(position, &mut list);
    prop_assert_eq!(&list, &moves, "moves into a used list, {}", about);

    let captures = expected.moves.iter().any(|mv| !mv.captured.is_empty());
    prop_assert_eq!(
        rules.has_capture(position),
        captures,
        "capture in {}",
        about
    );
    Ok(moves)
}

/// The routes are those of the mailbox generator, each once and each possible on the board.
fn same_routes<B: Board>(rules: &RuleSet, position: &Position<B>, expected: &Legal) -> Checked {
    let about = context(rules, position);
    let routes = rules.legal_routes(position);
    let set: BTreeSet<PlainRoute> = routes.iter().map(plain_route).collect();
    prop_assert_eq!(&set, &expected.routes, "routes of {}", about);
    prop_assert_eq!(routes.len(), set.len(), "a route twice in {}", about);
    for route in &routes {
        if let Err(why) = possible(rules, position, route) {
            prop_assert!(false, "{:?} in {}: {}", route, about, why);
        }
    }
    Ok(())
}

fn plain_route<B: Board>(route: &Route<B>) -> PlainRoute {
    PlainRoute {
        mv: plain(&route.mv),
        path: route.path.iter().map(|square| square.index()).collect(),
    }
}

/// Follows a route over the board: straight diagonal legs, one piece captured by each.
fn possible<B: Board>(
    rules: &RuleSet,
    position: &Position<B>,
    route: &Route<B>,
) -> Result<(), &'static str> {
    let ends = (route.path.first(), route.path.last());
    if ends != (Some(&route.mv.from), Some(&route.mv.to)) {
        return Err("other ends than the move");
    }
    let mut blockers = position.occupied() & !B::bit(route.mv.from.index());
    let mut taken = B::EMPTY;
    for leg in route.path.windows(2) {
        let crossed = between::<B>(leg[0], leg[1]).ok_or("a leg that is not diagonal")?;
        let met = crossed & blockers;
        if !route.mv.is_capture() {
            return met.is_empty().then_some(()).ok_or("a piece in the way");
        }
        if met.len() != 1 || (met & route.mv.captured & !taken).is_empty() {
            return Err("a leg that does not capture one piece");
        }
        if blockers.contains(leg[1].index()) {
            return Err("a landing on a piece");
        }
        taken |= met;
        if rules.removal == Removal::AtOnce {
            blockers &= !met;
        }
    }
    if taken != route.mv.captured {
        return Err("not the captured pieces of the move");
    }
    Ok(())
}

/// The squares between two others on one diagonal.
fn between<B: Board>(from: Square, to: Square) -> Option<B> {
    let empty = Grid::empty::<B>();
    let (start, end) = (empty.cell(from.index()), empty.cell(to.index()));
    let (rows, columns) = (end.row - start.row, end.column - start.column);
    if rows == 0 || rows.abs() != columns.abs() {
        return None;
    }
    let mut set = B::EMPTY;
    for distance in 1..rows.abs() {
        let mut cell = start;
        cell.row += distance * rows.signum();
        cell.column += distance * columns.signum();
        set |= B::bit(empty.index(cell));
    }
    Some(set)
}

/// Making the move gives the board of the mailbox generator, a valid position, and the move cannot be
/// made again.
fn same_result<B: Board>(
    rules: &RuleSet,
    position: &Position<B>,
    grid: &Grid,
    mv: &Move<B>,
) -> Checked {
    let about = format!("{mv:?} in {}", context(rules, position));
    let after = position.make(mv);
    let side = position.side().opponent();
    let expected = make(grid, &plain(mv)).position(side);
    prop_assert_eq!(Ok(after), expected, "after {}", about);
    prop_assert_eq!(
        rules.play(position, mv).ok(),
        Some(after),
        "playing {}",
        about
    );
    prop_assert!(rules.play(&after, mv).is_err(), "played twice: {}", about);
    Ok(())
}

fn flip_turns_the_moves<B: Board>(rules: &RuleSet, position: Position<B>) -> Checked {
    let about = context(rules, &position);
    let turned_square = |square: Square| Square::new(B::SQUARES as u8 - 1 - square.index() as u8);
    let turned: BTreeSet<Move<B>> = rules
        .legal_moves(&position)
        .into_iter()
        .map(|mv| Move {
            from: turned_square(mv.from),
            to: turned_square(mv.to),
            captured: mv.captured.rotate(),
            promotes: mv.promotes,
        })
        .collect();
    let flipped = position.flip();
    let moves: BTreeSet<Move<B>> = rules.legal_moves(&flipped).into_iter().collect();
    prop_assert_eq!(moves, turned, "turned moves of {}", about);
    prop_assert_eq!(flipped.flip(), position, "turned twice: {}", about);
    Ok(())
}

/// A game of random moves, everything compared at every ply.
fn playout<B: Board>(rules: &RuleSet, choices: &[u16]) -> Checked {
    let mut position = Position::<B>::start(rules);
    for choice in choices {
        everything_agrees(rules, position)?;
        let moves = rules.legal_moves(&position);
        if moves.is_empty() {
            break;
        }
        position = position.make(&moves[usize::from(*choice) % moves.len()]);
    }
    Ok(())
}

fn perft_agrees<B: Board>(rules: &RuleSet, position: Position<B>) -> Checked {
    let about = context(rules, &position);
    let grid = Grid::of(&position);
    for depth in 0..=2 {
        let counts = [
            (
                Counting::Drop,
                perft_drop(rules, &grid, position.side(), depth),
            ),
            (
                Counting::Keep,
                perft_keep(rules, &grid, position.side(), depth),
            ),
        ];
        for (number, (counting, expected)) in counts.into_iter().enumerate() {
            let got = perft::count(rules, &position, depth, counting);
            let way = ["drop", "keep"][number];
            prop_assert_eq!(got, expected, "perft {} {} of {}", depth, way, about);
            if depth > 0 {
                let parts = perft::divide(rules, &position, depth, counting);
                let sum: u64 = parts.iter().map(|(_, leaves)| leaves).sum();
                prop_assert_eq!(
                    sum,
                    expected,
                    "divided perft {} {} of {}",
                    depth,
                    way,
                    about
                );
            }
        }
    }
    Ok(())
}

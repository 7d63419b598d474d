//! Properties of the notation: what is written reads back, and garbage is refused without a panic.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use makhos_rules::notation::{MoveError, Naming, fen, hub, pdn, pdn_move, square_name};
use makhos_rules::rules::SquareNames;
use makhos_rules::{Board, BoardSize, Color, Move, Position, RuleSet, Square, variant};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Runs a generic check on the board of the variant.
macro_rules! on_board {
    ($rules:expr, $check:ident($($argument:expr),*)) => {
        match $rules.board {
            BoardSize::Eight => $check::<u32>($rules, $($argument),*),
            BoardSize::Ten => $check::<u64>($rules, $($argument),*),
            BoardSize::Twelve => $check::<u128>($rules, $($argument),*),
        }
    };
}

/// A few hundred cases of what is costly, ten thousand of garbage.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn any_variant() -> impl Strategy<Value = &'static RuleSet> {
    select(&variant::ALL[..])
}

/// A piece: its square, as a share of the board, its colour and whether it is a king.
type Piece = (Index, bool, bool);

fn pieces(most: usize) -> impl Strategy<Value = Vec<Piece>> {
    vec(any::<Piece>(), 0..=most)
}

/// The position of these pieces; those that would not fit are left out or crowned.
fn place<B: Board>(pieces: &[Piece], side: Color) -> Position<B> {
    let mut sets = [B::EMPTY; 4];
    let mut occupied = B::EMPTY;
    for (square, white, king) in pieces {
        let bit = B::bit(square.index(B::SQUARES as usize));
        if !(occupied & bit).is_empty() {
            continue;
        }
        occupied |= bit;
        let crowned = *king || !(B::promotion_row(*white) & bit).is_empty();
        sets[usize::from(!white) * 2 + usize::from(crowned)] |= bit;
    }
    Position::new(sets[0], sets[1], sets[2], sets[3], side).expect("a valid placement")
}

fn color(white: bool) -> Color {
    if white { Color::White } else { Color::Black }
}

fn fen_round_trip<B: Board>(rules: &RuleSet, pieces: &[Piece], white: bool) {
    let position = place::<B>(pieces, color(white));
    for naming in [Naming::Board, Naming::Pdn] {
        let text = fen::write_named(rules, naming, &position);
        assert_eq!(
            fen::parse_named(rules, naming, &text),
            Ok(position),
            "{text}"
        );
    }
    assert_eq!(
        fen::parse(rules, &fen::write(rules, &position)),
        Ok(position)
    );
}

/// Every legal move reads back from both notations, and so does every route of it.
fn moves_round_trip<B: Board>(rules: &RuleSet, position: &Position<B>) {
    let fen = fen::write(rules, position);
    for mv in rules.legal_moves(position) {
        let text = hub::write_move(rules, &mv);
        assert_eq!(
            hub::parse_move(rules, position, &text),
            Ok(mv),
            "{text} in {fen}"
        );
        let text = pdn_move::write_move(rules, position, &mv);
        assert_eq!(
            pdn_move::parse_move(rules, position, &text),
            Ok(mv),
            "{text} in {fen}"
        );
        // Only what is ambiguous is written in full.
        let squares = text.split(['-', 'x', ':']).count();
        let alone = rules
            .legal_moves(position)
            .iter()
            .filter(|other| (other.from, other.to) == (mv.from, mv.to))
            .count();
        assert!(squares == 2 || alone > 1, "{text} in {fen}");
    }
    let mut by_path: BTreeMap<Vec<Square>, Move<B>> = BTreeMap::new();
    for route in rules.legal_routes(position) {
        let names: Vec<String> = route
            .path
            .iter()
            .map(|&square| square_name(rules, Naming::Pdn, square))
            .collect();
        let text = names.join(if route.mv.is_capture() { "x" } else { "-" });
        // A path belongs to one move: it needs no further means to be told apart.
        let first = by_path.entry(route.path).or_insert(route.mv);
        assert_eq!(*first, route.mv, "{text} in {fen}");
        // Two squares may stand for a longer capture as well if that is the only one.
        assert_eq!(
            pdn_move::parse_move(rules, position, &text),
            Ok(route.mv),
            "{text} in {fen}"
        );
    }
}

fn moves_of_pieces_round_trip<B: Board>(rules: &RuleSet, pieces: &[Piece], white: bool) {
    moves_round_trip(rules, &place::<B>(pieces, color(white)));
}

/// What a random game is made of: a choice of move and remarks for each ply.
#[derive(Clone, Debug)]
struct Step {
    choice: Index,
    strength: &'static str,
    nags: Vec<u16>,
    comments: Vec<String>,
    /// Length and choice of a variation.
    variation: Option<(usize, Index)>,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (
        any::<Index>(),
        select(&["", "", "!", "?", "!?", "??"][..]),
        vec(0..=u16::MAX, 0..2),
        vec("[ -~é}%\n]{0,40}", 0..2),
        proptest::option::weighted(0.2, (1..4usize, any::<Index>())),
    )
        .prop_map(|(choice, strength, nags, comments, variation)| Step {
            choice,
            strength,
            nags,
            comments,
            variation,
        });
    vec(step, 0..30)
}

/// A comment as the reader gives it.
fn reduced(comment: &str) -> Option<String> {
    let words: Vec<&str> = comment.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Plays the steps; a variation is played by always choosing the same way.
fn play<B: Board>(rules: &RuleSet, mut position: Position<B>, steps: &[Step]) -> pdn::Line<B> {
    let mut line = pdn::Line::default();
    for step in steps {
        let legal = rules.legal_moves(&position);
        if legal.is_empty() {
            break;
        }
        let mut ply = pdn::Ply::new(legal[step.choice.index(legal.len())]);
        ply.strength = step.strength.to_owned();
        ply.notes.nags.clone_from(&step.nags);
        ply.notes.comments = step.comments.iter().filter_map(|c| reduced(c)).collect();
        if let Some((length, choice)) = step.variation {
            let inner = vec![
                Step {
                    choice,
                    variation: (length > 2).then(|| (length - 2, choice)),
                    ..step.clone()
                };
                length
            ];
            ply.variations.push(play(rules, position, &inner));
        }
        position = rules.play(&position, &ply.mv).expect("legal");
        line.plies.push(ply);
    }
    line
}

fn random_game<B: Board>(
    rules: &RuleSet,
    start: Option<Position<B>>,
    steps: &[Step],
    value: &str,
) -> pdn::Game<B> {
    let start = start.unwrap_or_else(|| Position::start(rules));
    let mut game = pdn::Game::new(start, []);
    game.line = play(rules, start, steps);
    game.set_tag("Event", "Cup");
    game.set_tag("Black", value);
    game.set_tag("Other_1", value);
    game.result = pdn::GameResult::Draw;
    game
}

/// A game reads back equal, and the text written from it is the same again.
fn game_round_trip<B: Board>(rules: &RuleSet, pieces: &[Piece], steps: &[Step], value: &str) {
    let start = (!pieces.is_empty()).then(|| place(pieces, rules.first.opponent()));
    let game = random_game::<B>(rules, start, steps, value);
    let text = pdn::write(rules, &game).expect("a legal game");
    let read = pdn::parse::<B>(rules, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut expected = game;
    if value.is_empty() || value == "?" {
        expected.tags.retain(|tag| tag.name != "Black");
    }
    assert_eq!(read[..], [expected], "{text}");
    assert_eq!(pdn::write(rules, &read[0]).as_deref(), Ok(&text[..]));
}

/// Reads a text as everything that it could be; what is accepted reads back from what is written.
fn survives<B: Board>(rules: &RuleSet, text: &str) {
    for naming in [Naming::Board, Naming::Pdn] {
        if let Ok(position) = fen::parse_named::<B>(rules, naming, text) {
            let written = fen::write_named(rules, naming, &position);
            assert_eq!(
                fen::parse_named(rules, naming, &written),
                Ok(position),
                "{text}"
            );
        }
    }
    let start = Position::<B>::start(rules);
    if let Ok(mv) = hub::parse_move(rules, &start, text) {
        let written = hub::write_move(rules, &mv);
        assert_eq!(hub::parse_move(rules, &start, &written), Ok(mv), "{text}");
    }
    if let Ok(mv) = pdn_move::parse_move(rules, &start, text) {
        let written = pdn_move::write_move(rules, &start, &mv);
        assert_eq!(
            pdn_move::parse_move(rules, &start, &written),
            Ok(mv),
            "{text}"
        );
    }
    if let Ok(games) = pdn::parse::<B>(rules, text) {
        let written: Vec<String> = games
            .iter()
            .map(|game| pdn::write(rules, game).expect("a game that was read"))
            .collect();
        assert_eq!(pdn::parse(rules, &written.join("\n")), Ok(games), "{text}");
    }
}

fn bytes_survive<B: Board>(rules: &RuleSet, bytes: &[u8]) {
    survives::<B>(rules, &String::from_utf8_lossy(bytes));
    if let Ok(games) = pdn::parse_bytes::<B>(rules, bytes) {
        for game in games {
            let written = pdn::write(rules, &game).expect("a game that was read");
            assert_eq!(pdn::parse(rules, &written), Ok(vec![game]));
        }
    }
}

/// A king on an even row among pieces on odd rows and columns off the edge, so that each may be jumped
/// from and to squares of the king's own lattice.
fn lattice<B: Board>(king: &Index, victims: &[(Index, bool)]) -> Position<B> {
    let per_row = B::PER_ROW as usize;
    let inner: Vec<usize> = (0..B::SQUARES as usize)
        .filter(|square| {
            let (row, k) = (square / per_row, square % per_row);
            row % 2 == 1 && row + 1 < B::ROWS as usize && k > 0
        })
        .collect();
    let (mut men, mut kings) = (B::EMPTY, B::EMPTY);
    for (place, crowned) in victims {
        let bit = B::bit(inner[place.index(inner.len())]);
        if (men | kings) & bit == B::EMPTY {
            *(if *crowned { &mut kings } else { &mut men }) |= bit;
        }
    }
    let at = king.index(B::SQUARES as usize / 2);
    let king = B::bit(at / per_row * 2 * per_row + at % per_row);
    Position::new(B::EMPTY, king, men, kings, Color::White).expect("king and victims stand apart")
}

/// Moves of a position with very many routes read back, whether the routes can be counted or not.
fn lattice_reads_back<B: Board>(rules: &RuleSet, king: &Index, victims: &[(Index, bool)]) {
    let position = lattice::<B>(king, victims);
    let fen = fen::write(rules, &position);
    let moves = rules.legal_moves(&position);
    let texts = pdn_move::write_moves(rules, &position, &moves);
    for (mv, text) in moves.iter().zip(&texts).take(6) {
        assert_eq!(
            pdn_move::parse_move(rules, &position, text).as_ref(),
            Ok(mv),
            "{text} in {fen}"
        );
        assert_eq!(*text, pdn_move::write_move(rules, &position, mv), "{fen}");
    }
}

/// A valid text of one of the four kinds, with a few characters changed, and what it is read with.
fn mutated_survives<B: Board>(
    rules: &RuleSet,
    pieces: &[Piece],
    steps: &[Step],
    changes: &[(Index, u8, char)],
) {
    let position = place::<B>(pieces, Color::White);
    let game = random_game::<B>(rules, Some(position), steps, "\\\"");
    let texts = [
        fen::write(rules, &position),
        fen::write_named(rules, Naming::Pdn, &position),
        pdn::write(rules, &game).expect("a legal game"),
    ];
    for text in texts {
        let mut characters: Vec<char> = text.chars().collect();
        for (place, kind, character) in changes {
            let at = place.index(characters.len());
            match kind % 3 {
                0 => characters[at] = *character,
                1 => characters.insert(at, *character),
                _ if characters.len() > 1 => {
                    characters.remove(at);
                }
                _ => {}
            }
        }
        survives::<B>(rules, &characters.iter().collect::<String>());
    }
}

/// Characters that mean something somewhere, and a few that do not.
fn meaningful() -> impl Strategy<Value = char> {
    select(
        "WBKGPwbkabcdefgh0123456789:-,.xX()[]{};%$!?*/\"\\ \n\ré\u{feff}"
            .chars()
            .collect::<Vec<char>>(),
    )
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn positions_read_back(rules in any_variant(), pieces in pieces(40), white: bool) {
        on_board!(rules, fen_round_trip(&pieces, white));
    }

    #[test]
    fn moves_read_back(rules in any_variant(), pieces in pieces(14), white: bool) {
        on_board!(rules, moves_of_pieces_round_trip(&pieces, white));
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn games_read_back(
        rules in any_variant(),
        pieces in pieces(12),
        steps in steps(),
        value in "[ -~é]{0,30}",
    ) {
        on_board!(rules, game_round_trip(&pieces, &steps, value.trim()));
    }
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn random_bytes_are_survived(rules in any_variant(), bytes in vec(any::<u8>(), 0..60)) {
        on_board!(rules, bytes_survive(&bytes));
    }

    #[test]
    fn random_meaningful_characters_are_survived(
        rules in any_variant(),
        text in vec(meaningful(), 0..40),
    ) {
        on_board!(rules, survives(&text.into_iter().collect::<String>()));
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn damaged_texts_are_survived(
        rules in any_variant(),
        pieces in pieces(10),
        steps in steps(),
        changes in vec((any::<Index>(), any::<u8>(), meaningful()), 1..4),
    ) {
        on_board!(rules, mutated_survives(&pieces, &steps, &changes));
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn captures_through_lattices_read_back(
        rules in any_variant(),
        at_once: bool,
        king: Index,
        victims in vec(any::<(Index, bool)>(), 4..18),
    ) {
        let rules = if at_once && rules.option_value("uturn").is_some() {
            with_options(rules, &["removal=once", "uturn=yes"])
        } else {
            *rules
        };
        on_board!(&rules, lattice_reads_back(&king, &victims));
    }
}

/// Captures by many kings among many pieces are rare at random: these have several routes.
#[test]
fn captures_with_many_routes_read_back() {
    for (name, fen) in [
        ("russian", "W:WK11:BK7,K16"),
        ("thai", "W:WK11:BK7,K16"),
        ("russian", "B:W6,7,K10,K24,26:BK2"),
        ("thai", "B:W6,7,K10,K24,26:BK2"),
        ("brazilian", "W:WK5:B6,7,K9,24"),
        ("italian", "W:WK30:B10,K12,K18,20,K26,K27"),
        ("spanish", "W:WK29:B25,18,10,11,19,26,27"),
        (
            "russian",
            "B:W17,18,19,21,25,26,27,28,29,30,32:B1,2,3,4,5,6,8,9,10,12,15",
        ),
        ("thai", "W:WK29:BK25,18,10,11,19,26,27,14,15,22"),
    ] {
        let rules = variant::by_name(name).expect("a variant");
        let position = fen::parse::<u32>(rules, fen).expect("a FEN");
        moves_round_trip(rules, &position);
    }
    for fen in [
        "W:WK47:B14,19,27,29,42",
        "W:WK41,49:B9,10,12,19,38",
        "W:WK46:B41,31,32,21,22,23,11,12,13,14,33,34",
    ] {
        for rules in [&variant::INTERNATIONAL, &variant::KILLER] {
            let position = fen::parse::<u64>(rules, fen).expect("a FEN");
            moves_round_trip(rules, &position);
        }
    }
}

/// Lone kings among so many pieces that their routes are countless: what is written reads back all the
/// same, and what is a path cannot be looked up.
#[test]
fn captures_with_countless_routes_are_written_by_their_pieces() {
    const VICTIMS: [&str; 20] = [
        "K24", "46", "K35", "8", "K60", "K12", "K48", "K34", "K57", "58", "K22", "56", "33", "10",
        "K11", "K9", "20", "K36", "K32", "K45",
    ];
    for (priority, victims) in [("max", 20), ("max_kings", 20), ("none", 18)] {
        let rules = with_options(
            &variant::CANADIAN,
            &["removal=once", "uturn=yes", &format!("priority={priority}")],
        );
        let fen = format!("W:WK19:B{}", VICTIMS[..victims].join(","));
        let position = fen::parse::<u128>(&rules, &fen).expect("a FEN");
        assert_eq!(
            rules.legal_routes_up_to(&position, pdn_move::MAX_ROUTES),
            None
        );
        let moves = rules.legal_moves(&position);
        let texts = pdn_move::write_moves(&rules, &position, &moves);
        // The first and the last few: each is read among all of them.
        for index in (0..4).chain(moves.len() - 4..moves.len()) {
            let (text, mv) = (&texts[index], moves[index]);
            let ends = |other: &&Move<u128>| (other.from, other.to) == (mv.from, mv.to);
            let squares = match moves.iter().filter(ends).count() {
                1 => 2,
                _ => 2 + mv.captured.squares().count(),
            };
            assert_eq!(text.split('x').count(), squares, "{text}");
            assert_eq!(
                pdn_move::parse_move(&rules, &position, text),
                Ok(mv),
                "{text}"
            );
        }
        let ends = texts[0].split('x').take(2).collect::<Vec<&str>>();
        for squares in [1, 20, 200_000] {
            let path = format!("{}x{}{}", ends[0], "41x".repeat(squares), ends[1]);
            let refused = pdn_move::parse_move(&rules, &position, &path).expect_err("a path");
            assert!(
                matches!(refused, MoveError::TooManyRoutes { .. }),
                "{refused}"
            );
        }
    }
}

/// The variant with these house options.
fn with_options(base: &RuleSet, options: &[&str]) -> RuleSet {
    let mut rules = *base;
    for option in options {
        rules = rules.with_option(option).expect("an option");
    }
    rules
}

/// Whoever begins by the game type, by the rules and in the game, the game reads back as it was.
#[test]
fn games_read_back_whoever_begins() {
    fn check<B: Board>(rules: &RuleSet, side: Color) {
        let start = Position::<B>::start(rules).with_side(side);
        let first = rules.legal_moves(&start)[0];
        let second = rules.legal_moves(&start.make(&first))[0];
        for moves in [vec![], vec![first, second]] {
            let game = pdn::Game::new(start, moves);
            let text = pdn::write(rules, &game).expect("a legal game");
            assert_eq!(pdn::parse(rules, &text), Ok(vec![game]), "{text}");
            // Other programs go by the game type alone.
            let named = rules.notation.game_type.split(',').nth(1) == Some("W");
            assert_eq!(text.contains("[FEN "), named != side.is_white(), "{text}");
        }
    }
    for base in variant::ALL {
        for first in ["first=white", "first=black"] {
            let rules = with_options(base, &[first]);
            for side in [Color::White, Color::Black] {
                on_board!(&rules, check(side));
            }
        }
    }
}

/// Time grows with the number of tags, not with its square: that would be minutes here.
#[test]
fn many_tags_are_read_and_written_in_time() {
    let rules = &variant::INTERNATIONAL;
    let text: String = (0..200_000).map(|n| format!("[T{n} \"\"]\n")).collect();
    let began = Instant::now();
    let games = pdn::parse::<u64>(rules, &(text.clone() + &text + "*")).expect("a game");
    assert_eq!(games[0].tags.len(), 200_000);
    let written = pdn::write(rules, &games[0]).expect("a game that was read");
    assert_eq!(pdn::parse(rules, &written), Ok(games));
    assert!(began.elapsed() < Duration::from_secs(20), "quadratic");
    let refused = pdn::parse::<u64>(rules, &(text + "[T199999 \"x\"] *"));
    assert!(refused.is_err_and(|error| error.line == 200_001));
}

/// Every variant whose squares have letters also reads its FEN tags with board numbers.
#[test]
fn numbers_are_read_where_letters_are_written() {
    for rules in variant::ALL {
        if rules.notation.squares != SquareNames::Algebraic {
            continue;
        }
        let start = Position::<u32>::start(rules);
        let text = fen::write(rules, &start);
        assert_eq!(fen::parse_named(rules, Naming::Pdn, &text), Ok(start));
        assert!(fen::write_named(rules, Naming::Pdn, &start).starts_with("W:Wa1,a3,"));
    }
}

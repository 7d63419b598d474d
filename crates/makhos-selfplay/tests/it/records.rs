//! Records of games: what cannot be is refused.

use makhos_rules::draw::{DrawRules, official};
use makhos_rules::game::Game;
use makhos_rules::variant::{INTERNATIONAL, RUSSIAN};
use makhos_rules::{Board, Color};
use makhos_selfplay::games::{
    DrawnBy, Ending, GameParts, GameRecord, GameResult, Ply, RecordError,
};

fn parts(fen: &str, indices: &[u32], result: GameResult, ending: Ending) -> GameParts<u32> {
    let ply = |&index| Ply { index, score: None };
    GameParts {
        number: 0,
        start: makhos_rules::notation::fen::parse(&RUSSIAN, fen).expect("a position"),
        plies: indices.iter().map(ply).collect(),
        opening: 0,
        balanced: true,
        result,
        ending,
    }
}

#[test]
fn games_that_cannot_be_are_refused() {
    let refused = |parts| GameRecord::new(RUSSIAN, parts).expect_err("refused");
    let (white, black, draw) = (GameResult::White, GameResult::Black, GameResult::Draw);
    // White takes the last man.
    let taken = |result, ending| parts("W:W22:B18", &[0], result, ending);
    let game = GameRecord::new(RUSSIAN, taken(white, Ending::NoMove)).expect("a game");
    assert!(game.last_position().pieces(Color::Black).is_empty());
    game.check_ending(&official::of(&RUSSIAN))
        .expect("nothing drew it");
    assert!(matches!(
        refused(taken(black, Ending::NoMove)),
        RecordError::Ending(_)
    ));
    assert!(matches!(
        refused(taken(draw, Ending::PlyLimit)),
        RecordError::Ending(_)
    ));
    assert!(matches!(
        refused(taken(white, Ending::Tables)),
        RecordError::Ending(_)
    ));
    let goes_on = |result, ending| parts("W:WK1:BK4", &[0], result, ending);
    assert!(matches!(
        refused(goes_on(white, Ending::NoMove)),
        RecordError::Ending(_)
    ));
    let repetition = Ending::Drawn(DrawnBy::Repetition);
    assert!(matches!(
        refused(goes_on(white, repetition)),
        RecordError::Ending(_)
    ));
    let game = GameRecord::new(RUSSIAN, goes_on(draw, repetition)).expect("possible");
    let official = official::of(&RUSSIAN);
    assert!(
        game.check_ending(&official).is_err(),
        "nothing was repeated"
    );
    let mut wrong = goes_on(draw, Ending::PlyLimit);
    wrong.plies[0].index = 99;
    let moves = RUSSIAN.legal_moves(&wrong.start).len();
    let expected = RecordError::Move {
        ply: 0,
        index: 99,
        moves,
    };
    assert_eq!(refused(wrong.clone()), expected);
    wrong.opening = 2;
    assert!(matches!(
        refused(wrong.clone()),
        RecordError::Opening { .. }
    ));
    wrong.opening = 1;
    wrong.plies[0] = Ply {
        index: 0,
        score: Some(1),
    };
    assert_eq!(refused(wrong), RecordError::OpeningScore(0));
    let other = GameRecord::<u32>::read(INTERNATIONAL, 0, &[]);
    assert!(matches!(other, Err(RecordError::OtherBoard { .. })));
}

#[test]
fn a_claimable_repetition_ends_a_game() {
    // Two kings on the long sides of an empty board, each back and forth.
    let draws = DrawRules {
        clocks: Vec::new(),
        ..official::of(&RUSSIAN)
    };
    let start = makhos_rules::notation::fen::parse::<u32>(&RUSSIAN, "W:WK30,K31:BK4,K3");
    let start = start.expect("a position");
    let mut game = Game::new(RUSSIAN, draws.clone(), start);
    let mut made = parts(
        "W:WK30,K31:BK4,K3",
        &[],
        GameResult::Draw,
        Ending::Drawn(DrawnBy::Repetition),
    );
    let mut back: [Option<makhos_rules::Move<u32>>; 2] = [None; 2];
    while game.draw().is_none() {
        let mut moves = RUSSIAN.legal_moves(game.position());
        moves.sort_unstable();
        let side = usize::from(game.position().side() == Color::Black);
        let quiet = |mv: &makhos_rules::Move<u32>| !RUSSIAN.has_capture(&game.position().make(mv));
        let index = match back[side] {
            Some(last) => moves
                .iter()
                .position(|mv| mv.from == last.to && mv.to == last.from),
            None => moves.iter().position(quiet),
        };
        let index = index.expect("a move");
        back[side] = Some(moves[index]);
        game.play(&moves[index]).expect("legal");
        made.plies.push(Ply {
            index: index as u32,
            score: None,
        });
    }
    assert_eq!(made.plies.len(), 8, "the third time is after eight plies");
    let record = GameRecord::new(RUSSIAN, made.clone()).expect("a game");
    record.check_ending(&draws).expect("drawn by repetition");
    made.plies.pop();
    let record = GameRecord::new(RUSSIAN, made).expect("a game");
    assert!(record.check_ending(&draws).is_err());
}

//! Drawing rules in the search.

use makhos_rules::draw::{Counters, DrawRules, official};
use makhos_rules::game::Game;
use makhos_rules::notation::hub::parse_move;
use makhos_rules::variant::{ENGLISH, RUSSIAN};

use super::{game, searcher};
use crate::score::Score;
use crate::search::{Limits, Line, Switches};

/// White wins in 3 plies here: the lone king must take a piece and is taken.
const WIN_IN_THREE: &str = "W:WK32,K10:BK1";

fn with_left(left: u16) -> Game<u32> {
    let draws = official::of(&RUSSIAN);
    let position = *game::<u32>(&RUSSIAN, &draws, WIN_IN_THREE).position();
    let counters = Counters {
        left: Some(left),
        road: 0,
    };
    Game::with_counters(RUSSIAN, draws, position, counters)
}

#[test]
fn a_win_on_the_last_ply_counts_and_one_after_it_does_not() {
    let mut searcher = searcher::<u32>(&RUSSIAN, &official::of(&RUSSIAN), Switches::default());
    let limits = Limits::depth(7);
    let won = searcher.search(&with_left(10), &limits).score;
    let plies = won.plies().expect("a forced win") as u16;
    assert!(won.is_win() && plies >= 3, "{won}");
    // The table remembers the position with other counters, in either order.
    for left in [plies, plies - 1, plies, plies + 1, plies - 1] {
        let score = searcher.search(&with_left(left), &limits).score;
        let expected = if left >= plies { won } else { Score::DRAW };
        assert_eq!(score, expected, "{left} plies left");
    }
}

#[test]
fn no_drawing_rules_no_draw_by_counting() {
    let none = DrawRules::default();
    let mut searcher = searcher::<u32>(&RUSSIAN, &official::of(&RUSSIAN), Switches::default());
    let game = game::<u32>(&RUSSIAN, &none, WIN_IN_THREE);
    let report = searcher.search(&game, &Limits::depth(7));
    assert!(report.score.plies().is_some() && report.score.is_win());
    assert_eq!(searcher.draw_rules(), &none, "those of the game hold");
}

/// A king walks to and fro twice, so that one more time is a draw.
#[test]
fn what_has_occurred_twice_before_is_a_draw() {
    let draws = official::of(&ENGLISH);
    let start = game::<u32>(&ENGLISH, &draws, "W:WK32:BK1,K2");
    let mut line = Line::new(start);
    for text in [
        "32-28", "2-7", "28-32", "7-2", "32-28", "2-7", "28-32", "7-2",
    ] {
        let mv = parse_move(&ENGLISH, line.game().position(), text).expect("a move");
        line.play(&mv).expect("the game goes on");
    }
    assert_eq!(line.earlier().len(), 8);
    let mut searcher = searcher::<u32>(&ENGLISH, &draws, Switches::default());
    // A king behind, White is content with a draw at once.
    let with_past = searcher.search_line(&line, &Limits::depth(3));
    assert_eq!(with_past.score, Score::DRAW);
    // The game alone tells as much of the next move.
    searcher.new_game();
    assert_eq!(
        searcher.search(line.game(), &Limits::depth(3)).score,
        Score::DRAW
    );
    searcher.new_game();
    let fresh = Line::new(game::<u32>(&ENGLISH, &draws, "W:WK32:BK1,K2"));
    assert!(searcher.search_line(&fresh, &Limits::depth(3)).score < Score::DRAW);
    // Without the rule the past means nothing.
    let mut none = draws.clone();
    none.repetition = None;
    let mut line_without = Line::new(game::<u32>(&ENGLISH, &none, "W:WK32:BK1,K2"));
    for text in [
        "32-28", "2-7", "28-32", "7-2", "32-28", "2-7", "28-32", "7-2",
    ] {
        let mv = parse_move(&ENGLISH, line_without.game().position(), text).expect("a move");
        line_without.play(&mv).expect("the game goes on");
    }
    let report = searcher.search_line(&line_without, &Limits::depth(3));
    assert!(report.score < Score::DRAW);
}

#[test]
fn a_capture_clears_the_past() {
    let draws = official::of(&ENGLISH);
    let mut line = Line::new(game::<u32>(&ENGLISH, &draws, "W:WK32,22:BK1,18"));
    let mv = parse_move(&ENGLISH, line.game().position(), "22x15").expect("a move");
    line.play(&mv).expect("the game goes on");
    assert!(line.earlier().is_empty());
}

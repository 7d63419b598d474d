//! Writes a game as PDN.

use std::collections::HashSet;

use super::MAX_DEPTH;
use super::error::WriteError;
use super::game::{
    Game, GameResult, Line, Notes, Ply, ROSTER, first_half_move, is_derived, move_number, plain,
    rank,
};
use super::game_type;
use crate::board::Board;
use crate::notation::{Naming, check_board, fen, pdn_move};
use crate::position::Position;
use crate::rules::RuleSet;

/// Longest line, in characters.
const COLUMNS: usize = 80;

/// A game as a text: the tags, an empty line, and the moves with their result. Put an empty line
/// between the texts of two games.
///
/// A line end in the value of a tag is written as a space.
///
/// # Errors
/// [`WriteError`] if the text could not be read again, above all because a move is not legal.
pub fn write<B: Board>(rules: &RuleSet, game: &Game<B>) -> Result<String, WriteError> {
    check_board::<B>(rules)?;
    let mut text = String::new();
    write_tags(rules, game, &mut text)?;
    text.push('\n');
    let mut words = Words::default();
    let half_move = first_half_move(rules, &game.start);
    write_line(rules, game.start, half_move, &game.line, 0, &mut words)?;
    words.push(result_text(rules, game.result).to_owned());
    text.push_str(&words.wrapped());
    Ok(text)
}

/// The International family, on larger boards, counts a win as two points.
fn result_text(rules: &RuleSet, result: GameResult) -> &'static str {
    result.text(rules.board.rows() > 8)
}

fn write_tags<B: Board>(
    rules: &RuleSet,
    game: &Game<B>,
    text: &mut String,
) -> Result<(), WriteError> {
    for (name, unknown) in ROSTER {
        let value = match (name, game.tag(name)) {
            ("Result", Some(value)) if GameResult::from_text(value.trim()).is_none() => value,
            ("Result", _) => result_text(rules, game.result),
            (_, Some("") | None) => unknown,
            (_, Some(value)) => value,
        };
        write_tag(name, value, text);
    }
    write_tag("GameType", rules.notation.game_type, text);
    if game.start != game_type::start(rules, rules.notation.game_type) {
        write_tag("SetUp", "1", text);
        let fen = fen::write_named(rules, Naming::Pdn, &game.start);
        write_tag("FEN", &fen, text);
    }
    let mut known = HashSet::new();
    for tag in &game.tags {
        let name = &tag.name;
        let mut characters = name.chars();
        let readable = characters
            .next()
            .is_some_and(|next| next.is_ascii_alphabetic())
            && characters.all(|next| next.is_ascii_alphanumeric() || next == '_');
        if !readable {
            return Err(WriteError::TagName { name: name.clone() });
        }
        // Of two tags with one name the first counts, as in `Game::tag`.
        let repeated = !known.insert(name);
        if rank(name) == ROSTER.len() && !is_derived(name) && !repeated {
            write_tag(name, &tag.value, text);
        }
    }
    Ok(())
}

fn write_tag(name: &str, value: &str, text: &mut String) {
    text.push('[');
    text.push_str(name);
    text.push_str(" \"");
    for character in value.chars() {
        match character {
            '"' | '\\' => text.extend(['\\', character]),
            '\r' | '\n' => text.push(' '),
            _ => text.push(character),
        }
    }
    text.push_str("\"]\n");
}

fn write_line<B: Board>(
    rules: &RuleSet,
    mut position: Position<B>,
    mut half_move: usize,
    line: &Line<B>,
    depth: usize,
    words: &mut Words,
) -> Result<(), WriteError> {
    if depth > MAX_DEPTH {
        return Err(WriteError::TooDeep);
    }
    write_notes(&line.notes, words);
    let mut interrupted = true;
    for ply in &line.plies {
        if interrupted || half_move.is_multiple_of(2) {
            words.push(move_number(half_move));
        }
        let next = write_ply(rules, &position, half_move, ply, words)?;
        for variation in &ply.variations {
            if is_empty(variation) {
                continue;
            }
            words.open();
            write_line(rules, position, half_move, variation, depth + 1, words)?;
            words.close();
        }
        interrupted = ply.notes != Notes::default() || !ply.variations.is_empty();
        position = next;
        half_move += 1;
    }
    Ok(())
}

/// Whether nothing would be written for a line.
fn is_empty<B>(line: &Line<B>) -> bool {
    line.plies.is_empty()
        && line.notes.nags.is_empty()
        && line
            .notes
            .comments
            .iter()
            .all(|comment| plain(comment).is_empty())
}

/// Writes a move with its strength and remarks, and gives the position after it.
fn write_ply<B: Board>(
    rules: &RuleSet,
    position: &Position<B>,
    half_move: usize,
    ply: &Ply<B>,
    words: &mut Words,
) -> Result<Position<B>, WriteError> {
    let next = rules
        .play(position, &ply.mv)
        .map_err(|_| WriteError::IllegalMove {
            number: move_number(half_move),
            from: ply.mv.from.index(),
            to: ply.mv.to.index(),
        })?;
    if !ply.strength.chars().all(|next| "!?".contains(next)) {
        return Err(WriteError::Strength {
            number: move_number(half_move),
            strength: ply.strength.clone(),
        });
    }
    let mv = pdn_move::write_move(rules, position, &ply.mv);
    words.push(format!("{mv}{}", ply.strength));
    write_notes(&ply.notes, words);
    Ok(next)
}

fn write_notes(notes: &Notes, words: &mut Words) {
    for nag in &notes.nags {
        words.push(format!("${nag}"));
    }
    for comment in &notes.comments {
        words.comment(&plain(comment));
    }
}

/// The words of the moves section, not yet broken into lines.
#[derive(Default)]
struct Words {
    words: Vec<Word>,
    /// Brackets to be written before the next word.
    opened: String,
}

struct Word {
    text: String,
    /// Nothing may follow it on its line.
    ends_line: bool,
}

impl Words {
    fn push(&mut self, text: String) {
        self.push_word(text, false);
    }

    fn push_word(&mut self, text: String, ends_line: bool) {
        let text = std::mem::take(&mut self.opened) + &text;
        self.words.push(Word { text, ends_line });
    }

    fn open(&mut self) {
        self.opened.push('(');
    }

    fn close(&mut self) {
        match self.words.last_mut() {
            Some(word) if !word.ends_line && self.opened.is_empty() => word.text.push(')'),
            _ => self.push(")".to_owned()),
        }
    }

    fn comment(&mut self, comment: &str) {
        if comment.is_empty() {
            return;
        }
        if comment.contains('}') {
            self.push_word(format!("; {comment}"), true);
            return;
        }
        for (count, word) in format!("{{{comment}}}").split(' ').enumerate() {
            // Many programs skip a line that begins with `%`, so such a word never begins one.
            match self.words.last_mut() {
                Some(last) if count > 0 && word.starts_with('%') => {
                    last.text.push(' ');
                    last.text.push_str(word);
                }
                _ => self.push(word.to_owned()),
            }
        }
    }

    /// The words in lines that are as long as possible, the last one ended.
    fn wrapped(&self) -> String {
        let mut text = String::new();
        let mut column = 0;
        for word in &self.words {
            let width = word.text.chars().count();
            if column > 0 && column + 1 + width > COLUMNS {
                text.push('\n');
                column = 0;
            }
            if column > 0 {
                text.push(' ');
                column += 1;
            }
            text.push_str(&word.text);
            column += width;
            if word.ends_line {
                text.push('\n');
                column = 0;
            }
        }
        if column > 0 {
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::pdn::parse;
    use crate::rules::Color;
    use crate::variant::{ENGLISH, INTERNATIONAL, RUSSIAN, THAI};

    #[test]
    fn the_exact_form() {
        let text = "[Black \"b\"] [Annotator \"c\\\\d\"] [Result \"1-0\"]\
            1. c3-d4 (g3-f4 {so} d6-e5 1. f4:d6) d6-c5 2. b2-c3?! c5-b4 {brace}\n;}\n a3:c5 c7-d6 $9 *";
        let games = parse::<u32>(&RUSSIAN, text).expect("a game");
        let expected = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n\
            [White \"?\"]\n[Black \"b\"]\n[Result \"1-0\"]\n[GameType \"25,W,8,8,A0,0\"]\n\
            [Annotator \"c\\\\d\"]\n\n\
            1. c3-d4 (1. g3-f4 {so} 1... d6-e5 2. f4:d6) 1... d6-c5 2. b2-c3?! c5-b4 {brace}\n\
            ; }\n3. a3:c5 c7-d6 $9 1-0\n";
        assert_eq!(write(&RUSSIAN, &games[0]).as_deref(), Ok(expected));
        assert_eq!(parse(&RUSSIAN, expected), Ok(games));
    }

    #[test]
    fn lines_are_short() {
        let mut game = Game::<u64>::new(Position::start(&INTERNATIONAL), []);
        let words: Vec<String> = (0..200)
            .map(|n| format!("%{}", "é".repeat(n % 7)))
            .collect();
        game.line.notes.comments = vec!["ab ".repeat(500), format!("x {}", words[..9].join(" "))];
        let text = write(&INTERNATIONAL, &game).expect("nothing wrong");
        for line in text.lines() {
            assert!(
                line.chars().count() <= COLUMNS && !line.starts_with('%'),
                "{line}"
            );
        }
        assert_eq!(
            parse::<u64>(&INTERNATIONAL, &text).expect("PDN")[0]
                .line
                .notes
                .comments[0]
                .len(),
            3 * 500 - 1
        );
    }

    #[test]
    fn a_start_that_the_game_type_does_not_imply_is_set_up() {
        let thai = |side| {
            let start = Position::<u32>::start(&THAI).with_side(side);
            write(&THAI, &Game::new(start, [THAI.legal_moves(&start)[0]])).expect("a legal game")
        };
        // Black begins in the standard's Thai draughts.
        let black = thai(Color::Black);
        assert!(black.contains("[GameType \"31,B,8,8,N2,0\"]\n\n1. "));
        let white = thai(Color::White);
        assert!(white.contains(
            "[GameType \"31,B,8,8,N2,0\"]\n[SetUp \"1\"]\n\
             [FEN \"W:W1,2,3,4,5,6,7,8:B25,26,27,28,29,30,31,32\"]\n\n1. "
        ));
    }

    #[test]
    fn what_could_not_be_read_again_is_refused() {
        let start = Position::<u32>::start(&ENGLISH);
        let mv = ENGLISH.legal_moves(&start)[0];
        // The same move twice: the second time its piece is gone.
        let twice = write(&ENGLISH, &Game::new(start, [mv, mv]));
        assert!(matches!(twice, Err(WriteError::IllegalMove { number, .. }) if number == "1..."));
        let mut game = Game::new(start, [mv]);
        game.set_tag("a b", "");
        assert!(matches!(
            write(&ENGLISH, &game),
            Err(WriteError::TagName { .. })
        ));
        let mut game = Game::new(start, [mv]);
        game.line.plies[0].strength = "+".to_owned();
        assert!(matches!(
            write(&ENGLISH, &game),
            Err(WriteError::Strength { .. })
        ));
        let mut line = Line::default();
        for _ in 0..MAX_DEPTH + 2 {
            let mut ply = Ply::new(mv);
            ply.variations = vec![line];
            line = Line {
                notes: Notes::default(),
                plies: vec![ply],
            };
        }
        let mut game = Game::new(start, []);
        game.line = line;
        assert_eq!(write(&ENGLISH, &game), Err(WriteError::TooDeep));
    }
}

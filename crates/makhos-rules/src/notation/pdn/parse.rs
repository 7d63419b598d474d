//! Reads games out of tokens.

use std::borrow::Cow;
use std::collections::HashMap;

use super::MAX_DEPTH;
use super::error::{PdnError, PdnErrorKind};
use super::game::{
    Game, GameResult, Line, Notes, Ply, Tag, first_half_move, is_derived, is_unknown, move_number,
    rank,
};
use super::game_type;
use super::lexer::{Lexer, Place, Token};
use crate::board::Board;
use crate::notation::{Naming, check_board, fen, pdn_move};
use crate::position::Position;
use crate::rules::RuleSet;

/// The games of a text, in their order.
///
/// Comments behind the last result belong to the last game, others between games to the one they
/// precede. A text of comments only has no game.
///
/// # Errors
/// [`PdnError`] names the first place that is wrong, in whichever game.
pub fn parse<B: Board>(rules: &RuleSet, text: &str) -> Result<Vec<Game<B>>, PdnError> {
    let mut parser = Parser {
        rules,
        lexer: Lexer::new(text),
        returned: None,
    };
    check_board::<B>(rules).map_err(|error| parser.lexer.place().error(error))?;
    parser.games()
}

/// The games of a text in UTF-8 or, if it is not UTF-8, in Latin-1.
///
/// # Errors
/// As [`parse`].
pub fn parse_bytes<B: Board>(rules: &RuleSet, bytes: &[u8]) -> Result<Vec<Game<B>>, PdnError> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    };
    parse(rules, &text)
}

struct Parser<'a> {
    rules: &'a RuleSet,
    lexer: Lexer<'a>,
    /// A token that was taken and not used.
    returned: Option<(Token, Place)>,
}

impl Parser<'_> {
    fn take(&mut self) -> Result<Option<(Token, Place)>, PdnError> {
        match self.returned.take() {
            Some(token) => Ok(Some(token)),
            None => self.lexer.next_token(),
        }
    }

    fn games<B: Board>(&mut self) -> Result<Vec<Game<B>>, PdnError> {
        let mut games: Vec<Game<B>> = Vec::new();
        loop {
            let header = self.header()?;
            let next = self.take()?;
            if next.is_none() && !header.has_tags() {
                if let Some(game) = games.last_mut() {
                    last_notes(&mut game.line).comments.extend(header.comments);
                }
                return Ok(games);
            }
            self.returned = next;
            games.push(self.game(header)?);
        }
    }

    /// Reads tags, and comments before and between them.
    fn header(&mut self) -> Result<Header, PdnError> {
        let mut header = Header::default();
        while let Some((token, place)) = self.take()? {
            match token {
                Token::Tag(name, value, value_place) => {
                    header.add(Tag { name, value }, place, value_place)?;
                }
                Token::Comment(comment) => header.comments.push(comment),
                // Behind a result, `*` separates two games.
                Token::Result(GameResult::Unknown, _) if !header.has_tags() => {}
                other => {
                    self.returned = Some((other, place));
                    break;
                }
            }
        }
        Ok(header)
    }

    fn game<B: Board>(&mut self, header: Header) -> Result<Game<B>, PdnError> {
        let start = header.start(self.rules)?;
        let mut line = self.line(start, first_half_move(self.rules, &start), 0)?;
        let end = match self.take()? {
            Some((Token::Result(result, _), place)) => Some((result, place)),
            other => {
                self.returned = other;
                None
            }
        };
        let result = header.result(end)?;
        let (tags, comments) = header.into_kept();
        line.notes.comments.splice(0..0, comments);
        Ok(Game {
            tags,
            start,
            line,
            result,
        })
    }

    /// Reads moves from `position` up to the end of the game or variation, whose end is left.
    fn line<B: Board>(
        &mut self,
        mut position: Position<B>,
        mut half_move: usize,
        depth: usize,
    ) -> Result<Line<B>, PdnError> {
        let mut line = Line::default();
        let mut before = position;
        while let Some((token, place)) = self.take()? {
            match token {
                Token::Word(word) => {
                    let ply = self.ply(&position, half_move, &word, place)?;
                    before = position;
                    position = position.make(&ply.mv);
                    half_move += 1;
                    line.plies.push(ply);
                }
                Token::Strength(strength) => match line.plies.last_mut() {
                    Some(ply) => ply.strength.push_str(&strength),
                    None => return Err(place.error(PdnErrorKind::NothingToRate)),
                },
                Token::Nag(nag) => last_notes(&mut line).nags.push(nag),
                Token::Comment(comment) => last_notes(&mut line).comments.push(comment),
                Token::Open => {
                    let Some(ply) = line.plies.last_mut() else {
                        return Err(place.error(PdnErrorKind::NothingToReplace));
                    };
                    let variation = self.variation(before, half_move - 1, depth + 1, place)?;
                    ply.variations.extend(variation);
                }
                Token::Result(result, text) if depth > 0 => {
                    if result != GameResult::Unknown {
                        last_notes(&mut line).comments.push(text);
                    }
                }
                Token::Close if depth == 0 => {
                    return Err(place.error(PdnErrorKind::UnmatchedClose));
                }
                end @ (Token::Close | Token::Result(..) | Token::Tag(..)) => {
                    self.returned = Some((end, place));
                    break;
                }
            }
        }
        Ok(line)
    }

    fn ply<B: Board>(
        &self,
        position: &Position<B>,
        half_move: usize,
        word: &str,
        place: Place,
    ) -> Result<Ply<B>, PdnError> {
        pdn_move::parse_move(self.rules, position, word)
            .map(Ply::new)
            .map_err(|source| {
                place.error(PdnErrorKind::Move {
                    number: move_number(half_move),
                    source,
                })
            })
    }

    /// Reads a variation behind its `(` at `place`; none if nothing is in it.
    fn variation<B: Board>(
        &mut self,
        position: Position<B>,
        half_move: usize,
        depth: usize,
        place: Place,
    ) -> Result<Option<Line<B>>, PdnError> {
        if depth > MAX_DEPTH {
            return Err(place.error(PdnErrorKind::TooDeep));
        }
        let line = self.line(position, half_move, depth)?;
        match self.take()? {
            Some((Token::Close, _)) => Ok((line != Line::default()).then_some(line)),
            _ => Err(place.error(PdnErrorKind::OpenVariation)),
        }
    }
}

/// The remarks that a remark at the end of `line` belongs to.
fn last_notes<B>(line: &mut Line<B>) -> &mut Notes {
    match line.plies.last_mut() {
        Some(ply) => &mut ply.notes,
        None => &mut line.notes,
    }
}

/// What precedes the moves of a game.
#[derive(Default)]
struct Header {
    /// Each with the place of its value.
    tags: Vec<(Tag, Place)>,
    /// Where in `tags` each name is.
    index: HashMap<String, usize>,
    comments: Vec<String>,
}

impl Header {
    fn has_tags(&self) -> bool {
        !self.tags.is_empty()
    }

    fn add(&mut self, tag: Tag, place: Place, value_place: Place) -> Result<(), PdnError> {
        match self.index.get(&tag.name) {
            None => {
                self.index.insert(tag.name.clone(), self.tags.len());
                self.tags.push((tag, value_place));
            }
            Some(&known) if self.tags[known].0 == tag => {}
            Some(_) => return Err(place.error(PdnErrorKind::SecondTag { name: tag.name })),
        }
        Ok(())
    }

    /// The value of a tag, unless it says that it is not known, and its place.
    fn value(&self, name: &str) -> Option<(&str, Place)> {
        let (tag, place) = &self.tags[*self.index.get(name)?];
        let value = tag.value.trim();
        (!["", "?"].contains(&value)).then_some((value, *place))
    }

    fn start<B: Board>(&self, rules: &RuleSet) -> Result<Position<B>, PdnError> {
        let game_type = self.value("GameType");
        if let Some((value, place)) = game_type {
            game_type::check(rules, value).map_err(|error| place.error(error))?;
        }
        if let Some((value, place)) = self.value("FEN") {
            return fen::parse_named(rules, Naming::Pdn, value).map_err(|error| place.error(error));
        }
        match self.value("SetUp") {
            Some(("1", place)) => Err(place.error(PdnErrorKind::NoFen)),
            _ => Ok(game_type::start(
                rules,
                game_type.map_or("", |(value, _)| value),
            )),
        }
    }

    /// The result in the tags, if it is one.
    fn tagged_result(&self) -> Option<GameResult> {
        let (value, _) = self.value("Result")?;
        GameResult::from_text(value)
    }

    fn result(&self, end: Option<(GameResult, Place)>) -> Result<GameResult, PdnError> {
        let tagged = self.tagged_result().unwrap_or(GameResult::Unknown);
        match end {
            None | Some((GameResult::Unknown, _)) => Ok(tagged),
            Some((end, _)) if tagged == GameResult::Unknown || tagged == end => Ok(end),
            Some((end, place)) => Err(place.error(PdnErrorKind::Results {
                end: end.text(false),
                tag: tagged.text(false).to_owned(),
            })),
        }
    }

    /// The tags and comments that belong to the game itself.
    fn into_kept(self) -> (Vec<Tag>, Vec<String>) {
        let result_is_known = self.tagged_result().is_some();
        let mut tags: Vec<Tag> = self
            .tags
            .into_iter()
            .map(|(tag, _)| tag)
            .filter(|tag| !is_derived(&tag.name) && !is_unknown(tag))
            .filter(|tag| !(result_is_known && tag.name == "Result"))
            .collect();
        tags.sort_by_key(|tag| rank(&tag.name));
        (tags, self.comments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::hub;
    use crate::notation::pdn::write;
    use crate::rules::Color;
    use crate::variant::{ENGLISH, INTERNATIONAL, RUSSIAN, THAI};

    fn games(text: &str) -> Vec<Game<u64>> {
        match parse(&INTERNATIONAL, text) {
            Ok(games) => games,
            Err(error) => panic!("{error}"),
        }
    }

    /// The moves of a line as texts, variations in brackets.
    fn outline(line: &Line<u64>) -> String {
        let mut text = String::new();
        for ply in &line.plies {
            text.push_str(&hub::write_move(&INTERNATIONAL, &ply.mv));
            text.push(' ');
            for variation in &ply.variations {
                text.push_str(&format!("({}) ", outline(variation).trim_end()));
            }
        }
        text
    }

    fn refuse(text: &str) -> String {
        parse::<u64>(&INTERNATIONAL, text)
            .expect_err("not PDN")
            .to_string()
    }

    #[test]
    fn a_game_with_everything() {
        let text = "\u{feff}{file}\r\n[Event \"Cup \\\"A\\\"\"]\r\n[GameType \"20\"]\r\n[Round \"?\"]\r\n\
            [Result \"2-0\"]\r\n\r\n$3 {before} 1. 32-28! {good} 19-23 $5 (18-23? {loses} 2. 38-32 \
            (37-32 2-0)) 2.28x19 14x23 ; the end\r\n%escaped\r\n2-0 {resigned}";
        let [game] = &games(text)[..] else {
            panic!("one game")
        };
        assert_eq!(game.tag("Event"), Some("Cup \"A\""));
        assert_eq!(game.tags.len(), 1);
        assert_eq!(game.result, GameResult::WhiteWins);
        assert_eq!(game.line.notes.nags, [3]);
        assert_eq!(game.line.notes.comments, ["file", "before"]);
        assert_eq!(
            outline(&game.line),
            "32-28 19-23 (18-23 38-32 (37-32) ) 28x19x23 14x23x19 ".replace(") )", "))")
        );
        let plies = &game.line.plies;
        assert_eq!(plies[0].strength, "!");
        assert_eq!(plies[1].variations[0].plies[0].strength, "?");
        assert_eq!(plies[3].notes.comments, ["the end", "resigned"]);
        let inner = &plies[1].variations[0].plies[1].variations[0];
        assert_eq!(inner.plies[0].notes.comments, ["2-0"]);
    }

    #[test]
    fn several_games_with_and_without_results() {
        let two = games("1. 32-28 2-0 * * [Event \"x\"] 1. 33-28 [Event \"y\"]\n0-0");
        assert_eq!(two.len(), 3);
        assert_eq!(two[0].result, GameResult::WhiteWins);
        assert_eq!(two[1].result, GameResult::Unknown);
        assert_eq!(two[2].result, GameResult::BothLose);
        assert_eq!(games(" {nothing} * ; here"), []);
    }

    #[test]
    fn positions_in_the_naming_of_the_variant() {
        let text = "[SetUp \"1\"][FEN \"B:Wa1:Bg5,h8\"] 1... g5-f4 *";
        let games = parse::<u32>(&RUSSIAN, text).expect("a game");
        assert_eq!(fen::write(&RUSSIAN, &games[0].start), "B:W29:B4,16");
        // English draughts begins with Black: White to move is the second half of a move.
        let text = "[FEN \"W:W22:B1\"] 1... 22-17 2. 1-5 *";
        let games = parse::<u32>(&ENGLISH, text).expect("a game");
        assert!(
            write(&ENGLISH, &games[0])
                .expect("legal")
                .ends_with("1... 22-17 2. 1-5 *\n")
        );
    }

    #[test]
    fn without_a_position_the_game_type_says_who_begins() {
        let side = |rules: &RuleSet, text| {
            let games = parse::<u32>(rules, text).expect("a game");
            let start = games[0].start;
            assert_eq!(start.with_side(rules.first), Position::start(rules));
            start.side()
        };
        let black_first = RUSSIAN.with_option("first=black").expect("an option");
        for (rules, text, expected) in [
            (&THAI, "[GameType \"31,B,8,8,N2,0\"] *", Color::Black),
            (&THAI, "[GameType \"31, W, 8, 8, N1, 0\"] *", Color::White),
            (&THAI, "[GameType \"31\"] *", Color::White),
            (&THAI, "[GameType \"?\"] *", Color::White),
            (&THAI, "[Event \"x\"] *", Color::White),
            (&black_first, "[GameType \"25,W,8,8,A0,0\"] *", Color::White),
            (&black_first, "[GameType \"25\"] *", Color::Black),
            (&black_first, "[Event \"x\"] *", Color::Black),
            (
                &ENGLISH,
                "[GameType \"21,B,8,8,N1,0\"][SetUp \"1\"][FEN \"W:W21-32:B1-12\"] *",
                Color::White,
            ),
        ] {
            assert_eq!(side(rules, text), expected, "{} {text}", rules.name);
        }
    }

    #[test]
    fn latin_1() {
        let games = parse_bytes::<u64>(&INTERNATIONAL, b"[White \"Andr\xe9\"] *").expect("a game");
        assert_eq!(games[0].tag("White"), Some("André"));
        let games = parse_bytes::<u64>(&INTERNATIONAL, "[White \"André\"] *".as_bytes());
        assert_eq!(games.expect("a game")[0].tag("White"), Some("André"));
    }

    #[test]
    fn errors_say_where_and_what() {
        for (text, error) in [
            (
                "1. 32-28\n  19-24 2. 28-32",
                "line 2, column 12: move 2.: \"28-32\" is not a legal move here; the legal moves: ",
            ),
            ("1. 32-28 )", "line 1, column 10: ')' closes no variation"),
            ("1. 32-28 (", "line 1, column 10: a variation is not closed"),
            (
                "1. 32-28 ([A \"b\"]",
                "line 1, column 10: a variation is not closed",
            ),
            (
                "(32-28)",
                "line 1, column 1: a variation needs a move before it",
            ),
            (
                "! 32-28",
                "line 1, column 1: '!' and '?' belong directly behind a move",
            ),
            (
                "[A \"x\"][A \"y\"]",
                "line 1, column 8: the tag A has another value above",
            ),
            (
                "[SetUp \"1\"] *",
                "line 1, column 8: the tag SetUp announces a position",
            ),
            (
                "[GameType \"25\"] *",
                "line 1, column 11: the game is of type 25 (russian)",
            ),
            (
                "[FEN \"W:W51\"] *",
                "line 1, column 6: in the FEN tag, at byte 3: there is no square 51",
            ),
            (
                "[Result \"0-2\"] 32-28 1-0",
                "line 1, column 22: the game ends with 1-0, but its Result tag says 0-1",
            ),
            (
                "3228",
                "line 1, column 1: move 1.: in the move \"3228\", at byte 0: there is no",
            ),
        ] {
            let refused = refuse(text);
            assert!(refused.starts_with(error), "{text}: {refused}");
        }
    }

    #[test]
    fn deep_nesting_is_an_error_not_a_crash() {
        let nested = |depth| format!("1. 32-28 {}{}", "(33-28 ".repeat(depth), ")".repeat(depth));
        assert!(parse::<u64>(&INTERNATIONAL, &nested(MAX_DEPTH)).is_ok());
        assert!(refuse(&nested(MAX_DEPTH + 1)).contains("nested 32 deep"));
        assert!(refuse(&nested(100_000)).contains("nested 32 deep"));
    }
}

//! Cuts a PDN text into tokens and knows where each began.

use super::error::{PdnError, PdnErrorKind};
use super::game::{GameResult, plain};
use crate::notation::text::Cursor;

/// A line and a column, both from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Place {
    pub(super) fn error(self, kind: impl Into<PdnErrorKind>) -> PdnError {
        PdnError {
            line: self.line,
            column: self.column,
            kind: Box::new(kind.into()),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A tag's name and value, and where the value begins.
    Tag(String, String, Place),
    /// Anything made like a move.
    Word(String),
    /// A result and how it was written.
    Result(GameResult, String),
    /// Exclamation and question marks.
    Strength(String),
    Nag(u16),
    /// A comment, its white space reduced; never empty.
    Comment(String),
    Open,
    Close,
}

#[derive(Clone)]
pub(super) struct Lexer<'a> {
    cursor: Cursor<'a>,
    place: Place,
    /// The last character taken was a carriage return, which a line feed may follow.
    after_return: bool,
}

/// Characters of moves and results.
fn is_word(next: char) -> bool {
    next.is_ascii_alphanumeric() || "-:/".contains(next)
}

fn is_strength(next: char) -> bool {
    "!?".contains(next)
}

fn is_line_end(next: char) -> bool {
    "\r\n".contains(next)
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            cursor: Cursor::new(text.trim_start_matches('\u{feff}')),
            place: Place { line: 1, column: 1 },
            after_return: false,
        }
    }

    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// The next token and where it begins, or none at the end.
    pub(super) fn next_token(&mut self) -> Result<Option<(Token, Place)>, PdnError> {
        loop {
            self.take_while(char::is_whitespace);
            let place = self.place;
            let Some(next) = self.cursor.peek() else {
                return Ok(None);
            };
            let token = match next {
                '%' => {
                    self.rest_of_line();
                    None
                }
                '.' => {
                    self.take_while(|next| next == '.');
                    None
                }
                '[' => Some(self.tag()?),
                '{' => self.comment(place)?,
                ';' => {
                    self.bump();
                    comment(self.rest_of_line())
                }
                '(' => Some(self.open()),
                ')' => self.single(Token::Close),
                '*' => self.single(Token::Result(GameResult::Unknown, "*".to_owned())),
                '$' => Some(self.nag(place)?),
                '/' => return Err(place.error(PdnErrorKind::SetUpInGame)),
                next if is_strength(next) => {
                    Some(Token::Strength(self.take_while(is_strength).to_owned()))
                }
                next if next.is_ascii_alphanumeric() => self.word(),
                _ => return Err(self.unexpected("a tag, a move, a comment or a result")),
            };
            if let Some(token) = token {
                return Ok(Some((token, place)));
            }
        }
    }

    fn unexpected(&self, expected: &'static str) -> PdnError {
        self.place.error(PdnErrorKind::Unexpected {
            found: self.cursor.found(),
            expected,
        })
    }

    fn bump(&mut self) -> Option<char> {
        let next = self.cursor.bump()?;
        // Lines end with a line feed, a carriage return, or both.
        let second_half = next == '\n' && self.after_return;
        self.after_return = next == '\r';
        if second_half {
            return Some(next);
        }
        if is_line_end(next) {
            self.place.line += 1;
            self.place.column = 1;
        } else {
            self.place.column += 1;
        }
        Some(next)
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let start = self.cursor.at();
        while self.cursor.peek().is_some_and(&wanted) {
            self.bump();
        }
        self.cursor.since(start)
    }

    fn rest_of_line(&mut self) -> &'a str {
        self.take_while(|next| !is_line_end(next))
    }

    fn single(&mut self, token: Token) -> Option<Token> {
        self.bump();
        Some(token)
    }

    fn expect(&mut self, wanted: char, expected: &'static str) -> Result<(), PdnError> {
        self.take_while(char::is_whitespace);
        if self.cursor.peek() != Some(wanted) {
            return Err(self.unexpected(expected));
        }
        self.bump();
        Ok(())
    }

    fn tag(&mut self) -> Result<Token, PdnError> {
        self.expect('[', "'['")?;
        self.take_while(char::is_whitespace);
        if !self
            .cursor
            .peek()
            .is_some_and(|next| next.is_ascii_alphabetic())
        {
            return Err(self.unexpected("the name of a tag, a letter first"));
        }
        let name = self
            .take_while(|next| next.is_ascii_alphanumeric() || next == '_')
            .to_owned();
        self.take_while(char::is_whitespace);
        let place = self.place;
        self.expect('"', "the value of the tag in double quotes")?;
        let value = self.string(place)?;
        self.expect(']', "']' at the end of the tag")?;
        Ok(Token::Tag(name, value, place))
    }

    /// The rest of a value behind its first quote.
    fn string(&mut self, place: Place) -> Result<String, PdnError> {
        let mut value = String::new();
        loop {
            match self.cursor.peek().filter(|&next| !is_line_end(next)) {
                None => return Err(place.error(PdnErrorKind::OpenString)),
                Some('"') => {
                    self.bump();
                    return Ok(value);
                }
                Some('\\') => {
                    self.bump();
                    // Before anything else a backslash stands for itself.
                    match self.cursor.peek().filter(|next| "\"\\".contains(*next)) {
                        Some(escaped) => {
                            self.bump();
                            value.push(escaped);
                        }
                        None => value.push('\\'),
                    }
                }
                Some(next) => {
                    self.bump();
                    value.push(next);
                }
            }
        }
    }

    fn comment(&mut self, place: Place) -> Result<Option<Token>, PdnError> {
        self.bump();
        let text = self.take_while(|next| next != '}');
        if self.bump().is_none() {
            return Err(place.error(PdnErrorKind::OpenComment));
        }
        Ok(comment(text))
    }

    /// `(`, or a strength in brackets.
    fn open(&mut self) -> Token {
        self.bump();
        let mut ahead = self.clone();
        let strength = ahead.take_while(is_strength);
        if !strength.is_empty() && ahead.bump() == Some(')') {
            *self = ahead;
            return Token::Strength(strength.to_owned());
        }
        Token::Open
    }

    fn nag(&mut self, place: Place) -> Result<Token, PdnError> {
        self.bump();
        self.take_while(|next| next.is_ascii_digit())
            .parse()
            .map(Token::Nag)
            .map_err(|_| place.error(PdnErrorKind::Nag))
    }

    /// A move, a result, or nothing for the number of a move.
    fn word(&mut self) -> Option<Token> {
        let word = self.take_while(is_word);
        let number = word.bytes().all(|next| next.is_ascii_digit());
        if number && self.cursor.peek() == Some('.') {
            self.take_while(|next| next == '.');
            return None;
        }
        Some(match GameResult::from_text(word) {
            Some(result) => Token::Result(result, word.to_owned()),
            None => Token::Word(word.to_owned()),
        })
    }
}

fn comment(text: &str) -> Option<Token> {
    let text = plain(text);
    (!text.is_empty()).then_some(Token::Comment(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        let mut lexer = Lexer::new(text);
        let mut tokens = Vec::new();
        while let Some((token, _)) = lexer.next_token().expect("tokens") {
            tokens.push(token);
        }
        tokens
    }

    fn word(text: &str) -> Token {
        Token::Word(text.to_owned())
    }

    fn error(text: &str) -> String {
        let mut lexer = Lexer::new(text);
        loop {
            match lexer.next_token() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("no error in {text}"),
                Err(error) => return error.to_string(),
            }
        }
    }

    #[test]
    fn numbers_of_moves_results_and_moves_are_told_apart() {
        let white = Token::Result(GameResult::WhiteWins, "1-0".to_owned());
        let draw = Token::Result(GameResult::Draw, "1/2-1/2".to_owned());
        assert_eq!(tokens("1.1-5 1-0"), [word("1-5"), white.clone()]);
        assert_eq!(tokens("12. 1-0"), [white]);
        assert_eq!(tokens("7... 10-15 1/2-1/2"), [word("10-15"), draw]);
        assert_eq!(tokens("1. ... a3:c5:e7"), [word("a3:c5:e7")]);
    }

    #[test]
    fn strengths_comments_and_escapes() {
        let strength = |text: &str| Token::Strength(text.to_owned());
        let comment = |text: &str| Token::Comment(text.to_owned());
        assert_eq!(
            tokens("1-5!? (?) (6-9 {a\r\n  b}) {} ; rest } of line\n%18-23\n$14"),
            [
                word("1-5"),
                strength("!?"),
                strength("?"),
                Token::Open,
                word("6-9"),
                comment("a b"),
                Token::Close,
                comment("rest } of line"),
                Token::Nag(14),
            ]
        );
    }

    #[test]
    fn tags_and_their_quotes() {
        let place = Place { line: 1, column: 8 };
        assert_eq!(
            tokens(r#"[Event "a \"b\" \\ \c"]"#),
            [Token::Tag(
                "Event".to_owned(),
                r#"a "b" \ \c"#.to_owned(),
                place
            )]
        );
    }

    #[test]
    fn errors_have_a_place_with_any_line_end() {
        for line_end in ["\n", "\r", "\r\n"] {
            let text = format!("{line_end}é1-5{line_end}");
            assert_eq!(
                error(&text),
                "line 2, column 1: unexpected 'é': expected a tag, a move, a comment or a result"
            );
        }
        assert_eq!(
            error("1-5 {x\n}\n {y"),
            "line 3, column 2: the comment that begins here has no end: close it with '}'"
        );
        assert_eq!(
            error("[Event \"x\n\"]"),
            "line 1, column 8: the value that begins here does not end on its line: close it with '\"'"
        );
        assert_eq!(
            error("[\"x\"]"),
            "line 1, column 2: unexpected '\"': expected the name of a tag, a letter first"
        );
        assert_eq!(
            error("$"),
            "line 1, column 1: '$' must be followed by a number from 0 to 65535"
        );
        assert!(error("/FEN \"W:W1\"/").contains("begin a new game with a FEN tag"));
    }
}

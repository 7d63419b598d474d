//! A cursor over a text, and how errors quote what they found.

use std::fmt;

/// What a reader found where it expected something else: a character or the end of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found(pub Option<char>);

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(character) => write!(f, "{character:?}"),
            None => f.write_str("the end of the text"),
        }
    }
}

/// Longest quotation of a text in an error, in characters.
const MAX_QUOTE: usize = 40;

/// The text as an error quotes it: its beginning if it is long.
pub(super) fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A place in a text, moving forward one character at a time.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The byte position.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The text from byte position `start` to here.
    pub(super) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    pub(super) fn found(&self) -> Found {
        Found(self.peek())
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Takes the next character if `wanted` says so.
    pub(super) fn take_if(&mut self, wanted: impl FnOnce(char) -> bool) -> Option<char> {
        self.peek().filter(|&next| wanted(next))?;
        self.bump()
    }

    /// Takes every following character that `wanted` accepts.
    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let start = self.at;
        while self.take_if(&wanted).is_some() {}
        self.since(start)
    }

    pub(super) fn skip_space(&mut self) {
        self.take_while(char::is_whitespace);
    }

    /// Takes decimal digits: as written, and as a number that stops growing at `u32::MAX`.
    pub(super) fn digits(&mut self) -> (&'a str, u32) {
        let digits = self.take_while(|next| next.is_ascii_digit());
        let number = digits.bytes().fold(0u32, |number, digit| {
            number
                .saturating_mul(10)
                .saturating_add(u32::from(digit - b'0'))
        });
        (digits, number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_saturate() {
        let mut cursor = Cursor::new("0012x99999999999999999999");
        assert_eq!(cursor.digits(), ("0012", 12));
        assert_eq!(cursor.found().to_string(), "'x'");
        cursor.bump();
        assert_eq!(cursor.digits().1, u32::MAX);
        assert_eq!(cursor.found().to_string(), "the end of the text");
    }

    #[test]
    fn quotations_are_cut_between_characters() {
        assert_eq!(shorten(&"é".repeat(41)), format!("{}…", "é".repeat(40)));
        assert_eq!(shorten("é"), "é");
    }
}

//! The lines of an input that are to be answered.

use std::io::{self, BufRead, BufReader, Read};

/// Lines read before they are answered together.
const BATCH: usize = 4096;
/// Bytes read ahead. Of a batch, all lines but the first are read ahead, so it takes little more.
const READ_AHEAD: usize = 1 << 20;
/// Bytes a line may have. No FEN comes near it.
pub(super) const LONGEST: usize = 1 << 16;

/// A line that is to be answered.
#[derive(Debug)]
pub(super) struct Line {
    /// From 1.
    pub(super) number: u64,
    /// Without the end of the line. Of a line that is too long, its first [`LONGEST`] bytes.
    pub(super) text: Vec<u8>,
    pub(super) too_long: bool,
}

/// Reads lines in batches.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: BufReader<R>,
    read: u64,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input: BufReader::with_capacity(READ_AHEAD, input),
            read: 0,
        }
    }

    /// The next lines, blank ones and comments left out; none at the end of the input.
    ///
    /// Waits for one line and then only takes what has arrived already, so that a program that asks
    /// line by line gets its answers.
    pub(super) fn batch(&mut self) -> io::Result<Vec<Line>> {
        let mut batch = Vec::new();
        while batch.is_empty() || (batch.len() < BATCH && self.input.buffer().contains(&b'\n')) {
            let Some(line) = self.line()? else {
                break;
            };
            let content = line.text.trim_ascii();
            if (line.too_long || !content.is_empty()) && !content.starts_with(b"#") {
                batch.push(line);
            }
        }
        Ok(batch)
    }

    /// The next line, `None` at the end of the input.
    fn line(&mut self) -> io::Result<Option<Line>> {
        let mut text = Vec::new();
        // One byte more for the end of the line, or to notice that it is not there.
        let most = LONGEST as u64 + 1;
        let read = (&mut self.input).take(most).read_until(b'\n', &mut text)?;
        if read == 0 {
            return Ok(None);
        }
        self.read += 1;
        let ended = text.pop_if(|last| *last == b'\n').is_some();
        let too_long = text.len() > LONGEST;
        if too_long {
            text.truncate(LONGEST);
            self.input.skip_until(b'\n')?;
        } else if ended {
            text.pop_if(|last| *last == b'\r');
        }
        Ok(Some(Line {
            number: self.read,
            text,
            too_long,
        }))
    }
}

/// What was asked, as a text that fits into a field of one line: characters that could end the field
/// or the line, or mean something to a terminal, are replaced by blanks.
pub(super) fn one_field(text: &str) -> String {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.replace(breaks, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(input: &[u8]) -> Vec<(u64, usize, bool)> {
        let mut lines = Lines::new(input);
        let mut all = Vec::new();
        loop {
            let batch = lines.batch().expect("bytes in memory");
            if batch.is_empty() {
                return all;
            }
            all.extend(
                batch
                    .iter()
                    .map(|line| (line.number, line.text.len(), line.too_long)),
            );
        }
    }

    #[test]
    fn blank_lines_and_comments_are_counted_and_left_out() {
        assert_eq!(all(b""), []);
        let input = b"ab\r\n\n  \n # c\n#\n\xff\nlast";
        let expected = [(1, 2, false), (6, 1, false), (7, 4, false)];
        assert_eq!(all(input), expected);
    }

    #[test]
    fn the_rest_of_a_long_line_is_skipped() {
        for len in [LONGEST - 1, LONGEST, LONGEST + 1, 3 * READ_AHEAD + 5] {
            let long = "x".repeat(len);
            let first = (1, len.min(LONGEST), len > LONGEST);
            assert_eq!(all(long.as_bytes()), [first], "{len}");
            let more = format!("{long}\nab\n");
            assert_eq!(all(more.as_bytes()), [first, (2, 2, false)], "{len}");
            // A comment may be as long as it likes.
            let comment = format!("#{long}\nab\n");
            assert_eq!(all(comment.as_bytes()), [(2, 2, false)], "{len}");
        }
        let blanks = format!("{}W\nab\n", " ".repeat(LONGEST + 9));
        assert_eq!(all(blanks.as_bytes()), [(1, LONGEST, true), (2, 2, false)]);
    }

    #[test]
    fn a_batch_is_bounded() {
        let line = format!("{}\n", "x".repeat(LONGEST));
        let input = line.repeat(64);
        let mut lines = Lines::new(input.as_bytes());
        let mut count = 0;
        loop {
            let batch = lines.batch().expect("bytes in memory");
            if batch.is_empty() {
                break;
            }
            let bytes: usize = batch.iter().map(|line| line.text.len()).sum();
            assert!(bytes <= READ_AHEAD + LONGEST, "{bytes}");
            count += batch.len();
        }
        assert_eq!(count, 64);
    }

    #[test]
    fn a_field_stays_one() {
        assert_eq!(
            one_field("a\tb\rc\x1b[1md\0\u{85}e\u{2028}f"),
            "a b c [1md  e f"
        );
        assert_eq!(one_field("W:WK1:BK2 ü"), "W:WK1:BK2 ü");
    }
}

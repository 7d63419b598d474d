//! Numbers and tables for people.

use std::fmt;
use std::time::Duration;

/// A number with its digits in groups: `132,240`.
pub(crate) fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of bytes: `612 B`, `3.4 MiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    // 1023.95 would be rounded to 1024.0.
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// A time: `0.14 s`, `12 s`, `3 min 20 s`, `2 h 5 min`.
pub(crate) fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("{:.2} s", time.as_secs_f64()),
        10..120 => format!("{seconds} s"),
        120..7200 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// A large number in short: `850`, `2.1 k`, `3.4 M`.
pub(crate) fn short(number: f64) -> String {
    if number < 1e3 {
        format!("{number:.0}")
    } else if number < 1e6 {
        format!("{:.1} k", number / 1e3)
    } else if number < 1e9 {
        format!("{:.1} M", number / 1e6)
    } else {
        format!("{:.1} G", number / 1e9)
    }
}

/// A number of classes: `1 class`, `9 classes`.
pub(crate) fn classes(number: u64) -> String {
    let noun = if number == 1 { "class" } else { "classes" };
    format!("{} {noun}", grouped(number.into()))
}

/// A value, or `-` where there is none.
pub(crate) fn or_dash(value: Option<impl fmt::Display>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// Where the cells of a column stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A table of text with aligned columns, two blanks apart.
#[derive(Debug)]
pub(crate) struct TextTable {
    aligns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// A table with these headings.
    pub(crate) fn new(columns: &[(&str, Align)]) -> Self {
        Self {
            aligns: columns.iter().map(|(_, align)| *align).collect(),
            rows: vec![columns.iter().map(|(name, _)| (*name).to_owned()).collect()],
        }
    }

    /// Adds a row. Columns for which it has no cell stay empty.
    pub(crate) fn row(&mut self, mut cells: Vec<String>) {
        cells.resize(self.aligns.len(), String::new());
        self.rows.push(cells);
    }

    /// The whole table, every line ended.
    pub(crate) fn render(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.aligns.len()).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, &width), align) in row.iter().zip(&widths).zip(&self.aligns) {
                if !line.is_empty() {
                    line.push_str("  ");
                }
                line.push_str(&match align {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                });
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(132_240), "132,240");
        assert_eq!(grouped(1_234_567_890), "1,234,567,890");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes((1 << 20) - 1), "1.0 MiB");
        assert_eq!(bytes(u64::MAX), "16.0 EiB");
        assert_eq!(time(Duration::from_millis(140)), "0.14 s");
        assert_eq!(time(Duration::from_secs(200)), "3 min 20 s");
        assert_eq!(time(Duration::from_secs(7500)), "2 h 5 min");
        assert_eq!(short(2_100_000.0), "2.1 M");
        assert_eq!(classes(1), "1 class");
        assert_eq!(classes(1000), "1,000 classes");
        assert_eq!(or_dash(Some(7)), "7");
        assert_eq!(or_dash(None::<u16>), "-");
    }

    #[test]
    fn columns_are_aligned_and_lines_have_no_blanks_at_the_end() {
        let mut table = TextTable::new(&[
            ("name", Align::Left),
            ("n", Align::Right),
            ("x", Align::Left),
        ]);
        table.row(vec!["a".into(), "12".into(), String::new()]);
        assert_eq!(table.render(), "name   n  x\na     12\n");
    }
}

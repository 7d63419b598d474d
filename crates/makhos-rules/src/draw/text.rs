//! Drawing rules as text, one rule a line:
//!
//! ```text
//! repetition times=3 claim=player
//! clock 5-moves plies=10 material=lone-king:1-2 resets=none runs-on # FMJD-64 7.2.8
//! clock 30-moves plies=60 material=both-kings:4-5 resets=capture,promotion
//! clock 15-king-moves plies=30 material=any resets=capture,promotion,man-move
//! road pieces=3 plies=10
//! ```
//!
//! Behind `#` stands the article the rule comes from. `material` is `any`, `both-kings:LEAST-MOST` (pieces
//! of both sides), `lone-king:LEAST-MOST` or `lone-king-kings:LEAST-MOST` (pieces of the stronger side, in
//! the second case kings only); `-MOST` may be left out where it is the same, and `LEAST-` has no upper
//! bound.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Balance, Claim, Clock, DrawRules, Repetition, Resets, Road};

/// The most clocks that a text may have.
const MOST_CLOCKS: usize = 32;
/// The most plies that a clock may count.
const MOST_PLIES: u16 = 1_000;

/// Why a text is not a set of drawing rules.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line} of the drawing rules: {what}")]
pub struct DrawRulesError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong and what could stand there.
    pub what: String,
}

impl DrawRules {
    /// What of the rules decides values, as text: two sets with the same text have the same values. Names,
    /// articles, claims and repetition are not part of it.
    #[must_use]
    pub fn value_text(&self) -> String {
        let mut lines = Vec::new();
        for clock in &self.clocks {
            lines.push(format!("clock {}", ClockText(clock)));
        }
        if let Some(road) = &self.road {
            lines.push(road_text(road));
        }
        lines.join("\n")
    }
}

impl fmt::Display for DrawRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(rule) = &self.repetition {
            write!(f, "repetition times={}", rule.times)?;
            end_line(f, rule.claim, &rule.article)?;
        }
        for clock in &self.clocks {
            write!(f, "clock {} {}", clock.name, ClockText(clock))?;
            end_line(f, clock.claim, &clock.article)?;
        }
        if let Some(road) = &self.road {
            f.write_str(&road_text(road))?;
            end_line(f, road.claim, &road.article)?;
        }
        Ok(())
    }
}

fn end_line(f: &mut fmt::Formatter<'_>, claim: Claim, article: &str) -> fmt::Result {
    if claim == Claim::Claimable {
        f.write_str(" claim=player")?;
    }
    if !article.is_empty() {
        write!(f, " # {article}")?;
    }
    writeln!(f)
}

/// What of a clock decides values.
struct ClockText<'a>(&'a Clock);

impl fmt::Display for ClockText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clock = self.0;
        write!(f, "plies={} material={}", clock.plies, clock.balance)?;
        let resets = [
            (clock.resets.capture, "capture"),
            (clock.resets.promotion, "promotion"),
            (clock.resets.man_move, "man-move"),
        ];
        let named: Vec<&str> = resets
            .iter()
            .filter(|(set, _)| *set)
            .map(|(_, name)| *name)
            .collect();
        let named = if named.is_empty() {
            "none".to_owned()
        } else {
            named.join(",")
        };
        write!(f, " resets={named}")?;
        f.write_str(if clock.runs_on { " runs-on" } else { "" })
    }
}

fn road_text(road: &Road) -> String {
    format!("road pieces={} plies={}", road.pieces, road.plies)
}

impl fmt::Display for Balance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, least, most) = match *self {
            Self::Any => return f.write_str("any"),
            Self::BothHaveKings { least, most } => ("both-kings", least, most),
            Self::LoneKing {
                least,
                most,
                kings_only: false,
            } => ("lone-king", least, most),
            Self::LoneKing {
                least,
                most,
                kings_only: true,
            } => ("lone-king-kings", least, most),
        };
        write!(f, "{name}:{least}")?;
        match most {
            u8::MAX => f.write_str("-"),
            most if most == least => Ok(()),
            most => write!(f, "-{most}"),
        }
    }
}

impl FromStr for DrawRules {
    type Err = DrawRulesError;

    fn from_str(text: &str) -> Result<Self, DrawRulesError> {
        let mut rules = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let (line, article) = line.split_once('#').unwrap_or((line, ""));
            let mut words = line.split_whitespace();
            let Some(kind) = words.next() else { continue };
            let added = rules.add(kind, words, article.trim());
            added.map_err(|what| DrawRulesError { line: number, what })?;
        }
        Ok(rules)
    }
}

impl DrawRules {
    /// Adds the rule of one line.
    fn add<'a>(
        &mut self,
        kind: &str,
        mut words: impl Iterator<Item = &'a str>,
        article: &str,
    ) -> Result<(), String> {
        let article = Cow::Owned(article.to_owned());
        match kind {
            "repetition" => {
                let mut fields = Fields::read(words)?;
                let times = fields.number("times", 2, 100)? as u8;
                let claim = fields.claim()?;
                fields.end()?;
                let rule = Repetition {
                    times,
                    claim,
                    article,
                };
                once(&mut self.repetition, rule, kind)
            }
            "road" => {
                let mut fields = Fields::read(words)?;
                let pieces = fields.number("pieces", 1, 30)? as u8;
                let plies = fields.number("plies", 1, 100)? as u8;
                let claim = fields.claim()?;
                fields.end()?;
                let road = Road {
                    article,
                    pieces,
                    plies,
                    claim,
                };
                once(&mut self.road, road, kind)
            }
            "clock" => {
                let name = words.next().filter(|name| !name.contains('='));
                let name =
                    name.ok_or("a clock needs a name, as in: clock no-progress plies=80 …")?;
                let mut fields = Fields::read(words)?;
                let clock = Clock {
                    name: Cow::Owned(name.to_owned()),
                    article,
                    plies: fields.number("plies", 1, MOST_PLIES)?,
                    balance: balance(fields.take("material").unwrap_or("any"))?,
                    resets: resets(fields.take("resets").unwrap_or("none"))?,
                    runs_on: fields.take("runs-on").is_some(),
                    claim: fields.claim()?,
                };
                fields.end()?;
                if self.clocks.len() == MOST_CLOCKS {
                    return Err(format!("more than {MOST_CLOCKS} clocks"));
                }
                self.clocks.push(clock);
                Ok(())
            }
            other => Err(format!(
                "\"{other}\" is no rule; write repetition, clock or road"
            )),
        }
    }
}

fn once<T>(place: &mut Option<T>, rule: T, kind: &str) -> Result<(), String> {
    if place.is_some() {
        return Err(format!("a second {kind}"));
    }
    *place = Some(rule);
    Ok(())
}

/// The `key=value` words of a line that are not read yet; a bare word has an empty value.
struct Fields<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Fields<'a> {
    fn read(words: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let mut fields: Vec<(&str, &str)> = Vec::new();
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            if fields.iter().any(|(other, _)| *other == key) {
                return Err(format!("{key} is given twice"));
            }
            fields.push((key, value));
        }
        Ok(Self(fields))
    }

    fn take(&mut self, key: &str) -> Option<&'a str> {
        let at = self.0.iter().position(|(other, _)| *other == key)?;
        Some(self.0.remove(at).1)
    }

    fn number(&mut self, key: &str, least: u16, most: u16) -> Result<u16, String> {
        let wanted = || format!("write {key}=N with N from {least} to {most}");
        let value = self.take(key).ok_or_else(wanted)?;
        let number = value.parse().ok().filter(|n| (least..=most).contains(n));
        number.ok_or_else(|| format!("{key}={value}: {}", wanted()))
    }

    fn claim(&mut self) -> Result<Claim, String> {
        match self.take("claim") {
            None | Some("automatic") => Ok(Claim::Automatic),
            Some("player") => Ok(Claim::Claimable),
            Some(other) => Err(format!(
                "claim={other}: write claim=automatic or claim=player"
            )),
        }
    }

    fn end(&self) -> Result<(), String> {
        match self.0.first() {
            None => Ok(()),
            Some((key, _)) => Err(format!("\"{key}\" does not belong there")),
        }
    }
}

fn balance(text: &str) -> Result<Balance, String> {
    let wrong = || {
        format!(
            "material={text}: write any, both-kings:4-5, lone-king:3 or lone-king-kings:3- (three or more)"
        )
    };
    if text == "any" {
        return Ok(Balance::Any);
    }
    let (kind, range) = text.split_once(':').ok_or_else(wrong)?;
    let (least, most) = match range.split_once('-') {
        None => (range, range),
        Some((least, "")) => (least, "255"),
        Some(both) => both,
    };
    let number = |text: &str| text.parse::<u8>().ok().filter(|&n| n > 0);
    let (Some(least), Some(most)) = (number(least), number(most)) else {
        return Err(wrong());
    };
    if least > most {
        return Err(wrong());
    }
    match kind {
        "both-kings" => Ok(Balance::BothHaveKings { least, most }),
        "lone-king" => Ok(Balance::LoneKing {
            least,
            most,
            kings_only: false,
        }),
        "lone-king-kings" => Ok(Balance::LoneKing {
            least,
            most,
            kings_only: true,
        }),
        _ => Err(wrong()),
    }
}

fn resets(text: &str) -> Result<Resets, String> {
    let mut resets = Resets::default();
    if text == "none" {
        return Ok(resets);
    }
    for word in text.split(',') {
        match word {
            "capture" => resets.capture = true,
            "promotion" => resets.promotion = true,
            "man-move" => resets.man_move = true,
            other => {
                return Err(format!(
                    "resets={other}: write none, or capture, promotion and man-move with commas"
                ));
            }
        }
    }
    Ok(resets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::official;
    use crate::variant;

    #[test]
    fn official_rules_round_trip() {
        for rules in variant::ALL {
            let official = official::of(rules);
            let text = official.to_string();
            assert_eq!(text.parse::<DrawRules>().as_ref(), Ok(&official), "{text}");
        }
    }

    #[test]
    fn the_text_of_values_leaves_out_what_decides_none() {
        let official = official::of(&variant::RUSSIAN);
        let mut other = official.clone();
        other.repetition = None;
        for clock in &mut other.clocks {
            clock.name = "x".into();
            clock.article = "".into();
            clock.claim = Claim::Claimable;
        }
        assert_eq!(other.value_text(), official.value_text());
        other.clocks[0].plies += 1;
        assert_ne!(other.value_text(), official.value_text());
    }

    #[test]
    fn bad_lines_are_refused_by_number() {
        let cases = [
            ("clock a plies=10\nclok b", 2, "clok"),
            ("clock plies=10", 1, "name"),
            ("clock a plies=0", 1, "plies=0"),
            ("clock a plies=70000", 1, "plies=70000"),
            ("clock a", 1, "plies=N"),
            ("clock a plies=3 plies=4", 1, "twice"),
            (
                "clock a plies=3 material=lone-king",
                1,
                "material=lone-king",
            ),
            ("clock a plies=3 material=lone-king:4-3", 1, "material"),
            ("clock a plies=3 material=both-kings:-", 1, "material"),
            ("clock a plies=3 resets=capture,", 1, "resets="),
            ("clock a plies=3 until=never", 1, "until"),
            ("\n\nrepetition times=1", 3, "times=1"),
            ("repetition times=3\nrepetition times=3", 2, "second"),
            ("repetition times=3 claim=maybe", 1, "claim"),
            ("road plies=10", 1, "pieces"),
        ];
        for (text, line, what) in cases {
            let error = text.parse::<DrawRules>().expect_err(text);
            assert_eq!(error.line, line, "{text}");
            assert!(error.what.contains(what), "{text}: {error}");
        }
        let many = "clock a plies=1\n".repeat(MOST_CLOCKS + 1);
        assert_eq!(
            many.parse::<DrawRules>().map_err(|e| e.line),
            Err(MOST_CLOCKS + 1)
        );
    }

    #[test]
    fn comments_and_empty_lines_are_nothing() {
        let text = "# all of it\n\n  clock a plies=3 # Article 1\n";
        let rules: DrawRules = text.parse().expect("one clock");
        assert_eq!(rules.clocks.len(), 1);
        assert_eq!(rules.clocks[0].article, "Article 1");
    }
}

//! House values of drawing rules: `draw.KEY=VALUE`.

use std::borrow::Cow;

use thiserror::Error;

use super::{Balance, Claim, Clock, DrawRules, Repetition, Resets};

/// Why a house value was refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum DrawOptionError {
    /// No drawing rule has this key.
    #[error(
        "there is no drawing option \"{key}\"; the options are: draw.no_progress=MOVES|off, \
         draw.repetition=TIMES|off, draw.thai16=off|plies=N, draw.balance_unit=moves|plies"
    )]
    UnknownKey {
        /// The key as given.
        key: String,
    },
    /// The key does not take this value.
    #[error("drawing option \"{key}\" does not take \"{value}\"; it takes {allowed}")]
    UnknownValue {
        /// The key.
        key: &'static str,
        /// The value as given.
        value: String,
        /// What it takes.
        allowed: &'static str,
    },
    /// The rules have nothing that the option could change.
    #[error("drawing option \"{key}\" has no meaning here: {why}")]
    NotApplicable {
        /// The key.
        key: &'static str,
        /// The reason.
        why: &'static str,
    },
}

impl DrawRules {
    /// Whether a house option, `KEY=VALUE`, is one of drawing rules.
    #[must_use]
    pub fn is_option(text: &str) -> bool {
        text.starts_with("draw.")
    }

    /// These rules with one house value, `draw.KEY=VALUE`:
    /// - `draw.no_progress=N`: a draw after N moves of each player without a capture, a promotion or a
    ///   man's move, or whatever else resets the clock of these rules that counts with any material; `off`
    ///   for never;
    /// - `draw.repetition=N`: a draw at the N-th occurrence of a position; `off` for never;
    /// - `draw.thai16=plies=N` or `off`: the count of Thai draughts;
    /// - `draw.balance_unit=plies`: the counts of FMJD-64 articles 7.2.6 and 7.2.8 are plies, not moves of
    ///   each player.
    ///
    /// # Errors
    /// [`DrawOptionError`].
    pub fn with_option(mut self, text: &str) -> Result<Self, DrawOptionError> {
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        match key {
            "draw.no_progress" => self.set_no_progress(value)?,
            "draw.repetition" => self.set_repetition(value)?,
            "draw.thai16" => self.set_thai16(value)?,
            "draw.balance_unit" => self.set_balance_unit(value)?,
            _ => {
                return Err(DrawOptionError::UnknownKey {
                    key: key.to_owned(),
                });
            }
        }
        Ok(self)
    }

    fn set_no_progress(&mut self, value: &str) -> Result<(), DrawOptionError> {
        let any = |clock: &Clock| clock.balance == Balance::Any;
        if value == "off" {
            self.clocks.retain(|clock| !any(clock));
            return Ok(());
        }
        let moves = number(value, 1, 500).ok_or_else(|| DrawOptionError::UnknownValue {
            key: "draw.no_progress",
            value: value.to_owned(),
            allowed: "off or moves of each player from 1 to 500",
        })?;
        match self.clocks.iter_mut().find(|clock| any(clock)) {
            Some(clock) => clock.plies = 2 * moves,
            None => self.clocks.push(Clock {
                name: Cow::Borrowed("no-progress"),
                article: Cow::Borrowed("house rule"),
                balance: Balance::Any,
                plies: 2 * moves,
                resets: Resets {
                    capture: true,
                    promotion: true,
                    man_move: true,
                },
                runs_on: false,
                claim: Claim::Automatic,
            }),
        }
        Ok(())
    }

    fn set_repetition(&mut self, value: &str) -> Result<(), DrawOptionError> {
        if value == "off" {
            self.repetition = None;
            return Ok(());
        }
        let times = number(value, 2, 100).ok_or_else(|| DrawOptionError::UnknownValue {
            key: "draw.repetition",
            value: value.to_owned(),
            allowed: "off or a number from 2 to 100",
        })?;
        let rule = self.repetition.get_or_insert(Repetition {
            times: 3,
            claim: Claim::Claimable,
            article: Cow::Borrowed("house rule"),
        });
        rule.times = times as u8;
        Ok(())
    }

    fn set_thai16(&mut self, value: &str) -> Result<(), DrawOptionError> {
        let key = "draw.thai16";
        let at = self
            .clocks
            .iter()
            .position(|clock| clock.name == "16-moves" && clock.resets.man_move);
        let Some(at) = at else {
            return Err(DrawOptionError::NotApplicable {
                key,
                why: "it is a rule of Thai draughts",
            });
        };
        if value == "off" {
            self.clocks.remove(at);
            return Ok(());
        }
        let plies = value
            .strip_prefix("plies=")
            .and_then(|n| number(n, 1, 1000));
        self.clocks[at].plies = plies.ok_or_else(|| DrawOptionError::UnknownValue {
            key,
            value: value.to_owned(),
            allowed: "off, or plies=N from 1 to 1000",
        })?;
        Ok(())
    }

    fn set_balance_unit(&mut self, value: &str) -> Result<(), DrawOptionError> {
        let key = "draw.balance_unit";
        let of_balance = |clock: &&mut Clock| {
            clock.article.starts_with("FMJD-64 7.2.6") || clock.article.starts_with("FMJD-64 7.2.8")
        };
        let halved = match value {
            "moves" => false,
            "plies" => true,
            _ => {
                return Err(DrawOptionError::UnknownValue {
                    key,
                    value: value.to_owned(),
                    allowed: "moves or plies",
                });
            }
        };
        let mut found = false;
        for clock in self.clocks.iter_mut().filter(of_balance) {
            found = true;
            if halved {
                clock.plies /= 2;
            }
        }
        if found {
            Ok(())
        } else {
            Err(DrawOptionError::NotApplicable {
                key,
                why: "it is about articles 7.2.6 and 7.2.8 of the FMJD-64 rules",
            })
        }
    }
}

fn number(text: &str, least: u16, most: u16) -> Option<u16> {
    text.parse().ok().filter(|n| (least..=most).contains(n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::official;
    use crate::variant;

    #[test]
    fn values_change_what_they_name() {
        let limit = |rules: &DrawRules| rules.clocks.last().map(|clock| clock.plies);
        let english = official::of(&variant::ENGLISH);
        let shorter = english
            .clone()
            .with_option("draw.no_progress=15")
            .expect("a value");
        assert_eq!(limit(&shorter), Some(30));
        let never = english
            .clone()
            .with_option("draw.no_progress=off")
            .expect("a value");
        assert_eq!(limit(&never), None);
        let thai = official::of(&variant::THAI);
        let off = thai
            .clone()
            .with_option("draw.thai16=off")
            .expect("a value");
        assert!(off.clocks.is_empty());
        let ten = thai.with_option("draw.thai16=plies=10").expect("a value");
        assert_eq!(limit(&ten), Some(10));
        let russian = official::of(&variant::RUSSIAN);
        let plies = russian
            .clone()
            .with_option("draw.balance_unit=plies")
            .expect("a value");
        let all = |rules: &DrawRules| rules.clocks.iter().map(|c| c.plies).collect::<Vec<_>>();
        assert_eq!(all(&russian), [10, 30, 60, 120, 30]);
        assert_eq!(all(&plies), [5, 30, 30, 60, 30]);
        let five = russian.with_option("draw.repetition=5").expect("a value");
        assert_eq!(five.repetition.map(|rule| rule.times), Some(5));
    }

    #[test]
    fn others_are_refused() {
        let english = official::of(&variant::ENGLISH);
        for text in [
            "draw.no_progress",
            "draw.no_progress=0",
            "draw.no_progress=501",
            "draw.repetition=1",
            "draw.thai16=off",
            "draw.balance_unit=plies",
            "draw.something=1",
        ] {
            assert!(english.clone().with_option(text).is_err(), "{text}");
        }
        assert!(DrawRules::is_option("draw.no_progress=3"));
        assert!(!DrawRules::is_option("removal=end"));
    }
}

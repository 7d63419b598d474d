//! The named variants, each a short [`RuleSet`], and their house options.

use thiserror::Error;

use crate::rules::{
    BoardSize, Color, KingLanding, KingRange, NotationRules, Precedence, Promotion, Removal,
    RuleSet, SquareNames,
};

/// English draughts, American checkers (WCDF rules; FMJD PDN game type 21).
pub const ENGLISH: RuleSet = RuleSet {
    name: "english",
    board: BoardSize::Eight,
    mirrored: false,
    man_rows: 3,
    first: Color::Black,
    man_captures_backward: false,
    man_captures_king: true,
    king_range: KingRange::Short,
    king_landing: KingLanding::Any,
    removal: Removal::AtEnd,
    uturn: false,
    promotion: Promotion::Stop,
    precedence: Precedence::Free,
    notation: NotationRules {
        squares: SquareNames::TopLeft,
        capture: 'x',
        game_type: "21,B,8,8,N1,0",
    },
};

/// Russian draughts (codex of 2004, articles 1.5.6 and 1.5.14-16).
pub const RUSSIAN: RuleSet = RuleSet {
    name: "russian",
    first: Color::White,
    man_captures_backward: true,
    king_range: KingRange::Flying,
    promotion: Promotion::Continue,
    notation: NotationRules {
        squares: SquareNames::Algebraic,
        capture: ':',
        game_type: "25,W,8,8,A0,0",
    },
    ..ENGLISH
};

/// Brazilian draughts: the International rules on 8x8.
pub const BRAZILIAN: RuleSet = RuleSet {
    name: "brazilian",
    promotion: Promotion::Pass,
    precedence: Precedence::MostPieces,
    notation: NotationRules {
        squares: SquareNames::Algebraic,
        capture: 'x',
        game_type: "26,W,8,8,A0,0",
    },
    ..RUSSIAN
};

/// Pool checkers (rules of the American Pool Checkers Association).
pub const POOL: RuleSet = RuleSet {
    name: "pool",
    first: Color::Black,
    promotion: Promotion::Pass,
    notation: NotationRules {
        squares: SquareNames::TopLeft,
        capture: 'x',
        game_type: "23,B,8,8,N1,0",
    },
    ..RUSSIAN
};

/// Czech draughts: between Russian and Spanish, a king's capture comes first.
pub const CZECH: RuleSet = RuleSet {
    name: "czech",
    man_captures_backward: false,
    promotion: Promotion::Stop,
    precedence: Precedence::KingFirst,
    notation: NotationRules {
        squares: SquareNames::Algebraic,
        capture: 'x',
        game_type: "29,W,8,8,A0,0",
    },
    ..RUSSIAN
};

/// Spanish draughts: most pieces, then most kings, on the mirrored board.
pub const SPANISH: RuleSet = RuleSet {
    name: "spanish",
    mirrored: true,
    man_captures_backward: false,
    promotion: Promotion::Stop,
    precedence: Precedence::MostPiecesThenKings,
    notation: NotationRules {
        squares: SquareNames::BottomRight,
        capture: 'x',
        game_type: "24,W,8,8,N1,1",
    },
    ..RUSSIAN
};

/// Portuguese draughts: the moves of the Spanish game.
pub const PORTUGUESE: RuleSet = RuleSet {
    name: "portuguese",
    notation: NotationRules {
        squares: SquareNames::BottomRight,
        capture: 'x',
        game_type: "28,W,8,8,N1,1",
    },
    ..SPANISH
};

/// Italian draughts (FID rules, articles 6.6-6.9 for the choice of capture).
pub const ITALIAN: RuleSet = RuleSet {
    name: "italian",
    mirrored: true,
    first: Color::White,
    man_captures_king: false,
    precedence: Precedence::Italian,
    notation: NotationRules {
        squares: SquareNames::TopLeft,
        capture: 'x',
        game_type: "22,W,8,8,N2,1",
    },
    ..ENGLISH
};

/// Thai checkers (makhos) with 8 men a side. Who starts is drawn by lot; White in our files.
///
/// The PDN standard has Black start and counts squares from the bottom right as White sees the board,
/// with `-` for captures as well.
pub const THAI: RuleSet = RuleSet {
    name: "thai",
    man_rows: 2,
    man_captures_backward: false,
    king_landing: KingLanding::Behind,
    removal: Removal::AtOnce,
    uturn: true,
    promotion: Promotion::Stop,
    notation: NotationRules {
        squares: SquareNames::BottomRight,
        capture: '-',
        game_type: "31,B,8,8,N2,0",
    },
    ..RUSSIAN
};

/// Thai checkers with 12 men a side, as in the north.
pub const THAI12: RuleSet = RuleSet {
    name: "thai12",
    man_rows: 3,
    ..THAI
};

/// International draughts on 10x10 (FMJD rules).
pub const INTERNATIONAL: RuleSet = RuleSet {
    name: "international",
    board: BoardSize::Ten,
    man_rows: 4,
    notation: NotationRules {
        squares: SquareNames::TopLeft,
        capture: 'x',
        game_type: "20,W,10,10,N2,0",
    },
    ..BRAZILIAN
};

/// Killer draughts: International, but a king lands right behind a king it takes last.
///
/// No PDN game type is assigned to it; 49 is unassigned and stands for Killer here only.
pub const KILLER: RuleSet = RuleSet {
    name: "killer",
    king_landing: KingLanding::BehindIfLastIsKing,
    notation: NotationRules {
        squares: SquareNames::TopLeft,
        capture: 'x',
        game_type: "49,W,10,10,N2,0",
    },
    ..INTERNATIONAL
};

/// Canadian draughts: International on 12x12.
pub const CANADIAN: RuleSet = RuleSet {
    name: "canadian",
    board: BoardSize::Twelve,
    man_rows: 5,
    notation: NotationRules {
        squares: SquareNames::TopLeft,
        capture: 'x',
        game_type: "27,W,12,12,N2,0",
    },
    ..INTERNATIONAL
};

/// Every named variant, in the order in which they are listed to people.
pub const ALL: [&RuleSet; 13] = [
    &ENGLISH,
    &RUSSIAN,
    &BRAZILIAN,
    &POOL,
    &CZECH,
    &SPANISH,
    &PORTUGUESE,
    &ITALIAN,
    &THAI,
    &THAI12,
    &INTERNATIONAL,
    &KILLER,
    &CANADIAN,
];

/// Why a variant or a house option was refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum VariantError {
    /// No variant has this name.
    #[error("there is no variant \"{name}\"; the variants are: {}", names())]
    UnknownVariant {
        /// The name asked for.
        name: String,
    },
    /// The option is not of the form `KEY=VALUE`.
    #[error("house option \"{text}\" is not of the form KEY=VALUE, e.g. removal=end")]
    NotKeyValue {
        /// The option as given.
        text: String,
    },
    /// No option has this key.
    #[error(
        "there is no house option \"{key}\"; the options are: {}",
        option_keys()
    )]
    UnknownKey {
        /// The key as given.
        key: String,
    },
    /// The key does not take this value.
    #[error("house option \"{key}\" does not take \"{value}\"; it takes: {allowed}")]
    UnknownValue {
        /// The key as given.
        key: &'static str,
        /// The value as given.
        value: String,
        /// The values it takes.
        allowed: String,
    },
    /// The rule has no meaning in the variant, e.g. a landing rule for short kings.
    #[error("house option \"{key}={value}\" has no meaning in {variant} draughts: {why}")]
    NotApplicable {
        /// The key.
        key: &'static str,
        /// The value.
        value: String,
        /// The variant's name.
        variant: &'static str,
        /// The reason.
        why: &'static str,
    },
}

fn names() -> String {
    ALL.map(|rules| rules.name).join(", ")
}

fn option_keys() -> String {
    OPTIONS.map(|option| option.key).join(", ")
}

/// The rule set with the name `name` (lower case, as in [`ALL`]).
///
/// # Errors
/// [`VariantError::UnknownVariant`], which lists the names.
pub fn by_name(name: &str) -> Result<&'static RuleSet, VariantError> {
    ALL.into_iter()
        .find(|rules| rules.name == name)
        .ok_or_else(|| VariantError::UnknownVariant {
            name: name.to_owned(),
        })
}

/// A value that a house option takes, and what it does to a rule set.
type OptionValue = (&'static str, fn(&mut RuleSet));

/// One house option: a key and the values it takes.
struct HouseOption {
    key: &'static str,
    values: &'static [OptionValue],
    /// Whether the rule exists only for flying kings.
    flying_only: bool,
}

const OPTIONS: [HouseOption; 8] = [
    HouseOption {
        key: "removal",
        values: &[
            ("once", |rules| rules.removal = Removal::AtOnce),
            ("end", |rules| rules.removal = Removal::AtEnd),
        ],
        flying_only: false,
    },
    HouseOption {
        key: "uturn",
        values: &[
            ("yes", |rules| rules.uturn = true),
            ("no", |rules| rules.uturn = false),
        ],
        flying_only: true,
    },
    HouseOption {
        key: "king_landing",
        values: &[
            ("any", |rules| rules.king_landing = KingLanding::Any),
            ("behind", |rules| rules.king_landing = KingLanding::Behind),
            ("adjacent_if_last_is_king", |rules| {
                rules.king_landing = KingLanding::BehindIfLastIsKing;
            }),
        ],
        flying_only: true,
    },
    HouseOption {
        key: "man_capture_back",
        values: &[
            ("yes", |rules| rules.man_captures_backward = true),
            ("no", |rules| rules.man_captures_backward = false),
        ],
        flying_only: false,
    },
    HouseOption {
        key: "first",
        values: &[
            ("white", |rules| rules.first = Color::White),
            ("black", |rules| rules.first = Color::Black),
        ],
        flying_only: false,
    },
    HouseOption {
        key: "promotion",
        values: &[
            ("stop", |rules| rules.promotion = Promotion::Stop),
            ("pass", |rules| rules.promotion = Promotion::Pass),
            ("continue", |rules| rules.promotion = Promotion::Continue),
        ],
        flying_only: false,
    },
    HouseOption {
        key: "priority",
        values: &[
            ("none", |rules| rules.precedence = Precedence::Free),
            ("king", |rules| rules.precedence = Precedence::KingFirst),
            ("max", |rules| rules.precedence = Precedence::MostPieces),
            ("max_kings", |rules| {
                rules.precedence = Precedence::MostPiecesThenKings;
            }),
            ("italian", |rules| rules.precedence = Precedence::Italian),
        ],
        flying_only: false,
    },
    HouseOption {
        key: "mirror",
        values: &[
            ("mirrored", |rules| rules.mirrored = true),
            ("unmirrored", |rules| rules.mirrored = false),
        ],
        flying_only: false,
    },
];

/// Every house option as `(key, values)`, for help texts.
pub fn options() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    OPTIONS.iter().map(|option| {
        (
            option.key,
            option.values.iter().map(|(value, _)| *value).collect(),
        )
    })
}

impl RuleSet {
    /// This rule set with the house rule `option`, written `KEY=VALUE`, e.g. `removal=end`.
    ///
    /// # Errors
    /// A [`VariantError`] that says what the option or key takes.
    pub fn with_option(mut self, option: &str) -> Result<Self, VariantError> {
        let Some((key, value)) = option.split_once('=') else {
            return Err(VariantError::NotKeyValue {
                text: option.to_owned(),
            });
        };
        let Some(known) = OPTIONS.iter().find(|known| known.key == key) else {
            return Err(VariantError::UnknownKey {
                key: key.to_owned(),
            });
        };
        let Some((_, apply)) = known.values.iter().find(|(name, _)| *name == value) else {
            let allowed: Vec<&str> = known.values.iter().map(|(name, _)| *name).collect();
            return Err(VariantError::UnknownValue {
                key: known.key,
                value: value.to_owned(),
                allowed: allowed.join(", "),
            });
        };
        if known.flying_only && self.king_range == KingRange::Short {
            return Err(VariantError::NotApplicable {
                key: known.key,
                value: value.to_owned(),
                variant: self.name,
                why: "its kings move one square",
            });
        }
        apply(&mut self);
        Ok(self)
    }

    /// The value that the house option `key` has in this rule set, e.g. `end` for `removal`. `None` for
    /// an unknown key and for an option that has no meaning here, such as a landing rule of short kings.
    #[must_use]
    pub fn option_value(&self, key: &str) -> Option<&'static str> {
        let option = OPTIONS.iter().find(|option| option.key == key)?;
        if option.flying_only && self.king_range == KingRange::Short {
            return None;
        }
        let in_force = option.values.iter().find(|(_, apply)| {
            let mut same = *self;
            apply(&mut same);
            same == *self
        });
        in_force.map(|(value, _)| *value)
    }

    /// The house options, in a fixed order, that turn the variant of this name into this rule set,
    /// each as `KEY=VALUE`. Empty for an unchanged variant.
    #[must_use]
    pub fn changed_options(&self) -> Vec<String> {
        let Ok(base) = by_name(self.name) else {
            return Vec::new();
        };
        let changed = OPTIONS.iter().filter_map(|option| {
            let value = self.option_value(option.key)?;
            (base.option_value(option.key) != Some(value))
                .then(|| format!("{}={value}", option.key))
        });
        changed.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_reported_as_given() {
        let rules = THAI
            .with_option("removal=end")
            .and_then(|rules| rules.with_option("king_landing=any"))
            .expect("both exist");
        assert_eq!(rules.changed_options(), ["removal=end", "king_landing=any"]);
        assert!(RUSSIAN.changed_options().is_empty());
        assert_eq!(rules.option_value("removal"), Some("end"));
        assert_eq!(ENGLISH.option_value("uturn"), None);
        assert_eq!(ENGLISH.option_value("colour"), None);
    }

    #[test]
    fn every_option_value_round_trips_on_every_variant_it_applies_to() {
        for base in ALL {
            for (key, values) in options() {
                for value in values {
                    let text = format!("{key}={value}");
                    match base.with_option(&text) {
                        Ok(rules) if rules == *base => assert!(rules.changed_options().is_empty()),
                        Ok(rules) => assert_eq!(rules.changed_options(), [text]),
                        Err(error) => {
                            assert!(matches!(error, VariantError::NotApplicable { .. }));
                        }
                    }
                }
            }
        }
    }
}

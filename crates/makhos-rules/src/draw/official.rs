//! The official drawing rules of the named variants, with the articles they come from.
//!
//! Counts in the texts are moves of each player; here they are plies, twice as many.

use std::borrow::Cow;

use super::{Balance, Claim, Clock, DrawRules, Repetition, Resets, Road};
use crate::rules::RuleSet;

const NOTHING: Resets = Resets {
    capture: false,
    promotion: false,
    man_move: false,
};
const BALANCE_CHANGES: Resets = Resets {
    capture: true,
    promotion: true,
    man_move: false,
};
const MEN_AND_CAPTURES: Resets = Resets {
    capture: true,
    promotion: true,
    man_move: true,
};

/// A clock without exceptions: automatic, and over when another one governs.
const fn clock(
    name: &'static str,
    article: &'static str,
    balance: Balance,
    plies: u16,
    resets: Resets,
) -> Clock {
    Clock {
        name: Cow::Borrowed(name),
        article: Cow::Borrowed(article),
        balance,
        plies,
        resets,
        runs_on: false,
        claim: Claim::Automatic,
    }
}

const fn lone_king(least: u8, most: u8, kings_only: bool) -> Balance {
    Balance::LoneKing {
        least,
        most,
        kings_only,
    }
}

fn repetition(times: u8, article: &'static str) -> Option<Repetition> {
    Some(Repetition {
        times,
        claim: Claim::Claimable,
        article: Cow::Borrowed(article),
    })
}

/// The drawing rules of `rules`, by the variant's name. A variant that is not named in
/// [`crate::variant::ALL`] has repetition only.
#[must_use]
pub fn of(rules: &RuleSet) -> DrawRules {
    match rules.name {
        "english" => no_progress("WCDF 1.32", 80, MEN_AND_CAPTURES, 3, "WCDF 1.32"),
        "italian" => no_progress("FID 9.3", 80, MEN_AND_CAPTURES, 4, "FID 9.3 b1"),
        // The Czech federation's own article could not be read; this is the rule of play as described.
        "czech" => no_progress(
            "40 moves without capture or promotion",
            80,
            BALANCE_CHANGES,
            3,
            "threefold",
        ),
        // A Portuguese club's rules; the Spanish federation's text could not be read.
        "spanish" | "portuguese" => {
            no_progress("20 king moves a side", 40, MEN_AND_CAPTURES, 3, "threefold")
        }
        "russian" => sixty_four(),
        "brazilian" => sixty_four(),
        "pool" => pool(),
        "thai" | "thai12" => thai(),
        "international" | "canadian" => international(),
        "killer" => killer(),
        _ => DrawRules {
            repetition: repetition(3, "threefold"),
            ..DrawRules::default()
        },
    }
}

/// One clock for all material.
fn no_progress(
    article: &'static str,
    plies: u16,
    resets: Resets,
    times: u8,
    repeated: &'static str,
) -> DrawRules {
    DrawRules {
        repetition: repetition(times, repeated),
        clocks: vec![clock("no-progress", article, Balance::Any, plies, resets)],
        road: None,
    }
}

/// FMJD-64, articles 7.2.3 to 7.2.8, in the reading of lidraughts (`Russian.scala` of scaladraughts), which
/// Brazilian draughts shares: the Russian codex of 2004, article 1.9.1, has the same counts.
fn sixty_four() -> DrawRules {
    let both = |least, most| Balance::BothHaveKings { least, most };
    let mut few = clock(
        "5-moves",
        "FMJD-64 7.2.8",
        lone_king(1, 2, false),
        10,
        NOTHING,
    );
    few.runs_on = true;
    DrawRules {
        repetition: repetition(3, "FMJD-64 7.2.3"),
        clocks: vec![
            few,
            clock(
                "15-moves-3-kings",
                "FMJD-64 7.2.4",
                lone_king(3, u8::MAX, true),
                30,
                BALANCE_CHANGES,
            ),
            clock("30-moves", "FMJD-64 7.2.6", both(4, 5), 60, BALANCE_CHANGES),
            clock(
                "60-moves",
                "FMJD-64 7.2.6",
                both(6, 7),
                120,
                BALANCE_CHANGES,
            ),
            clock(
                "15-king-moves",
                "FMJD-64 7.2.5",
                Balance::Any,
                30,
                MEN_AND_CAPTURES,
            ),
        ],
        road: Some(Road {
            article: Cow::Borrowed("FMJD-64 7.2.7"),
            pieces: 3,
            plies: 10,
            claim: Claim::Automatic,
        }),
    }
}

/// FMJD, annex 1, article 6: 25 king moves; 16 moves against a lone king with three pieces, 5 with one or
/// two. Neither of the last two begins again, and the 16 go on when a piece is lost.
fn international() -> DrawRules {
    let mut five = clock(
        "5-moves",
        "FMJD annex 1, article 6",
        lone_king(1, 2, false),
        10,
        NOTHING,
    );
    five.runs_on = true;
    let mut sixteen = clock(
        "16-moves",
        "FMJD annex 1, article 6",
        lone_king(3, 3, false),
        32,
        NOTHING,
    );
    sixteen.runs_on = true;
    DrawRules {
        repetition: repetition(3, "FMJD annex 1, article 6"),
        clocks: vec![
            five,
            sixteen,
            clock(
                "25-king-moves",
                "FMJD annex 1, article 6",
                Balance::Any,
                50,
                MEN_AND_CAPTURES,
            ),
        ],
        road: None,
    }
}

/// As International, without the limits against a lone king: two kings win against one there.
fn killer() -> DrawRules {
    let mut rules = international();
    rules.clocks.retain(|clock| clock.balance == Balance::Any);
    rules
}

/// American Pool Checkers Association: 13 moves with three kings against one, and no progress for 15 moves a
/// side.
fn pool() -> DrawRules {
    DrawRules {
        repetition: repetition(3, "APCA, threefold"),
        clocks: vec![
            clock(
                "13-moves",
                "APCA, 13-move rule",
                lone_king(3, u8::MAX, true),
                26,
                NOTHING,
            ),
            clock(
                "no-progress",
                "APCA, 15 moves",
                Balance::Any,
                30,
                MEN_AND_CAPTURES,
            ),
        ],
        road: None,
    }
}

/// Article 8 of the Thai rules: a player asks, and 16 more moves are played. Counted here from the last
/// capture, promotion or move of a man, once both sides have a king.
fn thai() -> DrawRules {
    let both = Balance::BothHaveKings {
        least: 2,
        most: u8::MAX,
    };
    let mut sixteen = clock("16-moves", "Thai rules 8", both, 32, MEN_AND_CAPTURES);
    sixteen.claim = Claim::Claimable;
    DrawRules {
        repetition: repetition(3, "Thai rules 8"),
        clocks: vec![sixteen],
        road: None,
    }
}

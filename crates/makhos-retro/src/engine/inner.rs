//! Captures by the inner king of the side to move.
//!
//! It stands on many squares at once, but which squares it starts from matters only up to its first
//! victim: the chain is searched once behind each victim and the result handed to all starts.

use makhos_rules::rules::KingLanding;
use makhos_rules::{Board, Direction};

use super::isa::Isa;
use super::lines::{moved, step};
use super::lookup::{Pieces, number};
use super::mask::{Foe, Known, Own, all_if, bits};
use super::moves::flying;
use super::outcome::Outcome;
use super::search::{Path, Search};
use super::target::Target;

/// Which inner kings there are besides the one that captures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Company {
    /// None.
    Alone,
    /// One of the foe.
    Foe,
    /// Another one of the side to move.
    Own,
}

/// Records all captures of an inner king of the side to move. The search has all pieces on known squares in `rest`; its words must be empty.
#[inline(always)]
pub(crate) fn inner_king_captures<B: Board, const N: usize, const P: usize, I: Isa>(
    search: &mut Search<'_, '_, B, N, P, I>,
    pieces: &Pieces<B>,
    company: Company,
) {
    for victim in search.foes.squares() {
        for direction in Direction::ALL {
            takes_known::<B, N, P, I>(search, victim, direction, company);
        }
    }
    if company == Company::Foe {
        takes_inner::<B, N, P, I>(search, pieces);
    }
}

/// Captures that begin with a foe on a known square.
#[inline(always)]
fn takes_known<B: Board, const N: usize, const P: usize, I: Isa>(
    search: &mut Search<'_, '_, B, N, P, I>,
    victim: usize,
    direction: Direction,
    company: Company,
) {
    let back = direction.opposite() as usize;
    let first = search.geometry.step[victim][back] & search.empty;
    let landing = search.geometry.step[victim][direction as usize] & search.empty;
    if first.is_empty() || landing.is_empty() {
        return;
    }
    let path = Path {
        captured: B::bit(victim),
        order: u64::from(search.foe_kings.contains(victim)),
        ..Path::start()
    };
    let empty = search.empty;
    match company {
        Company::Alone => {
            follow::<B, N, P, I, Known<B>>(search, victim, direction, Known(B::bit(0)), &path);
        }
        Company::Foe => follow::<B, N, P, I, Foe<B>>(search, victim, direction, Foe(empty), &path),
        Company::Own => follow::<B, N, P, I, Own<B>>(search, victim, direction, Own(empty), &path),
    }
    let (geometry, empty) = (search.geometry, search.empty);
    let (fly, white) = (flying(search.rules), search.white);
    let ends = &mut *search.ends;
    for number in 0..ends.used() {
        let Some((precedence, word)) = ends.take_word(number) else {
            continue;
        };
        let mut start = first;
        // The other inner king is neither on the start nor between it and the victim.
        let mut free = B::ALL;
        while !start.is_empty() {
            free &= !start;
            let square = start.lowest();
            match company {
                Company::Alone => {
                    let if_known = |set: B| all_if::<B>(!set.is_empty()) & start;
                    ends.inner(precedence, &word.map(if_known));
                }
                Company::Own => ends.twice(precedence, square, &word.map(|set| set & free)),
                Company::Foe if white => {
                    ends.row(precedence, square, &word.map(|set| set & free));
                }
                Company::Foe => {
                    ends.column(precedence, square, &word.map(|set| set & free));
                }
            }
            if !fly {
                break;
            }
            start = geometry.step[square][back] & empty;
        }
    }
}

/// Searches what follows the jump over `victim`.
#[inline(always)]
fn follow<B: Board, const N: usize, const P: usize, I: Isa, M: super::record::Record<B, N>>(
    search: &mut Search<'_, '_, B, N, P, I>,
    victim: usize,
    direction: Direction,
    mut mask: M,
    path: &Path<B>,
) {
    if flying(search.rules) {
        search.flown::<M>(victim, direction, &mask, path);
        return;
    }
    let to = search.geometry.step[victim][direction as usize].lowest();
    mask.clear(to);
    if !mask.is_empty() {
        search.stepped::<M>(to, direction, true, &mask, path);
    }
}

/// Captures that begin with the foe's inner king.
///
/// For each landing square from which a chain may go on, it is searched on for all squares of the
/// victim at once. Everything else is settled from the one word of outcomes by landing square.
#[inline(always)]
fn takes_inner<B: Board, const N: usize, const P: usize, I: Isa>(
    search: &mut Search<'_, '_, B, N, P, I>,
    pieces: &Pieces<B>,
) {
    let landed = outcomes_by_landing::<B, N, P, I>(search, pieces);
    let (empty, fly) = (search.empty, flying(search.rules));
    let precedence = search.precedence(&Path::inner_taken());
    let goes_on = goes_on::<B, N, P, I>(search);
    // Behind a last victim only the next square, if it is a king's privilege to be stopped there.
    let far = fly && search.rules.king_landing == KingLanding::Any;
    for direction in Direction::ALL {
        let back = direction.opposite();
        let closed = step(empty, back) & empty & !goes_on[direction as usize];
        let mut victims = by_victim(search, &landed, back, far);
        victims.win &= closed;
        victims.draw &= closed;
        victims.any = closed;
        record_closed::<B, N, P, I>(search, precedence, direction, &victims);
    }
}

/// Records the chains that begin with the foe's inner king and go on. Returns the squares of the victim
/// for which there are any, by direction.
#[inline(always)]
fn goes_on<B: Board, const N: usize, const P: usize, I: Isa>(
    search: &mut Search<'_, '_, B, N, P, I>,
) -> [B; 4] {
    let (lines, empty, fly, white) = (
        search.lines,
        search.empty,
        flying(search.rules),
        search.white,
    );
    let far = fly && search.rules.king_landing != KingLanding::Behind;
    let mut goes_on = [B::EMPTY; 4];
    for landing in search.targets_from.squares() {
        let bit = B::bit(landing);
        let mut victims = [B::EMPTY; 4];
        let mut all = B::EMPTY;
        for direction in Direction::ALL {
            let back = direction.opposite();
            let behind = if far {
                lines.slide(bit, empty, back)
            } else {
                step(bit, back)
            };
            // Only those with room for the start.
            let behind = behind & empty & step(empty, direction);
            victims[direction as usize] = behind;
            all |= behind;
        }
        if all.is_empty() {
            continue;
        }
        let on = search.go_on(landing, all);
        for direction in Direction::ALL {
            goes_on[direction as usize] |= victims[direction as usize] & on;
        }
        let ends = &mut *search.ends;
        for number in 0..ends.used() {
            let Some((precedence, word)) = ends.take_word(number) else {
                continue;
            };
            for direction in Direction::ALL {
                let back = direction.opposite();
                for victim in (word.any & victims[direction as usize]).squares() {
                    let bit = B::bit(victim);
                    let starts = if fly {
                        lines.slide(bit, empty, back) & empty
                    } else {
                        step(bit, back) & empty
                    };
                    let ends_here = word.map(|set| all_if::<B>(!(set & bit).is_empty()) & starts);
                    if white {
                        ends.column(precedence, victim, &ends_here);
                    } else {
                        ends.row(precedence, victim, &ends_here);
                    }
                }
            }
        }
    }
    goes_on
}

/// Where the inner king, having taken the foe's and landed, has won or drawn.
#[inline(always)]
fn outcomes_by_landing<B: Board, const N: usize, const P: usize, I: Isa>(
    search: &mut Search<'_, '_, B, N, P, I>,
    pieces: &Pieces<B>,
) -> Outcome<B, P> {
    let foe = number(!search.white);
    if (pieces.men[foe] | pieces.kings[foe]).is_empty() {
        return Target::Over.by_word(search.empty);
    }
    let place = search
        .lookup
        .find::<I, Own<B>, N>(search.isa, pieces, search.white);
    Target::Words(search.lookup.words::<P>(place)).by_word(search.empty)
}

/// The outcomes of landing squares by the squares of a victim before them: the next one only, or with
/// `far` all beyond it too, the best of which counts.
#[inline(always)]
fn by_victim<B: Board, const N: usize, const P: usize, I: Isa>(
    search: &Search<'_, '_, B, N, P, I>,
    landed: &Outcome<B, P>,
    back: Direction,
    far: bool,
) -> Outcome<B, P> {
    let empty = search.empty;
    if P == 0 && far {
        return landed.map(|set| search.lines.slide(set, empty, back) & empty);
    }
    let from = moved(landed, back, empty, far);
    from.map(|set| set & empty)
}

/// Records single captures of the foe's inner king in one direction, `victims` being where that wins,
/// draws, and is possible.
#[inline(always)]
fn record_closed<B: Board, const N: usize, const P: usize, I: Isa>(
    search: &mut Search<'_, '_, B, N, P, I>,
    precedence: u64,
    direction: Direction,
    victims: &Outcome<B, P>,
) {
    let empty = search.empty;
    // From the square of White's inner king it looks for its victim, from the victim's for the start.
    let look = if search.white {
        direction
    } else {
        direction.opposite()
    };
    let bits = bits::<B, N>();
    let fly = flying(search.rules);
    let mut lines: [B; N] = search.lines.reach(fly, empty, look);
    if search.white {
        for row in 0..N {
            lines[row] &= all_if::<B>(!(bits[row] & empty).is_empty());
        }
        search.ends.lines(precedence, &lines, victims);
    } else {
        search.ends.rows(precedence, &lines, victims);
    }
}

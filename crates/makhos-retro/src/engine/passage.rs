//! What becomes, by a move, of the plies that the position it leads to needs: drawing rules as the engine
//! sees them.
//!
//! A [`Step`] follows from the classes before and after a move and from what kind of move it is, and the two
//! classes tell the kind, once it is known who moves. So all positions that are looked up in one class, with
//! one side to move, are reached by the same step, and it is taken where they are expanded into dense form
//! ([`subs`](super::subs)): the searches count plies as they do without drawing rules.

use makhos_index::{Army, Material, dependencies};
use makhos_rules::draw::{DrawRules, Progress, Step};
use makhos_rules::{Board, Color};

use super::distance::{PLANES, at_least};
use super::target::Words;
use crate::ruled::pieces;

/// Drawing rules, for the class in work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ruling {
    /// The rules.
    pub(crate) draw_rules: DrawRules,
    /// The fewest plies, 1 or more, that a move to a position which needs them comes too late for: what
    /// needs so many is drawn before the move.
    pub(crate) late: u16,
    /// Plies counted on the main road; 0 for a class that is not the material of that rule.
    pub(crate) road: u8,
}

impl Ruling {
    /// Plies counted on the main road after a move into `material`, another class, that does not count.
    pub(crate) fn counted_in(&self, material: Material) -> u8 {
        match &self.draw_rules.road {
            Some(road) if road.holds(&pieces(material)) => self.road,
            _ => 0,
        }
    }
}

/// What becomes of plies by a move into a position that needs them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Passage {
    /// The clock goes on: the move is one ply more.
    On,
    /// Whatever is needed is there: the move itself is all that it takes.
    ///
    /// No value of a class needs more than its clock has, so a fresh clock is always enough.
    Fresh,
}

impl Passage {
    /// Of the moves of `mover` that lead from the class `before` to the class `after`, or that stay in it if
    /// they are the same.
    pub(crate) fn of(
        draw_rules: &DrawRules,
        before: Material,
        after: Material,
        mover: Color,
    ) -> Self {
        let progress = progress(before, after, mover);
        match draw_rules.step(&pieces(before), &pieces(after), progress) {
            // Another clock caps what is left, but no value after it needs more than that.
            Step::On | Step::Capped(_) => Self::On,
            // In a class without a clock its plies are counted all the same.
            Step::Unclocked if before == after => Self::On,
            Step::Unclocked | Step::Fresh(_) => Self::Fresh,
        }
    }

    /// Changes the dense form of one configuration of men, pairs of planes of `rows` words a block, into what
    /// it is for who comes there by such a move. With `late` plies, 1 or more, a position is drawn for them.
    pub(crate) fn change<B: Board>(self, dense: &mut [B], rows: usize, late: u16) {
        let stride = dense.len() / (1 + PLANES / 2);
        let (outcomes, plies) = dense.split_at_mut(stride);
        if self == Self::Fresh {
            for pair in plies.chunks_exact_mut(2 * rows) {
                // The first plane is turned round.
                let (first, second) = pair.split_at_mut(rows);
                first.fill(B::ALL);
                second.fill(B::EMPTY);
            }
            return;
        }
        for (block, outcomes) in outcomes.chunks_exact_mut(2 * rows).enumerate() {
            let (unwon, lost) = outcomes.split_at_mut(rows);
            for row in 0..rows {
                let mut needed = [B::EMPTY; PLANES];
                for (p, plane) in needed.iter_mut().enumerate() {
                    let pair = &plies[p / 2 * stride + block * 2 * rows..];
                    *plane = Words::upright(pair[p % 2 * rows + row], p);
                }
                // Plies of drawn positions mean nothing, but these stay drawn.
                let drawn = at_least(&needed, late);
                unwon[row] |= drawn & B::ALL;
                lost[row] &= !drawn;
            }
        }
    }
}

/// What the moves of `mover` from one class to another are.
fn progress(before: Material, after: Material, mover: Color) -> Progress {
    let foe = mover.opponent();
    let promotes = after.army(mover).kings > before.army(mover).kings;
    match (after.army(foe) != before.army(foe), promotes) {
        (true, promotes) => Progress::Capture { promotes },
        (false, true) => Progress::Promotion,
        (false, false) => Progress::ManMove,
    }
}

/// Whether every move but those of kings that stay in the class makes all plies fresh: then outcomes of
/// finished positions are enough.
pub(crate) fn all_fresh(draw_rules: &DrawRules, material: Material) -> bool {
    let is_fresh = |after, mover| Passage::of(draw_rules, material, after, mover) == Passage::Fresh;
    let stays = material.men() > 0;
    let inside = !stays || is_fresh(material, Color::White);
    inside && led_to(material).all(|(after, mover)| is_fresh(after, mover))
}

/// The classes that moves lead to from `material`, with who makes them.
fn led_to(material: Material) -> impl Iterator<Item = (Material, Color)> {
    let needed = dependencies(material)
        .into_iter()
        .map(|needed| needed.material);
    let oriented = needed.flat_map(|class| [class, class.flip()]);
    let moves = oriented.flat_map(|class| [(class, Color::White), (class, Color::Black)]);
    moves.filter(move |&(after, mover)| {
        let [own, foe] = [mover, mover.opponent()].map(|side| material.army(side));
        let promoted = own.men > 0 && after.army(mover) == Army::new(own.men - 1, own.kings + 1);
        let left = after.army(mover.opponent());
        (after.army(mover) == own || promoted) && left.men <= foe.men && left.kings <= foe.kings
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use makhos_rules::draw::official;
    use makhos_rules::variant;

    fn class(name: &str) -> Material {
        name.parse().expect("a class")
    }

    #[test]
    fn two_classes_tell_the_kind_of_move() {
        let before = class("1m1k-1m1k");
        for (after, mover, expected) in [
            ("1m1k-1m1k", Color::White, Progress::ManMove),
            ("2k-1m1k", Color::White, Progress::Promotion),
            ("1m1k-2k", Color::Black, Progress::Promotion),
            (
                "1m1k-1k",
                Color::White,
                Progress::Capture { promotes: false },
            ),
            ("2k-1m", Color::White, Progress::Capture { promotes: true }),
            ("1m-2k", Color::Black, Progress::Capture { promotes: true }),
        ] {
            assert_eq!(progress(before, class(after), mover), expected, "{after}");
        }
    }

    #[test]
    fn moves_lead_where_they_may() {
        let led: Vec<(String, bool)> = led_to(class("1m1k-1k"))
            .map(|(class, mover)| (class.to_string(), mover.is_white()))
            .collect();
        // A man may become a king; Black takes the man or the king.
        for expected in [("2k-1k", true), ("1k-1k", false), ("1m-1k", false)] {
            let expected = (expected.0.to_string(), expected.1);
            assert!(led.contains(&expected), "{expected:?} in {led:?}");
        }
        assert!(!led.contains(&("2k-1k".to_string(), false)));
        assert!(!led.contains(&("1k-1k".to_string(), true)));
    }

    #[test]
    fn steps_become_passages() {
        let (russian, english) = (
            official::of(&variant::RUSSIAN),
            official::of(&variant::ENGLISH),
        );
        let passage =
            |before, after| Passage::of(&russian, class(before), class(after), Color::White);
        // A piece lost from three against a king: another clock. From two: the same, which goes on.
        assert_eq!(passage("3k-2k", "3k-1k"), Passage::Fresh);
        assert_eq!(passage("1m1k-1k", "2k-1k"), Passage::On);
        assert_eq!(passage("1m1k-1m1k", "1m1k-1m1k"), Passage::On);
        for name in ["1m1k-1k", "2m1k-2m1k", "3k-3k", "3m-2m"] {
            assert!(all_fresh(&english, class(name)), "{name}");
        }
        assert!(all_fresh(&russian, class("3m-2m")));
        assert!(all_fresh(&russian, class("2k-2k")));
        assert!(!all_fresh(&russian, class("1m1k-1m1k")));
        // Without a clock, moves of men are counted like those of kings.
        assert!(!all_fresh(&DrawRules::default(), class("1m1k-1k")));
        assert!(all_fresh(&DrawRules::default(), class("2k-1k")));
    }

    /// The dense form of two words: on square `s`, `values` has the outcome and the plies.
    fn dense(values: &[(bool, bool, u16)]) -> Vec<u32> {
        let mut dense = vec![0; 2 * (1 + PLANES / 2)];
        for (square, &(unwon, lost, plies)) in values.iter().enumerate() {
            dense[0] |= u32::from(unwon) << square;
            dense[1] |= u32::from(lost) << square;
            for p in 0..PLANES {
                dense[2 + p] |= u32::from(plies >> p & 1) << square;
            }
        }
        for pair in dense[2..].chunks_mut(2) {
            pair[0] = !pair[0];
        }
        dense
    }

    #[test]
    fn what_comes_too_late_is_drawn() {
        let (won, lost) = ((false, false), (true, true));
        let with = |(unwon, lost): (bool, bool), plies| (unwon, lost, plies);
        let before = [with(won, 5), with(lost, 5), with(won, 6), with(lost, 6)];
        let draw = (true, false, 6);
        let mut on = dense(&before);
        Passage::On.change(&mut on, 1, 6);
        let expected = dense(&[before[0], before[1], draw, draw]);
        // Squares that are not in use hold anything.
        let used = |words: &[u32]| words.iter().map(|word| word & 15).collect::<Vec<_>>();
        assert_eq!(used(&on), used(&expected));
        let mut fresh = dense(&before);
        Passage::Fresh.change(&mut fresh, 1, 6);
        let expected = dense(&[with(won, 0), with(lost, 0), with(won, 0), with(lost, 0)]);
        assert_eq!(used(&fresh), used(&expected));
    }
}

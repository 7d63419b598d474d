//! Drawing rules in the tree: what [`DrawRules::after`] does, without counting pieces where material stays.

use makhos_rules::draw::{Counters, DrawRules, Pieces, Progress};
use makhos_rules::{Board, Move, Position};

/// Counters with more plies left are not told apart by the hash table. A value that is found there could depend
/// on them only in a search that looks further ahead than this without anything that resets the clock.
const HORIZON: u16 = 40;

/// The counters of a position, and what governs it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ClockState {
    counters: Counters,
    governing: Option<u8>,
    /// Whether the material is that of the rule of the main road.
    road: bool,
}

/// The drawing rules of a search.
#[derive(Debug)]
pub(super) struct Clocks {
    rules: DrawRules,
    /// Whether anything counts.
    count: bool,
}

impl Clocks {
    pub(super) fn new(rules: DrawRules) -> Self {
        Self {
            count: !rules.clocks.is_empty() || rules.road.is_some(),
            rules,
        }
    }

    pub(super) fn rules(&self) -> &DrawRules {
        &self.rules
    }

    /// The fewest plies after which a game with these counters can be drawn by them; `None` if it never is.
    pub(super) fn soonest(&self, counters: Counters) -> Option<u32> {
        let clocks = self.rules.clocks.iter().map(|clock| clock.plies);
        let road = self
            .rules
            .road
            .iter()
            .map(|road| u16::from(road.plies.saturating_sub(counters.road)));
        let soonest = clocks.chain(road).chain(counters.left).min();
        soonest.map(u32::from)
    }

    pub(super) fn state<B: Board>(&self, position: &Position<B>, counters: Counters) -> ClockState {
        let pieces = Pieces::of(position);
        ClockState {
            counters,
            governing: self.governing(&pieces),
            road: self
                .rules
                .road
                .as_ref()
                .is_some_and(|road| road.holds(&pieces)),
        }
    }

    fn governing(&self, pieces: &Pieces) -> Option<u8> {
        self.rules.governing(pieces).map(|number| number as u8)
    }

    /// The state after `mv`, which leads from `before` to `after`.
    #[inline]
    pub(super) fn after<B: Board>(
        &self,
        state: ClockState,
        before: &Position<B>,
        mv: &Move<B>,
        after: &Position<B>,
    ) -> ClockState {
        if !self.count {
            return state;
        }
        let progress = Progress::of(before, mv);
        if !matches!(progress, Progress::KingMove | Progress::ManMove) {
            return self.after_change(state, before, mv, after);
        }
        let mut next = state;
        if let Some(governing) = state.governing {
            let clock = &self.rules.clocks[usize::from(governing)];
            next.counters.left = if progress == Progress::ManMove && clock.resets.man_move {
                Some(clock.plies)
            } else {
                state.counters.left.map(|left| left.saturating_sub(1))
            };
        }
        if let Some(rule) = &self.rules.road {
            let counted = state.road && rule.counts(after);
            let so_far = if state.road { state.counters.road } else { 0 };
            next.counters.road = so_far.saturating_add(u8::from(counted));
        }
        next
    }

    /// The state after a move that changes the material.
    #[inline(never)]
    fn after_change<B: Board>(
        &self,
        state: ClockState,
        before: &Position<B>,
        mv: &Move<B>,
        after: &Position<B>,
    ) -> ClockState {
        self.state(after, self.rules.after(state.counters, before, mv))
    }

    /// Whether the game is drawn unless the side to move has no move.
    #[inline(always)]
    pub(super) fn is_drawn(&self, state: &ClockState) -> bool {
        self.count
            && ((state.counters.left == Some(0) && state.governing.is_some())
                || self
                    .rules
                    .road
                    .as_ref()
                    .is_some_and(|road| state.counters.road >= road.plies))
    }

    /// What the counters change of a position's key.
    #[inline(always)]
    pub(super) fn key(&self, state: &ClockState) -> u64 {
        let left = state.counters.left.filter(|left| *left <= HORIZON);
        let left = left.map_or(0, |left| u64::from(left) + 1);
        let counters = left | u64::from(state.counters.road) << 16;
        counters.wrapping_mul(0xd6e8_feb8_6659_fd93)
    }
}

#[cfg(test)]
mod tests {
    use makhos_rules::draw::official;
    use makhos_rules::{BoardSize, RuleSet, variant};

    use super::*;

    fn same_as_the_rules<B: Board>(rules: &RuleSet) {
        let clocks = Clocks::new(official::of(rules));
        let mut seed = 7_u64;
        for _ in 0..60 {
            let mut position = Position::<B>::start(rules);
            let mut counters = clocks.rules.fresh(&position);
            let mut state = clocks.state(&position, counters);
            for _ in 0..250 {
                let moves = rules.legal_moves(&position);
                if moves.is_empty() {
                    break;
                }
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let mv = moves[(seed >> 33) as usize % moves.len()];
                let next = position.make(&mv);
                counters = clocks.rules.after(counters, &position, &mv);
                state = clocks.after(state, &position, &mv, &next);
                position = next;
                assert_eq!(state, clocks.state(&position, counters));
                let drawn = clocks.rules.drawn(&counters, &position).is_some();
                assert_eq!(clocks.is_drawn(&state), drawn);
                if drawn {
                    break;
                }
            }
        }
    }

    #[test]
    fn counters_are_those_of_the_rules_in_every_variant() {
        for rules in variant::ALL {
            match rules.board {
                BoardSize::Eight => same_as_the_rules::<u32>(rules),
                BoardSize::Ten => same_as_the_rules::<u64>(rules),
                BoardSize::Twelve => same_as_the_rules::<u128>(rules),
            }
        }
    }
}

//! Where no side has kings and every move counts anew.

use makhos_index::PlacementIndex;
use makhos_probe::{PackedDtw, SideStatistics};
use makhos_rules::{Board, RuleSet};

use crate::engine::SolvedOutcomes;
use crate::reference::SolvedSide;

/// The values of the positions of a class without kings, in plies to the next move of a man or capture, by
/// their outcomes: every move is one, so it is one ply, or none where there is no move. `value` packs the
/// value of a position that is lost, or else won, in so many plies.
pub(crate) fn one_ply_each<B: Board>(
    rules: &RuleSet,
    index: &PlacementIndex<B>,
    solved: SolvedOutcomes,
    value: fn(bool, u16) -> PackedDtw,
) -> SolvedSide {
    let bit = |plane: &[u64], at: u64| plane[(at / 64) as usize] >> (at % 64) & 1 == 1;
    let mut moves = Vec::new();
    let mut statistics = SideStatistics::default();
    let mut values = Vec::with_capacity(index.len() as usize);
    for at in 0..index.len() {
        let packed = if bit(&solved.win, at) {
            value(false, 1)
        } else if bit(&solved.loss, at) {
            rules.legal_moves_into(&index.position(at, solved.side), &mut moves);
            value(true, u16::from(!moves.is_empty()))
        } else {
            PackedDtw::DRAW
        };
        values.push(packed);
        statistics.record(at, packed, bit(&solved.captures, at));
    }
    SolvedSide {
        side: solved.side,
        values,
        captures: solved.captures,
        statistics,
    }
}

//! Which of the possible captures are allowed.

use makhos_rules::rules::Precedence;

use super::capture::Capture;

/// The captures that no other one outranks.
pub(crate) fn allowed(precedence: Precedence, captures: Vec<Capture>) -> Vec<Capture> {
    let Some(best) = captures.iter().map(|c| rank(precedence, c)).max() else {
        return captures;
    };
    captures
        .into_iter()
        .filter(|capture| rank(precedence, capture) == best)
        .collect()
}

/// What counts under the rule, the most important first.
fn rank(precedence: Precedence, capture: &Capture) -> Vec<usize> {
    let pieces = capture.jumps.len();
    let by_king = usize::from(capture.by_king);
    let order = capture
        .jumps
        .iter()
        .map(|jump| usize::from(jump.takes_king));
    let kings = order.clone().sum();
    match precedence {
        Precedence::Free => vec![],
        Precedence::KingFirst => vec![by_king],
        Precedence::MostPieces => vec![pieces],
        Precedence::MostPiecesThenKings => vec![pieces, kings],
        Precedence::Italian => [pieces, by_king, kings].into_iter().chain(order).collect(),
    }
}

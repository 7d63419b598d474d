//! Settling a configuration of men in which positions are counted on the main road.
//!
//! A king that moves to such a position finds one ply more counted, so there it sees the value with one more,
//! which is known. The position itself, with as many counted as before, is seen by nobody. So a configuration
//! is settled three times: once with the counted positions fixed to what is seen of them, which settles what is
//! seen of all others; then each side to move for itself, the other fixed to what is seen of it.

use makhos_rules::Board;

use super::PLANES;
use super::cube::DistanceCube;
use super::solve::{DistanceWork, Worker};
use crate::engine::class::color;
use crate::engine::isa::Isa;
use crate::engine::layout::expand;
use crate::engine::planes::Packed;
use crate::error::GenerateError;

/// Pairs of planes of all values: outcomes and plies.
const PAIRS: usize = 1 + PLANES / 2;

/// What is seen of some positions with one side to move, in dense form.
struct Seen<B> {
    /// The other positions, in the place of unwon ones.
    others: Vec<B>,
    /// Outcomes and plies.
    pairs: Vec<Vec<B>>,
}

impl<B: Board, const N: usize, const P: usize, I: Isa> DistanceWork<'_, B, N, P, I> {
    /// Settles the moves of kings where positions are counted on the main road.
    pub(super) fn settle_counted(
        &self,
        men: [B; 2],
        worker: &mut Worker<'_, B, N, P, I>,
        shared: bool,
    ) -> Result<(), GenerateError> {
        let counted = [self.counted(men, 0)?, self.counted(men, 1)?];
        if counted.iter().all(Option::is_none) {
            return self.settle(men, worker, shared);
        }
        let looked = worker.cube.clone();
        for (side, counted) in counted.iter().enumerate() {
            if let Some(seen) = counted {
                worker.cube.fix(side, &seen.others, &seen.pairs);
            }
        }
        self.settle(men, worker, shared)?;
        let seen = [0, 1].map(|side| all_seen(&worker.cube, side));
        let mut solved = looked.clone();
        for side in [0, 1] {
            let other = 1 - side;
            worker.cube.clone_from(&looked);
            worker
                .cube
                .fix(other, &seen[other].others, &seen[other].pairs);
            self.settle(men, worker, shared)?;
            solved.take_side(side, &mut worker.cube);
        }
        worker.cube = solved;
        Ok(())
    }

    /// What is seen of the counted positions with one side to move; `None` if there are none.
    fn counted(&self, men: [B; 2], side: usize) -> Result<Option<Seen<B>>, GenerateError> {
        let (start, inner) = (self.start(men), self.index.inner());
        let positions = start..start + inner;
        let Some(counted) = self.subs.counted(color(side), positions, PAIRS)? else {
            return Ok(None);
        };
        Ok(Some(Seen {
            others: self.dense(men, &counted.which),
            pairs: counted
                .pairs
                .iter()
                .map(|pair| self.dense(men, pair))
                .collect(),
        }))
    }

    /// The dense form of a pair of planes of a configuration, in the form of a cube.
    fn dense(&self, men: [B; 2], stored: &Packed) -> Vec<B> {
        let mut dense = vec![B::EMPTY; 2 * self.room.blocks() * self.rows()];
        let all_men = men[0] | men[1];
        // The class is one that is stored as it is solved.
        let (isa, shape, kings) = (self.isa, self.shape, self.kings);
        expand::<I, B, N>(isa, shape, kings, all_men, false, stored, 0, &mut dense);
        dense
    }
}

/// What is seen of all positions of a settled cube with one side to move.
fn all_seen<B: Board>(cube: &DistanceCube<B>, side: usize) -> Seen<B> {
    let mut pairs = Vec::new();
    for number in 0..PAIRS {
        let mut pair = Vec::new();
        cube.pair(side, number, &mut pair);
        pairs.push(pair);
    }
    Seen {
        others: vec![B::EMPTY; pairs[0].len()],
        pairs,
    }
}

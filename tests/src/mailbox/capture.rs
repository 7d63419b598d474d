//! Complete captures of one piece, by walking over copies of the board.

use makhos_rules::RuleSet;
use makhos_rules::rules::{KingLanding, KingRange, Promotion, Removal};

use super::grid::{Cell, Grid, Piece, STEPS, Step, is_forward};

/// One piece jumped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Jump {
    /// The direction of the jump.
    pub(crate) step: Step,
    /// Where the captured piece stands.
    pub(crate) over: Cell,
    /// Whether the captured piece is a king.
    pub(crate) takes_king: bool,
    /// Where the capturing piece lands.
    pub(crate) land: Cell,
}

/// A capture that cannot be continued.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Capture {
    /// Where the piece starts.
    pub(crate) from: Cell,
    /// Whether it is a king at the start.
    pub(crate) by_king: bool,
    /// Whether it is a king at the end.
    pub(crate) ends_as_king: bool,
    /// The jumps in their order; at least one.
    pub(crate) jumps: Vec<Jump>,
}

impl Capture {
    /// Where the piece ends.
    pub(crate) fn to(&self) -> Cell {
        self.jumps[self.jumps.len() - 1].land
    }

    /// The start, the cell after each jump but the last, and the end. A piece that jumps straight on
    /// has no choice of a cell between the two pieces: the one right behind the first is named.
    pub(crate) fn path(&self) -> Vec<Cell> {
        let mut path = vec![self.from];
        for pair in self.jumps.windows(2) {
            path.push(if pair[0].step == pair[1].step {
                pair[0].over.next(pair[0].step)
            } else {
                pair[0].land
            });
        }
        path.push(self.to());
        path
    }
}

/// Every complete capture of the piece on `from`. A flying king's capture appears more than once if it
/// can land on several cells on a straight way to the next piece.
pub(crate) fn captures_from(rules: &RuleSet, grid: &Grid, from: Cell) -> Vec<Capture> {
    let Some(piece) = grid.at(from) else {
        return Vec::new();
    };
    let mut walk = Walk {
        rules,
        from,
        by_king: piece.king,
        found: Vec::new(),
    };
    // The start cell counts as empty during the move.
    walk.go_on(&grid.with(from, None), from, piece, &[]);
    walk.found
}

struct Walk<'a> {
    rules: &'a RuleSet,
    from: Cell,
    by_king: bool,
    found: Vec<Capture>,
}

/// A piece that can be jumped, and every cell where the jumping piece might land.
struct Target {
    step: Step,
    over: Cell,
    takes_king: bool,
    /// Nearest first, at least one.
    lands: Vec<Cell>,
}

impl Walk<'_> {
    /// Jumps each piece that can be jumped from `at`, `grid` being the board without the walking
    /// piece.
    fn go_on(&mut self, grid: &Grid, at: Cell, piece: Piece, jumps: &[Jump]) {
        for target in self.targets(grid, at, piece, jumps) {
            let grid = match self.rules.removal {
                Removal::AtOnce => grid.with(target.over, None),
                Removal::AtEnd => grid.clone(),
            };
            let mut goes_on = false;
            for &land in &target.lands {
                let jumps = extended(jumps, &target, land);
                let (piece, ends) = self.crown(&grid, piece, land);
                if !ends && !self.targets(&grid, land, piece, &jumps).is_empty() {
                    goes_on = true;
                    self.go_on(&grid, land, piece, &jumps);
                }
            }
            // A piece that can go on from one of the cells must land on such a cell.
            if !goes_on {
                for &land in self.last_lands(&target) {
                    self.finish(&grid, piece, extended(jumps, &target, land));
                }
            }
        }
    }

    /// What `piece` is after landing on `land`, and whether its capture is over by that.
    fn crown(&self, grid: &Grid, piece: Piece, land: Cell) -> (Piece, bool) {
        if piece.king || !grid.is_last_row(land, piece.color) {
            return (piece, false);
        }
        let king = Piece {
            king: true,
            ..piece
        };
        match self.rules.promotion {
            Promotion::Stop => (king, true),
            Promotion::Pass => (piece, false),
            Promotion::Continue => (king, false),
        }
    }

    /// The cells on which the capture may end when `target` is the last piece taken.
    fn last_lands<'t>(&self, target: &'t Target) -> &'t [Cell] {
        match self.rules.king_landing {
            KingLanding::BehindIfLastIsKing if target.takes_king => &target.lands[..1],
            _ => &target.lands,
        }
    }

    fn finish(&mut self, grid: &Grid, piece: Piece, jumps: Vec<Jump>) {
        let end = jumps[jumps.len() - 1].land;
        self.found.push(Capture {
            from: self.from,
            by_king: self.by_king,
            ends_as_king: piece.king || grid.is_last_row(end, piece.color),
            jumps,
        });
    }

    /// Every piece that `piece` can jump from `at` after `jumps`.
    fn targets(&self, grid: &Grid, at: Cell, piece: Piece, jumps: &[Jump]) -> Vec<Target> {
        STEPS
            .into_iter()
            .filter(|step| self.may_jump(piece, *step, jumps))
            .filter_map(|step| self.target(grid, at, piece, step, jumps))
            .collect()
    }

    /// Whether the rules let `piece` capture in the direction `step` after `jumps`.
    fn may_jump(&self, piece: Piece, step: Step, jumps: &[Jump]) -> bool {
        if !piece.king {
            return self.rules.man_captures_backward || is_forward(step, piece.color);
        }
        let turns_round = jumps
            .last()
            .is_some_and(|last| last.step == (-step.0, -step.1));
        self.rules.uturn || !turns_round
    }

    fn target(
        &self,
        grid: &Grid,
        at: Cell,
        piece: Piece,
        step: Step,
        jumps: &[Jump],
    ) -> Option<Target> {
        let flies = piece.king && self.rules.king_range == KingRange::Flying;
        let mut over = at.next(step);
        while flies && grid.is_free(over) {
            over = over.next(step);
        }
        let victim = grid.at(over)?;
        let jumped_before = jumps.iter().any(|jump| jump.over == over);
        if victim.color == piece.color
            || (victim.king && !piece.king && !self.rules.man_captures_king)
            || (self.rules.removal == Removal::AtEnd && jumped_before)
        {
            return None;
        }
        let mut lands = Vec::new();
        let mut land = over.next(step);
        while grid.is_free(land) {
            lands.push(land);
            if !flies || self.rules.king_landing == KingLanding::Behind {
                break;
            }
            land = land.next(step);
        }
        (!lands.is_empty()).then_some(Target {
            step,
            over,
            takes_king: victim.king,
            lands,
        })
    }
}

/// `jumps` and one more.
fn extended(jumps: &[Jump], target: &Target, land: Cell) -> Vec<Jump> {
    let mut jumps = jumps.to_vec();
    jumps.push(Jump {
        step: target.step,
        over: target.over,
        takes_king: target.takes_king,
        land,
    });
    jumps
}

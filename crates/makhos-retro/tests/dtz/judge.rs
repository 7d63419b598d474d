//! The judge of draw-rule tables: values of states, a position with all its counters, each from the states
//! that its moves lead to and nothing else. Plain and slow.

use std::collections::HashMap;

use makhos_index::{Material, PlacementIndex, normalize, stored_sides};
use makhos_probe::{Wld, road_tables};
use makhos_rules::draw::{Counters, DrawRules, Pieces, Progress, Step};
use makhos_rules::{Board, Position, RuleSet};

/// Values of all states of the classes judged so far.
pub(crate) struct Judge<'a, B> {
    rules: &'a RuleSet,
    draw_rules: &'a DrawRules,
    classes: HashMap<Material, Judged<B>>,
}

/// The states of one class: by side, position, plies on the main road, plies left.
struct Judged<B> {
    index: PlacementIndex<B>,
    /// States of the counters of one position: plies left from 0 to the limit, for each number of plies on
    /// the road.
    lefts: usize,
    roads: usize,
    values: Vec<Vec<Wld>>,
}

/// A move, as far as counters do not decide where it leads.
struct Reply {
    /// `None`: the other side has no pieces any more.
    target: Option<(Material, usize, u64)>,
    /// Whether the other side has no move.
    ends: bool,
    step: Step,
    /// Whether what was counted on the road still counts, and whether one more is counted.
    keeps_road: bool,
    on_road: bool,
}

impl<B: Board> Judged<B> {
    fn state(&self, counters: Counters) -> usize {
        let left = counters.left.map_or(0, usize::from);
        usize::from(counters.road).min(self.roads - 1) * self.lefts + left
    }
}

impl<'a, B: Board> Judge<'a, B> {
    pub(crate) fn new(rules: &'a RuleSet, draw_rules: &'a DrawRules) -> Self {
        Self {
            rules,
            draw_rules,
            classes: HashMap::new(),
        }
    }

    /// The value of a state of a class judged before.
    pub(crate) fn value(&self, material: Material, slot: usize, index: u64, at: Counters) -> Wld {
        let class = &self.classes[&material];
        class.values[slot][index as usize * class.lefts * class.roads + class.state(at)]
    }

    /// Judges a class, after all that it needs.
    pub(crate) fn judge(&mut self, material: Material) {
        let index = PlacementIndex::<B>::new(material).expect("a small class");
        let sides = stored_sides(material);
        let pieces = Pieces {
            men: [material.white.men.into(), material.black.men.into()],
            kings: [material.white.kings.into(), material.black.kings.into()],
        };
        let limit = self.draw_rules.limit(&pieces);
        let lefts = limit.map_or(1, |limit| usize::from(limit) + 1);
        // What has counted enough on the road is drawn and needs no state.
        let roads = usize::from(road_tables(self.draw_rules, material));
        let states = index.len() as usize * lefts * roads;
        let judged = Judged {
            index,
            lefts,
            roads,
            values: vec![vec![Wld::Draw; states]; sides.len()],
        };
        self.classes.insert(material, judged);
        let replies: Vec<Vec<Vec<Reply>>> = (0..sides.len())
            .map(|slot| self.all_replies(material, slot))
            .collect();
        // States of fewer plies left first, so that few rounds are needed; until nothing changes.
        loop {
            let mut changed = false;
            for road in (0..roads).rev() {
                for left in 0..lefts {
                    let at = Counters {
                        left: limit.map(|_| left as u16),
                        road: road as u8,
                    };
                    for (slot, replies) in replies.iter().enumerate() {
                        changed |= self.round(material, slot, replies, at);
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn all_replies(&self, material: Material, slot: usize) -> Vec<Vec<Reply>> {
        let class = &self.classes[&material];
        let side = stored_sides(material)[slot];
        (0..class.index.len())
            .map(|index| self.replies(&class.index.position(index, side)))
            .collect()
    }

    fn replies(&self, position: &Position<B>) -> Vec<Reply> {
        let moves = self.rules.legal_moves(position);
        let before = Pieces::of(position);
        let road = self.draw_rules.road.as_ref();
        let reply = |mv: &makhos_rules::Move<B>| {
            let after = position.make(mv);
            let pieces = Pieces::of(&after);
            let over = after.pieces(after.side()).is_empty();
            let target = (!over).then(|| {
                let after = normalize(&after);
                let material = Material::of(&after);
                let index = self.classes[&material].index.index(&after);
                let sides = stored_sides(material).iter();
                let slot = sides.clone().position(|&side| side == after.side());
                (material, slot.expect("a stored side"), index)
            });
            Reply {
                target,
                ends: self.rules.legal_moves(&after).is_empty(),
                step: self
                    .draw_rules
                    .step(&before, &pieces, Progress::of(position, mv)),
                keeps_road: road.is_some_and(|road| road.holds(&before) && road.holds(&pieces)),
                on_road: road.is_some_and(|road| road.holds(&pieces) && road.counts(&after)),
            }
        };
        moves.iter().map(reply).collect()
    }

    /// Judges all positions with one state of the counters; whether any changed.
    fn round(
        &mut self,
        material: Material,
        slot: usize,
        replies: &[Vec<Reply>],
        at: Counters,
    ) -> bool {
        let mut changed = false;
        for (index, replies) in (0..).zip(replies) {
            let value = self.by_moves(replies, at);
            let class = self.classes.get_mut(&material).expect("in work");
            let state = index as usize * class.lefts * class.roads + class.state(at);
            let known = &mut class.values[slot][state];
            changed |= *known != value;
            *known = value;
        }
        changed
    }

    fn by_moves(&self, replies: &[Reply], at: Counters) -> Wld {
        // No move: lost, whatever the counters say.
        if !replies.is_empty() && at.left == Some(0) {
            return Wld::Draw;
        }
        let values = replies.iter().map(|reply| self.by_move(reply, at).before());
        values.max().unwrap_or(Wld::Loss)
    }

    fn by_move(&self, reply: &Reply, at: Counters) -> Wld {
        let Some((material, slot, index)) = reply.target else {
            return Wld::Loss;
        };
        let so_far = if reply.keeps_road { at.road } else { 0 };
        let road = so_far + u8::from(reply.on_road);
        let after = Counters {
            left: reply.step.apply(at.left),
            road,
        };
        let rule = self.draw_rules.road.as_ref();
        if rule.is_some_and(|rule| road >= rule.plies) {
            // Drawn, unless the game is over.
            return if reply.ends { Wld::Loss } else { Wld::Draw };
        }
        self.value(material, slot, index, after)
    }
}

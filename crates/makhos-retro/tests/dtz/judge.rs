//! The judge of draw-rule tables: values of states, a position with all its counters, each from the states
//! that its moves lead to and nothing else. Plain and slow.

use std::collections::HashMap;

use makhos_index::{Material, PlacementIndex, normalize, stored_sides};
use makhos_probe::{Wld, road_tables};
use makhos_rules::draw::{Counters, DrawRules, Pieces, Progress, Step};
use makhos_rules::{Board, Color, Position, RuleSet};
use rayon::prelude::*;

/// Values of all states of the classes judged so far.
pub(crate) struct Judge<'a, B> {
    rules: &'a RuleSet,
    draw_rules: &'a DrawRules,
    numbers: HashMap<Material, usize>,
    classes: Vec<Judged<B>>,
}

/// The states of one class.
struct Judged<B> {
    index: PlacementIndex<B>,
    /// States of the counters of one position: plies left from 0 to the limit, for each number of plies on
    /// the road.
    lefts: usize,
    roads: usize,
    /// By side, state of the counters, position: a round over the positions stays in one short vector.
    values: Vec<Vec<Vec<Wld>>>,
}

/// A move, as far as counters do not decide where it leads.
struct Reply {
    /// `None`: the other side has no pieces any more.
    /// Else the number of its class, of the side in it and of the position.
    target: Option<(u32, u32, u32)>,
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
            numbers: HashMap::new(),
            classes: Vec::new(),
        }
    }

    /// The value of a state of a class judged before.
    pub(crate) fn value(&self, material: Material, slot: usize, index: u64, at: Counters) -> Wld {
        let class = &self.classes[self.numbers[&material]];
        class.values[slot][class.state(at)][index as usize]
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
        let positions = vec![Wld::Draw; index.len() as usize];
        let judged = Judged {
            index,
            lefts,
            roads,
            values: vec![vec![positions; lefts * roads]; sides.len()],
        };
        let number = self.classes.len();
        self.numbers.insert(material, number);
        self.classes.push(judged);
        let replies: Vec<Vec<Vec<Reply>>> = sides
            .iter()
            .map(|&side| self.all_replies(number, side))
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
                        changed |= self.round(number, slot, replies, at);
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn all_replies(&self, number: usize, side: Color) -> Vec<Vec<Reply>> {
        let class = &self.classes[number];
        (0..class.index.len())
            .into_par_iter()
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
                let number = self.numbers[&material];
                let index = self.classes[number].index.index(&after);
                let mut sides = stored_sides(material).iter();
                let slot = sides.position(|&side| side == after.side());
                let slot = slot.expect("a stored side");
                (number as u32, slot as u32, index as u32)
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
    fn round(&mut self, number: usize, slot: usize, replies: &[Vec<Reply>], at: Counters) -> bool {
        let replies = replies.par_iter().with_min_len(1024);
        let values: Vec<Wld> = replies.map(|replies| self.by_moves(replies, at)).collect();
        let class = &mut self.classes[number];
        let state = class.state(at);
        let known = &mut class.values[slot][state];
        let changed = *known != values;
        *known = values;
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
        let Some((number, slot, index)) = reply.target else {
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
        let class = &self.classes[number as usize];
        class.values[slot as usize][class.state(after)][index as usize]
    }
}

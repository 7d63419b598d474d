//! The tree below the root.

use std::mem;

use makhos_probe::Wld;
use makhos_rules::draw::Progress;
use makhos_rules::{Board, Move};

use super::order::pick;
use super::searcher::{Hashing, MOST_PLIES, Node, Searcher};
use super::table::{Bound, Known, ShortMove, position_key};
use crate::eval::Evaluator;
use crate::mobility::has_quiet_move;
use crate::score::{Score, from_node, to_node};

/// The window of a search.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
}

/// What was found among the moves of a node.
struct Found {
    score: i32,
    best: ShortMove,
}

impl<B: Board, E: Evaluator<B>> Searcher<B, E> {
    /// The node after a move from a node at `ply`.
    #[inline(always)]
    pub(super) fn child(
        &self,
        node: &Node<B>,
        mv: &Move<B>,
        ply: usize,
        extension: u32,
    ) -> Node<B> {
        let position = node.position.make(mv);
        let reversible = !Progress::of(&node.position, mv).is_irreversible();
        Node {
            position,
            clock: self.clocks.after(node.clock, &node.position, mv, &position),
            since: if reversible { node.since } else { ply + 1 },
            extensions: node.extensions + extension,
            threats: node.threats,
        }
    }

    /// The value of a node, `depth` plies deep and then until it is quiet.
    pub(super) fn descend(
        &mut self,
        node: &Node<B>,
        ply: usize,
        depth: i32,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        if depth <= 0 {
            return self.quiesce(node, ply, alpha, beta);
        }
        let mut window = Window { alpha, beta };
        if let Some(score) = self.enter(node, ply) {
            return score;
        }
        if self.switches.distance_pruning {
            window.alpha = alpha.max(Score::loss_in(ply as u32).get());
            window.beta = beta.min(Score::win_in(ply as u32 + 1).get());
            if window.alpha >= window.beta {
                return window.alpha;
            }
        }
        let hashing = self.switches.hashing != Hashing::Off;
        let key = if hashing {
            position_key(&node.position) ^ self.clocks.key(&node.clock)
        } else {
            0
        };
        let mut best = ShortMove::NONE;
        if hashing && let Some(known) = self.table.get(key) {
            best = known.best;
            if let Some(score) = self.cut_off(&known, ply, depth, window) {
                return score;
            }
        }
        let mut moves = mem::take(&mut self.frames[ply].moves);
        self.rules.legal_moves_into(&node.position, &mut moves);
        let score = self.search_moves(node, ply, depth, window, best, &mut moves, key);
        self.frames[ply].moves = moves;
        score
    }

    /// Counts the node and looks whether it needs no search.
    #[inline(always)]
    fn enter(&mut self, node: &Node<B>, ply: usize) -> Option<i32> {
        self.frames[ply].pv.clear();
        if !self.budget.spend() {
            return Some(0);
        }
        self.path[ply] = node.position;
        if self.clocks.is_drawn(&node.clock) {
            let stuck = self.rules.legal_moves(&node.position).is_empty();
            return Some(if stuck {
                Score::loss_in(ply as u32).get()
            } else {
                0
            });
        }
        if self.is_repeated(node, ply) {
            return Some(0);
        }
        (ply >= MOST_PLIES - 1).then(|| self.evaluator.evaluate(&node.position).get())
    }

    /// Whether the position has come back, in the line or often enough in the game.
    #[inline(always)]
    fn is_repeated(&self, node: &Node<B>, ply: usize) -> bool {
        // Two moves of each side are the least way back.
        let mut back = ply.saturating_sub(4);
        while ply >= 4 && back >= node.since {
            if self.path[back] == node.position {
                return true;
            }
            if back < 2 {
                break;
            }
            back -= 2;
        }
        node.since == 0 && !self.earlier.is_empty() && self.is_repeated_in_game(node)
    }

    #[inline(never)]
    fn is_repeated_in_game(&self, node: &Node<B>) -> bool {
        let Some(rule) = &self.clocks.rules().repetition else {
            return false;
        };
        let before = self.earlier.iter().filter(|seen| **seen == node.position);
        before.count() + 1 >= usize::from(rule.times)
    }

    /// The score that what is known of a node makes unnecessary to search for.
    #[inline(always)]
    fn cut_off(&self, known: &Known, ply: usize, depth: i32, window: Window) -> Option<i32> {
        let deep_enough = match self.switches.hashing {
            Hashing::Off => false,
            Hashing::SameDepth => known.depth == depth,
            Hashing::On => known.depth >= depth,
        };
        // Nodes of the expected line are searched, so that the line is whole.
        if !deep_enough || window.beta - window.alpha > 1 {
            return None;
        }
        let score = from_node(known.score, ply);
        let enough = match known.bound {
            Bound::Exact => true,
            Bound::Lower => score >= window.beta,
            Bound::Upper => score <= window.alpha,
        };
        enough.then_some(score)
    }

    /// The value by tables of a node without captures.
    #[inline(always)]
    fn probe(&mut self, node: &Node<B>, ply: usize) -> Option<i32> {
        let endgames = self.endgames.as_ref()?;
        let pieces = node.position.piece_count();
        if pieces > endgames.max_pieces() || pieces >= self.probe_below {
            return None;
        }
        let value = endgames.probe(&node.position)?;
        self.table_hits += 1;
        let score = match value {
            Wld::Win => Score::table_win(ply as u32),
            Wld::Draw => Score::DRAW,
            Wld::Loss => Score::table_loss(ply as u32),
        };
        Some(score.get())
    }

    /// Ends of the game, tables, moves; and what is to be remembered of it.
    #[expect(clippy::too_many_arguments, reason = "one search, cut in two")]
    fn search_moves(
        &mut self,
        node: &Node<B>,
        ply: usize,
        depth: i32,
        window: Window,
        best: ShortMove,
        moves: &mut [Move<B>],
        key: u64,
    ) -> i32 {
        let Some(first) = moves.first() else {
            return Score::loss_in(ply as u32).get();
        };
        if !first.is_capture()
            && let Some(score) = self.probe(node, ply)
        {
            return score;
        }
        let frame = &mut self.frames[ply];
        let mut scores = mem::take(&mut frame.scores);
        let killers = frame.killers;
        self.record
            .rate(&node.position, moves, best, &killers, &mut scores);
        let found = self.try_moves(node, ply, depth, window, moves, &mut scores);
        self.frames[ply].scores = scores;
        if self.budget.is_stopped() {
            return 0;
        }
        if self.switches.hashing != Hashing::Off {
            let bound = if found.score >= window.beta {
                Bound::Lower
            } else if found.score > window.alpha {
                Bound::Exact
            } else {
                Bound::Upper
            };
            let known = Known {
                score: to_node(found.score, ply),
                depth,
                bound,
                best: found.best,
            };
            self.table.put(key, known);
        }
        found.score
    }

    /// Searches the moves, the most promising first.
    fn try_moves(
        &mut self,
        node: &Node<B>,
        ply: usize,
        depth: i32,
        window: Window,
        moves: &mut [Move<B>],
        scores: &mut [i32],
    ) -> Found {
        let Window { mut alpha, beta } = window;
        let single =
            moves.len() == 1 && self.switches.extensions && node.extensions < self.iteration;
        let deeper = depth - i32::from(!single);
        let mut found = Found {
            score: -Score::INFINITE,
            best: ShortMove::NONE,
        };
        for at in 0..moves.len() {
            pick(moves, scores, at);
            let mv = moves[at];
            let child = self.child(node, &mv, ply, u32::from(single));
            let reduction = self.reduction(&mv, at, depth);
            let score =
                self.search_child(&child, ply, deeper, reduction, Window { alpha, beta }, at);
            if self.budget.is_stopped() {
                return found;
            }
            if score > found.score {
                found.score = score;
                if score > alpha {
                    alpha = score;
                    found.best = ShortMove::of(&mv);
                    self.extend_pv(ply, mv);
                }
                if score >= beta {
                    self.learn(node, ply, depth, &moves[..=at]);
                    break;
                }
            }
        }
        found
    }

    /// A child: the first with the whole window, others only to be refuted, late ones less deep at first.
    #[inline(always)]
    fn search_child(
        &mut self,
        child: &Node<B>,
        ply: usize,
        depth: i32,
        reduction: i32,
        window: Window,
        at: usize,
    ) -> i32 {
        let Window { alpha, beta } = window;
        if reduction > 0 {
            let score = -self.descend(child, ply + 1, depth - reduction, -alpha - 1, -alpha);
            if score <= alpha {
                return score;
            }
        }
        if at == 0 || !self.switches.windows {
            return -self.descend(child, ply + 1, depth, -beta, -alpha);
        }
        let score = -self.descend(child, ply + 1, depth, -alpha - 1, -alpha);
        if score > alpha && score < beta {
            return -self.descend(child, ply + 1, depth, -beta, -alpha);
        }
        score
    }

    /// How much less deep a move is searched at first.
    #[inline(always)]
    fn reduction(&self, mv: &Move<B>, at: usize, depth: i32) -> i32 {
        if !self.switches.reductions || at < 3 || depth < 3 || mv.is_capture() || mv.promotes {
            return 0;
        }
        1 + i32::from(at >= 8) + i32::from(depth >= 8)
    }

    /// Puts a move before the expected line of the ply below it.
    #[inline(always)]
    fn extend_pv(&mut self, ply: usize, mv: Move<B>) {
        let (above, below) = self.frames.split_at_mut(ply + 1);
        let pv = &mut above[ply].pv;
        pv.clear();
        pv.push(mv);
        pv.extend_from_slice(&below[0].pv);
    }

    /// Remembers the last of these moves as one that cuts off, and the others as ones that do not.
    #[inline(never)]
    fn learn(&mut self, node: &Node<B>, ply: usize, depth: i32, moves: &[Move<B>]) {
        let Some((best, others)) = moves.split_last() else {
            return;
        };
        if best.is_capture() {
            return;
        }
        let killers = &mut self.frames[ply].killers;
        let short = ShortMove::of(best);
        if killers[0] != short {
            *killers = [short, killers[0]];
        }
        let bonus = (depth * depth).min(400);
        let side = node.position.side();
        self.record.learn(side, best, bonus);
        for other in others {
            self.record.learn(side, other, -bonus);
        }
    }

    /// The value of a node when all captures are over, and those that threaten have been answered.
    fn quiesce(&mut self, node: &Node<B>, ply: usize, mut alpha: i32, beta: i32) -> i32 {
        if let Some(score) = self.enter(node, ply) {
            return score;
        }
        let mut node = *node;
        let position = &node.position;
        if !self.rules.has_capture(position) {
            if !has_quiet_move(position) {
                return Score::loss_in(ply as u32).get();
            }
            if let Some(score) = self.probe(&node, ply) {
                return score;
            }
            let threatened = node.threats < self.switches.threats
                && self
                    .rules
                    .has_capture(&position.with_side(position.side().opponent()));
            if !threatened {
                return self.evaluator.evaluate(position).get();
            }
            node.threats += 1;
        }
        let mut moves = mem::take(&mut self.frames[ply].moves);
        self.rules.legal_moves_into(&node.position, &mut moves);
        let mut best = -Score::INFINITE;
        for mv in &moves {
            let child = self.child(&node, mv, ply, 0);
            let score = -self.quiesce(&child, ply + 1, -beta, -alpha);
            if self.budget.is_stopped() {
                break;
            }
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    self.extend_pv(ply, *mv);
                }
                if score >= beta {
                    break;
                }
            }
        }
        self.frames[ply].moves = moves;
        best
    }
}

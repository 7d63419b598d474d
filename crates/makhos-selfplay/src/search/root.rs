//! A search from its root: advice of tables, iterations, the move that is best so far.

use makhos_probe::{Dtw, Wld};
use makhos_rules::game::Game;
use makhos_rules::{Board, Move, Position};

use super::clock::Clocks;
use super::endgame::Advice;
use super::limits::{Budget, Limits};
use super::searcher::{Node, SearchReport, Searcher};
use super::table::ShortMove;
use crate::eval::Evaluator;
use crate::score::Score;

/// The most plies of an iteration.
const MOST_DEPTH: u32 = 100;
/// Half the first window around the score of the iteration before.
const WINDOW: i32 = 30;
/// The first iteration with a window.
const WINDOW_DEPTH: u32 = 5;

/// What the iterations work on.
struct Root<B> {
    node: Node<B>,
    /// The best first.
    moves: Vec<Move<B>>,
    score: i32,
    pv: Vec<Move<B>>,
}

impl<B: Board, E: Evaluator<B>> Searcher<B, E> {
    pub(super) fn search_from(
        &mut self,
        game: &Game<B>,
        earlier: &[Position<B>],
        limits: &Limits,
        watch: &mut dyn FnMut(&SearchReport<B>),
    ) -> SearchReport<B> {
        self.begin(game, earlier, limits);
        let position = *game.position();
        let mut moves = self.rules.legal_moves(&position);
        if moves.is_empty() {
            return self.report(None, Score::loss_in(0), Vec::new(), 0);
        }
        self.probe_below = u32::MAX;
        let advice = self
            .endgames
            .as_ref()
            .and_then(|tables| tables.advice(&position));
        match advice {
            Some(Advice::Exact(mv, value)) => {
                self.table_hits += moves.len() as u64;
                let score = self.exact_score(game, value);
                let mut report = self.report(Some(mv), score, vec![mv], 0);
                report.from_tables = true;
                watch(&report);
                return report;
            }
            Some(Advice::Keep(kept, value)) => {
                self.table_hits += moves.len() as u64;
                moves = kept;
                // Tables know the value of everything here. To make headway, only what comes of captures
                // is asked; a draw or a loss may as well be searched for what the other side can miss.
                self.probe_below = match value {
                    Wld::Win => position.piece_count(),
                    Wld::Draw | Wld::Loss => 0,
                };
            }
            None => {}
        }
        let node = Node {
            position,
            clock: self.clocks.state(&position, game.counters()),
            since: 0,
            extensions: 0,
            threats: 0,
        };
        self.iterate(node, moves, limits, watch)
    }

    /// Prepares everything for a search.
    fn begin(&mut self, game: &Game<B>, earlier: &[Position<B>], limits: &Limits) {
        if game.draw_rules() != self.clocks.rules() {
            self.clocks = Clocks::new(game.draw_rules().clone());
            self.new_game();
        }
        self.budget = Budget::new(limits);
        self.table_hits = 0;
        self.table.next_search();
        self.record.fade();
        for frame in &mut self.frames {
            frame.killers = [ShortMove::NONE; 2];
        }
        self.earlier.clear();
        self.earlier.extend_from_slice(earlier);
    }

    /// A value by tables, which is certain only if no drawing rule can come between.
    fn exact_score(&self, game: &Game<B>, value: Dtw) -> Score {
        let soonest = self.clocks.soonest(game.counters()).unwrap_or(u32::MAX);
        let plies = value.plies().map_or(0, |plies| u32::from(plies.get()));
        match value.wld() {
            Wld::Draw => Score::DRAW,
            Wld::Win if plies <= soonest => Score::win_in(plies),
            Wld::Win => Score::table_win(plies),
            Wld::Loss if plies <= soonest => Score::loss_in(plies),
            Wld::Loss => Score::table_loss(plies),
        }
    }

    fn report(
        &self,
        best: Option<Move<B>>,
        score: Score,
        pv: Vec<Move<B>>,
        depth: u32,
    ) -> SearchReport<B> {
        SearchReport {
            best,
            score,
            from_tables: false,
            pv,
            depth,
            nodes: self.budget.nodes,
            table_hits: self.table_hits,
            time: self.budget.time(),
        }
    }

    fn iterate(
        &mut self,
        node: Node<B>,
        moves: Vec<Move<B>>,
        limits: &Limits,
        watch: &mut dyn FnMut(&SearchReport<B>),
    ) -> SearchReport<B> {
        let forced = moves.len() == 1 && limits.forced_at_once;
        let mut root = Root {
            node,
            pv: vec![moves[0]],
            moves,
            score: 0,
        };
        let mut depth = 0;
        while self.budget.allows(depth + 1, MOST_DEPTH) {
            self.iteration = depth + 1;
            self.search_window(&mut root);
            if self.budget.is_stopped() {
                break;
            }
            depth += 1;
            self.budget.arm();
            watch(&self.root_report(&root, depth));
            // A win that is as short as the search is deep will not get shorter.
            let plies = Score::from_raw(root.score).plies();
            if forced || plies.is_some_and(|plies| plies <= depth) {
                break;
            }
        }
        self.root_report(&root, depth)
    }

    fn root_report(&self, root: &Root<B>, depth: u32) -> SearchReport<B> {
        let best = root.moves.first().copied();
        self.report(best, Score::from_raw(root.score), root.pv.clone(), depth)
    }

    /// One iteration: a small window around the last score, made larger until the score is inside.
    fn search_window(&mut self, root: &mut Root<B>) {
        let mut half = WINDOW;
        let (mut alpha, mut beta) = (-Score::INFINITE, Score::INFINITE);
        if self.switches.windows && self.iteration >= WINDOW_DEPTH {
            (alpha, beta) = (root.score - half, root.score + half);
        }
        loop {
            let score = self.search_root(root, alpha, beta);
            if self.budget.is_stopped() {
                return;
            }
            half = half.saturating_mul(4);
            let wide = half > 1_000;
            if score <= alpha && alpha > -Score::INFINITE {
                alpha = if wide { -Score::INFINITE } else { score - half };
            } else if score >= beta && beta < Score::INFINITE {
                beta = if wide { Score::INFINITE } else { score + half };
            } else {
                return;
            }
            alpha = alpha.max(-Score::INFINITE);
            beta = beta.min(Score::INFINITE);
        }
    }

    /// Searches all moves of the root; brings a better one to the front as soon as it is found.
    fn search_root(&mut self, root: &mut Root<B>, mut alpha: i32, beta: i32) -> i32 {
        self.path[0] = root.node.position;
        self.budget.spend();
        let single = self.switches.extensions && root.moves.len() == 1;
        let depth = self.iteration as i32 - i32::from(!single);
        let mut best = -Score::INFINITE;
        for at in 0..root.moves.len() {
            let mv = root.moves[at];
            let child = self.child(&root.node, &mv, 0, u32::from(single));
            let score = if at == 0 || !self.switches.windows {
                -self.descend(&child, 1, depth, -beta, -alpha)
            } else {
                let score = -self.descend(&child, 1, depth, -alpha - 1, -alpha);
                if score > alpha && score < beta {
                    -self.descend(&child, 1, depth, -beta, -alpha)
                } else {
                    score
                }
            };
            if self.budget.is_stopped() {
                return best;
            }
            if score > best {
                best = score;
                if score > alpha || at == 0 {
                    root.score = score;
                    root.moves[..=at].rotate_right(1);
                    root.pv.clear();
                    root.pv.push(mv);
                    root.pv.extend_from_slice(&self.frames[1].pv);
                }
                alpha = alpha.max(score);
            }
            if alpha >= beta {
                break;
            }
        }
        best
    }
}

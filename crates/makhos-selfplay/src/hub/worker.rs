//! The thread that searches.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use makhos_rules::notation::hub::write_move;
use makhos_rules::{Board, Move, RuleSet};

use super::syntax::quoted;
use super::{Event, Setup};
use crate::eval::Evaluator;
use crate::search::{Limits, Line, SearchReport, Searcher, Settings};

/// What the thread is asked to do.
pub(super) enum Job<B> {
    /// Make a searcher with so many MiB of memory.
    Prepare(usize),
    /// Forget the game before.
    NewGame,
    /// Search.
    Search(Box<Line<B>>, Limits),
}

/// Does the jobs until there are no more to come.
pub(super) fn work<B: Board, E: Evaluator<B>>(
    setup: &Setup<B, E>,
    jobs: &Receiver<Job<B>>,
    events: &Sender<Event>,
) {
    let make = |mebibytes| {
        let settings = Settings::default().with_mebibytes(mebibytes);
        let evaluator = Arc::clone(&setup.evaluator);
        Searcher::new(setup.rules, setup.draw_rules.clone(), evaluator, settings)
            .with_tables(setup.tables.clone())
    };
    let mut searcher = None;
    for job in jobs {
        let event = match job {
            Job::Prepare(mebibytes) => {
                searcher = Some(make(mebibytes));
                Event::Answer("ready".to_owned())
            }
            Job::NewGame => {
                if let Some(searcher) = &mut searcher {
                    searcher.new_game();
                }
                continue;
            }
            Job::Search(line, limits) => {
                let searcher = searcher.get_or_insert_with(|| make(setup.mebibytes));
                let mut watch = |report: &SearchReport<B>| {
                    // Nobody listens any more only when everything ends.
                    let _ = events.send(Event::Info(info(&setup.rules, report)));
                };
                let report = searcher.search_watched(&line, &limits, &mut watch);
                Event::Done(done(&setup.rules, &report))
            }
        };
        if events.send(event).is_err() {
            return;
        }
    }
}

fn info<B: Board>(rules: &RuleSet, report: &SearchReport<B>) -> String {
    let seconds = report.time.as_secs_f64();
    let speed = if seconds > 0.0 {
        report.nodes as f64 / seconds / 1e6
    } else {
        0.0
    };
    let mut text = format!(
        "info depth={} score={:.2} nodes={} time={seconds:.3} nps={speed:.3}",
        report.depth,
        f64::from(report.score.get()) / 100.0,
        report.nodes,
    );
    if let Some(plies) = report.score.plies() {
        text.push_str(&format!(" plies={plies}"));
    }
    if report.table_hits > 0 {
        text.push_str(&format!(" table-hits={}", report.table_hits));
    }
    let moves: Vec<String> = report.pv.iter().map(|mv| write_move(rules, mv)).collect();
    text.push_str(&format!(" pv={}", quoted(&moves.join(" "))));
    text
}

fn done<B: Board>(rules: &RuleSet, report: &SearchReport<B>) -> String {
    let write = |mv: &Move<B>| write_move(rules, mv);
    let Some(best) = &report.best else {
        return format!("error message={}", quoted("there is no legal move"));
    };
    let mut text = format!("done move={}", write(best));
    if let [first, second, ..] = &report.pv[..]
        && first == best
    {
        text.push_str(&format!(" ponder={}", write(second)));
    }
    text
}

//! The engine's side of the Hub protocol, version 2, by which programs for draughts talk to engines.
//!
//! It is text, a command a line: `hub`, `set-param`, `init`, `pos`, `level`, `go`, `stop`, `ponder-hit`, `ping`,
//! `new-game` and `quit`; answers are `id`, `param`, `wait`, `ready`, `info`, `done`, `pong` and `error`. `HUB.md`
//! beside this crate's manifest describes them.
//!
//! # Positions
//! `W` or `B` for the side to move, then a character for every dark square in the order of their numbers: `w` and
//! `b` are men, `W` and `B` kings, `e` is empty. On 10x10 these are 51 characters, as the protocol has it; on 8x8
//! they are 33 and on 12x12 73. Numbers are those of Hub moves
//! ([`Naming::Board`](makhos_rules::notation::Naming::Board)): row by row from the top left as White sees the real
//! board, which is mirrored in Italian, Spanish and Portuguese draughts.
//!
//! # Threads
//! One thread reads, one searches and the caller's writes, so that `stop` and `ping` are answered while the engine
//! thinks. Other commands wait until it has done.

mod level;
mod position;
mod session;
mod syntax;
mod worker;

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;

use makhos_probe::Tablebase;
use makhos_rules::draw::DrawRules;
use makhos_rules::{Board, RuleSet};

pub use position::{PositionTextError, parse_position, write_position};

use crate::eval::{Evaluator, Patterns};
use session::Session;

/// What the engine plays, and with what.
#[derive(Debug)]
pub struct Setup<B, E = Patterns<B>> {
    /// The rules of the moves.
    pub rules: RuleSet,
    /// The drawing rules.
    pub draw_rules: DrawRules,
    /// The evaluation.
    pub evaluator: Arc<E>,
    /// Tables, if there are some.
    pub tables: Option<Arc<Tablebase<B>>>,
    /// Size of the hash table in MiB, unless the other side changes it.
    pub mebibytes: usize,
}

/// Something that happens to the engine.
#[derive(Debug)]
enum Event {
    /// A line has been read.
    Line(String),
    /// There will be no more.
    End,
    /// A line to write, in the middle of a search or at any time.
    Info(String),
    /// A line to write that ends what was waited for.
    Answer(String),
    /// The line that ends a search.
    Done(String),
}

/// Serves one conversation, until `quit` or the end of the input. A search that is on by then is stopped, and
/// its move written.
///
/// The thread that reads `input` ends with it; after `quit` at once.
///
/// # Errors
/// `output` cannot be written. What cannot be read of `input` ends it.
pub fn serve<B: Board, E: Evaluator<B>>(
    setup: &Setup<B, E>,
    input: impl BufRead + Send + 'static,
    output: impl Write,
) -> io::Result<()> {
    let (events, happened) = mpsc::channel();
    let lines = events.clone();
    // Not joined: where writing fails it may wait for a line that never comes.
    thread::spawn(move || read(input, &lines));
    let (jobs, to_do) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || worker::work(setup, &to_do, &events));
        // It owns the way to the worker, which ends when this does.
        Session::new(setup, jobs, output).run(&happened)
    })
}

/// Passes lines on.
fn read(mut input: impl BufRead, lines: &Sender<Event>) {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = input.read_until(b'\n', &mut bytes);
        if !read.is_ok_and(|count| count > 0) {
            // The other side is gone if nobody hears it.
            let _ = lines.send(Event::End);
            return;
        }
        let line = String::from_utf8_lossy(&bytes).into_owned();
        let quits = line.trim() == "quit";
        if lines.send(Event::Line(line)).is_err() || quits {
            return;
        }
    }
}

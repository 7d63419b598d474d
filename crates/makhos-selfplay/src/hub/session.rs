//! One conversation: what has been said, and what to answer.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use makhos_rules::game::Game;
use makhos_rules::notation::hub::parse_move;
use makhos_rules::{Board, Position};

use super::level::Level;
use super::position::parse_position;
use super::syntax::{Command, quoted};
use super::worker::Job;
use super::{Event, Setup};
use crate::search::{Limits, Line};

/// The largest hash table in MiB.
const MOST_MEBIBYTES: usize = 1 << 16;
/// As good as never.
const FOR_EVER: Duration = Duration::from_secs(1 << 30);

/// A search that is on.
struct Running {
    stop: Arc<AtomicBool>,
    /// Whether the other side has not played yet.
    pondering: bool,
    /// When to stop it, if not by itself.
    deadline: Option<Instant>,
}

/// What keeps commands waiting.
enum Busy {
    No,
    Preparing,
    Searching(Running),
}

/// The state of a conversation.
pub(super) struct Session<'a, B, E, W> {
    setup: &'a Setup<B, E>,
    jobs: Sender<Job<B>>,
    output: W,
    mebibytes: usize,
    line: Line<B>,
    level: Level,
    busy: Busy,
    /// Lines that have to wait.
    waiting: VecDeque<String>,
    over: bool,
}

impl<'a, B: Board, E, W: Write> Session<'a, B, E, W> {
    pub(super) fn new(setup: &'a Setup<B, E>, jobs: Sender<Job<B>>, output: W) -> Self {
        let start = Position::start(&setup.rules);
        let game = Game::new(setup.rules, setup.draw_rules.clone(), start);
        Self {
            mebibytes: setup.mebibytes.clamp(1, MOST_MEBIBYTES),
            setup,
            jobs,
            output,
            line: Line::new(game),
            level: Level::default(),
            busy: Busy::No,
            waiting: VecDeque::new(),
            over: false,
        }
    }

    pub(super) fn run(mut self, events: &Receiver<Event>) -> io::Result<()> {
        let result = self.converse(events);
        if let Busy::Searching(running) = &self.busy {
            running.stop.store(true, Ordering::Relaxed);
        }
        result
    }

    fn converse(&mut self, events: &Receiver<Event>) -> io::Result<()> {
        while !(self.over && matches!(self.busy, Busy::No)) {
            let deadline = match &self.busy {
                Busy::Searching(running) => running.deadline,
                Busy::No | Busy::Preparing => None,
            };
            let left = deadline.map_or(FOR_EVER, |at| at.saturating_duration_since(Instant::now()));
            match events.recv_timeout(left) {
                Ok(event) => self.happened(event)?,
                Err(RecvTimeoutError::Timeout) => self.stop(),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
        Ok(())
    }

    fn happened(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Line(line) => self.heard(line)?,
            Event::End => self.end(),
            Event::Info(text) => self.say(&text)?,
            Event::Answer(text) | Event::Done(text) => {
                self.say(&text)?;
                self.busy = Busy::No;
            }
        }
        while matches!(self.busy, Busy::No)
            && !self.over
            && let Some(line) = self.waiting.pop_front()
        {
            self.obey(&line)?;
        }
        Ok(())
    }

    /// A line comes in. Few may be obeyed during a search, and those at once.
    fn heard(&mut self, line: String) -> io::Result<()> {
        let name = line.split_whitespace().next().unwrap_or("");
        match (&self.busy, name) {
            (_, "quit") => self.end(),
            (Busy::Searching(_), "ping") => self.say("pong")?,
            (Busy::Searching(_), "stop") => self.stop(),
            (Busy::Searching(_), "ponder-hit") => self.ponder_hit(),
            _ => self.waiting.push_back(line),
        }
        Ok(())
    }

    fn end(&mut self) {
        self.over = true;
        self.stop();
    }

    /// Stops a search.
    fn stop(&mut self) {
        if let Busy::Searching(running) = &mut self.busy {
            running.stop.store(true, Ordering::Relaxed);
            running.deadline = None;
        }
    }

    /// The other side has played as expected: the time begins. Where there is no time the search has been long
    /// enough.
    fn ponder_hit(&mut self) {
        let time = self.level.time();
        match (&mut self.busy, time) {
            (Busy::Searching(running), Some(time)) if running.pondering => {
                running.pondering = false;
                running.deadline = Some(Instant::now() + time);
            }
            (Busy::Searching(running), None) if running.pondering => self.stop(),
            _ => {}
        }
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{text}")?;
        self.output.flush()
    }

    /// Obeys a line, or says what is wrong with it. Unknown commands are passed over, as the protocol demands.
    fn obey(&mut self, line: &str) -> io::Result<()> {
        let result = match Command::parse(line) {
            Ok(Some(command)) => match command.name.as_str() {
                "hub" => return self.introduce(),
                "ping" => return self.say("pong"),
                "init" => self.prepare(),
                "set-param" => self.set_parameter(&command),
                "new-game" => self.send(Job::NewGame),
                "pos" => self.set_position(&command),
                "level" => Level::parse(&command).map(|level| self.level = level),
                "go" => self.go(&command),
                _ => Ok(()),
            },
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        };
        match result {
            Ok(()) => Ok(()),
            Err(error) => self.say(&format!("error message={}", quoted(&error))),
        }
    }

    fn introduce(&mut self) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        let name = quoted(self.setup.rules.name);
        self.say(&format!(
            "id name=Makhos version={version} author=\"Makhos authors\""
        ))?;
        self.say(&format!(
            "param name=variant value={name} type=enum values={name}"
        ))?;
        let hash = self.mebibytes;
        self.say(&format!(
            "param name=hash value={hash} type=int min=1 max={MOST_MEBIBYTES}"
        ))?;
        self.say("wait")
    }

    fn send(&self, job: Job<B>) -> Result<(), String> {
        // It ends before this only by a panic, which the scope of both passes on.
        self.jobs
            .send(job)
            .map_err(|_| "the engine has stopped working".to_owned())
    }

    fn prepare(&mut self) -> Result<(), String> {
        self.send(Job::Prepare(self.mebibytes))?;
        self.busy = Busy::Preparing;
        Ok(())
    }

    fn set_parameter(&mut self, command: &Command) -> Result<(), String> {
        let (name, value) = (command.need("name")?, command.need("value")?);
        match name {
            "variant" if value == self.setup.rules.name => Ok(()),
            "variant" => Err(format!(
                "this engine plays {}; start another one for {value}",
                self.setup.rules.name
            )),
            "hash" => match value.parse() {
                Ok(mebibytes) if (1..=MOST_MEBIBYTES).contains(&mebibytes) => {
                    self.mebibytes = mebibytes;
                    Ok(())
                }
                _ => Err(format!(
                    "hash takes a number from 1 to {MOST_MEBIBYTES}, not {value}"
                )),
            },
            _ => Err(format!("there is no parameter {name}")),
        }
    }

    /// Sets a position; after an error the one before remains.
    fn set_position(&mut self, command: &Command) -> Result<(), String> {
        let rules = &self.setup.rules;
        let position = parse_position(rules, command.need("pos")?).map_err(|it| it.to_string())?;
        let game = Game::new(*rules, self.setup.draw_rules.clone(), position);
        let mut line = Line::new(game);
        for text in command.get("moves").unwrap_or("").split_whitespace() {
            let mv =
                parse_move(rules, line.game().position(), text).map_err(|it| it.to_string())?;
            line.play(&mv).map_err(|error| format!("{text}: {error}"))?;
        }
        self.line = line;
        Ok(())
    }

    fn go(&mut self, command: &Command) -> Result<(), String> {
        let pondering = command.get("ponder").is_some();
        let infinite = pondering || command.get("analyze").is_some();
        if !infinite && command.get("think").is_none() {
            return Err("go takes think, ponder or analyze".to_owned());
        }
        if self
            .setup
            .rules
            .legal_moves(self.line.game().position())
            .is_empty()
        {
            return Err("there is no legal move".to_owned());
        }
        let mut limits = self.level.limits();
        if pondering {
            limits = Limits::default();
        } else if infinite {
            limits.forced_at_once = false;
        }
        let stop = Arc::new(AtomicBool::new(false));
        limits.stop = Some(Arc::clone(&stop));
        self.send(Job::Search(Box::new(self.line.clone()), limits))?;
        self.busy = Busy::Searching(Running {
            stop,
            pondering,
            deadline: None,
        });
        Ok(())
    }
}

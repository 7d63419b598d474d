//! Another program as a player, by the Hub protocol.

use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use makhos_rules::notation::hub::{parse_move, write_move};
use makhos_rules::{Board, Move, Position, RuleSet};

use super::player::{Player, PlayerError};
use crate::hub::write_position;
use crate::search::Line;

/// How long a program may take to end when it is told to.
const QUIT_LIMIT: Duration = Duration::from_millis(500);

/// How long a program thinks about a move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum HubLevel {
    /// So many plies deep.
    Depth(u32),
    /// So many positions; not every program knows it.
    Nodes(u64),
    /// So much time.
    MoveTime(Duration),
}

/// As the protocol writes it.
impl fmt::Display for HubLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Depth(depth) => write!(f, "level depth={depth}"),
            Self::Nodes(nodes) => write!(f, "level nodes={nodes}"),
            Self::MoveTime(time) => write!(f, "level move-time={}", time.as_secs_f64()),
        }
    }
}

/// A program that speaks version 2 of the Hub protocol on its standard input and output.
#[derive(Clone, PartialEq, Debug)]
pub struct HubProgram {
    /// Its file, or its name to be searched for.
    pub program: PathBuf,
    /// What it is called with.
    pub arguments: Vec<String>,
    /// The directory it is started in, if not the present one. Some programs find their data there.
    pub directory: Option<PathBuf>,
    /// Names and values of parameters, set before it makes itself ready.
    pub parameters: Vec<(String, String)>,
    /// How long it thinks.
    pub level: HubLevel,
    /// How long each step of getting ready may take.
    pub start_limit: Duration,
    /// How long a move may take.
    pub move_limit: Duration,
}

impl HubProgram {
    /// A program without arguments and parameters, with half a minute to get ready and a minute for a move.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>, level: HubLevel) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            directory: None,
            parameters: Vec::new(),
            level,
            start_limit: Duration::from_secs(30),
            move_limit: Duration::from_secs(60),
        }
    }

    /// The program as errors name it.
    fn name(&self) -> String {
        self.program.display().to_string()
    }

    /// The lines that set its parameters.
    fn settings(&self) -> Result<Vec<String>, PlayerError> {
        let plain = |text: &String| {
            if text.contains(['"', '\n', '\r']) {
                return Err(PlayerError::Text {
                    text: text.clone(),
                    reason: "quotes and line breaks cannot be written",
                });
            }
            Ok(())
        };
        let line = |(name, value): &(String, String)| {
            plain(name)?;
            plain(value)?;
            Ok(format!("set-param name=\"{name}\" value=\"{value}\""))
        };
        self.parameters.iter().map(line).collect()
    }
}

/// A running program as a player. It is told to quit when this is dropped, and ended if it does not.
#[derive(Debug)]
pub struct HubPlayer {
    rules: RuleSet,
    program: HubProgram,
    child: Child,
    input: ChildStdin,
    output: Receiver<String>,
}

impl HubPlayer {
    /// Starts a program and gets it ready to play `rules`. Whether it plays these rules it alone knows: the
    /// protocol cannot ask.
    ///
    /// # Errors
    /// [`PlayerError`] if it cannot be started or does not get ready.
    pub fn start(rules: &RuleSet, program: &HubProgram) -> Result<Self, PlayerError> {
        let settings = program.settings()?;
        let mut command = Command::new(&program.program);
        command
            .args(&program.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if let Some(directory) = &program.directory {
            command.current_dir(directory);
        }
        let failed = |source| PlayerError::Start {
            program: program.name(),
            source,
        };
        let mut child = command.spawn().map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            // Both have been asked for.
            return Err(failed(std::io::ErrorKind::BrokenPipe.into()));
        };
        let (lines, receiver) = channel();
        // It ends with the program's output, or when nobody listens any more.
        thread::spawn(move || read(BufReader::new(output), &lines));
        let mut player = Self {
            rules: *rules,
            program: program.clone(),
            child,
            input,
            output: receiver,
        };
        player.say("hub")?;
        let limit = program.start_limit;
        player.wait_for("wait", limit)?;
        for line in settings {
            player.say(&line)?;
        }
        player.say("init")?;
        player.wait_for("ready", limit)?;
        Ok(player)
    }

    fn say(&mut self, line: &str) -> Result<(), PlayerError> {
        let said = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        said.map_err(|source| PlayerError::Write {
            program: self.program.name(),
            line: line.to_owned(),
            source,
        })
    }

    /// The next line with this command; others but `error` are passed over.
    fn wait_for(&self, waiting: &'static str, limit: Duration) -> Result<String, PlayerError> {
        let program = || self.program.name();
        let end = Instant::now() + limit;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let line = self
                .output
                .recv_timeout(left)
                .map_err(|error| match error {
                    RecvTimeoutError::Timeout => PlayerError::Timeout {
                        program: program(),
                        waiting,
                        limit,
                    },
                    RecvTimeoutError::Disconnected => PlayerError::Ended {
                        program: program(),
                        waiting,
                    },
                })?;
            match line.split_whitespace().next() {
                Some(command) if command == waiting => return Ok(line),
                Some("error") => {
                    return Err(PlayerError::Answer {
                        program: program(),
                        message: line,
                    });
                }
                _ => {}
            }
        }
    }
}

impl<B: Board> Player<B> for HubPlayer {
    fn new_game(&mut self) -> Result<(), PlayerError> {
        self.say("new-game")
    }

    fn choose(&mut self, line: &Line<B>) -> Result<Move<B>, PlayerError> {
        self.say(&position(&self.rules, line))?;
        self.say(&self.program.level.to_string())?;
        self.say("go think")?;
        let answer = self.wait_for("done", self.program.move_limit)?;
        let wrong = |reason: String| PlayerError::Move {
            program: self.program.name(),
            line: answer.clone(),
            reason,
        };
        let text = argument(&answer, "move").ok_or_else(|| wrong("there is no move".into()))?;
        parse_move(&self.rules, line.game().position(), text).map_err(|it| wrong(it.to_string()))
    }
}

impl Drop for HubPlayer {
    fn drop(&mut self) {
        // It may have ended already, by itself or by what has gone wrong.
        let _ = self.say("quit");
        let end = Instant::now() + QUIT_LIMIT;
        while Instant::now() < end {
            if let Ok(Some(_)) = self.child.try_wait() {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Passes lines on.
fn read(mut output: impl BufRead, lines: &Sender<String>) {
    let mut bytes = Vec::new();
    while output
        .read_until(b'\n', &mut bytes)
        .is_ok_and(|count| count > 0)
    {
        let line = String::from_utf8_lossy(&bytes).trim().to_owned();
        if lines.send(line).is_err() {
            return;
        }
        bytes.clear();
    }
}

/// The value of an argument of a line, without quotes.
fn argument<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let words = line.split_whitespace();
    let mut values = words.filter_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    values.next().map(|value| value.trim_matches('"'))
}

/// The command that sets the position of a line: the oldest position that can come back, and the moves since.
fn position<B: Board>(rules: &RuleSet, line: &Line<B>) -> String {
    let present = *line.game().position();
    let all: Vec<Position<B>> = line.earlier().iter().copied().chain([present]).collect();
    let between = |pair: &[Position<B>]| {
        let moves = rules.legal_moves(&pair[0]);
        moves.into_iter().find(|mv| pair[0].make(mv) == pair[1])
    };
    let moves: Option<Vec<String>> = all
        .windows(2)
        .map(|pair| between(pair).map(|mv| write_move(rules, &mv)))
        .collect();
    match moves {
        Some(moves) if !moves.is_empty() => format!(
            "pos pos={} moves=\"{}\"",
            write_position(rules, &all[0]),
            moves.join(" ")
        ),
        _ => format!("pos pos={}", write_position(rules, &present)),
    }
}

#[cfg(test)]
#[path = "hub_player_tests.rs"]
mod tests;

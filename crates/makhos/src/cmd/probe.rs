//! `makhos probe`: the value of positions from the tables.

use std::cmp::Reverse;
use std::io::{self, BufRead, BufReader, IsTerminal};

use clap::Args;
use makhos_probe::{Access, Dtw, ProbeError, Tablebase, Wld};
use makhos_rules::notation::{fen, hub, pdn_move};
use makhos_rules::{Board, Move, Position, RuleSet};
use rayon::prelude::*;
use serde::Serialize;

use crate::args::{DirArgs, RulesArgs};
use crate::board::BoardCommand;
use crate::exit::{Exit, Failure, OrFail, Outcome};
use crate::json::RulesJson;
use crate::output::{Output, note};
use crate::shelf;

const AFTER_HELP: &str = "\
Each answer is a line of four fields separated by tabs: the FEN in our form, win|draw|loss
for the side to move, the distance to the end of the game in plies or -, and the best move
in Hub form or -. A position outside the tables is `unknown`, and the reason goes to standard
error.

FENs on standard input come one a line; blank lines and lines that begin with # are skipped.
Answers come in the same order. A line that is no FEN is reported on standard error with its
number, and the others are answered.

With --json each answer is an object in one line. Values and distances of its moves are from
the view of the player who makes them, and a distance counts the move itself.

Exit code 1 if a position lies outside the tables, 2 if a FEN is wrong.

Examples:
  makhos probe --variant russian 'W:WK26,K27,K31:BK10'
  makhos probe --variant russian --json 'W:WK26,K27,K31:BK10'
  makhos probe --variant english < positions.txt > values.tsv";

/// Tell the value of positions: won, drawn or lost, in how many plies, and the best move
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ProbeArgs {
    #[command(flatten)]
    rules: RulesArgs,

    #[command(flatten)]
    dir: DirArgs,

    /// The position, e.g. W:WK26,K27,K31:BK10; without it positions are read from standard input
    fen: Option<String>,

    /// Answer in JSON, with every legal move
    #[arg(long)]
    json: bool,
}

/// Lines read before they are answered together.
const BATCH: usize = 4096;
/// Bytes read ahead.
const READ_AHEAD: usize = 1 << 20;

impl BoardCommand for ProbeArgs {
    fn rules(&self) -> &RulesArgs {
        &self.rules
    }

    fn run<B: Board>(&self, rules: &RuleSet) -> Outcome<Exit> {
        // A wrong FEN is told even where there are no tables.
        let position = self.fen.as_ref().map(|text| fen::parse::<B>(rules, text));
        let position = position.transpose().or_usage()?;
        let tables = shelf::open::<B>(rules, &self.dir.dir, Access::Map)?;
        let prober = Prober {
            tables,
            json: self.json,
        };
        let mut output = Output::new();
        match position {
            Some(position) => {
                let answer = prober.answer(&position)?;
                output.line(&answer.text)?;
                output.flush()?;
                Ok(answer.unknown.map_or(Exit::Done, |reason| {
                    note(format_args!("{reason}"));
                    Exit::No
                }))
            }
            None => prober.answer_all(&mut output),
        }
    }
}

/// A position's answer.
struct Answer {
    text: String,
    /// Why there is no value.
    unknown: Option<String>,
}

/// What became of one line of standard input.
enum LineResult {
    Answer(Answer),
    /// It is no FEN.
    Wrong(String),
}

/// A value, with or without its distance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    Exact(Dtw),
    Outcome(Wld),
}

impl Known {
    fn wld(self) -> Wld {
        match self {
            Self::Exact(value) => value.wld(),
            Self::Outcome(value) => value,
        }
    }

    fn plies(self) -> Option<u16> {
        match self {
            Self::Exact(value) => value.plies().map(|plies| plies.get()),
            Self::Outcome(_) => None,
        }
    }

    fn exact(self) -> Option<Dtw> {
        match self {
            Self::Exact(value) => Some(value),
            Self::Outcome(_) => None,
        }
    }

    /// The value for the player who moves there.
    fn before(self) -> Self {
        match self {
            Self::Exact(value) => Self::Exact(value.before()),
            Self::Outcome(value) => Self::Outcome(value.before()),
        }
    }
}

#[derive(Serialize)]
struct AnswerJson {
    #[serde(flatten)]
    rules: RulesJson,
    fen: String,
    pieces: u32,
    /// `win`, `draw` or `loss` for the side to move, or `unknown`.
    value: &'static str,
    /// Plies to the end of the game.
    dtw: Option<u16>,
    best: Option<String>,
    /// Why the value is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Best first.
    moves: Vec<MoveJson>,
}

/// A move, its value being from the mover's view.
#[derive(Serialize)]
struct MoveJson {
    hub: String,
    pdn: String,
    fen: String,
    value: &'static str,
    dtw: Option<u16>,
    capture: bool,
    promotion: bool,
}

struct Prober<B> {
    tables: Tablebase<B>,
    json: bool,
}

impl<B: Board> Prober<B> {
    /// Answers the positions on standard input.
    fn answer_all(&self, output: &mut Output) -> Outcome<Exit> {
        if io::stdin().is_terminal() {
            note(format_args!("reading FENs, one a line; Ctrl-D ends"));
        }
        let mut input = Lines::new();
        let (mut wrong, mut unknown) = (false, false);
        loop {
            let batch = input.batch()?;
            if batch.is_empty() {
                break;
            }
            let results: Vec<_> = batch
                .par_iter()
                .map(|line| self.answer_line(&line.text))
                .collect();
            for (line, result) in batch.iter().zip(results) {
                match result? {
                    LineResult::Answer(answer) => {
                        output.line(&answer.text)?;
                        if let Some(reason) = answer.unknown {
                            unknown = true;
                            note(format_args!("line {}: {reason}", line.number));
                        }
                    }
                    LineResult::Wrong(reason) => {
                        wrong = true;
                        note(format_args!("line {}: {reason}", line.number));
                    }
                }
            }
            output.flush()?;
        }
        Ok(match (wrong, unknown) {
            (true, _) => Exit::Usage,
            (false, true) => Exit::No,
            (false, false) => Exit::Done,
        })
    }

    fn answer_line(&self, line: &[u8]) -> Outcome<LineResult> {
        let Ok(text) = std::str::from_utf8(line) else {
            return Ok(LineResult::Wrong("not a text in UTF-8".into()));
        };
        match fen::parse::<B>(self.tables.rules(), text.trim()) {
            Ok(position) => self.answer(&position).map(LineResult::Answer),
            Err(error) => Ok(LineResult::Wrong(error.to_string())),
        }
    }

    fn answer(&self, position: &Position<B>) -> Outcome<Answer> {
        let (known, unknown) = match self.value(position) {
            Ok(known) => (Some(known), None),
            Err(error) if shelf::is_outside(&error) => (None, Some(error.to_string())),
            Err(error) => return Err(Failure::new(Exit::Environment, error)),
        };
        let exact = known.and_then(Known::exact).is_some();
        // Moves cost more than the position, and are not asked for without a distance.
        let moves = if exact || self.json {
            self.moves(position)?
        } else {
            Vec::new()
        };
        let best = exact.then(|| best_of(&moves)).flatten();
        let best = best.map(|mv| hub::write_move(self.tables.rules(), &mv));
        let text = if self.json {
            self.json(position, known, best, unknown.clone(), &moves)?
        } else {
            format!(
                "{}\t{}\t{}\t{}",
                fen::write(self.tables.rules(), position),
                value_name(known),
                known
                    .and_then(Known::plies)
                    .map_or("-".into(), |plies| plies.to_string()),
                best.as_deref().unwrap_or("-")
            )
        };
        Ok(Answer { text, unknown })
    }

    /// The value with its distance, or without it where only outcomes are there.
    fn value(&self, position: &Position<B>) -> Result<Known, ProbeError> {
        match self.tables.probe_dtw(position) {
            Ok(value) => Ok(Known::Exact(value)),
            // If that is missing as well, the first error tells how to make both.
            Err(error) if shelf::is_outside(&error) => match self.tables.probe_wld(position) {
                Ok(value) => Ok(Known::Outcome(value)),
                Err(other) if shelf::is_outside(&other) => Err(error),
                Err(other) => Err(other),
            },
            Err(error) => Err(error),
        }
    }

    /// The legal moves with their values for the mover, best first, unknown ones last.
    fn moves(&self, position: &Position<B>) -> Outcome<Vec<(Move<B>, Option<Known>)>> {
        let mut moves = Vec::new();
        for mv in self.tables.rules().legal_moves(position) {
            let known = match self.value(&position.make(&mv)) {
                Ok(known) => Some(known.before()),
                Err(error) if shelf::is_outside(&error) => None,
                Err(error) => return Err(Failure::new(Exit::Environment, error)),
            };
            moves.push((mv, known));
        }
        if moves
            .iter()
            .all(|(_, known)| known.and_then(Known::exact).is_some())
        {
            moves.sort_by_key(|(mv, known)| (Reverse(known.and_then(Known::exact)), *mv));
        } else {
            moves.sort_by_key(|(mv, known)| (Reverse(known.map(Known::wld)), *mv));
        }
        Ok(moves)
    }

    fn json(
        &self,
        position: &Position<B>,
        known: Option<Known>,
        best: Option<String>,
        reason: Option<String>,
        moves: &[(Move<B>, Option<Known>)],
    ) -> Outcome<String> {
        let rules = self.tables.rules();
        let moves = moves.iter().map(|(mv, known)| MoveJson {
            hub: hub::write_move(rules, mv),
            pdn: pdn_move::write_move(rules, position, mv),
            fen: fen::write(rules, &position.make(mv)),
            value: value_name(*known),
            dtw: known.and_then(Known::plies),
            capture: mv.is_capture(),
            promotion: mv.promotes,
        });
        let answer = AnswerJson {
            rules: RulesJson::new(rules),
            fen: fen::write(rules, position),
            pieces: position.piece_count(),
            value: value_name(known),
            dtw: known.and_then(Known::plies),
            best,
            reason,
            moves: moves.collect(),
        };
        serde_json::to_string(&answer).or_environment()
    }
}

fn value_name(known: Option<Known>) -> &'static str {
    known.map_or("unknown", |known| known.wld().name())
}

/// The first move, if the distances of all are known: only then is none of the others better.
fn best_of<B: Board>(moves: &[(Move<B>, Option<Known>)]) -> Option<Move<B>> {
    let all_exact = moves
        .iter()
        .all(|(_, known)| known.and_then(Known::exact).is_some());
    moves.first().filter(|_| all_exact).map(|(mv, _)| *mv)
}

/// A line of standard input that is to be answered.
struct Line {
    /// From 1.
    number: u64,
    text: Vec<u8>,
}

/// The lines of standard input.
struct Lines {
    input: BufReader<io::StdinLock<'static>>,
    read: u64,
}

impl Lines {
    fn new() -> Self {
        Self {
            input: BufReader::with_capacity(READ_AHEAD, io::stdin().lock()),
            read: 0,
        }
    }

    /// The next lines, blank ones and comments left out; none at the end of the input.
    ///
    /// Waits for one line and then only takes what has arrived already, so that a program that asks
    /// line by line gets its answers.
    fn batch(&mut self) -> Outcome<Vec<Line>> {
        let mut batch = Vec::new();
        while batch.is_empty() || (batch.len() < BATCH && self.input.buffer().contains(&b'\n')) {
            let mut text = Vec::new();
            let read = self.input.read_until(b'\n', &mut text).map_err(|error| {
                Failure::say(
                    Exit::Environment,
                    format!("cannot read standard input: {error}"),
                )
            })?;
            if read == 0 {
                break;
            }
            self.read += 1;
            let content = text.trim_ascii();
            if !content.is_empty() && !content.starts_with(b"#") {
                batch.push(Line {
                    number: self.read,
                    text,
                });
            }
        }
        Ok(batch)
    }
}

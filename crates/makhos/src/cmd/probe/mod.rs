//! `makhos probe`: the value of positions from the tables.

mod draw;
mod lines;

use std::cmp::Reverse;
use std::io::{self, IsTerminal};

use clap::Args;
use makhos_probe::{Access, DrawTables, Dtw, Metric, ProbeError, Tablebase, Wld};
use makhos_retro::SolvedBoard;
use makhos_rules::notation::fen::Counts;
use makhos_rules::notation::{fen, hub, pdn_move};
use makhos_rules::{Board, Move, Position, RuleSet};
use rayon::prelude::*;
use serde::Serialize;

use crate::args::{DirArgs, DrawArgs, RulesArgs};
use crate::board::BoardCommand;
use crate::exit::{Exit, Failure, OrFail, Outcome};
use crate::json::RulesJson;
use crate::output::{Output, note};
use crate::tables;
use crate::text::or_dash;

use self::draw::{Drawn, DrawnAnswer};
use self::lines::{LONGEST, Line, Lines, one_field};

const AFTER_HELP: &str = "\
Each answer is a line of four fields separated by tabs: the FEN in our form, win|draw|loss
for the side to move, the distance to the end of the game in plies or -, and the best move
in Hub form or -. A position outside the tables is `unknown`, and the reason goes to standard
error. Without the tables of distances of a class and of those its moves lead to, the distance
or the best move is -, and the reason is told where other distances are there. Where there are
tables of distances to conversion, one more field comes last in every line: the plies to the next
capture, promotion or move of a man, or -.

FENs on standard input come one a line; blank lines and lines that begin with # are skipped.
Answers come in the same order, one for each line. The answer to a line that is no FEN is the
line itself, `error`, - and -; its tabs and other control characters become blanks. The reason
goes to standard error with the number of the line.

With --draw-rules five fields follow: the value under these rules, the least plies that must be
left on the clock for it to hold, the plies that are left, the clock in force, and the best move
under them. A cursed-win is won without drawing rules and drawn under them, a blessed-loss is lost
without them. Counters are fresh unless --halfmoves or the field H of a FEN (:H12) tells how many
plies the clock has counted.

With --json each answer is an object in one line. Values and distances of its moves are from
the view of the player who makes them, and a distance counts the move itself. For a line that
is no FEN the object has the fields `fen`, the line, `value`, which is `error`, and `error`,
the reason.

Exit code 1 if a position lies outside the tables, 2 if a FEN is wrong, 3 if a file is damaged;
of several lines the highest.

Examples:
  makhos probe --variant russian 'W:WK26,K27,K31:BK10'
  makhos probe --variant russian --json 'W:WK26,K27,K31:BK10'
  makhos probe --variant russian --draw-rules official 'W:WK26,K27,K31:BK10:H20'
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

    #[command(flatten)]
    draw: DrawArgs,

    /// Plies that the drawing rule in force has counted, where the FEN does not tell by its field H; asks
    /// for the official drawing rules
    #[arg(long, value_name = "N")]
    halfmoves: Option<u16>,

    /// Plies that a lone king has stood on the main road, where a rule counts those
    #[arg(long, value_name = "N", default_value_t = 0)]
    road: u8,

    /// Answer in JSON, with every legal move
    #[arg(long)]
    json: bool,
}

impl BoardCommand for ProbeArgs {
    fn rules(&self) -> &RulesArgs {
        &self.rules
    }

    fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        // A wrong FEN is told even where there are no tables.
        let position = self
            .fen
            .as_ref()
            .map(|text| fen::parse_counted::<B>(rules, text));
        let position = position.transpose().or_usage()?;
        let drawn = self.drawn::<B>(rules)?;
        let tables = tables::open::<B>(rules, &self.dir.dir, Access::Map)?;
        let there = tables.tables();
        let has = |metric| there.iter().any(|(_, of)| *of == metric);
        let has_distances = has(Metric::Dtw);
        let prober = Prober {
            tables,
            json: self.json,
            has_distances,
            has_conversions: has(Metric::Dtc),
            drawn,
        };
        let mut output = Output::new();
        match position {
            Some((position, counts)) => {
                let answer = prober.answer(&position, counts)?;
                output.line(&answer.text)?;
                output.flush()?;
                if let Some(reason) = answer.reason {
                    note(format_args!("{reason}"));
                }
                Ok(answer.exit)
            }
            None => prober.answer_all(&mut output),
        }
    }
}

impl ProbeArgs {
    /// The tables under drawing rules, if they are asked for.
    fn drawn<B: Board>(&self, rules: &RuleSet) -> Outcome<Option<Drawn<B>>> {
        let asked = self.halfmoves.is_some() || self.road > 0;
        let Some(draw_rules) = self.draw.draw_rules(rules, &self.rules, asked)? else {
            return Ok(None);
        };
        let tables = DrawTables::open(*rules, draw_rules, &self.dir.dir).or_environment()?;
        Ok(Some(Drawn {
            tables,
            halfmoves: self.halfmoves,
            road: self.road,
        }))
    }
}

/// The answer to a position or a line, and how the command ends because of it.
struct Answer {
    text: String,
    exit: Exit,
    /// Why there is no value, distance or best move.
    reason: Option<String>,
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
    /// Plies to the next capture, promotion or move of a man, if there are tables of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    dtc: Option<u16>,
    best: Option<String>,
    /// Why the value, the distance or the best move is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Best first.
    moves: Vec<MoveJson>,
    /// The same under the drawing rules asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    draw_rules: Option<DrawnAnswer>,
}

/// The answer to a line that is no FEN.
#[derive(Serialize)]
struct ErrorJson {
    #[serde(flatten)]
    rules: RulesJson,
    /// The line.
    fen: String,
    value: &'static str,
    error: String,
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
    /// Whether there is any table of distances, so that the lack of one is worth a word.
    has_distances: bool,
    /// Whether there is any table of distances to conversion.
    has_conversions: bool,
    drawn: Option<Drawn<B>>,
}

impl<B: Board> Prober<B> {
    /// Answers the positions on standard input.
    fn answer_all(&self, output: &mut Output) -> Outcome<Exit> {
        if io::stdin().is_terminal() {
            note(format_args!("reading FENs, one a line; Ctrl-D ends"));
        }
        let mut input = Lines::new(io::stdin().lock());
        let mut exit = Exit::Done;
        loop {
            let batch = input.batch().map_err(|error| {
                Failure::say(
                    Exit::Environment,
                    format!("cannot read standard input: {error}"),
                )
            })?;
            if batch.is_empty() {
                return Ok(exit);
            }
            let answers: Vec<_> = batch
                .par_iter()
                .map(|line| self.answer_line(line))
                .collect();
            for (line, answer) in batch.iter().zip(answers) {
                let answer = answer?;
                output.line(&answer.text)?;
                // The worst of all lines: 3, then 2, then 1.
                if answer.exit as u8 > exit as u8 {
                    exit = answer.exit;
                }
                if let Some(reason) = answer.reason {
                    note(format_args!("line {}: {reason}", line.number));
                }
            }
            output.flush()?;
        }
    }

    fn answer_line(&self, line: &Line) -> Outcome<Answer> {
        let position = match std::str::from_utf8(&line.text) {
            _ if line.too_long => Err(format!("longer than {LONGEST} bytes, so it is no FEN")),
            Ok(text) => fen::parse_counted::<B>(self.tables.rules(), text.trim())
                .map_err(|error| one_field(&error.to_string())),
            Err(_) => Err("not a text in UTF-8".into()),
        };
        match position {
            Ok((position, counts)) => self.answer(&position, counts),
            Err(reason) => self.wrong_line(line, reason),
        }
    }

    /// The answer to a line that is no FEN.
    fn wrong_line(&self, line: &Line, reason: String) -> Outcome<Answer> {
        let given = one_field(&String::from_utf8_lossy(&line.text));
        let text = if self.json {
            let answer = ErrorJson {
                rules: RulesJson::new(self.tables.rules()),
                fen: given,
                value: "error",
                error: reason.clone(),
            };
            serde_json::to_string(&answer).or_environment()?
        } else {
            let more = if self.drawn.is_some() {
                "\t-".repeat(5)
            } else {
                String::new()
            };
            let conversion = if self.has_conversions { "\t-" } else { "" };
            format!("{given}\terror\t-\t-{more}{conversion}")
        };
        Ok(Answer {
            text,
            exit: Exit::Usage,
            reason: Some(reason),
        })
    }

    fn answer(&self, position: &Position<B>, counts: Counts) -> Outcome<Answer> {
        let mut lack = Lack::default();
        let known = self.value(position, &mut lack);
        let exact = known.and_then(Known::exact).is_some();
        // Moves cost more than the position, and are not asked for without a distance.
        let moves = if exact || self.json {
            self.moves(position, &mut lack)
        } else {
            Vec::new()
        };
        let best = exact.then(|| best_of(&moves)).flatten();
        let best = best.map(|mv| hub::write_move(self.tables.rules(), &mv));
        let drawn = self.drawn.as_ref().map(|drawn| {
            let answer = drawn.answer(position, counts, known.map(Known::wld));
            answer.map_err(|error| lack.note(&error))
        });
        let unknown = known.is_none() || matches!(drawn, Some(Err(())));
        let drawn = drawn.map(|answer| answer.unwrap_or_else(|()| DrawnAnswer::unknown()));
        let exit = match unknown {
            _ if lack.broken => Exit::Environment,
            false => Exit::Done,
            true => Exit::No,
        };
        // Where there are only outcomes, nobody expects distances.
        let worth_a_word = exit != Exit::Done || self.has_distances;
        let reason = lack.reason.filter(|_| worth_a_word);
        let text = if self.json {
            self.json(position, known, best, reason.clone(), &moves, drawn)?
        } else {
            let conversion = match self.has_conversions {
                true => format!("\t{}", or_dash(self.conversion(position))),
                false => String::new(),
            };
            format!(
                "{}\t{}\t{}\t{}{}{conversion}",
                fen::write(self.tables.rules(), position),
                value_name(known),
                or_dash(known.and_then(Known::plies)),
                or_dash(best),
                drawn.map_or(String::new(), |drawn| drawn.fields())
            )
        };
        Ok(Answer { text, exit, reason })
    }

    /// The distance to conversion, if it is there. What is missing or damaged is told by the value already.
    fn conversion(&self, position: &Position<B>) -> Option<u16> {
        let value = self.tables.probe_dtc(position).ok()?;
        Some(value.plies()?.get())
    }

    /// The value with its distance, or without it where only outcomes are there.
    fn value(&self, position: &Position<B>, lack: &mut Lack) -> Option<Known> {
        // The first lack tells how to make the tables of both metrics.
        match self.tables.probe_dtw(position) {
            Ok(value) => return Some(Known::Exact(value)),
            Err(error) => lack.note(&error),
        }
        match self.tables.probe_wld(position) {
            Ok(value) => Some(Known::Outcome(value)),
            Err(error) => {
                lack.note(&error);
                None
            }
        }
    }

    /// The legal moves with their values for the mover, best first, unknown ones last.
    fn moves(&self, position: &Position<B>, lack: &mut Lack) -> Vec<(Move<B>, Option<Known>)> {
        let mut moves = Vec::new();
        for mv in self.tables.rules().legal_moves(position) {
            let known = self.value(&position.make(&mv), lack).map(Known::before);
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
        moves
    }

    fn json(
        &self,
        position: &Position<B>,
        known: Option<Known>,
        best: Option<String>,
        reason: Option<String>,
        moves: &[(Move<B>, Option<Known>)],
        draw_rules: Option<DrawnAnswer>,
    ) -> Outcome<String> {
        let rules = self.tables.rules();
        let all: Vec<Move<B>> = moves.iter().map(|(mv, _)| *mv).collect();
        let texts = pdn_move::write_moves(rules, position, &all);
        let moves = moves.iter().zip(texts).map(|((mv, known), pdn)| MoveJson {
            hub: hub::write_move(rules, mv),
            pdn,
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
            dtc: self.conversion(position),
            best,
            reason,
            moves: moves.collect(),
            draw_rules,
        };
        serde_json::to_string(&answer).or_environment()
    }
}

/// Why something could not be told.
#[derive(Default)]
struct Lack {
    /// The first reason.
    reason: Option<String>,
    /// Whether a file cannot be read, which is worse than that there is none.
    broken: bool,
}

impl Lack {
    fn note(&mut self, error: &ProbeError) {
        let broken = !tables::is_outside(error);
        if self.reason.is_none() || (broken && !self.broken) {
            self.reason = Some(error.to_string());
        }
        self.broken |= broken;
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

//! `makhos match`: which of two engines is stronger, and how sure that is.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use makhos_probe::Tablebase;
use makhos_retro::SolvedBoard;
use makhos_rules::RuleSet;
use makhos_rules::{Board, Move};
use makhos_selfplay::eval::Model;
use makhos_selfplay::matches::{
    EnginePlayer, HubLevel, HubPlayer, HubProgram, Match, MatchReport, Player, PlayerError, Sprt,
};
use makhos_selfplay::{Limits, Line, Searcher, Settings};
use serde::Serialize;

use crate::args::{DirArgs, RulesArgs};
use crate::board::BoardCommand;
use crate::exit::{Exit, Failure, OrFail, Outcome};
use crate::interrupt::Interrupt;
use crate::json::RulesJson;
use crate::output::{Output, note};
use crate::play::{self, Draws};

const AFTER_HELP: &str = "\
A and B are `material`, a safetensors file of weights or of a network, or `hub:COMMAND ARGUMENTS`,
a program that speaks the Hub protocol. Every opening of random moves is played twice with colours
swapped. Elo comes with its 95% interval, computed from the results of pairs; LOS is the
likelihood that A is the stronger one. With --sprt the match ends as soon as one of two
hypotheses on Elo is accepted.

Examples:
  makhos match --variant russian g1.safetensors material --pairs 200
  makhos match --variant thai g2.safetensors g1.safetensors --sprt 0,10 --pairs 5000
  makhos match --variant international material 'hub:dame hub' --nodes 20000 --pairs 20";

/// Play a match between two engines and tell the difference in strength
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct MatchArgs {
    #[command(flatten)]
    rules: RulesArgs,

    /// The first engine
    a: String,

    /// The second engine
    b: String,

    /// The most pairs of games
    #[arg(long, value_name = "N", default_value_t = 200)]
    pairs: u64,

    /// Positions that a search visits
    #[arg(
        long,
        value_name = "N",
        default_value_t = 5_000,
        conflicts_with = "move_time"
    )]
    nodes: u64,

    /// Milliseconds for a move, in place of nodes; results then depend on the machine
    #[arg(long, value_name = "MS")]
    move_time: Option<u64>,

    /// Random plies of an opening
    #[arg(long, value_name = "N", default_value_t = 6)]
    openings: usize,

    /// Decides the openings
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Test between two differences in Elo, with errors of 5 %
    #[arg(long, value_name = "ELO0,ELO1", value_parser = sprt)]
    sprt: Option<Sprt>,

    /// By which rules games are drawn
    #[arg(long, value_enum, value_name = "RULES", default_value_t = Draws::Official)]
    draw_rules: Draws,

    #[command(flatten)]
    dir: DirArgs,

    /// Play without tables, even where there are some
    #[arg(long)]
    no_tables: bool,

    /// Threads to play on; without it as many as the machine has
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

fn sprt(text: &str) -> Result<Sprt, String> {
    let wrong = || "write two numbers, as in 0,10".to_owned();
    let (low, high) = text.split_once(',').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
    Sprt::new(number(low)?, number(high)?, 0.05, 0.05).map_err(|error| error.to_string())
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    rules: RulesJson,
    a: &'a str,
    b: &'a str,
    nodes: Option<u64>,
    wins: u64,
    draws: u64,
    losses: u64,
    /// Pairs in which A made 0, 1, 2, 3 and 4 half points.
    pairs: [u64; 5],
    elo: f64,
    elo_low: f64,
    elo_high: f64,
    los: f64,
    sprt: Option<String>,
    finished: bool,
}

/// A player of either kind.
enum Either<B> {
    Engine(Box<EnginePlayer<B, Model<B>>>),
    Hub(Box<HubPlayer>),
}

impl<B: Board> Player<B> for Either<B> {
    fn new_game(&mut self) -> Result<(), PlayerError> {
        match self {
            Self::Engine(player) => player.new_game(),
            Self::Hub(player) => Player::<B>::new_game(player.as_mut()),
        }
    }

    fn choose(&mut self, line: &Line<B>) -> Result<Move<B>, PlayerError> {
        match self {
            Self::Engine(player) => player.choose(line),
            Self::Hub(player) => player.choose(line),
        }
    }
}

/// What makes players of one side.
enum Maker<B> {
    Model(Arc<Model<B>>),
    Hub(HubProgram),
}

impl BoardCommand for MatchArgs {
    fn rules(&self) -> &RulesArgs {
        &self.rules
    }

    fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        let tables = if self.no_tables {
            None
        } else {
            play::tables::<B>(rules, &self.dir.dir)?
        };
        let makers = [
            self.maker::<B>(rules, &self.a)?,
            self.maker(rules, &self.b)?,
        ];
        let interrupt = Interrupt::install()?;
        let game = Match {
            openings: self.openings,
            seed: self.seed,
            pairs: self.pairs,
            sprt: self.sprt,
            ..Match::new(*rules, self.draw_rules.of(rules))
        };
        let make = |maker: &Maker<B>| self.player(rules, maker, tables.clone());
        let first = || make(&makers[0]);
        let second = || make(&makers[1]);
        let mut watch = |report: &MatchReport| {
            note(format_args!("{}", report.tally));
            !interrupt.is_asked()
        };
        let pool = play::pool(self.threads)?;
        let report = pool.install(|| game.run::<B, _, _>(&first, &second, &mut watch));
        let report = report.or_environment()?;
        self.print(rules, &report)?;
        Ok(if report.finished {
            Exit::Done
        } else {
            Exit::Interrupted
        })
    }
}

impl MatchArgs {
    fn limits(&self) -> Limits {
        match self.move_time {
            Some(time) => Limits::time(Duration::from_millis(time)),
            None => Limits::nodes(self.nodes),
        }
    }

    fn maker<B: Board>(&self, rules: &RuleSet, text: &str) -> Outcome<Maker<B>> {
        if let Some(command) = text.strip_prefix("hub:") {
            let mut words = command.split_whitespace().map(str::to_owned);
            let program = words
                .next()
                .ok_or_else(|| Failure::say(Exit::Usage, "hub: needs a command, as in hub:dame"))?;
            let level = match self.move_time {
                Some(time) => HubLevel::MoveTime(Duration::from_millis(time)),
                None => HubLevel::Nodes(self.nodes),
            };
            let mut hub = HubProgram::new(program, level);
            hub.arguments = words.collect();
            return Ok(Maker::Hub(hub));
        }
        let path = (text != "material").then(|| PathBuf::from(text));
        let model = play::model(rules, path.as_deref())?;
        Ok(Maker::Model(Arc::new(model)))
    }

    fn player<B: Board>(
        &self,
        rules: &RuleSet,
        maker: &Maker<B>,
        tables: Option<Arc<Tablebase<B>>>,
    ) -> Result<Either<B>, PlayerError> {
        match maker {
            Maker::Model(eval) => {
                let draw_rules = self.draw_rules.of(rules);
                let searcher = Searcher::new(*rules, draw_rules, eval.clone(), Settings::default());
                let searcher = searcher.with_tables(tables);
                let player = EnginePlayer::new(searcher, self.limits());
                Ok(Either::Engine(Box::new(player)))
            }
            Maker::Hub(program) => Ok(Either::Hub(Box::new(HubPlayer::start(rules, program)?))),
        }
    }

    fn print(&self, rules: &RuleSet, report: &MatchReport) -> Outcome<()> {
        let tally = &report.tally;
        let verdict = report
            .verdict
            .map(|verdict| format!("{verdict:?}").to_lowercase());
        let mut output = Output::new();
        if self.json {
            let [losses, draws, wins] = tally.games;
            let elo = tally.elo();
            output.json(&Document {
                rules: RulesJson::new(rules),
                a: &self.a,
                b: &self.b,
                nodes: self.move_time.is_none().then_some(self.nodes),
                wins,
                draws,
                losses,
                pairs: tally.pairs,
                elo: elo.value,
                elo_low: elo.low,
                elo_high: elo.high,
                los: tally.superiority(),
                sprt: verdict,
                finished: report.finished,
            })?;
        } else {
            output.line(format_args!("{} against {}: {tally}", self.a, self.b))?;
            if let Some(verdict) = verdict {
                output.line(format_args!("test: {verdict}"))?;
            }
        }
        output.flush()
    }
}

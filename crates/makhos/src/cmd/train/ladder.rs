//! `makhos train loop`: self-play, training and a match, generation after generation.
//!
//! Every step is a command of this program, run as a process of its own and told to the user, so that it can
//! be repeated by hand. What a step has finished is in files, so a killed loop goes on where it was.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use makhos_retro::SolvedBoard;
use makhos_rules::RuleSet;
use serde::{Deserialize, Serialize};

use crate::args::RulesArgs;
use crate::board::BoardCommand;
use crate::exit::{Exit, Failure, OrFail, Outcome};
use crate::output::{Output, note};
use crate::text::{Align, TextTable};

/// Play, train and test in turn: each generation must hold its own against the best one before it
#[derive(Args, Debug)]
#[command(after_help = "\
The directory holds games of each generation, weights, results of matches and ladder.tsv. The same
command goes on with what a killed run has left; a larger --generations adds to it.

Examples:
  makhos train loop --variant russian --generations 3 --games 4000 --nodes 1000 --out ladder")]
pub(super) struct LoopArgs {
    #[command(flatten)]
    rules: RulesArgs,

    /// How many generations
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    generations: u32,

    /// Games of a generation
    #[arg(long, value_name = "N", default_value_t = 4_000)]
    games: u64,

    /// Positions that a search visits, in games and matches
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    nodes: u64,

    /// Pairs of games of a match
    #[arg(long, value_name = "N", default_value_t = 200)]
    pairs: u64,

    /// The likelihood of being stronger that a generation must show against the best one to take its place
    #[arg(long, value_name = "LOS", default_value_t = 0.5)]
    gate: f64,

    /// All random numbers follow from it
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// The directory of the ladder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// The directory of all tables
    #[arg(long, value_name = "DIR", env = "MAKHOS_DIR", default_value = "tables")]
    dir: PathBuf,

    /// Threads to work with; without it as many as the machine has
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// What of a match's JSON document the ladder needs.
#[derive(Clone, Deserialize, Serialize)]
struct Result {
    wins: u64,
    draws: u64,
    losses: u64,
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    los: f64,
    finished: bool,
}

/// A generation on the ladder.
struct Rung {
    generation: u32,
    against_best: Result,
    against_material: Result,
    accepted: bool,
}

impl BoardCommand for LoopArgs {
    fn rules(&self) -> &RulesArgs {
        &self.rules
    }

    fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        fs::create_dir_all(&self.out).or_environment()?;
        let mut best: Option<PathBuf> = None;
        let mut rungs = Vec::new();
        for generation in 1..=self.generations {
            let rung = self.generation(rules, generation, best.as_deref())?;
            if rung.accepted {
                best = Some(self.file(generation, "safetensors"));
            }
            rungs.push(rung);
            fs::write(self.out.join("ladder.tsv"), tsv(&rungs)).or_environment()?;
        }
        let mut output = Output::new();
        output.text(&for_people(&rungs))?;
        let best = best.map_or("material".to_owned(), |path| path.display().to_string());
        output.line(format_args!("best: {best}"))?;
        output.flush()?;
        Ok(Exit::Done)
    }
}

impl LoopArgs {
    fn generation(&self, rules: &RuleSet, number: u32, best: Option<&Path>) -> Outcome<Rung> {
        let out = self.file(number, "safetensors");
        let games = |number: u32| text(&self.out.join(format!("games-{number}")));
        let mut play = self.command(rules, &["selfplay"]);
        let seed = self
            .seed
            .wrapping_mul(1_000_003)
            .wrapping_add(number.into());
        let numbers = [self.games, self.nodes, seed].map(|number| number.to_string());
        play.extend(
            [
                "--games",
                &numbers[0],
                "--nodes",
                &numbers[1],
                "--seed",
                &numbers[2],
            ]
            .map(str::to_owned),
        );
        play.extend(["--out".to_owned(), games(number)]);
        let mut train = self.command(rules, &["train", "patterns"]);
        for number in 1..=number {
            train.extend(["--games".to_owned(), games(number)]);
        }
        train.extend(["--out".to_owned(), text(&out)]);
        if let Some(best) = best {
            let weights = ["--weights".to_owned(), text(best)];
            play.extend(weights.clone());
            train.extend(weights);
        }
        self.step(&play)?;
        if !out.exists() {
            self.step(&train)?;
        }
        let against_material =
            self.play_match(rules, &out, "material", &self.file(number, "material.json"))?;
        let against_best = match best.map(text) {
            Some(best) => self.play_match(rules, &out, &best, &self.file(number, "best.json"))?,
            None => against_material.clone(),
        };
        Ok(Rung {
            generation: number,
            accepted: against_best.los >= self.gate,
            against_best,
            against_material,
        })
    }

    /// The file of a generation with this ending.
    fn file(&self, generation: u32, ending: &str) -> PathBuf {
        self.out.join(format!("g{generation}.{ending}"))
    }

    /// A command of this program with what all have in common.
    fn command(&self, rules: &RuleSet, name: &[&str]) -> Vec<String> {
        let mut words: Vec<String> = name.iter().copied().map(str::to_owned).collect();
        let rules = makhos_probe::command_arguments(rules);
        words.extend(rules.split_whitespace().map(str::to_owned));
        words.extend(["--dir".to_owned(), text(&self.dir)]);
        if let Some(threads) = self.threads {
            words.extend(["--threads".to_owned(), threads.to_string()]);
        }
        words
    }

    /// The result of a match, which is played unless its file is there.
    fn play_match(&self, rules: &RuleSet, a: &Path, b: &str, file: &Path) -> Outcome<Result> {
        if let Ok(done) = fs::read_to_string(file) {
            return serde_json::from_str(&done).or_environment();
        }
        let mut words = self.command(rules, &["match"]);
        let pairs = self.pairs.to_string();
        let nodes = self.nodes.to_string();
        words.extend(["--pairs", &pairs, "--nodes", &nodes, "--json"].map(str::to_owned));
        words.extend([text(a), b.to_owned()]);
        let printed = self.step(&words)?;
        let result: Result = serde_json::from_str(&printed).or_environment()?;
        // Under its name only when it is complete.
        let temporary = file.with_extension("tmp");
        fs::write(&temporary, &printed).or_environment()?;
        fs::rename(&temporary, file).or_environment()?;
        Ok(result)
    }

    /// Runs a command of this program and returns what it prints.
    fn step(&self, words: &[String]) -> Outcome<String> {
        note(format_args!("makhos {}", words.join(" ")));
        let program = std::env::current_exe().or_environment()?;
        let output = Command::new(program)
            .args(words)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .or_environment()?;
        let exit = match output.status.code() {
            Some(0) => return String::from_utf8(output.stdout).or_environment(),
            Some(130) | None => Exit::Interrupted,
            Some(2) => Exit::Usage,
            Some(_) => Exit::Environment,
        };
        let message = format!(
            "makhos {} did not finish; the same command goes on",
            words[0]
        );
        Err(Failure::say(exit, message))
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn tsv(rungs: &[Rung]) -> String {
    let mut text = String::from(
        "generation\tagainst\twins\tdraws\tlosses\telo\telo_low\telo_high\tlos\taccepted\n",
    );
    for rung in rungs {
        for (name, result) in [
            ("best", &rung.against_best),
            ("material", &rung.against_material),
        ] {
            let Result {
                wins,
                draws,
                losses,
                los,
                ..
            } = result;
            let [elo, low, high] = elo(result);
            text.push_str(&format!(
                "{}\t{name}\t{wins}\t{draws}\t{losses}\t{elo}\t{low}\t{high}\t{los:.4}\t{}\n",
                rung.generation, rung.accepted
            ));
        }
    }
    text
}

/// Elo and its interval; `-` where one side made all points.
fn elo(result: &Result) -> [String; 3] {
    [result.elo, result.elo_low, result.elo_high]
        .map(|elo| elo.map_or_else(|| "-".to_owned(), |elo| format!("{elo:+.1}")))
}

fn for_people(rungs: &[Rung]) -> String {
    let right = |name| (name, Align::Right);
    let mut table = TextTable::new(&[
        right("generation"),
        right("against the best before"),
        right("against material"),
        right("accepted"),
    ]);
    let cell = |result: &Result| {
        let [value, low, high] = elo(result);
        format!("{value} [{low}, {high}]")
    };
    for rung in rungs {
        table.row(vec![
            rung.generation.to_string(),
            cell(&rung.against_best),
            cell(&rung.against_material),
            if rung.accepted { "yes" } else { "no" }.to_owned(),
        ]);
    }
    let mut text = table.render();
    text.push_str(
        "Elo with its 95 % interval, by nodes, from pairs of games with colours swapped.\n",
    );
    text
}

//! `makhos train accuracy`: how well evaluations know what the tables know.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use makhos_index::{Material, classes};
use makhos_probe::{Access, Tablebase, Wld};
use makhos_retro::SolvedBoard;
use makhos_rules::{Board, Position, RuleSet};
use makhos_selfplay::Limits;
use makhos_selfplay::dataset::{Exporter, Filter, Sample, Sampler};
use makhos_selfplay::eval::Model;
use makhos_selfplay::train::{Accuracy, Judgement, Keeping, accuracy, keeping};
use serde::Serialize;

use super::examples::shards;
use crate::args::{DirArgs, RulesArgs};
use crate::board::BoardCommand;
use crate::exit::{Exit, Failure, OrFail, Outcome};
use crate::json::RulesJson;
use crate::output::Output;
use crate::text::{Align, TextTable, grouped};
use crate::{play, tables};

/// Positions drawn for each that is asked for, before a number of pieces is taken to have no more.
const DRAWS: u64 = 50;

const AFTER_HELP: &str = "\
Positions with a given number of pieces are drawn from the tables; those in which something can
be captured are left out, as are those of the games named by --games, so that nothing was learnt
from them. Each evaluation says of each position whether it is won, drawn or lost, without a
search and without tables: its score counts as a win above a threshold, which with the worth of a
man in probability is fitted to other positions for each evaluation alike. Then a search without
tables chooses a move, and tables tell whether it keeps the result; only positions count in
which some legal move does not. The evaluation that knows material only comes first.

Examples:
  makhos train accuracy --variant russian g1.safetensors g2.safetensors
  makhos train accuracy --variant thai n1.safetensors --games games --positions 5000 --json";

/// Compare evaluations with exact values: right verdicts, cross-entropy, moves that keep the result
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct AccuracyArgs {
    #[command(flatten)]
    rules: RulesArgs,

    /// Weights or networks, safetensors files
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    dir: DirArgs,

    /// Leave out the positions of these games, as `makhos selfplay` makes them; may be repeated
    #[arg(long, value_name = "DIR")]
    games: Vec<PathBuf>,

    /// The most pieces; without it, those of the largest tables
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=24))]
    pieces: Option<u32>,

    /// How many positions for each number of pieces
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    positions: u64,

    /// Positions that the search of a move visits
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    nodes: u64,

    /// Chooses the positions
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Threads to work with; without it as many as the machine has
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    rules: RulesJson,
    nodes: u64,
    seed: u64,
    evaluations: Vec<Evaluation>,
}

/// What has been found out about an evaluation.
#[derive(Serialize)]
struct Evaluation {
    name: String,
    generation: u32,
    /// A score above this is a win, in men.
    threshold: f64,
    /// The logit that a man is worth.
    scale: f64,
    by_pieces: Vec<Figures>,
}

#[derive(Serialize)]
struct Figures {
    pieces: u32,
    positions: u64,
    /// By value (loss, draw, win), then by verdict.
    verdicts: [[u64; 3]; 3],
    right: Option<f64>,
    cross_entropy: Option<f64>,
    /// Positions in which some moves keep the result and others do not.
    decisive: u64,
    kept: u64,
    kept_share: Option<f64>,
}

/// Positions with their exact values.
type Known<B> = Vec<(Position<B>, Wld)>;

impl BoardCommand for AccuracyArgs {
    fn rules(&self) -> &RulesArgs {
        &self.rules
    }

    fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        let tables = tables::open::<B>(rules, &self.dir.dir, Access::default())?;
        let mut models = vec![("material".to_owned(), play::model::<B>(rules, None)?)];
        for path in &self.files {
            let model = play::model(rules, Some(path))?;
            models.push((path.display().to_string(), model));
        }
        let pool = play::pool(self.threads)?;
        let evaluations: Vec<Evaluation> = pool.install(|| {
            let mut seen = self.learnt_from::<B>(rules)?;
            let held_out = self.draw(&tables, self.seed, &mut seen)?;
            // Those that were drawn are in `seen` by now, so these are others.
            let others = self.draw(&tables, self.seed.wrapping_add(1), &mut seen)?;
            let measure = |(name, model)| self.measure(&tables, name, model, &held_out, &others);
            models.into_iter().map(measure).collect::<Outcome<_>>()
        })?;
        let mut output = Output::new();
        if self.json {
            output.json(&Document {
                rules: RulesJson::new(rules),
                nodes: self.nodes,
                seed: self.seed,
                evaluations,
            })?;
        } else {
            output.text(&for_people(&evaluations, self.nodes))?;
        }
        output.flush()?;
        Ok(Exit::Done)
    }
}

impl AccuracyArgs {
    /// All positions of the games, White to move.
    fn learnt_from<B: Board>(&self, rules: &RuleSet) -> Outcome<HashSet<Position<B>>> {
        let everything = Filter {
            openings: true,
            captures: true,
            forced: true,
            ..Filter::default()
        };
        let mut exporter = Exporter::<B>::new(*rules, None, everything);
        let mut seen = HashSet::new();
        for (run, dir) in (0..).zip(&self.games) {
            for path in shards(dir)? {
                let rows = exporter.rows(run, &path).or_environment()?;
                seen.extend(rows.iter().map(|row| folded(&row.position)));
            }
        }
        Ok(seen)
    }

    /// Positions of every number of pieces, none of which is among those seen, and which are then.
    fn draw<B: SolvedBoard>(
        &self,
        tables: &Tablebase<B>,
        seed: u64,
        seen: &mut HashSet<Position<B>>,
    ) -> Outcome<Known<B>> {
        let rules = *tables.rules();
        let most = tables.max_pieces();
        let most = self.pieces.map_or(most, |pieces| pieces.min(most));
        let mut drawn = Vec::new();
        for pieces in 2..=most {
            let Some(sampler) = sampler(tables, pieces, seed) else {
                continue;
            };
            let before = drawn.len() as u64;
            for number in 0..self.positions.saturating_mul(DRAWS) {
                if drawn.len() as u64 == before + self.positions {
                    break;
                }
                let position = sampler.position(number);
                if rules.has_capture(&position)
                    || rules.legal_moves(&position).is_empty()
                    || !seen.insert(folded(&position))
                {
                    continue;
                }
                drawn.push((position, tables.probe_wld(&position).or_environment()?));
            }
        }
        if drawn.is_empty() {
            let message = "the tables hold no position that could be drawn";
            return Err(Failure::say(Exit::Environment, message));
        }
        Ok(drawn)
    }

    fn measure<B: SolvedBoard>(
        &self,
        tables: &Tablebase<B>,
        name: String,
        model: Model<B>,
        held_out: &Known<B>,
        others: &Known<B>,
    ) -> Outcome<Evaluation> {
        let generation = model.generation();
        // Small tables may have no others.
        let known = if others.is_empty() { held_out } else { others };
        let judgement = Judgement::fitted(&model, known).or_usage()?;
        let verdicts = accuracy(&model, &judgement, held_out).or_usage()?;
        let positions: Vec<Position<B>> = held_out.iter().map(|known| known.0).collect();
        let limits = Limits::nodes(self.nodes);
        let kept = keeping(&Arc::new(model), tables, &positions, &limits).or_environment()?;
        Ok(Evaluation {
            name,
            generation,
            threshold: judgement.threshold,
            scale: judgement.scale,
            by_pieces: figures(&verdicts, &kept),
        })
    }
}

/// A sampler of the classes of so many pieces that there are tables of.
fn sampler<B: Board>(tables: &Tablebase<B>, pieces: u32, seed: u64) -> Option<Sampler<'_, B>> {
    let there: HashSet<Material> = tables.tables().into_iter().map(|it| it.0).collect();
    let sample = Sample {
        classes: classes(pieces)
            .into_iter()
            .filter(|class| class.pieces() == pieces && there.contains(class))
            .collect(),
        by_class: false,
        seed,
    };
    Sampler::new(tables, &sample).ok()
}

/// The position with White to move.
fn folded<B: Board>(position: &Position<B>) -> Position<B> {
    if position.side().is_white() {
        *position
    } else {
        position.flip()
    }
}

fn figures(verdicts: &BTreeMap<u32, Accuracy>, kept: &BTreeMap<u32, Keeping>) -> Vec<Figures> {
    let of = |(pieces, accuracy): (&u32, &Accuracy)| {
        let keeping = kept.get(pieces).copied().unwrap_or_default();
        Figures {
            pieces: *pieces,
            positions: accuracy.count(),
            verdicts: accuracy.verdicts,
            right: accuracy.right(),
            cross_entropy: accuracy.cross_entropy(),
            decisive: keeping.positions,
            kept: keeping.kept,
            kept_share: keeping.share(),
        }
    };
    verdicts.iter().map(of).collect()
}

/// A share in percent with half of its 95 % interval.
fn percent(share: Option<f64>, count: u64) -> String {
    share.map_or_else(
        || "-".to_owned(),
        |share| {
            let half = 1.96 * (share * (1.0 - share) / count as f64).sqrt();
            format!("{:.1} ± {:.1}", 100.0 * share, 100.0 * half)
        },
    )
}

fn for_people(evaluations: &[Evaluation], nodes: u64) -> String {
    let right = |name| (name, Align::Right);
    let mut table = TextTable::new(&[
        right("pieces"),
        ("evaluation", Align::Left),
        right("positions"),
        right("right, %"),
        right("cross-entropy"),
        right("decisive"),
        right("kept, %"),
    ]);
    let lines = evaluations.first().map_or(0, |first| first.by_pieces.len());
    for line in 0..lines {
        for evaluation in evaluations {
            let it = &evaluation.by_pieces[line];
            let entropy = it.cross_entropy.map(|entropy| format!("{entropy:.3}"));
            table.row(vec![
                it.pieces.to_string(),
                short_name(&evaluation.name),
                grouped(it.positions.into()),
                percent(it.right, it.positions),
                entropy.unwrap_or_else(|| "-".to_owned()),
                grouped(it.decisive.into()),
                percent(it.kept_share, it.decisive),
            ]);
        }
    }
    let mut text = table.render();
    text.push_str(&format!(
        "Right: verdicts without a search, of all positions. Kept: moves of a search of {nodes} nodes without\n\
         tables that keep the result, of positions in which not every move does. ± is half of a 95 % interval.\n",
    ));
    text
}

/// The file's name without its directory and ending.
fn short_name(name: &str) -> String {
    let stem = Path::new(name).file_stem();
    stem.map_or_else(
        || name.to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    )
}

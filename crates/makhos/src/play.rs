//! What commands that play or train share: weights, tables and drawing rules of an engine.

use std::path::Path;
use std::sync::Arc;

use clap::ValueEnum;
use makhos_probe::Tablebase;
use makhos_rules::draw::{DrawRules, official};
use makhos_rules::{Board, RuleSet};
use makhos_selfplay::eval::{Model, Weights};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::exit::{OrFail, Outcome};

/// Drawing rules of games.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum Draws {
    /// Those of the variant's federation
    Official,
    /// None
    None,
}

impl Draws {
    pub(crate) fn of(self, rules: &RuleSet) -> DrawRules {
        match self {
            Self::Official => official::of(rules),
            Self::None => DrawRules::default(),
        }
    }
}

/// The weights of patterns in a file, or those that know material only.
pub(crate) fn weights<B: Board>(rules: &RuleSet, path: Option<&Path>) -> Outcome<Weights> {
    match path {
        Some(path) => Weights::load::<B>(rules, path).or_environment(),
        None => Ok(Weights::material_only::<B>(rules)),
    }
}

/// The evaluation in a file, weights of patterns or a network, or the one that knows material only.
pub(crate) fn model<B: Board>(rules: &RuleSet, path: Option<&Path>) -> Outcome<Model<B>> {
    match path {
        Some(path) => Model::load(rules, path).or_environment(),
        None => Model::material(rules).or_environment(),
    }
}

/// The tables of a directory, if there are any.
pub(crate) fn tables<B: Board>(rules: &RuleSet, dir: &Path) -> Outcome<Option<Arc<Tablebase<B>>>> {
    let tables = Tablebase::<B>::open(*rules, dir).or_environment()?;
    Ok((tables.max_pieces() > 0).then(|| Arc::new(tables)))
}

/// A pool of so many threads, by default as many as the machine has.
pub(crate) fn pool(threads: Option<u16>) -> Outcome<ThreadPool> {
    ThreadPoolBuilder::new()
        .num_threads(threads.map_or(0, usize::from))
        .build()
        .or_environment()
}

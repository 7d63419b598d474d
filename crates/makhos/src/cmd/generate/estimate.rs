//! What generation would make and take.

use std::path::Path;
use std::time::Duration;

use makhos_probe::Metric;
use makhos_retro::{Calibration, Forecast, Plan, SolvedBoard, Storage};
use makhos_rules::RuleSet;
use rayon::ThreadPoolBuilder;
use serde::Serialize;

use super::failure;
use crate::exit::{Exit, OrFail, Outcome};
use crate::json::{RulesJson, path_text};
use crate::output::Output;
use crate::text::{self, Align, TextTable, bytes, classes, grouped};

/// What is to be estimated.
pub(super) struct Question<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) dir: &'a Path,
    pub(super) metric: Metric,
    pub(super) storage: Storage,
    pub(super) plan: &'a Plan,
    /// Bytes of memory.
    pub(super) allowed: u64,
    pub(super) threads: usize,
}

/// The estimate of a plan. All amounts of memory and disk are in bytes.
#[derive(Serialize)]
pub(super) struct Estimate {
    #[serde(flatten)]
    rules: RulesJson,
    dir: String,
    metric: String,
    /// What is to be made; tables that are there are not counted.
    classes_to_make: usize,
    /// Classes whose tables are there, but not their values at captures, which others need.
    classes_to_solve_again: usize,
    positions: u64,
    memory: u64,
    memory_allowed: u64,
    fits: bool,
    threads: usize,
    /// About so long, by the clock, at the speed measured just now.
    seconds: f64,
    /// About what the files take.
    disk: u64,
    /// The files take no more than that.
    disk_bound: u64,
    classes: Vec<ClassEstimate>,
}

#[derive(Serialize)]
struct ClassEstimate {
    class: String,
    pieces: u32,
    positions: u64,
    memory: u64,
    was_there: bool,
}

impl Question<'_> {
    /// Measures the machine for about a second and estimates.
    pub(super) fn answer<B: SolvedBoard>(&self) -> Outcome<Estimate> {
        let plan = self.plan;
        let forecast = self.forecast::<B>()?;
        let class = |step: &makhos_retro::Step| ClassEstimate {
            class: step.material.to_string(),
            pieces: step.material.pieces(),
            positions: step.positions,
            memory: step.memory,
            was_there: step.done,
        };
        Ok(Estimate {
            rules: RulesJson::new(self.rules),
            dir: path_text(self.dir),
            metric: self.metric.to_string(),
            classes_to_make: plan.steps.iter().filter(|step| !step.done).count(),
            classes_to_solve_again: plan.steps.iter().filter(|step| step.again).count(),
            positions: plan.open_positions(),
            memory: plan.memory(),
            memory_allowed: self.allowed,
            fits: plan.memory() <= self.allowed,
            threads: self.threads,
            seconds: forecast.seconds,
            disk: forecast.disk.min(plan.disk_bound(self.metric)),
            disk_bound: plan.disk_bound(self.metric),
            classes: plan.steps.iter().map(class).collect(),
        })
    }

    fn forecast<B: SolvedBoard>(&self) -> Outcome<Forecast> {
        if self.plan.open().next().is_none() {
            return Ok(Forecast {
                seconds: 0.0,
                disk: 0,
            });
        }
        let scratch = tempfile::tempdir().or_environment()?;
        let one = ThreadPoolBuilder::new().num_threads(1).build();
        let tables = (self.metric, self.storage);
        let measure = || Calibration::measure::<B>(self.rules, tables, scratch.path());
        let calibration = one.or_environment()?.install(measure).map_err(failure)?;
        Ok(calibration.forecast::<B>(self.plan, self.threads))
    }
}

impl Estimate {
    pub(super) fn print(&self, json: bool) -> Outcome<Exit> {
        let mut output = Output::new();
        if json {
            output.json(self)?;
        } else {
            output.text(&self.for_people())?;
        }
        output.flush()?;
        Ok(Exit::Done)
    }

    fn for_people(&self) -> String {
        let mut table = TextTable::new(&[
            ("class", Align::Left),
            ("pieces", Align::Right),
            ("positions", Align::Right),
            ("memory", Align::Right),
            ("", Align::Left),
        ]);
        for class in &self.classes {
            table.row(vec![
                class.class.clone(),
                class.pieces.to_string(),
                grouped(class.positions.into()),
                bytes(class.memory),
                if class.was_there {
                    "was there".into()
                } else {
                    String::new()
                },
            ]);
        }
        let mut text = table.render();
        text.push_str(&format!(
            "\n{} to make, {} positions, in {}\n\
             time:   about {} with {}, at the speed measured just now\n\
             memory: {} at most, {} allowed{}\n\
             disk:   about {}, {} at most\n",
            classes(self.classes_to_make as u64),
            grouped(self.positions.into()),
            self.dir,
            text::time(Duration::try_from_secs_f64(self.seconds).unwrap_or(Duration::MAX)),
            match self.threads {
                1 => "one thread".into(),
                more => format!("{more} threads"),
            },
            bytes(self.memory),
            bytes(self.memory_allowed),
            self.misfit(),
            bytes(self.disk),
            bytes(self.disk_bound),
        ));
        text
    }

    /// A word on what does not fit the memory.
    fn misfit(&self) -> String {
        let open = self.classes.iter().filter(|class| !class.was_there);
        let misfits: Vec<_> = open
            .filter(|class| class.memory > self.memory_allowed)
            .collect();
        match misfits.first() {
            Some(first) => format!(
                ": {} too large for it, the first {}",
                classes(misfits.len() as u64),
                first.class
            ),
            None => String::new(),
        }
    }
}

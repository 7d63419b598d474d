//! What generation would make and take.

use std::path::Path;

use makhos_probe::Metric;
use makhos_retro::Plan;
use makhos_rules::RuleSet;
use serde::Serialize;

use crate::exit::{Exit, Outcome};
use crate::json::{RulesJson, path_text};
use crate::output::Output;
use crate::text::{Align, TextTable, bytes, classes, grouped};

/// The estimate of a plan. All amounts of memory and disk are in bytes.
#[derive(Serialize)]
pub(super) struct Estimate {
    #[serde(flatten)]
    rules: RulesJson,
    dir: String,
    metric: String,
    /// What is to be made; tables that are there are not counted.
    classes_to_make: usize,
    positions: u64,
    memory: u64,
    memory_allowed: u64,
    fits: bool,
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

impl Estimate {
    pub(super) fn new(
        rules: &RuleSet,
        dir: &Path,
        metric: Metric,
        plan: &Plan,
        allowed: u64,
    ) -> Self {
        let class = |step: &makhos_retro::Step| ClassEstimate {
            class: step.material.to_string(),
            pieces: step.material.pieces(),
            positions: step.positions,
            memory: step.memory,
            was_there: step.done,
        };
        Self {
            rules: RulesJson::new(rules),
            dir: path_text(dir),
            metric: metric.to_string(),
            classes_to_make: plan.open().count(),
            positions: plan.open_positions(),
            memory: plan.memory(),
            memory_allowed: allowed,
            fits: plan.memory() <= allowed,
            disk_bound: plan.disk_bound(metric),
            classes: plan.steps.iter().map(class).collect(),
        }
    }

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
             memory: {} at most, {} allowed{}\n\
             disk:   {} at most, usually far less\n",
            classes(self.classes_to_make as u64),
            grouped(self.positions.into()),
            self.dir,
            bytes(self.memory),
            bytes(self.memory_allowed),
            self.misfit(),
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

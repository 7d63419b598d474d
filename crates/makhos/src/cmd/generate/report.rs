//! What generation has made.

use std::path::Path;
use std::time::Duration;

use makhos_probe::Metric;
use makhos_retro::ClassReport;
use makhos_rules::{Board, RuleSet};
use serde::Serialize;

use crate::draw_figures::DrawClass;
use crate::exit::Outcome;
use crate::figures::{ClassFigures, Examples, FiguresTable, Totals};
use crate::json::{RulesJson, path_text};
use crate::output::Output;
use crate::text::{self, grouped};

use super::draw::Made;

/// A finished run.
pub(super) struct Run<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) dir: &'a Path,
    pub(super) metric: Metric,
    pub(super) threads: usize,
    /// From the first class to the last file.
    pub(super) time: Duration,
    /// What was made under drawing rules, if any.
    pub(super) drawn: Option<Made>,
}

#[derive(Serialize)]
struct DrawnJson<'a> {
    directory: &'a str,
    classes: &'a [DrawClass],
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    rules: RulesJson,
    dir: String,
    metric: String,
    classes: Vec<ClassJson>,
    totals: Totals,
    made: MadeJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    draw_rules: Option<DrawnJson<'a>>,
}

#[derive(Serialize)]
struct ClassJson {
    #[serde(flatten)]
    figures: ClassFigures,
    bytes: u64,
    was_there: bool,
    seconds: Option<f64>,
}

/// What this run itself has made.
#[derive(Clone, Copy, Serialize)]
struct MadeJson {
    classes: u64,
    positions: u64,
    threads: usize,
    seconds: f64,
    positions_per_second: Option<f64>,
}

impl Run<'_> {
    pub(super) fn print<B: Board>(&self, reports: &[ClassReport], json: bool) -> Outcome<()> {
        let mut classes = Vec::new();
        for report in reports {
            classes.push(ClassJson {
                figures: ClassFigures::new::<B>(self.rules, report.material, &report.sides)?,
                bytes: report.bytes,
                was_there: report.time.is_none(),
                seconds: report.time.map(|time| time.as_secs_f64()),
            });
        }
        let made = self.made(&classes);
        let mut output = Output::new();
        if json {
            let mut totals = Totals::default();
            for class in &classes {
                totals.add(&class.figures, class.bytes);
            }
            output.json(&Document {
                rules: RulesJson::new(self.rules),
                dir: path_text(self.dir),
                metric: self.metric.to_string(),
                classes,
                totals,
                made,
                draw_rules: self.drawn.as_ref().map(|drawn| DrawnJson {
                    directory: &drawn.directory,
                    classes: &drawn.classes,
                }),
            })?;
        } else {
            output.text(&self.for_people(&classes, made))?;
            if let Some(drawn) = &self.drawn {
                output.text(&drawn.for_people())?;
            }
        }
        output.flush()
    }

    fn made(&self, classes: &[ClassJson]) -> MadeJson {
        let new = || classes.iter().filter(|class| !class.was_there);
        let positions: u64 = new().map(|class| class.figures.positions).sum();
        let seconds = self.time.as_secs_f64();
        MadeJson {
            classes: new().count() as u64,
            positions,
            threads: self.threads,
            seconds,
            positions_per_second: (positions > 0).then(|| positions as f64 / seconds.max(1e-9)),
        }
    }

    fn for_people(&self, classes: &[ClassJson], made: MadeJson) -> String {
        let mut table = FiguresTable::new("time", Examples::Wins);
        for class in classes {
            let time = match class.seconds {
                Some(seconds) => text::time(Duration::from_secs_f64(seconds)),
                None => "was there".into(),
            };
            table.add(&class.figures, class.bytes, &time);
        }
        let totals = table.totals();
        let mut text = table.render();
        let there = totals.classes - made.classes;
        if made.classes == 0 {
            text.push_str("All of them were there; nothing was made.\n");
            return text;
        }
        let there = match there {
            0 => String::new(),
            there => format!("; {} were there", text::classes(there)),
        };
        text.push_str(&format!(
            "Made {}, {} positions in {}, {} positions/s by the clock with all files written, \
             threads: {}{there}.\n",
            text::classes(made.classes),
            grouped(made.positions.into()),
            text::time(self.time),
            text::short(made.positions_per_second.unwrap_or(0.0)),
            made.threads,
        ));
        text
    }
}

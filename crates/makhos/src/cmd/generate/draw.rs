//! Making the tables that know the drawing rules, after those that do not.

use std::time::{Duration, Instant};

use makhos_index::Material;
use makhos_probe::draw_directory;
use makhos_retro::{ClassReport, DtzGenerator, Plan, SolvedBoard};
use makhos_rules::RuleSet;
use makhos_rules::draw::DrawRules;
use rayon::ThreadPool;

use crate::draw_figures::{DrawClass, render};
use crate::exit::Outcome;
use crate::interrupt::Interrupt;
use crate::text::{self, grouped};

use super::failure;
use super::watch::Watch;

/// What is to be made.
pub(super) struct Drawn<'a, B> {
    draw_rules: DrawRules,
    generator: DtzGenerator<B>,
    plan: Plan,
    rules: &'a RuleSet,
}

/// What was made.
pub(super) struct Made {
    pub(super) directory: String,
    pub(super) classes: Vec<DrawClass>,
    positions: u64,
    time: Duration,
}

impl<'a, B: SolvedBoard> Drawn<'a, B> {
    /// Plans the tables of `targets` below the directory of all tables.
    pub(super) fn plan(
        rules: &'a RuleSet,
        draw_rules: DrawRules,
        dir: &std::path::Path,
        targets: &[Material],
        memory: u64,
        threads: usize,
    ) -> Outcome<Self> {
        let generator = DtzGenerator::new(*rules, draw_rules.clone(), dir)
            .with_memory(memory)
            .with_threads(threads);
        let plan = generator.plan(targets).map_err(failure)?;
        Ok(Self {
            draw_rules,
            generator,
            plan,
            rules,
        })
    }

    /// Makes them; `plain` are the classes without drawing rules.
    pub(super) fn run(
        &self,
        pool: &ThreadPool,
        interrupt: Interrupt,
        plain: &[ClassReport],
    ) -> Outcome<Made> {
        let directory = draw_directory(self.rules, &self.draw_rules);
        let watch = Watch::new(&self.plan, interrupt);
        let open = self.plan.open().count() as u64;
        watch.announce(&format!(
            "{directory}: making {} under drawing rules, {} positions",
            text::classes(open),
            grouped(self.plan.open_positions().into())
        ));
        let start = Instant::now();
        let reports = pool.install(|| self.generator.run(&self.plan, &watch));
        let time = start.elapsed();
        watch.finish();
        let mut classes = Vec::new();
        for report in reports.map_err(failure)? {
            let plain = plain.iter().find(|plain| plain.material == report.material);
            let plain = plain.map(|plain| plain.sides.as_slice());
            let class = DrawClass::new(
                &self.draw_rules,
                report.material,
                &report.sides,
                plain,
                report.bytes,
            );
            classes.push(class);
        }
        Ok(Made {
            directory,
            classes,
            positions: self.plan.open_positions(),
            time,
        })
    }
}

impl Made {
    pub(super) fn for_people(&self) -> String {
        let mut text = String::from("\n");
        text.push_str(&render(&self.classes));
        if self.positions > 0 {
            text.push_str(&format!(
                "Made {} positions in {}, in {}.\n",
                grouped(self.positions.into()),
                text::time(self.time),
                self.directory
            ));
        }
        text
    }
}

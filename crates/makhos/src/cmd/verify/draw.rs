//! Checking the tables that know the drawing rules.

use makhos_index::Material;
use makhos_probe::{Access, DrawTables, draw_directory};
use makhos_retro::{DtzGenerator, Monitor, SolvedBoard};
use makhos_rules::RuleSet;
use makhos_rules::draw::DrawRules;
use makhos_rules::notation::fen;
use serde::Serialize;

use crate::exit::{Exit, Failure, OrFail, Outcome};
use crate::json::{RulesJson, path_text};
use crate::output::Output;
use crate::progress::{Progress, Unit};
use crate::text::{classes, grouped};

use super::VerifyArgs;

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    rules: RulesJson,
    dir: String,
    mode: &'static str,
    right: bool,
    /// Positions whose values were derived anew.
    positions: u64,
    tables: Vec<TableJson>,
}

#[derive(Serialize)]
struct TableJson {
    class: String,
    /// Plies counted on the main road.
    road: u8,
    bytes: u64,
    /// Why the file cannot be used.
    error: Option<String>,
    /// The first position with a wrong value.
    difference: Option<DifferenceJson>,
}

#[derive(Serialize)]
struct DifferenceJson {
    fen: String,
    stored: String,
    expected: String,
}

/// Passes progress on.
struct Advance<'a>(&'a Progress);

impl Monitor for Advance<'_> {
    fn advanced(&self, units: u64) {
        self.0.advance(units);
    }
}

impl VerifyArgs {
    /// Checks the digests of all tables under `draw_rules`, and with `--full` every value.
    pub(super) fn run_drawn<B: SolvedBoard>(
        &self,
        rules: &RuleSet,
        draw_rules: DrawRules,
    ) -> Outcome<Exit> {
        let dir = &self.dir.dir;
        let tables = DrawTables::<B>::open_with(*rules, draw_rules.clone(), dir, Access::Read);
        let tables = tables.or_environment()?;
        let mut selected = tables.tables();
        selected.retain(|(material, _)| self.class.includes(*material));
        let directory = draw_directory(rules, &draw_rules);
        if selected.is_empty() {
            let place = dir.join(directory);
            let message = format!("there are no tables to check in {}", place.display());
            return Err(Failure::say(Exit::Environment, message));
        }
        let generator = DtzGenerator::<B>::new(*rules, draw_rules, dir);
        let stored = |&(material, road): &(Material, u8)| {
            let table = tables.table(material, road);
            table.map_or(0, |table| table.positions() * table.sides().len() as u64)
        };
        let work = if self.full {
            selected.iter().map(stored).sum()
        } else {
            0
        };
        let progress = Progress::new(work, Unit::Positions(1));
        let mut results = Vec::new();
        for &(material, road) in &selected {
            progress.label(&format!("{material}, road {road}"));
            results.push(self.check_drawn(&tables, &generator, material, road, &progress));
        }
        let document = Document {
            rules: RulesJson::new(rules),
            dir: path_text(&dir.join(directory)),
            mode: if self.full { "full" } else { "quick" },
            right: results.iter().all(TableJson::is_right),
            positions: work,
            tables: results,
        };
        let mut output = Output::new();
        if self.json {
            output.json(&document)?;
        } else {
            output.text(&document.for_people())?;
        }
        output.flush()?;
        Ok(document.exit())
    }

    fn check_drawn<B: SolvedBoard>(
        &self,
        tables: &DrawTables<B>,
        generator: &DtzGenerator<B>,
        material: Material,
        road: u8,
        progress: &Progress,
    ) -> TableJson {
        let mut result = TableJson {
            class: material.to_string(),
            road,
            bytes: 0,
            error: None,
            difference: None,
        };
        let whole = tables.table(material, road).and_then(|table| {
            result.bytes = table.bytes();
            Ok(table.verify_digest(|_| {})?)
        });
        if let Err(error) = whole {
            result.error = Some(error.to_string());
            return result;
        }
        if self.full {
            match generator.check(material, road, &Advance(progress)) {
                Ok(difference) => {
                    result.difference = difference.map(|difference| DifferenceJson {
                        fen: fen::write(tables.rules(), &difference.position),
                        stored: difference.found.to_string(),
                        expected: difference.expected.to_string(),
                    });
                }
                Err(error) => result.error = Some(error.to_string()),
            }
        }
        result
    }
}

impl TableJson {
    fn is_right(&self) -> bool {
        self.error.is_none() && self.difference.is_none()
    }
}

impl Document {
    fn exit(&self) -> Exit {
        if self.tables.iter().any(|table| table.error.is_some()) {
            Exit::Environment
        } else if self.right {
            Exit::Done
        } else {
            Exit::No
        }
    }

    fn for_people(&self) -> String {
        let mut text = String::new();
        for table in self.tables.iter().filter(|table| !table.is_right()) {
            let TableJson { class, road, .. } = table;
            if let Some(error) = &table.error {
                text.push_str(&format!("{class}, road {road}: {error}\n"));
            }
            if let Some(difference) = &table.difference {
                text.push_str(&format!(
                    "{class}, road {road}: {} is {}, its moves say {}\n",
                    difference.fen, difference.stored, difference.expected
                ));
            }
        }
        let wrong = self.tables.iter().filter(|table| !table.is_right()).count();
        text.push_str(&format!(
            "{}: {} of {} checked, {} positions derived anew: {}\n",
            self.dir,
            self.tables.len() - wrong,
            self.tables.len(),
            grouped(self.positions.into()),
            match wrong {
                0 => "all right".to_owned(),
                wrong => format!("something is wrong in {}", classes(wrong as u64)),
            }
        ));
        text
    }
}

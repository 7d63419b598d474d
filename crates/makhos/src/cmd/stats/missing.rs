//! What a set of tables lacks, and what to generate first.

use makhos_index::{Material, classes};
use makhos_probe::{Metric, Tablebase, command_arguments};
use makhos_rules::Board;
use serde::Serialize;

use crate::cmd::generate::size;
use crate::exit::Outcome;

/// Classes that are named where not all are asked for.
const SHOWN: usize = 8;

/// What a complete set lacks.
#[derive(Serialize)]
pub(super) struct Missing {
    /// The set of all classes with up to that many pieces.
    pieces: u32,
    /// Classes without any table, in the order in which they are generated.
    classes: Vec<String>,
    /// Classes whose distances are missing, in the same order.
    without_dtw: Vec<String>,
    /// The command that makes the first of all these, for which all else is there.
    first_command: Option<String>,
    /// The command that makes them all.
    command: Option<String>,
}

impl Missing {
    /// What the set of all classes with so many pieces lacks, or with as many as the largest table.
    pub(super) fn of<B: Board>(tables: &Tablebase<B>, pieces: Option<u32>) -> Outcome<Self> {
        size::check::<B>(pieces, &[])?;
        let pieces = pieces.unwrap_or(tables.max_pieces());
        let there = tables.tables();
        let has = |class: Material, metric| there.binary_search(&(class, metric)).is_ok();
        let (mut none, mut without_dtw) = (Vec::new(), Vec::new());
        let mut first = None;
        for class in classes(pieces) {
            if has(class, Metric::Dtw) {
                continue;
            }
            first = first.or(Some(class));
            if has(class, Metric::Wld) {
                without_dtw.push(class.to_string());
            } else {
                none.push(class.to_string());
            }
        }
        let command = |what: String| {
            let arguments = command_arguments(tables.rules());
            let dir = tables.dir().display();
            format!("makhos generate {arguments} {what} --dir {dir}")
        };
        Ok(Self {
            pieces,
            classes: none,
            without_dtw,
            first_command: first.map(|class| command(format!("--class {class}"))),
            command: first.map(|_| command(format!("--pieces {pieces}"))),
        })
    }

    /// Text for people, with every class or only the first ones.
    pub(super) fn for_people(&self, every: bool) -> String {
        let (Some(first), Some(command)) = (&self.first_command, &self.command) else {
            return format!(
                "The set of all classes up to {} pieces is complete.\n",
                self.pieces
            );
        };
        let mut text = String::new();
        for (classes, what) in [
            (&self.classes, "missing"),
            (&self.without_dtw, "without distances"),
        ] {
            if !classes.is_empty() {
                let shown = if every { classes.len() } else { SHOWN };
                text.push_str(&format!(
                    "Of the classes up to {} pieces {} are {what}: {}\n",
                    self.pieces,
                    classes.len(),
                    first_of(classes, shown)
                ));
            }
        }
        text.push_str(&format!("To make the first of them: {first}\n"));
        text.push_str(&format!("To complete the set: {command}\n"));
        text
    }
}

/// The first of a list that may be long.
fn first_of(classes: &[String], shown: usize) -> String {
    let mut text = classes[..shown.min(classes.len())].join(", ");
    if classes.len() > shown {
        text.push_str(", …");
    }
    text
}

//! Opening the tables that a command reads.

use std::path::Path;

use makhos_index::Material;
use makhos_probe::{Access, Metric, ProbeError, Tablebase};
use makhos_rules::{Board, RuleSet};

use crate::args::ClassArgs;
use crate::exit::{Exit, Failure, OrFail, Outcome};

/// The tables of `rules`, of which there is at least one.
pub(crate) fn open<B: Board>(rules: &RuleSet, dir: &Path, access: Access) -> Outcome<Tablebase<B>> {
    let tables = Tablebase::open_with(*rules, dir, access).or_environment()?;
    if tables.tables().is_empty() {
        return Err(missing(&tables, Material::new(ONE_KING, ONE_KING)));
    }
    Ok(tables)
}

const ONE_KING: makhos_index::Army = makhos_index::Army::new(0, 1);

/// The tables of the classes asked for, in generation order, of which there is at least one.
pub(crate) fn selected<B: Board>(
    tables: &Tablebase<B>,
    class: &ClassArgs,
) -> Outcome<Vec<(Material, Metric)>> {
    let mut selected = tables.tables();
    selected.retain(|(material, _)| class.includes(*material));
    match class.class {
        Some(class) if selected.is_empty() => Err(missing(tables, class)),
        _ => Ok(selected),
    }
}

/// The failure that there is no table of a class.
fn missing<B: Board>(tables: &Tablebase<B>, class: Material) -> Failure {
    match tables.table(class, Metric::Dtw) {
        Err(error) => Failure::new(Exit::Environment, error),
        // It has appeared just now.
        Ok(_) => Failure::say(Exit::Environment, "the tables are changing; try again"),
    }
}

/// Whether the error says that a position lies outside the tables, not that something is broken.
pub(crate) fn is_outside(error: &ProbeError) -> bool {
    matches!(
        error,
        ProbeError::MissingTable { .. }
            | ProbeError::TooManyPieces { .. }
            | ProbeError::NoTables { .. }
    )
}

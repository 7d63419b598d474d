//! Beginning a table of drawing rules.

use std::path::Path;

use crate::dtz::{pieces_of, road_tables};
use crate::format::{DEFAULT_BLOCK_VALUES, Header, MAX_RULES_TEXT};
use crate::paths::{DtzSpec, dtz_file_name, dtz_path};
use crate::statistics::SideStatistics;
use crate::value::Metric;
use crate::write::{TableSpec, TableWriter, WriteError, checked_header};

impl TableWriter {
    /// Begins a table of drawing rules below `dir`, the directory of all tables, with one entry of
    /// statistics for each stored side. Directories that are missing are made.
    ///
    /// The values to [`push`](Self::push) are [packed](crate::Dtz::pack) [`Dtz`](crate::Dtz), and so are those
    /// that the statistics [record](SideStatistics::record). The promises are those of
    /// [`create`](Self::create).
    ///
    /// # Errors
    /// Those of [`create`](Self::create); [`WriteError::Inconsistent`] also if a result needs more plies than
    /// the clock of the class ever has, for then it is a draw; [`WriteError::Road`] and
    /// [`WriteError::LongDrawRules`].
    pub fn create_dtz(
        dir: &Path,
        spec: &DtzSpec<'_>,
        statistics: &[SideStatistics],
    ) -> Result<Self, WriteError> {
        Self::create_dtz_with_blocks(dir, spec, statistics, DEFAULT_BLOCK_VALUES)
    }

    /// [`create_dtz`](Self::create_dtz) with `block_values` values in a block, as
    /// [`create_with_blocks`](Self::create_with_blocks) has them.
    ///
    /// # Errors
    /// As [`create_dtz`](Self::create_dtz).
    pub fn create_dtz_with_blocks(
        dir: &Path,
        spec: &DtzSpec<'_>,
        statistics: &[SideStatistics],
        block_values: u32,
    ) -> Result<Self, WriteError> {
        let header = checked_dtz_header(spec, statistics, block_values)?;
        let name = dtz_file_name(spec.material, spec.road);
        Self::begin(dtz_path(dir, spec), &name, header, None)
    }
}

/// The header of the table, if there can be such a table.
fn checked_dtz_header(
    spec: &DtzSpec<'_>,
    statistics: &[SideStatistics],
    block_values: u32,
) -> Result<Header, WriteError> {
    let (material, road) = (spec.material, spec.road);
    let values = TableSpec {
        rules: *spec.rules,
        material,
        metric: Metric::Dtz,
    };
    let header = checked_header(&values, statistics, block_values, true)?.with_draw_rules(spec);
    let bytes = header.rules_text.len();
    if bytes > MAX_RULES_TEXT {
        return Err(WriteError::LongDrawRules {
            material,
            bytes,
            most: MAX_RULES_TEXT,
        });
    }
    let tables = road_tables(spec.draw_rules, material);
    if road >= tables {
        return Err(WriteError::Road {
            material,
            road,
            tables,
        });
    }
    if let Some(limit) = spec.draw_rules.limit(&pieces_of(material)) {
        let needed = statistics
            .iter()
            .flat_map(|side| [side.longest_needed_win(), side.longest_needed_loss()]);
        if let Some(plies) = needed.flatten().find(|plies| plies.get() > limit) {
            return Err(WriteError::Inconsistent {
                material,
                what: format!("a result that needs {plies} plies of a clock of {limit}"),
            });
        }
    }
    Ok(header)
}

//! Finished tables, decoded into memory while classes that need them are solved.

use std::collections::HashMap;

use makhos_index::{Material, PlacementIndex, dependencies};
use makhos_probe::{Access, LoadedTable, Metric, PackedDtw};
use makhos_rules::{Board, Position, RuleSet};

use crate::error::GenerateError;
use crate::plan::{decoded_bytes, stored_positions};
use crate::reference::SubTables;
use crate::work::open_complete;

/// Decoded tables by class.
#[derive(Debug)]
pub(crate) struct Shelf<B> {
    tables: HashMap<Material, (PlacementIndex<B>, LoadedTable)>,
}

impl<B: Board> Shelf<B> {
    pub(crate) fn new() -> Self {
        Self {
            tables: HashMap::new(),
        }
    }

    /// Brings in what solving `material` needs. What it does not need is put away once all together
    /// would take more than `limit` bytes.
    pub(crate) fn prepare(
        &mut self,
        dir: &std::path::Path,
        rules: &RuleSet,
        metric: Metric,
        material: Material,
        limit: u64,
    ) -> Result<(), GenerateError> {
        let needs: Vec<Material> = dependencies(material)
            .into_iter()
            .map(|d| d.material)
            .collect();
        let all = self
            .tables
            .keys()
            .chain(needs.iter().filter(|m| !self.tables.contains_key(m)));
        let bytes: u64 = all
            .filter_map(|&material| stored_positions::<B>(material))
            .map(|positions| decoded_bytes(positions, metric))
            .sum();
        if bytes > limit {
            self.tables.retain(|material, _| needs.contains(material));
        }
        for needed in needs {
            if self.tables.contains_key(&needed) {
                continue;
            }
            // Reading by position keeps decoded tables from also filling the map.
            let table = open_complete(dir, rules, needed, metric, Access::Read)?;
            let index = PlacementIndex::new(needed).map_err(|source| GenerateError::Class {
                material: needed,
                source,
            })?;
            self.tables.insert(needed, (index, table.load()?));
        }
        Ok(())
    }
}

impl<B: Board> SubTables<B> for Shelf<B> {
    fn value(&self, position: &Position<B>) -> Option<PackedDtw> {
        let (index, table) = self.tables.get(&Material::of(position))?;
        Some(table.get(position.side(), index.index(position)))
    }
}

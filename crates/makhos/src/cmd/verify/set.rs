//! Comparing a directory of tables with its manifest.

use std::path::Path;

use makhos_index::Material;
use makhos_probe::{Discrepancy, MANIFEST_NAME, Manifest, Metric, file_name};
use serde::Serialize;

use crate::args::ClassArgs;
use crate::exit::{Exit, OrFail, Outcome};
use crate::json::path_text;

/// What the manifest of a directory says, as far as the classes asked for go.
#[derive(Serialize)]
pub(super) struct SetJson {
    file: String,
    /// Tables that it lists.
    listed: usize,
    /// Those that are not there.
    missing: Vec<String>,
    /// Tables that are there and not listed.
    extra: Vec<String>,
    /// Those that are there with other bytes.
    different: Vec<String>,
    #[serde(skip)]
    texts: Vec<String>,
    #[serde(skip)]
    manifest: Manifest,
}

impl SetJson {
    /// Compares the names of the tables in the directory of a variant; `None` without a manifest.
    pub(super) fn read(dir: &Path, class: &ClassArgs) -> Outcome<Option<Self>> {
        let Some(manifest) = Manifest::read(dir).or_environment()? else {
            return Ok(None);
        };
        let is_asked_for = |name: &str| {
            let material = name.rsplit_once('.').map(|(class, _)| class.parse());
            matches!(material, Some(Ok(material)) if class.includes(material))
        };
        let names = manifest.files().map(|(name, _)| name);
        let mut set = Self {
            file: path_text(&dir.join(MANIFEST_NAME)),
            listed: names.filter(|name| is_asked_for(name)).count(),
            missing: Vec::new(),
            extra: Vec::new(),
            different: Vec::new(),
            texts: Vec::new(),
            manifest,
        };
        for discrepancy in set.manifest.compare_names(dir).or_environment()? {
            if is_asked_for(discrepancy.name()) {
                set.add(&discrepancy);
            }
        }
        Ok(Some(set))
    }

    /// Why the file of a table is not the one that is listed, if it is not.
    pub(super) fn error_of(
        &self,
        dir: &Path,
        (material, metric): (Material, Metric),
    ) -> Option<String> {
        let name = file_name(material, metric);
        match self.manifest.compare_file(dir, &name) {
            Ok(discrepancy) => discrepancy.map(|discrepancy| discrepancy.to_string()),
            Err(error) => Some(error.to_string()),
        }
    }

    /// Notes that a table has other bytes.
    pub(super) fn add_different(&mut self, material: Material, metric: Metric) {
        self.different.push(file_name(material, metric));
    }

    fn add(&mut self, discrepancy: &Discrepancy) {
        let name = discrepancy.name().to_owned();
        match discrepancy {
            Discrepancy::Missing { .. } => self.missing.push(name),
            Discrepancy::Extra { .. } => self.extra.push(name),
            _ => return,
        }
        self.texts.push(discrepancy.to_string());
    }

    /// Whether the set is what is listed.
    pub(super) fn is_right(&self) -> bool {
        self.exit() == Exit::Done
    }

    /// How the command ends because of the set alone.
    pub(super) fn exit(&self) -> Exit {
        if !self.missing.is_empty() || !self.different.is_empty() {
            Exit::Environment
        } else if self.extra.is_empty() {
            Exit::Done
        } else {
            Exit::No
        }
    }

    /// A line for each table that is missing or extra, and one that sums up. Tables with other bytes are
    /// told with the other damaged ones.
    pub(super) fn for_people(&self) -> String {
        let mut text = String::new();
        for line in &self.texts {
            text.push_str(&format!("{line}\n"));
        }
        text.push_str(&format!(
            "{}: {} tables listed, {} missing, {} extra, {} different\n",
            self.file,
            self.listed,
            self.missing.len(),
            self.extra.len(),
            self.different.len()
        ));
        text
    }
}

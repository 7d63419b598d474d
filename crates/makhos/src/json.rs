//! What all JSON documents begin with.

use std::path::Path;

use makhos_rules::RuleSet;
use serde::Serialize;

/// The rules that the rest of a document is about.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RulesJson {
    pub(crate) variant: &'static str,
    /// House rules as `KEY=VALUE`.
    pub(crate) options: Vec<String>,
}

impl RulesJson {
    pub(crate) fn new(rules: &RuleSet) -> Self {
        Self {
            variant: rules.name,
            options: rules.changed_options(),
        }
    }
}

/// A path as text; what is not Unicode in it is replaced.
pub(crate) fn path_text(path: &Path) -> String {
    path.display().to_string()
}

//! Where table files lie: `DIR/VARIANT/CLASS.METRIC`, e.g. `tables/thai+removal=end/2m1k-1k.wld`.

use std::path::{Path, PathBuf};

use makhos_index::Material;
use makhos_rules::RuleSet;

use crate::value::Metric;

/// The name of the directory of one rule set: the variant's name, and `+KEY=VALUE` for each changed
/// house option.
///
/// ```
/// use makhos_rules::variant;
///
/// let thai = variant::THAI.with_option("removal=end").expect("an option of Thai draughts");
/// assert_eq!(makhos_probe::variant_directory(&thai), "thai+removal=end");
/// ```
#[must_use]
pub fn variant_directory(rules: &RuleSet) -> String {
    joined(rules, "+")
}

/// The same as text in a table's header: `thai removal=end`.
pub(crate) fn rules_text(rules: &RuleSet) -> String {
    joined(rules, " ")
}

fn joined(rules: &RuleSet, separator: &str) -> String {
    let mut parts = vec![rules.name.to_owned()];
    parts.extend(rules.changed_options());
    parts.join(separator)
}

/// The name of a table file, e.g. `3k-1k.dtw`. The class is written in its canonical orientation.
#[must_use]
pub fn file_name(material: Material, metric: Metric) -> String {
    format!("{}.{metric}", material.canonical())
}

/// The path of a table file below the directory `dir` of all tables.
#[must_use]
pub fn table_path(dir: &Path, rules: &RuleSet, material: Material, metric: Metric) -> PathBuf {
    dir.join(variant_directory(rules))
        .join(file_name(material, metric))
}

/// The class and metric a file name stands for. `None` for every name that [`file_name`] does not
/// write, such as those of unfinished files.
#[must_use]
pub fn parse_file_name(name: &str) -> Option<(Material, Metric)> {
    let (class, extension) = name.rsplit_once('.')?;
    let metric = Metric::ALL
        .into_iter()
        .find(|metric| metric.name() == extension)?;
    let material: Material = class.parse().ok()?;
    (file_name(material, metric) == name).then_some((material, metric))
}

#[cfg(test)]
mod tests {
    use super::*;
    use makhos_rules::variant;

    #[test]
    fn names_round_trip_and_others_are_ignored() {
        let material: Material = "2m1k-1k".parse().expect("well-formed");
        let name = file_name(material, Metric::Dtw);
        assert_eq!(name, "2m1k-1k.dtw");
        assert_eq!(parse_file_name(&name), Some((material, Metric::Dtw)));
        assert_eq!(file_name(material.flip(), Metric::Wld), "2m1k-1k.wld");
        for other in [
            "",
            ".wld",
            "2m1k-1k",
            "2m1k-1k.dtz",
            "1k2m-1k.dtw",
            "1k-2m1k.wld",
            ".2m1k-1k.wld.AbC123.tmp",
            "2m1k-1k.wld.tmp",
            "README.md",
        ] {
            assert_eq!(parse_file_name(other), None, "{other}");
        }
    }

    #[test]
    fn a_path_names_the_rules() {
        let material: Material = "3k-1k".parse().expect("well-formed");
        let path = table_path(Path::new("t"), &variant::RUSSIAN, material, Metric::Wld);
        assert_eq!(path, Path::new("t/russian/3k-1k.wld"));
        assert_eq!(rules_text(&variant::RUSSIAN), "russian");
    }
}

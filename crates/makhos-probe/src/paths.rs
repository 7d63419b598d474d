//! Where table files lie: `DIR/VARIANT/CLASS.METRIC`, e.g. `tables/thai+removal=end/2m1k-1k.wld`.

use std::path::{Path, PathBuf};

use makhos_index::Material;
use makhos_rules::{RuleSet, variant};

use crate::value::Metric;

/// The name of the directory of one rule set: the variant's name, and `+KEY=VALUE` for each changed
/// house option that changes moves. Options that change neither moves nor values, such as who begins,
/// are not part of it: tables serve with and without them.
///
/// ```
/// use makhos_rules::variant;
///
/// let thai = variant::THAI.with_option("removal=end").expect("an option of Thai draughts");
/// assert_eq!(makhos_probe::variant_directory(&thai), "thai+removal=end");
/// let thai = variant::THAI.with_option("first=black").expect("an option of Thai draughts");
/// assert_eq!(makhos_probe::variant_directory(&thai), "thai");
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
    if let Ok(base) = variant::by_name(rules.name) {
        let changes_moves = |option: &String| {
            base.with_option(option)
                .is_ok_and(|changed| changed.move_rules_bytes() != base.move_rules_bytes())
        };
        parts.extend(rules.changed_options().into_iter().filter(changes_moves));
    }
    parts.join(separator)
}

/// The arguments that name a rule set on the command line, to be repeated by the user:
/// `--variant thai --option removal=end`. All changed house options are among them.
#[must_use]
pub fn command_arguments(rules: &RuleSet) -> String {
    let mut text = format!("--variant {}", rules.name);
    for option in rules.changed_options() {
        text.push_str(" --option ");
        text.push_str(&option);
    }
    text
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
    use std::collections::HashMap;

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

    /// Every variant with every pair of house options, as far as they apply.
    fn rule_sets() -> Vec<RuleSet> {
        let options: Vec<String> = variant::options()
            .flat_map(|(key, values)| {
                values
                    .into_iter()
                    .map(move |value| format!("{key}={value}"))
            })
            .collect();
        let mut all = Vec::new();
        for base in variant::ALL {
            let ones = options.iter().filter_map(|one| base.with_option(one).ok());
            for one in ones {
                all.extend(options.iter().filter_map(|two| one.with_option(two).ok()));
            }
        }
        all
    }

    #[test]
    fn directories_tell_the_moves_of_a_variant_apart_and_nothing_else() {
        let mut moves_of = HashMap::new();
        let mut directory_of = HashMap::new();
        let all = rule_sets();
        assert!(all.len() > 1000);
        for rules in all {
            let directory = variant_directory(&rules);
            let moves = (rules.name, rules.move_rules_bytes());
            assert_eq!(*moves_of.entry(directory.clone()).or_insert(moves), moves);
            let first = directory_of.entry(moves).or_insert(directory.clone());
            assert_eq!(*first, directory);
            assert_eq!(rules_text(&rules), directory.replace('+', " "));
        }
    }

    #[test]
    fn options_that_change_no_move_are_not_in_the_name() {
        for base in variant::ALL {
            for option in [
                "first=white",
                "first=black",
                "mirror=mirrored",
                "mirror=unmirrored",
            ] {
                let rules = base.with_option(option).expect("for every variant");
                assert_eq!(variant_directory(&rules), base.name, "{option}");
            }
        }
    }

    #[test]
    fn command_arguments_name_every_changed_option() {
        let rules = variant::THAI
            .with_option("first=black")
            .and_then(|rules| rules.with_option("removal=end"))
            .expect("options of Thai draughts");
        let text = command_arguments(&rules);
        assert_eq!(
            text,
            "--variant thai --option removal=end --option first=black"
        );
        assert_eq!(command_arguments(&variant::POOL), "--variant pool");
    }

    #[test]
    fn a_path_names_the_rules() {
        let material: Material = "3k-1k".parse().expect("well-formed");
        let path = table_path(Path::new("t"), &variant::RUSSIAN, material, Metric::Wld);
        assert_eq!(path, Path::new("t/russian/3k-1k.wld"));
        assert_eq!(rules_text(&variant::RUSSIAN), "russian");
    }
}

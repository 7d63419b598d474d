//! Where table files lie: `DIR/VARIANT/CLASS.METRIC`, e.g. `tables/thai+removal=end/2m1k-1k.wld`, and those
//! of drawing rules below, e.g. `tables/russian/draw-0123abcd/3k-1k.7.dtz`.

use std::path::{Path, PathBuf};

use makhos_index::Material;
use makhos_rules::draw::{DrawRules, official};
use makhos_rules::{RuleSet, variant};
use sha2::{Digest, Sha256};

use crate::tablebase::METRICS;
use crate::value::Metric;

/// Which table of a set that knows drawing rules.
#[derive(Clone, Copy, Debug)]
pub struct DtzSpec<'a> {
    /// The rules of the moves.
    pub rules: &'a RuleSet,
    /// The drawing rules.
    pub draw_rules: &'a DrawRules,
    /// The class, in its canonical orientation.
    pub material: Material,
    /// The plies that the rule of the main road has counted; 0 where the class is not its material.
    pub road: u8,
}

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

/// The name of a table file, e.g. `3k-1k.dtw`. The class is written in its canonical orientation. For
/// [`Metric::Dtz`] see [`dtz_file_name`].
#[must_use]
pub fn file_name(material: Material, metric: Metric) -> String {
    format!("{}.{metric}", material.canonical())
}

/// The path of a table file below the directory `dir` of all tables. For [`Metric::Dtz`], whose tables lie
/// elsewhere, see [`dtz_path`].
#[must_use]
pub fn table_path(dir: &Path, rules: &RuleSet, material: Material, metric: Metric) -> PathBuf {
    dir.join(variant_directory(rules))
        .join(file_name(material, metric))
}

/// The directory of the tables of drawing rules, below that of all tables: the variant's directory, and in
/// it `draw-` with the first digits of a digest of [`DrawRules::value_text`]. Drawing rules with the same
/// values share it.
///
/// ```
/// use makhos_rules::{draw::official, variant};
///
/// let rules = variant::ENGLISH;
/// let directory = makhos_probe::draw_directory(&rules, &official::of(&rules));
/// assert!(directory.starts_with("english/draw-"));
/// ```
#[must_use]
pub fn draw_directory(rules: &RuleSet, draw_rules: &DrawRules) -> String {
    let digest = Sha256::digest(draw_rules.value_text());
    let digits: String = digest[..4]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{}/draw-{digits}", variant_directory(rules))
}

/// The text of the rules in the header of a table of drawing rules: those of the moves in the first line,
/// the drawing rules below.
pub(crate) fn dtz_rules_text(rules: &RuleSet, draw_rules: &DrawRules) -> String {
    format!("{}\n{}", rules_text(rules), draw_rules.value_text())
}

/// What `--draw-rules` takes on the command line for these drawing rules: `official`, or a file that the
/// user has to name.
pub(crate) fn draw_argument(rules: &RuleSet, draw_rules: &DrawRules) -> &'static str {
    if draw_rules.value_text() == official::of(rules).value_text() {
        "official"
    } else {
        "FILE"
    }
}

/// The name of a table of drawing rules: `3k-1k.dtz`, or `3k-1k.7.dtz` where the rule of the main road has
/// counted 7 plies. The class is written in its canonical orientation.
#[must_use]
pub fn dtz_file_name(material: Material, road: u8) -> String {
    match road {
        0 => format!("{}.{}", material.canonical(), Metric::Dtz),
        _ => format!("{}.{road}.{}", material.canonical(), Metric::Dtz),
    }
}

/// The path of a table of drawing rules below the directory `dir` of all tables.
#[must_use]
pub fn dtz_path(dir: &Path, spec: &DtzSpec<'_>) -> PathBuf {
    dir.join(draw_directory(spec.rules, spec.draw_rules))
        .join(dtz_file_name(spec.material, spec.road))
}

/// The class and the plies counted on the main road that a file name stands for. `None` for every name that
/// [`dtz_file_name`] does not write.
#[must_use]
pub fn parse_dtz_name(name: &str) -> Option<(Material, u8)> {
    let stem = name.strip_suffix(".dtz")?;
    let (class, road) = stem.split_once('.').unwrap_or((stem, "0"));
    let (material, road) = (class.parse().ok()?, road.parse().ok()?);
    (dtz_file_name(material, road) == name).then_some((material, road))
}

/// The class and metric that the name of a table without drawing rules stands for. `None` for every other
/// name, such as those of unfinished files and of [`Metric::Dtz`].
#[must_use]
pub fn parse_file_name(name: &str) -> Option<(Material, Metric)> {
    let (class, extension) = name.rsplit_once('.')?;
    let metric = METRICS
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

    #[test]
    fn names_of_drawing_rules_round_trip_and_others_are_ignored() {
        let material: Material = "3k-1k".parse().expect("well-formed");
        for (road, name) in [(0, "3k-1k.dtz"), (3, "3k-1k.3.dtz"), (255, "3k-1k.255.dtz")] {
            assert_eq!(dtz_file_name(material, road), name);
            assert_eq!(dtz_file_name(material.flip(), road), name);
            assert_eq!(parse_dtz_name(name), Some((material, road)));
            assert_eq!(parse_file_name(name), None);
        }
        for other in [
            "",
            ".dtz",
            "3k-1k",
            "3k-1k.0.dtz",
            "3k-1k.03.dtz",
            "3k-1k.+3.dtz",
            "3k-1k.256.dtz",
            "3k-1k.-1.dtz",
            "3k-1k.3.4.dtz",
            "3k-1k..dtz",
            "1k-3k.dtz",
            "3k-1k.3.dtw",
            "3k-1k.wld",
            "3K-1K.dtz",
            ".3k-1k.3.dtz.AbC123.tmp",
        ] {
            assert_eq!(parse_dtz_name(other), None, "{other}");
        }
    }

    #[test]
    fn a_path_names_the_drawing_rules_by_what_decides_values() {
        let rules = variant::RUSSIAN;
        let draw_rules = official::of(&rules);
        let spec = DtzSpec {
            rules: &rules,
            draw_rules: &draw_rules,
            material: "3k-1k".parse().expect("well-formed"),
            road: 7,
        };
        let path = dtz_path(Path::new("t"), &spec);
        let directory = draw_directory(&rules, &draw_rules);
        assert_eq!(path, Path::new("t").join(&directory).join("3k-1k.7.dtz"));
        let digits = directory
            .strip_prefix("russian/draw-")
            .expect("the variant first");
        assert_eq!(digits.len(), 8);
        assert!(
            digits
                .bytes()
                .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
        );

        let mut same = draw_rules.clone();
        same.repetition = None;
        assert_eq!(draw_directory(&rules, &same), directory);
        assert_eq!(draw_argument(&rules, &same), "official");
        let mut other = draw_rules.clone();
        other.clocks[0].plies += 1;
        assert_ne!(draw_directory(&rules, &other), directory);
        assert_eq!(draw_argument(&rules, &other), "FILE");
        // The digest of no text at all is well known.
        let none = draw_directory(&rules, &DrawRules::default());
        assert_eq!(none, "russian/draw-e3b0c442");
        assert_eq!(dtz_rules_text(&rules, &DrawRules::default()), "russian\n");
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

//! The figures of the tables that know the drawing rules.

use makhos_index::Material;
use makhos_probe::{Access, DrawTables, Metric, SideStatistics, Table, TableError, Tablebase};
use makhos_probe::{Dtz, draw_directory};
use makhos_rules::draw::DrawRules;
use makhos_rules::{Board, Color, RuleSet};
use serde::Serialize;

use crate::args::ClassArgs;
use crate::draw_figures::{DrawClass, render};
use crate::exit::{Exit, Failure, OrFail, Outcome};
use crate::json::{RulesJson, path_text};
use crate::output::{Output, note};

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    rules: RulesJson,
    dir: String,
    draw_rules: Vec<String>,
    classes: Vec<DrawClass>,
}

/// How the figures are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    People,
    Json,
    Tsv,
}

/// Prints the figures of the tables under `draw_rules`.
pub(super) fn run<B: Board>(
    plain: &Tablebase<B>,
    draw_rules: &DrawRules,
    class: &ClassArgs,
    form: Form,
) -> Outcome<Exit> {
    let rules = plain.rules();
    let ruled = DrawTables::open_with(*rules, draw_rules.clone(), plain.dir(), Access::Read);
    let ruled: DrawTables<B> = ruled.or_environment()?;
    let mut there = ruled.tables();
    there.retain(|(material, road)| *road == 0 && class.includes(*material));
    if there.is_empty() {
        return Err(missing(rules, draw_rules, plain));
    }
    let mut exit = Exit::Done;
    let mut classes = Vec::new();
    for (material, _) in there {
        match read(plain, &ruled, material) {
            Ok(class) => classes.push(class),
            Err(error) => {
                note(format_args!("error: {error}"));
                exit = Exit::Environment;
            }
        }
    }
    let mut output = Output::new();
    match form {
        Form::People => output.text(&render(&classes))?,
        Form::Tsv => output.text(&tsv(rules, &classes))?,
        Form::Json => output.json(&Document {
            rules: RulesJson::new(rules),
            dir: path_text(plain.dir()),
            draw_rules: draw_rules.to_string().lines().map(str::to_owned).collect(),
            classes,
        })?,
    }
    output.flush()?;
    Ok(exit)
}

fn missing<B: Board>(rules: &RuleSet, draw_rules: &DrawRules, plain: &Tablebase<B>) -> Failure {
    let directory = draw_directory(rules, draw_rules);
    Failure::say(
        Exit::Environment,
        format!(
            "there are no such tables in {}: generate some with: makhos generate {} --pieces 3 \
             --draw-rules … --dir {}",
            plain.dir().join(directory).display(),
            makhos_probe::command_arguments(rules),
            plain.dir().display()
        ),
    )
}

/// The figures of one class; its values are read for what headers do not tell.
fn read<B: Board>(
    plain: &Tablebase<B>,
    ruled: &DrawTables<B>,
    material: Material,
) -> anyhow::Result<DrawClass> {
    let table = ruled.table(material, 0)?;
    let all = ruled
        .tables()
        .into_iter()
        .filter(|(other, _)| *other == material);
    let mut bytes = 0;
    for (material, road) in all {
        bytes += ruled.table(material, road)?.bytes();
    }
    let without = Metric::ALL
        .into_iter()
        .find_map(|metric| plain.table(material, metric).ok());
    let without = without.map(figures);
    let class = DrawClass::new(
        ruled.draw_rules(),
        material,
        &figures(table),
        without.as_deref(),
        bytes,
    );
    let mut last = Vec::new();
    for &side in table.sides() {
        last.push(wins_with_one_ply_left(table, side)?);
    }
    Ok(class.with_last_ply(&last))
}

fn figures(table: &Table) -> Vec<(Color, SideStatistics)> {
    let sides = table.sides().iter();
    sides
        .filter_map(|&side| Some((side, *table.statistics(side)?)))
        .collect()
}

fn wins_with_one_ply_left(table: &Table, side: Color) -> Result<u64, TableError> {
    let mut wins = 0;
    table.for_each_value(side, |packed| {
        if let Dtz::Win(plies) = Dtz::unpack(packed) {
            wins += u64::from(plies.get() <= 1);
        }
    })?;
    Ok(wins)
}

fn tsv(rules: &RuleSet, classes: &[DrawClass]) -> String {
    let mut text = String::from(
        "variant\tclass\tside\tclock\tclock_plies\tpositions\twins\tspoiled_wins\tlosses\tsaved_losses\t\
         longest_win_needs\tlongest_loss_needs\twins_with_one_ply_left\n",
    );
    let variant = makhos_probe::variant_directory(rules);
    for class in classes {
        for row in class.tsv_rows() {
            text.push_str(&format!("{variant}\t{row}\n"));
        }
    }
    text
}

use makhos_rules::variant::{INTERNATIONAL, RUSSIAN};
use makhos_rules::{Board, RuleSet};

use super::*;
use crate::eval::{Feature, Features};
use crate::train::example::Example;
use crate::train::testing::random_examples;

/// Weights that differ everywhere.
fn scattered<B: Board>(rules: &RuleSet, width: f32, seed: u64) -> Weights {
    let mut weights = Weights::material_only::<B>(rules);
    let mut random = Dice::of_game(seed, 9);
    for value in &mut weights.values {
        *value += (random.unit() - 0.5) * width;
    }
    weights
}

/// The evaluation in double precision, from the list of features.
fn score(features: &[Feature], values: &[f64]) -> f64 {
    features
        .iter()
        .map(|feature| f64::from(feature.value) * values[feature.index as usize])
        .sum()
}

/// The loss that training should minimise, in double precision and without anything that training uses.
fn plain_loss<B: Board>(
    features: &Features<B>,
    examples: &[Example<B>],
    values: &[f64],
    scale: f64,
) -> f64 {
    let mut list = Vec::new();
    let losses = examples.iter().map(|example| {
        features.features_into(&example.position, &mut list);
        let probability = 1.0 / (1.0 + (-scale * score(&list, values)).exp());
        let target = f64::from(example.target);
        let loss = -target * probability.ln() - (1.0 - target) * (1.0 - probability).ln();
        f64::from(example.weight) * loss
    });
    losses.sum()
}

fn gradient_is_that_of_the_loss<B: Board>(rules: &RuleSet) {
    let features = Features::<B>::new(rules);
    let mut examples = random_examples::<B>(rules, 700, 3);
    for (at, example) in examples.iter_mut().enumerate() {
        example.weight = 0.5 + (at % 3) as f32;
    }
    let samples = Samples::extract_batches(&features, &examples, 300, 2).expect("samples");
    let weights = scattered::<B>(rules, 0.3, 4);
    let mut state = State::new(&samples, &weights).expect("a state");
    let scale = 0.7;
    let (mut loss, mut gradients) = (0.0, vec![[0.0; 2]; features.count()]);
    for batch in 0..samples.batches() {
        state.each_group(&samples, |group, cells, local, _| {
            group.fetch(&samples, batch, cells, local);
        });
        loss += errors(&samples, &state.locals, scale, batch, &mut state.errors);
        for (group, local) in state.groups.iter().zip(&mut state.locals) {
            group.accumulate(&samples, batch, &state.errors, local);
            // Takes the gradient down in the place of a weight.
            let mut cells = vec![Cell::default(); group.features(&samples.layout).len()];
            group.visit(&samples, batch, &mut cells, local, |cell, gradient| {
                cell.weights = gradient;
            });
            let all = gradients[group.features(&samples.layout)].iter_mut();
            for (sum, cell) in all.zip(cells) {
                *sum = [0, 1].map(|phase| sum[phase] + cell.weights[phase]);
            }
        }
    }
    let mut values: Vec<f64> = weights.values.iter().map(|it| f64::from(*it)).collect();
    let plain = |values: &[f64]| plain_loss(&features, &examples, values, f64::from(scale));
    assert!((plain(&values) - loss).abs() < 1e-4 * loss);
    let mean = mean_loss(&samples, &state.cells, scale) * samples.total_weight();
    assert!((mean - loss).abs() < 1e-6 * loss);
    // Weights of features that occur: patterns of the first and the last position, kings, what is counted.
    let mut list = Vec::new();
    let mut chosen: Vec<usize> = Vec::new();
    for example in [&examples[0], &examples[699], &examples[350]] {
        features.features_into(&example.position, &mut list);
        chosen.extend(list.iter().map(|feature| feature.index as usize));
    }
    chosen.extend(2 * features.king(0)..2 * features.count());
    let mut checked = 0;
    for index in chosen {
        let step = 1e-4;
        let before = values[index];
        values[index] = before + step;
        let above = plain(&values);
        values[index] = before - step;
        let below = plain(&values);
        values[index] = before;
        let expected = (above - below) / (2.0 * step);
        let found = f64::from(gradients[index / 2][index % 2]);
        let close = (expected - found).abs() < 1e-3 + 1e-3 * expected.abs();
        assert!(close, "{} weight {index}: {expected} {found}", rules.name);
        checked += usize::from(found != 0.0);
    }
    assert!(checked > 60, "{checked}");
}

#[test]
fn gradients_agree_with_finite_differences() {
    gradient_is_that_of_the_loss::<u32>(&RUSSIAN);
    gradient_is_that_of_the_loss::<u64>(&INTERNATIONAL);
}

/// Examples whose targets are exactly what known weights say.
fn taught(count: usize, seed: u64, teacher: &Weights, scale: f64) -> Vec<Example<u32>> {
    let features = Features::<u32>::new(&RUSSIAN);
    let mut examples = random_examples::<u32>(&RUSSIAN, count, seed);
    let values: Vec<f64> = teacher.values.iter().map(|it| f64::from(*it)).collect();
    let mut list = Vec::new();
    for example in &mut examples {
        features.features_into(&example.position, &mut list);
        example.target = (1.0 / (1.0 + (-scale * score(&list, &values)).exp())) as f32;
    }
    examples
}

fn samples(examples: &[Example<u32>]) -> Samples {
    Samples::extract(&Features::<u32>::new(&RUSSIAN), examples, 1).expect("samples")
}

/// Material weights with other worths, known to nobody but the test.
fn teacher() -> Weights {
    let features = Features::<u32>::new(&RUSSIAN);
    let mut teacher = Weights::material_only::<u32>(&RUSSIAN);
    let first = 2 * features.king(0);
    let mut random = Dice::of_game(77, 0);
    for value in &mut teacher.values[first..] {
        *value = *value * 0.8 + (random.unit() - 0.5) * 0.2;
    }
    teacher
}

#[test]
fn known_weights_are_recovered() {
    let teacher = teacher();
    let train = samples(&taught(60_000, 1, &teacher, 0.8));
    let validation = samples(&taught(4_000, 2, &teacher, 0.8));
    let start = Weights::material_only::<u32>(&RUSSIAN);
    let settings = FitSettings {
        scale: 0.8,
        epochs: 60,
        prior: 0.1,
        ..FitSettings::default()
    };
    let found = fit(&train, &validation, &start, &settings, &mut |_| true).expect("a fit");
    assert_eq!(found.weights.generation, 1);
    assert_eq!(found.curve.best(), Some(&found.best));
    // The least that is possible is the entropy of the targets, which the teacher reaches.
    let state = State::new(&validation, &teacher).expect("a state");
    let least = mean_loss(&validation, &state.cells, 0.8);
    let before = found.curve.points[0].validation - least;
    let after = found.best.validation - least;
    assert!(after >= -1e-6 && after < before / 20.0, "{before} {after}");
    // What new weights say of positions never seen is what the teacher says.
    let mut list = Vec::new();
    let features = Features::<u32>::new(&RUSSIAN);
    let double = |weights: &Weights| -> Vec<f64> {
        weights.values.iter().map(|it| f64::from(*it)).collect()
    };
    let (new, old, right) = (double(&found.weights), double(&start), double(&teacher));
    let (mut error, mut error_before) = (0.0, 0.0);
    for example in random_examples::<u32>(&RUSSIAN, 2_000, 3) {
        features.features_into(&example.position, &mut list);
        let right = score(&list, &right);
        error += (score(&list, &new) - right).abs() / 2_000.0;
        error_before += (score(&list, &old) - right).abs() / 2_000.0;
    }
    assert!(error < 0.3 * error_before, "{error} {error_before}");
}

#[test]
fn threads_do_not_change_a_bit() {
    let teacher = teacher();
    let features = Features::<u32>::new(&RUSSIAN);
    let examples = taught(20_000, 1, &teacher, 1.0);
    let train = Samples::extract_batches(&features, &examples, 3_000, 1).expect("samples");
    let validation = samples(&taught(2_000, 2, &teacher, 1.0));
    let start = Weights::material_only::<u32>(&RUSSIAN);
    let settings = FitSettings {
        epochs: 3,
        ..FitSettings::default()
    };
    let with = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let settings = FitSettings { seed, ..settings };
        let run = || fit(&train, &validation, &start, &settings, &mut |_| true);
        let found = pool.expect("threads").install(run).expect("a fit");
        let bits: Vec<u32> = found.weights.values.iter().map(|it| it.to_bits()).collect();
        (bits, found.curve)
    };
    let one = with(1, 1);
    assert!(one == with(2, 1) && one == with(4, 1));
    assert_ne!(one.0, with(2, 2).0);
}

#[test]
fn training_stops_at_the_best_epoch() {
    // Targets without any sense: what is learnt of them is wrong elsewhere.
    let train = samples(&random_examples::<u32>(&RUSSIAN, 5_000, 1));
    let validation = samples(&random_examples::<u32>(&RUSSIAN, 5_000, 2));
    let start = Weights::material_only::<u32>(&RUSSIAN);
    let settings = FitSettings {
        epochs: 200,
        prior: 0.0,
        rate: 0.3,
        ..FitSettings::default()
    };
    let found = fit(&train, &validation, &start, &settings, &mut |_| true).expect("a fit");
    let last = found.curve.points.last().expect("points");
    assert!(last.epoch < 200, "never stopped");
    assert_eq!(last.epoch, found.best.epoch + settings.patience);
    let state = State::new(&validation, &found.weights).expect("a state");
    assert_eq!(
        mean_loss(&validation, &state.cells, settings.scale),
        found.best.validation
    );
    // Whoever watches may stop it sooner.
    let stopped = fit(&train, &validation, &start, &settings, &mut |point| {
        point.epoch < 1
    });
    assert_eq!(stopped.expect("a fit").curve.points.len(), 2);
}

#[test]
fn patterns_never_seen_keep_their_weights() {
    let train = samples(&random_examples::<u32>(&RUSSIAN, 2_000, 1));
    let start = scattered::<u32>(&RUSSIAN, 0.3, 4);
    let settings = FitSettings {
        epochs: 1,
        ..FitSettings::default()
    };
    let found = fit(&train, &train, &start, &settings, &mut |_| true).expect("a fit");
    let mut seen = vec![false; start.values.len()];
    for (table, column) in train.columns.iter().enumerate() {
        for number in (0..train.batches()).flat_map(|batch| column.patterns(batch)) {
            let feature = table * train.layout.patterns + *number as usize;
            seen[2 * feature] = true;
            seen[2 * feature + 1] = true;
        }
    }
    let patterns = 2 * train.layout.kings;
    let changed = (0..patterns).filter(|at| found.weights.values[*at] != start.values[*at]);
    let changed: Vec<usize> = changed.collect();
    assert!(!changed.is_empty() && changed.into_iter().all(|at| seen[at]));
}

#[test]
fn the_scale_is_found() {
    let teacher = Weights::material_only::<u32>(&RUSSIAN);
    let examples = samples(&taught(3_000, 5, &teacher, 0.37));
    let scale = best_scale(&examples, &teacher).expect("a scale");
    assert!((scale - 0.37).abs() < 0.002, "{scale}");
}

#[test]
fn senseless_settings_are_refused() {
    let some = samples(&random_examples::<u32>(&RUSSIAN, 100, 1));
    let none = samples(&[]);
    let start = Weights::material_only::<u32>(&RUSSIAN);
    let good = FitSettings::default();
    let refused = |train, validation, start, settings| {
        fit(train, validation, start, &settings, &mut |_| true).expect_err("refused")
    };
    for settings in [
        FitSettings { scale: 0.0, ..good },
        FitSettings {
            rate: f32::NAN,
            ..good
        },
        FitSettings {
            prior: -1.0,
            ..good
        },
    ] {
        let error = refused(&some, &some, &start, settings);
        assert!(matches!(error, TrainError::Setting { .. }), "{error}");
    }
    let empty = refused(&some, &none, &start, good);
    assert!(matches!(empty, TrainError::Empty { part: "validation" }));
    let other = Weights::material_only::<u64>(&INTERNATIONAL);
    assert!(matches!(
        refused(&some, &some, &other, good),
        TrainError::Weights(_)
    ));
    let mut infinite = start.clone();
    infinite.values[3] = f32::NAN;
    assert!(matches!(
        refused(&some, &some, &infinite, good),
        TrainError::Weights(_)
    ));
}

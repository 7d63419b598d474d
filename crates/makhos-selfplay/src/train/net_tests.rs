use makhos_rules::variant::{INTERNATIONAL, RUSSIAN};
use makhos_rules::{Position, RuleSet};

use super::*;
use crate::eval::Evaluator;
use crate::train::testing::random_examples;

/// Probabilities in double precision, by the definition.
fn plain<B: Board>(values: &[f64], position: &Position<B>) -> Vec<f64> {
    let shape = Shape::of::<B>();
    let mut layer = vec![0.0; shape.inputs];
    for_inputs(position, |input| layer[input] = 1.0);
    let mut rest = values;
    for (number, (from, to)) in shape.layers().into_iter().enumerate() {
        let (weights, after) = rest.split_at(from * to);
        let (biases, after) = after.split_at(to);
        rest = after;
        layer = (0..to)
            .map(|output| {
                let terms = (0..from).map(|input| layer[input] * weights[input * to + output]);
                let sum = biases[output] + terms.sum::<f64>();
                if number == 2 { sum } else { sum.max(0.0) }
            })
            .collect();
    }
    let total: f64 = layer.iter().map(|logit| logit.exp()).sum();
    layer.iter().map(|logit| logit.exp() / total).collect()
}

/// The loss by the definition.
fn plain_loss<B: Board>(values: &[f64], examples: &[Example<B>]) -> f64 {
    let losses = examples.iter().map(|example| {
        let said = plain(values, &example.position);
        let target = f64::from(example.target);
        let mixed = if target < 0.5 {
            [1.0 - 2.0 * target, 2.0 * target, 0.0]
        } else {
            [0.0, 2.0 - 2.0 * target, 2.0 * target - 1.0]
        };
        let loss: f64 = said
            .iter()
            .zip(mixed)
            .map(|(said, target)| -target * said.ln())
            .sum();
        f64::from(example.weight) * loss
    });
    losses.sum()
}

fn doubles(values: &[f32]) -> Vec<f64> {
    values.iter().map(|value| f64::from(*value)).collect()
}

fn gradient_is_that_of_the_loss<B: Board>(rules: &RuleSet) {
    // More than one task.
    let mut examples = random_examples::<B>(rules, ROWS + 40, 3);
    for (at, example) in examples.iter_mut().enumerate() {
        example.weight = 0.5 + (at % 3) as f32;
    }
    let samples = NetSamples::extract(&examples, 2).expect("samples");
    let mut net = Net::<B>::random(rules, 5);
    let mut random = Dice::of_game(6, 0);
    net.values
        .iter_mut()
        .for_each(|value| *value += 0.02 * (random.unit() - 0.5));
    let (loss, gradient) = gradient(&samples, &net.values, 0..samples.len());
    let mut values = doubles(&net.values);
    let expected = plain_loss(&values, &examples);
    assert!(
        (loss - expected).abs() < 1e-4 * expected,
        "{loss} {expected}"
    );
    let mean = mean_loss(&samples, &net.values) * samples.total;
    assert!((mean - loss).abs() < 1e-9 * loss);
    let mut checked = 0;
    for _ in 0..250 {
        // As many of each layer.
        let start = [
            0,
            samples.shape.inputs * FIRST,
            values.len() - 2_200,
            values.len() - 99,
        ];
        let start = start[random.index(4)];
        let index = start + random.index(values.len() - start);
        let (before, step) = (values[index], 1e-5);
        values[index] = before + step;
        let above = plain_loss(&values, &examples);
        values[index] = before - step;
        let below = plain_loss(&values, &examples);
        values[index] = before;
        let expected = (above - below) / (2.0 * step);
        let found = f64::from(gradient[index]);
        let close = (expected - found).abs() < 5e-3 + 2e-3 * expected.abs();
        assert!(
            close,
            "{} parameter {index}: {expected} {found}",
            rules.name
        );
        checked += usize::from(found.abs() > 0.1);
    }
    assert!(checked > 60, "{checked}");
}

#[test]
fn gradients_agree_with_finite_differences() {
    gradient_is_that_of_the_loss::<u32>(&RUSSIAN);
    gradient_is_that_of_the_loss::<u64>(&INTERNATIONAL);
}

#[test]
fn play_and_training_see_the_same_network() {
    let net = Net::<u32>::random(&RUSSIAN, 1);
    let values = doubles(&net.values);
    for example in random_examples::<u32>(&RUSSIAN, 500, 1) {
        let position = example.position;
        let said = net.probabilities(&position);
        for (said, plain) in said.iter().zip(plain(&values, &position)) {
            assert!((f64::from(*said) - plain).abs() < 1e-5);
        }
        assert_eq!(net.evaluate(&position), net.evaluate(&position.flip()));
    }
}

#[test]
fn scores_follow_from_probabilities() {
    let position = Position::<u32>::start(&RUSSIAN);
    let mut net = Net::<u32>::random(&RUSSIAN, 1);
    // Nothing but the last biases counts.
    net.values.fill(0.0);
    let biases = net.values.len() - OUTPUTS;
    assert_eq!(net.evaluate(&position).get(), 0);
    net.values[biases..].copy_from_slice(&[0.0, f32::MIN, 1.0]);
    net.scale = 0.5;
    assert_eq!(net.evaluate(&position).get(), 200);
    net.values[biases..].copy_from_slice(&[0.0, f32::MIN, 1e9]);
    let most = net.evaluate(&position);
    assert!(most.get() > 2_000 && !most.is_win());
}

#[test]
fn it_learns_what_decides_and_threads_do_not_matter() {
    // Who has more pieces wins.
    let examples = |count, seed| {
        let mut examples = random_examples::<u32>(&RUSSIAN, count, seed);
        for example in &mut examples {
            let side = example.position.side();
            let own = example.position.pieces(side).len();
            let other = example.position.pieces(side.opponent()).len();
            example.target = match own.cmp(&other) {
                std::cmp::Ordering::Less => 0.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => 1.0,
            };
        }
        NetSamples::extract(&examples, 1).expect("samples")
    };
    let (train, validation) = (examples(6_000, 1), examples(1_500, 2));
    let settings = NetSettings {
        epochs: 6,
        batch: 600,
        rate: 5e-3,
        ..NetSettings::default()
    };
    let start = Net::<u32>::random(&RUSSIAN, 3);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let run = || train_net(&train, &validation, &start, &settings, &mut |_| true);
        pool.expect("threads").install(run).expect("a network")
    };
    let one = with(1);
    assert_eq!(one.net.generation, 1);
    assert_eq!(mean_loss(&validation, &one.net.values), one.best.validation);
    assert!(
        one.best.validation < 0.5 && one.curve.points[0].validation > 0.9,
        "{:?}",
        one.curve
    );
    for threads in [2, 4] {
        let other = with(threads);
        let bits = |net: &Net<u32>| net.values.iter().map(|it| it.to_bits()).collect::<Vec<_>>();
        assert!(bits(&one.net) == bits(&other.net) && one.curve == other.curve);
    }
}

#[test]
fn senseless_input_is_refused() {
    let start = Net::<u32>::random(&RUSSIAN, 3);
    let good = NetSamples::extract(&random_examples::<u32>(&RUSSIAN, 50, 1), 1).expect("samples");
    let refused = |train: &NetSamples, settings: NetSettings| {
        train_net(train, &good, &start, &settings, &mut |_| true).expect_err("refused")
    };
    let settings = NetSettings::default();
    for bad in [
        NetSettings {
            batch: 0,
            ..settings
        },
        NetSettings {
            rate: 0.0,
            ..settings
        },
        NetSettings {
            decay: f32::NAN,
            ..settings
        },
    ] {
        assert!(matches!(refused(&good, bad), TrainError::Setting { .. }));
    }
    let other = random_examples::<u64>(&INTERNATIONAL, 50, 1);
    let other = NetSamples::extract(&other, 1).expect("samples");
    assert!(matches!(
        refused(&other, settings),
        TrainError::Setting { .. }
    ));
    let none = NetSamples::extract::<u32>(&[], 1).expect("samples");
    assert!(matches!(refused(&none, settings), TrainError::Empty { .. }));
}

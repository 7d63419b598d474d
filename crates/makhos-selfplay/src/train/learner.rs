//! Epoch after epoch until nothing gets better.

use super::curve::{LossCurve, LossPoint};
use super::error::TrainError;

/// A model on its way.
pub(super) trait Learner {
    /// What is kept of an epoch.
    type Model;

    /// The mean loss of the examples to train on before the first epoch.
    fn before(&self) -> f64;

    /// Learns from every example once; their mean loss, each before it was learnt from.
    fn epoch(&mut self, epoch: u32) -> f64;

    /// The mean loss of the examples for validation.
    fn validation(&self) -> f64;

    /// The present state.
    fn model(&self) -> Self::Model;
}

/// Trains for as many epochs as `most` says first, or until there has been no better one for as many as it
/// says second, or until `watch` returns false. Returns the model after the best epoch, all losses, and
/// those of the best epoch.
pub(super) fn learn<L: Learner>(
    learner: &mut L,
    [most, patience]: [u32; 2],
    watch: &mut dyn FnMut(&LossPoint) -> bool,
) -> Result<(L::Model, LossCurve, LossPoint), TrainError> {
    let first = LossPoint {
        epoch: 0,
        train: learner.before(),
        validation: learner.validation(),
    };
    let mut curve = LossCurve {
        points: vec![first],
    };
    let (mut best, mut kept) = (first, learner.model());
    let mut going_on = watch(&first);
    for epoch in 1..=most {
        if !going_on || epoch - best.epoch > patience {
            break;
        }
        let point = LossPoint {
            epoch,
            train: learner.epoch(epoch),
            validation: learner.validation(),
        };
        if !point.train.is_finite() || !point.validation.is_finite() {
            return Err(TrainError::Diverged { epoch });
        }
        curve.points.push(point);
        if point.validation < best.validation {
            (best, kept) = (point, learner.model());
        }
        going_on = watch(&point);
    }
    Ok((kept, curve, best))
}

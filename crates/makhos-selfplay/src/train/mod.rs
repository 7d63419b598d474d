//! Training: from positions and what came of them to the weights of an evaluation.
//!
//! [`fit`] fits the weights of patterns by logistic regression. [`Split`] divides games into those to train
//! on and those for validation, [`Samples`] holds the features of positions, [`LossCurve`] tells how it
//! went. [`train_net`] trains a small neural
//! network ([`Net`](crate::eval::Net)) for the same purpose. [`accuracy`]
//! compares what an evaluator says with exact values, [`keeping`] what a search plays.
//!
//! ```
//! use makhos_rules::{Position, variant};
//! use makhos_selfplay::eval::{Features, Weights};
//! use makhos_selfplay::train::{Example, FitSettings, Samples, Split, fit};
//!
//! let rules = variant::RUSSIAN;
//! let position = Position::<u32>::start(&rules);
//! let example = |game| Example { position, target: 0.6, weight: 1.0, game };
//! let (train, validation) = Split::new(0.2, 1)?.divide((0..100).map(example));
//! let features = Features::new(&rules);
//! let train = Samples::extract(&features, &train, 1)?;
//! let validation = Samples::extract(&features, &validation, 1)?;
//! let start = Weights::material_only::<u32>(&rules);
//! let found = fit(&train, &validation, &start, &FitSettings::default(), &mut |_| true)?;
//! assert_eq!(found.weights.generation, 1);
//! assert!(found.best.validation < found.curve.points[0].validation);
//! # Ok::<(), makhos_selfplay::train::TrainError>(())
//! ```

mod accuracy;
mod column;
mod curve;
mod error;
mod example;
mod fit;
mod keeping;
mod learner;
mod logistic;
mod loss;
mod minimum;
mod net_fit;
mod samples;
mod svg;
#[cfg(test)]
mod testing;

pub use accuracy::{Accuracy, Judgement, accuracy};
pub use curve::{LossCurve, LossPoint};
pub use error::TrainError;
pub use example::{Example, Part, Split};
pub use fit::{Fit, FitSettings, best_scale, fit};
pub use keeping::{Keeping, keeping};
pub use net_fit::{NetFit, NetSamples, NetSettings, train_net};
pub use samples::Samples;

//! Evaluation: from a position to an estimate of its worth, without looking ahead.
//!
//! [`Patterns`] is a sparse linear sum. Which [`Features`] are active, and how much of each, is the same list
//! that training sees; what each is worth is a matter of [`Weights`]. Anything else that can judge a position,
//! such as a small neural [network](Net), is an [`Evaluator`] too. A [`Model`]
//! is whichever of both a file holds.

mod features;
mod file;
mod model;
pub(crate) mod net;
mod net_file;
mod onnx;
mod patterns;
mod tensors;
mod weights;
mod windows;

pub use features::{Feature, Features, Phase, Scalar};
pub use model::Model;
pub use net::Net;
pub use patterns::Patterns;
pub use weights::{FORMAT_VERSION, Weights, WeightsError};

use makhos_rules::Position;

use crate::score::Score;

/// Something that judges positions in which nothing can be captured.
///
/// Colours must not matter: a position and its [`flip`](Position::flip) have the same value. The same position
/// must always get the same value.
pub trait Evaluator<B>: Send + Sync {
    /// An estimate for the side to move.
    fn evaluate(&self, position: &Position<B>) -> Score;
}

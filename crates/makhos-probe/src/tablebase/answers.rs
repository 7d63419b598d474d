//! What a batch of probes answers.

use crate::probe_error::ProbeError;

/// What a batch of probes found: a value for each position, or the reason why there is none.
#[derive(Debug)]
pub struct Batch<V> {
    pub(super) values: Vec<Option<V>>,
    pub(super) errors: Vec<(usize, ProbeError)>,
}

impl<V> Batch<V> {
    /// The values in the order of the positions; `None` where there is an [error](Self::errors).
    #[must_use]
    pub fn values(&self) -> &[Option<V>] {
        &self.values
    }

    /// The errors with the numbers of their positions, in ascending order.
    #[must_use]
    pub fn errors(&self) -> &[(usize, ProbeError)] {
        &self.errors
    }

    /// All values.
    ///
    /// # Errors
    /// The first [`ProbeError`] if there is one.
    pub fn into_values(self) -> Result<Vec<V>, ProbeError> {
        match self.errors.into_iter().next() {
            Some((_, error)) => Err(error),
            None => Ok(self.values.into_iter().flatten().collect()),
        }
    }
}

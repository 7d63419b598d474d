//! Games that tables decide.

use makhos_probe::{ProbeError, Tablebase, Wld};
use makhos_rules::Board;

use super::track::Track;

/// The value of a position for the side to move, if tables tell it.
///
/// That a table is not there is no error; that one cannot be read is: the games would be others.
pub(super) fn value<B: Board>(
    tables: Option<&Tablebase<B>>,
    track: &Track<'_, B>,
) -> Result<Option<Wld>, ProbeError> {
    let Some(tables) = tables.filter(|tables| track.pieces() <= tables.max_pieces()) else {
        return Ok(None);
    };
    match tables.probe_wld(track.position()) {
        Ok(value) => Ok(Some(value)),
        Err(error @ ProbeError::Table(_)) => Err(error),
        Err(_) => Ok(None),
    }
}

//! Ctrl-C: the first one asks to stop, the second one ends the process.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::{Exit, Failure, Outcome};
use crate::output::note;

/// Whether the user has asked to stop.
#[derive(Clone, Debug)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Takes over Ctrl-C for the rest of the process.
    pub(crate) fn install() -> Outcome<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        let handler = Arc::clone(&asked);
        let set = ctrlc::set_handler(move || {
            if handler.swap(true, Ordering::Relaxed) {
                process::exit(Exit::Interrupted as i32);
            }
            note(format_args!(
                "\nstopping; press Ctrl-C again to stop at once"
            ));
        });
        set.map_err(|error| {
            Failure::say(
                Exit::Environment,
                format!("cannot take over Ctrl-C: {error}"),
            )
        })?;
        Ok(Self(asked))
    }

    /// Whether to stop.
    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

//! Standard output and standard error.

use std::fmt;
use std::io::{self, BufWriter, StdoutLock, Write};

use serde::Serialize;

use crate::exit::{Failure, Outcome};

/// Writes results to standard output. Every error ends the command, a closed pipe quietly.
#[derive(Debug)]
pub(crate) struct Output {
    inner: BufWriter<StdoutLock<'static>>,
}

impl Output {
    pub(crate) fn new() -> Self {
        Self {
            inner: BufWriter::new(io::stdout().lock()),
        }
    }

    /// Writes a text as it is.
    pub(crate) fn text(&mut self, text: &str) -> Outcome<()> {
        self.inner
            .write_all(text.as_bytes())
            .map_err(Failure::output)
    }

    /// Writes one line.
    pub(crate) fn line(&mut self, line: impl fmt::Display) -> Outcome<()> {
        writeln!(self.inner, "{line}").map_err(Failure::output)
    }

    /// Writes a JSON document, indented.
    pub(crate) fn json(&mut self, document: &impl Serialize) -> Outcome<()> {
        serde_json::to_writer_pretty(&mut self.inner, document)
            .map_err(|error| Failure::output(error.into()))?;
        self.line("")
    }

    /// Hands everything on. Nothing may be lost unnoticed when the writer is dropped.
    pub(crate) fn flush(&mut self) -> Outcome<()> {
        self.inner.flush().map_err(Failure::output)
    }
}

/// Writes a line to standard error. That it cannot be written is no reason to stop.
pub(crate) fn note(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

//! Benchmarks only; see the `[[bench]]` targets of the manifest. Run one with
//! `cargo bench -p makhos-benches --bench movegen`. Here is what they share.

pub mod clock;
pub mod generation;
pub mod probing;

use std::error::Error;
use std::process::ExitCode;

/// What a benchmark that is a program of its own ends with; an error is printed.
#[must_use]
pub fn exit(result: Result<(), Box<dyn Error>>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

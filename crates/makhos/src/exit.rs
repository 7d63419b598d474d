//! How a command ends: its exit code, and what is said about a failure.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// The exit codes that scripts rely on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// A clean no: verification found a difference, a position lies outside the tables.
    No = 1,
    /// Bad usage or input.
    Usage = 2,
    /// The environment: disk full, not enough memory, a file missing or damaged.
    Environment = 3,
    /// Stopped by Ctrl-C; the same command resumes.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command stopped early, and the exit code for it.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    error: Option<anyhow::Error>,
}

/// What a command or a part of it results in.
pub(crate) type Outcome<T> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(exit: Exit, error: impl Into<anyhow::Error>) -> Self {
        Self {
            exit,
            error: Some(error.into()),
        }
    }

    /// A failure with a message of our own.
    pub(crate) fn say(
        exit: Exit,
        message: impl fmt::Display + fmt::Debug + Send + Sync + 'static,
    ) -> Self {
        Self {
            exit,
            error: Some(anyhow::Error::msg(message)),
        }
    }

    /// Standard output could not be written. A reader that has seen enough, such as `head`, is no
    /// failure and ends the command quietly.
    pub(crate) fn output(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self {
                exit: Exit::Done,
                error: None,
            };
        }
        Self::say(
            Exit::Environment,
            format!("cannot write the results: {error}"),
        )
    }

    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// What to tell the user. The libraries' errors are complete sentences that contain their cause.
    pub(crate) fn message(&self) -> Option<String> {
        self.error.as_ref().map(ToString::to_string)
    }
}

/// Gives an error its exit code.
pub(crate) trait OrFail<T> {
    /// Bad usage or input.
    fn or_usage(self) -> Outcome<T>;
    /// Something is wrong with the machine or its files.
    fn or_environment(self) -> Outcome<T>;
}

impl<T, E: Into<anyhow::Error>> OrFail<T> for Result<T, E> {
    fn or_usage(self) -> Outcome<T> {
        self.map_err(|error| Failure::new(Exit::Usage, error))
    }

    fn or_environment(self) -> Outcome<T> {
        self.map_err(|error| Failure::new(Exit::Environment, error))
    }
}

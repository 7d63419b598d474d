//! `makhos completions`: completions for shells.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::args::Cli;
use crate::exit::{Exit, Failure, Outcome};
use crate::output::Output;

const AFTER_HELP: &str = "\
Examples:
  makhos completions bash > ~/.local/share/bash-completion/completions/makhos
  makhos completions zsh > ~/.zfunc/_makhos
  makhos completions fish > ~/.config/fish/completions/makhos.fish";

/// Print the completions of a shell
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs) -> Outcome<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "makhos", &mut script);
    let script = String::from_utf8(script)
        .map_err(|error| Failure::say(Exit::Environment, error.to_string()))?;
    let mut output = Output::new();
    output.text(&script)?;
    output.flush()?;
    Ok(Exit::Done)
}

//! The one place that turns a variant's board size into a board type.

use makhos_retro::SolvedBoard;
use makhos_rules::{BoardSize, RuleSet};

use crate::args::RulesArgs;
use crate::exit::{Exit, Outcome};

/// A command that needs rules, and with them a board.
pub(crate) trait BoardCommand {
    /// The arguments that name the rules.
    fn rules(&self) -> &RulesArgs;

    /// Does the work on boards of type `B`, which is that of `rules`.
    fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit>;
}

/// Runs a command on the board of its variant.
pub(crate) fn run_on_board(command: &impl BoardCommand) -> Outcome<Exit> {
    let rules = command.rules().rule_set()?;
    match rules.board {
        BoardSize::Eight => command.run::<u32>(&rules),
        BoardSize::Ten => command.run::<u64>(&rules),
        BoardSize::Twelve => command.run::<u128>(&rules),
    }
}

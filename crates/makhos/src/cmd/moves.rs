//! `makhos moves`: the legal moves of a position.

use clap::Args;
use makhos_rules::notation::{Naming, fen, hub, pdn_move, square_name};
use makhos_rules::{Board, Move, Position, Route, RuleSet, Square};
use serde::Serialize;

use crate::args::RulesArgs;
use crate::board::BoardCommand;
use crate::exit::{Exit, OrFail, Outcome};
use crate::json::RulesJson;
use crate::output::Output;

const AFTER_HELP: &str = "\
A quiet move is FROM-TO, a capture FROMxTO followed by x and each captured square in
ascending order. Moves are sorted as text. A lost position has none: nothing is printed.

Examples:
  makhos moves --variant international W:W31-50:B1-20
  makhos moves --variant russian 'B:WK30,21,22:BK4' --routes
  makhos moves --variant thai --option removal=end --json W:WK29:B14,15";

/// Print the legal moves of a position in Hub form, one a line
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct MovesArgs {
    #[command(flatten)]
    rules: RulesArgs,

    /// The position, e.g. W:W18,K30:B7,K32
    fen: String,

    /// Print every route of every capture, the path after a tab
    #[arg(long)]
    routes: bool,

    /// Print one JSON document, with PDN moves, captured squares, routes and the positions reached
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    rules: RulesJson,
    fen: String,
    moves: Vec<MoveJson>,
}

#[derive(Serialize)]
struct MoveJson {
    hub: String,
    pdn: String,
    /// The position it leads to.
    fen: String,
    captured: Vec<String>,
    promotion: bool,
    routes: Vec<Vec<String>>,
}

impl BoardCommand for MovesArgs {
    fn rules(&self) -> &RulesArgs {
        &self.rules
    }

    fn run<B: Board>(&self, rules: &RuleSet) -> Outcome<Exit> {
        let position = fen::parse::<B>(rules, &self.fen).or_usage()?;
        let mut output = Output::new();
        if self.json {
            output.json(&document(rules, &position))?;
        } else {
            let mut lines: Vec<String> = if self.routes {
                let routes = rules.legal_routes(&position);
                routes
                    .iter()
                    .map(|route| route_line(rules, route))
                    .collect()
            } else {
                let moves = rules.legal_moves(&position);
                moves.iter().map(|mv| hub::write_move(rules, mv)).collect()
            };
            lines.sort_unstable();
            for line in lines {
                output.line(line)?;
            }
        }
        output.flush()?;
        Ok(Exit::Done)
    }
}

fn route_line<B: Board>(rules: &RuleSet, route: &Route<B>) -> String {
    let separator = if route.mv.is_capture() { "x" } else { "-" };
    format!(
        "{}\t{}",
        hub::write_move(rules, &route.mv),
        names(rules, &route.path).join(separator)
    )
}

fn names(rules: &RuleSet, squares: &[Square]) -> Vec<String> {
    let name = |square: &Square| square_name(rules, Naming::Board, *square);
    squares.iter().map(name).collect()
}

fn document<B: Board>(rules: &RuleSet, position: &Position<B>) -> Document {
    let routes = rules.legal_routes(position);
    let moves = rules.legal_moves(position);
    let mut moves: Vec<MoveJson> = moves
        .iter()
        .map(|mv| move_json(rules, position, mv, &routes))
        .collect();
    moves.sort_unstable_by(|a, b| a.hub.cmp(&b.hub));
    Document {
        rules: RulesJson::new(rules),
        fen: fen::write(rules, position),
        moves,
    }
}

fn move_json<B: Board>(
    rules: &RuleSet,
    position: &Position<B>,
    mv: &Move<B>,
    routes: &[Route<B>],
) -> MoveJson {
    let hub = hub::write_move(rules, mv);
    let mut paths: Vec<Vec<String>> = routes
        .iter()
        .filter(|route| route.mv == *mv)
        .map(|route| names(rules, &route.path))
        .collect();
    paths.sort_unstable();
    MoveJson {
        pdn: pdn_move::write_move(rules, position, mv),
        fen: fen::write(rules, &position.make(mv)),
        // The Hub form names both ends first, then the captured squares in ascending order.
        captured: hub.split('x').skip(2).map(str::to_owned).collect(),
        promotion: mv.promotes,
        routes: paths,
        hub,
    }
}

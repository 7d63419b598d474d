//! `makhos moves`: the legal moves of a position.

use clap::Args;
use makhos_retro::SolvedBoard;
use makhos_rules::notation::{Naming, fen, hub, pdn_move, square_name};
use makhos_rules::{Board, Move, Position, Route, RuleSet, Square};
use serde::Serialize;

use crate::args::RulesArgs;
use crate::board::BoardCommand;
use crate::exit::{Exit, Failure, OrFail, Outcome};
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
    /// `null` if the position has more than [`MOST_ROUTES`].
    routes: Option<Vec<Vec<String>>>,
}

/// Positions made for it have more routes than anyone can list.
const MOST_ROUTES: usize = 100_000;
const TOO_MANY: &str = "the position has more than 100,000 routes; ask without --routes";

impl BoardCommand for MovesArgs {
    fn rules(&self) -> &RulesArgs {
        &self.rules
    }

    fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        let position = fen::parse::<B>(rules, &self.fen).or_usage()?;
        let mut output = Output::new();
        if self.json {
            output.json(&document(rules, &position))?;
        } else {
            let mut lines: Vec<String> = if self.routes {
                let routes = rules.legal_routes_up_to(&position, MOST_ROUTES);
                let routes = routes.ok_or_else(|| Failure::say(Exit::Usage, TOO_MANY))?;
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
    let routes = rules.legal_routes_up_to(position, MOST_ROUTES);
    let moves = rules.legal_moves(position);
    let texts = pdn_move::write_moves(rules, position, &moves);
    let mut moves: Vec<MoveJson> = moves
        .iter()
        .zip(texts)
        .map(|(mv, pdn)| move_json(rules, position, mv, pdn, routes.as_deref()))
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
    pdn: String,
    routes: Option<&[Route<B>]>,
) -> MoveJson {
    let hub = hub::write_move(rules, mv);
    let paths = routes.map(|routes| {
        let own = routes.iter().filter(|route| route.mv == *mv);
        let mut paths: Vec<Vec<String>> = own.map(|route| names(rules, &route.path)).collect();
        paths.sort_unstable();
        paths
    });
    MoveJson {
        pdn,
        fen: fen::write(rules, &position.make(mv)),
        // The Hub form names both ends first, then the captured squares in ascending order.
        captured: hub.split('x').skip(2).map(str::to_owned).collect(),
        promotion: mv.promotes,
        routes: paths,
        hub,
    }
}

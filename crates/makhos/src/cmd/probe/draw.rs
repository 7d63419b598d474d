//! The value of a position under the drawing rules, with its counters.

use makhos_probe::{DrawTables, ProbeError, Ruled, Verdict, Wld};
use makhos_rules::draw::Counters;
use makhos_rules::notation::fen::Counts;
use makhos_rules::notation::hub;
use makhos_rules::{Board, Move, Position};
use serde::Serialize;

use crate::text::or_dash;

/// Tables under drawing rules and the counters given for all positions.
pub(super) struct Drawn<B> {
    pub(super) tables: DrawTables<B>,
    /// Plies that the clock in force has counted, unless the FEN tells.
    pub(super) halfmoves: Option<u16>,
    /// Plies that the lone king has stood on the main road.
    pub(super) road: u8,
}

/// The answer about one position.
#[derive(Debug, Serialize)]
pub(super) struct DrawnAnswer {
    /// `win`, `cursed-win`, `draw`, `blessed-loss` or `loss`; without the outcome that ignores drawing rules
    /// only `win`, `draw` or `loss`, and `unknown` outside the tables.
    value: &'static str,
    /// The least plies that must be left for the win or loss to hold.
    needed: Option<u16>,
    /// The plies that are left, `None` without a clock.
    left: Option<u16>,
    /// The clock in force.
    clock: Option<String>,
    article: Option<String>,
    /// The best move under the drawing rules.
    best: Option<String>,
    moves: Vec<DrawnMove>,
}

/// A move with its value under the drawing rules for the player who makes it.
#[derive(Debug, Serialize)]
struct DrawnMove {
    hub: String,
    value: &'static str,
    /// What the position it leads to needs, and the plies that are left there.
    needed_after: Option<u16>,
    left_after: Option<u16>,
}

impl<B: Board> Drawn<B> {
    /// The counters of a position.
    fn counters(&self, position: &Position<B>, counts: Counts) -> Counters {
        let halfmoves = counts.halfmoves.or(self.halfmoves).unwrap_or(0);
        let rules = self.tables.draw_rules();
        rules.counted(position, halfmoves, self.road)
    }

    /// The answer, `plain` being the outcome that ignores drawing rules.
    pub(super) fn answer(
        &self,
        position: &Position<B>,
        counts: Counts,
        plain: Option<Wld>,
    ) -> Result<DrawnAnswer, ProbeError> {
        let counters = self.counters(position, counts);
        let ruled = self.tables.probe(position, counters)?;
        let moves = self.tables.move_values(position, counters)?;
        let clock = self.tables.draw_rules().clock(position);
        let name = |mv: &Move<B>| hub::write_move(self.tables.rules(), mv);
        let moves: Vec<DrawnMove> = moves
            .iter()
            .map(|ruled| DrawnMove {
                hub: name(&ruled.mv),
                value: ruled.value.name(),
                needed_after: needed(&ruled.after),
                left_after: ruled.after.left,
            })
            .collect();
        Ok(DrawnAnswer {
            value: value_name(plain, ruled.wld),
            needed: needed(&ruled),
            left: ruled.left,
            clock: clock.map(|clock| clock.name.to_string()),
            article: clock.map(|clock| clock.article.to_string()),
            best: moves.first().map(|mv| mv.hub.clone()),
            moves,
        })
    }
}

impl DrawnAnswer {
    /// For a position outside the tables.
    pub(super) fn unknown() -> Self {
        Self {
            value: "unknown",
            needed: None,
            left: None,
            clock: None,
            article: None,
            best: None,
            moves: Vec::new(),
        }
    }

    /// The fields that follow the others in a line of text.
    pub(super) fn fields(&self) -> String {
        format!(
            "\t{}\t{}\t{}\t{}\t{}",
            self.value,
            or_dash(self.needed),
            or_dash(self.left),
            or_dash(self.clock.as_ref()),
            or_dash(self.best.as_ref())
        )
    }
}

fn needed(ruled: &Ruled) -> Option<u16> {
    ruled.needed.plies().map(|plies| plies.get())
}

fn value_name(plain: Option<Wld>, ruled: Wld) -> &'static str {
    let verdict = plain.and_then(|plain| Verdict::new(plain, ruled));
    verdict.map_or(ruled.name(), Verdict::name)
}

//! What drawing rules change in a class: figures for each side to move.

use makhos_index::Material;
use makhos_probe::{SideStatistics, road_tables};
use makhos_rules::Color;
use makhos_rules::draw::{DrawRules, Pieces};
use serde::Serialize;

use crate::text::{self, Align, TextTable, grouped, or_dash};

/// What drawing rules change in a class.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DrawClass {
    class: String,
    /// Whether both armies are equal, so that one side to move stands for both.
    symmetric: bool,
    /// The clock that governs the class, `None` without one.
    clock: Option<String>,
    article: Option<String>,
    /// Plies after which it draws.
    clock_plies: Option<u16>,
    /// Tables of the class, one for each number of plies that can have been counted on the main road.
    tables: u8,
    bytes: u64,
    sides: Vec<DrawSide>,
}

/// The figures of one side to move. Without another word they are those with fresh clocks.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DrawSide {
    side: char,
    positions: u64,
    wins: u64,
    losses: u64,
    /// Positions won without drawing rules and drawn under them; `None` where the tables without drawing
    /// rules are not there.
    spoiled_wins: Option<u64>,
    /// Positions lost without drawing rules and drawn under them.
    saved_losses: Option<u64>,
    /// The most plies left that a win needs.
    longest_win_needs: Option<u16>,
    longest_loss_needs: Option<u16>,
    /// Wins that are still won with one ply left; `None` where values were not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    wins_with_one_ply_left: Option<u64>,
    /// Positions won without drawing rules that are drawn with one ply left.
    #[serde(skip_serializing_if = "Option::is_none")]
    spoiled_wins_with_one_ply_left: Option<u64>,
}

impl DrawClass {
    /// The figures of a class from those of its tables with and without drawing rules.
    pub(crate) fn new(
        draw_rules: &DrawRules,
        material: Material,
        ruled: &[(Color, SideStatistics)],
        plain: Option<&[(Color, SideStatistics)]>,
        bytes: u64,
    ) -> Self {
        let pieces = Pieces {
            men: [material.white.men.into(), material.black.men.into()],
            kings: [material.white.kings.into(), material.black.kings.into()],
        };
        let clock = draw_rules.governing(&pieces);
        let clock = clock.map(|number| &draw_rules.clocks[number]);
        let sides = ruled.iter().map(|(color, ruled)| {
            let plain = plain.and_then(|sides| sides.iter().find(|(other, _)| other == color));
            let plain = plain.map(|(_, statistics)| statistics);
            DrawSide {
                side: if color.is_white() { 'w' } else { 'b' },
                positions: ruled.positions,
                wins: ruled.wins,
                losses: ruled.losses,
                spoiled_wins: plain.map(|plain| plain.wins.saturating_sub(ruled.wins)),
                saved_losses: plain.map(|plain| plain.losses.saturating_sub(ruled.losses)),
                longest_win_needs: ruled.longest_needed_win().map(|plies| plies.get()),
                longest_loss_needs: ruled.longest_needed_loss().map(|plies| plies.get()),
                wins_with_one_ply_left: None,
                spoiled_wins_with_one_ply_left: None,
            }
        });
        Self {
            class: material.to_string(),
            symmetric: material.is_symmetric(),
            clock: clock.map(|clock| clock.name.to_string()),
            article: clock.map(|clock| clock.article.to_string()),
            clock_plies: clock.map(|clock| clock.plies),
            tables: road_tables(draw_rules, material),
            bytes,
            sides: sides.collect(),
        }
    }

    /// Adds what was counted in the values themselves: wins with one ply left, for each side.
    pub(crate) fn with_last_ply(mut self, wins: &[u64]) -> Self {
        for (side, &wins) in self.sides.iter_mut().zip(wins) {
            side.wins_with_one_ply_left = Some(wins);
            let all = side.spoiled_wins.map(|spoiled| spoiled + side.wins);
            side.spoiled_wins_with_one_ply_left = all.map(|all| all.saturating_sub(wins));
        }
        self
    }

    /// The columns of `stats --tsv` from the class on, a row for each side to move.
    pub(crate) fn tsv_rows(&self) -> Vec<String> {
        let row = |side: &DrawSide| {
            [
                self.class.clone(),
                side.side.to_string(),
                or_dash(self.clock.as_ref()),
                or_dash(self.clock_plies),
                side.positions.to_string(),
                side.wins.to_string(),
                or_dash(side.spoiled_wins),
                side.losses.to_string(),
                or_dash(side.saved_losses),
                or_dash(side.longest_win_needs),
                or_dash(side.longest_loss_needs),
                or_dash(side.wins_with_one_ply_left),
            ]
            .join("\t")
        };
        self.sides.iter().map(row).collect()
    }
}

/// The line of all classes together; a count that is not known of every class is not told.
fn totals(classes: &[DrawClass], with_last: bool) -> Vec<String> {
    let sides = || classes.iter().flat_map(|class| &class.sides);
    let sum = |count: fn(&DrawSide) -> Option<u64>| {
        let sum = sides().try_fold(0, |sum, side| Some(sum + count(side)?));
        or_dash(sum.map(|sum: u64| grouped(sum.into())))
    };
    let most = |plies: fn(&DrawSide) -> Option<u16>| or_dash(sides().filter_map(plies).max());
    let mut row = vec![
        text::classes(classes.len() as u64),
        String::new(),
        String::new(),
        String::new(),
        sum(|side| Some(side.wins)),
        sum(|side| side.spoiled_wins),
        sum(|side| Some(side.losses)),
        sum(|side| side.saved_losses),
        most(|side| side.longest_win_needs),
        most(|side| side.longest_loss_needs),
    ];
    if with_last {
        row.push(sum(|side| side.spoiled_wins_with_one_ply_left));
    }
    let bytes: u64 = classes.iter().map(|class| class.bytes).sum();
    row.push(grouped(bytes.into()));
    row
}

/// The figures as a table for people.
pub(crate) fn render(classes: &[DrawClass]) -> String {
    let last = |side: &DrawSide| side.wins_with_one_ply_left.is_some();
    let with_last = classes.iter().any(|class| class.sides.iter().any(last));
    let mut columns = vec![
        ("class", Align::Left),
        ("side", Align::Left),
        ("clock", Align::Left),
        ("plies", Align::Right),
        ("won", Align::Right),
        ("spoiled", Align::Right),
        ("lost", Align::Right),
        ("saved", Align::Right),
        ("win needs", Align::Right),
        ("loss needs", Align::Right),
    ];
    if with_last {
        columns.push(("spoiled, 1 ply left", Align::Right));
    }
    columns.push(("bytes", Align::Right));
    let mut table = TextTable::new(&columns);
    for class in classes {
        for (number, side) in class.sides.iter().enumerate() {
            let of_class = |text: String| if number == 0 { text } else { String::new() };
            let count = |number: Option<u64>| or_dash(number.map(|n| grouped(n.into())));
            let name = if class.symmetric {
                "w=b".to_owned()
            } else {
                side.side.to_string()
            };
            let mut row = vec![
                of_class(class.class.clone()),
                name,
                of_class(or_dash(class.clock.as_ref())),
                of_class(or_dash(class.clock_plies)),
                grouped(side.wins.into()),
                count(side.spoiled_wins),
                grouped(side.losses.into()),
                count(side.saved_losses),
                or_dash(side.longest_win_needs),
                or_dash(side.longest_loss_needs),
            ];
            if with_last {
                row.push(count(side.spoiled_wins_with_one_ply_left));
            }
            row.push(of_class(grouped(class.bytes.into())));
            table.row(row);
        }
    }
    table.row(totals(classes, with_last));
    let mut text = table.render();
    text.push_str(
        "Under the drawing rules, with fresh clocks. Spoiled: won without drawing rules, drawn under them;\n\
         saved: the same of losses. Needs: the plies that must be left on the clock, at most.\n",
    );
    text
}

//! The figures of a class for each side to move, with example positions.

use makhos_index::{Material, PlacementIndex};
use makhos_probe::{Longest, SideStatistics};
use makhos_rules::notation::fen;
use makhos_rules::{Board, Color, Position, RuleSet};
use serde::Serialize;

use crate::exit::{OrFail, Outcome};
use crate::text::{self, Align, TextTable, grouped, or_dash};

/// The figures of a class with one side to move. Field names are those of `stats --tsv`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SideFigures {
    /// `w` or `b`.
    pub(crate) side: char,
    pub(crate) positions: u64,
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    pub(crate) losses: u64,
    pub(crate) capture_positions: u64,
    /// `None` where there is no win or no distance.
    pub(crate) max_win_plies: Option<u16>,
    pub(crate) max_loss_plies: Option<u16>,
    pub(crate) max_win_fen: Option<String>,
    pub(crate) max_loss_fen: Option<String>,
}

/// The figures of a class with White and with Black to move.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ClassFigures {
    pub(crate) class: String,
    /// Whether both armies are equal. Then the positions with Black to move are those with White to
    /// move seen from the other side, and only counted once.
    pub(crate) symmetric: bool,
    /// Positions of the class, those that are the same for both sides counted once.
    pub(crate) positions: u64,
    pub(crate) sides: Vec<SideFigures>,
}

impl ClassFigures {
    /// The figures of a class from those of its stored sides.
    pub(crate) fn new<B: Board>(
        rules: &RuleSet,
        material: Material,
        stored: &[(Color, SideStatistics)],
    ) -> Outcome<Self> {
        let index = PlacementIndex::<B>::new(material).or_usage()?;
        let mut sides = Vec::new();
        for (color, statistics) in stored {
            let position = |longest: Option<Longest>| {
                longest.map(|longest| index.position(longest.first, *color))
            };
            let win = position(statistics.longest_win);
            let loss = position(statistics.longest_loss);
            sides.push(side_figures(rules, *color, statistics, win, loss));
            if material.is_symmetric() {
                let (win, loss) = (win.map(|win| win.flip()), loss.map(|loss| loss.flip()));
                sides.push(side_figures(rules, color.opponent(), statistics, win, loss));
            }
        }
        Ok(Self {
            class: material.to_string(),
            symmetric: material.is_symmetric(),
            positions: stored
                .iter()
                .map(|(_, statistics)| statistics.positions)
                .sum(),
            sides,
        })
    }

    /// The sides whose positions are counted, each with its name in tables for people.
    pub(crate) fn counted_sides(&self) -> impl Iterator<Item = (&'static str, &SideFigures)> {
        let counted = if self.symmetric { 1 } else { self.sides.len() };
        self.sides.iter().take(counted).map(|side| {
            let name = match side.side {
                _ if self.symmetric => "w=b",
                'w' => "w",
                _ => "b",
            };
            (name, side)
        })
    }
}

fn side_figures<B: Board>(
    rules: &RuleSet,
    color: Color,
    statistics: &SideStatistics,
    win: Option<Position<B>>,
    loss: Option<Position<B>>,
) -> SideFigures {
    let plies = |longest: Option<Longest>| longest.map(|longest| longest.plies.get());
    let text =
        |position: Option<Position<B>>| position.map(|position| fen::write(rules, &position));
    SideFigures {
        side: if color.is_white() { 'w' } else { 'b' },
        positions: statistics.positions,
        wins: statistics.wins,
        draws: statistics.draws,
        losses: statistics.losses,
        capture_positions: statistics.captures,
        max_win_plies: plies(statistics.longest_win),
        max_loss_plies: plies(statistics.longest_loss),
        max_win_fen: text(win),
        max_loss_fen: text(loss),
    }
}

/// Figures of several classes together, each position counted once.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Totals {
    pub(crate) classes: u64,
    pub(crate) positions: u64,
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    pub(crate) losses: u64,
    pub(crate) bytes: u64,
}

impl Totals {
    /// Adds a class whose files have that many bytes together.
    pub(crate) fn add(&mut self, class: &ClassFigures, bytes: u64) {
        self.classes += 1;
        self.bytes += bytes;
        for (_, side) in class.counted_sides() {
            self.positions += side.positions;
            self.wins += side.wins;
            self.draws += side.draws;
            self.losses += side.losses;
        }
    }
}

/// Which example positions a table for people shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Examples {
    Wins,
    WinsAndLosses,
}

/// A table of classes for people: a line for each side to move, then the totals.
#[derive(Debug)]
pub(crate) struct FiguresTable {
    table: TextTable,
    examples: Examples,
    totals: Totals,
}

impl FiguresTable {
    /// A table without classes. `own` is the heading of a column of the caller's own.
    pub(crate) fn new(own: &str, examples: Examples) -> Self {
        let mut columns = vec![
            ("class", Align::Left),
            ("side", Align::Left),
            ("positions", Align::Right),
            ("won", Align::Right),
            ("drawn", Align::Right),
            ("lost", Align::Right),
            ("bytes", Align::Right),
            (own, Align::Right),
            ("longest win", Align::Right),
            ("longest loss", Align::Right),
            ("a longest win", Align::Left),
        ];
        if examples == Examples::WinsAndLosses {
            columns.push(("a longest loss", Align::Left));
        }
        Self {
            table: TextTable::new(&columns),
            examples,
            totals: Totals::default(),
        }
    }

    /// Adds a class. What belongs to the class as a whole stands in the first of its lines.
    pub(crate) fn add(&mut self, class: &ClassFigures, bytes: u64, own: &str) {
        self.totals.add(class, bytes);
        for (number, (name, side)) in class.counted_sides().enumerate() {
            let of_class = |text: &str| match number {
                0 => text.to_owned(),
                _ => String::new(),
            };
            let mut row = vec![
                of_class(&class.class),
                name.to_owned(),
                grouped(side.positions.into()),
                grouped(side.wins.into()),
                grouped(side.draws.into()),
                grouped(side.losses.into()),
                of_class(&grouped(bytes.into())),
                of_class(own),
                or_dash(side.max_win_plies),
                or_dash(side.max_loss_plies),
                or_dash(side.max_win_fen.as_ref()),
            ];
            if self.examples == Examples::WinsAndLosses {
                row.push(or_dash(side.max_loss_fen.as_ref()));
            }
            self.table.row(row);
        }
    }

    pub(crate) fn totals(&self) -> Totals {
        self.totals
    }

    /// The table with its totals and a word on its columns.
    pub(crate) fn render(mut self) -> String {
        let totals = self.totals;
        let mut row = vec![text::classes(totals.classes), String::new()];
        let numbers = [
            totals.positions,
            totals.wins,
            totals.draws,
            totals.losses,
            totals.bytes,
        ];
        row.extend(numbers.map(|number| grouped(number.into())));
        self.table.row(row);
        let mut text = self.table.render();
        text.push_str(
            "Side to move: w, b, or w=b where both armies are equal and each position is counted once.\n\
             Won and lost are for the side to move; longest wins and losses are in plies.\n",
        );
        text
    }
}

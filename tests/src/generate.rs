//! Rule sets and positions for property tests.
//!
//! Proptest draws plain numbers; the functions here make valid rules and positions of all of them.

use makhos_rules::{Board, Color, Position, RuleSet, variant};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::mailbox::Grid;

/// A variant, changed by random house options.
pub fn any_rules() -> impl Strategy<Value = RuleSet> {
    let options = variant::options().count();
    // Half of the choices leave an option alone, so that every variant also appears nearly unchanged.
    let pick = prop_oneof![Just(None), any::<u8>().prop_map(Some)];
    (0..variant::ALL.len(), vec(pick, options))
        .prop_map(|(base, picks)| with_options(variant::ALL[base], &picks))
}

/// A variant as it is.
pub fn any_variant() -> impl Strategy<Value = RuleSet> {
    (0..variant::ALL.len()).prop_map(|base| *variant::ALL[base])
}

/// `base` with the option values picked, by number modulo their count; values that have no meaning in
/// the variant are left out.
fn with_options(base: &RuleSet, picks: &[Option<u8>]) -> RuleSet {
    let mut rules = *base;
    for ((key, values), pick) in variant::options().zip(picks) {
        if let Some(pick) = pick {
            let value = values[usize::from(*pick) % values.len()];
            rules = rules
                .with_option(&format!("{key}={value}"))
                .unwrap_or(rules);
        }
    }
    rules
}

/// A piece to be placed, before the board is known.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// The square, modulo the number of squares there are.
    pub square: u8,
    /// Whose piece.
    pub color: Color,
    /// Whether it is a king.
    pub king: bool,
    /// Whether the square is counted among those off the edge, where a piece can be captured.
    pub inner: bool,
}

/// Pieces and the side to move.
#[derive(Clone, Debug)]
pub struct Placements {
    /// In the order of placing: a later piece on a taken square is left out.
    pub pieces: Vec<Placement>,
    /// The side to move.
    pub side: Color,
}

impl Placements {
    /// The position on the board `B`. A man on its promotion row is placed as a king.
    ///
    /// # Panics
    /// Never: what is placed is valid.
    #[must_use]
    pub fn position<B: Board>(&self) -> Position<B> {
        let inner = inner_squares::<B>();
        let mut sets = [B::EMPTY; 4];
        let mut occupied = B::EMPTY;
        for piece in &self.pieces {
            let square = if piece.inner {
                inner[usize::from(piece.square) % inner.len()]
            } else {
                usize::from(piece.square) % B::SQUARES as usize
            };
            if occupied.contains(square) {
                continue;
            }
            let white = piece.color.is_white();
            let king = piece.king || B::promotion_row(white).contains(square);
            occupied |= B::bit(square);
            sets[usize::from(king) + 2 * usize::from(!white)] |= B::bit(square);
        }
        Position::new(sets[0], sets[1], sets[2], sets[3], self.side)
            .expect("one piece a square and no man on its promotion row")
    }
}

fn inner_squares<B: Board>() -> Vec<usize> {
    let grid = Grid::empty::<B>();
    let inside = 1..B::ROWS as i32 - 1;
    (0..B::SQUARES as usize)
        .filter(|index| {
            let cell = grid.cell(*index);
            inside.contains(&cell.row) && inside.contains(&cell.column)
        })
        .collect()
}

/// A lone piece among victims that lie a jump apart from each other, so that it has long chains and
/// many ways through them. Bits of `victims` and `kings` choose which places of the lattice are
/// occupied, and by kings; at most eleven are, for the naive generator lists every route.
#[must_use]
pub fn lattice<B: Board>(
    side: Color,
    hunter: u8,
    king: bool,
    victims: u32,
    kings: u32,
) -> Position<B> {
    const MOST: usize = 11;
    let start = usize::from(hunter) % B::SQUARES as usize;
    let grid = Grid::empty::<B>();
    let from = grid.cell(start);
    let places = inner_squares::<B>().into_iter().filter(|&square| {
        let cell = grid.cell(square);
        (cell.row - from.row) % 2 != 0 && (cell.column - from.column) % 2 != 0
    });
    let (mut men, mut crowned) = (B::EMPTY, B::EMPTY);
    let chosen = places
        .enumerate()
        .filter(|(place, _)| victims >> place & 1 == 1);
    for (place, square) in chosen.take(MOST) {
        if kings >> place & 1 == 1 {
            crowned |= B::bit(square);
        } else {
            men |= B::bit(square);
        }
    }
    let hunter = B::bit(start);
    let king = king || B::promotion_row(side.is_white()).contains(start);
    let own = if king {
        [B::EMPTY, hunter]
    } else {
        [hunter, B::EMPTY]
    };
    let placed = match side {
        Color::White => Position::new(own[0], own[1], men, crowned, side),
        Color::Black => Position::new(men, crowned, own[0], own[1], side),
    };
    placed.expect("victims stand off the edge and beside the hunter")
}

/// Either side.
pub fn any_color() -> impl Strategy<Value = Color> {
    prop_oneof![Just(Color::White), Just(Color::Black)]
}

fn placement(
    color: impl Strategy<Value = Color>,
    king_weight: f64,
    inner: bool,
) -> impl Strategy<Value = Placement> {
    (any::<u8>(), color, prop::bool::weighted(king_weight)).prop_map(
        move |(square, color, king)| Placement {
            square,
            color,
            king,
            inner,
        },
    )
}

/// Positions of several kinds: mixed pieces, mostly men, only kings, and a few pieces among many
/// victims. There are few enough victims for the naive generator to list every route.
pub fn any_placements() -> impl Strategy<Value = Placements> {
    prop_oneof![
        3 => any_color().prop_flat_map(|side| board(0.4, 2..=14, side)),
        2 => any_color().prop_flat_map(|side| board(0.05, 10..=32, side)),
        1 => any_color().prop_flat_map(|side| board(1.0, 2..=8, side)),
        3 => any_color().prop_flat_map(hunt),
    ]
}

fn board(
    kings: f64,
    count: std::ops::RangeInclusive<usize>,
    side: Color,
) -> impl Strategy<Value = Placements> {
    vec(placement(any_color(), kings, false), count)
        .prop_map(move |pieces| Placements { pieces, side })
}

/// One to three pieces of the mover among victims off the edge.
fn hunt(side: Color) -> impl Strategy<Value = Placements> {
    let hunters = vec(placement(Just(side), 0.6, false), 1..=3);
    let victims = vec(placement(Just(side.opponent()), 0.3, true), 1..=9);
    (hunters, victims).prop_map(move |(mut pieces, victims)| {
        pieces.extend(victims);
        Placements { pieces, side }
    })
}

//! Which dense form a position lies in, and where.

use makhos_index::{Army, Material};
use makhos_rules::{Board, Color};

use super::{Pieces, number};
use crate::engine::mask::Product;
use crate::engine::ranks::{rank, sets};
use crate::engine::shape::Shape;
use crate::engine::subs::WordOf;

/// What decides which dense form a position lies in. The side to move is that of the lookup.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Key<B> {
    pub(super) men: [B; 2],
    pub(super) kings: [u8; 2],
    pub(super) shape: Shape,
    pub(super) white_to_move: bool,
}

/// What a position is found by.
pub(super) struct Address<B> {
    pub(super) key: Key<B>,
    pub(super) at: usize,
    pub(super) bit: usize,
}

impl<B: Board> Address<B> {
    /// The address of the positions with these pieces, `M` saying which inner kings there are besides;
    /// `mover` is the side that has just moved. `with` is a king that a man has just become by a quiet
    /// move.
    #[inline(always)]
    pub(super) fn of<M: Product<B, N>, const N: usize>(
        pieces: &Pieces<B>,
        mover: bool,
        with: Option<usize>,
    ) -> Self {
        let inner = if mover {
            [M::OWN, M::FOE]
        } else {
            [M::FOE, M::OWN]
        };
        let each = if M::PAIR { 2 } else { 1 };
        let counts = [0, 1].map(|color| pieces.kings[color].len() + each * u32::from(inner[color]));
        let mut others = pieces.kings;
        let mut bit = 0;
        let shape = match inner {
            [true, true] => match with {
                None => Shape::Grid,
                Some(square) => {
                    others[number(mover)] &= !B::bit(square);
                    Shape::GridWith(color(mover), square as u8)
                }
            },
            [true, false] => Shape::White,
            [false, true] => Shape::Black,
            [false, false] if !others[0].is_empty() => {
                bit = others[0].lowest();
                others[0] = others[0].without_lowest();
                Shape::White
            }
            [false, false] if !others[1].is_empty() => {
                bit = others[1].lowest();
                others[1] = others[1].without_lowest();
                Shape::Black
            }
            [false, false] => Shape::Bare,
        };
        let key = Key {
            men: pieces.men,
            kings: counts.map(|count| count as u8),
            shape,
            white_to_move: !mover,
        };
        let words = if inner == [true, true] { N } else { 1 };
        let minor = sets(B::SQUARES, others[1].len());
        let at = (rank(others[0]) * minor + rank(others[1])) * 2 * words;
        Self { key, at, bit }
    }
}

impl<B: Board> Key<B> {
    /// What of a class it is.
    #[inline(always)]
    pub(super) fn word(&self) -> WordOf<B> {
        let army = |number: usize| Army::new(self.men[number].len() as u8, self.kings[number]);
        WordOf {
            class: Material::new(army(0), army(1)),
            men: self.men,
            side: color(self.white_to_move),
            shape: self.shape,
            beside: None,
        }
    }

    /// A number to find it by.
    #[inline(always)]
    pub(super) fn hash(&self) -> usize {
        let fold = |set: B| {
            let bits = set.to_u128();
            (bits as u64) ^ ((bits >> 64) as u64).rotate_left(32)
        };
        let shape = match self.shape {
            Shape::Grid => 0,
            Shape::White => 1,
            Shape::Black => 2,
            Shape::Bare => 3,
            Shape::GridWith(_, square) => 4 + u64::from(square),
        };
        let rest = u64::from(self.kings[0])
            | (u64::from(self.kings[1]) << 8)
            | (u64::from(self.white_to_move) << 16)
            | (shape << 17);
        let mixed = (fold(self.men[0]).wrapping_mul(0x9E37_79B9_7F4A_7C15))
            ^ (fold(self.men[1]).wrapping_mul(0xC2B2_AE3D_27D4_EB4F)).rotate_left(31)
            ^ rest.wrapping_mul(0x1656_67B1_9E37_79F9);
        (mixed ^ (mixed >> 29)).wrapping_mul(0x9E37_79B9_7F4A_7C15) as usize >> 40
    }
}

#[inline(always)]
pub(super) fn color(white: bool) -> Color {
    if white { Color::White } else { Color::Black }
}

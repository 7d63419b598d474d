//! From bit planes of plies to values.

use makhos_probe::{Dtc, Dtz, PackedDtw, Plies};
use rayon::prelude::*;

use super::PLANES;
use crate::engine::planes::ClassPlanes;

/// The value of a position that is lost, or else won, in so many plies to the end.
pub(crate) fn end_value(_: bool, plies: u16) -> PackedDtw {
    PackedDtw::from_bits(plies + 1)
}

/// The value of a position that is lost, or else won, in so many plies to conversion.
pub(crate) fn conversion_value(lost: bool, plies: u16) -> PackedDtw {
    let plies = Plies::new(plies);
    let value = if lost {
        Dtc::Loss(plies)
    } else {
        Dtc::Win(plies)
    };
    value.pack()
}

/// The value of a position that is lost, or else won, if so many plies are left.
pub(crate) fn ruled_value(lost: bool, plies: u16) -> PackedDtw {
    let plies = Plies::new(plies);
    let value = if lost {
        Dtz::Loss(plies)
    } else {
        Dtz::Win(plies)
    };
    value.pack()
}

/// The values of all positions of a class with one side to move: `planes` are its outcomes, then pairs of
/// planes of plies.
pub(crate) fn packed_values(
    planes: Vec<ClassPlanes>,
    len: u64,
    value: fn(bool, u16) -> PackedDtw,
) -> Vec<PackedDtw> {
    let mut words = Vec::with_capacity(2 + PLANES);
    for pair in planes {
        let (first, second) = pair.into_words();
        words.push(first);
        words.push(second);
    }
    let (outcomes, planes) = words.split_at(2);
    let mut values = vec![PackedDtw::DRAW; len as usize];
    values
        .par_chunks_mut(64)
        .zip(&outcomes[0])
        .zip(&outcomes[1])
        .enumerate()
        .for_each(|(number, ((values, &won), &lost))| {
            let plies = plies_of_word(planes, number);
            for (bit, (into, &plies)) in values.iter_mut().zip(&plies).enumerate() {
                let [won, lost] = [won, lost].map(|plane| plane >> bit & 1 == 1);
                if won || lost {
                    *into = value(lost, plies);
                }
            }
        });
    values
}

/// The plies of the positions of one word of each plane.
fn plies_of_word(planes: &[Vec<u64>], number: usize) -> [u16; 64] {
    let mut all = [0; 64];
    for (p, plane) in planes.iter().enumerate() {
        let word = plane[number];
        // Of most words no position takes so many.
        if word != 0 {
            for (bit, plies) in all.iter_mut().enumerate() {
                *plies |= ((word >> bit & 1) as u16) << p;
            }
        }
    }
    all
}

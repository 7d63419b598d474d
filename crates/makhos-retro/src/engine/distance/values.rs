//! From bit planes of plies to values.

use makhos_probe::{Dtc, PackedDtw, Plies};

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
    let (outcomes, plies) = words.split_at(2);
    let mut values = Vec::with_capacity(len as usize);
    for at in 0..len {
        let (word, bit) = ((at / 64) as usize, at % 64);
        let is_set = |plane: &Vec<u64>| plane[word] >> bit & 1;
        let [won, lost] = [&outcomes[0], &outcomes[1]].map(is_set);
        if won | lost == 0 {
            values.push(PackedDtw::DRAW);
            continue;
        }
        let plies = plies.iter().enumerate();
        let plies: u64 = plies.map(|(p, plane)| is_set(plane) << p).sum();
        values.push(value(lost == 1, plies as u16));
    }
    values
}

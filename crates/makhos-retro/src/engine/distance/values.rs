//! From bit planes of plies to values.

use makhos_probe::PackedDtw;

use super::PLANES;
use crate::engine::planes::ClassPlanes;

/// The values of all positions of a class with one side to move: `planes` are its outcomes, then pairs of
/// planes of plies.
pub(crate) fn packed_values(planes: Vec<ClassPlanes>, len: u64) -> Vec<PackedDtw> {
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
        if is_set(&outcomes[0]) | is_set(&outcomes[1]) == 0 {
            values.push(PackedDtw::DRAW);
            continue;
        }
        let plies = plies.iter().enumerate();
        let plies: u64 = plies.map(|(p, plane)| is_set(plane) << p).sum();
        values.push(PackedDtw::from_bits(plies as u16 + 1));
    }
    values
}

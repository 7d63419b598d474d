//! A block of cells as it lies in the file: the lengths of the cells, then their bits.

use crate::compact::bits::{BitReader, BitString};
use crate::compact::{CELLS, MAX_CELL};

/// Most low bits of a length that are written as they are.
const MAX_LOW: u32 = 15;

/// More bytes than a block can need; keeps all sums of bits within 32 bits.
const MAX_STORED: usize = 1 << 22;

/// Where the bits of each cell of a block are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CellBits {
    starts: [u32; CELLS + 1],
}

/// The stored bytes of a block: `cells` are the ends of the cells in `bits`.
pub(crate) fn write_block(bits: &BitString, ends: &[usize]) -> Vec<u8> {
    if bits.len() == 0 {
        return Vec::new();
    }
    let lengths: Vec<u32> = std::iter::once(&0)
        .chain(ends)
        .zip(ends)
        .map(|(start, end)| (end - start) as u32)
        .collect();
    let size = |low: u32| -> u32 { lengths.iter().map(|len| (len >> low) + 1 + low).sum() };
    let low = (0..=MAX_LOW).min_by_key(|&low| size(low)).unwrap_or(0);
    let mut out = BitString::default();
    out.push(low, 8);
    for len in lengths {
        for _ in 0..len >> low {
            out.push(1, 1);
        }
        out.push(0, 1);
        out.push(len, low);
    }
    let mut reader = BitReader::new(bits.bytes(), 0, bits.len());
    while !reader.is_at_end() {
        let count = (bits.len() - reader.at()).min(32) as u32;
        out.push(reader.take(count), count);
    }
    out.bytes().to_vec()
}

impl CellBits {
    /// Reads the lengths of `cells` cells, at most 64.
    ///
    /// # Errors
    /// What is wrong with the bytes: the cells must end within the last byte.
    pub(crate) fn read(stored: &[u8], cells: usize) -> Result<Self, String> {
        let mut starts = [0; CELLS + 1];
        let Some((&low, _)) = stored.split_first() else {
            return Ok(Self { starts });
        };
        let low = u32::from(low);
        if stored.len() > MAX_STORED {
            return Err(format!("{} bytes", stored.len()));
        }
        if low > MAX_LOW {
            return Err(format!("lengths with {low} low bits"));
        }
        let bits = stored.len() * 8;
        let mut reader = BitReader::new(stored, 8, bits);
        let mut end = 0;
        for start in &mut starts[1..=cells] {
            end += Self::length(&mut reader, low)?;
            *start = end;
        }
        let first = reader.at();
        if end as usize + first > bits || bits - (end as usize + first) >= 8 {
            return Err("its cells do not fill it".into());
        }
        starts[cells + 1..].fill(end);
        starts.iter_mut().for_each(|start| *start += first as u32);
        Ok(Self { starts })
    }

    fn length(reader: &mut BitReader<'_>, low: u32) -> Result<u32, String> {
        let mut high = 0;
        loop {
            let ones = reader.peek().leading_ones().min(32);
            high += ones;
            reader.skip(ones as usize);
            if ones < 32 {
                break;
            }
        }
        if reader.is_at_end() {
            return Err("the lengths of its cells do not end".into());
        }
        reader.skip(1);
        let rest = if low > 0 { reader.take(low) } else { 0 };
        let length = u64::from(high) << low | u64::from(rest);
        // Even the least likely outcomes take fewer bits than this.
        match u32::try_from(length) {
            Ok(length) if length <= 64 * MAX_CELL as u32 => Ok(length),
            _ => Err(format!("a cell of {length} bits")),
        }
    }

    /// The bits of a cell.
    pub(crate) fn cell<'a>(&self, stored: &'a [u8], number: usize) -> BitReader<'a> {
        let [start, end] = [number, number + 1].map(|cell| self.starts[cell] as usize);
        BitReader::new(stored, start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cells_come_back(lengths in prop::collection::vec(0..300_usize, 1..=CELLS)) {
            let mut bits = BitString::default();
            let mut ends = Vec::new();
            for (number, &len) in lengths.iter().enumerate() {
                (0..len).for_each(|bit| bits.push((number + bit) as u32 % 3 % 2, 1));
                ends.push(bits.len());
            }
            let stored = write_block(&bits, &ends);
            let cells = CellBits::read(&stored, lengths.len()).expect("own bytes");
            for (number, &len) in lengths.iter().enumerate() {
                let mut reader = cells.cell(&stored, number);
                for bit in 0..len {
                    prop_assert!(!reader.is_at_end());
                    prop_assert_eq!(reader.take(1), (number + bit) as u32 % 3 % 2);
                }
                prop_assert!(reader.is_at_end());
            }
        }

        #[test]
        fn any_bytes_are_an_error_or_cells(stored in prop::collection::vec(any::<u8>(), 0..100)) {
            if let Ok(cells) = CellBits::read(&stored, 17) {
                (0..CELLS).for_each(|cell| { cells.cell(&stored, cell).take(32); });
            }
        }
    }
}

//! The patterns of one table that rows show, numbered anew in each batch.
//!
//! A batch of some thousand rows shows a small part of the patterns there are. Numbered by themselves, their
//! weights and gradients lie side by side in the nearest memory, and each is fetched from the large table
//! and stored there once a batch instead of once a row.

use std::ops::Range;

/// The patterns of one table in all rows.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Column {
    /// By row: the place, among those of the batch, of the pattern that the side to move sees, and of the one
    /// that the other side sees.
    places: Vec<[u16; 2]>,
    /// The patterns of each batch in rising order, one batch after the other.
    patterns: Vec<u32>,
    /// Where the patterns of each batch end; they begin where those before end.
    ends: Vec<usize>,
}

impl Column {
    /// The patterns that one batch of rows shows.
    ///
    /// # Panics
    /// If they are more than 65,536.
    pub(super) fn of_batch(rows: &[[u32; 2]]) -> Self {
        // A pattern, and which of all in the batch shows it.
        let mut shown: Vec<(u32, u32)> = rows.as_flattened().iter().copied().zip(0..).collect();
        shown.sort_unstable();
        let mut places = vec![[0; 2]; rows.len()];
        let mut patterns: Vec<u32> = Vec::new();
        for (pattern, at) in shown {
            if patterns.last() != Some(&pattern) {
                patterns.push(pattern);
            }
            let place = u16::try_from(patterns.len() - 1).expect("few enough rows");
            places.as_flattened_mut()[at as usize] = place;
        }
        let ends = vec![patterns.len()];
        Self {
            places,
            patterns,
            ends,
        }
    }

    /// Adds the batches of `more` behind those that are there.
    pub(super) fn append(&mut self, mut more: Self) {
        let before = self.patterns.len();
        self.places.append(&mut more.places);
        self.patterns.append(&mut more.patterns);
        self.ends.extend(more.ends.iter().map(|end| before + end));
    }

    /// By row, which of the [`patterns`](Self::patterns) of their batch both sides see.
    #[inline]
    pub(super) fn places(&self, rows: Range<usize>) -> &[[u16; 2]] {
        &self.places[rows]
    }

    /// The patterns that a batch shows, in rising order.
    #[inline]
    pub(super) fn patterns(&self, batch: usize) -> &[u32] {
        let start = batch.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.patterns[start..self.ends[batch]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_tell_what_rows_show() {
        let batches: [&[[u32; 2]]; 4] = [
            &[[7, 3], [3, 3], [500_000, 7]],
            &[[0, 0]],
            &[],
            &[[9, 8], [8, 7], [1, 9]],
        ];
        let mut column = Column::default();
        for rows in batches {
            column.append(Column::of_batch(rows));
        }
        let mut start = 0;
        for (batch, rows) in batches.iter().enumerate() {
            let patterns = column.patterns(batch);
            assert!(patterns.is_sorted_by(|a, b| a < b));
            let places = column.places(start..start + rows.len());
            let shown: Vec<[u32; 2]> = places
                .iter()
                .map(|pair| pair.map(|place| patterns[usize::from(place)]))
                .collect();
            assert_eq!(shown, *rows);
            start += rows.len();
        }
        assert_eq!(column.patterns(0), [3, 7, 500_000]);
    }
}

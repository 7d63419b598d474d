//! What captures lead to, for all sets of Black's men at once.

/// Three planes, a bit for each set of men: a capture that wins, one that draws, any at all.
///
/// Only men are taken and only men take, so that all precedence is by the number of captured pieces, or
/// there is none: captures are kept apart by how many pieces they take.
#[derive(Debug, Default)]
pub(super) struct Found {
    words: usize,
    /// By the number of captured pieces, three planes each.
    planes: Vec<u64>,
    /// Which numbers there are.
    used: Vec<bool>,
    /// Positions that must be looked at one by one.
    doubt: Vec<u64>,
    has_doubt: bool,
}

/// The planes of captures of one precedence.
pub(super) struct Planes<'a> {
    pub(super) win: &'a mut [u64],
    pub(super) draw: &'a mut [u64],
    pub(super) any: &'a mut [u64],
}

impl Found {
    /// Forgets all captures; from now on a plane has so many words, and up to `most` pieces are captured.
    #[inline(always)]
    pub(super) fn reset(&mut self, words: usize, most: usize) {
        self.words = words;
        self.planes.clear();
        self.planes.resize((most + 1) * 3 * words, 0);
        self.used.clear();
        self.used.resize(most + 1, false);
        self.doubt.clear();
        self.doubt.resize(words, 0);
        self.has_doubt = false;
    }

    /// The planes of captures of so many pieces, to be added to.
    #[inline(always)]
    pub(super) fn planes_mut(&mut self, pieces: usize) -> Planes<'_> {
        self.used[pieces] = true;
        let words = self.words;
        let planes = &mut self.planes[pieces * 3 * words..(pieces + 1) * 3 * words];
        let (win, rest) = planes.split_at_mut(words);
        let (draw, any) = rest.split_at_mut(words);
        Planes { win, draw, any }
    }

    /// The planes of captures of so many pieces, if there are any: win, draw, any.
    #[inline(always)]
    pub(super) fn planes(&self, pieces: usize) -> Option<[&[u64]; 3]> {
        if !self.used[pieces] {
            return None;
        }
        let words = self.words;
        let planes = &self.planes[pieces * 3 * words..(pieces + 1) * 3 * words];
        let (win, rest) = planes.split_at(words);
        let (draw, any) = rest.split_at(words);
        Some([win, draw, any])
    }

    /// The numbers of captured pieces there are, the most first.
    #[inline(always)]
    pub(super) fn pieces(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.used.len()).rev()
    }

    /// Positions to be looked at one by one, if there are any.
    #[inline(always)]
    pub(super) fn doubt(&self) -> Option<&[u64]> {
        self.has_doubt.then_some(&*self.doubt)
    }

    /// The same, to be added to.
    #[inline(always)]
    pub(super) fn doubt_mut(&mut self) -> &mut [u64] {
        self.has_doubt = true;
        &mut self.doubt
    }

    /// Takes out all that is not in a set.
    #[inline(always)]
    pub(super) fn keep(&mut self, set: &[u64]) {
        let (planes, doubt) = (&mut self.planes, &mut self.doubt);
        let planes = planes.chunks_exact_mut(self.words);
        for plane in planes.chain(doubt.chunks_exact_mut(self.words)) {
            for (word, keep) in plane.iter_mut().zip(set) {
                *word &= keep;
            }
        }
    }

    /// Adds captures that end here, for positions of `all` with none that goes on: `unwon` and `lost` are
    /// those of the foe, who is to move then.
    #[inline(always)]
    pub(super) fn end(&mut self, all: &[u64], unwon: &[u64], lost: &[u64]) {
        for at in 0..self.words {
            let mut on = 0;
            for pieces in 0..self.used.len() {
                on |= self.planes[(pieces * 3 + 2) * self.words + at];
            }
            let here = all[at] & !on;
            self.planes[at] |= lost[at] & here;
            self.planes[self.words + at] |= unwon[at] & !lost[at] & here;
            self.planes[2 * self.words + at] |= here;
        }
        self.used[0] = true;
    }

    /// Adds captures of the last of the foe's pieces.
    #[inline(always)]
    pub(super) fn won(&mut self, all: &[u64]) {
        let planes = self.planes_mut(0);
        planes.win.copy_from_slice(all);
        planes.any.copy_from_slice(all);
    }

    /// The outcome of the captures that the rules allow: win, draw, any.
    #[inline(always)]
    pub(super) fn resolve(&self, into: &mut [Vec<u64>; 3]) {
        for plane in &mut *into {
            plane.clear();
            plane.resize(self.words, 0);
        }
        let [win, draw, any] = into;
        for pieces in self.pieces() {
            let Some(found) = self.planes(pieces) else {
                continue;
            };
            for at in 0..self.words {
                let new = found[2][at] & !any[at];
                win[at] |= found[0][at] & new;
                draw[at] |= found[1][at] & new;
                any[at] |= new;
            }
        }
    }
}

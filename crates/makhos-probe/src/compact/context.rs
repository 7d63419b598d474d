//! What an outcome is predicted from: its neighbours in the numbering and its column.

/// Neighbours that a prediction looks at, the one just before among them.
pub(crate) const NEIGHBOURS: usize = 5;
/// Contexts of one column: three outcomes for each neighbour.
pub(crate) const PER_COLUMN: usize = 3_usize.pow(NEIGHBOURS as u32);
/// Values before a cell that neighbours can reach back to, all of them the same.
pub(crate) const MARGIN: usize = 128;

/// What the contexts of a tree are divided by, one question at each depth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Questions {
    /// By depth: how many answers, and what one answer more adds to the number of a context.
    asked: Vec<(usize, usize)>,
}

/// Most questions of a tree.
pub(crate) const MAX_QUESTIONS: usize = 6;

/// The digits of a context of outcomes, lowest first: the outcome before, above, a row of the board before,
/// a square less, and a square less than two rows. The column is above them.
const BEFORE: usize = 0;
const ABOVE: usize = 1;
const ROW: usize = 2;
const NEARLY_ROW: usize = 3;
const NEARLY_TWO: usize = 4;

impl Questions {
    /// `asked` by depth; all contexts together are the numbers without gaps from 0.
    pub(crate) fn new(asked: &[(usize, usize)]) -> Self {
        debug_assert!(asked.len() <= MAX_QUESTIONS);
        Self {
            asked: asked.to_vec(),
        }
    }

    /// Those of outcomes, with so many columns.
    pub(crate) fn of_outcomes(columns: usize) -> Self {
        let neighbour = |digit: usize| (3, 3_usize.pow(digit as u32));
        Self::new(&[
            neighbour(BEFORE),
            neighbour(ABOVE),
            (columns, PER_COLUMN),
            neighbour(ROW),
            neighbour(NEARLY_TWO),
            neighbour(NEARLY_ROW),
        ])
    }

    /// Contexts altogether.
    pub(crate) fn contexts(&self) -> usize {
        self.asked.iter().map(|&(answers, _)| answers).product()
    }

    /// By depth, how many answers a question has.
    pub(crate) fn answers(&self) -> impl Iterator<Item = usize> {
        self.asked.iter().map(|&(answers, _)| answers)
    }

    /// All contexts in the order of the answers, those to the first question first.
    pub(crate) fn in_order(&self) -> Vec<usize> {
        self.asked.iter().fold(vec![0], |above, &(answers, step)| {
            let below = |context| (0..answers).map(move |answer| context + answer * step);
            above.into_iter().flat_map(below).collect()
        })
    }

    /// The contexts that the answers to the question at `depth` lead to from `context`; `None` behind the
    /// last question.
    pub(crate) fn below(
        &self,
        depth: usize,
        context: usize,
    ) -> Option<impl Iterator<Item = usize> + use<>> {
        let &(answers, step) = self.asked.get(depth)?;
        Some((0..answers).map(move |answer| context + answer * step))
    }
}

/// The context in a column where all neighbours have the same outcome.
pub(crate) const fn uniform(column: usize, outcome: u8) -> usize {
    // A number of equal digits.
    column * PER_COLUMN + outcome as usize * ((PER_COLUMN - 1) / 2)
}

/// The context of the outcome behind these, but for the outcome before, which is its lowest digit: whoever goes
/// through a cell has it at hand. `up` is how far back the outcome above is.
#[inline(always)]
pub(crate) fn context_after(
    before: &[u8; MARGIN],
    column: usize,
    up: usize,
    per_row: usize,
) -> usize {
    let digit = |back: usize| usize::from(before[(MARGIN - back) % MARGIN]);
    let context = (column * 3 + digit(2 * per_row - 1)) * 3 + digit(per_row - 1);
    ((context * 3 + digit(per_row)) * 3 + digit(up)) * 3
}

//! Tables of drawing rules.

use makhos_rules::Color;

use crate::dtz::Dtz;
use crate::error::TableError;
use crate::paths::DtzSpec;
use crate::table::Table;
use crate::value::Metric;

impl Table {
    /// Checks that this is the table of drawing rules that `spec` names, by what of the rules and drawing
    /// rules decides values.
    ///
    /// # Errors
    /// [`TableError::OtherRules`], [`TableError::OtherClass`], [`TableError::OtherMetric`],
    /// [`TableError::OtherDrawRules`] or [`TableError::OtherRoad`].
    pub fn expect_dtz(&self, spec: &DtzSpec<'_>) -> Result<(), TableError> {
        self.expect_values(spec.rules, spec.material, Metric::Dtz)?;
        let (expected, found) = (spec.draw_rules.value_text(), self.draw_rules());
        if found != Some(&expected) {
            return Err(TableError::OtherDrawRules {
                path: self.path.clone(),
                expected,
                found: found.unwrap_or_default().to_owned(),
            });
        }
        if self.road() != spec.road {
            return Err(TableError::OtherRoad {
                path: self.path.clone(),
                expected: spec.road,
                found: self.road(),
            });
        }
        Ok(())
    }

    /// The drawing rules of a table of [`Metric::Dtz`], as
    /// [`DrawRules::value_text`](makhos_rules::draw::DrawRules::value_text) has them; `None` for a table that
    /// ignores drawing rules.
    #[must_use]
    pub fn draw_rules(&self) -> Option<&str> {
        self.header.split_rules().1
    }

    /// The plies counted on the main road before the positions of a table of [`Metric::Dtz`]; 0 for any
    /// other table.
    #[must_use]
    pub fn road(&self) -> u8 {
        self.header.road
    }

    /// The value under drawing rules of the position with this side to move and index.
    ///
    /// # Errors
    /// [`TableError::OtherMetric`] if the table ignores drawing rules; [`TableError::NoSuchPosition`];
    /// [`TableError::DamagedBlock`]; [`TableError::Io`].
    pub fn dtz(&self, side: Color, index: u64) -> Result<Dtz, TableError> {
        self.need(Metric::Dtz)?;
        self.packed(side, index).map(Dtz::unpack)
    }
}

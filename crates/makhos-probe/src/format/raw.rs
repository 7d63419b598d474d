//! Checking a header field by field.

use makhos_index::{Army, Material, stored_sides};

use super::*;

impl RawHeader {
    /// The fixed part at the start of `bytes`, if they are a table of a known version.
    pub(super) fn from_start(bytes: &[u8]) -> Result<Self, HeaderError> {
        let seen = bytes.len().min(MAGIC.len());
        if bytes[..seen] != MAGIC[..seen] {
            return Err(HeaderError::NotATable);
        }
        // The version comes first: a later format may be laid out in another way from here on.
        if let Some(&[low, high]) = bytes.get(8..10).and_then(|version| version.first_chunk()) {
            let version = u16::from_le_bytes([low, high]);
            if version > FORMAT_VERSION {
                return Err(HeaderError::Newer(version));
            }
            if version == 0 {
                return Err(damaged("format version 0"));
            }
        }
        decode(bytes).ok_or(HeaderError::TooShort)
    }

    /// Checks every field against the others.
    pub(super) fn check(&self, text: &str) -> Result<Header, HeaderError> {
        let Some(metric) = Metric::from_code(self.metric) else {
            return Err(damaged(format!("unknown metric {}", self.metric)));
        };
        let compact = self.flags & FLAG_CAPTURE_VALUES == 0;
        if metric == Metric::Dtz && (compact || !text.contains('\n')) {
            return Err(damaged("values under drawing rules are incomplete"));
        }
        let code = if compact {
            self.codec.checked_sub(COMPACT_CODEC)
        } else {
            Some(self.codec)
        };
        let Some(codec) = code.and_then(Codec::from_code) else {
            return Err(damaged(format!("unknown codec {}", self.codec)));
        };
        if !codec.fits(metric) {
            return Err(damaged("codec and metric contradict each other"));
        }
        if self.index_scheme != INDEX_SCHEME {
            return Err(damaged(format!(
                "unknown index scheme {}",
                self.index_scheme
            )));
        }
        let kept = self.kept(metric)?;
        let road = self.road(metric)?;
        if self.move_rules[0] != self.board_rows {
            return Err(damaged("two board sizes"));
        }
        if !BLOCK_VALUES.contains(&self.block_values) || !self.block_values.is_power_of_two() {
            return Err(damaged(format!("{} values in a block", self.block_values)));
        }
        if compact && self.block_values < MIN_COMPACT_BLOCK {
            return Err(damaged("blocks too small for cells"));
        }
        let [white_men, white_kings, black_men, black_kings] = self.material;
        let material = Material::new(
            Army::new(white_men, white_kings),
            Army::new(black_men, black_kings),
        );
        let header = Header {
            metric,
            codec,
            material,
            board_rows: self.board_rows,
            move_rules: self.move_rules,
            rules_text: text.to_owned(),
            road,
            capture_values: !compact,
            kept,
            block_values: self.block_values,
            statistics: self.statistics(material, metric)?,
        };
        if header.blocks_per_side() != self.blocks_per_side {
            return Err(damaged(
                "the number of blocks does not match that of positions",
            ));
        }
        if metric.has_plies() && header.max_bits() > codec.max_bits() {
            return Err(damaged("distances too long for the codec"));
        }
        Ok(header)
    }

    /// The only side that is stored of two.
    fn kept(&self, metric: Metric) -> Result<Option<u8>, HeaderError> {
        match self.flags & !FLAG_CAPTURE_VALUES {
            0 => Ok(None),
            flag if FLAG_KEPT.contains(&flag) => {
                let is_compact = self.flags & FLAG_CAPTURE_VALUES == 0;
                if metric == Metric::Dtc || !is_compact || self.sides != 2 {
                    return Err(damaged("one side to move where there must be all"));
                }
                Ok(Some(u8::from(flag == FLAG_KEPT[1])))
            }
            _ => Err(damaged("unknown flags")),
        }
    }

    /// The plies counted on the main road.
    fn road(&self, metric: Metric) -> Result<u8, HeaderError> {
        match u8::try_from(self.road) {
            Ok(road) if metric == Metric::Dtz || road == 0 => Ok(road),
            _ => Err(damaged(format!(
                "{} plies counted on the main road",
                self.road
            ))),
        }
    }

    /// The statistics of the stored sides, checked against the class.
    fn statistics(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<Vec<SideStatistics>, HeaderError> {
        if !material.is_canonical() {
            return Err(damaged(format!(
                "the class {material} is not in table orientation"
            )));
        }
        let positions = placements(self.board_rows, material).map_err(damaged)?;
        let sides = stored_sides(material).len();
        if usize::from(self.sides) != sides {
            return Err(damaged(format!("{} stored sides", self.sides)));
        }
        if self.statistics[sides..]
            .iter()
            .any(|raw| *raw != RawStatistics::absent())
        {
            return Err(damaged("statistics of a side that is not stored"));
        }
        let complete = metric.has_plies();
        let statistics = self.statistics[..sides]
            .iter()
            .map(|raw| raw.to_statistics());
        let statistics: Vec<_> = statistics.collect::<Result<_, _>>()?;
        for side in &statistics {
            side.check(positions, complete).map_err(damaged)?;
        }
        Ok(statistics)
    }
}

impl RawStatistics {
    /// What is written for a side that is not stored.
    pub(super) const fn absent() -> Self {
        Self {
            positions: 0,
            wins: 0,
            draws: 0,
            losses: 0,
            captures: 0,
            longest_win: NO_PLIES,
            longest_loss: NO_PLIES,
            first_longest_win: NO_INDEX,
            first_longest_loss: NO_INDEX,
        }
    }

    pub(super) fn from_statistics(side: &SideStatistics) -> Self {
        let split = |longest: Option<Longest>| {
            longest.map_or((NO_PLIES, NO_INDEX), |longest| {
                (u32::from(longest.plies.get()), longest.first)
            })
        };
        let (longest_win, first_longest_win) = split(side.longest_win);
        let (longest_loss, first_longest_loss) = split(side.longest_loss);
        Self {
            positions: side.positions,
            wins: side.wins,
            draws: side.draws,
            losses: side.losses,
            captures: side.captures,
            longest_win,
            longest_loss,
            first_longest_win,
            first_longest_loss,
        }
    }

    fn to_statistics(self) -> Result<SideStatistics, HeaderError> {
        let longest = |plies: u32, first: u64| {
            if (plies, first) == (NO_PLIES, NO_INDEX) {
                return Ok(None);
            }
            match u16::try_from(plies) {
                Ok(plies) if plies <= Plies::STORED_MAX.get() => Ok(Some(Longest {
                    plies: Plies::new(plies),
                    first,
                })),
                _ => Err(damaged(format!("a distance of {plies} plies"))),
            }
        };
        Ok(SideStatistics {
            positions: self.positions,
            wins: self.wins,
            draws: self.draws,
            losses: self.losses,
            captures: self.captures,
            longest_win: longest(self.longest_win, self.first_longest_win)?,
            longest_loss: longest(self.longest_loss, self.first_longest_loss)?,
        })
    }
}

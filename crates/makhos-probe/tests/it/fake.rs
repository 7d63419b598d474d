//! Tables with made-up values.

use std::path::Path;

use makhos_index::{Material, PlacementIndex, stored_sides};
use makhos_probe::{
    Access, DEFAULT_BLOCK_VALUES, Metric, Outcomes, PackedDtw, Published, SideStatistics, Table,
    TableSpec, TableWriter, WriteError,
};
use makhos_rules::variant;

/// A table of random values under Russian rules.
pub(crate) struct Fake {
    pub(crate) spec: TableSpec,
    /// The values of every stored side.
    pub(crate) sides: Vec<Vec<PackedDtw>>,
    pub(crate) block_values: u32,
}

/// A small generator; the values only need to look mixed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Values in runs, like those of real tables, with distances up to 40 plies.
pub(crate) fn fake(class: &str, metric: Metric, seed: u64) -> Fake {
    let material: Material = class.parse().expect("well-formed");
    let positions = PlacementIndex::<u32>::new(material).expect("fits").len() as usize;
    let mut random = Random(seed | 1);
    let sides = stored_sides(material).iter().map(|_| {
        let mut values = Vec::new();
        while values.len() < positions {
            let value = PackedDtw::from_bits(random.below(42) as u16);
            let run = random.below(30) as usize;
            values.extend(std::iter::repeat_n(
                value,
                run.min(positions - values.len()),
            ));
        }
        values
    });
    Fake {
        spec: TableSpec {
            rules: variant::RUSSIAN,
            material,
            metric,
        },
        sides: sides.collect(),
        block_values: DEFAULT_BLOCK_VALUES,
    }
}

impl Fake {
    /// Makes the distances of some values need two bytes.
    pub(crate) fn lengthen(&mut self) {
        for value in self.sides.iter_mut().flatten().step_by(7) {
            let bits = value.bits();
            *value = PackedDtw::from_bits(bits + 1000 * (bits % 50));
        }
    }

    pub(crate) fn statistics(&self) -> Vec<SideStatistics> {
        self.sides.iter().map(|values| statistics(values)).collect()
    }

    pub(crate) fn writer(&self, dir: &Path) -> Result<TableWriter, WriteError> {
        TableWriter::create_with_blocks(dir, &self.spec, &self.statistics(), self.block_values)
    }

    pub(crate) fn write(&self, dir: &Path) -> Published {
        let mut writer = self.writer(dir).expect("create");
        for values in &self.sides {
            writer.push(values).expect("push");
        }
        writer.finish().expect("finish")
    }

    /// Reads everything back through both kinds of access and in every way there is.
    pub(crate) fn assert_readable(&self, path: &Path) {
        for access in [Access::Map, Access::Read] {
            let table = Table::open(path, access).expect("a good table");
            table
                .expect(&self.spec.rules, self.spec.material, self.spec.metric)
                .expect("this very table");
            assert_eq!(table.sides().len(), self.sides.len());
            let loaded = table.load().expect("good blocks");
            for ((&side, values), statistics) in
                table.sides().iter().zip(&self.sides).zip(self.statistics())
            {
                assert_eq!(table.positions(), values.len() as u64);
                assert_eq!(table.statistics(side), Some(&statistics));
                let mut read = Vec::new();
                let all = table.for_each_value(side, |value| read.push(value));
                all.expect("good blocks");
                self.assert_equal(&read, values);
                let one_by_one: Vec<_> = (0..table.positions())
                    .map(|index| loaded.get(side, index))
                    .collect();
                self.assert_equal(&one_by_one, values);
                let mut at_once = Outcomes::default();
                let all = table.read_outcomes(side, 0..table.positions(), &mut at_once);
                all.expect("good blocks");
                assert!(at_once == outcomes(values));
                for (index, &value) in values.iter().enumerate().step_by(13) {
                    assert_eq!(table.wld(side, index as u64).expect("stored"), value.wld());
                    if self.spec.metric == Metric::Dtw {
                        let dtw = table.dtw(side, index as u64).expect("stored");
                        assert_eq!(dtw, value.unpack());
                    }
                }
            }
            table.verify_digest(|_| ()).expect("an intact file");
        }
    }

    fn assert_equal(&self, read: &[PackedDtw], written: &[PackedDtw]) {
        match self.spec.metric {
            Metric::Dtw | Metric::Dtc | Metric::Dtz => assert!(read == written),
            Metric::Wld => {
                let wld = |values: &[PackedDtw]| -> Vec<_> {
                    values.iter().map(|value| value.wld()).collect()
                };
                assert!(wld(read) == wld(written));
            }
        }
    }
}

pub(crate) fn outcomes(values: &[PackedDtw]) -> Outcomes {
    let mut outcomes = Outcomes::new(values.len() as u64);
    for (at, value) in values.iter().enumerate() {
        outcomes.set(at as u64, value.wld());
    }
    outcomes
}

pub(crate) fn statistics(values: &[PackedDtw]) -> SideStatistics {
    let mut statistics = SideStatistics::default();
    for (index, &value) in values.iter().enumerate() {
        statistics.record(index as u64, value, index % 3 == 0);
    }
    statistics
}

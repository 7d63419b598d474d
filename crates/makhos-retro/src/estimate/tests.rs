use makhos_index::classes;
use makhos_rules::variant;

use super::*;
use crate::generate::Generator;
use crate::monitor::Quiet;

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

fn measured<B: SolvedBoard>(rules: &RuleSet, metric: Metric) -> Calibration {
    measured_as::<B>(rules, metric, Storage::Compact)
}

fn measured_as<B: SolvedBoard>(rules: &RuleSet, metric: Metric, storage: Storage) -> Calibration {
    Calibration::measure::<B>(rules, (metric, storage), scratch().path()).expect("a measurement")
}

#[test]
fn files_are_foretold_within_a_factor_of_two() {
    let rules = variant::THAI;
    for storage in [Storage::Compact, Storage::OneSide, Storage::Complete] {
        let dir = scratch();
        let generator = Generator::<u32>::new(rules, dir.path(), Metric::Wld).with_storage(storage);
        // Of these, nothing is known but by smaller ones.
        let plan = generator
            .plan(&named(&["2k-3k", "1m2k-2k"]))
            .expect("a plan");
        let calibration = measured_as::<u32>(&rules, Metric::Wld, storage);
        let forecast = calibration.forecast::<u32>(&plan, 1);
        let reports = generator.run(&plan, &Quiet).expect("tables");
        let disk: u64 = reports.iter().map(|report| report.bytes).sum();
        let ratio = forecast.disk as f64 / disk as f64;
        assert!((0.5..2.0).contains(&ratio), "{storage:?} {ratio}");
    }
}

#[test]
fn more_pieces_take_longer_and_more_threads_not() {
    for metric in Metric::ALL {
        let rules = variant::ENGLISH;
        let dir = scratch();
        let generator = Generator::<u32>::new(rules, dir.path(), metric);
        let calibration = measured::<u32>(&rules, metric);
        let forecast = |pieces, threads| {
            let plan = generator.plan(&classes(pieces)).expect("a plan");
            calibration.forecast::<u32>(&plan, threads)
        };
        let mut before = forecast(2, 1);
        for pieces in 3..=7 {
            let now = forecast(pieces, 1);
            assert!(now.seconds > 1.2 * before.seconds, "{now:?} {before:?}");
            assert!(now.disk > 2 * before.disk, "{now:?} {before:?}");
            assert!(forecast(pieces, 4).seconds <= now.seconds);
            before = now;
        }
        assert!(!dir.path().join("english").exists());
    }
}

#[test]
fn every_board_can_be_measured() {
    for metric in Metric::ALL {
        let ten = measured::<u64>(&variant::INTERNATIONAL, metric);
        let plan = |dir: &Path| {
            let generator = Generator::<u64>::new(variant::INTERNATIONAL, dir, metric);
            generator.plan(&classes(5)).expect("a plan")
        };
        let forecast = ten.forecast::<u64>(&plan(scratch().path()), 2);
        assert!(forecast.seconds.is_finite() && forecast.seconds > 1.0);
        assert!(forecast.disk > 10 << 20, "{forecast:?}");
    }
}

//! How the loss went down.

use super::svg::{Series, plot};

/// The losses after an epoch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LossPoint {
    /// How often all examples had been seen; 0 before training.
    pub epoch: u32,
    /// The mean loss of the examples trained on, each just before it was learnt from; of epoch 0 that of the
    /// starting weights.
    pub train: f64,
    /// The mean loss of the examples for validation, after the epoch.
    pub validation: f64,
}

/// The losses of all epochs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LossCurve {
    /// In the order of the epochs, the first before training.
    pub points: Vec<LossPoint>,
}

impl LossCurve {
    /// The epoch with the lowest loss in validation, the first of several; `None` if there is none at all.
    #[must_use]
    pub fn best(&self) -> Option<&LossPoint> {
        let by_loss = |a: &&LossPoint, b: &&LossPoint| a.validation.total_cmp(&b.validation);
        self.points.iter().min_by(by_loss)
    }

    /// As CSV: `epoch,train,validation`, a line for each epoch.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut text = String::from("epoch,train,validation\n");
        for point in &self.points {
            text.push_str(&format!(
                "{},{:.6},{:.6}\n",
                point.epoch, point.train, point.validation
            ));
        }
        text
    }

    /// As a picture.
    #[must_use]
    pub fn to_svg(&self, title: &str) -> String {
        let series = |name, loss: fn(&LossPoint) -> f64| Series {
            name,
            points: self
                .points
                .iter()
                .map(|point| (f64::from(point.epoch), loss(point)))
                .collect(),
        };
        let all = [
            series("train", |point| point.train),
            series("validation", |point| point.validation),
        ];
        plot(title, "epoch", "cross-entropy", &all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve() -> LossCurve {
        let points = [
            (0, 0.69, 0.70),
            (1, 0.61, 0.62),
            (2, 0.58, 0.62),
            (3, 0.5, 0.63),
        ];
        LossCurve {
            points: points
                .map(|(epoch, train, validation)| LossPoint {
                    epoch,
                    train,
                    validation,
                })
                .to_vec(),
        }
    }

    #[test]
    fn text_and_best() {
        let curve = curve();
        assert_eq!(curve.best().map(|best| best.epoch), Some(1));
        let csv = curve.to_csv();
        assert_eq!(csv.lines().count(), 5);
        assert_eq!(csv.lines().nth(2), Some("1,0.610000,0.620000"));
        assert_eq!(LossCurve::default().best(), None);
    }

    #[test]
    fn picture() {
        let svg = curve().to_svg("a < b");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("a &lt; b"));
        assert_eq!(svg.matches("<polyline").count(), 2);
        // Each curve has a point for each epoch.
        let line = svg
            .split("points=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        assert_eq!(line.map(|points| points.split(' ').count()), Some(4));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        let empty = LossCurve::default().to_svg("nothing");
        assert!(!empty.contains("NaN") && !empty.contains("inf"));
    }
}

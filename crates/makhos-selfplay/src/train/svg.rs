//! Curves as a picture in SVG.

/// A curve.
pub(super) struct Series<'a> {
    pub(super) name: &'a str,
    pub(super) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
/// Where the axes cross, and how far they are from the other edges.
const LEFT: f64 = 70.0;
const BELOW: f64 = 50.0;
const MARGIN: f64 = 40.0;
/// Colours that can be told apart by everyone (Okabe and Ito).
const COLORS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];
/// Lines of the grid in each direction.
const GRID: u32 = 5;

/// The values of an axis and where they lie.
struct Axis {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite()) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if low == high {
            high = low + 1.0;
        }
        Self {
            low,
            high,
            start,
            end,
        }
    }

    fn place(&self, value: f64) -> f64 {
        self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)
    }

    /// Values with a line of the grid.
    fn ticks(&self) -> impl Iterator<Item = f64> {
        (0..=GRID).map(|at| self.low + (self.high - self.low) * f64::from(at) / f64::from(GRID))
    }
}

/// A picture of curves over a grid with labelled axes.
pub(super) fn plot(title: &str, across: &str, up: &str, all: &[Series<'_>]) -> String {
    let points = || all.iter().flat_map(|series| &series.points);
    let x = Axis::new(points().map(|point| point.0), LEFT, WIDTH - MARGIN);
    let y = Axis::new(points().map(|point| point.1), HEIGHT - BELOW, MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    svg.push_str(&text(WIDTH / 2.0, 22.0, "middle", title));
    svg.push_str(&text(
        (x.start + x.end) / 2.0,
        HEIGHT - 12.0,
        "middle",
        across,
    ));
    svg.push_str(&text(8.0, MARGIN - 14.0, "start", up));
    for tick in x.ticks() {
        let at = x.place(tick);
        svg.push_str(&line((at, y.start), (at, y.end)));
        svg.push_str(&text(at, y.start + 18.0, "middle", &format!("{tick:.1}")));
    }
    for tick in y.ticks() {
        let at = y.place(tick);
        svg.push_str(&line((x.start, at), (x.end, at)));
        svg.push_str(&text(x.start - 6.0, at + 4.0, "end", &format!("{tick:.4}")));
    }
    for (number, series) in all.iter().enumerate() {
        let color = COLORS[number % COLORS.len()];
        let points: Vec<String> = series
            .points
            .iter()
            .filter(|point| point.0.is_finite() && point.1.is_finite())
            .map(|point| format!("{:.1},{:.1}", x.place(point.0), y.place(point.1)))
            .collect();
        svg.push_str(&format!(
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" points=\"{}\"/>\n",
            points.join(" ")
        ));
        let below = MARGIN + 16.0 * (number as f64 + 1.0);
        svg.push_str(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{color}\"/>\n",
            x.end - 110.0,
            below - 9.0
        ));
        svg.push_str(&text(x.end - 94.0, below, "start", series.name));
    }
    svg.push_str("</svg>\n");
    svg
}

fn line(from: (f64, f64), to: (f64, f64)) -> String {
    format!(
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#dddddd\"/>\n",
        from.0, from.1, to.0, to.1
    )
}

fn text(x: f64, y: f64, anchor: &str, content: &str) -> String {
    let content = content
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>\n")
}

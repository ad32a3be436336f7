//! The roofline as it is drawn: both axes, the limits, the kernels as discs, and their words.

use super::scale;
use super::summary;
use crate::forecast::{Roofline, RooflineKind, RooflinePoint};
use crate::number;
use crate::scenario::Scenario;
use crate::units::Flops;

/// Width of the strip at the left for kernels whose FLOPs are not counted, decades of the horizontal axis.
const STRIP: f64 = 0.9;

/// Least share of the compute time that a kernel without FLOPs is drawn for.
const LEAST: f64 = 0.0005;

/// Radius of a disc of all compute time, relative to the shorter side of the ground.
const RADIUS: f64 = 0.17;

/// Least radius of a disc, pixels: what still is seen.
const LEAST_RADIUS: f64 = 3.0;

/// Least share of the compute time from which on a kernel is labelled.
const LABELLED: f64 = 0.02;

/// A limit as a line of two parts: its words, and whether the model believes it or the data sheet has it.
#[derive(Debug, Clone, PartialEq)]
pub struct RoofLine {
    /// The limit in words.
    pub label: String,
    /// Points from left to right, shares of the ground's width and height from its lower left corner.
    pub points: [(f64, f64); 3],
    /// What the model uses, not the data sheet.
    pub modelled: bool,
}

/// A kind of kernel as a disc: places are shares of the ground's width and height from its lower left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RooflineDisc {
    /// Place in [`Roofline::points`].
    pub index: usize,
    /// From the left.
    pub x: f64,
    /// From below.
    pub y: f64,
    /// Share of the compute time.
    pub share: f64,
}

impl RooflineDisc {
    /// Radius on a ground of this size, pixels: its area is its share.
    pub fn radius(&self, (width, height): (f64, f64)) -> f64 {
        (RADIUS * width.min(height) * self.share.sqrt()).max(LEAST_RADIUS)
    }

    /// Whether it has its name next to it.
    pub fn is_labelled(&self) -> bool {
        self.share >= LABELLED
    }
}

/// A roofline on two logarithmic axes.
#[derive(Debug, Clone, PartialEq)]
pub struct RooflineDrawing {
    /// FLOPs per byte at both ends, the strip of data movement included.
    x: (f64, f64),
    /// FLOP/s per GPU at both ends.
    y: (f64, f64),
    /// Where the strip of data movement ends, a share of the width.
    pub strip: f64,
    /// Places along the horizontal axis with their labels.
    pub across: Vec<(f64, String)>,
    /// Places along the vertical axis with their labels.
    pub up: Vec<(f64, String)>,
    /// The limits, the data sheet's first.
    pub roofs: Vec<RoofLine>,
    /// Kinds of kernels, the largest first.
    pub discs: Vec<RooflineDisc>,
}

/// Name of the horizontal axis.
pub const ACROSS: &str = "FLOP per byte of device memory";
/// Name of the vertical axis.
pub const UP: &str = "FLOP/s per GPU";
/// Name of the strip at the left.
pub const MOVEMENT: &str = "Data movement";

/// Place of a value between two ends, equal factors equally far apart, 0 to 1.
fn place(value: f64, (low, high): (f64, f64)) -> f64 {
    let share = (value / low).ln() / (high / low).ln();
    if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
}

fn decade(value: f64, round: fn(f64) -> f64) -> f64 {
    libm::pow(10.0, round(value.log10()))
}

/// Least and greatest of some positive values.
fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|value| *value > 0.0 && value.is_finite()).fold(None, |ends, value| {
        let (low, high) = ends.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })
}

impl RooflineDrawing {
    /// Middles and radii of the discs on a ground of this size, whose places are those of `at`.
    pub fn circles(&self, size: (f64, f64), at: impl Fn((f64, f64)) -> (f64, f64)) -> Vec<(f64, f64, f64)> {
        let circle = |disc: &RooflineDisc| {
            let (x, y) = at((disc.x, disc.y));
            (x, y, disc.radius(size))
        };
        self.discs.iter().map(circle).collect()
    }

    /// The drawing of a roofline of a scenario.
    pub fn new(roofline: &Roofline, scenario: &Scenario) -> Self {
        let (wide, low) = (roofline.wide, roofline.low);
        let intensities = roofline.points.iter().filter_map(RooflinePoint::intensity);
        let (least, most) = ends(intensities.chain([wide.ridge(), low.ridge()])).unwrap_or((1.0, 1e3));
        let first = decade(least, f64::floor);
        let x = (first / libm::pow(10.0, STRIP), decade(most.max(2.0 * low.ridge()), f64::ceil));
        let rates =
            roofline.points.iter().filter(|point| point.intensity().is_some()).map(RooflinePoint::rate);
        let lowest = ends(rates.chain([roofline.sustained.at(x.0)])).map_or(1e12, |ends| ends.0);
        let y = (0.5 * lowest.min(wide.at(x.0)), 1.8 * low.flops);
        let mut drawing = Self {
            x,
            y,
            strip: place(first, x),
            across: Vec::new(),
            up: Vec::new(),
            roofs: Vec::new(),
            discs: Vec::new(),
        };
        drawing.across = scale::powers(first, x.1, 10.0)
            .into_iter()
            .map(|tick| (place(tick, x), number::short(&number::count(tick))))
            .collect();
        drawing.up = scale::powers(y.0, y.1, 10.0)
            .into_iter()
            .map(|tick| (place(tick, y), format!("{}/s", number::flops(Flops(tick)))))
            .collect();
        drawing.draw_roofs(roofline, scenario);
        drawing.draw_discs(roofline);
        drawing
    }

    fn at(&self, intensity: f64, rate: f64) -> (f64, f64) {
        (place(intensity, self.x), place(rate, self.y))
    }

    fn draw_roofs(&mut self, roofline: &Roofline, scenario: &Scenario) {
        let (wide, low, sustained) = (roofline.wide, roofline.low, roofline.sustained);
        let rate = |flops: f64| format!("{}/s", number::flops(Flops(flops)));
        let name = summary::peak_name(scenario);
        let mut roofs = vec![(format!("{name} peak: {}", rate(low.flops)), low, false)];
        if low.flops > wide.flops {
            roofs.push((format!("16-bit peak: {}", rate(wide.flops)), wide, false));
        }
        roofs.push((format!("Sustained: {}", rate(sustained.flops)), sustained, true));
        for (label, roof, modelled) in roofs {
            let ridge = roof.ridge().clamp(self.x.0, self.x.1);
            let points = [self.x.0, ridge, self.x.1].map(|intensity| self.at(intensity, roof.at(intensity)));
            self.roofs.push(RoofLine { label, points, modelled });
        }
    }

    fn draw_discs(&mut self, roofline: &Roofline) {
        let total = roofline.total().0.max(f64::MIN_POSITIVE);
        let share = |point: &RooflinePoint| point.time.0 / total;
        let moves = |point: &RooflinePoint| {
            point.kind == RooflineKind::Movement && point.bytes.0 > 0.0 && share(point) >= LEAST
        };
        let count = roofline.points.iter().filter(|point| moves(point)).count().max(1) as f64;
        let mut moved = 0.0;
        for (index, point) in roofline.points.iter().enumerate() {
            let (x, y) = match point.intensity() {
                Some(intensity) => self.at(intensity, point.rate()),
                None if moves(point) => {
                    // Anywhere in the strip: as far below the limit as its bandwidth is.
                    let x = self.strip * (1.0 - (moved + 0.5) / count);
                    moved += 1.0;
                    let intensity = self.x.0 * libm::pow(self.x.1 / self.x.0, x);
                    (x, place(point.bandwidth() * intensity, self.y))
                }
                None => continue,
            };
            self.discs.push(RooflineDisc { index, x, y, share: share(point) });
        }
    }
}

/// The name of a kind of kernel, for people.
pub fn name(roofline: &Roofline, point: &RooflinePoint) -> String {
    let same = |other: &&RooflinePoint| other.name == point.name;
    let plain = point.name.replace('_', " ");
    match roofline.points.iter().filter(same).count() {
        many if many > 1 && point.kind == RooflineKind::Products && !point.low_precision => {
            format!("{plain} (16-bit)")
        }
        _ => plain,
    }
}

/// A kind of kernel in words: its share, what it reaches, and what it would be worth at its limit.
pub fn said(roofline: &Roofline, point: &RooflinePoint, step: crate::units::Seconds) -> String {
    let time = format!(
        "{}: {} per step ({} of the step)",
        name(roofline, point),
        number::time(point.time),
        number::percent(point.time / step)
    );
    let gain = format!(
        "{} at the roofline, which would save {} of the step",
        number::time(point.least),
        number::percent(point.gain() / step)
    );
    match point.intensity() {
        Some(intensity) => {
            let roof = roofline.roof(point).at(intensity);
            format!(
                "{time}; {}/s at {} FLOP per byte, {} of the roofline; {gain}",
                number::flops(Flops(point.rate())),
                number::significant(intensity, 3),
                number::percent(point.rate() / roof)
            )
        }
        None if point.bytes.0 > 0.0 => format!(
            "{time}; {}/s, {} of the memory bandwidth; {gain}",
            number::traffic(crate::units::Bytes(point.bandwidth())),
            number::percent(point.bandwidth() / roofline.wide.memory)
        ),
        None => time,
    }
}

/// Columns of the table.
pub const COLUMNS: [&str; 8] = [
    "Kernel",
    "Per step",
    "Share of the step",
    "FLOP per byte",
    "FLOP/s",
    "Share of roofline",
    "Time at roofline",
    "Saved at roof",
];

/// Rows of the table, by time.
pub fn rows(roofline: &Roofline, step: crate::units::Seconds) -> Vec<Vec<String>> {
    const NONE: &str = "\u{2014}";
    let row = |point: &RooflinePoint| {
        let intensity = point.intensity();
        let has_roof = point.bytes.0 > 0.0;
        let when = |shown: bool, text: String| if shown { text } else { NONE.to_owned() };
        vec![
            name(roofline, point),
            number::time(point.time).to_string(),
            number::percent(point.time / step).to_string(),
            intensity.map_or_else(|| NONE.to_owned(), |intensity| number::significant(intensity, 3)),
            when(intensity.is_some(), format!("{}/s", number::flops(Flops(point.rate())))),
            when(has_roof, number::percent(point.least.0 / point.time.0.max(f64::MIN_POSITIVE)).to_string()),
            when(has_roof, number::time(point.least).to_string()),
            when(has_roof, number::percent(point.gain() / step).to_string()),
        ]
    };
    roofline.points.iter().filter(|point| point.time.0 > 0.0).map(row).collect()
}

/// The chart in words.
pub fn in_words(roofline: &Roofline, step: crate::units::Seconds) -> String {
    let total = roofline.total();
    let gain: f64 = roofline.points.iter().map(|point| point.gain().0).sum();
    let most = roofline.points.iter().fold(None::<&RooflinePoint>, |most, point| match most {
        Some(one) if one.gain() >= point.gain() => Some(one),
        _ => Some(point),
    });
    let most = most.filter(|point| point.gain().0 > 0.0).map_or_else(String::new, |point| {
        format!(" Largest saving: {}, {}.", name(roofline, point), number::percent(point.gain() / step))
    });
    format!(
        "The kernels of the slowest stage take {} ({} of the step). Running them at data sheet limits would save {} of the step.{most}",
        number::time(total),
        number::percent(total / step),
        number::percent(gain / step.0)
    )
}

/// Distance of a label from the line that it names, pixels.
const ASIDE: f64 = 10.0;

/// Places of the limits' labels, which end there: above the slope of the memory bandwidth, at the height of their limit, and
/// `gap` apart. All in pixels from the upper left corner; the limits are as in [`RooflineDrawing::roofs`].
pub fn roof_labels(roofs: &[[(f64, f64); 3]], gap: f64) -> Vec<(f64, f64)> {
    let Some([first, ridge, _]) = roofs.first() else { return Vec::new() };
    let slope = (ridge.0 - first.0) / (first.1 - ridge.1).max(f64::MIN_POSITIVE);
    let mut above = f64::NEG_INFINITY;
    let place = |roof: &[(f64, f64); 3]| {
        let y = roof[1].1.max(above + gap);
        above = y;
        (ridge.0 - (y - ridge.1) * slope - ASIDE, y)
    };
    roofs.iter().map(place).collect()
}

/// Places along the slope of the memory bandwidth, which no label of a disc is to hide: left, top, right and bottom.
pub fn on_slope(roofs: &[[(f64, f64); 3]]) -> Vec<[f64; 4]> {
    /// Distance between two places, and half their size, pixels.
    const APART: f64 = 4.0;
    const HALF: f64 = 2.0;
    let Some([first, ridge, _]) = roofs.first() else { return Vec::new() };
    let (across, up) = (ridge.0 - first.0, ridge.1 - first.1);
    let count = (across.hypot(up) / APART).clamp(1.0, 1e3) as u32;
    let place = |at: u32| {
        let share = f64::from(at) / f64::from(count);
        let (x, y) = (first.0 + share * across, first.1 + share * up);
        [x - HALF, y - HALF, x + HALF, y + HALF]
    };
    (0..=count).map(place).collect()
}

/// A label's place: left edge and middle line, pixels from the upper left corner.
pub type LabelPlace = Option<(f64, f64)>;

/// Places of labels next to discs, in the order of the discs, where they cover neither discs, one another, nor what is
/// `reserved`: left, top, right and bottom. A disc is its middle and radius, a label's size its width and height, all in pixels;
/// labels without a width have no place.
pub fn labels(
    discs: &[(f64, f64, f64)],
    widths: &[f64],
    high: f64,
    (right, bottom): (f64, f64),
    reserved: &[[f64; 4]],
) -> Vec<LabelPlace> {
    let squares = discs.iter().map(|(x, y, radius)| {
        // A disc fills about this square.
        let half = radius * 0.8;
        [x - half, y - half, x + half, y + half]
    });
    let mut taken: Vec<[f64; 4]> = squares.chain(reserved.iter().copied()).collect();
    let apart = |one: &[f64; 4], other: &[f64; 4]| {
        one[2] <= other[0] || other[2] <= one[0] || one[3] <= other[1] || other[3] <= one[1]
    };
    let mut place = |(index, ((x, y, radius), width)): (usize, (&(f64, f64, f64), &f64))| {
        if *width <= 0.0 {
            return None;
        }
        let gap = radius + 4.0;
        let beside = [
            (x + gap, *y),
            (x - gap - width, *y),
            (x - width / 2.0, y - gap - high / 2.0),
            (x - width / 2.0, y + gap + high / 2.0),
            (x + gap * 0.7, y + gap * 0.7 + high / 2.0),
            (x + gap * 0.7, y - gap * 0.7 - high / 2.0),
            (x - gap * 0.7 - width, y + gap * 0.7 + high / 2.0),
            (x - gap * 0.7 - width, y - gap * 0.7 - high / 2.0),
        ];
        let frame =
            |(left, middle): (f64, f64)| [left, middle - high / 2.0, left + width, middle + high / 2.0];
        let found = beside.into_iter().find(|spot| {
            let [left, top, end, under] = frame(*spot);
            let inside = left >= 0.0 && top >= 0.0 && end <= right && under <= bottom;
            let others = taken.iter().enumerate().filter(|(other, _)| *other != index);
            inside && others.into_iter().all(|(_, other)| apart(&frame(*spot), other))
        })?;
        taken.push(frame(found));
        Some(found)
    };
    discs.iter().zip(widths).enumerate().map(&mut place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::forecast::Predictor;

    fn drawn(link: &str) -> (Roofline, RooflineDrawing) {
        let scenario = Document::from_link(link).expect("a link").document.scenario().expect("possible");
        let prediction = Predictor::SHIPPED.predict(&scenario).expect("legal");
        let roofline = Predictor::SHIPPED.roofline(&scenario, &prediction);
        let drawing = RooflineDrawing::new(&roofline, &scenario);
        (roofline, drawing)
    }

    /// Height of a line at a place, between its points.
    fn height(roof: &RoofLine, x: f64) -> f64 {
        let [first, ridge, last] = roof.points;
        let between = |(x0, y0): (f64, f64), (x1, y1): (f64, f64)| y0 + (y1 - y0) * (x - x0) / (x1 - x0);
        if x < ridge.0 { between(first, ridge) } else { between(ridge, last) }
    }

    #[test]
    fn every_disc_is_under_the_limit_that_is_drawn_and_its_area_is_its_share() {
        for link in [
            "#1;m=llama3-70b;g=dgx-h100;n=512;tp=4;cp=2;pp=4",
            "#1;m=deepseek-v3;g=hgx-h800;n=2048;tp=1;sp=0;pp=16;ep=64;gb=15360;seq=4096;prec=fp8-block",
            "#1;m=llama3-8b;g=dgx-a100-80g;n=8;tp=1;sp=0;pp=1;zero=3;rc=full",
        ] {
            let (roofline, drawing) = drawn(link);
            assert!(drawing.discs.len() > 6 && drawing.roofs.len() >= 2, "{link}");
            for disc in &drawing.discs {
                let point = &roofline.points[disc.index];
                let roof = &drawing.roofs[usize::from(!point.low_precision && drawing.roofs.len() > 2)];
                let (name, over) = (point.name, height(roof, disc.x) - disc.y);
                assert!((-1e-9..1.0).contains(&over), "{link}: {name} {over}");
                assert_eq!(point.intensity().is_none(), disc.x < drawing.strip, "{link}: {name}");
            }
            let shares: f64 = drawing.discs.iter().map(|disc| disc.share).sum();
            assert!(shares > 0.95 && shares < 1.0 + 1e-9, "{link}: {shares}");
            let [one, other] = [0, 1].map(|index| drawing.discs[index]);
            let ratio = one.radius((400.0, 300.0)) / other.radius((400.0, 300.0));
            assert!((ratio * ratio / (one.share / other.share) - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn labels_of_limits_are_apart_and_left_of_the_slope() {
        let roof = |ridge: f64, y: f64| [(0.0, 200.0), (ridge, y), (300.0, y)];
        let placed = roof_labels(&[roof(100.0, 100.0), roof(90.0, 104.0), roof(40.0, 160.0)], 16.0);
        assert_eq!(placed, [(90.0, 100.0), (74.0, 116.0), (30.0, 160.0)]);
        assert!(roof_labels(&[], 16.0).is_empty());
    }

    #[test]
    fn no_label_hides_the_slope() {
        let slope = on_slope(&[[(0.0, 100.0), (100.0, 0.0), (200.0, 0.0)]]);
        let placed = labels(&[(52.0, 60.0, 5.0)], &[60.0], 12.0, (200.0, 100.0), &slope);
        assert_eq!(placed, [Some((61.0, 60.0))]);
        let crossing = labels(&[(115.0, 60.0, 5.0)], &[60.0], 12.0, (150.0, 100.0), &slope);
        assert_eq!(crossing, [Some((85.0, 45.0))], "left of the disc it would");
        assert!(on_slope(&[]).is_empty());
    }

    #[test]
    fn labels_cover_neither_discs_nor_labels() {
        let discs = [(50.0, 50.0, 20.0), (60.0, 52.0, 4.0), (95.0, 50.0, 4.0), (10.0, 95.0, 5.0)];
        let placed =
            labels(&discs, &[40.0, 40.0, 40.0, 0.0], 12.0, (200.0, 100.0), &[[0.0, 0.0, 200.0, 20.0]]);
        assert_eq!(placed[3], None, "no text");
        let frames: Vec<[f64; 4]> = placed
            .iter()
            .flatten()
            .map(|(left, middle)| [*left, middle - 6.0, left + 40.0, middle + 6.0])
            .collect();
        assert!(frames.len() >= 2 && frames.iter().all(|frame| frame[1] >= 20.0), "the reserved is free");
        for (index, one) in frames.iter().enumerate() {
            for other in &frames[index + 1..] {
                let apart =
                    one[2] <= other[0] || other[2] <= one[0] || one[3] <= other[1] || other[3] <= one[1];
                assert!(apart, "{one:?} {other:?}");
            }
        }
    }
}

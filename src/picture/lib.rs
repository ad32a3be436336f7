//! Pictures of a forecast as SVG: for READMEs, papers and slides, in the colours of the page.
//!
//! A picture says in its title and description what it shows, and carries the link of its job in its metadata.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod canvas;
mod colours;
mod views;

use crate::calibrate::own::OwnCalibration;
use crate::document::Document;
use crate::error::FieldError;
use crate::forecast::{Prediction, Predictor};
use crate::page_state::report::scenario_link;
use crate::page_state::summary;
use crate::page_state::your_runs;
use crate::scenario::Scenario;
use canvas::{Anchor, Canvas};
pub use colours::Theme;
use stepcast_evidence::calibrate;
use stepcast_job::{document, error, number, scenario, units};
use stepcast_page_state as page_state;
use stepcast_predictor::{cost, forecast, run_cost, scaling, traffic, tuner};

/// What a picture shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureView {
    /// Headline figures.
    Summary,
    /// Where the step's time goes.
    Breakdown,
    /// What the GPUs of each stage hold.
    Memory,
    /// What a GPU of the fullest stage holds over a step.
    MemoryCurve,
    /// The kernels against the limits of the GPU.
    Roofline,
    /// The fastest layouts.
    Ranking,
    /// Who sends how much to whom.
    Matrix,
    /// Every pass of the pipeline.
    Timeline,
    /// The job on more and more GPUs.
    Scaling,
}

impl PictureView {
    /// Every view with its name on the command line and its heading.
    pub const ALL: [(Self, &'static str, &'static str); 9] = [
        (Self::Summary, "summary", "Headline figures"),
        (Self::Breakdown, "breakdown", "Step time breakdown"),
        (Self::Memory, "memory", "Peak memory per GPU by stage"),
        (Self::MemoryCurve, "memory-over-step", "Memory per GPU over a step"),
        (Self::Roofline, "roofline", "Roofline of the kernels"),
        (Self::Ranking, "ranking", "Fastest layouts"),
        (Self::Matrix, "matrix", "Communication matrix"),
        (Self::Timeline, "timeline", "Pipeline timeline"),
        (Self::Scaling, "scaling", "Scaling efficiency"),
    ];

    /// The view of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|entry| entry.1 == name).map(|entry| entry.0)
    }

    fn heading(self) -> &'static str {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or("", |entry| entry.2)
    }
}

/// Least and greatest width of a picture, in pixels of SVG.
pub const WIDTHS: (f64, f64) = (320.0, 1600.0);

/// How a picture is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style<'a> {
    /// Its colours.
    pub theme: Theme,
    /// Its width in SVG pixels, clamped to [`WIDTHS`].
    pub width: f64,
    /// Address of the page that the job's link is for, without query and fragment; may be empty.
    pub page: &'a str,
}

/// What every view draws from.
#[derive(Debug, Clone, Copy)]
struct Subject<'a> {
    predictor: Predictor<'a>,
    scenario: &'a Scenario,
    prediction: &'a Prediction,
}

/// Draws one view of a job's forecast, which `document` says.
///
/// # Errors
/// What makes the job impossible, or a step of too many passes to draw.
pub fn draw(
    predictor: &Predictor<'_>,
    document: &Document,
    view: PictureView,
    style: Style<'_>,
) -> Result<String, Vec<FieldError>> {
    let scenario = document.scenario()?;
    let own = your_runs::calibration(document, &scenario, None);
    let predictor = own.as_deref().map_or(*predictor, OwnCalibration::predictor);
    let prediction = predictor.predict(&scenario)?;
    let subject = Subject { predictor, scenario: &scenario, prediction: &prediction };
    let mut canvas = Canvas::new(style.theme, style.width.clamp(WIDTHS.0, WIDTHS.1));
    let job = summary::job(document, &scenario);
    canvas.heading(view.heading(), &job);
    let words = match view {
        PictureView::Summary => views::summary(&mut canvas, &subject),
        PictureView::Breakdown => views::breakdown(&mut canvas, &subject),
        PictureView::Memory => views::memory(&mut canvas, &subject),
        PictureView::MemoryCurve => views::memory_curve(&mut canvas, &subject)?,
        PictureView::Roofline => views::roofline(&mut canvas, &subject),
        PictureView::Ranking => views::ranking(&mut canvas, &subject),
        PictureView::Matrix => views::matrix(&mut canvas, &subject)?,
        PictureView::Timeline => views::timeline(&mut canvas, &subject)?,
        PictureView::Scaling => views::scaling(&mut canvas, &subject)?,
    };
    let step = number::time(prediction.step);
    canvas.space(1.9);
    let interval = summary::interval(prediction.interval.low, prediction.interval.high);
    let foot = format!("stepcast forecast: {step} per step, {interval}");
    canvas.small(&foot, 0.0, Anchor::Start);
    let link = format!("{}{}", style.page, scenario_link(document));
    Ok(canvas.finish(&format!("{}: {job}", view.heading()), &words, &link))
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOBS: [&str; 3] = [
        "#1;m=llama3-70b;g=dgx-h100;n=512",
        "#1;m=llama3-8b;g=dgx-h100;n=8;gb=64;tp=1;sp=0;pp=1",
        "#1;m=mixtral-8x7b;g=dgx-h100;n=64;ep=8;tp=1;sp=0;pp=2;gb=256",
    ];

    fn picture(link: &str, view: PictureView, theme: Theme, width: f64) -> String {
        let document = Document::from_link(link).expect("a link").document;
        let style = Style { theme, width, page: "https://example.org/" };
        draw(&Predictor::SHIPPED, &document, view, style).expect("possible")
    }

    #[test]
    fn every_view_of_every_job_stays_within_its_frame() {
        for link in JOBS {
            for (view, name, heading) in PictureView::ALL {
                for width in [320.0, 720.0, 1200.0] {
                    let svg = picture(link, view, Theme::Light, width);
                    assert!(svg.contains(&format!("<title id=\"title\">{heading}: ")), "{name}");
                    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}: {svg}");
                    let number = |tag: &str, name: &str| -> f64 {
                        let text = tag.split_once(&format!(" {name}=\"")).expect(tag).1;
                        text.split('"').next().expect("a value").parse().expect("a number")
                    };
                    let root = svg.split_once('>').expect("a root").0;
                    let (wide, high) = (number(root, "width"), number(root, "height"));
                    assert_eq!(wide, width);
                    for tag in svg.split("<rect").skip(1).map(|rest| rest.split('>').next().expect("a tag")) {
                        assert!(number(tag, "x") >= -0.01 && number(tag, "y") >= -0.01, "{name}: {tag}");
                        assert!(number(tag, "x") + number(tag, "width") <= wide + 0.01, "{name}: {tag}");
                        assert!(number(tag, "y") + number(tag, "height") <= high + 0.01, "{name}: {tag}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_picture_carries_its_link_and_differs_by_theme() {
        let light = picture(JOBS[0], PictureView::Breakdown, Theme::Light, 720.0);
        assert!(light.contains("<dc:source>https://example.org/#2;m=llama3-70b;g=dgx-h100;n=512;"));
        assert!(light.contains("Backward"));
        let dark = picture(JOBS[0], PictureView::Breakdown, Theme::Dark, 720.0);
        assert!(light.contains("#5290d0") && dark.contains("#8bbcf0"));
        assert!(!dark.contains("#5290d0"));
    }

    #[test]
    fn bars_of_a_breakdown_are_as_long_as_its_parts() {
        let document = Document::from_link(JOBS[0]).expect("a link").document;
        let parts =
            Predictor::SHIPPED.predict(&document.scenario().expect("legal")).expect("legal").breakdown;
        let svg = picture(JOBS[0], PictureView::Breakdown, Theme::Light, 720.0);
        let width = |colour: &str| -> f64 {
            let tag = svg.split("<rect").find(|tag| tag.contains(colour)).expect("a bar");
            tag.split_once(" width=\"")
                .expect("wide")
                .1
                .split('"')
                .next()
                .expect("a value")
                .parse()
                .expect("a number")
        };
        let ratio = width("#5290d0") / width("#1f5fa8");
        assert!((ratio / (parts.backward / parts.forward) - 1.0).abs() < 1e-3, "{ratio}");
    }

    #[test]
    fn what_was_typed_cannot_break_out_of_a_picture() {
        let mut document = Document::from_link(JOBS[0]).expect("a link").document;
        document.set("x\"><script>", "<&>");
        let style = Style { theme: Theme::Light, width: 720.0, page: "https://example.org/?a=<b>&c=\"" };
        let svg = draw(&Predictor::SHIPPED, &document, PictureView::Summary, style).expect("possible");
        assert!(
            !svg.contains("<script") && !svg.contains("<b>") && svg.contains("?a=&lt;b&gt;&amp;c="),
            "{svg}"
        );
    }
}

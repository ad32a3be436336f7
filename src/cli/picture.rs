//! `stepcast picture`: one view of a forecast as SVG or PNG.

use crate::input::Input;
use crate::{Failure, sentences};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::path::PathBuf;
use stepcast::page_state::report::scenario_link;
use stepcast::picture::{PictureView, Style, Theme, WIDTHS, draw};

/// What is drawn, and where to.
#[derive(Debug, Args)]
pub(crate) struct PictureOptions {
    /// Chart to draw.
    #[arg(long, value_parser = PossibleValuesParser::new(PictureView::ALL.map(|entry| entry.1)), default_value = "breakdown")]
    view: String,
    /// File to write, .svg or .png; default: SVG on standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Colours.
    #[arg(long, value_enum, default_value_t = Colours::Light)]
    theme: Colours,
    /// Width in pixels.
    #[arg(long, value_name = "PIXELS", default_value_t = 720.0, value_parser = width)]
    width: f64,
    /// Scale of a PNG: image pixels per pixel of --width.
    #[arg(long, value_name = "FACTOR", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=4))]
    scale: u8,
    /// Address of the page for the link in the picture, such as https://your.host/stepcast/.
    #[arg(long, value_name = "ADDRESS", default_value = "")]
    page: String,
}

/// Colours of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Colours {
    Light,
    Dark,
}

fn width(text: &str) -> Result<f64, String> {
    let (least, most) = WIDTHS;
    let width: f64 = text.parse().map_err(|_| format!("{text} is not a number"))?;
    if (least..=most).contains(&width) { Ok(width) } else { Err(format!("from {least} to {most}")) }
}

/// Draws a view of a job.
pub(crate) fn picture(input: &Input, choices: &PictureOptions) -> Result<String, Failure> {
    let theme = match choices.theme {
        Colours::Light => Theme::Light,
        Colours::Dark => Theme::Dark,
    };
    let view = PictureView::find(&choices.view).unwrap_or(PictureView::Breakdown);
    let style = Style { theme, width: choices.width, page: &choices.page };
    let svg = draw(&input.predictor(), &input.document, view, style).map_err(sentences)?;
    let Some(path) = &choices.output else { return Ok(svg) };
    let name = path.display();
    let content = match path.extension().and_then(|end| end.to_str()) {
        Some("svg") => svg.into_bytes(),
        Some("png") => {
            png(&svg, choices.scale, &format!("{}{}", choices.page, scenario_link(&input.document)))?
        }
        _ => return Err(vec![format!("{name} must end in .svg or .png.")]),
    };
    std::fs::write(path, content).map_err(|error| vec![format!("{name} cannot be written: {error}.")])?;
    Ok(String::new())
}

/// A picture as PNG, with the link of its job as the text `Source`.
fn png(svg: &str, scale: u8, link: &str) -> Result<Vec<u8>, Failure> {
    let failure = |error: &dyn std::fmt::Display| vec![format!("The picture cannot be drawn: {error}.")];
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    let Some(family) = fonts.faces().find_map(|face| face.families.first()).map(|family| family.0.clone())
    else {
        let sentence = "A PNG needs a system font, but none is installed. Write an SVG, or install a font.";
        return Err(vec![sentence.to_owned()]);
    };
    // What the page's charts are written in may not be installed.
    let usual = ["DejaVu Sans", "Liberation Sans", "Noto Sans", "Helvetica", "Arial", "Segoe UI"];
    let known = |name: &str| fonts.faces().any(|face| face.families.iter().any(|family| family.0 == name));
    let family = usual.into_iter().find(|name| known(name)).map_or(family, str::to_owned);
    fonts.set_sans_serif_family(&family);
    options.font_family = family;
    let tree = Tree::from_str(svg, &options).map_err(|error| failure(&error))?;
    let size = tree.size().to_int_size();
    let scale = u32::from(scale);
    let (width, height) = (size.width() * scale, size.height() * scale);
    let mut pixels = Pixmap::new(width, height).ok_or_else(|| failure(&"it is too large"))?;
    resvg::render(&tree, Transform::from_scale(scale as f32, scale as f32), &mut pixels.as_mut());
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.add_text_chunk("Software".to_owned(), "stepcast".to_owned()).map_err(|error| failure(&error))?;
    encoder.add_text_chunk("Source".to_owned(), link.to_owned()).map_err(|error| failure(&error))?;
    let mut writer = encoder.write_header().map_err(|error| failure(&error))?;
    // All of it is opaque, so that colours multiplied by their opacity are the colours.
    writer.write_image_data(pixels.data()).map_err(|error| failure(&error))?;
    writer.finish().map_err(|error| failure(&error))?;
    Ok(bytes)
}

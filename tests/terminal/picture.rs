//! `stepcast picture`, run as users run it.

use crate::command::{refusal, text};
use std::path::PathBuf;

const LINK: &str = "#2;m=llama3-8b;g=dgx-h100;n=16;seq=8192;gb=64;stack=nemo;tp=2;sp=1;cp=1;pp=2;vpp=1;sched=1f1b;zero=1;\
                    mb=1;rc=none;split=even";

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Width and height of a PNG.
fn size(bytes: &[u8]) -> (u32, u32) {
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    (number(16), number(20))
}

#[test]
fn a_picture_is_written_as_svg_and_png_with_the_link_in_it() {
    let (svg, png) = (path("memory.svg"), path("memory.png"));
    let page = "https://example.org/stepcast/";
    for file in [&svg, &png] {
        let file = file.to_str().expect("UTF-8");
        text(&[
            "picture", LINK, "--view", "memory", "--page", page, "--width", "400", "--scale", "3", "-o", file,
        ]);
    }
    let svg = std::fs::read_to_string(svg).expect("written");
    assert!(svg.starts_with("<svg ") && svg.contains("width=\"400\""), "{svg}");
    assert!(svg.contains(&format!("<dc:source>{page}{LINK}</dc:source>")), "{svg}");
    let png = std::fs::read(png).expect("written");
    assert!(png.starts_with(b"\x89PNG"));
    assert_eq!(size(&png).0, 3 * 400);
    let source = format!("Source\0{page}{LINK}");
    assert!(png.windows(source.len()).any(|window| window == source.as_bytes()));
}

#[test]
fn without_a_file_the_terminal_gets_the_svg() {
    let dark = text(&["picture", LINK, "--theme", "dark"]);
    assert!(dark.starts_with("<svg ") && dark.contains("Step time breakdown") && dark.contains("#181c21"));
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    assert!(refusal(&["picture", LINK, "-o", "picture.gif"]).contains(".svg or .png"));
    assert!(refusal(&["picture", LINK, "--view", "moon"]).contains("moon"));
    assert!(refusal(&["picture", LINK, "--width", "1"]).contains("320 to 1600"));
    assert!(refusal(&["picture", "#1;m=llama3-8b;tp=3"]).contains("tp:"));
}

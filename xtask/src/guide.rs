//! The guide: Markdown in docs/guide/ as separate pages.
//!
//! `docs/guide/SUMMARY.md` lists the pages, as mdBook has it, so that the sources are an mdBook, too.

use crate::project::{Project, Result};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use std::collections::BTreeMap;
use std::path::Path;

/// Where the sources are, and the list of them.
const SOURCES: &str = "docs/guide";
const SUMMARY: &str = "docs/guide/SUMMARY.md";

/// The page, as sources of the guide link to it.
const PAGE: &str = "../../index.html";

/// Style of the pages; the colours are the page's.
const STYLE: &str = "static/guide.css";
const TOKENS: &str = "static/css/tokens.css";

/// A page of the guide.
#[derive(Debug, PartialEq, Eq)]
struct Page {
    title: String,
    /// Source, below docs/guide/.
    source: String,
}

impl Page {
    /// Name of the file that it becomes.
    fn name(&self) -> String {
        target(&self.source)
    }
}

/// Name of a source's output file: all are in one folder.
fn target(source: &str) -> String {
    source.rsplit('/').next().unwrap_or(source).replace(".md", ".html")
}

/// Writes the guide into a folder.
pub(crate) fn write(project: &Project, folder: &Path) -> Result {
    let pages = listed(&project.read(SUMMARY)?);
    let styles = project.read(TOKENS)? + &project.read(STYLE)?;
    project.write(folder.join("guide.css"), styles)?;
    for (index, page) in pages.iter().enumerate() {
        let text = project.read(format!("{SOURCES}/{}", page.source))?;
        let document = document(&pages, index, &rendered(&text, &pages));
        project.write(folder.join(page.name()), document)?;
    }
    Ok(())
}

/// The pages of a summary, in its order.
fn listed(summary: &str) -> Vec<Page> {
    let entry = |line: &str| {
        let (title, rest) = line.trim().strip_prefix("- [")?.split_once("](")?;
        Some(Page { title: title.to_owned(), source: rest.strip_suffix(')')?.to_owned() })
    };
    summary.lines().filter_map(entry).collect()
}

/// The HTML of a source. Links to other pages of the guide lead to them; to other files of the project, nowhere.
fn rendered(text: &str, pages: &[Page]) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let mut events: Vec<Event<'_>> = Parser::new_ext(text, options).collect();
    name_headings(&mut events);
    let mut dropped = false;
    events.retain_mut(|event| match event {
        Event::Start(Tag::Link { dest_url, .. }) => match resolved(dest_url, pages) {
            Some(address) => {
                *dest_url = address.into();
                true
            }
            None => {
                dropped = true;
                false
            }
        },
        Event::End(TagEnd::Link) => !std::mem::take(&mut dropped),
        _ => true,
    });
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    // Wide tables scroll by themselves.
    out.replace("<table>", "<div class=\"wide\"><table>").replace("</table>", "</table></div>")
}

/// Where a link leads; `None` for a file that is not served.
fn resolved(address: &str, pages: &[Page]) -> Option<String> {
    if address == PAGE {
        return Some("../index.html".to_owned());
    }
    if address.contains("://") || address.starts_with('#') {
        return Some(address.to_owned());
    }
    let (file, fragment) = address
        .split_once('#')
        .map_or((address, String::new()), |(file, fragment)| (file, format!("#{fragment}")));
    let name = target(file);
    pages.iter().any(|page| page.name() == name).then(|| name + &fragment)
}

/// Gives headings the names that links to them use.
fn name_headings(events: &mut [Event<'_>]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for start in 0..events.len() {
        if !matches!(events[start], Event::Start(Tag::Heading { .. })) {
            continue;
        }
        let inside =
            events[start + 1..].iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
        let words: String = inside
            .filter_map(|event| match event {
                Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
                _ => None,
            })
            .collect();
        let mut slug: String = words
            .to_lowercase()
            .chars()
            .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'))
            .map(|letter| if letter == ' ' { '-' } else { letter })
            .collect();
        let count = seen.entry(slug.clone()).or_default();
        if *count > 0 {
            slug = format!("{slug}-{count}");
        }
        *count += 1;
        if let Event::Start(Tag::Heading { id, level, .. }) = &mut events[start]
            && *level != HeadingLevel::H1
        {
            *id = Some(CowStr::from(slug));
        }
    }
}

/// A whole page around its content.
fn document(pages: &[Page], index: usize, content: &str) -> String {
    let page = &pages[index];
    let mut list = String::new();
    for (place, other) in pages.iter().enumerate() {
        let current = if place == index { " aria-current=\"page\"" } else { "" };
        list.push_str(&format!("<li><a href=\"{}\"{current}>{}</a></li>\n", other.name(), other.title));
    }
    let link = |place: Option<usize>, word: &str| {
        let other = place.and_then(|place| pages.get(place));
        other.map_or_else(String::new, |other| {
            format!("<a href=\"{}\">{word}: {}</a>", other.name(), other.title)
        })
    };
    let (before, after) = (link(index.checked_sub(1), "Before"), link(Some(index + 1), "Next"));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'self'; base-uri 'none'; form-action 'none'\" />\n\
         <title>{title} \u{b7} stepcast</title>\n<link rel=\"icon\" href=\"../icon.svg\" type=\"image/svg+xml\" />\n\
         <link rel=\"stylesheet\" href=\"guide.css\" />\n<script src=\"../embed.js\" async></script>\n</head>\n<body>\n\
         <nav aria-label=\"Guide\"><p><a href=\"../index.html\">stepcast</a></p>\n<ol>\n{list}</ol></nav>\n\
         <main>\n{content}<p class=\"turn\">{before} {after}</p>\n</main>\n</body>\n</html>\n",
        title = page.title
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages() -> Vec<Page> {
        listed("# Guide\n\n- [One](one.md)\n- [Two](../two.md)\n\nWords\n")
    }

    #[test]
    fn a_summary_lists_pages_and_all_become_files_of_one_folder() {
        assert_eq!(pages().iter().map(Page::name).collect::<Vec<_>>(), ["one.html", "two.html"]);
    }

    #[test]
    fn links_lead_to_pages_of_the_guide_and_never_to_what_is_not_served() {
        let html = rendered(
            "[a](../two.md#some-words) [b](../CODE.md) [c](https://example.org/) [d](#here)",
            &pages(),
        );
        assert_eq!(
            html,
            "<p><a href=\"two.html#some-words\">a</a> b <a href=\"https://example.org/\">c</a> <a href=\"#here\">d</a></p>\n"
        );
    }

    #[test]
    fn headings_have_the_names_that_links_use() {
        let html = rendered("# T\n\n## Some `words`, here\n\n## Some `words`, here\n", &pages());
        assert!(
            html.contains("<h2 id=\"some-words-here\">") && html.contains("<h2 id=\"some-words-here-1\">"),
            "{html}"
        );
    }

    #[test]
    fn a_page_says_where_it_stands() {
        let html = document(&pages(), 1, "<p>x</p>\n");
        assert!(html.contains("<a href=\"two.html\" aria-current=\"page\">Two</a>"), "{html}");
        assert!(html.contains("<a href=\"one.html\">Before: One</a>") && !html.contains("Next:"), "{html}");
    }
}

//! What the page opens on.

use crate::document::{Document, LinkError, Opened};

/// The job that the page opens on, with the layout that a search recommends for it, so that its forecast need not wait for
/// one.
const OPENING: &str = "#2;m=llama3-70b;g=dgx-h100;n=512;~tp=4;~sp=1;~cp=2;~pp=2;~vpp=4;~zero=1";

/// The document that the page opens on.
pub fn opening() -> Document {
    Document::from_link(OPENING).map(|opened| opened.document).unwrap_or_default()
}

/// Reads a link; none is what the page opens on.
///
/// # Errors
/// What is wrong with a link that cannot be read.
pub fn read(link: &str) -> Result<Opened, LinkError> {
    if link.trim_start_matches('#').is_empty() {
        return Ok(Opened { document: opening(), notices: Vec::new() });
    }
    Document::from_link(link)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::Predictor;
    use crate::planned::{plan, search};

    #[test]
    fn the_page_opens_on_what_it_recommends() {
        let mut bare = opening();
        bare.release_layout();
        let predictor = Predictor::SHIPPED;
        let (planned, job) =
            plan(&predictor, &bare, |space, options| search(&predictor, space, options)).expect("a layout");
        assert_eq!(Ok(job), opening().scenario());
        assert_eq!(planned, opening());
    }
}

//! What the page opens on.

use crate::document::{Document, LinkError, Opened};

/// The job that the page opens on, with the layout that a search recommends for it, so that its forecast need not wait for
/// one.
const OPENING: &str = "#2;m=llama3-70b;g=dgx-h100;n=512;~tp=4;~sp=1;~cp=2;~pp=2;~vpp=4;~zero=1";

/// The document that the page opens on.
pub fn opening() -> Document {
    Document::from_link(OPENING).map(|opened| opened.document).unwrap_or_default()
}

/// Jobs that a first visit offers, each with its name and its link.
pub const OFFERED: [(&str, &str); 5] = [
    ("Llama-3.1 405B on 16,384 H100", "#2;m=llama3-405b;g=dgx-h100;n=16384"),
    (
        "DeepSeek-V3 on 2,048 H800",
        "#2;m=deepseek-v3;g=hgx-h800;n=2048;gb=15360;seq=4096;prec=fp8-block;xd=deepep;tokens=14.8T",
    ),
    ("QLoRA: Llama-3 8B on one RTX 4090", "#2;m=llama3-8b;g=rtx4090;n=1;lora=16;base=nf4;tokens=100M"),
    ("1M tokens: Llama-3 8B on 32 H100", "#2;m=llama3-8b;g=dgx-h100;n=32;seq=1048576;gb=4"),
    ("Hybrid: Nemotron 3 Nano on 64 B200", "#2;m=nemotron-3-nano;g=dgx-b200;n=64"),
];

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
    fn what_a_first_visit_offers_can_be_planned() {
        for (name, link) in OFFERED {
            let offered = Document::from_link(link).expect("a link");
            assert_eq!(offered.notices, Vec::<String>::new(), "{name}");
            let mut document = offered.document;
            document.release_layout();
            let job = document.values().expect("fields that can be read");
            assert!(crate::tuner::rule_of_thumb(&job).is_some(), "{name} has a layout");
        }
    }

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

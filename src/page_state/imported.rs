//! What becomes of a file of another tool, or of a text, that the reader drops, pastes or picks.

use super::opening::read;
use super::page::Page;
use super::panels::{PANELS, Panel, shown_at};
use super::report::scenario_link;
use super::your_runs::{RUNS, with};
use crate::document::{Document, packed};
use crate::number;
use crate::scenario::model::{Layers, MixerClass};

/// The link in a text that is one: alone on its line, or at the end of an address.
pub fn link_of(text: &str) -> Option<&str> {
    let text = text.trim();
    let link = text.get(text.find('#')?..)?;
    let alone = !text.contains(char::is_whitespace);
    let (version, _) = link.trim_start_matches('#').split_once(';').unwrap_or_default();
    let number = !version.is_empty() && version.chars().all(|digit| digit.is_ascii_digit());
    (alone && (number || is_packed(link))).then_some(link)
}

/// Whether a link's pairs are compressed.
pub fn is_packed(link: &str) -> bool {
    link.strip_prefix('#').is_some_and(|link| packed(link).is_some())
}

/// Attribute of the document's root in which the third module leaves sentences about a file that it has applied, until the page
/// follows the address.
pub const SAID: &str = "data-said";

/// The page once it has taken over what a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Its link.
    pub link: String,
    /// What was changed to suit the file's model or machine, in sentences.
    pub suited: Vec<String>,
    /// Why the job is invalid, in sentences.
    pub problems: Vec<String>,
}

/// Imports a file's fields into the page of a link, the name of a custom model, and a step that it has measured \[s\].
pub fn taken(link: &str, fields: &[(&'static str, String)], name: &str, measured: Option<f64>) -> Taken {
    let before = Page::opened(read(link));
    let page = before.take(fields.to_vec());
    let suited = page.as_ref().and_then(|page| page.notice.clone());
    let page = page.unwrap_or(before);
    let mut document = (*page.document).clone();
    if fields.iter().any(|field| field.0 == "m") {
        document.name_custom_model(name);
    }
    if let Some(seconds) = measured {
        keep(&mut document, seconds);
    }
    Taken {
        link: document.to_link(),
        suited: suited.map(|notice| notice.sentences.to_vec()).unwrap_or_default(),
        problems: page.outcome.errors.iter().map(ToString::to_string).collect(),
    }
}

/// What a model's file comes to, in sentences: its layers by kind where they differ, and the settings of the page that it runs with.
pub fn of_model(page: &Document) -> Vec<String> {
    let Ok(job) = page.values() else { return Vec::new() };
    let layers = Layers::new(&job.model);
    let kinds = layers.kinds().iter().zip(layers.counts());
    let kinds: Vec<String> = kinds
        .map(|(kind, count)| {
            format!("{} \u{d7} {}", number::integer(count.into()), kind.label(job.model.recurrent.rule))
        })
        .collect();
    let differ = kinds.len() > 1 || job.model.mixer_class() != MixerClass::Attention;
    let layers = differ.then(|| format!("Layers: {}.", kinds.join(", ")));
    let from_page = format!(
        "Not in the file, from the page: {} GPUs, {} sequences of {} tokens per step.",
        number::integer(job.cluster.gpus.into()),
        number::integer(job.workload.global_batch.into()),
        number::integer(job.workload.sequence.into()),
    );
    layers.into_iter().chain([from_page]).collect()
}

/// Puts a measured step among the reader's own runs, and shows them.
fn keep(document: &mut Document, seconds: f64) {
    let runs = with(document.extra(RUNS).unwrap_or_default(), seconds, &scenario_link(document));
    document.set_extra(RUNS, &runs);
    if let Some(entry) = PANELS.iter().find(|entry| entry.panel == Panel::YourRuns) {
        *document = shown_at(document, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::{ResultsView, is_open};

    fn fields(pairs: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
        pairs.iter().map(|(key, text)| (*key, (*text).to_owned())).collect()
    }

    fn opened(taken: &Taken) -> Document {
        Document::from_link(&taken.link).expect("a link").document
    }

    #[test]
    fn a_link_is_seen_as_one() {
        let link = "#1;m=llama3-8b;n=64";
        assert_eq!(link_of(&format!(" https://example.org/stepcast/{link}\n")), Some(link));
        assert_eq!(link_of(link), Some(link));
        assert_eq!(link_of("https://example.org/#1.q1-_"), Some("#1.q1-_"));
        for text in ["# comment; of a script", "#!/bin/bash", "a#1", "#1;m=a b", "#SBATCH;x", ""] {
            assert_eq!(link_of(text), None, "{text}");
        }
    }

    #[test]
    fn a_model_is_planned_for_and_a_whole_layout_is_the_readers() {
        let model = taken("", &fields(&[("m", "llama3-8b")]), "", None);
        let document = opened(&model);
        assert!(document.is_planned() && document.text("m") == "llama3-8b");
        assert_eq!(model.problems, Vec::<String>::new());
        let layout =
            taken("", &fields(&[("m", "llama3-8b"), ("n", "64"), ("tp", "2"), ("pp", "1")]), "", None);
        let document = opened(&layout);
        assert!(!document.is_planned());
        assert_eq!((document.text("tp"), document.text("pp")), ("2", "1"));
    }

    #[test]
    fn a_custom_model_has_the_name_of_its_file_and_another_one_has_not() {
        let shape = fields(&[("m", "custom"), ("layers", "30"), ("hidden", "4096")]);
        let named = taken("", &shape, "our-7b", None);
        assert_eq!(opened(&named).label("m"), "our-7b");
        let known = taken(&named.link, &fields(&[("m", "llama3-8b")]), "our-7b", None);
        assert_eq!(opened(&known).label("m"), "Llama-3 8B");
        let machine = taken(&named.link, &fields(&[("n", "64")]), "topo", None);
        assert_eq!(opened(&machine).label("m"), "our-7b", "a file without a model leaves its name");
    }

    #[test]
    fn a_model_is_told_by_its_layers_and_with_the_settings_of_the_page() {
        let of = |link: &str| of_model(&Document::from_link(link).expect("a link").document);
        let hybrid = of("#2;m=nemotron-3-nano;g=dgx-b200;n=64;gb=3072;seq=8192");
        let job =
            Document::from_link("#2;m=nemotron-3-nano").expect("a link").document.values().expect("numbers");
        let mamba = Layers::new(&job.model);
        let mamba = mamba.kinds().iter().zip(mamba.counts()).filter(|(kind, _)| kind.mixer.recurs());
        let mamba: u32 = mamba.map(|kind| kind.1).sum();
        // 52 layers: 23 of Mamba, 23 of experts, 6 of attention (the model's card).
        assert_eq!(mamba, 23);
        assert!(hybrid[0].starts_with("Layers: ") && hybrid[0].contains("23 \u{d7} Mamba"), "{hybrid:?}");
        assert_eq!(
            hybrid[1],
            "Not in the file, from the page: 64 GPUs, 3,072 sequences of 8,192 tokens per step."
        );
        assert_eq!(of("#2;m=llama3-8b;n=8").len(), 1, "layers that are all of one kind are not counted");
    }

    #[test]
    fn what_cannot_run_is_said_and_kept() {
        let odd = taken("#1;m=llama3-8b;n=64;tp=2;pp=1", &fields(&[("tp", "3"), ("pp", "1")]), "", None);
        assert_eq!(opened(&odd).text("tp"), "3");
        assert!(!odd.problems.is_empty());
    }

    #[test]
    fn a_measured_step_stands_among_the_readers_runs_with_its_job() {
        let job = fields(&[("m", "llama3-8b"), ("n", "64"), ("tp", "2"), ("pp", "1")]);
        let document = opened(&taken("", &job, "", Some(4.25)));
        let runs = document.extra(RUNS).unwrap_or_default().to_owned();
        let (seconds, link) = runs.split_once(' ').expect("a run with its link");
        assert_eq!(seconds, "4.25");
        assert_eq!(link, scenario_link(&document));
        assert!(is_open(&document, "own-runs") && ResultsView::of(&document) == ResultsView::Trust);
        let again = opened(&taken(&document.to_link(), &[], "", Some(4.5)));
        assert_eq!(again.extra(RUNS), Some(format!("4.5 {link}").as_str()), "one a job");
    }
}

//! A file or a text of another tool: what it was understood as, line by line, before any of it is applied.

use std::rc::Rc;
use stepcast::document::Document;
use stepcast::exchange::{self, Import as Read, ImportError, Importance, LONGEST, ToolFile};
use stepcast::fields::{FIELDS, Field};
use stepcast::number;
use stepcast::page_state::imported::{SAID, Taken, is_packed, link_of, of_model, taken};
use stepcast::units::Seconds;
use stepcast_web_kit::browser;
use stepcast_web_kit::files::{Content, Picker};
use stepcast_web_kit::sheet::Sheet;
use web_sys::{HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};
use yew::prelude::*;

/// Longest text that can be edited in the dialog, bytes.
const LONGEST_SHOWN: usize = 200_000;

/// Most ignored settings that are listed.
const MOST_LISTED: usize = 200;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// Name of the file; empty of a text.
    pub(crate) name: AttrValue,
    /// Nothing of a file that is too long.
    pub(crate) text: Option<AttrValue>,
    pub(crate) close: Callback<()>,
}

/// What is in the dialog.
#[derive(Clone, PartialEq)]
struct Source {
    name: AttrValue,
    text: Option<AttrValue>,
    /// What the reader says it is.
    kind: Option<ToolFile>,
    /// Fields that the reader adds: keys and texts.
    given: Vec<(String, String)>,
}

/// What came of reading it.
enum Outcome {
    Nothing,
    /// A link of this page.
    Link(String),
    Understood(Read, Taken),
    Wrong(Vec<ImportError>),
}

impl Outcome {
    fn of(source: &Source) -> Self {
        let Some(text) = &source.text else {
            let message = format!("The file is larger than {} MiB.", LONGEST >> 20);
            return Self::Wrong(vec![ImportError { line: None, name: None, message }]);
        };
        if text.trim().is_empty() {
            return Self::Nothing;
        }
        if let Some(link) = link_of(text).filter(|_| source.kind.is_none()) {
            // What unpacks links opens these.
            if is_packed(link) {
                return Self::Link(link.to_owned());
            }
            return match Document::from_link(link) {
                Ok(opened) => Self::Link(opened.document.to_link()),
                Err(error) => {
                    Self::Wrong(vec![ImportError { line: None, name: error.field, message: error.message }])
                }
            };
        }
        match exchange::import_with(text, source.kind, &source.given) {
            Ok(read) => {
                let measured = read.measured.map(|measured| measured.step_seconds);
                let name = read.name.as_deref().unwrap_or_else(|| file_stem(&source.name));
                let taken = taken(&browser::fragment(), &read.fields, name, measured);
                Self::Understood(read, taken)
            }
            Err(errors) => Self::Wrong(errors),
        }
    }

    /// The link that applies it.
    fn link(&self) -> Option<String> {
        match self {
            Self::Link(link) => Some(link.clone()),
            Self::Understood(_, taken) => Some(taken.link.clone()),
            Self::Nothing | Self::Wrong(_) => None,
        }
    }

    /// What is told of a model's file that raises no question: all of it was understood, and the job with it is valid.
    fn told(&self) -> Option<Vec<String>> {
        let Self::Understood(read, taken) = self else { return None };
        let harmless = read.ignored.iter().all(|ignored| ignored.importance == Importance::Harmless);
        let clear = harmless && read.assumed.is_empty() && taken.problems.is_empty();
        if !clear || read.kind != ToolFile::HfConfig {
            return None;
        }
        let page = Document::from_link(&taken.link).ok()?.document;
        let read_of = |(key, text): &(&'static str, String)| {
            let said = read.sources.iter().any(|source| source.field == *key);
            let field = Field::find(key).filter(|_| said)?;
            Some(format!("{} {}", field.label.to_lowercase(), field.label_of(text)))
        };
        let fields: Vec<String> = read.fields.iter().filter_map(read_of).collect();
        let model = format!("Imported {}: {}.", page.label("m"), fields.join(", "));
        Some([model].into_iter().chain(of_model(&page)).chain(taken.suited.iter().cloned()).collect())
    }
}

/// Has the page follow a link.
fn follow(link: &str) {
    if let Some(window) = browser::window() {
        // The way back is the browser's.
        let _ = window.location().set_hash(link);
    }
}

/// Applies a text that is a model's file and raises no question, and leaves what is told of it to the page; whether it
/// was one.
pub(crate) fn at_once(text: &str) -> bool {
    let (name, text) = (AttrValue::default(), Some(AttrValue::from(text.to_owned())));
    let outcome = Outcome::of(&Source { name, text, kind: None, given: Vec::new() });
    let (Some(told), Some(link)) = (outcome.told(), outcome.link()) else { return false };
    if let Some(root) = browser::document().and_then(|document| document.document_element()) {
        let _ = root.set_attribute(SAID, &told.join(" "));
    }
    follow(&link);
    true
}

/// The text, what it is understood as, and the button that applies it.
#[component]
pub(crate) fn Import(props: &Props) -> Html {
    let source = use_state_eq(|| Source {
        name: props.name.clone(),
        text: props.text.clone(),
        kind: None,
        given: Vec::new(),
    });
    let outcome = use_memo((*source).clone(), Outcome::of);
    let apply = {
        let (link, close) = (outcome.link(), props.close.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(link) = &link {
                follow(link);
                close.emit(());
            }
        })
    };
    let picked = {
        let source = source.setter();
        Callback::from(move |contents: Rc<[Content]>| {
            let Some(content) = contents.first() else { return };
            let bytes = content.bytes.as_ref().filter(|bytes| bytes.len() <= LONGEST);
            let text = bytes.map(|bytes| AttrValue::from(String::from_utf8_lossy(bytes).into_owned()));
            source.set(Source {
                name: AttrValue::from(content.name.clone()),
                text,
                kind: None,
                given: Vec::new(),
            });
        })
    };
    html! {
        <>
            { text(&source, &props.close) }
            <div class="tools">
                <Picker id="import-file" label="Choose a file" accept="" take={picked} />
                { kinds(&source, &outcome) }
                <button type="button" class="primary" id="import-apply" disabled={outcome.link().is_none()} onclick={apply}>{ "Apply" }</button>
            </div>
            { missing(&source, &outcome) }
            <div id="import-outcome" role="status" aria-live="polite">{ said(&outcome) }</div>
        </>
    }
}

/// The name of a file without what comes after its first point.
fn file_stem(name: &str) -> &str {
    name.split('.').next().unwrap_or_default()
}

/// The text to correct, or the name of a file that is too long for that.
fn text(source: &UseStateHandle<Source>, close: &Callback<()>) -> Html {
    let shown = source.text.as_ref().filter(|text| text.len() <= LONGEST_SHOWN);
    let Some(shown) = shown else {
        let bytes = source.text.as_ref().map_or(0, |text| text.len());
        return html! { <p>{ format!("{}, {} bytes", source.name, number::integer(bytes as u64)) }</p> };
    };
    let input = {
        let (source, close) = (source.clone(), close.clone());
        Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlTextAreaElement>().value();
            let fresh = source.kind.is_none() && source.given.is_empty();
            if fresh && event.input_type() == "insertFromPaste" && at_once(&text) {
                close.emit(());
                return;
            }
            source.set(Source { text: Some(text.into()), ..(*source).clone() });
        })
    };
    let label = if source.name.is_empty() { "Text" } else { source.name.as_str() };
    html! {
        <div>
            <p>
                { "Paste or open a config.json, launch script, trainer configuration (YAML, TOML, JSON), Slurm script, nvidia-smi topo -m output, training log, trace, Hugging Face model name or stepcast link. The text stays in your browser." }
            </p>
            <label for="import-text">{ label.to_owned() }</label>
            <textarea class="text" id="import-text" rows="6" spellcheck="false" autofocus={shown.is_empty()} value={shown.clone()} oninput={input} />
        </div>
    }
}

/// What the text is, to be corrected.
fn kinds(source: &UseStateHandle<Source>, outcome: &Outcome) -> Html {
    let choose = {
        let source = source.clone();
        Callback::from(move |event: Event| {
            let kind = ToolFile::from_name(&event.target_unchecked_into::<HtmlSelectElement>().value());
            source.set(Source { kind, ..(*source).clone() });
        })
    };
    let seen = match outcome {
        Outcome::Understood(read, _) if source.kind.is_none() => format!("Detected: {}", read.kind.label()),
        Outcome::Link(_) => "Detected: link".to_owned(),
        _ => "Detect automatically".to_owned(),
    };
    html! {
        <span class="control">
            <label for="import-kind">{ "Format" }</label>
            <select id="import-kind" onchange={choose}>
                <option value="" selected={source.kind.is_none()}>{ seen }</option>
                for kind in ToolFile::ALL {
                    <option value={kind.name()} selected={source.kind == Some(kind)}>{ kind.label() }</option>
                }
            </select>
        </span>
    }
}

/// What the file does not say, with inputs; what is left empty stays as it is on the page.
fn missing(source: &UseStateHandle<Source>, outcome: &Outcome) -> Html {
    // What cannot be read of a field that was typed is mended in its place.
    let open = if let Outcome::Understood(read, _) = outcome { read.missing.as_slice() } else { &[] };
    let listed = |key: &str| {
        open.iter().any(|missing| missing.field == key) || source.given.iter().any(|given| given.0 == key)
    };
    let fields: Vec<&Field> = FIELDS.iter().filter(|field| listed(field.key)).collect();
    if fields.is_empty() {
        return Html::default();
    }
    let page = Document::from_link(&browser::fragment()).map(|opened| opened.document).unwrap_or_default();
    html! {
        <fieldset id="import-missing">
            <legend>{ "Not in the file. Empty fields keep their current values." }</legend>
            for field in fields {
                { input(source, field, page.text(field.key)) }
            }
        </fieldset>
    }
}

fn input(source: &UseStateHandle<Source>, field: &'static Field, now: &str) -> Html {
    let typed = {
        let source = source.clone();
        Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlInputElement>().value();
            let mut given = source.given.clone();
            given.retain(|entry| entry.0 != field.key);
            if !text.trim().is_empty() {
                given.push((field.key.to_owned(), text));
            }
            source.set(Source { given, ..(*source).clone() });
        })
    };
    let id = format!("import-missing-{}", field.key);
    let value = source.given.iter().find(|given| given.0 == field.key).map(|given| given.1.clone());
    html! {
        <span class="control">
            <label for={id.clone()}>{ field.label }</label>
            <input type="text" id={id} size="12" placeholder={now.to_owned()} value={value.unwrap_or_default()} oninput={typed} />
        </span>
    }
}

fn said(outcome: &Outcome) -> Html {
    match outcome {
        Outcome::Nothing => Html::default(),
        Outcome::Link(_) => html! { <p>{ "This is a stepcast link. Apply opens the linked forecast." }</p> },
        Outcome::Wrong(errors) => html! {
            for error in errors {
                <p class="error">{ error.to_string() }</p>
            }
        },
        Outcome::Understood(read, taken) => html! {
            <>
                if let Some(measured) = read.measured {
                    <p>{ format!("Measured: {} per step, the median of {}. Apply adds this run to your measured runs.",
                        number::time(Seconds(measured.step_seconds)), number::integer(measured.steps.into())) }</p>
                }
                { understood(read) }
                { assumed(read) }
                { ignored(read) }
                for sentence in taken.suited.iter() {
                    <p>{ sentence }</p>
                }
                for sentence in taken.problems.iter() {
                    <p class="error">{ format!("Invalid: {sentence}") }</p>
                }
            </>
        },
    }
}

/// The label of a field.
fn label(key: &str) -> String {
    Field::find(key).map_or(key, |field| field.label).to_owned()
}

/// A line's number, as a cell.
fn line(line: Option<u32>) -> String {
    line.map(|line| number::integer(line.into())).unwrap_or_default()
}

fn understood(read: &Read) -> Html {
    let is_assumed = |key: &str| read.assumed.iter().any(|assumed| assumed.field == Some(key));
    let (mut rows, mut derived) = (Vec::new(), Vec::new());
    for (key, text) in read.fields.iter().filter(|field| !is_assumed(field.0)) {
        let value = Field::find(key).map_or(text.as_str(), |field| field.label_of(text)).to_owned();
        match read.sources.iter().find(|source| source.field == *key) {
            Some(source) => {
                rows.push(("", vec![label(key), value, line(source.line), source.name.clone()]));
            }
            None => derived.push(("", vec![label(key), value])),
        }
    }
    let head = vec!["Field", "Value", "Line", "From setting"];
    html! {
        <>
            { sheet("import-understood", "Imported", head, &[0, 1, 3], rows) }
            { sheet("import-derived", "Derived from the settings of the file", vec!["Field", "Value"], &[0, 1], derived) }
        </>
    }
}

fn assumed(read: &Read) -> Html {
    let rows = read.assumed.iter().map(|assumed| {
        let field = assumed.field.map(label).unwrap_or_default();
        ("", vec![field, assumed.text.clone()])
    });
    sheet("import-assumed", "Assumed or not supported", vec!["Field", "Note"], &[0, 1], rows.collect())
}

fn ignored(read: &Read) -> Html {
    let rows: Vec<_> = read
        .ignored
        .iter()
        .take(MOST_LISTED)
        .map(|ignored| {
            let effect = ignored.importance.label().to_owned();
            ("", vec![ignored.name.clone(), line(ignored.line), ignored.text.clone(), effect])
        })
        .collect();
    let more = read.ignored.len().saturating_sub(rows.len());
    html! {
        <>
            { sheet("import-ignored", "Ignored", vec!["Setting", "Line", "Why", "Effect"], &[0, 2, 3], rows) }
            if more > 0 {
                <p>{ format!("And {} more.", number::integer(more as u64)) }</p>
            }
        </>
    }
}

/// A table, where it has rows.
fn sheet(
    id: &'static str,
    title: &str,
    head: Vec<&'static str>,
    words: &'static [usize],
    rows: Vec<(&'static str, Vec<String>)>,
) -> Html {
    if rows.is_empty() {
        return Html::default();
    }
    Sheet { id, caption: title.to_owned(), head, words, rows }.framed()
}

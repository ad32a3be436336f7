//! Forecasts saved under names in the reader's browser, and as a file to take elsewhere. Nothing is sent.

use crate::root::PanelProps;
use crate::widgets::compare::compare;
use std::rc::Rc;
use stepcast::page_state::page::PageForecast;
use stepcast::page_state::report::scenario_link;
use stepcast::page_state::saved::{
    FILE, MOST_SAVED, SAVED, SavedForecast, named, read, with, without, written,
};
use stepcast::page_state::summary;
use stepcast_web_kit::browser;
use stepcast_web_kit::clipboard::download;
use stepcast_web_kit::files::{Content, Picker};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// What is saved, as the browser keeps it.
fn kept() -> Vec<SavedForecast> {
    let text = browser::storage().and_then(|storage| storage.get_item(SAVED).ok()?);
    read(&text.unwrap_or_default()).0
}

/// What is saved, and what was last said of it.
#[derive(Clone)]
struct Shelf {
    saved: UseStateHandle<Vec<SavedForecast>>,
    said: UseStateHandle<Vec<String>>,
}

impl Shelf {
    fn keep(&self, list: Vec<SavedForecast>, sentences: Vec<String>) {
        let stored = browser::storage().map(|storage| storage.set_item(SAVED, &written(&list)));
        let refused = "The browser blocked storage for this page. Export the forecasts to a file instead.";
        self.said.set(if matches!(stored, Some(Ok(()))) { sentences } else { vec![refused.to_owned()] });
        self.saved.set(list);
    }

    /// Saves a forecast under what is typed, or under what it is of where nothing is.
    fn save(&self, typed: &str, forecast: &PageForecast) {
        let own = summary::job(&forecast.document, &forecast.scenario);
        let Some(name) = named(typed).or_else(|| named(&own)) else { return };
        let list =
            with(&kept(), SavedForecast { name: name.clone(), link: scenario_link(&forecast.document) });
        self.keep(list, vec![format!("Saved as \u{201c}{name}\u{201d}.")]);
    }

    fn import(&self, contents: &[Content]) {
        let mut list = kept();
        let mut sentences = Vec::new();
        for content in contents {
            let text = String::from_utf8_lossy(content.bytes.as_deref().unwrap_or_default()).into_owned();
            let (more, problems) = read(&text);
            sentences.push(format!("{}: {} imported.", content.name, more.len()));
            sentences.extend(problems.into_iter().map(|problem| format!("{}, {problem}", content.name)));
            list = more.into_iter().fold(list, |list, one| with(&list, one));
        }
        self.keep(list, sentences);
    }

    fn let_go(&self, name: &str) {
        self.keep(without(&kept(), name), vec![format!("Deleted \u{201c}{name}\u{201d}.")]);
    }
}

/// The panel.
#[component]
pub(crate) fn SavedPanel(props: &PanelProps) -> Html {
    let shelf = Shelf { saved: use_state(kept), said: use_state(Vec::new) };
    let name = use_node_ref();
    let save = {
        let (shelf, name, forecast) = (shelf.clone(), name.clone(), props.forecast.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(input) = name.cast::<HtmlInputElement>() {
                shelf.save(&input.value(), &forecast);
                input.set_value("");
            }
        })
    };
    let import = {
        let shelf = shelf.clone();
        Callback::from(move |contents: Rc<[Content]>| shelf.import(&contents))
    };
    let export = {
        let saved = shelf.saved.clone();
        Callback::from(move |_: MouseEvent| download(FILE, "text/tab-separated-values", &written(&saved)))
    };
    let let_go = {
        let shelf = shelf.clone();
        Callback::from(move |name: String| shelf.let_go(&name))
    };
    let Shelf { saved, said } = &shelf;
    html! {
        <>
            <p>{ format!("Up to {MOST_SAVED} forecasts are stored, only in this browser.") }</p>
            <form class="tools" onsubmit={save}>
                <span class="control">
                    <label for="saved-name">{ "Save this forecast as" }</label>
                    <input id="saved-name" ref={name} type="text" maxlength="80" autocomplete="off" />
                </span>
                <button type="submit" class="quiet">{ "Save" }</button>
                <button type="button" class="quiet" onclick={export} disabled={saved.is_empty()}>{ "Export" }</button>
                <Picker id="saved-file" label="Import" accept=".tsv,.txt" take={import} />
            </form>
            <div role="status" aria-live="polite">
                for sentence in said.iter() {
                    <p>{ sentence }</p>
                }
            </div>
            <ul class="saved" id="saved-list">
                for one in saved.iter() {
                    { entry(one, props, &let_go) }
                }
            </ul>
        </>
    }
}

fn entry(one: &SavedForecast, props: &PanelProps, let_go: &Callback<String>) -> Html {
    let open = {
        let (begin, link) = (props.begin.clone(), one.link.clone());
        Callback::from(move |_: MouseEvent| begin.emit(link.clone()))
    };
    let gone = {
        let (let_go, name) = (let_go.clone(), one.name.clone());
        Callback::from(move |_: MouseEvent| let_go.emit(name.clone()))
    };
    html! {
        <li key={one.name.clone()}>
            <button type="button" class="suggestion" onclick={open}>{ &one.name }</button>
            { compare(&one.link, &one.name, props) }
            <button type="button" class="quiet" onclick={gone} aria-label={format!("Delete {}", one.name)}>{ "Delete" }</button>
        </li>
    }
}

//! A list to search: a combobox that also takes a share link, and a number before machines.

use super::Props;
use stepcast::page_state::job::{Pick, lacking, picks, similar};
use stepcast_web_kit::browser;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// What was typed, and the entry that Enter takes.
#[derive(Clone, Default, PartialEq)]
pub(super) struct PickerSearch {
    query: String,
    active: usize,
}

/// The list of what can be picked.
pub(super) fn list(props: &Props, search: &UseStateHandle<PickerSearch>) -> Html {
    let found = picks(&props.document, props.part, &search.query);
    let active = search.active.min(found.len().saturating_sub(1));
    let input = {
        let search = search.setter();
        Callback::from(move |event: InputEvent| {
            let query = event.target_unchecked_into::<HtmlInputElement>().value();
            search.set(PickerSearch { query, active: 0 });
        })
    };
    let keys = keys(props, search, &found, active);
    let hint = match props.part.key {
        "m" => "Name, config.json, or: 40 layers, hidden 5120",
        "g" => "Name, or: 2,048 H800",
        _ => "Name",
    };
    html! {
        <>
            <input type="text" id="picker-search" role="combobox" aria-label={format!("Search: {}", props.part.name)}
                aria-expanded="true" aria-controls="picker-list" aria-autocomplete="list"
                aria-activedescendant={(!found.is_empty()).then(|| option_id(active))} placeholder={hint}
                autocomplete="off" spellcheck="false" value={search.query.clone()} oninput={input} onkeydown={keys} />
            <ul class="picker-list" id="picker-list" role="listbox" aria-label={props.part.name}>
                for (place, pick) in found.iter().enumerate() {
                    if place == 0 && !pick.group.is_empty() || place.checked_sub(1).and_then(|last| found.get(last)).is_some_and(|last| last.group != pick.group) {
                        <li role="presentation" class="picker-group">{ &pick.group }</li>
                    }
                    <li role="option" id={option_id(place)} aria-selected={(place == active).to_string()}
                        class={classes!("pick", pick.current.then_some("current"))}
                        onmousedown={|event: MouseEvent| event.prevent_default()}
                        onclick={
                            let (ask, close, action) = (props.ask.clone(), props.close.clone(), pick.action.clone());
                            move |_: MouseEvent| {
                                ask.emit(action.clone());
                                close.emit(true);
                            }
                        }>
                        <span>{ &pick.label }</span>
                        if !pick.detail.is_empty() {
                            <span class="pick-detail">{ &pick.detail }</span>
                        }
                    </li>
                }
            </ul>
            if found.is_empty() {
                { none(props, search) }
                if props.part.key == "m" {
                    <p><button type="button" class="quiet" data-import={search.query.clone()}>{ "Search the list of Hugging Face models" }</button></p>
                }
            }
        </>
    }
}

/// What can be done where nothing is found.
fn none(props: &Props, search: &UseStateHandle<PickerSearch>) -> Html {
    let advice = match props.part.key {
        "m" => {
            "Paste the config.json here, or describe the model: 13B model with 40 layers, hidden 5120, 40 heads, vocab 32000."
        }
        "g" => "Enter the GPU, node and network under More options.",
        "stack" => "Select the closest software and set its kernels under More options.",
        _ => "Enter fewer words.",
    };
    if let Some(sentence) = lacking(props.part, &search.query) {
        return html! { <div class="picker-none"><p role="status">{ sentence }</p></div> };
    }
    let similar = similar(props.part, &search.query);
    html! {
        <div class="picker-none">
            <p role="status">{ format!("No match for \u{201c}{}\u{201d}. {advice}", search.query.trim()) }</p>
            if !similar.is_empty() {
                <p>
                    { "Similar: " }
                    for name in similar {
                        // The focus stays where it is: an element that goes with it closes the list.
                        <button type="button" class="suggestion" onmousedown={|event: MouseEvent| event.prevent_default()} onclick={
                            let (search, query) = (search.setter(), name.clone());
                            move |_: MouseEvent| search.set(PickerSearch { query: query.clone(), active: 0 })
                        }>{ name }</button>
                        { " " }
                    }
                </p>
            }
        </div>
    }
}

/// What the keys do: arrows walk through the entries, Enter takes one.
fn keys(
    props: &Props,
    search: &UseStateHandle<PickerSearch>,
    found: &[Pick],
    active: usize,
) -> Callback<KeyboardEvent> {
    let (search, last) = (search.clone(), found.len().saturating_sub(1));
    let chosen = found.get(active).map(|pick| pick.action.clone());
    let (ask, close) = (props.ask.clone(), props.close.clone());
    // The text that the list was drawn for: a state's handle says what it is by now.
    let (document, part, listed) = (props.document.clone(), props.part, search.query.clone());
    Callback::from(move |event: KeyboardEvent| {
        let next = match event.key().as_str() {
            "ArrowDown" => (active + 1).min(last),
            "ArrowUp" => active.saturating_sub(1),
            "Enter" => {
                event.prevent_default();
                // Enter may follow a letter before its list is drawn.
                let typed = event.target_unchecked_into::<HtmlInputElement>().value();
                let taken = if typed == listed {
                    chosen.clone()
                } else {
                    picks(&document, part, &typed).into_iter().next().map(|pick| pick.action)
                };
                if let Some(action) = taken {
                    ask.emit(action);
                    close.emit(true);
                }
                return;
            }
            _ => return,
        };
        event.prevent_default();
        if let Some(option) = browser::element(&option_id(next)) {
            option.scroll_into_view_with_bool(false);
        }
        search.set(PickerSearch { active: next, query: search.query.clone() });
    })
}

fn option_id(place: usize) -> String {
    format!("pick-{place}")
}

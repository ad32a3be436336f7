//! Export of a panel's tables, as shown on the page: in one of the kinds of `page_state::tables`.

use stepcast::page_state::tables::{FileKind, Table};
use stepcast_web_kit::clipboard::{Copied, copy, download};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlSelectElement};
use yew::prelude::*;

/// Elements that a selector finds inside another.
fn inside(place: &Element, selector: &str) -> Vec<Element> {
    let Ok(found) = place.query_selector_all(selector) else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
}

/// What a cell says, without what can be pressed in it.
fn text(cell: &Element) -> String {
    let mut text = cell.text_content().unwrap_or_default();
    for button in inside(cell, "button, select, option") {
        text = text.replacen(&button.text_content().unwrap_or_default(), "", 1);
    }
    text.trim().to_owned()
}

fn cells(row: &Element) -> Vec<String> {
    inside(row, "th, td").iter().map(text).collect()
}

/// A table as shown on the page.
fn read(table: &Element) -> Table {
    let rows = |selector: &str| inside(table, selector).iter().map(cells).collect::<Vec<_>>();
    let caption = inside(table, "caption").first().map(text).unwrap_or_default();
    Table { caption, head: rows("thead tr").pop().unwrap_or_default(), rows: rows("tbody tr") }
}

/// A choice of formats, and buttons that copy and download all tables next to it. Hidden if there are none.
#[component]
pub(crate) fn TakeAway() -> Html {
    let place = use_node_ref();
    let kind = use_state_eq(|| FileKind::Csv);
    let said = use_state_eq(|| "");
    let choose = {
        let kind = kind.setter();
        Callback::from(move |event: Event| {
            let name = event.target_unchecked_into::<HtmlSelectElement>().value();
            if let Some(entry) = FileKind::ALL.iter().find(|entry| entry.1 == name) {
                kind.set(entry.0);
            }
        })
    };
    let written = {
        let (place, kind) = (place.clone(), *kind);
        move || {
            let around = place.cast::<Element>().and_then(|own| own.parent_element());
            let tables = around.map(|around| inside(&around, "table.data")).unwrap_or_default();
            tables.iter().map(|table| read(table).written(kind)).collect::<Vec<_>>().join("\n")
        }
    };
    let copied = {
        let (said, written) = (said.setter(), written.clone());
        Callback::from(move |_: MouseEvent| {
            let said = said.clone();
            copy(&written(), move |copied| {
                said.set(match copied {
                    Copied::Yes => "Copied.",
                    Copied::No => "The browser blocked access to the clipboard.",
                });
            });
        })
    };
    let saved = {
        let kind = *kind;
        Callback::from(move |_: MouseEvent| {
            download(&format!("table.{}", kind.ending()), kind.media_type(), &written());
        })
    };
    html! {
        <div class="take-away" ref={place}>
            <select aria-label="Table format" onchange={choose}>
                for (entry, name) in FileKind::ALL {
                    <option value={name} selected={entry == *kind}>{ name }</option>
                }
            </select>
            <button type="button" class="quiet" onclick={copied}>{ "Copy table" }</button>
            <button type="button" class="quiet" onclick={saved}>{ "Download table" }</button>
            <span role="status">{ *said }</span>
        </div>
    }
}

//! What is searched and kept, the columns of the ranked table, and a filter for each.

use crate::root::PanelProps;
use crate::widgets::controls::Pick;
use stepcast::number;
use stepcast::page_state::columns::{RankingColumn, chosen_with};
use stepcast::page_state::query::{COLUMNS, query};
use stepcast::planned::{BEYOND, MARGIN, Searched, TOP, TOPS};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// The panel.
pub(crate) fn columns(props: &PanelProps) -> Html {
    let (_, wrong) = query(&props.document);
    let sentence = |column: RankingColumn| {
        wrong.iter().find(|wrong| wrong.0 == Some(column)).map(|wrong| wrong.1.clone())
    };
    html! {
        <>
            { limits(props) }
            <p>{ "Filters accept a value, a list (4,8), a range (8..64) or a comparison (>=8). ! negates a filter, and || combines filters with \u{201c}or\u{201d}. Columns with the same value in every row are hidden unless selected." }</p>
            <div class="columns">
                for column in RankingColumn::all() {
                    { one(props, column, sentence(column)) }
                }
            </div>
        </>
    }
}

/// Limits of the search, and how much of it is kept.
fn limits(props: &PanelProps) -> Html {
    let searched = Searched::of(&props.document);
    let beyond = {
        let show = props.show.clone();
        Callback::from(move |event: Event| {
            let only = event.target_unchecked_into::<HtmlInputElement>().checked();
            show.emit((BEYOND, if only { "" } else { "1" }.to_owned()));
        })
    };
    let margin = {
        let show = props.show.clone();
        Callback::from(move |event: Event| {
            show.emit((MARGIN, event.target_unchecked_into::<HtmlInputElement>().value()));
        })
    };
    let tops = TOPS.map(|top| (AttrValue::from(top.to_string()), number::integer(top as u64).into()));
    html! {
        <div class="tools">
            <label class="switch">
                <input type="checkbox" id="beyond" checked={!searched.beyond} onchange={beyond} />
                { format!("Only layouts supported by {}", props.document.label("stack")) }
            </label>
            <span class="control">
                <label for="margin">{ "Memory headroom, %" }</label>
                <input type="number" id="margin" min="0" max="50" step="1" onchange={margin} placeholder="auto"
                    value={searched.margin.percent().map(|percent| number::fixed(percent, 0))} />
            </span>
            <Pick panel="ranking" name={TOP} label="Maximum rows" value={searched.top.to_string()} entries={tops.to_vec()}
                show={&props.show} />
        </div>
    }
}

fn one(props: &PanelProps, column: RankingColumn, wrong: Option<String>) -> Html {
    let chosen = props.state(COLUMNS).to_owned();
    let said = |word: &str| chosen.split(',').any(|other| other == word);
    let hidden = said(&format!("-{}", column.key())) || (column.is_extra() && !said(column.key()));
    let key = column.filter_key();
    let switch = {
        let show = props.show.clone();
        let chosen = chosen.clone();
        Callback::from(move |event: Event| {
            let shown = event.target_unchecked_into::<HtmlInputElement>().checked();
            show.emit((COLUMNS, chosen_with(&chosen, column, shown)));
        })
    };
    let filter = {
        let show = props.show.clone();
        Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlInputElement>().value();
            show.emit((key, text));
        })
    };
    let id = format!("filter-{}", column.key());
    let error = format!("{id}-error");
    html! {
        <div key={column.key()} class="column">
            <label class="switch" title={column.help()}>
                <input type="checkbox" checked={!hidden} onchange={switch} data-column={column.key()} />{ column.label() }
            </label>
            <input type="text" {id} aria-label={format!("Filter: {}", column.label())} value={props.state(key).to_owned()}
                oninput={filter} autocomplete="off" spellcheck="false" aria-invalid={wrong.as_ref().map(|_| "true")}
                aria-describedby={wrong.as_ref().map(|_| error.clone())} />
            if let Some(sentence) = wrong {
                <p class="error" id={error}>{ sentence }</p>
            }
        </div>
    }
}

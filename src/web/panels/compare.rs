//! Pinned layouts side by side, with their differences to the first.

use crate::root::PanelProps;
use stepcast::page_state::pins::{MOST_PINS, PINS, compare, pinned_with, pins};
use stepcast::page_state::searched::Searched;
use stepcast::page_state::summary;
use stepcast::scenario::Scenario;
use yew::prelude::*;

/// The panel.
pub(crate) fn compared(props: &PanelProps) -> Html {
    let job = &props.forecast.scenario;
    let compared = compare(job, &pins(&props.document), &Searched::of(&props.document));
    if compared.plans.is_empty() {
        return html! {
            <p class="panel-wait">{ format!("Tick the boxes of up to {MOST_PINS} rows of the table to compare them here.") }</p>
        };
    }
    let heading = |(place, plan): (usize, &stepcast::scenario::plan::Plan)| {
        let unpin = {
            let (show, text) = (props.show.clone(), pinned_with(&props.document, job, plan));
            Callback::from(move |_: MouseEvent| show.emit((PINS, text.clone())))
        };
        let name = summary::layout(plan, Scenario { plan: *plan, ..*job }.data_parallel());
        html! {
            <th key={place} scope="col" class="words">
                { &name }
                <button type="button" class="quiet" onclick={unpin} aria-label={format!("Unpin {name}")}>{ "Unpin" }</button>
            </th>
        }
    };
    html! {
        <div class="table-frame" tabindex="0" role="group" aria-label="Pinned layouts">
            <table class="data compare">
                <caption>{ "Pinned layouts; in brackets the difference to the first" }</caption>
                <thead>
                    <tr>
                        <td></td>
                        for plan in compared.plans.iter().enumerate() {
                            { heading(plan) }
                        }
                    </tr>
                </thead>
                <tbody>
                    for (label, cells) in compared.rows.iter() {
                        <tr key={label.clone()}>
                            <th scope="row">{ label }</th>
                            for (place, cell) in cells.iter().enumerate() {
                                <td key={place} class="words">{ cell }</td>
                            }
                        </tr>
                    }
                </tbody>
            </table>
        </div>
    }
}

//! Pinned layouts side by side, with their differences to the first.

use crate::root::PanelProps;
use crate::widgets::side_by_side::side_by_side;
use stepcast::page_state::pins::{MOST_PINS, PINS, compare, pinned_with, pins};
use stepcast::page_state::summary;
use stepcast::planned::Searched;
use stepcast::scenario::Scenario;
use yew::prelude::*;

/// The panel.
pub(crate) fn compared(props: &PanelProps) -> Html {
    let job = &props.forecast.scenario;
    let compared =
        compare(&props.forecast.predictor(), job, &pins(&props.document), &Searched::of(&props.document));
    if compared.plans.is_empty() {
        return html! {
            <p class="panel-wait">{ format!("Select up to {MOST_PINS} layouts in the table to compare them.") }</p>
        };
    }
    let columns = compared.plans.iter().map(|plan| {
        let unpin = {
            let (show, text) = (props.show.clone(), pinned_with(&props.document, job, plan));
            Callback::from(move |_: MouseEvent| show.emit((PINS, text.clone())))
        };
        let name = summary::layout(plan, Scenario { plan: *plan, ..*job }.data_parallel());
        let says = format!("Unpin {name}");
        (name, html! { <button type="button" class="quiet" onclick={unpin} aria-label={says}>{ "Unpin" }</button> })
    });
    side_by_side(("pins-table", "Pinned layouts"), columns, &compared.rows)
}

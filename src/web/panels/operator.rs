//! One kernel or collective of the slowest stage, and what its time is made of.

use crate::explain::window;
use crate::operators::pass;
use crate::root::PanelProps;
use crate::widgets::controls::Pick;
use stepcast::forecast::OperatorRow;
use stepcast::page_state::explained::explained;
use yew::prelude::*;

/// Key of the view state: name and pass of the operator; the default is the one that takes most of the step.
const OPERATOR: &str = "op";

/// What an operator is called in the link.
fn name(row: &OperatorRow) -> String {
    format!("{}:{}", row.name, pass(row.pass).replace(' ', "-"))
}

/// The panel.
#[component]
pub(crate) fn OperatorPanel(props: &PanelProps) -> Html {
    let rows = &props.forecast.prediction.operators;
    let whole = |row: &OperatorRow| row.time.0 * row.count;
    let slowest = || (0..rows.len()).max_by(|a, b| whole(&rows[*a]).total_cmp(&whole(&rows[*b])));
    let asked = props.state(OPERATOR);
    let Some(place) = rows.iter().position(|row| name(row) == asked).or_else(slowest) else {
        return Html::default();
    };
    let told = use_memo((props.forecast.clone(), place), |(forecast, place)| {
        explained(forecast, &format!("operator.{place}"))
    });
    let entry = |row: &OperatorRow| {
        let label = format!("{}, {}", row.name.replace('_', " "), pass(row.pass));
        (AttrValue::from(name(row)), AttrValue::from(label))
    };
    html! {
        <>
            <div class="tools">
                <Pick name={OPERATOR} panel="operator" label="Operator" value={name(&rows[place])}
                    entries={rows.iter().map(entry).collect::<Vec<_>>()} show={props.show.clone()} />
            </div>
            if let Some(told) = &*told {
                <div class="explained">{ window(told) }</div>
            }
        </>
    }
}

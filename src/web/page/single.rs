//! One panel of the second module alone, for a view that is embedded.

use crate::panels::{asks, slot, use_drawing, use_module, waiting};
use crate::store::Dispatch;
use stepcast_web_kit::ColourRevision;
use yew::prelude::*;

#[derive(Properties, Clone, PartialEq)]
pub(crate) struct SingleProps {
    /// The panel's name.
    pub(crate) panel: &'static str,
    /// Link of the scenario, with the view state.
    pub(crate) link: AttrValue,
    pub(crate) colours: ColourRevision,
    pub(crate) dispatch: Dispatch,
}

/// The panel, without a heading of its own.
#[component]
pub(crate) fn Single(props: &SingleProps) -> Html {
    let loaded = use_module(true);
    let shown = (props.link.clone(), props.link.clone(), props.colours);
    use_drawing(&loaded.module, shown, vec![props.panel], asks(&props.dispatch));
    html! {
        <section class="panel" id={props.panel}>
            { waiting(&loaded) }
            <div id={slot(props.panel)} data-panel={props.panel}></div>
        </section>
    }
}

//! One panel of the second module alone, for a view that is embedded.

use crate::panels::{Module, failed, slot, use_drawing, use_module};
use crate::store::use_dispatch;
use stepcast_web_kit::Colours;
use yew::prelude::*;

#[derive(Properties, Clone, PartialEq)]
pub(crate) struct SingleProps {
    /// The panel's name.
    pub(crate) panel: &'static str,
    /// Link of the scenario, with the view state.
    pub(crate) link: AttrValue,
    pub(crate) colours: Colours,
}

/// The panel, without a fold.
#[component]
pub(crate) fn Single(props: &SingleProps) -> Html {
    let dispatch = use_dispatch();
    let (module, retry) = use_module(true);
    use_drawing(&module, (&props.link, props.colours), vec![props.panel], &dispatch);
    html! {
        <section class="panel" id={props.panel}>
            if let Module::Failed(reason) = &module {
                { failed(reason, &retry) }
            }
            <div id={slot(props.panel)} data-panel={props.panel}></div>
        </section>
    }
}

//! Labelled controls of the panels, whose values are the page's view state.

use crate::root::Show;
use stepcast_web_kit::hooks::use_effect_with;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct PickProps {
    /// Key of the view state.
    pub(crate) name: &'static str,
    /// Sets controls of the same key in several panels apart.
    pub(crate) panel: &'static str,
    pub(crate) label: &'static str,
    pub(crate) value: AttrValue,
    /// Values and their names.
    pub(crate) entries: Vec<(AttrValue, AttrValue)>,
    pub(crate) show: Show,
}

/// Fixed entries of a list.
pub(crate) fn entries(list: &[(&'static str, &'static str)]) -> Vec<(AttrValue, AttrValue)> {
    list.iter().map(|(value, label)| ((*value).into(), (*label).into())).collect()
}

/// A list of choices.
#[component]
pub(crate) fn Pick(props: &PickProps) -> Html {
    let list = use_node_ref();
    {
        // Once the reader has chosen from a list, its entries' `selected` attributes no longer move it.
        let list = list.clone();
        use_effect_with(props.value.clone(), move |value| {
            if let Some(list) = list.cast::<HtmlSelectElement>() {
                list.set_value(value);
            }
        });
    }
    let (key, show) = (props.name, props.show.clone());
    let change = Callback::from(move |event: Event| {
        show.emit((key, event.target_unchecked_into::<HtmlSelectElement>().value()));
    });
    let id = format!("{}-{key}", props.panel);
    html! {
        <span class="control">
            <label for={id.clone()}>{ props.label }</label>
            <select ref={list} {id} onchange={change}>
                for (value, label) in props.entries.iter() {
                    <option key={value.to_string()} value={value.clone()} selected={*value == props.value}>{ label }</option>
                }
            </select>
        </span>
    }
}

#[derive(Properties, PartialEq)]
pub(crate) struct EntryProps {
    /// Key of the view state.
    pub(crate) name: &'static str,
    /// Sets controls of the same key in several panels apart.
    pub(crate) panel: &'static str,
    pub(crate) label: &'static str,
    #[prop_or_default]
    pub(crate) unit: &'static str,
    pub(crate) value: AttrValue,
    /// Placeholder of the empty field: the value that is used then.
    #[prop_or_default]
    pub(crate) placeholder: AttrValue,
    /// The value cannot be used; a sentence elsewhere of this id says why.
    #[prop_or_default]
    pub(crate) wrong: Option<AttrValue>,
    pub(crate) show: Show,
}

/// A field to type a number into.
#[component]
pub(crate) fn Entry(props: &EntryProps) -> Html {
    let (key, show) = (props.name, props.show.clone());
    let input = Callback::from(move |event: InputEvent| {
        show.emit((key, event.target_unchecked_into::<HtmlInputElement>().value()));
    });
    let id = format!("{}-{key}", props.panel);
    html! {
        <span class="control">
            <label for={id.clone()}>{ props.label }</label>
            <input type="text" inputmode="decimal" {id} value={props.value.clone()} size="7" autocomplete="off"
                spellcheck="false" placeholder={props.placeholder.clone()} oninput={input}
                aria-invalid={props.wrong.as_ref().map(|_| "true")} aria-describedby={props.wrong.clone()} />
            if !props.unit.is_empty() {
                <span class="aside">{ props.unit }</span>
            }
        </span>
    }
}

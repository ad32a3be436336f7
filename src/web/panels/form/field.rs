//! One field: label, control, unit, help, and what is wrong with it.

use super::Ask;
use super::typed::Typed;
use stepcast::error::FieldError;
use stepcast::fields::{Field, FieldKind};
use stepcast::page_state::page::Action;
use stepcast_web_kit::hooks::{use_effect_with, use_flag};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct FieldRowProps {
    /// Asks the page for a change.
    pub(crate) ask: Ask,
    /// Key of the field.
    pub(crate) name: &'static str,
    /// The text of the field as typed.
    pub(crate) text: AttrValue,
    /// How the text was understood, where that says more.
    pub(crate) echo: Option<AttrValue>,
    /// What is wrong with it.
    pub(crate) error: Option<FieldError>,
    /// Of a field of a layout that the page chooses: whether the reader has set it.
    #[prop_or_default]
    pub(crate) pinned: Option<bool>,
}

/// One field of the form.
#[component]
pub(crate) fn FieldRow(props: &FieldRowProps) -> Html {
    let helping = use_flag(false);
    let list = use_node_ref();
    {
        // Once the reader has chosen from a list, its entries' `selected` attributes no longer move it.
        let list = list.clone();
        use_effect_with(props.text.clone(), move |text| {
            if let Some(list) = list.cast::<HtmlSelectElement>() {
                list.set_value(text);
            }
        });
    }
    let Some(field) = Field::find(props.name) else { return html! {} };
    let key = field.key;
    let ids = Ids::of(key);
    let described = described_by(props, *helping, &ids);
    let toggle = {
        let setter = helping.setter();
        let next = !*helping;
        Callback::from(move |_: MouseEvent| setter.set(next))
    };
    let wide = matches!(field.kind, FieldKind::Choice(_));
    let unit = if field.unit.is_empty() { None } else { Some(field.unit) };
    html! {
        <div class={classes!("field", wide.then_some("field-wide"), props.error.is_some().then_some("field-wrong"))}>
            <label for={ids.control.clone()}>{ field.label }</label>
            { control(field, props, &ids, described, &list, &props.ask) }
            <span class="unit">{ unit }</span>
            <button type="button" class="help-button" aria-label={format!("Help on {}", field.label)}
                aria-expanded={helping.to_string()} aria-controls={ids.help.clone()} onclick={toggle}>
                { "?" }
            </button>
            if let Some(echo) = &props.echo {
                <p class="echo" id={ids.echo.clone()}>{ "= " }{ echo }</p>
            }
            if let Some(pinned) = props.pinned {
                <p class="choice">{ choice(field, pinned, &props.ask) }</p>
            }
            <p class="help" id={ids.help.clone()} hidden={!*helping}>{ field.help() }</p>
            if let Some(error) = &props.error {
                <div class="error" id={ids.error.clone()}>
                    <p>{ &error.message }</p>
                    { suggestions(field, error, &props.ask) }
                </div>
            }
        </div>
    }
}

/// Ids of a field's parts.
struct Ids {
    control: String,
    help: String,
    echo: String,
    error: String,
}

impl Ids {
    fn of(key: &str) -> Self {
        let [control, help, echo, error] = ["f", "h", "e", "x"].map(|part| format!("{part}-{key}"));
        Self { control, help, echo, error }
    }
}

fn described_by(props: &FieldRowProps, helping: bool, ids: &Ids) -> Option<String> {
    let parts = [
        props.error.is_some().then_some(ids.error.as_str()),
        props.echo.is_some().then_some(ids.echo.as_str()),
        helping.then_some(ids.help.as_str()),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Whose choice a field of a planned layout is.
fn choice(field: &'static Field, pinned: bool, ask: &Ask) -> Html {
    if !pinned {
        return html! { "recommended" };
    }
    let (ask, key) = (ask.clone(), field.key);
    let free = Callback::from(move |_: MouseEvent| ask.emit(Action::Leave(Some(key))));
    html! {
        <button type="button" class="pinned" onclick={free} aria-label={format!("Unpin {}", field.label)}>
            { "pinned " }<span aria-hidden="true">{ "\u{d7}" }</span>
        </button>
    }
}

fn control(
    field: &'static Field,
    props: &FieldRowProps,
    ids: &Ids,
    described: Option<String>,
    list: &NodeRef,
    ask: &Ask,
) -> Html {
    let key = field.key;
    let id = ids.control.clone();
    let invalid = props.error.is_some().then_some("true");
    match field.kind {
        FieldKind::Choice(entries) => {
            let ask = ask.clone();
            let change = Callback::from(move |event: Event| {
                let text = event.target_unchecked_into::<HtmlSelectElement>().value();
                ask.emit(Action::Choose { key, text });
            });
            // A value from a link that is on no list stays visible as typed.
            let unknown = entries.iter().all(|entry| entry.0 != props.text).then(|| props.text.clone());
            html! {
                <select ref={list} {id} name={key} onchange={change} aria-invalid={invalid} aria-describedby={described}>
                    if let Some(text) = unknown {
                        <option key="?" value={text.clone()} selected=true>{ text.clone() }</option>
                    }
                    for (value, label) in entries.iter().copied() {
                        <option key={value} {value} selected={props.text == value}>{ label }</option>
                    }
                </select>
            }
        }
        FieldKind::Flag => {
            let ask = ask.clone();
            let change = Callback::from(move |event: Event| {
                let on = event.target_unchecked_into::<HtmlInputElement>().checked();
                ask.emit(Action::Choose { key, text: if on { "1" } else { "0" }.to_owned() });
            });
            html! {
                <input type="checkbox" {id} name={key} checked={props.text == "1"} onchange={change}
                    aria-invalid={invalid} aria-describedby={described} />
            }
        }
        FieldKind::Integer { .. }
        | FieldKind::Quantity { .. }
        | FieldKind::Layers
        | FieldKind::Modules
        | FieldKind::Pattern => {
            let (ask, text, invalid) = (ask.clone(), props.text.clone(), props.error.is_some());
            html! { <Typed {ask} field={key} {text} {id} {invalid} {described} /> }
        }
    }
}

/// One button per legal value nearby.
fn suggestions(field: &'static Field, error: &FieldError, ask: &Ask) -> Html {
    if error.suggestions.is_empty() {
        return html! {};
    }
    html! {
        <p class="suggestions">
            { if matches!(field.kind, FieldKind::Flag) { "Turn " } else { "Use " } }
            for value in error.suggestions.iter().cloned() {
                <button type="button" class="suggestion" onclick={
                    let (ask, key) = (ask.clone(), field.key);
                    let text = value.clone();
                    move |_: MouseEvent| ask.emit(Action::Choose { key, text: text.clone() })
                }>{ field.label_of(&value).to_owned() }</button>
            }
        </p>
    }
}

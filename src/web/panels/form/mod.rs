//! The form: every field of the document, the usual ones visible.

pub(crate) mod field;
mod typed;

use crate::widgets::layers::layer_strip;
use field::FieldRow;
use stepcast::document::Document;
use stepcast::error::FieldError;
use stepcast::fields::{FIELDS, Field, FieldGroup};
use stepcast::names::plain;
use stepcast::page_state::found::FoundFields;
use stepcast::page_state::job::Pick;
use stepcast::page_state::page::Action;
use stepcast::page_state::summary;
use stepcast_web_kit::Shared;
use stepcast_web_kit::hooks::{use_effect_with, use_flag};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// One section of the form.
struct Section {
    group: FieldGroup,
    id: &'static str,
    title: &'static str,
    /// Keys of the fields that are always visible, in their order.
    usual: &'static [&'static str],
    /// What the folded fields are called.
    rest: &'static str,
}

const SECTIONS: [Section; 5] = [
    Section {
        group: FieldGroup::Model,
        id: "model",
        title: "Model",
        usual: &["m"],
        rest: "All model fields",
    },
    Section {
        group: FieldGroup::Cluster,
        id: "cluster",
        title: "Machine",
        usual: &["g", "n"],
        rest: "All machine fields",
    },
    Section {
        group: FieldGroup::Workload,
        id: "workload",
        title: "Workload",
        usual: &["seq", "gb", "prec", "stack"],
        rest: "All workload fields",
    },
    Section {
        group: FieldGroup::Plan,
        id: "plan",
        title: "Layout",
        usual: &["tp", "pp", "mb", "rc", "zero"],
        rest: "All layout fields",
    },
    Section {
        group: FieldGroup::Run,
        id: "run",
        title: "Training run",
        usual: &["tokens", "days", "budget", "usd"],
        rest: "Energy and carbon",
    },
];

#[derive(Properties, PartialEq)]
pub(crate) struct FormProps {
    pub(crate) document: Shared<Document>,
    pub(crate) errors: Shared<[FieldError]>,
    pub(crate) ask: Ask,
}

/// Asks the page for a change of what is on the form.
pub(crate) type Ask = Callback<Action>;

/// The whole form. The page has the pane that contains it, and the switch that closes it.
#[component]
pub(crate) fn Form(props: &FormProps) -> Html {
    let query = use_state_eq(String::new);
    let input = {
        let query = query.setter();
        Callback::from(move |event: InputEvent| {
            query.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    let take = {
        let (query, ask, document) = (query.setter(), props.ask.clone(), props.document.clone());
        Callback::from(move |event: KeyboardEvent| {
            let typed = event.target_unchecked_into::<HtmlInputElement>().value();
            let change =
                (event.key() == "Enter").then(|| FoundFields::of(&document, &typed).change).flatten();
            if let Some(pick) = change {
                ask.emit(pick.action);
                query.set(String::new());
            }
        })
    };
    let searching = !plain(&query).is_empty();
    html! {
        <form aria-label="All fields" onsubmit={|event: SubmitEvent| event.prevent_default()}>
            <div class="form-head">
                <input type="search" id="find-field" aria-label="Find a field" placeholder="Field, or: 8 H100, 40 layers, hidden 5120"
                    autocomplete="off" spellcheck="false" value={(*query).clone()} oninput={input} onkeydown={take} />
            </div>
            if searching {
                { found(&query, query.setter(), props) }
            }
            <div hidden={searching}>
                for section in &SECTIONS {
                    { section_html(section, props, searching) }
                }
            </div>
        </form>
    }
}

/// The fields that a text finds, and what it changes where it is a sentence.
fn found(query: &str, setter: UseStateSetter<String>, props: &FormProps) -> Html {
    let FoundFields { fields, in_part, change, lacking } = FoundFields::of(&props.document, query);
    let group = change.as_ref().map(|pick| pick.group.clone()).filter(|group| !group.is_empty());
    let said = match (in_part, fields.len()) {
        (true, 0) if change.is_none() => "No match. Enter one word, such as batch or offload.".to_owned(),
        (true, 0) => "No field matches these words.".to_owned(),
        (true, _) if change.is_some() => "Fields that match some of these words:".to_owned(),
        (true, _) => "No field matches all of these words. Fields that match some:".to_owned(),
        (false, 1) => "1 field".to_owned(),
        (false, count) => format!("{count} fields"),
    };
    let change = change.map(|Pick { label, action, .. }| match action {
        Action::Set(_) => (format!("Set {label}"), action),
        _ => (label, action),
    });
    html! {
        <section class="section" aria-label="Fields found">
            if let Some(sentence) = lacking {
                <p>{ sentence }</p>
            }
            if let Some(group) = group {
                <p class="facts">{ group }</p>
            }
            if let Some((label, action)) = change {
                <p class="suggestions">
                    <button type="button" class="suggestion" id="found-change" onclick={
                        let ask = props.ask.clone();
                        move |_: MouseEvent| {
                            ask.emit(action.clone());
                            setter.set(String::new());
                        }
                    }>{ label }</button>
                </p>
            }
            <p class="facts" role="status">{ said }</p>
            for field in fields {
                { row(field, props) }
            }
        </section>
    }
}

fn section_html(section: &Section, props: &FormProps, searching: bool) -> Html {
    // A field found by search is shown alone: its name and ids belong to one control.
    if searching {
        return html! {};
    }
    let usual = section.usual.iter().filter_map(|key| Field::find(key));
    let rest: Vec<&'static Field> = FIELDS
        .iter()
        .filter(|field| field.group == section.group && !section.usual.contains(&field.key))
        .filter(|field| props.document.applies(field.key))
        .collect();
    let problems = rest.iter().filter(|field| error_of(field, props).is_some()).count();
    let edited = rest.iter().filter(|field| props.document.edited(field.key)).count();
    let title = format!("{}-title", section.id);
    html! {
        <section class="section" key={section.id} aria-labelledby={title.clone()}>
            <h2 id={title}>{ section.title }</h2>
            if section.group == FieldGroup::Plan {
                { auto_plan(props.document.is_planned(), &props.ask) }
            }
            for field in usual {
                { row(field, props) }
            }
            if let Some(facts) = summary::facts(&props.document, section.group) {
                <p class="facts">{ facts }</p>
            }
            if let (FieldGroup::Model, Ok(scenario)) = (section.group, props.document.values()) {
                { layer_strip(&scenario.model) }
            }
            if !rest.is_empty() {
                <Fold title={section.rest} {problems} {edited}>
                    for field in rest {
                        { row(field, props) }
                    }
                </Fold>
            }
        </section>
    }
}

/// The switch that leaves the layout to the page. What the reader sets is pinned.
fn auto_plan(on: bool, ask: &Ask) -> Html {
    let ask = ask.clone();
    let change = Callback::from(move |event: Event| {
        let on = event.target_unchecked_into::<HtmlInputElement>().checked();
        ask.emit(if on { Action::Leave(None) } else { Action::Keep });
    });
    html! {
        <label class="auto-plan" title="Applies the recommended layout whenever the job changes. The search keeps the fields that you set below and chooses all others.">
            <input type="checkbox" name="auto" checked={on} onchange={change} />
            { "Choose layout automatically" }
        </label>
    }
}

#[derive(Properties, PartialEq)]
struct FoldProps {
    title: &'static str,
    /// Fields in it that have a problem.
    problems: usize,
    /// Fields in it that differ from the preset.
    edited: usize,
    children: Html,
}

/// Fields that are folded away. A problem opens the fold and keeps it open.
#[component]
fn Fold(props: &FoldProps) -> Html {
    let open = use_flag(false);
    let wrong = props.problems > 0;
    {
        let open = open.setter();
        use_effect_with(wrong, move |wrong| {
            if *wrong {
                open.set(true);
            }
        });
    }
    let toggle = {
        let open = open.setter();
        Callback::from(move |event: Event| {
            open.set(event.target_unchecked_into::<web_sys::Element>().has_attribute("open"));
        })
    };
    html! {
        <details class="fold" open={*open || wrong} ontoggle={toggle}>
            <summary>{ props.title }{ note(props.problems, props.edited) }</summary>
            { props.children.clone() }
        </details>
    }
}

fn note(problems: usize, edited: usize) -> Html {
    match (problems, edited) {
        (0, 0) => html! {},
        (0, 1) => html! { <span class="fold-note">{ "1 edited" }</span> },
        (0, edited) => html! { <span class="fold-note">{ format!("{edited} edited") }</span> },
        (1, _) => html! { <span class="fold-note fold-problem">{ "1 problem" }</span> },
        (problems, _) => {
            html! { <span class="fold-note fold-problem">{ format!("{problems} problems") }</span> }
        }
    }
}

fn row(field: &'static Field, props: &FormProps) -> Html {
    let text = AttrValue::from(props.document.shown(field.key));
    let error = error_of(field, props).cloned();
    // An invalid value is not echoed in words: 500 GPUs are not 63 nodes.
    let echo = props.document.echo(field.key).filter(|_| error.is_none()).map(AttrValue::from);
    let planned = props.document.is_planned() && field.group == FieldGroup::Plan;
    let pinned = (planned && Document::can_follow(field.key)).then(|| props.document.is_set(field.key));
    html! { <FieldRow key={field.key} ask={props.ask.clone()} name={field.key} {text} {echo} {error} {pinned} /> }
}

fn error_of<'a>(field: &Field, props: &'a FormProps) -> Option<&'a FieldError> {
    props.errors.iter().find(|error| error.field == field.key)
}

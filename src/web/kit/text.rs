//! A text to export: to read, to copy, to download.

use crate::clipboard::{Copied, copy, download};
use crate::hooks::use_effect_with;
use yew::prelude::*;

/// What a [`Text`] is made from.
#[derive(Properties, PartialEq)]
pub struct TextProps {
    /// Sets texts on one page apart.
    pub id: &'static str,
    /// What it is.
    pub label: AttrValue,
    /// Name of the file that it is saved as.
    pub name: &'static str,
    /// Its media type.
    pub kind: &'static str,
    /// The text itself.
    pub text: AttrValue,
}

/// A text to copy or to download.
#[component]
pub fn Text(props: &TextProps) -> Html {
    let said = use_state(|| "");
    {
        let said = said.setter();
        use_effect_with(props.text.clone(), move |_| said.set(""));
    }
    let copied = {
        let (said, text) = (said.setter(), props.text.clone());
        Callback::from(move |_: MouseEvent| {
            let said = said.clone();
            copy(&text, move |copied| {
                said.set(match copied {
                    Copied::Yes => "Copied.",
                    Copied::No => "The browser blocked clipboard access. Select and copy the text.",
                });
            });
        })
    };
    let saved = {
        let (text, name, kind) = (props.text.clone(), props.name, props.kind);
        Callback::from(move |_: MouseEvent| download(name, kind, &text))
    };
    let id = format!("export-{}", props.id);
    html! {
        <div>
            <div class="tools">
                <label for={id.clone()}>{ &props.label }</label>
                <span role="status">{ *said }</span>
                <span class="pair">
                    <button type="button" class="quiet" id={format!("copy-{}", props.id)} onclick={copied}>{ "Copy" }</button>
                    <button type="button" class="quiet" onclick={saved}>{ "Download" }</button>
                </span>
            </div>
            <textarea class="text" {id} readonly=true rows="8" value={props.text.clone()} />
        </div>
    }
}

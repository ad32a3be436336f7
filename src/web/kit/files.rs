//! Files that the reader chooses or drops: read here, sent nowhere.

use crate::clipboard::save;
use js_sys::Uint8Array;
use std::rc::Rc;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DragEvent, File, FileList, HtmlInputElement};
use yew::prelude::*;

/// A file, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// Its name.
    pub name: String,
    /// Nothing where the browser could not read it.
    pub bytes: Option<Vec<u8>>,
}

/// Reads files one after the other and hands them on together.
fn read(list: Option<FileList>, take: Callback<Rc<[Content]>>) {
    let Some(list) = list.filter(|list| list.length() > 0) else { return };
    let files: Vec<File> = (0..list.length()).filter_map(|index| list.get(index)).collect();
    spawn_local(async move {
        let mut contents = Vec::new();
        for file in files {
            let buffer = JsFuture::from(file.array_buffer()).await;
            let bytes = buffer.ok().map(|buffer| Uint8Array::new(&buffer).to_vec());
            contents.push(Content { name: file.name(), bytes });
        }
        take.emit(contents.into());
    });
}

/// What a [`Picker`] is made from.
#[derive(Properties, PartialEq)]
pub struct PickerProps {
    /// Id of the control.
    pub id: &'static str,
    /// Its prefix.
    pub label: &'static str,
    /// Endings of names.
    pub accept: &'static str,
    /// Several may be chosen at once.
    #[prop_or_default]
    pub multiple: bool,
    /// Takes what was read.
    pub take: Callback<Rc<[Content]>>,
}

/// A place to choose files, or to drop them on.
#[component]
pub fn Picker(props: &PickerProps) -> Html {
    let change = {
        let take = props.take.clone();
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            read(input.files(), take.clone());
            // The same file may be chosen again after it was edited.
            input.set_value("");
        })
    };
    let over = Callback::from(|event: DragEvent| event.prevent_default());
    let dropped = {
        let take = props.take.clone();
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            read(event.data_transfer().and_then(|data| data.files()), take.clone());
        })
    };
    html! {
        <div class="drop" ondragover={over} ondrop={dropped}>
            <label for={props.id}>{ props.label }</label>
            <input type="file" id={props.id} accept={props.accept} multiple={props.multiple} onchange={change} />
            <span class="aside">{ "or drop here" }</span>
        </div>
    }
}

/// Offers bytes as a file.
pub fn download(name: &str, bytes: &[u8]) {
    let encoded: String = bytes.iter().map(|byte| format!("%{byte:02X}")).collect();
    save(name, &format!("data:application/octet-stream,{encoded}"));
}

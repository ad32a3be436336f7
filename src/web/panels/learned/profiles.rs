//! Profiles by name: shipped ones are fetched when they are used, the reader's own is kept while the page is open.

use js_sys::Uint8Array;
use std::cell::RefCell;
use stepcast::learned::Profile;
use stepcast_web_kit::hooks::use_effect_with;
use stepcast_web_kit::{Shared, browser};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::Response;
use yew::prelude::*;

/// Name of the profile that the reader made or opened.
pub(crate) const YOURS: &str = "own";

thread_local! {
    static KEPT: RefCell<Option<Shared<Profile>>> = const { RefCell::new(None) };
}

/// Keeps the reader's own profile.
pub(crate) fn keep(profile: Shared<Profile>) {
    KEPT.set(Some(profile));
}

/// The reader's own profile.
pub(crate) fn kept() -> Option<Shared<Profile>> {
    KEPT.with_borrow(Clone::clone)
}

/// A requested profile.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ProfileFetch {
    Loading,
    Ready(Shared<Profile>),
    Failed(String),
}

/// Name of the file that the panels' script is in: it names the build.
pub(crate) fn script() -> String {
    let meta = browser::document().and_then(|document| document.query_selector("meta[name=panels]").ok()?);
    meta.and_then(|meta| meta.get_attribute("content")).unwrap_or_default()
}

async fn fetch(name: &str) -> Result<Vec<u8>, JsValue> {
    let window = browser::window().ok_or("there is no window")?;
    // With the build's name no cache gives it another build's profile.
    let address = format!("./profiles/{name}.profile?{}", script());
    let response: Response = JsFuture::from(window.fetch_with_str(&address)).await?.dyn_into()?;
    if !response.ok() {
        return Err(JsValue::from_str(&format!("HTTP status {}", response.status())));
    }
    Ok(Uint8Array::new(&JsFuture::from(response.array_buffer()?).await?).to_vec())
}

/// A profile by its name; empty for none.
#[hook]
pub(crate) fn use_profile(name: &str) -> ProfileFetch {
    let asked = use_state(|| (String::new(), ProfileFetch::Loading));
    {
        let setter = asked.setter();
        use_effect_with(name.to_owned(), move |name| {
            let name = name.clone();
            if !name.is_empty() && name != YOURS {
                spawn_local(async move {
                    let outcome = match fetch(&name).await {
                        Ok(bytes) => match Profile::from_bytes(&bytes) {
                            Ok(profile) => ProfileFetch::Ready(Shared(profile.into())),
                            Err(sentence) => ProfileFetch::Failed(sentence),
                        },
                        Err(error) => {
                            let reason = String::from(js_sys::Object::from(error).to_string());
                            ProfileFetch::Failed(format!("The profile could not be loaded ({reason})."))
                        }
                    };
                    setter.set((name, outcome));
                });
            }
        });
    }
    match kept().filter(|_| name == YOURS) {
        Some(kept) => ProfileFetch::Ready(kept),
        None if name == YOURS => {
            ProfileFetch::Failed("No custom profile yet. Create or open one below.".to_owned())
        }
        None if asked.0 == name => asked.1.clone(),
        None => ProfileFetch::Loading,
    }
}

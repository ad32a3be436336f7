//! Light, dark or the system's choice. `start.js` applies the stored choice before the first paint.

use gloo::events::EventListener;
use stepcast_web_kit::hooks::use_effect_with;
use stepcast_web_kit::{ColourRevision, browser};
use yew::prelude::*;

const KEY: &str = "stepcast.theme";

/// Media queries whose change means other colours.
const QUERIES: [&str; 3] =
    ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"];

/// What the reader chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThemeChoice {
    /// As the system.
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl ThemeChoice {
    const ALL: [(Self, &'static str, &'static str); 3] =
        [(Self::Auto, "auto", "Auto"), (Self::Light, "light", "Light"), (Self::Dark, "dark", "Dark")];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or("auto", |entry| entry.1)
    }

    fn from_name(name: &str) -> Self {
        Self::ALL.iter().find(|entry| entry.1 == name).map_or(Self::Auto, |entry| entry.0)
    }

    /// The theme that the page shows now.
    pub(crate) fn current() -> Self {
        let root = browser::document().and_then(|document| document.document_element());
        root.and_then(|root| root.get_attribute("data-theme"))
            .map_or(Self::Auto, |name| Self::from_name(&name))
    }

    fn apply(self) {
        if let Some(root) = browser::document().and_then(|document| document.document_element()) {
            let _ = root.set_attribute("data-theme", self.name());
        }
        if let Some(storage) = browser::storage() {
            let _ = storage.set_item(KEY, self.name());
        }
    }
}

/// The theme, its setter, and the count of changes of colours.
#[hook]
pub(crate) fn use_theme() -> (ThemeChoice, Callback<ThemeChoice>, ColourRevision) {
    let theme = use_state(ThemeChoice::current);
    let revision = use_reducer(|| Revision(0));
    {
        let revision = revision.dispatcher();
        use_effect_with((), move |()| {
            let lists = QUERIES.iter().filter_map(|query| browser::window()?.match_media(query).ok()?);
            let listeners: Vec<_> = lists
                .map(|list| {
                    let revision = revision.clone();
                    EventListener::new(&list, "change", move |_| revision.dispatch(()))
                })
                .collect();
            move || drop(listeners)
        });
    }
    let choose = {
        let theme = theme.setter();
        let revision = revision.dispatcher();
        Callback::from(move |chosen: ThemeChoice| {
            chosen.apply();
            theme.set(chosen);
            revision.dispatch(());
        })
    };
    (*theme, choose, revision.0)
}

struct Revision(u32);

impl Reducible for Revision {
    type Action = ();

    fn reduce(self: std::rc::Rc<Self>, (): ()) -> std::rc::Rc<Self> {
        Self(self.0.wrapping_add(1)).into()
    }
}

/// Chooses the theme.
pub(crate) fn theme_picker(current: ThemeChoice, choose: &Callback<ThemeChoice>) -> Html {
    let choose = choose.clone();
    let change = Callback::from(move |event: Event| {
        let select = event.target_unchecked_into::<web_sys::HtmlSelectElement>();
        choose.emit(ThemeChoice::from_name(&select.value()));
    });
    html! {
        <label class="theme">
            <span class="theme-label">{ "Theme" }</span>
            <select onchange={change}>
                for (theme, name, label) in ThemeChoice::ALL {
                    <option value={name} selected={theme == current}>{ label }</option>
                }
            </select>
        </label>
    }
}

//! The address bar follows the state, and the state follows the address bar.

use crate::store::Dispatch;
use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use stepcast::page_state::imported::SAID;
use stepcast::page_state::opening::read;
use stepcast::page_state::page::{Action, Address, Page};
use stepcast_web_kit::hooks::use_effect_with;
use stepcast_web_kit::{Shared, browser};
use wasm_bindgen::JsValue;
use yew::prelude::*;

/// Pause in typing after which the address bar is rewritten, milliseconds.
const PAUSE_MS: u32 = 200;

#[derive(Default)]
struct AddressBar {
    /// The fragment as the page knows it.
    known: String,
    /// What is still to be written over the current entry.
    pending: Option<(Timeout, String)>,
}

impl AddressBar {
    fn write(&mut self, link: String, push: bool) {
        let Some(history) = browser::window().and_then(|window| window.history().ok()) else { return };
        let address = browser::query() + &link;
        // Browsers limit how often an address may be written; the state is safe, so a failure is not an error.
        let _ = if push {
            history.push_state_with_url(&JsValue::NULL, "", Some(&address))
        } else {
            history.replace_state_with_url(&JsValue::NULL, "", Some(&address))
        };
        self.known = link;
    }

    fn flush(&mut self) {
        if let Some((timer, link)) = self.pending.take() {
            timer.cancel();
            self.write(link, false);
        }
    }
}

/// Keeps the fragment and the state the same.
#[hook]
pub(crate) fn use_link(page: &Page, dispatch: &Dispatch) {
    let bar = use_mut_ref(|| AddressBar { known: browser::fragment(), pending: None });
    {
        let bar = Rc::clone(&bar);
        let address = page.address;
        let link = use_memo(Shared::from(&page.document), |document| document.to_link());
        use_effect_with((*link).clone(), move |link| follow(&bar, address, link));
    }
    let dispatch = dispatch.clone();
    use_effect_with((), move |()| {
        let listeners = ["popstate", "hashchange"].map(|event| {
            let bar = Rc::clone(&bar);
            let dispatch = dispatch.clone();
            browser::window().map(|window| {
                EventListener::new(&window, event, move |_| {
                    let fragment = browser::fragment();
                    let mut bar = bar.borrow_mut();
                    if fragment != bar.known {
                        bar.pending = None;
                        bar.known.clone_from(&fragment);
                        drop(bar);
                        let link = read(&fragment);
                        dispatch.emit(match said() {
                            Some(said) => Action::Import(link, said),
                            None => Action::Open(link),
                        });
                    }
                })
            })
        });
        move || drop(listeners)
    });
}

/// What an imported file says of itself, told once.
fn said() -> Option<String> {
    let root = browser::document()?.document_element()?;
    let said = root.get_attribute(SAID)?;
    let _ = root.remove_attribute(SAID);
    Some(said)
}

fn follow(bar: &Rc<RefCell<AddressBar>>, address: Address, link: &str) {
    let mut this = bar.borrow_mut();
    match address {
        Address::Keep => {}
        Address::Push => {
            this.flush();
            this.write(link.to_owned(), true);
        }
        Address::Replace => {
            let timer = {
                let bar = Rc::clone(bar);
                Timeout::new(PAUSE_MS, move || {
                    let mut bar = bar.borrow_mut();
                    if let Some((_, link)) = bar.pending.take() {
                        bar.write(link, false);
                    }
                })
            };
            this.pending = Some((timer, link.to_owned()));
        }
    }
}

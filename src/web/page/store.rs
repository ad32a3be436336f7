//! The page's state in Yew's terms.

use std::rc::Rc;
use stepcast::page_state::page::{Action, Page};
use yew::prelude::*;

/// The page's state as a Yew reducer.
pub(crate) struct Store(pub(crate) Rc<Page>);

impl Reducible for Store {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        match self.0.apply(action) {
            Some(page) => Rc::new(Self(Rc::new(page))),
            None => self,
        }
    }
}

/// Sends actions to the state. Always the same, so that nothing is drawn again because of it.
pub(crate) type Dispatch = Callback<Action>;

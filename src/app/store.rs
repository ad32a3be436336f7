//! The page's state in Yew's terms, and the contexts that hand it down.

use std::rc::Rc;
use stepcast::view::page::{Action, Page};
use yew::prelude::*;

/// The page's state as a Yew reducer.
pub(crate) struct Store(pub(crate) Page);

impl Reducible for Store {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        match self.0.apply(action) {
            Some(page) => Rc::new(Self(page)),
            None => self,
        }
    }
}

/// Sends actions to the state. Never changes, so that its consumers never redraw because of it.
pub(crate) type Dispatch = Callback<Action>;

/// The dispatcher that [`crate::root`] provides.
#[hook]
pub(crate) fn use_dispatch() -> Dispatch {
    use_context::<Dispatch>().unwrap_or_else(Callback::noop)
}

/// A shared value that counts as equal only to itself: cheap to compare as a property.
#[derive(Debug)]
pub(crate) struct Shared<T: ?Sized>(pub(crate) Rc<T>);

impl<T: ?Sized> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T: ?Sized> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: ?Sized> core::ops::Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized> From<&Rc<T>> for Shared<T> {
    fn from(value: &Rc<T>) -> Self {
        Self(Rc::clone(value))
    }
}

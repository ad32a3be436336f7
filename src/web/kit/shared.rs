//! Values that are handed down without being compared.

use std::rc::Rc;
use yew::html::ImplicitClone;

/// A shared value that counts as equal only to itself: cheap to compare as a property.
#[derive(Debug)]
pub struct Shared<T: ?Sized>(pub Rc<T>);

impl<T: ?Sized> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T: ?Sized> ImplicitClone for Shared<T> {}

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

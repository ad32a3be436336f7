//! Hooks of Yew with one compiled body for all their uses: Yew compiles each anew for every type and closure, which a first
//! visit of the page has to carry.

use std::any::Any;
use yew::functional::{Hook, TearDown};
use yew::prelude::*;

/// What an effect depends on, of any type.
trait EffectInput: Any {
    fn equals(&self, other: &dyn Any) -> bool;
}

impl<T: PartialEq + 'static> EffectInput for T {
    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>().is_some_and(|other| self == other)
    }
}

struct AnyInput(Box<dyn EffectInput>);

impl PartialEq for AnyInput {
    fn eq(&self, other: &Self) -> bool {
        let other: &dyn Any = &*other.0;
        self.0.equals(other)
    }
}

/// Ends an effect.
type End = Box<dyn FnOnce()>;

/// Yew's hook of the same name.
pub fn use_effect_with<T, F, D>(deps: T, effect: F) -> impl Hook<Output = ()>
where
    T: PartialEq + 'static,
    F: FnOnce(&T) -> D + 'static,
    D: TearDown,
{
    let begin = move |deps: &AnyInput| -> End {
        let deps: &dyn Any = &*deps.0;
        let end = deps.downcast_ref().map(effect);
        Box::new(move || {
            if let Some(end) = end {
                end.tear_down();
            }
        })
    };
    use_any_effect(AnyInput(Box::new(deps)), Box::new(begin))
}

fn use_any_effect(deps: AnyInput, begin: Box<dyn FnOnce(&AnyInput) -> End>) -> impl Hook<Output = ()> {
    yew::functional::use_effect_with(deps, begin)
}

/// A state that is on or off; setting it to what it is draws nothing anew.
#[hook]
pub fn use_flag(begin: bool) -> UseStateHandle<bool> {
    use_state_eq(|| begin)
}

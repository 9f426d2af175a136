//! What stays as it was: a part of the page that is drawn anew only if what it shows is
//! another, and a value that is followed only now and then.
//!
//! A component of its own for each such part would do the same; each would bring its own
//! copy of what Yew does for a component.

use std::any::Any;
use std::rc::Rc;

use yew::{Html, Properties, component, hook, html, use_mut_ref};

/// What a part shows, and how.
struct Shown<T> {
    what: T,
    view: fn(&T) -> Html,
}

trait Part {
    fn view(&self) -> Html;
    fn is_same(&self, other: &dyn Part) -> bool;
    fn as_any(&self) -> &dyn Any;
}

impl<T: PartialEq + 'static> Part for Shown<T> {
    fn view(&self) -> Html {
        (self.view)(&self.what)
    }

    fn is_same(&self, other: &dyn Part) -> bool {
        other.as_any().downcast_ref::<Self>().is_some_and(|other| self.what == other.what)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[derive(Clone, Properties)]
struct StillProps {
    part: Rc<dyn Part>,
}

impl PartialEq for StillProps {
    fn eq(&self, other: &Self) -> bool {
        self.part.is_same(&*other.part)
    }
}

#[component]
fn Still(props: &StillProps) -> Html {
    props.part.view()
}

/// Shows this by a view that depends on nothing else, and that is always the same in one
/// place.
pub fn still<T: PartialEq + 'static>(what: T, view: fn(&T) -> Html) -> Html {
    let part: Rc<dyn Part> = Rc::new(Shown { what, view });
    html! { <Still {part} /> }
}

/// The value as it was when it was last to be followed.
#[hook]
pub fn use_last<T: Clone + 'static>(value: &T, is_followed: bool) -> T {
    let last = use_mut_ref(|| value.clone());
    if is_followed {
        *last.borrow_mut() = value.clone();
    }
    last.borrow().clone()
}

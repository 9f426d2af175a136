//! The one writer of a page's state.

use std::ops::Deref;
use std::rc::Rc;

use yew::{Reducible, UseReducerDispatcher};

use crate::app::{Act, State};

/// The state as Yew keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page(pub State);

/// Sends messages to the page.
#[derive(Clone, PartialEq)]
pub struct Dispatch(pub UseReducerDispatcher<Page>);

impl Dispatch {
    /// Sends one.
    pub fn dispatch(&self, act: impl Into<Act>) {
        self.0.dispatch(act.into());
    }
}

impl Deref for Page {
    type Target = State;

    fn deref(&self) -> &State {
        &self.0
    }
}

impl Reducible for Page {
    type Action = Act;

    /// A message that changes nothing gives the same state back, which draws nothing.
    fn reduce(self: Rc<Self>, act: Act) -> Rc<Self> {
        let next = self.0.update(act);
        if next == self.0 { self } else { Rc::new(Self(next)) }
    }
}

/// A shared value that is compared by where it lies.
#[derive(Debug)]
pub struct Same<T>(pub Rc<T>);

impl<T> Clone for Same<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> PartialEq for Same<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Same<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

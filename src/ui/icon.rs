//! Icons: one stroke weight, defined once in the page's sprite.

use yew::{Html, html};

/// An icon from the sprite, hidden from screen readers: the words beside it speak.
pub fn icon(name: &str) -> Html {
    html! {
        <svg class="i" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><use href={format!("#i-{name}")} /></svg>
    }
}

/// The icon of a verdict.
pub fn verdict_icon(name: &str) -> Html {
    html! {
        <svg class="vi" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><use href={format!("#i-{name}")} /></svg>
    }
}

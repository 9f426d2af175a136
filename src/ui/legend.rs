//! How to read the marks of a plot, each drawn as it is there.

use yew::{Html, html};

/// The legend; it is closed until it is asked for.
pub fn legend() -> Html {
    let entry = |mark: Html, words: &'static str| {
        html! { <li><svg viewBox="0 0 56 24" aria-hidden="true" focusable="false">{ mark }</svg><span>{ words }</span></li> }
    };
    html! {
        <details class="legend">
            <summary>{ "How to read the marks" }</summary>
            <ul>
                { entry(html! { <><rect class="belief a" x="4" y="3" width="48" height="18" /><text x="28" y="16">{ "I hold 33" }</text></> },
                    "what a client believes, while that is true") }
                { entry(html! { <><rect class="belief a false" x="4" y="3" width="48" height="18" /><rect class="hatch a" x="4" y="3" width="48" height="18" /></> },
                    "the same belief, since it is false") }
                { entry(html! { <rect class="truth a" x="4" y="3" width="48" height="18" /> },
                    "who holds the lease, by the lock service") }
                { entry(html! { <><rect class="version b" x="4" y="3" width="48" height="18" /><rect class="edge b" x="4" y="3" width="4" height="18" /><text x="30" y="16">{ "v8 B" }</text></> },
                    "a version that storage has accepted, with its writer") }
                { entry(html! { <line class="msg write" x1="4" y1="4" x2="52" y2="20" marker-end="url(#head-ink)" /> },
                    "a write; a thin line is another request, a dashed one a reply") }
                { entry(html! { <g class="tag a"><rect x="10" y="4" width="36" height="16" /><text x="28" y="16">{ "A 33" }</text></g> },
                    "the token that a write carries, and whose it is") }
                { entry(html! { <g transform="translate(28 12)"><path class="ring" d="M-7.5 0a7.5 7.5 0 1 0 15 0a7.5 7.5 0 1 0 -15 0z" /><path class="neq" d="M-3.5 -2h7M-3.5 2h7M-2 5l4 -10" /></g> },
                    "here belief and truth part") }
                { entry(html! { <g transform="translate(28 12)"><path class="moment" d="M0 -8l8 8-8 8-8-8z" /><path class="moment-cut" d="M-2.3 -2.3l4.6 4.6M2.3 -2.3l-4.6 4.6" /></g> },
                    "harm is done here") }
                { entry(html! { <g transform="translate(28 14)"><path class="bar" d="M-7 -6h14" /><path class="bar thin" d="M-7 -1.5h14" /></g> },
                    "a write was refused") }
                { entry(html! { <path class="fork" d="M28 20v-8M22 3l6 9 6-9" /> }, "on a ruler: here a pane parts from the first one") }
                { entry(html! { <g class="pause"><rect class="body" x="8" y="2" width="40" height="20" /><rect class="handle" x="4" y="0" width="8" height="24" rx="1" /><rect class="handle" x="44" y="0" width="8" height="24" rx="1" /></g> },
                    "a fault: drag its middle or its ends") }
            </ul>
        </details>
    }
}

//! What the panes have in common, and where they part.

use yew::{Html, Properties, component, html, use_state};

use super::reducer::{Dispatch, Page, Same};
use super::verdict::moment;

/// What the comparison shows.
#[derive(Clone, PartialEq, Properties)]
pub struct ComparisonProps {
    /// The page.
    pub page: Same<Page>,
    /// Where messages go.
    pub dispatch: Dispatch,
}

/// Each pane beside the first one, in sentences; nothing is compared before it is opened.
#[component]
pub fn Comparison(props: &ComparisonProps) -> Html {
    let open = use_state(|| false);
    let page = &props.page;
    let toggle = {
        let open = open.clone();
        yew::Callback::from(move |_| open.set(!*open))
    };
    html! {
        <div class="comparison">
            <button class="link" type="button" aria-expanded={open.to_string()} onclick={toggle}>{ "Compare the panes" }</button>
            if *open {
                { for (1..page.panes.len()).map(|place| html! {
                    <>
                        if page.panes.len() > 2 {
                            <h3>{ format!("{} and {}", page.lesson.variants[0].title, page.lesson.variants[place].title) }</h3>
                        }
                        <ol class="chain" role="list">
                            { for page.compared(place).iter().map(|(at_us, text)| moment(page, *at_us, text, &props.dispatch)) }
                        </ol>
                    </>
                }) }
            }
        </div>
    }
}

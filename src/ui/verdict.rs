//! What became of a pane's run, with the chain that led there.

use yew::{Html, Properties, component, html};

use super::icon::verdict_icon;
use super::plot::send;
use super::reducer::{Dispatch, Page, Same};
use crate::app::Message;
use crate::tell::{Outcome, seconds};

/// What a verdict shows.
#[derive(Clone, PartialEq, Properties)]
pub struct VerdictProps {
    /// The place of its pane.
    pub place: usize,
    /// The page.
    pub page: Same<Page>,
    /// The id of the chain.
    pub id: String,
    /// Where messages go.
    pub dispatch: Dispatch,
}

/// The verdict under a pane.
#[component]
pub fn VerdictView(props: &VerdictProps) -> Html {
    let (place, page) = (props.place, &props.page);
    let telling = &page.panes[place].telling;
    let open = page.explained[place];
    let (class, icon) = match telling.outcome {
        Outcome::Broken => ("verdict broken", "broken"),
        Outcome::Holds | Outcome::Clean => ("verdict", "holds"),
        Outcome::Cut => ("verdict", "cut"),
    };
    html! {
        <div {class}>
            { verdict_icon(icon) }
            <p>
                <b>{ telling.headline.clone() }</b>{ " " }{ telling.reason.clone() }
                if !telling.chain.is_empty() {
                    { " " }
                    <button class="link" type="button" aria-expanded={open.to_string()} aria-controls={props.id.clone()}
                        onclick={send(&props.dispatch, Message::ExplainOrNot(place))}>{ "Why?" }</button>
                }
            </p>
            <ol class="chain" role="list" id={props.id.clone()} hidden={!open}>
                if open {
                    { for page.why(place).into_iter().map(|step| moment(page, step.at_us, &step.text, &props.dispatch)) }
                }
            </ol>
        </div>
    }
}

/// A sentence with the moment that it is about, to which the playhead goes.
pub fn moment(page: &Page, at_us: u64, text: &str, dispatch: &Dispatch) -> Html {
    html! {
        <li>
            <button class="at" type="button" onclick={send(dispatch, Message::GoTo(at_us))}
                aria-label={page.told(&format!("go to {} seconds", seconds(at_us)))}>{ page.number(at_us) }</button>
            { format!(" {text}") }
        </li>
    }
}

//! What became of a pane's run, with the chain that led there.

use yew::{Html, html};

use super::icon::verdict_icon;
use super::plot::send;
use super::reducer::{Dispatch, Page};
use crate::app::Message;
use crate::tell::{Outcome, seconds};

/// The verdict under a pane, by its place; the chain has this id.
pub fn verdict(page: &Page, place: usize, id: String, dispatch: &Dispatch) -> Html {
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
                    <button class="link" type="button" aria-expanded={open.to_string()} aria-controls={id.clone()}
                        onclick={send(dispatch, Message::ExplainOrNot(place))}>{ "Why?" }</button>
                }
            </p>
            <ol class="chain" role="list" {id} hidden={!open}>
                if open {
                    { for page.why(place).into_iter().map(|step| moment(page, step.at_us, &step.text, dispatch)) }
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

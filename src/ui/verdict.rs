//! What became of a pane's run, with the chain that led there.

use yew::{Callback, Html, Properties, component, html, use_state};

use super::icon::verdict_icon;
use super::plot::send;
use super::reducer::{Dispatch, Same};
use crate::app::{Message, Pane};
use crate::tell::{Outcome, seconds};

/// What a verdict shows.
#[derive(Clone, PartialEq, Properties)]
pub struct VerdictProps {
    /// The pane.
    pub pane: Same<Pane>,
    /// The id of the chain.
    pub id: String,
    /// Where messages go.
    pub dispatch: Dispatch,
}

/// The verdict under a pane.
#[component]
pub fn VerdictView(props: &VerdictProps) -> Html {
    let open = use_state(|| false);
    let telling = &props.pane.telling;
    let (class, icon) = match telling.outcome {
        Outcome::Broken => ("verdict broken", "broken"),
        Outcome::Holds | Outcome::Clean => ("verdict", "holds"),
        Outcome::Cut => ("verdict", "cut"),
    };
    let toggle = {
        let open = open.clone();
        Callback::from(move |_| open.set(!*open))
    };
    html! {
        <div {class}>
            { verdict_icon(icon) }
            <p>
                <b>{ telling.headline.clone() }</b>{ " " }{ telling.reason.clone() }
                if !telling.chain.is_empty() {
                    { " " }
                    <button class="link" type="button" aria-expanded={open.to_string()}
                        aria-controls={props.id.clone()} onclick={toggle}>{ "Why?" }</button>
                }
            </p>
            if *open {
                <ol class="chain" id={props.id.clone()}>
                    { for telling.chain.iter().map(|link| html! {
                        <li>{ format!("{} ", link.text) }
                            <button class="at" type="button" onclick={send(&props.dispatch, Message::Seek(link.at_us))}
                                aria-label={format!("go to {} seconds", seconds(link.at_us))}>{ seconds(link.at_us) }</button>
                        </li>
                    }) }
                </ol>
            } else {
                <div id={props.id.clone()} hidden=true></div>
            }
        </div>
    }
}

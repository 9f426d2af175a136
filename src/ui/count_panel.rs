//! The panel of all schedules: what is assumed, how far the search is, what it found.

use std::rc::Rc;

use racescope_lesson::Lesson;
use yew::{Callback, Html, Properties, classes, component, hook, html, use_effect_with};

use super::browser;
use super::count_form::{assumptions, at_random};
use super::count_result::result;
use super::reducer::Dispatch;
use crate::app::{CountMessage, Counting, Found};
use crate::search::Reply;
use crate::tell::{counted, what_is_assumed};

/// What the panel shows.
#[derive(Clone, PartialEq, Properties)]
pub struct CountPanelProps {
    /// The lesson.
    pub lesson: Rc<Lesson>,
    /// What is known.
    pub counting: Counting,
    /// Where messages go.
    pub dispatch: Dispatch,
}

/// The panel of all schedules.
#[component]
pub fn CountPanel(props: &CountPanelProps) -> Html {
    use_search(props);
    let CountPanelProps { lesson, counting, dispatch } = props;
    let Some(first) = lesson.variants.first() else { return html! {} };
    let is_begun = counting.is_begun();
    let (word, message) = match counting.run {
        Some(_) => ("Stop counting", CountMessage::Stop),
        None if is_begun && !counting.is_random => ("Count again", CountMessage::Start),
        None => ("Count all schedules", CountMessage::Start),
    };
    let panes = match lesson.variants.len() {
        1 => "one",
        2 => "two",
        3 => "three",
        _ => "four",
    };
    html! {
        <section class="counting" aria-labelledby="counting-h">
            <div class="counting-head">
                <h3 id="counting-h">{ "All schedules" }<span>{ " every order in which it can happen" }</span></h3>
                <button class="btn" type="button" onclick={tell(dispatch, message)}>{ word }</button>
            </div>
            if !is_begun {
                <p class="aside">{ format!("The stage shows one schedule. This counts all of them and looks for one that breaks: {}.", what_is_assumed(&first.scenario, &counting.bounds)) }</p>
            }
            { assumptions(counting, dispatch) }
            { at_random(counting, dispatch) }
            if is_begun {
                <div class={classes!("tallies", panes)}>
                    { for (0..lesson.variants.len()).map(|variant| tally(props, variant)) }
                </div>
            }
        </section>
    }
}

/// What is known of one variant.
fn tally(props: &CountPanelProps, variant: usize) -> Html {
    let CountPanelProps { lesson, counting, dispatch } = props;
    let head = format!("tally-{}", lesson.variants[variant].id);
    let seen = |number: u32| counted(&number.to_string(), if counting.is_random { "schedule" } else { "state" });
    html! {
        <div class="tally" role="group" aria-labelledby={head.clone()} key={variant}>
            <h4 id={head}>{ lesson.variants[variant].title.clone() }</h4>
            { match (&counting.found[variant], counting.run.filter(|run| run.variant == variant)) {
                (_, Some(run)) => html! {
                    <p class="so-far">{ format!("{} so far, {} tried", seen(run.progress.states), counted(&run.progress.actions.to_string(), "action")) }</p>
                },
                (Found::Nothing, None) => html! { <p class="so-far">{ "Not counted." }</p> },
                (Found::Stopped(progress), None) => html! {
                    <p class="so-far"><b>{ "Incomplete:" }</b>{ format!(" stopped at {}, so there are no counts", seen(progress.states)) }</p>
                },
                (Found::Failed, None) => html! {
                    <p class="so-far"><b>{ "The search failed." }</b>{ " Reload the page, or assume less." }</p>
                },
                (Found::Answer(answer), None) => result(lesson, counting, variant, answer, dispatch),
            } }
        </div>
    }
}

/// Sends a message of the panel.
pub fn tell<E: 'static>(dispatch: &Dispatch, message: CountMessage) -> Callback<E> {
    let dispatch = dispatch.clone();
    Callback::from(move |_| dispatch.dispatch(message.clone()))
}

/// Searches while the state wants a search, and stops when it wants another one or none.
#[hook]
fn use_search(props: &CountPanelProps) {
    let CountPanelProps { lesson, counting, dispatch } = props.clone();
    let wanted = counting.run.map(|run| (run.number, run.variant));
    use_effect_with(wanted, move |&wanted| {
        let search = wanted.and_then(|(number, variant)| {
            let scenario = lesson.variants.get(variant)?.scenario.clone();
            let ask = counting.ask(scenario).to_bytes().ok()?;
            Some(browser::search(&ask, move |reply: Option<Vec<u8>>| {
                let reply = reply.and_then(|bytes| Reply::from_bytes(&bytes).ok());
                dispatch.dispatch(CountMessage::Heard(number, reply));
            }))
        });
        move || drop(search)
    });
}

//! The stage: panes, playback, numbers and states of one lesson.

use gloo::render::request_animation_frame;
use yew::{Callback, Html, KeyboardEvent, Properties, classes, component, html, use_effect_with, use_mut_ref};

use super::browser;
use super::comparison::Comparison;
use super::count_panel::CountPanel;
use super::icon::icon;
use super::inspector::Inspector;
use super::learn::hint_button;
use super::legend::legend;
use super::palette::{Latest, Palette};
use super::pane::pane;
use super::plot::send;
use super::reducer::{Dispatch, Page, Same};
use super::state_table::state_table;
use super::still::{still, use_last};
use super::transport::transport;
use crate::app::Message;

/// What the stage shows.
#[derive(Clone, PartialEq, Properties)]
pub struct StageProps {
    /// The page.
    pub page: Same<Page>,
    /// Where messages go.
    pub dispatch: Dispatch,
}

/// The stage of a lesson.
#[component]
pub fn Stage(props: &StageProps) -> Html {
    let page = &props.page;
    use_frames(page, &props.dispatch);
    use_focus(page);
    let record = use_last(page, page.at_rest());
    let latest = use_mut_ref(|| page.clone());
    *latest.borrow_mut() = page.clone();
    let onkeydown = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |event: KeyboardEvent| keys(&event, &dispatch))
    };
    let count = match page.panes.len() {
        1 => "one",
        2 => "two",
        3 => "three",
        _ => "four",
    };
    html! {
        <div class="stage" id="stage" role="region" aria-label="Stage" tabindex="-1" {onkeydown}>
            <div class="stage-head">
                <h2>{ if page.panes.len() == 1 { "The run" } else { "Same trouble in every pane" } }</h2>
                { differs(props) }
                { stage_tools(props) }
            </div>
            <Palette chosen={page.bring.as_ref().map(|brought| brought.kind)} latest={Latest(latest)} dispatch={props.dispatch.clone()} />
            <div class={classes!("panes", count)}>
                { for (0..page.panes.len()).map(|place| pane(place, page, &record, &props.dispatch)) }
            </div>
            { transport(page, &props.dispatch) }
            if page.panes.len() > 1 {
                <Comparison page={page.clone()} dispatch={props.dispatch.clone()} />
            }
            { still((), |()| legend()) }
            <div class="bench">
                <Inspector page={page.clone()} dispatch={props.dispatch.clone()} />
                { state_table(page) }
            </div>
            <CountPanel lesson={page.lesson.clone()} counting={page.counting.clone()} dispatch={props.dispatch.clone()} />
            <p class="vh" role="status">{ page.announcement.clone() }</p>
        </div>
    }
}

/// Says what can be done, which challenge is on, or that the faults are no longer those
/// that the text tells of, with the way back.
fn differs(props: &StageProps) -> Html {
    let page = &props.page;
    let is_own = page.at_rest() && page.faults == page.own_faults();
    let challenge =
        page.challenge.and_then(|place| Some((place, page.lesson.challenges.get(place)?, page.challenges.get(place)?)));
    html! {
        <div class={classes!("differs", challenge.is_some().then_some("dared"))}>
            if let Some((place, challenge, state)) = challenge {
                <p class="on">
                    if state.solved {
                        { icon("check") }<b>{ "Solved: " }</b>{ format!("{}. ", challenge.title) }
                    } else {
                        <b>{ format!("{}: ", challenge.title) }</b>{ format!("{} ", challenge.task) }
                    }
                </p>
                if let Some(hint) = state.hints.checked_sub(1).and_then(|last| challenge.hints.get(last)) {
                    <p class="on">{ format!("Hint {}: {hint}", state.hints) }</p>
                }
                <p>
                    { hint_button(challenge.hints.len(), state.hints, send(&props.dispatch, Message::Hint(place))) }
                    { " " }
                    <button class="link" type="button" onclick={send(&props.dispatch, Message::Reset)}>{ "Back to the lesson’s own faults" }</button>
                </p>
            } else if is_own {
                <p>{ "Drag a fault, an end of it, or a message." }</p>
            } else {
                <p>
                    { "The faults differ from those in the text. " }
                    <button class="link" type="button" onclick={send(&props.dispatch, Message::Reset)}>{ "Back to the lesson’s own" }</button>
                </p>
            }
        </div>
    }
}

fn stage_tools(props: &StageProps) -> Html {
    let page = &props.page;
    let tool = |verb: &str, what: Option<&str>, icon_name, message| {
        let name = what.map_or_else(|| verb.to_string(), |what| format!("{verb}: {what}"));
        // It stays a place for the focus when there is nothing left to take back.
        html! {
            <button class="btn icon quiet" type="button" aria-label={name.clone()} title={name}
                aria-disabled={what.is_none().to_string()} onclick={send(&props.dispatch, message)}>{ icon(icon_name) }</button>
        }
    };
    html! {
        <div class="stage-tools">
            { tool("Undo", page.history.undo_name(), "undo", Message::Undo) }
            { tool("Redo", page.history.redo_name(), "redo", Message::Redo) }
        </div>
    }
}

/// The focus goes to what was just placed by keys, and never gets lost with what it was on.
#[yew::hook]
fn use_focus(page: &Same<Page>) {
    let count = use_mut_ref(|| None);
    let faults = if page.at_rest() { Some(Same(page.faults.clone())) } else { None };
    use_effect_with(faults, move |faults| {
        let Some(faults) = faults else { return };
        // A page that has just opened has lost no focus, even if a press led to it.
        let Some(before) = count.replace(Some(faults.0.len())) else { return };
        if faults.0.len() > before && browser::focus_is_on(".chip") {
            browser::focus_first(".pause.selected .take");
        } else if browser::focus_is_lost() {
            browser::focus_first("#stage");
        }
    });
}

/// Keys work only while the focus is on the stage, and never take one from a control.
fn keys(event: &KeyboardEvent, dispatch: &Dispatch) {
    if browser::is_typed_into(event) {
        return;
    }
    let with_command = event.ctrl_key() || event.meta_key();
    let message = match event.key().as_str() {
        "Escape" => Message::Cancel,
        "z" | "Z" if with_command && event.shift_key() => Message::Redo,
        "z" if with_command => Message::Undo,
        "y" if with_command => Message::Redo,
        _ if with_command || event.alt_key() || browser::takes_key(event) => return,
        " " | "k" => Message::PlayOrPause,
        "ArrowRight" => Message::StepForward,
        "ArrowLeft" => Message::StepBack,
        "Home" => Message::ToStart,
        "End" => Message::ToEnd,
        "n" => Message::ToFirstViolation,
        "p" => Message::ToParting,
        "l" => Message::LoopOrNot,
        "f" => Message::FoldOrNot,
        "[" => Message::Slower,
        "]" => Message::Faster,
        _ => return,
    };
    event.prevent_default();
    dispatch.dispatch(message);
}

/// While playing, each frame moves the playhead by the time since the last one.
#[yew::hook]
fn use_frames(page: &Same<Page>, dispatch: &Dispatch) {
    let last = use_mut_ref(|| None::<f64>);
    let dispatch = dispatch.clone();
    let settings = page.settings;
    use_effect_with((page.playing, page.cursor_us, page.waited_us), move |&(playing, ..)| {
        if !playing {
            *last.borrow_mut() = None;
        }
        let frame = playing.then(|| {
            request_animation_frame(move |now_ms| {
                let since_ms = last.borrow_mut().replace(now_ms).map_or(0.0, |last_ms| now_ms - last_ms);
                // At least a microsecond, so that the playhead's move asks for the next frame.
                let us = ((since_ms * 1_000.0) as i64).max(4).unsigned_abs();
                let steps = settings.steps(browser::asks_for_less_motion());
                dispatch.dispatch(if steps { Message::ElapsedInSteps(us) } else { Message::Elapsed(us) });
            })
        });
        move || drop(frame)
    });
}

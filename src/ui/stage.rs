//! The stage: panes, playback, numbers and states of one lesson.

use gloo::render::request_animation_frame;
use yew::{Callback, Html, KeyboardEvent, Properties, classes, component, html, use_effect_with, use_mut_ref};

use super::browser;
use super::icon::icon;
use super::inspector::Inspector;
use super::pane::PaneView;
use super::plot::send;
use super::reducer::{Dispatch, Page, Same};
use super::state_table::StateTable;
use super::transport::Transport;
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
                <h2>{ "Same trouble, side by side" }<span>{ " drag the block, or an end of it" }</span></h2>
                { stage_tools(props) }
            </div>
            <div class={classes!("panes", count)}>
                { for page.panes.iter().enumerate().map(|(place, pane)| html! {
                    <PaneView key={place} {place} pane={Same(pane.clone())} page={page.clone()} dispatch={props.dispatch.clone()} />
                }) }
            </div>
            <Transport page={page.clone()} dispatch={props.dispatch.clone()} />
            <div class="bench">
                <Inspector page={page.clone()} dispatch={props.dispatch.clone()} />
                <StateTable page={page.clone()} />
            </div>
            <p class="vh" role="status">{ page.announcement.clone() }</p>
        </div>
    }
}

fn stage_tools(props: &StageProps) -> Html {
    let page = &props.page;
    let name = |verb: &str, what: Option<&str>| what.map_or_else(|| verb.to_string(), |what| format!("{verb}: {what}"));
    let undo = name("Undo", page.history.undo_name());
    let redo = name("Redo", page.history.redo_name());
    html! {
        <div class="stage-tools">
            <button class="btn icon quiet" type="button" aria-label={undo.clone()} title={undo}
                disabled={page.history.undo_name().is_none()} onclick={send(&props.dispatch, Message::Undo)}>{ icon("undo") }</button>
            <button class="btn icon quiet" type="button" aria-label={redo.clone()} title={redo}
                disabled={page.history.redo_name().is_none()} onclick={send(&props.dispatch, Message::Redo)}>{ icon("redo") }</button>
        </div>
    }
}

/// Keys work only while the focus is on the stage, and never take one from a control.
fn keys(event: &KeyboardEvent, dispatch: &Dispatch) {
    if browser::is_typed_into(event) {
        return;
    }
    let with_command = event.ctrl_key() || event.meta_key();
    let message = match event.key().as_str() {
        "z" | "Z" if with_command && event.shift_key() => Message::Redo,
        "z" if with_command => Message::Undo,
        "y" if with_command => Message::Redo,
        _ if with_command || event.alt_key() || browser::takes_keys(event) => return,
        " " | "k" => Message::PlayOrPause,
        "ArrowRight" => Message::StepForward,
        "ArrowLeft" => Message::StepBack,
        "Home" => Message::ToStart,
        "End" => Message::ToEnd,
        "n" => Message::ToFirstViolation,
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
    use_effect_with((page.playing, page.cursor_us), move |&(playing, _)| {
        if !playing {
            *last.borrow_mut() = None;
        }
        let frame = playing.then(|| {
            request_animation_frame(move |now_ms| {
                let since_ms = last.borrow_mut().replace(now_ms).map_or(0.0, |last_ms| now_ms - last_ms);
                // At least a microsecond, so that the playhead's move asks for the next frame.
                dispatch.dispatch(Message::Elapsed(((since_ms * 1_000.0) as i64).max(4).unsigned_abs()));
            })
        });
        move || drop(frame)
    });
}

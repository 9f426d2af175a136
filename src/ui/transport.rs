//! Playback: one playhead for all panes.

use yew::{Callback, Html, InputEvent, html};

use super::browser;
use super::icon::icon;
use super::plot::send;
use super::reducer::{Dispatch, Page};
use super::still::still;
use crate::app::{Message, SPEEDS, Speed};
use crate::scene::percent;
use crate::tell::seconds;

/// The bar of playback.
pub fn transport(page: &Page, dispatch: &Dispatch) -> Html {
    let switches = Switches {
        speed: page.settings.speed(),
        loops: page.loops,
        unfolded: page.unfolded,
        parts: (page.panes.len() > 1).then(|| !page.partings.is_empty()),
        fails: page.first_violation_us().is_some(),
        dispatch: dispatch.clone(),
    };
    html! {
        <div class="transport" role="group" aria-label="Playback">
            { still((page.playing, dispatch.clone()), keys) }
            <p class="clock">
                <b>{ page.number(page.cursor_us) }</b><span>{ format!(" of {}", page.time(page.end_us)) }</span>
            </p>
            { scrub(page, dispatch) }
            { still(switches, settings) }
        </div>
    }
}

/// What starts and stops the playhead, and moves it by steps.
fn keys((playing, dispatch): &(bool, Dispatch)) -> Html {
    let button = |name: &'static str, label: &'static str, key: &'static str, message| {
        html! {
            <button class="btn icon" type="button" aria-label={label} title={format!("{label}: {key}")} onclick={send(dispatch, message)}>
                { icon(name) }
            </button>
        }
    };
    let (play_icon, play_label) = if *playing { ("pause", "Pause") } else { ("play", "Play") };
    html! {
        <div class="keys">
            { button("start", "To the start", "Home", Message::ToStart) }
            { button("back", "Previous event", "←", Message::StepBack) }
            <button class="btn main" type="button" onclick={send(dispatch, Message::PlayOrPause)}>
                { icon(play_icon) }{ play_label }
            </button>
            { button("forward", "Next event", "→", Message::StepForward) }
        </div>
    }
}

/// How it plays, and the moments that it can be brought to.
#[derive(PartialEq)]
struct Switches {
    speed: Speed,
    loops: bool,
    unfolded: bool,
    /// Whether the panes part, if there are several.
    parts: Option<bool>,
    /// Whether there is a violation.
    fails: bool,
    dispatch: Dispatch,
}

fn settings(it: &Switches) -> Html {
    let dispatch = &it.dispatch;
    let switch = |name: &'static str, label: &'static str, key: &'static str, is_on: bool, message| {
        html! {
            <button class="btn icon" type="button" aria-label={label} title={format!("{label}: {key}")} aria-pressed={is_on.to_string()}
                onclick={send(dispatch, message)}>{ icon(name) }</button>
        }
    };
    html! {
        <>
            <fieldset class="seg speed" title="Speed: [ and ]">
                <legend class="vh">{ "Speed" }</legend>
                { for SPEEDS.iter().map(|&(speed, name)| html! {
                    <label><input type="radio" name="speed" checked={it.speed == speed}
                        onchange={send(dispatch, Message::SetSpeed(speed))} /><span>{ name }</span></label>
                }) }
            </fieldset>
            <div class="keys switches">
                { switch("loop", "Loop", "L", it.loops, Message::LoopOrNot) }
                { switch("fold", "Fold idle time", "F", !it.unfolded, Message::FoldOrNot) }
                if let Some(parts) = it.parts {
                    <button class="btn icon" type="button" aria-label="Where the panes part" title="Where the panes part: P"
                        aria-disabled={(!parts).to_string()} onclick={send(dispatch, Message::ToParting)}>{ icon("part") }</button>
                }
            </div>
            <button class="btn jump" type="button" title="First violation: N" aria-disabled={(!it.fails).to_string()}
                onclick={send(dispatch, Message::ToFirstViolation)}>
                { icon("diamond") }<span class="lbl">{ "First violation" }</span>
            </button>
        </>
    }
}

fn scrub(page: &Page, dispatch: &Dispatch) -> Html {
    let scale = page.scale;
    let x = scale.share(page.cursor_us);
    let oninput = {
        let dispatch = dispatch.clone();
        Callback::from(move |event: InputEvent| {
            if let Ok(hundredths) = browser::typing(&event).parse::<u64>() {
                dispatch.dispatch(Message::Seek(scale.unfolded_us(hundredths * 10_000)));
            }
        })
    };
    html! {
        <div class="scrub">
            <svg class="scrub-face" height="28" aria-hidden="true" focusable="false">
                <line class="track" x1="1.5%" y1="14" x2="98.5%" y2="14" />
                <line class="done" x1="1.5%" y1="14" x2={percent(x)} y2="14" />
                { for page.moments().into_iter().map(|at_us| {
                    let x = percent(scale.share(at_us));
                    html! { <line class="ev" x1={x.clone()} y1="10" x2={x} y2="18" /> }
                }) }
                { for scale.folds().iter().map(|fold| html! {
                    <svg x={percent(i32::midpoint(scale.share(fold.from_us), scale.share(fold.to_us)))} overflow="visible">
                        <path class="tear" d="M-4 20l4-12h4l-4 12z" />
                    </svg>
                }) }
                if let Some(at_us) = page.first_violation_us() {
                    <svg x={percent(scale.share(at_us))} overflow="visible"><path class="harm" d="M0 0l4.5 4.5-4.5 4.5-4.5-4.5z" /></svg>
                }
                <svg class="thumb" x={percent(x)} overflow="visible"><rect x="-4" y="8" width="8" height="12" rx="1" /></svg>
            </svg>
            <input type="range" aria-label="Playhead" min="0" max={(scale.shown_us(page.end_us) / 10_000).to_string()} step="1"
                value={(scale.shown_us(page.cursor_us) / 10_000).to_string()} aria-valuetext={said(page)} {oninput} />
        </div>
    }
}

/// What the slider says of its place: the time, and what each pane last did.
fn said(page: &Page) -> String {
    let line =
        page.last_line(0).map_or_else(|| "nothing yet".to_string(), |line| format!("{} {}", line.place, line.sentence));
    format!("{}: {line}", page.told(&format!("{} seconds", seconds(page.cursor_us))))
}

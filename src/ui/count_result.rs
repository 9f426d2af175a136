//! What a search has found: the number, the bar, the outcomes, and schedules to play.

use racescope_lesson::Lesson;
use yew::{Callback, Html, MouseEvent, html};

use super::browser;
use super::icon::icon;
use super::reducer::Dispatch;
use crate::app::{CountMessage, Counting, Which};
use crate::scene::{Fate, bar};
use crate::search::{Answer, Example, Group, Hunted};
use crate::tell::{beyond_what_is_assumed, grouped, mark, marks, percent, what_is_assumed, why_stopped};

/// What is known of the schedules of a variant.
pub fn result(lesson: &Lesson, counting: &Counting, variant: usize, answer: &Answer, dispatch: &Dispatch) -> Html {
    let [figure, rest] = answer.headline();
    let assumed = what_is_assumed(&lesson.variants[variant].scenario, &counting.bounds);
    let play = |which| play(dispatch, variant, which);
    let shortest = answer.harms.iter().enumerate().filter_map(|(place, harm)| match &harm.shortest {
        Hunted::Found(example) => Some((place, harm.mark, example)),
        Hunted::Nowhere | Hunted::Unknown(_) => None,
    });
    let unknown = answer.harms.iter().filter_map(|harm| match harm.shortest {
        Hunted::Unknown(Some(stop)) => Some(format!(
            "The shortest was not found: {}. {}.",
            mark(harm.mark),
            why_stopped(stop, answer.states as usize)
        )),
        _ => None,
    });
    html! {
        <>
            <p class="headline"><b>{ figure }</b>{ format!(" {rest}") }<span>{ assumed }</span></p>
            if !answer.groups.is_empty() {
                { outcome_bar(answer) }
                <ul class="outcome-list">
                    { for answer.groups.iter().enumerate().map(|(place, group)| outcome(group, place, &play)) }
                </ul>
            }
            <ul class="shortest">
                { for shortest.map(|(place, shown, example)| html! {
                    <li>
                        { play_button(&format!("Play the shortest: {}", mark(shown)), "", example, play(Which::Shortest(place))) }
                        <span class="aside">{ actions(example) }</span>
                        if let Some(why) = example.faults.as_ref().ok().and_then(|faults| beyond_what_is_assumed(faults, &counting.bounds)) {
                            <p class="aside">{ why }</p>
                        }
                    </li>
                }) }
            </ul>
            { for unknown.map(|why| html! { <p class="aside">{ why }</p> }) }
            <p class="aside">{ format!("{}.", upper_first(&answer.how_counted())) }</p>
        </>
    }
}

fn outcome(group: &Group, place: usize, play: &impl Fn(Which) -> Callback<MouseEvent>) -> Html {
    let shown = marks(&group.marks);
    let name = group.number.map_or_else(|| "Play one".to_string(), |number| format!("Play number {number}"));
    html! {
        <li>
            { swatch(fate_of(group)) }
            <span class="what">{ shown.clone() }</span>
            <span class="many">{ grouped(&group.schedules) }<small>{ format!(" {}", percent(group.per_million)) }</small></span>
            if let Some(sample) = &group.sample {
                { play_button(&name, &format!(": {shown}"), sample, play(Which::Sample(place))) }
            }
        </li>
    }
}

/// A button that puts a schedule on the stage; off, with the reason, where it has no times.
fn play_button(name: &str, rest: &str, example: &Example, onclick: Callback<MouseEvent>) -> Html {
    let why = example.faults.as_ref().err().map(|why| format!("It can’t be played: {why}."));
    html! {
        <button class="btn small" type="button" aria-disabled={why.is_some().to_string()} title={why} {onclick}>
            { icon("play") }{ name.to_string() }if !rest.is_empty() { <span class="vh">{ rest.to_string() }</span> }
        </button>
    }
}

fn play(dispatch: &Dispatch, variant: usize, which: Which) -> Callback<MouseEvent> {
    let dispatch = dispatch.clone();
    Callback::from(move |_| {
        dispatch.dispatch(CountMessage::Play(variant, which));
        browser::bring_into_view(".panes");
    })
}

fn actions(example: &Example) -> String {
    let number = example.actions;
    if number == 1 { "1 action".to_string() } else { format!("{number} actions") }
}

fn fate_of(group: &Group) -> Fate {
    use racescope_engine::explore::Mark;
    if group.is_harmful() {
        Fate::Harm
    } else if group.marks.contains(&Mark::StaleWriteRefused) {
        Fate::Refused
    } else if group.marks.contains(&Mark::GaveUp) {
        Fate::GaveUp
    } else {
        Fate::Plain
    }
}

/// All outcomes side by side. The list below says the same in words.
fn outcome_bar(answer: &Answer) -> Html {
    let mut shares: Vec<(Fate, u32)> = answer.groups.iter().map(|group| (fate_of(group), group.per_million)).collect();
    shares.reverse();
    let percent = |share: i32| format!("{}.{:02}%", share / 100, share % 100);
    html! {
        <svg class="outcomes" height="16" aria-hidden="true" focusable="false">
            { for bar(&shares).into_iter().map(|part| html! {
                <rect class={part.fate.class()} x={percent(part.from)} y="0.5" width={percent(part.width)} height="15" />
            }) }
            <rect class="o-frame" x="0" y="0.5" width="100%" height="15" />
        </svg>
    }
}

fn swatch(fate: Fate) -> Html {
    html! {
        <svg class="swatch" width="16" height="12" aria-hidden="true" focusable="false">
            <rect class={fate.class()} x="0.5" y="0.5" width="15" height="11" />
            <rect class="o-frame" x="0.5" y="0.5" width="15" height="11" />
        </svg>
    }
}

fn upper_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

//! Questions and challenges beside the stage.

use racescope_lesson::{Challenge, Lesson, Prediction};
use yew::{Callback, Html, MouseEvent, html};

use super::browser;
use super::icon::icon;
use super::plot::send;
use super::reducer::Dispatch;
use crate::app::{ChallengeState, Message};

/// The question before the run; its answer is shown once one was chosen.
pub fn prediction(lesson: &Lesson, predicted: Option<u8>, dispatch: &Dispatch) -> Html {
    let Some(asked) = &lesson.prediction else { return html! {} };
    html! {
        <fieldset class="predict">
            <legend><h2>{ "Your prediction" }</h2><p>{ asked.question.clone() }</p></legend>
            <ul>{ for (0..asked.options.len()).map(|option| answer(predicted, asked, option, dispatch)) }</ul>
            if predicted.is_some() {
                <p class="reveal">{ asked.because.clone() }</p>
            }
        </fieldset>
    }
}

fn answer(predicted: Option<u8>, asked: &Prediction, option: usize, dispatch: &Dispatch) -> Html {
    let number = option as u8;
    let (chosen, revealed) = (predicted == Some(number), predicted.is_some());
    let is_true = revealed && asked.answer == number;
    html! {
        <li class={is_true.then_some("true")}>
            <label>
                <input type="radio" name="prediction" checked={chosen} onchange={send(dispatch, Message::Predict(number))} />
                <span>{ asked.options[option].clone() }</span>
            </label>
            if is_true {
                <span class="note">{ icon("check") }{ "right" }</span>
            } else if chosen {
                <span class="note">{ "you said" }</span>
            }
        </li>
    }
}

/// The challenges, each with its hints one at a time.
pub fn challenges(lesson: &Lesson, states: &[ChallengeState], dispatch: &Dispatch) -> Html {
    let all = lesson.challenges.iter().zip(states).enumerate();
    html! { <>{ for all.map(|(place, (shown, state))| challenge(place, shown, *state, dispatch)) }</> }
}

fn challenge(place: usize, challenge: &Challenge, state: ChallengeState, dispatch: &Dispatch) -> Html {
    let start = if state.started { "Start again" } else { "Start the challenge" };
    let begin = {
        let dispatch = dispatch.clone();
        Callback::from(move |_| {
            dispatch.dispatch(Message::StartChallenge(place));
            browser::show_stage();
        })
    };
    html! {
        <section class="dare">
            <h2>{ challenge.title.clone() }</h2>
            <p>{ challenge.task.clone() }</p>
            if state.hints > 0 {
                <ol class="hints">{ for challenge.hints.iter().take(state.hints).map(|hint| html! { <li>{ hint.clone() }</li> }) }</ol>
            }
            if state.solved {
                <p class="solved">{ icon("check") }{ "Solved: the panes show it." }</p>
            }
            <div class="row">
                <button class="btn" type="button" onclick={begin}>{ start }</button>
                { hint_button(challenge.hints.len(), state.hints, send(dispatch, Message::Hint(place))) }
            </div>
        </section>
    }
}

/// Gives the next hint. It stays a place for the focus when there is none left.
pub fn hint_button(all: usize, given: usize, onclick: Callback<MouseEvent>) -> Html {
    if all == 0 {
        return html! {};
    }
    let words = if given < all { format!("Hint {} of {all}", given + 1) } else { "No more hints".to_string() };
    html! { <button class="link" type="button" aria-disabled={(given >= all).to_string()} {onclick}>{ words }</button> }
}

/// Interview questions; each answer opens on its own.
pub fn questions(lesson: &Lesson) -> Html {
    if lesson.questions.is_empty() {
        return html! {};
    }
    html! {
        <section class="questions" aria-labelledby="questions-h">
            <h2 id="questions-h">{ "Questions" }<span>{ " as an interviewer asks them" }</span></h2>
            { for lesson.questions.iter().map(|asked| html! {
                <details><summary>{ asked.question.clone() }</summary><p>{ asked.answer.clone() }</p></details>
            }) }
        </section>
    }
}

/// Where the facts come from.
pub fn sources(lesson: &Lesson) -> Html {
    html! {
        <section class="sources" aria-labelledby="sources-h">
            <h2 id="sources-h">{ "Sources" }</h2>
            <ul>{ for lesson.sources.iter().map(|source| html! {
                <li><a href={source.url.clone()}>{ source.title.clone() }</a><span>{ source.by.clone() }</span></li>
            }) }</ul>
        </section>
    }
}

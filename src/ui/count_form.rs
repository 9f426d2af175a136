//! What may go wrong, as switches and numbers.

use yew::{Callback, Event, Html, html};

use super::browser;
use super::count_panel::tell;
use super::fields::select;
use super::reducer::Dispatch;
use crate::app::{Assumption, CountMessage, Counting};

/// The assumptions, which are put away at first.
pub fn assumptions(counting: &Counting, dispatch: &Dispatch) -> Html {
    html! {
        <details class="assume">
            <summary>{ "What may go wrong" }</summary>
            <div class="assume-form">
                <fieldset class="switches">
                    <legend class="vh">{ "What may hold something up" }</legend>
                    { for Assumption::SWITCHES.into_iter().map(|assumption| switch(assumption, counting, dispatch)) }
                </fieldset>
                <fieldset class="numbers">
                    <legend class="vh">{ "What may happen, and how often in one schedule" }</legend>
                    { for Assumption::NUMBERS.into_iter().map(|assumption| number(assumption, counting, dispatch)) }
                </fieldset>
                <button class="link" type="button" onclick={tell(dispatch, CountMessage::AssumeOwn)}>{ "As the lesson has it" }</button>
            </div>
        </details>
    }
}

/// Random schedules instead of all, from a seed.
pub fn at_random(counting: &Counting, dispatch: &Dispatch) -> Html {
    let seed = counting.seed.to_string();
    let onchange = {
        let (dispatch, seed) = (dispatch.clone(), seed.clone());
        Callback::from(move |event: Event| {
            let typed = browser::typed(&event).trim().parse();
            browser::put_back(&event, &seed);
            if let Ok(seed) = typed {
                dispatch.dispatch(CountMessage::Seed(seed));
            }
        })
    };
    html! {
        <p class="at-random">
            <button class="btn small" type="button" onclick={tell(dispatch, CountMessage::Draw)}>{ "100,000 random schedules" }</button>
            <label for="seed">{ "from seed" }</label>
            <span class="num"><input id="seed" type="text" inputmode="numeric" autocomplete="off" value={seed} {onchange} /></span>
        </p>
    }
}

fn switch(assumption: Assumption, counting: &Counting, dispatch: &Dispatch) -> Html {
    let is_on = assumption.of(&counting.bounds) > 0;
    html! {
        <label><input type="checkbox" checked={is_on}
            onchange={tell(dispatch, CountMessage::Assume(assumption, u8::from(!is_on)))} /><span>{ assumption.name() }</span></label>
    }
}

fn number(assumption: Assumption, counting: &Counting, dispatch: &Dispatch) -> Html {
    let value = assumption.of(&counting.bounds);
    // A lesson may have set more than is offered.
    let options = (0..=assumption.most().max(value)).map(|number| (number.to_string(), number.to_string())).collect();
    let dispatch = dispatch.clone();
    let chosen = Callback::from(move |chosen: String| {
        if let Ok(number) = chosen.parse() {
            dispatch.dispatch(CountMessage::Assume(assumption, number));
        }
    });
    let id = format!("assume-{}", assumption.name().to_ascii_lowercase().replace([' ', '’'], "-"));
    select(assumption.name(), &id, &value.to_string(), options, chosen)
}

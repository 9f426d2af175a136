//! The page of a lesson: the story beside the stage, and the record below.

use std::rc::Rc;

use racescope_lesson::{Lesson, Library, SectionName};
use yew::{Html, Properties, UseReducerHandle, classes, component, hook, html, use_effect_with, use_reducer_eq};

use super::browser;
use super::display::{Top, foot, kept_settings, use_settings};
use super::events::events;
use super::front::shelves;
use super::learn::{challenges, prediction, questions, sources};
use super::prose::section;
use super::reducer::{Dispatch, Page, Same};
use super::stage::Stage;
use super::still::{still, use_last};
use crate::app::{ChallengeState, restore, to_text};

/// What a lesson's page shows.
#[derive(Clone, PartialEq, Properties)]
pub struct LessonPageProps {
    /// The lesson; any that there is if there is none of the name, since the settings are
    /// part of the state of one.
    pub lesson: Rc<Lesson>,
    /// A name that no lesson has, if that was asked for.
    pub unknown: Option<String>,
    /// The lessons that there are instead.
    pub library: Rc<Library>,
}

/// The state of a lesson's page, kept in the browser over a reload.
#[hook]
pub fn use_lesson(lesson: &Rc<Lesson>) -> UseReducerHandle<Page> {
    let lesson = lesson.clone();
    let name = format!("racescope.lesson.{}", lesson.id);
    let page = {
        let name = name.clone();
        use_reducer_eq(move || {
            let kept = browser::kept(&name).unwrap_or_default();
            Page(restore(lesson, &kept).with_settings(kept_settings()))
        })
    };
    use_settings(page.settings);
    let at_rest = page.at_rest().then(|| (page.faults.clone(), page.predicted, page.challenges.clone()));
    let state = Same(Rc::new((*page).clone()));
    use_effect_with(at_rest, move |at_rest| {
        if at_rest.is_some() {
            browser::keep(&name, to_text(&state.0.0).as_deref());
        }
    });
    page
}

/// The page of a lesson, or a word that there is none of that name.
#[component]
pub fn LessonPage(props: &LessonPageProps) -> Html {
    let handle = use_lesson(&props.lesson);
    let page = Same(Rc::new((*handle).clone()));
    let dispatch = Dispatch(handle.dispatcher());
    let lesson = &props.lesson;
    // The list of events is long and below the stage, and follows when a drag is let go.
    let record = use_last(&page, page.at_rest());
    let title = format!("{} · Racescope", if props.unknown.is_some() { "No such lesson" } else { &lesson.title });
    use_effect_with(title, |title| browser::set_title(title));
    if let Some(id) = &props.unknown {
        return no_such_lesson(id, &props.library, &page, &dispatch);
    }
    html! {
        <>
            <Top lesson={lesson.title.clone()} settings={page.settings} dispatch={dispatch.clone()} />
            <main class={classes!("lesson", (lesson.variants.len() > 2).then_some("wide"))} id="main">
                { still((Same(lesson.clone()), page.predicted, dispatch.clone()), before) }
                <Stage page={page.clone()} dispatch={dispatch.clone()} />
                { still((Same(lesson.clone()), page.challenges.clone(), dispatch.clone()), after) }
                <div class="record">
                    { still(Same(lesson.clone()), beside) }
                    { still((record, dispatch.clone()), events) }
                </div>
            </main>
            { foot() }
        </>
    }
}

/// What is read before the stage.
fn before((lesson, predicted, dispatch): &(Same<Lesson>, Option<u8>, Dispatch)) -> Html {
    html! {
        <article class="story before">
            <div>
                <h1>{ lesson.title.clone() }</h1>
                { section(lesson, SectionName::Hook, dispatch) }
            </div>
            { prediction(lesson, *predicted, dispatch) }
        </article>
    }
}

/// What is read after the stage, and what is to be tried on it.
fn after((lesson, states, dispatch): &(Same<Lesson>, Vec<ChallengeState>, Dispatch)) -> Html {
    html! {
        <>
            <section class="story after" aria-labelledby="look-h">
                <h2 id="look-h">{ "What to look at" }</h2>
                { section(lesson, SectionName::WhatToLookAt, dispatch) }
            </section>
            <div class="story more">
                <div class="dares">{ challenges(lesson, states, dispatch) }</div>
                <section>
                    <h2>{ "What to remember" }</h2>
                    { section(lesson, SectionName::Recap, dispatch) }
                </section>
            </div>
        </>
    }
}

/// What stands beside the list of events.
fn beside(lesson: &Same<Lesson>) -> Html {
    html! {
        <div class="beside">
            { questions(lesson) }
            { sources(lesson) }
        </div>
    }
}

fn no_such_lesson(id: &str, library: &Library, page: &Page, dispatch: &Dispatch) -> Html {
    html! {
        <>
            <Top lesson={id.to_string()} settings={page.settings} dispatch={dispatch.clone()} />
            <main class="front" id="main">
                <h1>{ "There is no lesson of this name" }</h1>
                <p class="lead">{ format!("“{id}” isn’t among the lessons. These are:") }</p>
                { shelves(library) }
            </main>
            { foot() }
        </>
    }
}

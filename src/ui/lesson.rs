//! The page of a lesson: the story beside the stage, and the record below.

use std::rc::Rc;

use racescope_lesson::{Lesson, SectionName};
use yew::{
    Html, Properties, UseReducerHandle, classes, component, hook, html, use_effect_with, use_mut_ref, use_reducer_eq,
};

use super::display::{Top, foot};
use super::events::Events;
use super::learn::{challenges, prediction, questions, sources};
use super::prose::section;
use super::reducer::{Dispatch, Page, Same};
use super::stage::Stage;
use super::{browser, front};
use crate::app::{Message, restore, to_text};
use crate::tell::Voice;

/// What a lesson's page shows.
#[derive(Clone, PartialEq, Properties)]
pub struct LessonPageProps {
    /// The id of the lesson.
    pub id: String,
}

/// The page of a lesson, or a word that there is none of that name.
#[component]
pub fn LessonPage(props: &LessonPageProps) -> Html {
    let library = crate::library();
    match library.lesson(&props.id).filter(|lesson| !lesson.is_heading()) {
        Some(lesson) => html! { <Known lesson={Rc::new(lesson.clone())} /> },
        None => html! {
            <>
                <Top lesson={props.id.clone()} />
                <main class="front" id="main">
                    <h1>{ "There is no lesson of this name" }</h1>
                    <p class="lead">{ format!("“{}” isn’t among the lessons. These are:", props.id) }</p>
                    { front::list(&library) }
                </main>
                { foot() }
            </>
        },
    }
}

#[derive(Clone, PartialEq, Properties)]
struct KnownProps {
    lesson: Rc<Lesson>,
}

/// Under which name it is kept how programs are shown.
const VOICE: &str = "racescope.programs";

/// The state of a lesson's page, kept in the browser over a reload.
#[hook]
pub fn use_lesson(lesson: &Rc<Lesson>) -> UseReducerHandle<Page> {
    let lesson = lesson.clone();
    let name = format!("racescope.lesson.{}", lesson.id);
    let page = {
        let name = name.clone();
        use_reducer_eq(move || {
            let kept = browser::kept(&name).unwrap_or_default();
            let page = restore(lesson, &kept);
            let voice = browser::kept(VOICE).and_then(|name| Voice::named(&name));
            Page(match voice {
                Some(voice) => page.update(Message::Speak(voice)),
                None => page,
            })
        })
    };
    let first_voice = use_mut_ref(|| page.voice);
    use_effect_with(page.voice, move |voice| {
        // Only what was chosen is kept, for all lessons.
        if first_voice.replace(*voice) != *voice {
            browser::keep(VOICE, Some(voice.name()));
        }
    });
    let at_rest = page.at_rest().then(|| (page.faults.clone(), page.predicted, page.challenges.clone()));
    let state = Same(Rc::new((*page).clone()));
    use_effect_with(at_rest, move |at_rest| {
        if at_rest.is_some() {
            browser::keep(&name, to_text(&state.0.0).as_deref());
        }
    });
    page
}

/// The page as it was at rest: the list of events is long and below the stage, and
/// follows when a drag is let go.
#[hook]
pub fn use_record(page: &Same<Page>) -> Same<Page> {
    let at_rest = use_mut_ref(|| page.clone());
    if page.at_rest() {
        *at_rest.borrow_mut() = page.clone();
    }
    at_rest.borrow().clone()
}

#[component]
fn Known(props: &KnownProps) -> Html {
    let handle = use_lesson(&props.lesson);
    let page = Same(Rc::new((*handle).clone()));
    let dispatch = Dispatch(handle.dispatcher());
    let lesson = &props.lesson;
    let record = use_record(&page);
    let title = format!("{} · Racescope", lesson.title);
    use_effect_with(title, |title| browser::set_title(title));
    html! {
        <>
            <Top lesson={lesson.title.clone()} />
            <main class={classes!("lesson", (lesson.variants.len() > 2).then_some("wide"))} id="main">
                <article class="story before">
                    <div>
                        <h1>{ lesson.title.clone() }</h1>
                        { section(lesson, SectionName::Hook, &dispatch) }
                    </div>
                    { prediction(&page, &dispatch) }
                </article>
                <Stage page={page.clone()} dispatch={dispatch.clone()} />
                <section class="story after" aria-labelledby="look-h">
                    <h2 id="look-h">{ "What to look at" }</h2>
                    { section(lesson, SectionName::WhatToLookAt, &dispatch) }
                </section>
                <div class="story more">
                    <div class="dares">{ challenges(&page, &dispatch) }</div>
                    <section>
                        <h2>{ "What to remember" }</h2>
                        { section(lesson, SectionName::Recap, &dispatch) }
                    </section>
                </div>
                <div class="record">
                    <div class="beside">
                        { questions(&page) }
                        { sources(&page) }
                    </div>
                    <Events page={record} dispatch={dispatch.clone()} />
                </div>
            </main>
            { foot() }
        </>
    }
}

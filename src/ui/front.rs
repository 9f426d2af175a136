//! The front page: the first lesson stands live, at its moment of harm.

use std::rc::Rc;

use racescope_lesson::{Lesson, Library};
use yew::{Html, Properties, component, html};

use super::browser;
use super::display::{Top, foot};
use super::lesson::use_lesson;
use super::reducer::{Dispatch, Same};
use super::stage::Stage;

/// The front page.
#[component]
pub fn FrontPage() -> Html {
    let library = crate::library();
    let first = library.lessons.first().cloned().map(Rc::new);
    html! {
        <>
            <Top />
            <main class="front" id="main">
                <div class="lead-in">
                    <h1>{ "Between the check and the act" }</h1>
                    <p class="lead">{ "A process checks that it holds a lease, and then it writes. In between, anything can \
                        happen: a pause, a clock that jumps, a message that is late. Drag the trouble and see what \
                        storage accepts." }</p>
                </div>
                if let Some(lesson) = first {
                    <Live {lesson} />
                }
                { list(&library) }
                <p><a href={format!("{}gate/", browser::root_path())}>{ "The release gate" }</a>{ ": signed grants under 100,000 random schedules." }</p>
            </main>
            { foot() }
        </>
    }
}

/// All lessons with what they are about, each shelf under its heading.
pub fn list(library: &Library) -> Html {
    library.shelves().iter().map(|(heading, lessons)| shelf(heading, lessons)).collect()
}

fn shelf(heading: &str, lessons: &[&Lesson]) -> Html {
    let root = browser::root_path();
    let id = format!("shelf-{}", lessons.first().map_or("", |lesson| lesson.id.as_str()));
    html! {
        <section class="all" aria-labelledby={id.clone()}>
            <h2 {id}>{ heading.to_string() }</h2>
            <ol class="lessons">
                { for lessons.iter().map(|lesson| html! {
                    <li><a href={format!("{root}lessons/{}/", lesson.id)}>{ lesson.title.clone() }</a><p>{ lesson.summary.clone() }</p></li>
                }) }
            </ol>
        </section>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct LiveProps {
    lesson: Rc<Lesson>,
}

#[component]
fn Live(props: &LiveProps) -> Html {
    let handle = use_lesson(&props.lesson);
    let page = Same(Rc::new((*handle).clone()));
    let href = format!("{}lessons/{}/", browser::root_path(), props.lesson.id);
    html! {
        <>
            <p class="live">
                <span>{ format!("{} ", props.lesson.summary) }</span>
                <a href={href}>{ "Read the lesson" }</a>
            </p>
            <Stage {page} dispatch={Dispatch(handle.dispatcher())} />
        </>
    }
}

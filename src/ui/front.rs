//! The front page: the first lesson stands live, at its moment of harm.

use std::rc::Rc;

use racescope_lesson::{Lesson, Library};
use yew::{Html, Properties, component, html};

use super::browser;
use super::display::{Top, foot};
use super::lesson::use_lesson;
use super::reducer::{Dispatch, Same};
use super::stage::Stage;
use super::still::still;

/// What the front page shows.
#[derive(Clone, PartialEq, Properties)]
pub struct FrontPageProps {
    /// The lesson that stands live.
    pub lesson: Rc<Lesson>,
    /// All lessons, of which at least the names are there.
    pub library: Rc<Library>,
}

/// The front page.
#[component]
pub fn FrontPage(props: &FrontPageProps) -> Html {
    let handle = use_lesson(&props.lesson);
    let page = Same(Rc::new((*handle).clone()));
    let dispatch = Dispatch(handle.dispatcher());
    let root = browser::root_path();
    html! {
        <>
            <Top settings={page.settings} dispatch={dispatch.clone()} />
            <main class="front" id="main">
                <div class="lead-in">
                    <h1>{ "Between the check and the act" }</h1>
                    <p class="lead">{ "A process checks that it holds a lease, and then it writes. In between, anything can \
                        happen: a pause, a clock that jumps, a message that is late. Drag the trouble and see what \
                        storage accepts." }</p>
                </div>
                <p class="live">
                    <span>{ format!("{} ", props.lesson.summary) }</span>
                    <a href={format!("{root}lessons/{}/", props.lesson.id)}>{ "Read the lesson" }</a>
                </p>
                <Stage {page} {dispatch} />
                { still(Same(props.library.clone()), |library| shelves(library)) }
                <p><a href={format!("{root}gate/")}>{ "The release gate" }</a>{ ": signed grants under 100,000 random schedules." }</p>
                <p><a href={format!("{root}voucher/")}>{ "The voucher race" }</a>{ ": how many of twenty clients get the one voucher, counted over all schedules." }</p>
                <p><a href={format!("{root}matrix/")}>{ "The safety matrix" }</a>{ ": which mechanism withstands which trouble." }</p>
            </main>
            { foot() }
        </>
    }
}

/// All lessons with what they are about, each shelf under its heading.
pub fn shelves(library: &Library) -> Html {
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

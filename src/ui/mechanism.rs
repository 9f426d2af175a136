//! The page of a mechanism of the safety matrix: the stage, with the faults that do harm
//! to it under one assumption.

use std::rc::Rc;

use racescope_lesson::{Lesson, Mechanism, SectionName};
use yew::{Html, Properties, classes, component, html, use_effect_with, use_memo, use_mut_ref, use_state};

use super::browser;
use super::display::{Top, foot};
use super::events::events;
use super::lesson::use_lesson;
use super::prose::section;
use super::reducer::{Dispatch, Same};
use super::stage::Stage;
use super::still::{still, use_last};

/// What a mechanism's page shows.
#[derive(Clone, PartialEq, Properties)]
pub struct MechanismPageProps {
    /// The mechanism.
    pub mechanism: Rc<Mechanism>,
}

/// The page of a mechanism. Which assumption it is about stands behind the # of the
/// address.
#[component]
pub fn MechanismPage(props: &MechanismPageProps) -> Html {
    let mechanism = props.mechanism.clone();
    let chosen = use_state(browser::fragment);
    {
        let chosen = chosen.clone();
        use_effect_with((), move |()| {
            let listener = browser::on_fragment(move || chosen.set(browser::fragment()));
            move || drop(listener)
        });
    }
    let opened = use_mut_ref(|| true);
    use_effect_with((*chosen).clone(), move |_| {
        // Another case is another stage, and the link to it is new, too.
        if opened.replace(false) {
            // The browser has gone to the place of the case in the text that was here before.
            browser::scroll_to_the_top();
        } else if browser::focus_is_lost() {
            browser::focus_first("#stage");
        }
    });
    let title = format!("{} · Racescope", mechanism.lesson.title);
    use_effect_with(title, |title| browser::set_title(title));
    let Some(case) = mechanism.case(&chosen) else { return Html::default() };
    html! {
        <CaseView key={case.id.clone()} lesson={mechanism.lesson_of(case)}>
            <nav class="cases" aria-label="What may go wrong">
                { for mechanism.cases.iter().map(|other| html! {
                    <a href={format!("#{}", other.id)} aria-current={(other.id == case.id).then_some("true")}>{ other.title.clone() }</a>
                }) }
                <a href="../">{ "All mechanisms" }</a>
            </nav>
        </CaseView>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct CaseViewProps {
    lesson: Lesson,
    children: Html,
}

#[component]
fn CaseView(props: &CaseViewProps) -> Html {
    let lesson = use_memo(props.lesson.clone(), Lesson::clone);
    let handle = use_lesson(&lesson);
    let page = Same(Rc::new((*handle).clone()));
    let dispatch = Dispatch(handle.dispatcher());
    let record = use_last(&page, page.at_rest());
    html! {
        <>
            <Top lesson={lesson.title.clone()} settings={page.settings} dispatch={dispatch.clone()} />
            <main class={classes!("lesson", (lesson.variants.len() > 2).then_some("wide"))} id="main">
                <article class="story before">
                    <div>
                        <h1>{ lesson.title.clone() }</h1>
                        <p class="lead">{ lesson.summary.clone() }</p>
                        { section(&lesson, SectionName::Hook, &dispatch) }
                    </div>
                    { props.children.clone() }
                </article>
                <Stage page={page.clone()} dispatch={dispatch.clone()} />
                <div class="record alone">
                    { still((record, dispatch.clone()), events) }
                </div>
            </main>
            { foot() }
        </>
    }
}

//! The page, in Yew. Thin: it shows what [`crate::app`] knows and sends it messages.

mod add_form;
mod browser;
mod comparison;
mod count_form;
mod count_panel;
mod count_result;
mod display;
mod drawing;
mod events;
mod fault;
mod fault_form;
mod fields;
mod front;
mod hold;
mod icon;
mod inspector;
mod learn;
mod legend;
mod lesson;
mod mechanism;
mod palette;
mod pane;
mod plot;
mod program;
mod prose;
mod reducer;
mod stage;
mod state_table;
mod still;
mod transport;
mod verdict;
mod wires;

use std::rc::Rc;

use racescope_lesson::Mechanism;

/// Shows the page that the address names.
///
/// # Panics
/// If the document has no element with the id "app", which our own pages have.
pub fn start() {
    yew::set_custom_panic_hook(Box::new(browser::log_panic));
    let host = browser::app_host().expect("the page has a place for the app");
    if let Some(mechanism) = browser::carried_mechanism().and_then(|text| Mechanism::from_text(&text)) {
        let mechanism = Rc::new(mechanism);
        let props = mechanism::MechanismPageProps { mechanism };
        yew::Renderer::<mechanism::MechanismPage>::with_root_and_props(host, props).render();
        return;
    }
    let library = crate::library();
    let id = browser::lesson_id();
    let known = id.as_ref().and_then(|id| library.lesson(id)).filter(|lesson| !lesson.is_heading());
    let Some(lesson) = known.or(library.lessons.first()).cloned().map(Rc::new) else { return };
    if id.is_some() {
        let unknown = id.filter(|_| known.is_none());
        let props = lesson::LessonPageProps { lesson, unknown };
        yew::Renderer::<lesson::LessonPage>::with_root_and_props(host, props).render();
    } else {
        yew::Renderer::<front::FrontPage>::with_root_and_props(host, front::FrontPageProps { lesson }).render();
    }
}

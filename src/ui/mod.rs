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

use racescope_lesson::Library;
use web_sys::wasm_bindgen::throw_str;

/// Shows the page that the address names.
///
/// # Panics
/// If the document has no element with the id "app", which our own pages have.
pub fn start() {
    yew::set_custom_panic_hook(Box::new(browser::log_panic));
    let host = browser::app_host().expect("the page has a place for the app");
    if let Some(mechanism) = browser::carried(browser::MECHANISM).map(Rc::new) {
        let props = mechanism::MechanismPageProps { mechanism };
        yew::Renderer::<mechanism::MechanismPage>::with_root_and_props(host, props).render();
        return;
    }
    let library = browser::carried::<Library>(browser::LIBRARY).map(Rc::new);
    let shown = library.as_ref().and_then(|library| library.lessons.iter().find(|lesson| !lesson.is_heading()));
    let (Some(library), Some(lesson)) = (&library, shown.cloned().map(Rc::new)) else {
        throw_str("the page is not of the same version as its app");
    };
    let library = library.clone();
    let id = browser::lesson_id();
    if id.is_some() {
        let unknown = id.filter(|id| *id != lesson.id);
        let props = lesson::LessonPageProps { lesson, unknown, library };
        yew::Renderer::<lesson::LessonPage>::with_root_and_props(host, props).render();
    } else {
        let props = front::FrontPageProps { lesson, library };
        yew::Renderer::<front::FrontPage>::with_root_and_props(host, props).render();
    }
}

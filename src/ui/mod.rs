//! The page, in Yew. Thin: it shows what [`crate::app`] knows and sends it messages.

mod add_form;
mod browser;
mod comparison;
mod count_form;
mod count_panel;
mod count_result;
mod display;
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
mod palette;
mod pane;
mod plot;
mod program;
mod prose;
mod reducer;
mod stage;
mod state_table;
mod transport;
mod verdict;
mod wires;

/// Shows the page that the address names.
///
/// # Panics
/// If the document has no element with the id "app", which our own pages have.
pub fn start() {
    yew::set_custom_panic_hook(Box::new(|panic| browser::say_stopped(&panic.to_string())));
    let host = browser::app_host().expect("the page has a place for the app");
    match browser::lesson_id() {
        Some(id) => {
            yew::Renderer::<lesson::LessonPage>::with_root_and_props(host, lesson::LessonPageProps { id }).render();
        }
        None => {
            yew::Renderer::<front::FrontPage>::with_root(host).render();
        }
    }
}

//! All raw calls to the browser, but for the frames that the stage asks for while it
//! plays. Everything here may be forbidden or full, and
//! then nothing happens: the page works without.

use gloo::events::EventListener;
use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, PointerEvent, Storage};
use yew::{Event, InputEvent, TargetCast};

/// The element that the app is shown in.
pub fn app_host() -> Option<Element> {
    web_sys::window()?.document()?.get_element_by_id("app")
}

/// The lesson that the address names: the last folder after "lessons".
pub fn lesson_id() -> Option<String> {
    let path = web_sys::window()?.location().pathname().ok()?;
    let mut folders = path.split('/').filter(|folder| !folder.is_empty() && *folder != "index.html");
    let id = folders.next_back()?;
    (folders.next_back() == Some("lessons")).then(|| id.to_string())
}

/// What leads from this page to the folder of all pages: "./" or "../../".
pub fn root_path() -> &'static str {
    if lesson_id().is_some() { "../../" } else { "./" }
}

/// Keeps a text under a name.
pub fn keep(name: &str, text: Option<&str>) {
    let Some(storage) = storage() else { return };
    let kept = match text {
        Some(text) => storage.set_item(name, text),
        None => storage.remove_item(name),
    };
    // A full or forbidden storage loses what would have been kept, and no more.
    drop(kept);
}

/// The text that was kept under a name.
pub fn kept(name: &str) -> Option<String> {
    storage()?.get_item(name).ok()?
}

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// Sets a choice such as the theme on the root of the document, where the style
/// sheet looks for it.
pub fn set_choice(name: &str, value: &str) {
    let root = web_sys::window().and_then(|window| window.document()).and_then(|document| document.document_element());
    if let Some(root) = root {
        let name = format!("data-{name}");
        let set = if value == "system" { root.remove_attribute(&name) } else { root.set_attribute(&name, value) };
        drop(set);
    }
}

/// Sets the title of the page.
pub fn set_title(title: &str) {
    if let Some(document) = web_sys::window().and_then(|window| window.document()) {
        document.set_title(title);
    }
}

/// Has all further moves of a pointer sent to the element that it was pressed on,
/// and says how wide the drawing around that element is, in pixels.
pub fn take_pointer(event: &PointerEvent) -> Option<f64> {
    let target: Element = event.target()?.dyn_into().ok()?;
    drop(target.set_pointer_capture(event.pointer_id()));
    let plot = target.closest("svg.plot").ok()??;
    Some(plot.get_bounding_client_rect().width()).filter(|&width| width > 0.0)
}

/// Follows a pressed pointer over the whole window, until what is returned is
/// dropped. A capture alone isn't enough: browsers lose it now and then.
pub fn follow_pointer(act: impl Fn(&PointerEvent) + Clone + 'static) -> [Option<EventListener>; 3] {
    ["pointermove", "pointerup", "pointercancel"].map(|kind| {
        let act = act.clone();
        let listener = move |event: &web_sys::Event| event.dyn_ref().map_or((), &act);
        let window = web_sys::window()?;
        Some(EventListener::new(&window, kind, listener))
    })
}

/// Says in the page that the app has stopped. It can't go on: a panic in wasm ends
/// the instance. What was dragged before is kept and comes back with a reload.
pub fn say_stopped(why: &str) {
    web_sys::console::error_1(&why.into());
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    let note = document.create_element("p").and_then(|note| {
        note.set_attribute("class", "failed")?;
        note.set_attribute("role", "alert")?;
        note.set_text_content(Some("The stage has stopped by an error of its own. Reload the page to go on."));
        Ok(note)
    });
    if let (Ok(note), Some(body)) = (note, document.body()) {
        drop(body.prepend_with_node_1(&note));
    }
}

/// Whether an event comes from a field that text is typed into, which undoes by itself.
pub fn is_typed_into(event: &yew::KeyboardEvent) -> bool {
    let target = event.target_dyn_into::<HtmlInputElement>();
    target.is_some_and(|input| !matches!(input.type_().as_str(), "radio" | "range" | "checkbox"))
}

/// The choice that is set on the root of the document.
pub fn choice(name: &str) -> Option<String> {
    web_sys::window()?.document()?.document_element()?.get_attribute(&format!("data-{name}"))
}

/// Whether an event comes from something that takes keys itself.
pub fn takes_keys(event: &yew::KeyboardEvent) -> bool {
    let target = event.target_dyn_into::<Element>();
    target.is_some_and(|target| {
        let role = target.get_attribute("role").unwrap_or_default();
        matches!(target.tag_name().as_str(), "INPUT" | "SELECT" | "TEXTAREA" | "BUTTON" | "A" | "SUMMARY")
            || matches!(role.as_str(), "slider" | "button")
    })
}

/// What stands in the input that an event comes from.
pub fn typed(event: &Event) -> String {
    event.target_dyn_into::<HtmlInputElement>().map_or_else(String::new, |input| input.value())
}

/// The same while it is being changed.
pub fn typing(event: &InputEvent) -> String {
    event.target_dyn_into::<HtmlInputElement>().map_or_else(String::new, |input| input.value())
}

/// Puts a text back into the input that an event comes from.
pub fn put_back(event: &Event, text: &str) {
    if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
        input.set_value(text);
    }
}

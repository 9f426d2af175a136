//! All raw calls to the browser, but for the frames that the stage asks for while it
//! plays. Everything here may be forbidden or full, and
//! then nothing happens: the page works without.

use std::panic::PanicHookInfo;

use gloo::events::EventListener;
use serde::de::DeserializeOwned;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::js_sys::Function;
use web_sys::wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    DomRect, Element, FocusOptions, HtmlElement, HtmlInputElement, HtmlSelectElement, PointerEvent, Storage, SvgElement,
};
use yew::{Event, InputEvent, TargetCast};

/// The namespace of drawings.
const SVG: &str = "http://www.w3.org/2000/svg";

/// Under what a page carries the lessons that it shows or lists, and a mechanism.
pub const LIBRARY: &str = "data-library";
pub const MECHANISM: &str = "data-mechanism";

/// The element that the app is shown in.
pub fn app_host() -> Option<Element> {
    web_sys::window()?.document()?.get_element_by_id("app")
}

/// The element at a place in another one.
pub fn child(parent: &Element, place: usize) -> Option<Element> {
    parent.children().item(place.try_into().ok()?)
}

/// An element of SVG that isn't on the page yet.
pub fn new_element(name: &str) -> Option<Element> {
    web_sys::window()?.document()?.create_element_ns(Some(SVG), name).ok()
}

/// Adds an element of SVG to another one, before one that is there or at the end.
pub fn add_element(parent: &Element, name: &str, before: Option<&Element>) -> Option<Element> {
    let element = new_element(name)?;
    parent.insert_before(&element, before.map(AsRef::as_ref)).ok()?;
    Some(element)
}

/// Sets an attribute; one without a value goes.
pub fn set_attribute(element: &Element, name: &str, value: &str) {
    let _ = if value.is_empty() { element.remove_attribute(name) } else { element.set_attribute(name, value) };
}

/// The lesson that the address names: the last folder after "lessons".
pub fn lesson_id() -> Option<String> {
    let path = web_sys::window()?.location().pathname().ok()?;
    let mut folders = path.split('/').filter(|folder| !folder.is_empty() && *folder != "index.html");
    let id = folders.next_back()?;
    (folders.next_back() == Some("lessons")).then(|| id.to_string())
}

/// What the page carries under a name; nothing if it carries no such thing, or one of
/// another version.
pub fn carried<T: DeserializeOwned>(name: &str) -> Option<T> {
    racescope_lesson::carried::from_text(&app_host()?.get_attribute(name)?)
}

/// Shows the start of the page.
pub fn scroll_to_the_top() {
    if let Some(window) = web_sys::window() {
        window.scroll_to_with_x_and_y(0.0, 0.0);
    }
}

/// What stands behind the # of the address; nothing if nothing does.
pub fn fragment() -> String {
    let hash = web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
    hash.trim_start_matches('#').to_string()
}

/// Listens to changes of what stands behind the # of the address, until what is
/// returned is dropped.
pub fn on_fragment(act: impl Fn() + 'static) -> Option<EventListener> {
    let window = web_sys::window()?;
    Some(EventListener::new(&window, "hashchange", move |_| act()))
}

/// What leads from this page to the folder of all pages: "./" or "../../".
pub fn root_path() -> &'static str {
    if lesson_id().is_some() || app_host().is_some_and(|host| host.has_attribute(MECHANISM)) { "../../" } else { "./" }
}

/// Whether the window is as narrow as that of a phone.
pub fn is_narrow() -> bool {
    let width = web_sys::window().and_then(|window| window.inner_width().ok()?.as_f64());
    width.is_some_and(|width| width < 640.0)
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

/// Takes what the address asks for out of it: a choice made by hand counts from now on.
pub fn forget_query() {
    let Some(window) = web_sys::window() else { return };
    if window.location().search().is_ok_and(|query| !query.is_empty())
        && let (Ok(history), Ok(path)) = (window.history(), window.location().pathname())
    {
        drop(history.replace_state_with_url(&JsValue::NULL, "", Some(&path)));
    }
}

/// Whether the system asks for less motion.
pub fn asks_for_less_motion() -> bool {
    let query = web_sys::window().and_then(|window| window.match_media("(prefers-reduced-motion: reduce)").ok()?);
    query.is_some_and(|query| query.matches())
}

/// Listens to every press in the window, until what is returned is dropped.
pub fn on_press(act: impl Fn(&web_sys::Event) + 'static) -> Option<EventListener> {
    let window = web_sys::window()?;
    Some(EventListener::new(&window, "pointerdown", act))
}

/// Closes the menus that an event doesn't come from.
pub fn close_menus(event: Option<&web_sys::Event>) {
    let target = event.and_then(|event| event.target()?.dyn_into::<Element>().ok());
    for menu in all("details.menu[open]") {
        if !target.as_ref().is_some_and(|target| menu.contains(Some(target))) {
            drop(menu.remove_attribute("open"));
        }
    }
}

/// Sets the title of the page.
pub fn set_title(title: &str) {
    if let Some(document) = web_sys::window().and_then(|window| window.document()) {
        document.set_title(title);
    }
}

/// Has all further moves of a pointer sent to the element that it was pressed on,
/// and says how wide the drawing around that element is, in pixels, and where the
/// pointer is across it, as a share.
pub fn take_pointer(event: &PointerEvent) -> Option<(f64, i32)> {
    let target: Element = event.target()?.dyn_into().ok()?;
    drop(target.set_pointer_capture(event.pointer_id()));
    let plot = target.closest("svg.plot").ok()??;
    let rect = plot.get_bounding_client_rect();
    (rect.width() > 0.0).then(|| (rect.width(), share_in(&rect, event.client_x())))
}

/// The plot at a point of the window: its place among the plots, and where the point
/// lies in it, across as a share and down in pixels.
pub fn plot_at(x: i32, y: i32) -> Option<(usize, i32, i32)> {
    let inside = |rect: &DomRect| {
        let (x, y) = (f64::from(x), f64::from(y));
        (rect.left()..=rect.right()).contains(&x) && (rect.top()..=rect.bottom()).contains(&y)
    };
    let (place, rect) = plots().into_iter().enumerate().find(|(_, rect)| inside(rect))?;
    Some((place, share_in(&rect, x), y - rect.top().round() as i32))
}

/// The same for the plot whose middle is nearest; the point may lie beside it.
pub fn nearest_plot_at(x: i32, y: i32) -> Option<(usize, i32, i32)> {
    let away = |rect: &DomRect| {
        let across = (rect.left() - f64::from(x)).max(f64::from(x) - rect.right()).max(0.0);
        let down = (rect.top() - f64::from(y)).max(f64::from(y) - rect.bottom()).max(0.0);
        across + down
    };
    let nearest = plots().into_iter().enumerate().min_by(|(_, a), (_, b)| away(a).total_cmp(&away(b)));
    nearest.map(|(place, rect)| (place, share_in(&rect, x), y - rect.top().round() as i32))
}

fn share_in(rect: &DomRect, x: i32) -> i32 {
    ((f64::from(x) - rect.left()) * 10_000.0 / rect.width().max(1.0)) as i32
}

fn plots() -> Vec<DomRect> {
    all("svg.plot").iter().map(Element::get_bounding_client_rect).collect()
}

fn all(selector: &str) -> Vec<Element> {
    let found = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.query_selector_all(selector).ok());
    let Some(found) = found else { return Vec::new() };
    (0..found.length()).filter_map(|index| found.get(index)?.dyn_into().ok()).collect()
}

/// How far below the upper edge of its plot an event is, in pixels.
pub fn height_in_plot(event: &PointerEvent) -> Option<i32> {
    let plot = event.target()?.dyn_into::<Element>().ok()?.closest("svg.plot").ok()??;
    Some(event.client_y() - plot.get_bounding_client_rect().top().round() as i32)
}

/// Takes the focus from something on a lane to what is near it, by an arrow key;
/// whether the key is one, and something is there.
pub fn focus_neighbour(event: &yew::KeyboardEvent, key: &str) -> bool {
    let (right, down) = match key {
        "ArrowRight" => (1.0, 0.0),
        "ArrowLeft" => (-1.0, 0.0),
        "ArrowDown" => (0.0, 1.0),
        "ArrowUp" => (0.0, -1.0),
        _ => return false,
    };
    let middle = |element: &Element| {
        let rect = element.get_bounding_client_rect();
        (rect.left() + rect.width() / 2.0, rect.top() + rect.height() / 2.0)
    };
    let own = event.target_dyn_into::<Element>().and_then(|target| target.closest("[data-object]").ok()?);
    let Some(own) = own else { return false };
    let Some(plot) = own.closest("svg.plot").ok().flatten() else { return false };
    let from = middle(&own);
    let others = all("svg.plot [data-object]").into_iter().filter(|other| plot.contains(Some(other)) && *other != own);
    let ahead = others.filter_map(|other| {
        let to = middle(&other);
        let (x, y) = (to.0 - from.0, to.1 - from.1);
        let (along, aside) = (x * right + y * down, (x * down).abs() + (y * right).abs());
        (along > 0.5).then_some((along + 3.0 * aside, other))
    });
    let nearest = ahead.min_by(|(a, _), (b, _)| a.total_cmp(b));
    nearest.is_some_and(|(_, other)| focus_on(&other))
}

fn focus_on(element: &Element) -> bool {
    if let Some(element) = element.dyn_ref::<SvgElement>() {
        return element.focus().is_ok();
    }
    let still = FocusOptions::new();
    still.set_prevent_scroll(true);
    element.dyn_ref::<HtmlElement>().is_some_and(|element| element.focus_with_options(&still).is_ok())
}

/// Scrolls the panes into view unless most of one is seen already.
pub fn show_stage() {
    let Some(window) = web_sys::window() else { return };
    let height = window.inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(0.0);
    let seen = plots().into_iter().map(|rect| {
        let part = rect.bottom().min(height) - rect.top().max(0.0);
        // Not `clamp`: the words of its panic would bring all that writes fractions.
        part / rect.height().min(height).max(1.0)
    });
    if seen.fold(0.0, f64::max) < 0.8
        && let Some(panes) = all(".panes").first()
    {
        panes.scroll_into_view();
    }
}

/// Gives the focus to the first element that a selector finds.
pub fn focus_first(selector: &str) {
    if let Some(element) = all(selector).first() {
        focus_on(element);
    }
}

/// Whether nothing has the focus: what had it is gone.
pub fn focus_is_lost() -> bool {
    let document = web_sys::window().and_then(|window| window.document());
    document.is_some_and(|document| document.active_element().is_none_or(|element| element.tag_name() == "BODY"))
}

/// Whether the focus is on an element that a selector finds.
pub fn focus_is_on(selector: &str) -> bool {
    let document = web_sys::window().and_then(|window| window.document());
    let element = document.and_then(|document| document.active_element());
    element.is_some_and(|element| element.matches(selector).unwrap_or(false))
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

/// Logs why the app has panicked. `boot.js` says in the page that it has stopped: it
/// hears of every trap, also of those by which the browser itself ends wasm.
pub fn log_panic(panic: &PanicHookInfo<'_>) {
    web_sys::console::error_1(&panic.to_string().into());
}

/// Whether an event comes from a field that text is typed into, which undoes by itself.
pub fn is_typed_into(event: &yew::KeyboardEvent) -> bool {
    let target = event.target_dyn_into::<HtmlInputElement>();
    target.is_some_and(|input| !matches!(input.type_().as_str(), "radio" | "range" | "checkbox"))
}

/// Whether an event comes from something that takes its key itself: lists take all, sliders
/// and fields all but letters, and what is pressed only what presses it.
pub fn takes_key(event: &yew::KeyboardEvent) -> bool {
    let target = event.target_dyn_into::<Element>();
    target.is_some_and(|target| {
        let role = target.get_attribute("role").unwrap_or_default();
        let key = event.key();
        match (target.tag_name().as_str(), role.as_str()) {
            ("SELECT" | "TEXTAREA", _) => true,
            ("INPUT", _) | (_, "slider" | "button") => key == " " || key.len() > 1,
            ("BUTTON" | "A" | "SUMMARY", _) => key == " " || key == "Enter",
            _ => false,
        }
    })
}

/// What stands in the input that an event comes from.
pub fn typed(event: &Event) -> String {
    event.target_dyn_into::<HtmlInputElement>().map_or_else(String::new, |input| input.value())
}

/// What is chosen in the list that an event comes from.
pub fn chosen(event: &Event) -> String {
    event.target_dyn_into::<HtmlSelectElement>().map_or_else(String::new, |list| list.value())
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

#[wasm_bindgen(raw_module = "./seek.js")]
extern "C" {
    /// `static/seek.js`: asks in bytes, is told in bytes, and returns what stops it.
    fn seek(ask: &[u8], heard: &Closure<dyn Fn(Option<Vec<u8>>)>) -> Function;
}

/// A search of all schedules, which stops when this is dropped.
pub struct Search {
    stop: Function,
    _heard: Closure<dyn Fn(Option<Vec<u8>>)>,
}

/// Starts a search with a question in bytes. `heard` is called with replies in bytes,
/// and with `None` if it fails.
pub fn search(ask: &[u8], heard: impl Fn(Option<Vec<u8>>) + 'static) -> Search {
    let heard = Closure::<dyn Fn(Option<Vec<u8>>)>::new(heard);
    let stop = seek(ask, &heard);
    Search { stop, _heard: heard }
}

impl Drop for Search {
    fn drop(&mut self) {
        // What stops a search throws nothing.
        drop(self.stop.call0(&JsValue::NULL));
    }
}

/// Scrolls the first element that a selector finds into view, if it isn't.
pub fn bring_into_view(selector: &str) {
    if let Some(element) = all(selector).first() {
        element.scroll_into_view();
    }
}

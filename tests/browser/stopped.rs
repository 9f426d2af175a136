//! A stage whose wasm has ended: the page says so, and a reload brings back what was there.

use fantoccini::key::Key;

use crate::stage::{LENGTH, Shown, TWO_PANES, press};
use crate::support::{Browser, Page, complaints_of};

in_each_browser!(by super::only_the_trap_is_heard; a_stage_that_has_stopped_says_so_and_loses_nothing);

/// Lets wasm end in the page as it does by a panic, as soon as “trap” happens there: this
/// module has one function, which has one instruction. A driver's script would do it in a
/// realm of its own.
const TRAP: &str = "addEventListener('trap', () => setTimeout(() => {
    const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0, 0, 11];
    new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes))).exports.f();
}));";

/// How often a page says that it has failed, and what, and whether it is in sight.
const SAID: &str = "[...document.querySelectorAll('.failed')].map(note => {
    const place = note.getBoundingClientRect();
    return [note.textContent, place.top >= 0 && place.bottom <= innerHeight];
})";

fn only_the_trap_is_heard(browser: Browser, journey: impl AsyncFnOnce(&Page)) {
    let heard = complaints_of(browser, journey);
    assert!(!heard.is_empty() && heard.iter().all(|complaint| complaint.contains("nreachable")), "{heard:#?}");
}

async fn a_stage_that_has_stopped_says_so_and_loses_nothing(page: &Page) {
    page.before_each_document(TRAP);
    page.open(TWO_PANES).await;
    page.act(&format!("const field = document.querySelector({LENGTH:?}); field.focus(); field.select()")).await;
    press(page, "1.2".chars().chain([Key::Enter.into()])).await;
    let changed = Shown::on(page).await;
    assert!(changed.is_clean(), "{changed:?}");

    page.act("scrollTo(0, document.body.scrollHeight)").await;
    page.act("dispatchEvent(new Event('trap')); dispatchEvent(new Event('trap'))").await;
    page.wait_for("document.querySelector('.failed')").await;
    let said: Vec<(String, bool)> = page.value(SAID).await;
    assert_eq!(said, [("The stage has stopped by an error. Reload the page to go on.".to_string(), true)]);

    page.client.refresh().await.expect("the page can be reloaded");
    page.wait_for("document.querySelector('.stage .verdict')").await;
    assert_eq!(Shown::on(page).await.verdicts, changed.verdicts);
    assert_eq!(page.value::<usize>("document.querySelectorAll('.failed').length").await, 0);
}

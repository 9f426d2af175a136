//! An address without a page, at a host that shows `404.html` there.

use crate::access::{Complaints, assert_none, look};
use crate::support::{Browser, Page, complaints_of};

in_each_browser!(by super::only_the_address_is_missing; an_unknown_lesson_is_said_to_be_none);

/// Of all that a page asks for, only the page itself isn't there.
fn only_the_address_is_missing(browser: Browser, journey: impl AsyncFnOnce(&Page)) {
    let heard = complaints_of(browser, journey);
    let expected = |complaint: &String| complaint.contains("404") && complaint.contains("/lessons/no-such-lesson/");
    assert!(!heard.is_empty() && heard.iter().all(expected), "{heard:#?}");
}

async fn an_unknown_lesson_is_said_to_be_none(page: &Page) {
    page.visit("lessons/no-such-lesson/").await;
    page.wait_for("document.title === 'No such lesson · Racescope'").await;
    let heading: String = page.value("document.querySelector('h1').textContent").await;
    assert_eq!(heading, "There is no lesson of this name");
    let lead: String = page.value("document.querySelector('.lead').textContent").await;
    assert_eq!(lead, "“no-such-lesson” isn’t among the lessons. These are:");
    let mut complaints = Complaints::new();
    look(page, "no such lesson", &mut complaints).await;
    assert_none(&complaints);
    page.run::<()>("document.querySelector('main a[href$=\"lessons/paused-holder/\"]').click()").await;
    page.wait_for("document.querySelector('.stage .verdict')").await;
}

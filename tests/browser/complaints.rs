//! What goes wrong in a page is heard, in each way in which it can: or else no other test
//! here would fail by it.

use crate::support::{Browser, Page, complaints_of};

in_each_browser!(by super::is_heard; what_goes_wrong_in_a_page_is_heard);

/// What a page may do wrong, and what must be told of it.
const WRONGS: [(&str, &str); 6] = [
    ("console.error('said', 'in the console')", "console: said in the console"),
    ("setTimeout(() => { throw new Error('thrown by the page') })", "thrown by the page"),
    ("Promise.reject(new Error('rejected by the page'))", "rejected: Error: rejected by the page"),
    ("document.body.setAttribute('style', 'color: red')", "policy broken: style-src"),
    ("document.body.append(Object.assign(new Image(), { src: 'https://example.com/' }))", "policy broken: img-src"),
    ("document.body.append(Object.assign(new Image(), { src: 'nowhere.svg' }))", "404 Not Found"),
];

fn is_heard(browser: Browser, journey: impl AsyncFnOnce(&Page)) {
    let heard = complaints_of(browser, journey);
    for (wrong, told) in WRONGS {
        assert!(heard.iter().any(|complaint| complaint.contains(told)), "{wrong} is heard: {heard:#?}");
    }
}

async fn what_goes_wrong_in_a_page_is_heard(page: &Page) {
    for (wrong, _) in WRONGS {
        page.before_each_document(&format!("addEventListener('load', () => {{ {wrong}; }});"));
    }
    page.before_each_document("addEventListener('load', () => setTimeout(() => { window.isWrong = true; }, 50));");
    page.visit("gate/").await;
    page.wait_for("window.isWrong").await;
}

//! What a person changed is still there after a reload, and nothing breaks where
//! the browser keeps nothing.

use fantoccini::key::Key;

use crate::settings::choose;
use crate::stage::{END, LENGTH, Shown, TWO_PANES, press};
use crate::support::{Page, Pointer, Spot};

in_each_browser!(
    what_was_dragged_survives_a_reload_and_the_way_back,
    the_answer_to_the_question_survives_a_reload,
    a_forbidden_storage_breaks_nothing,
    a_full_storage_breaks_nothing,
    kept_text_that_is_garbage_gives_the_lessons_own_faults,
);

async fn drag_end(page: &Page, pixels: f64) -> Shown {
    let start = Spot::of(page, END).await;
    Pointer::Mouse.press(page, start).await;
    Pointer::Mouse.move_to(page, start.right_by(pixels)).await;
    Pointer::Mouse.release(page).await;
    Shown::on(page).await
}

fn numbers(shown: &Shown) -> (&[String], &str, &str) {
    (&shown.verdicts, &shown.start, &shown.length)
}

async fn what_was_dragged_survives_a_reload_and_the_way_back(page: &Page) {
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;
    let dragged = drag_end(page, -70.0).await;
    assert_ne!(dragged.length, own.length);

    page.client.refresh().await.expect("the page can be reloaded");
    page.wait_for("document.querySelector('.stage .verdict')").await;
    assert_eq!(numbers(&Shown::on(page).await), numbers(&dragged));

    // A browser may bring the very page back that was left. It then loads once more.
    page.run::<()>("window.wasLeft = true; document.querySelector('.brand').click()").await;
    page.wait_for("document.querySelector('.front .stage')").await;
    page.client.back().await.expect("there is a way back");
    page.wait_for("!window.wasLeft && document.querySelector('.lesson .stage .verdict')").await;
    assert_eq!(numbers(&Shown::on(page).await), numbers(&dragged));

    Pointer::Mouse.click(page, ".differs .link").await;
    assert_eq!(numbers(&Shown::on(page).await), numbers(&own), "the lesson's own come back when asked for");
    assert!(!page.value::<bool>("Object.keys(localStorage).some(name => name.includes('lesson'))").await);
}

async fn the_answer_to_the_question_survives_a_reload(page: &Page) {
    page.open(TWO_PANES).await;
    page.act("document.querySelectorAll('.predict input')[1].click()").await;
    page.wait_for("document.querySelector('.reveal')").await;
    page.client.refresh().await.expect("the page can be reloaded");
    page.wait_for("document.querySelector('.reveal')").await;
    assert!(page.value::<bool>("document.querySelectorAll('.predict input')[1].checked").await);
}

async fn works(page: &Page) {
    page.open(TWO_PANES).await;
    assert_eq!(Shown::on(page).await.length, "4.20", "the lesson's own faults");
    page.act(&format!("document.querySelector({LENGTH:?}).focus()")).await;
    page.act("document.activeElement.select()").await;
    press(page, "1.2".chars().chain([Key::Enter.into()])).await;
    assert!(Shown::on(page).await.is_clean());
    choose(page, "theme", "dark").await;
    assert_eq!(page.value::<String>("document.documentElement.dataset.theme").await, "dark");
}

async fn a_forbidden_storage_breaks_nothing(page: &Page) {
    let script = "Object.defineProperty(window, 'localStorage', {
            get() { throw new DOMException('forbidden', 'SecurityError'); }
        })";
    page.before_each_document(script);
    works(page).await;
}

async fn a_full_storage_breaks_nothing(page: &Page) {
    let script = "for (const name of ['getItem', 'setItem', 'removeItem']) {
            Storage.prototype[name] = () => { throw new DOMException('full', 'QuotaExceededError'); };
        }";
    page.before_each_document(script);
    works(page).await;
}

async fn kept_text_that_is_garbage_gives_the_lessons_own_faults(page: &Page) {
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;
    drag_end(page, -70.0).await;
    let name = "racescope.lesson.paused-holder";
    let kept: String = page.value(&format!("localStorage.getItem({name:?})")).await;
    let stamp = kept.split('.').next().unwrap_or_default().to_string();
    let garbage = [
        String::new(),
        "garbage".to_string(),
        format!("{stamp}."),
        format!("{stamp}.zz"),
        format!("{stamp}.ffffffffffffffffffff"),
        format!("{stamp}.ä€"),
        kept.replace(&stamp, "00000000"),
        kept[..kept.len() - 6].to_string(),
        format!("{stamp}.{}", "f".repeat(40_000)),
    ];
    for text in garbage {
        page.run::<()>(&format!("localStorage.setItem({name:?}, {text:?})")).await;
        page.client.refresh().await.expect("the page can be reloaded");
        page.wait_for("document.querySelector('.stage .verdict')").await;
        let shown = Shown::on(page).await;
        assert_eq!(shown, own, "with {} kept", text.chars().take(40).collect::<String>());
    }
}

//! The pause by its numbers: typed, and stepped by buttons.

use fantoccini::key::Key;
use racescope::app::{Field, restore, value_of};

use crate::settings::choose;
use crate::stage::{LENGTH, START, Shown, TWO_PANES, UNDO, lesson_of, press};
use crate::support::{Page, Pointer};

in_each_browser!(
    a_typed_length_takes_the_stale_overwrite_away_and_brings_it_back,
    the_buttons_step_by_a_tenth_of_a_second,
    a_number_below_zero_becomes_the_start_and_the_field_says_so,
    escape_puts_back_what_stood_in_the_field,
    what_is_no_number_is_put_back,
    numbers_in_milliseconds_are_typed_and_stepped_as_they_are_shown,
);

async fn write_length(page: &Page, text: &str) {
    Pointer::Mouse.click(page, LENGTH).await;
    page.act("document.activeElement.select()").await;
    press(page, text.chars().chain([Key::Tab.into()])).await;
}

async fn a_typed_length_takes_the_stale_overwrite_away_and_brings_it_back(page: &Page) {
    let lesson = lesson_of(TWO_PANES);
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;
    write_length(page, "1.2").await;
    let short = Shown::on(page).await;
    assert_eq!(short.length, "1.20");
    assert!(short.is_clean(), "{short:?}");
    short.assert_true(&lesson);

    write_length(page, "4,6").await;
    let long = Shown::on(page).await;
    assert_eq!(long.length, "4.60", "a comma is taken for a point");
    assert!(long.is_broken_beside_holding(), "{long:?}");
    long.assert_true(&lesson);

    Pointer::Mouse.click(page, UNDO).await;
    Pointer::Mouse.click(page, UNDO).await;
    let back = Shown::on(page).await;
    assert_eq!((back.verdicts, back.length, back.undo), (own.verdicts, own.length, String::new()));
}

async fn the_buttons_step_by_a_tenth_of_a_second(page: &Page) {
    page.have_touch_screen().await;
    page.open(TWO_PANES).await;
    for _ in 0..3 {
        Pointer::Mouse.click(page, "button[aria-label='Length: less']").await;
    }
    let hand = if page.browser.has_fingers() { Pointer::Finger } else { Pointer::Mouse };
    hand.click(page, "button[aria-label='Length: more']").await;
    Pointer::Mouse.click(page, "button[aria-label='Start: more']").await;
    let shown = Shown::on(page).await;
    assert_eq!((shown.start.as_str(), shown.length.as_str()), ("1.60", "4.00"));
    shown.assert_true(&lesson_of(TWO_PANES));
}

async fn a_number_below_zero_becomes_the_start_and_the_field_says_so(page: &Page) {
    page.open(TWO_PANES).await;
    for _ in 0..2 {
        Pointer::Mouse.click(page, START).await;
        page.act("document.activeElement.select()").await;
        press(page, "-5".chars().chain([Key::Tab.into()])).await;
        assert_eq!(Shown::on(page).await.start, "0.00");
    }
}

async fn escape_puts_back_what_stood_in_the_field(page: &Page) {
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;
    Pointer::Mouse.click(page, LENGTH).await;
    page.act("document.activeElement.select()").await;
    press(page, "9".chars().chain([Key::Escape.into(), Key::Tab.into()])).await;
    assert_eq!(Shown::on(page).await, own);
}

async fn what_is_no_number_is_put_back(page: &Page) {
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;
    for text in ["soon", "1.2.3", "--4", "1e9", "99999999"] {
        write_length(page, text).await;
        assert_eq!(Shown::on(page).await, own, "after {text}");
    }
}

async fn numbers_in_milliseconds_are_typed_and_stepped_as_they_are_shown(page: &Page) {
    page.open(TWO_PANES).await;
    choose(page, "units", "ms").await;
    let field = async || page.value::<String>(&format!("document.querySelector({LENGTH:?}).value")).await;
    let kept = async || page.value::<Option<String>>("localStorage.getItem('racescope.lesson.paused-holder')").await;
    assert_eq!((field().await.as_str(), kept().await), ("4200", None));
    write_length(page, "1234.5").await;
    assert_eq!(field().await, "1234.5", "a part of a millisecond isn't lost");
    Pointer::Mouse.click(page, "button[aria-label='Length: more']").await;
    assert_eq!(field().await, "1334.5");
    write_length(page, "1,25 s").await;
    assert_eq!(field().await, "1250", "a unit that is typed counts");
    let state = restore(lesson_of(TWO_PANES), &kept().await.expect("what was typed is kept"));
    assert_eq!(value_of(&state.faults[0], Field::Length), Some(1_250_000));
    let shown: Vec<String> =
        page.value("[...document.querySelectorAll('.verdict b')].map(words => words.textContent)").await;
    assert!(shown.iter().all(|words| words == "Clean."), "{shown:?}");
}

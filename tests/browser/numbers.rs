//! The pause by its numbers: typed, and stepped by buttons.

use fantoccini::key::Key;

use crate::stage::{LENGTH, START, Shown, TWO_PANES, UNDO, lesson_of, press};
use crate::support::{Page, Pointer, in_browser};

async fn write_length(page: &Page, text: &str) {
    Pointer::Mouse.click(page, LENGTH).await;
    page.run::<()>("document.activeElement.select()").await;
    press(page, text.chars().chain([Key::Tab.into()])).await;
}

#[test]
fn a_typed_length_takes_the_stale_overwrite_away_and_brings_it_back() {
    in_browser(async |page| {
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
    });
}

#[test]
fn the_buttons_step_by_a_tenth_of_a_second() {
    in_browser(async |page| {
        page.have_touch_screen().await;
        page.open(TWO_PANES).await;
        for _ in 0..3 {
            Pointer::Mouse.click(page, "button[aria-label='Length: less']").await;
        }
        Pointer::Finger.click(page, "button[aria-label='Length: more']").await;
        Pointer::Mouse.click(page, "button[aria-label='Start: more']").await;
        let shown = Shown::on(page).await;
        assert_eq!((shown.start.as_str(), shown.length.as_str()), ("1.60", "4.00"));
        shown.assert_true(&lesson_of(TWO_PANES));
    });
}

#[test]
fn a_number_below_zero_becomes_the_start_and_the_field_says_so() {
    in_browser(async |page| {
        page.open(TWO_PANES).await;
        for _ in 0..2 {
            Pointer::Mouse.click(page, START).await;
            page.run::<()>("document.activeElement.select()").await;
            press(page, "-5".chars().chain([Key::Tab.into()])).await;
            assert_eq!(Shown::on(page).await.start, "0.00");
        }
    });
}

#[test]
fn what_is_no_number_is_put_back() {
    in_browser(async |page| {
        page.open(TWO_PANES).await;
        let own = Shown::on(page).await;
        for text in ["soon", "1.2.3", "--4", "1e9", "99999999"] {
            write_length(page, text).await;
            assert_eq!(Shown::on(page).await, own, "after {text}");
        }
    });
}

//! One playhead for all panes: played, stepped, scrubbed, and never a cause.

use std::time::Duration;

use fantoccini::key::Key;
use racescope::app::State;
use racescope::tell::seconds;

use crate::stage::{Shown, THREE_PANES, TWO_PANES, lesson_of, microseconds, press};
use crate::support::{Page, Pointer};

in_each_browser!(
    it_plays_when_asked_to_and_stands_still_when_paused,
    the_outcome_does_not_depend_on_the_speed,
    it_ends_at_the_end_and_plays_again_from_the_start,
    it_steps_from_event_to_event_of_any_pane,
    the_first_violation_is_one_press_away_and_there_is_none_once_all_is_clean,
    the_slider_is_scrubbed_by_keys_and_says_where_it_is,
    the_keys_of_the_stage_work_while_it_has_the_focus,
);

const PLAY: &str = ".transport .btn.main";
const FORWARD: &str = "button[aria-label='Next event']";
const BACK: &str = "button[aria-label='Previous event']";
const START: &str = "button[aria-label='To the start']";
const VIOLATION: &str = ".transport .jump";

async fn playhead(page: &Page) -> String {
    Shown::on(page).await.playhead
}

async fn choose_speed(page: &Page, name: &str) {
    let script =
        format!("[...document.querySelectorAll('.speed label')].find(label => label.textContent === {name:?}).click()");
    page.act(&script).await;
}

async fn it_plays_when_asked_to_and_stands_still_when_paused(page: &Page) {
    page.open(TWO_PANES).await;
    Pointer::Mouse.click(page, START).await;
    assert_eq!(playhead(page).await, "0.00");
    Pointer::Mouse.click(page, PLAY).await;
    page.wait_for("Number(document.querySelector('.clock b').textContent) > 0.2").await;
    assert_eq!(page.value::<String>("document.querySelector('.transport .btn.main').textContent").await, "Pause");
    Pointer::Mouse.click(page, PLAY).await;
    let paused = playhead(page).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(playhead(page).await, paused);
    assert!(microseconds(&paused) < 8_000_000);
}

async fn the_outcome_does_not_depend_on_the_speed(page: &Page) {
    page.open(TWO_PANES).await;
    let verdicts = Shown::on(page).await.verdicts;
    let record = "document.querySelector('.events tbody').textContent";
    let events: String = page.value(record).await;
    for speed in ["4×", "2×", "¼", "½", "1×"] {
        choose_speed(page, speed).await;
        Pointer::Mouse.click(page, START).await;
        Pointer::Mouse.click(page, PLAY).await;
        // The fastest is played to its end, the others for a while.
        let until = if speed == "4×" { 8.0 } else { 0.1 };
        page.wait_for(&format!("Number(document.querySelector('.clock b').textContent) >= {until}")).await;
        assert_eq!(Shown::on(page).await.verdicts, verdicts, "at {speed}");
        assert_eq!(page.value::<String>(record).await, events, "at {speed}");
        if speed != "4×" {
            Pointer::Mouse.click(page, PLAY).await;
        }
    }
}

async fn it_ends_at_the_end_and_plays_again_from_the_start(page: &Page) {
    page.open(TWO_PANES).await;
    choose_speed(page, "4×").await;
    Pointer::Mouse.click(page, PLAY).await;
    page.wait_for("document.querySelector('.transport .btn.main').textContent === 'Play'").await;
    assert_eq!(playhead(page).await, "8.00");
    Pointer::Mouse.click(page, PLAY).await;
    page.wait_for("Number(document.querySelector('.clock b').textContent) < 7").await;
}

async fn it_steps_from_event_to_event_of_any_pane(page: &Page) {
    page.open(THREE_PANES).await;
    Pointer::Mouse.click(page, START).await;
    let moments = State::new(lesson_of(THREE_PANES)).moments();
    let mut places = moments.iter().map(|&at_us| seconds(at_us));
    for place in places.by_ref().take(12) {
        Pointer::Mouse.click(page, FORWARD).await;
        assert_eq!(playhead(page).await, place);
    }
    Pointer::Mouse.click(page, BACK).await;
    assert_eq!(playhead(page).await, seconds(moments[10]));
}

async fn the_first_violation_is_one_press_away_and_there_is_none_once_all_is_clean(page: &Page) {
    page.open(TWO_PANES).await;
    Pointer::Mouse.click(page, START).await;
    Pointer::Mouse.click(page, VIOLATION).await;
    assert_eq!(playhead(page).await, "6.00");
    let off = format!("document.querySelector({VIOLATION:?}).ariaDisabled === 'true'");
    assert!(!page.value::<bool>(&off).await);
    page.act("document.querySelector('#field-length').focus()").await;
    page.act("document.activeElement.select()").await;
    press(page, "1.2".chars().chain([Key::Enter.into()])).await;
    assert!(page.value::<bool>(&off).await);
}

async fn the_slider_is_scrubbed_by_keys_and_says_where_it_is(page: &Page) {
    page.open(TWO_PANES).await;
    let slider = "document.querySelector('.scrub input')";
    page.act(&format!("{slider}.focus()")).await;
    press(page, [Key::Left.into(), Key::Left.into()]).await;
    assert_eq!(playhead(page).await, "5.98");
    press(page, [Key::Home.into()]).await;
    assert_eq!(playhead(page).await, "0.00");
    assert_eq!(page.value::<String>(&format!("{slider}.ariaValueText")).await, "0.00 seconds: nothing yet");
    press(page, [Key::End.into()]).await;
    assert_eq!(playhead(page).await, "8.00");
    press(page, [Key::Left.into()]).await;
    assert_eq!(playhead(page).await, "7.99");
}

async fn the_keys_of_the_stage_work_while_it_has_the_focus(page: &Page) {
    page.open(TWO_PANES).await;
    page.act("document.querySelector('#stage').focus()").await;
    press(page, [Key::Home.into(), Key::Right.into()]).await;
    assert_eq!(playhead(page).await, "0.20");
    press(page, ['n']).await;
    assert_eq!(playhead(page).await, "6.00");
    // A button takes only what presses it, and a slider all but letters.
    Pointer::Mouse.click(page, START).await;
    press(page, [Key::Right.into()]).await;
    assert_eq!(playhead(page).await, "0.20");
    page.act("document.querySelector('.pause .take').focus()").await;
    press(page, ['n']).await;
    assert_eq!(playhead(page).await, "6.00");
    page.act("document.querySelector('#stage').focus()").await;
    press(page, [' ']).await;
    page.wait_for("Number(document.querySelector('.clock b').textContent) > 6.05").await;
    press(page, [' ']).await;
    assert_eq!(
        page.value::<String>("document.querySelector('.transport .btn.main').textContent").await,
        "Play",
        "the same key pauses"
    );
}

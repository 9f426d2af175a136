//! The pause by keys alone, and the keys that the page leaves alone.

use fantoccini::actions::{InputSource, WheelAction, WheelActions};
use fantoccini::key::Key;

use crate::stage::{Shown, TWO_PANES, lesson_of, microseconds, press, press_with, tab_to};
use crate::support::{Page, Spot};

in_each_browser!(
    the_block_is_grabbed_moved_and_put_down_by_keys,
    escape_puts_a_grabbed_block_back,
    the_end_slider_goes_by_arrow_keys_until_all_is_clean_and_back,
    keys_and_wheel_outside_the_stage_belong_to_the_page,
);

const BLOCK: &str = ".take";
const END_SLIDER: &str = ".grip[aria-label$=': end']";

async fn the_block_is_grabbed_moved_and_put_down_by_keys(page: &Page) {
    let lesson = lesson_of(TWO_PANES);
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;
    tab_to(page, BLOCK).await;
    press(page, [Key::Right.into()]).await;
    assert_eq!(Shown::on(page).await.start, own.start, "what isn't grabbed doesn't move");
    assert!(page.value::<bool>("document.activeElement.matches('.wire')").await, "the focus goes to what is near");
    page.act(&format!("document.querySelector({BLOCK:?}).focus()")).await;

    press(page, [Key::Enter.into(), Key::Right.into(), Key::Right.into(), Key::PageUp.into()]).await;
    let moving = Shown::on(page).await;
    assert_eq!((own.start.as_str(), moving.start.as_str()), ("1.50", "2.70"));
    moving.assert_true(&lesson);
    assert_eq!(page.value::<String>("document.activeElement.getAttribute('aria-pressed')").await, "true");

    press(page, [Key::Enter.into()]).await;
    let down = Shown::on(page).await;
    assert_eq!((down.start.as_str(), down.undo.as_str()), ("2.70", "Undo: move pause of A"));
    press_with(page, Key::Control.into(), 'z').await;
    assert_eq!(Shown::on(page).await, own);
}

async fn escape_puts_a_grabbed_block_back(page: &Page) {
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;
    tab_to(page, BLOCK).await;
    press(page, [Key::Enter.into(), Key::Left.into(), Key::Left.into()]).await;
    assert_eq!(Shown::on(page).await.start, "1.30");
    press(page, [Key::Escape.into()]).await;
    assert_eq!(Shown::on(page).await, own);
    assert!(page.value::<bool>(&format!("document.activeElement.matches({BLOCK:?})")).await, "the focus stays");
}

async fn the_end_slider_goes_by_arrow_keys_until_all_is_clean_and_back(page: &Page) {
    let lesson = lesson_of(TWO_PANES);
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;
    tab_to(page, END_SLIDER).await;
    let mut presses = 0;
    while !Shown::on(page).await.is_clean() {
        press(page, [Key::Left.into()]).await;
        presses += 1;
        assert!(presses < 40, "{:?}", Shown::on(page).await);
        Shown::on(page).await.assert_true(&lesson);
    }
    let shown = Shown::on(page).await;
    let end: String = page.value("document.activeElement.getAttribute('aria-valuenow')").await;
    let ends = microseconds(&shown.start) + microseconds(&shown.length);
    assert_eq!(microseconds(&end), ends, "the slider says where the pause ends");

    for _ in 0..presses {
        press(page, [Key::Right.into()]).await;
    }
    let back = Shown::on(page).await;
    assert_eq!((&back.verdicts, &back.length), (&own.verdicts, &own.length));
}

async fn keys_and_wheel_outside_the_stage_belong_to_the_page(page: &Page) {
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;
    page.act("document.querySelector('.brand').focus()").await;
    press(page, [Key::Right.into(), Key::Left.into(), Key::Home.into(), 'n', 'k', ' ']).await;
    assert_eq!(Shown::on(page).await, own, "no key reaches the stage from outside");
    page.wait_for("scrollY > 100").await;

    page.act("scrollTo(0, 0)").await;
    let over = Spot::of(page, ".plot").await;
    let before: f64 = page.value("scrollY").await;
    let wheel = WheelAction::Scroll { duration: None, x: over.x as i64, y: over.y as i64, delta_x: 0, delta_y: 300 };
    let actions = WheelActions::new("wheel".into()).then(wheel);
    page.client.perform_actions(actions).await.expect("the wheel can be turned");
    page.wait_for(&format!("scrollY > {before}")).await;
    assert_eq!(Shown::on(page).await, own, "the wheel scrolls and changes nothing");
}

//! Why a pane ended as it did, where the panes part, and the time that is folded.

use racescope::app::State;
use racescope::tell::seconds;

use crate::stage::{Shown, TWO_PANES, lesson_of, press};
use crate::support::{Page, Pointer};

in_each_browser!(
    the_chain_is_lit_in_its_pane_and_each_step_takes_the_playhead_there,
    idle_time_is_unfolded_by_a_press_on_it_and_folded_by_a_key,
);

const WHY: &str = ".verdict .link";

async fn count(page: &Page, selector: &str) -> usize {
    page.value(&format!("document.querySelectorAll({selector:?}).length")).await
}

async fn the_chain_is_lit_in_its_pane_and_each_step_takes_the_playhead_there(page: &Page) {
    page.open(TWO_PANES).await;
    let steps = State::new(lesson_of(TWO_PANES)).why(0);
    Pointer::Mouse.click(page, WHY).await;
    page.wait_for("document.querySelector('.lit')").await;
    assert_eq!((count(page, ".lit .badge").await, count(page, ".verdict .chain li").await), (steps.len(), steps.len()));
    assert_eq!(count(page, ".explained").await, 1, "the other pane stays as it was");
    let strength = "getComputedStyle(document.querySelector('.explained > .scene')).opacity < 0.5";
    assert!(page.value::<bool>(strength).await, "the rest steps back");
    for (place, step) in steps.iter().enumerate() {
        Pointer::Mouse.click(page, &format!(".verdict .chain li:nth-child({}) .at", place + 1)).await;
        assert_eq!(Shown::on(page).await.playhead, seconds(step.at_us));
        let said: String = page.value("document.querySelector('.stage [role=status]').textContent").await;
        assert!(said.starts_with(&format!("{} seconds.", seconds(step.at_us))), "{said}");
    }
    Pointer::Mouse.click(page, WHY).await;
    page.wait_for("!document.querySelector('.lit')").await;
}

async fn idle_time_is_unfolded_by_a_press_on_it_and_folded_by_a_key(page: &Page) {
    page.open(TWO_PANES).await;
    let own = Shown::on(page).await;
    assert_eq!(count(page, ".fold").await, 2, "one in each pane");
    page.act("document.querySelector('.fold').dispatchEvent(new MouseEvent('click', { bubbles: true }))").await;
    page.wait_for("!document.querySelector('.fold')").await;
    assert_eq!(Shown::on(page).await, own, "what happens is the same");
    page.act("document.querySelector('#stage').focus()").await;
    press(page, ['f']).await;
    page.wait_for("document.querySelector('.fold')").await;
    press(page, ['p']).await;
    assert_eq!(Shown::on(page).await.playhead, "6.00", "here the panes part");
}

//! The first sight of each page.

use std::time::Duration;

use crate::stage::{Shown, TWO_PANES, lesson_of};
use crate::support::{Page, in_browser};

in_each_browser!(
    the_front_page_stands_at_the_moment_of_harm_and_nothing_moves,
    the_lesson_says_that_the_stale_write_is_accepted_on_the_left_and_refused_on_the_right,
    the_front_page_leads_to_each_lesson_and_back,
);

#[test]
fn the_front_page_stands_within_two_seconds() {
    in_browser(async |page| {
        // The best of three, so that a busy machine doesn't decide.
        let mut best_ms = f64::INFINITY;
        for _ in 0..3 {
            page.open("").await;
            best_ms = best_ms.min(page.value("window.stageStoodAt").await);
        }
        assert!(best_ms < 2_000.0, "the stage stood after {best_ms} ms");
    });
}

async fn the_front_page_stands_at_the_moment_of_harm_and_nothing_moves(page: &Page) {
    page.open("").await;
    let before = Shown::on(page).await;
    assert_eq!(before.playhead, "6.00");
    assert!(before.verdicts[0].starts_with("Broken at 6.00 s."), "{before:?}");
    assert!(before.verdicts[1].starts_with("Holds."), "{before:?}");
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(Shown::on(page).await, before, "nothing moves before it is asked to");
    assert_eq!(page.value::<usize>("document.getAnimations().length").await, 0);
}

async fn the_lesson_says_that_the_stale_write_is_accepted_on_the_left_and_refused_on_the_right(page: &Page) {
    page.open(TWO_PANES).await;
    let shown = Shown::on(page).await;
    assert_eq!(shown.verdicts[0], "Broken at 6.00 s. Storage accepted 33 after 34; B’s v8 is lost.");
    assert_eq!(shown.verdicts[1], "Holds. Storage refused A’s write, 33 < 34; B’s v8 stands.");
    shown.assert_true(&lesson_of(TWO_PANES));
}

async fn the_front_page_leads_to_each_lesson_and_back(page: &Page) {
    page.open("").await;
    for lesson in racescope::library().lessons {
        let link = format!(".lessons a[href$='lessons/{}/']", lesson.id);
        page.run::<()>(&format!("document.querySelector({link:?}).click()")).await;
        page.wait_for(&format!("document.title === {:?}", format!("{} · Racescope", lesson.title))).await;
        page.wait_for("document.querySelector('.stage')").await;
        page.run::<()>("document.querySelector('.brand').click()").await;
        page.wait_for("document.querySelector('.front .stage')").await;
    }
}

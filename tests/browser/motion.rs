//! What plays where the system asks for less motion.

use crate::settings::choose;
use crate::stage::TWO_PANES;
use crate::support::Page;

in_each_browser!(
    by crate::support::go_with_less_motion;
    with_less_motion_the_playhead_stands_only_where_something_happens,
);

/// Plays for a moment, and returns where the playhead stood, frame by frame.
async fn play(page: &Page) -> Vec<f64> {
    page.run::<()>("document.querySelector('.transport .main').click()").await;
    let places = page
        .run(
            "const places = [];
             const clock = document.querySelector('.clock b');
             return new Promise(done => {
                 const look = () => {
                     const place = Number(clock.textContent);
                     if (places.at(-1) !== place) places.push(place);
                     if (place >= 1.3) done(places); else requestAnimationFrame(look);
                 };
                 requestAnimationFrame(look);
             })",
        )
        .await;
    page.run::<()>("document.querySelector('.transport .main').click()").await;
    places
}

async fn with_less_motion_the_playhead_stands_only_where_something_happens(page: &Page) {
    page.open(TWO_PANES).await;
    assert!(page.value::<bool>("matchMedia('(prefers-reduced-motion: reduce)').matches").await, "it asks for less");
    let steps = [0.0, 0.2, 0.4, 0.6, 0.75, 1.0, 1.25, 1.4];
    let places = play(page).await;
    assert!(places.len() > 3 && places.iter().all(|place| steps.contains(place)), "{places:?}");
    choose(page, "motion", "full").await;
    page.act("document.querySelector('.transport [aria-label=\"To the start\"]').click()").await;
    let places = play(page).await;
    assert!(places.iter().any(|place| !steps.contains(place)), "{places:?}");
}

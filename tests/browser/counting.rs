//! The panel of all schedules on the finished site: the search in its worker, beside
//! the page's thread where workers are refused, and what it finds on the stage.

use std::ops::ControlFlow;

use fantoccini::key::Key;
use racescope_engine::explore::{Question, survey};
use racescope_lesson::Lesson;

use crate::stage::{Shown, THREE_PANES, TWO_PANES, lesson_of, press, tab_to};
use crate::support::Page;

in_each_browser!(
    the_counts_of_the_page_are_those_of_the_command,
    without_workers_the_page_counts_the_same_by_itself,
    the_shortest_counterexample_is_played_by_keys_on_all_panes_and_taken_back,
    a_search_that_takes_long_says_how_far_it_is_and_can_be_stopped,
);

/// The button that starts and stops.
const BUTTON: &str = ".counting-head .btn";

async fn start(page: &Page) {
    page.act(&format!("document.querySelector({BUTTON:?}).click()")).await;
}

async fn count(page: &Page) {
    start(page).await;
    // Before they are drawn, there are as many headlines as there are variants: none.
    page.wait_for(
        "document.querySelector('.tally') && [...document.querySelectorAll('.tally')].every(tally => tally.querySelector('.headline'))",
    )
    .await;
}

/// The first words of each variant's count.
async fn headlines(page: &Page) -> Vec<String> {
    let read = "[...document.querySelectorAll('.tally .headline')].map(line => line.firstChild.textContent + line.childNodes[1].textContent)";
    page.value(read).await
}

/// The same by a search on this machine.
fn expected(lesson: &Lesson) -> Vec<String> {
    let told = lesson.variants.iter().map(|variant| {
        let question = Question::of_harm(lesson.bounds);
        let found = survey(&variant.scenario, &question, &mut |_| ControlFlow::Continue(())).exploration;
        let mut harmful = racescope_engine::explore::Count::default();
        let does_harm = found.outcomes.iter().filter(|outcome| !outcome.marks.is_empty());
        does_harm.for_each(|outcome| harmful.add(&outcome.schedules));
        let grouped = |count: &racescope_engine::explore::Count| racescope::tell::grouped(&count.decimal());
        format!("{} of {} schedules break", grouped(&harmful), grouped(&found.schedules()))
    });
    told.collect()
}

async fn the_counts_of_the_page_are_those_of_the_command(page: &Page) {
    for path in [TWO_PANES, THREE_PANES] {
        page.open(path).await;
        assert_eq!(page.value::<usize>("document.querySelectorAll('.tally').length").await, 0);
        count(page).await;
        assert_eq!(headlines(page).await, expected(&lesson_of(path)));
    }
}

async fn without_workers_the_page_counts_the_same_by_itself(page: &Page) {
    page.before_each_document("window.Worker = class { constructor() { throw new Error('refused'); } };");
    page.open(TWO_PANES).await;
    count(page).await;
    assert_eq!(headlines(page).await, expected(&lesson_of(TWO_PANES)));
}

async fn the_shortest_counterexample_is_played_by_keys_on_all_panes_and_taken_back(page: &Page) {
    page.open(TWO_PANES).await;
    count(page).await;
    let before = Shown::on(page).await;
    page.act("document.querySelector('.shortest .btn').focus()").await;
    press(page, [Key::Enter.into()]).await;
    page.wait_for(
        "document.querySelector('.stage-tools button').getAttribute('aria-label').includes('play a schedule')",
    )
    .await;
    let verdicts: Vec<String> =
        page.value("[...document.querySelectorAll('.verdict > p b')].map(words => words.textContent)").await;
    assert!(verdicts[0].starts_with("Broken at") && verdicts[1] == "Holds.", "{verdicts:?}");
    let faults: Vec<usize> = page
        .value("[...document.querySelectorAll('.pane')].map(pane => pane.querySelectorAll('[data-object]').length)")
        .await;
    assert!(faults.iter().all(|&count| count > 0), "{faults:?}");
    page.act("document.querySelector('.stage-tools button').click()").await;
    assert_eq!(Shown::on(page).await.verdicts, before.verdicts);
}

async fn a_search_that_takes_long_says_how_far_it_is_and_can_be_stopped(page: &Page) {
    page.open(THREE_PANES).await;
    page.act("document.querySelector('.assume').open = true").await;
    for name in ["lost-requests", "lost-replies", "requests-that-arrive-twice", "crashes"] {
        page.act(&format!(
            "const list = document.querySelector('#assume-{name}');
                 list.value = '3';
                 list.dispatchEvent(new Event('change', {{ bubbles: true }}))"
        ))
        .await;
    }
    tab_to(page, BUTTON).await;
    press(page, [Key::Enter.into()]).await;
    page.wait_for("/[1-9][0-9,]* states so far/.test(document.querySelector('.so-far').textContent)").await;
    press(page, [Key::Enter.into()]).await;
    page.wait_for("document.querySelector('.so-far').textContent.startsWith('Incomplete: stopped at ')").await;
    assert_eq!(page.value::<String>(&format!("document.querySelector({BUTTON:?}).textContent")).await, "Count again");
    assert!(page.value::<bool>(&format!("document.activeElement.matches({BUTTON:?})")).await, "it keeps the focus");
    assert_eq!(headlines(page).await, Vec::<String>::new(), "there is no count");
}

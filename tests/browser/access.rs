//! axe-core finds nothing: each kind of page, each width, each theme, and in the states
//! that a page gets into by being used.

use std::collections::BTreeMap;
use std::fs;

use fantoccini::key::Key;
use serde::Deserialize;

use crate::stage::{THREE_PANES, TWO_PANES, press, tab_to};
use crate::support::{Browser, Page, Settings};

in_each_browser!(
    axe_finds_nothing_with_the_settings_open_in_each_theme,
    axe_finds_nothing_with_no_fault_on_the_stage_and_while_schedules_are_counted,
    axe_finds_nothing_once_all_is_clean,
    axe_finds_nothing_with_every_kind_of_fault_on_the_stage_and_one_chosen,
    axe_finds_nothing_on_pages_without_the_app,
    axe_finds_nothing_on_the_page_of_a_mechanism,
    axe_finds_nothing_in_lessons_with_many_lanes_and_with_four_panes,
    axe_finds_nothing_on_the_front_page,
    axe_finds_nothing_in_the_lesson_with_two_panes,
    axe_finds_nothing_in_the_lesson_with_three_panes,
);

/// What axe-core found at one element.
#[derive(Debug, Deserialize)]
struct Found {
    id: String,
    help: String,
    target: String,
}

/// What was found, and in which states of the page.
pub type Complaints = BTreeMap<String, Vec<String>>;

/// What a system can ask for, by what it is called in style sheets.
type Theme = &'static [(&'static str, &'static str)];
const LIGHT: Theme = &[("prefers-color-scheme", "light")];
const DARK: Theme = &[("prefers-color-scheme", "dark")];
const CONTRAST: Theme = &[("prefers-color-scheme", "light"), ("prefers-contrast", "more")];
const DARK_CONTRAST: Theme = &[("prefers-color-scheme", "dark"), ("prefers-contrast", "more")];
const FORCED: Theme = &[("prefers-color-scheme", "dark"), ("forced-colors", "active")];

/// Whether all that can be seen has come to rest.
const STANDS_STILL: &str = "document.getAnimations().every(one => !one.effect.target.checkVisibility())";

/// Looks at the page as it is now, at each width and in both themes. What axe-core sees hardly
/// hangs on the browser, so the others get each of these once, and not all pairs.
pub async fn look(page: &Page, state: &str, complaints: &mut Complaints) {
    if page.browser == Browser::Chromium {
        return look_in(page, state, &[LIGHT, DARK], &[1440, 1024, 390], complaints).await;
    }
    look_in(page, state, &[LIGHT], &[1440], complaints).await;
    look_in(page, state, &[DARK], &[390], complaints).await;
}

/// The same where the system asks for more contrast, or brings its own colours.
async fn look_in_contrast(page: &Page, state: &str, complaints: &mut Complaints) {
    if page.browser == Browser::Chromium {
        return look_in(page, state, &[CONTRAST, DARK_CONTRAST, FORCED], &[1440, 390], complaints).await;
    }
    look_in(page, state, &[CONTRAST], &[1440], complaints).await;
    look_in(page, state, &[FORCED], &[390], complaints).await;
}

async fn look_in(page: &Page, state: &str, themes: &[Theme], widths: &[u32], complaints: &mut Complaints) {
    for theme in themes {
        let by_system = page.prefer(theme).await;
        if !by_system && !choose(page, theme).await {
            continue;
        }
        for &width in widths {
            page.resize(width, 900).await;
            page.wait_for(&format!("innerWidth === {width} && {STANDS_STILL}")).await;
            for Found { id, help, target } in violations(page).await {
                let seen = complaints.entry(format!("{id}: {help}\n    {target}")).or_default();
                seen.push(format!("{state}, {theme:?}, {width} px"));
            }
        }
        if !by_system {
            page.act("delete document.documentElement.dataset.theme").await;
        }
    }
    page.prefer(&[]).await;
    page.resize(1440, 1000).await;
}

/// Has the page look as a reader can choose, which is how it looks where the system asks for
/// it: not every system can be made to. Whether there is such a choice, and none was made.
async fn choose(page: &Page, theme: Theme) -> bool {
    let chosen = match theme {
        [.., ("prefers-contrast", _)] => "contrast",
        [("prefers-color-scheme", theme)] => theme,
        _ => return false,
    };
    page.run(&format!(
        "const root = document.documentElement;
         if ('theme' in root.dataset) return false;
         root.dataset.theme = {chosen:?};
         return true"
    ))
    .await
}

async fn violations(page: &Page) -> Vec<Found> {
    if !page.value::<bool>("'axe' in window").await {
        let axe = fs::read_to_string(Settings::from_environment().axe).expect("the script of axe-core can be read");
        page.act(&axe).await;
    }
    page.run(
        "const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
         const options = { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'], preload: false };
         const told = node => [...node.any, ...node.all, ...node.none].map(check => check.message).join('; ');
         return axe.run(document, options).then(result => result.violations.flatMap(({ id, help, nodes }) =>
             nodes.map(node => ({ id, help, target: `${node.target.join(' ')}: ${told(node)}` }))))",
    )
    .await
}

pub fn assert_none(complaints: &Complaints) {
    let told = complaints.iter().map(|(found, states)| format!("{found}\n    {}", states.join("\n    ")));
    assert!(complaints.is_empty(), "axe-core complains of\n{}", told.collect::<Vec<_>>().join("\n"));
}

/// Looks at a page as it opens, and with everything open and a fault grabbed.
async fn look_at(page: &Page, path: &str) {
    let mut complaints = Complaints::new();
    page.open(path).await;
    look(page, "as it opens", &mut complaints).await;
    page.act(
        "document.querySelectorAll('details').forEach(details => details.open = true);
             document.querySelectorAll('.predict input, .dare .link').forEach(button => button.click())",
    )
    .await;
    tab_to(page, ".take").await;
    press(page, [Key::Enter.into(), Key::Right.into()]).await;
    page.wait_for("document.querySelector('.take.held')").await;
    look(page, "with all open and the fault grabbed", &mut complaints).await;
    press(page, [Key::Escape.into()]).await;
    page.act("document.querySelector('.counting-head .btn').click()").await;
    page.wait_for("document.querySelector('.tally:last-child .headline')").await;
    look(page, "with all schedules counted", &mut complaints).await;
    page.act("document.querySelectorAll('.verdict .link, .comparison .link').forEach(link => link.click())").await;
    page.wait_for("document.querySelector('.lit')").await;
    look(page, "with what led to each verdict", &mut complaints).await;
    look_in_contrast(page, "with what led to each verdict", &mut complaints).await;
    assert_none(&complaints);
}

/// Looks at pages as they open, in all themes.
async fn look_at_first_sight(page: &Page, paths: &[&str]) {
    let mut complaints = Complaints::new();
    for path in paths {
        page.visit(path).await;
        page.wait_for("document.querySelector('main h1')").await;
        if path.starts_with("lessons/") || path.matches('/').count() > 1 {
            page.wait_for("document.querySelector('.menu')").await;
        }
        look(page, path, &mut complaints).await;
        look_in_contrast(page, path, &mut complaints).await;
    }
    assert_none(&complaints);
}

async fn axe_finds_nothing_on_pages_without_the_app(page: &Page) {
    look_at_first_sight(page, &["gate/", "matrix/"]).await;
}

async fn axe_finds_nothing_on_the_page_of_a_mechanism(page: &Page) {
    look_at_first_sight(page, &["matrix/redlock/"]).await;
}

async fn axe_finds_nothing_in_lessons_with_many_lanes_and_with_four_panes(page: &Page) {
    look_at_first_sight(page, &["lessons/redlock/", "lessons/stale-cache-set/"]).await;
}

async fn axe_finds_nothing_with_the_settings_open_in_each_theme(page: &Page) {
    let mut complaints = Complaints::new();
    page.open(TWO_PANES).await;
    page.act("document.querySelector('.menu').open = true").await;
    for theme in ["light", "dark", "contrast"] {
        page.act(&format!("document.querySelector('input[name=set-theme][value={theme}]').click()")).await;
        page.wait_for(&format!("document.documentElement.dataset.theme === {theme:?}")).await;
        look_in(page, theme, &[LIGHT, DARK], &[1440, 390], &mut complaints).await;
    }
    assert_none(&complaints);
}

async fn axe_finds_nothing_with_no_fault_on_the_stage_and_while_schedules_are_counted(page: &Page) {
    let mut complaints = Complaints::new();
    page.open("lessons/redlock/").await;
    page.act("document.querySelector('.counting-head .btn').click()").await;
    page.wait_for("document.querySelector('.so-far')").await;
    for _ in 0..page.value::<u32>("document.querySelectorAll('.fault-row').length").await {
        let rows = page.value::<u32>("document.querySelectorAll('.fault-row').length").await;
        page.act("document.querySelector('.fault-row').click()").await;
        page.wait_for("document.querySelector('.fault-form')").await;
        page.act("document.querySelector('.fault-form .row .link:last-child').click()").await;
        page.wait_for(&format!("document.querySelectorAll('.fault-row').length < {rows}")).await;
    }
    page.wait_for("document.querySelector('.inspect .aside').textContent.startsWith('Nothing goes wrong')").await;
    look_in(page, "empty", &[LIGHT, FORCED], &[1440, 390], &mut complaints).await;
    assert_none(&complaints);
}

async fn axe_finds_nothing_on_the_front_page(page: &Page) {
    look_at(page, "").await;
}

async fn axe_finds_nothing_in_the_lesson_with_two_panes(page: &Page) {
    look_at(page, TWO_PANES).await;
}

async fn axe_finds_nothing_in_the_lesson_with_three_panes(page: &Page) {
    look_at(page, THREE_PANES).await;
}

async fn axe_finds_nothing_once_all_is_clean(page: &Page) {
    let mut complaints = Complaints::new();
    page.open(TWO_PANES).await;
    page.act("document.querySelector('#field-length').select()").await;
    press(page, "1.2".chars().chain([Key::Enter.into()])).await;
    look(page, "clean", &mut complaints).await;
    assert_none(&complaints);
}

async fn axe_finds_nothing_with_every_kind_of_fault_on_the_stage_and_one_chosen(page: &Page) {
    let mut complaints = Complaints::new();
    page.open(TWO_PANES).await;
    page.act(
        "document.querySelector('.add').open = true;
             document.querySelector('.legend').open = true;
             window.before = document.querySelectorAll('.fault-row').length;
             window.kinds = document.querySelectorAll('#add-kind option').length",
    )
    .await;
    for place in 0..page.value::<u32>("window.kinds").await {
        page.act(&format!(
            "const list = document.querySelector('#add-kind');
                 list.value = '{place}';
                 list.dispatchEvent(new Event('change', {{ bubbles: true }}))"
        ))
        .await;
        page.act("document.querySelector('.add .btn').click()").await;
    }
    let rows = page.value::<u32>("document.querySelectorAll('.fault-row').length").await;
    assert_eq!(rows, page.value::<u32>("window.before + window.kinds").await, "each kind was added once");
    page.act("document.querySelector('.dare .btn').scrollIntoView(); document.querySelector('.chip').click()").await;
    look(page, "with every kind on the stage", &mut complaints).await;
    assert_none(&complaints);
}

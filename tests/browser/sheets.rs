//! The pages of numbers on the finished site, which are read without the app.

use crate::access::{Complaints, assert_none, look};
use crate::support::Page;

in_each_browser!(the_pages_of_numbers_are_read_without_the_app_on_every_screen,);

/// Their folders, and a sentence that each has.
const SHEETS: [(&str, &str); 2] = [
    ("gate/", "100,000 random schedules of signed grants from the seed 1: nothing bad was accepted; of all"),
    ("voucher/", "1 of 20 in every one of 1.53 × 10³⁷ schedules"),
];

async fn the_pages_of_numbers_are_read_without_the_app_on_every_screen(page: &Page) {
    let mut complaints = Complaints::new();
    for (folder, sentence) in SHEETS {
        page.client.goto(&page.site.address_of(folder)).await.expect("the page can be opened");
        page.wait_for("document.querySelector('main h1')").await;
        let text: String = page.value("document.querySelector('main').textContent").await;
        assert!(text.contains(sentence), "{folder}: {text}");
        assert!(page.value::<bool>("!document.querySelector('script[src*=boot]')").await, "it starts no app");
        look(page, folder, &mut complaints).await;
        for (width, shown) in [(1440, "wide"), (390, "narrow")] {
            page.resize(width, 844).await;
            page.wait_for(&format!("innerWidth === {width}")).await;
            let lies_beside = "document.documentElement.scrollWidth > innerWidth";
            assert!(!page.value::<bool>(lies_beside).await, "{folder}: nothing lies beside {width} px");
            let charts = format!(
                "(() => {{ const all = [...document.querySelectorAll('.figure')];
                     const seen = all.filter(chart => chart.checkVisibility());
                     return seen.length > 1 && seen.length * 2 === all.length && seen.every(chart => \
                     chart.classList.contains('{shown}') && chart.getBoundingClientRect().height > 100); }})()"
            );
            assert!(page.value::<bool>(&charts).await, "{folder}: each chart is there once at {width} px");
        }
    }
    assert_none(&complaints);
}

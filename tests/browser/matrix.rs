//! The safety matrix on the finished site: a table without a script, and a stage behind
//! each of its cells.

use crate::access::{Complaints, assert_none, look};
use crate::support::Page;

in_each_browser!(
    the_table_is_read_without_the_app_and_fits_a_small_screen,
    a_cell_puts_the_faults_of_the_shortest_schedule_on_the_stage,
);

async fn open_table(page: &Page) {
    page.client.goto(&page.site.address_of("matrix/")).await.expect("the page can be opened");
    page.wait_for("document.querySelector('table.matrix')").await;
}

/// The first words of the verdict on the mechanism itself.
async fn verdict(page: &Page) -> String {
    page.value("document.querySelector('.stage .verdict').textContent.trim()").await
}

async fn the_table_is_read_without_the_app_and_fits_a_small_screen(page: &Page) {
    let mut complaints = Complaints::new();
    open_table(page).await;
    look(page, "the matrix", &mut complaints).await;
    assert_none(&complaints);
    assert!(page.value::<bool>("!document.querySelector('script[src*=boot]')").await, "it starts no app");
    page.resize(390, 844).await;
    page.wait_for("innerWidth === 390").await;
    assert!(page.value::<bool>("document.documentElement.scrollWidth <= innerWidth").await, "nothing lies beside it");
    let heads: usize = page.value("document.querySelectorAll('.matrix thead th[scope=col]').length").await;
    let cells: usize = page.value("document.querySelector('.matrix tbody tr:not(.group)').cells.length").await;
    assert_eq!(cells, heads + 1, "each cell has its column");
}

async fn a_cell_puts_the_faults_of_the_shortest_schedule_on_the_stage(page: &Page) {
    let mut complaints = Complaints::new();
    open_table(page).await;
    page.run::<()>("document.querySelector('[href=\"./lease-and-check/#pauses\"]').click()").await;
    page.wait_for("document.querySelector('.stage .verdict')").await;
    assert!(verdict(page).await.starts_with("Broken at "), "{}", verdict(page).await);
    assert!(page.value::<usize>("document.querySelectorAll('.stage .take').length").await > 0, "with faults to drag");
    let said: String = page.value("document.querySelector('.story').textContent").await;
    assert!(said.contains("1,288 of 4,846 schedules"), "{said}");
    page.wait_for("document.readyState === 'complete'").await;
    page.settle().await;
    assert!(page.value::<bool>("scrollY === 0").await, "it opens where the stage is");
    look(page, "a mechanism", &mut complaints).await;
    assert_none(&complaints);

    page.act("document.querySelector('.cases [href=\"#nothing\"]').click()").await;
    page.wait_for("document.querySelector('.story').textContent.includes('0 of 2 schedules')").await;
    assert!(!verdict(page).await.starts_with("Broken"), "nothing goes wrong by itself");
}

//! Each page fits into each width.

use crate::stage::{THREE_PANES, TWO_PANES};
use crate::support::Page;

in_each_browser!(no_page_scrolls_sideways,);

async fn no_page_scrolls_sideways(page: &Page) {
    let mut wide = Vec::new();
    let all = ["", TWO_PANES, THREE_PANES, "lessons/redlock/", "lessons/stale-cache-set/", "matrix/redlock/"];
    for path in all.into_iter().chain(["matrix/", "gate/", "voucher/"]) {
        page.visit(path).await;
        let is_there = if all.contains(&path) { ".stage .verdict" } else { "main table" };
        page.wait_for(&format!("document.querySelector({is_there:?})")).await;
        page.act("document.querySelectorAll('details').forEach(details => details.open = true)").await;
        for width in [1440, 1024, 768, 390, 320] {
            page.resize(width, 900).await;
            page.wait_for(&format!("innerWidth === {width}")).await;
            let (needs, has): (u32, u32) =
                page.value("[document.documentElement.scrollWidth, document.documentElement.clientWidth]").await;
            if needs > has {
                wide.push(format!("“{path}” at {width} px needs {needs} px, which is {}", culprit(page).await));
            }
        }
    }
    assert!(wide.is_empty(), "\n{}", wide.join("\n"));
}

/// The innermost element that reaches furthest to the right.
async fn culprit(page: &Page) -> String {
    page.run(
        "const right = element => element.getBoundingClientRect().right;
         const all = [...document.body.querySelectorAll('*')].filter(element => !element.closest('.vh, svg svg'));
         const furthest = all.reduce((far, element) => right(element) >= right(far) ? element : far);
         return furthest.outerHTML.slice(0, 160)",
    )
    .await
}

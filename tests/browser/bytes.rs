//! The engine gives the same bytes in the browser as natively.

use racescope_engine::sim::example::digest_of_seeds;

use crate::support::Page;

in_each_browser!(five_hundred_random_runs_have_the_same_bytes_in_the_browser,);

async fn five_hundred_random_runs_have_the_same_bytes_in_the_browser(page: &Page) {
    page.open("").await;
    let digest: String = page
        .run(
            "return import(new URL('search.js', document.baseURI)).then(search =>
                     search.default({ module_or_path: new URL('search_bg.wasm', document.baseURI) })
                         .then(() => search.trace_digest(0, 500)))",
        )
        .await;
    assert_eq!(digest, format!("{:016x}", digest_of_seeds(0, 500)));
}

//! How long it takes to count every schedule of the reference scenario in the worker of
//! the finished site, in a real Chromium, and on this machine without a browser.

#[expect(dead_code, unused_imports, reason = "the tests do more with a browser than this")]
#[path = "../tests/browser/support/mod.rs"]
mod support;

use std::ops::ControlFlow;
use std::time::Instant;

use racescope::search::Ask;
use racescope_engine::explore::{Bounds, Mark, explore};
use racescope_engine::sim::example::reference;
use support::{Page, in_browser};

/// How often each search is made.
const TIMES: usize = 9;

fn main() {
    println!("every schedule of the reference scenario, two leases end early, median of {TIMES}, in milliseconds");
    println!("{:8}{:>10}{:>16}{:>16}{:>10}{:>10}", "clients", "states", "schedules", "stale", "worker", "native");
    in_browser(async |page| {
        page.open("").await;
        // The first search starts the worker.
        measure(page, &question(2), 1).await;
        for clients in [3, 4, 5] {
            let ask = question(clients);
            let worker_ms = measure(page, &ask, TIMES).await;
            let began = Instant::now();
            let found = explore(&ask.scenario, &ask.question(), &mut |_| ControlFlow::Continue(()));
            let native_ms = began.elapsed().as_secs_f64() * 1_000.0;
            let stale = found.showing(Mark::StaleWriteAccepted).decimal();
            let schedules = found.schedules().decimal();
            println!("{clients:<8}{:>10}{schedules:>16}{stale:>16}{worker_ms:>10.1}{native_ms:>10.1}", found.states);
        }
    });
}

/// The reference scenario, counted by stale writes.
fn question(clients: usize) -> Ask {
    let marks = vec![Mark::StaleWriteAccepted];
    Ask { marks, examples: false, ..Ask::of_page(reference(clients), Bounds::expiries(2)) }
}

/// The median time from the question to the answer.
async fn measure(page: &Page, ask: &Ask, times: usize) -> f64 {
    let bytes = ask.to_bytes().expect("a question has bytes");
    // The first byte of a reply says whether it is the answer.
    let script = format!(
        "const ask = new Uint8Array({bytes:?});
         const once = seek => new Promise((done, fail) => {{
             const began = performance.now();
             seek(ask, reply => {{
                 if (reply === null) fail(new Error('the search failed'));
                 // The worker is free for the next one a moment after its answer.
                 else if (reply[0] === 1) {{ const took = performance.now() - began; setTimeout(() => done(took), 20); }}
             }});
         }});
         return import(new URL('seek.js', document.baseURI)).then(async ({{ seek }}) => {{
             const all = [];
             for (let time = 0; time < {times}; time += 1) all.push(await once(seek));
             return all.sort((a, b) => a - b)[{times} >> 1];
         }})"
    );
    page.run(&script).await
}

//! What is measured in the worker of the finished site.

use racescope::search::{Ask, Reply};

use super::support::Page;

/// How long it takes from the question to the answer, in milliseconds, and how many states
/// were met.
pub async fn measure(page: &Page, ask: &Ask) -> (f64, usize) {
    let bytes = ask.to_bytes().expect("a question has bytes");
    // The first byte of a reply says whether it is the answer.
    let script = format!(
        "const ask = new Uint8Array({bytes:?});
         return import(new URL('seek.js', document.baseURI)).then(({{ seek }}) => new Promise((done, fail) => {{
             const began = performance.now();
             seek(ask, reply => {{
                 if (reply === null) fail(new Error('the search failed'));
                 // The worker is free for the next one a moment after its answer.
                 else if (reply[0] === 1) {{
                     const took = performance.now() - began;
                     setTimeout(() => done([took, [...reply]]), 20);
                 }}
             }});
         }}))"
    );
    let (ms, reply): (f64, Vec<u8>) = page.run(&script).await;
    match Reply::from_bytes(&reply) {
        Ok(Reply::Done(answer)) if answer.stopped.is_none() => (ms, answer.states as usize),
        other => panic!("the search comes to its end: {other:?}"),
    }
}

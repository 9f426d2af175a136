//! What the worker of the finished site finds.

use racescope::search::{Answer, Ask, Reply};

use super::Page;

/// Asks the worker of a page that is open. Returns how long it took from the question to
/// the answer, in milliseconds, and the answer.
pub async fn search(page: &Page, ask: &Ask) -> (f64, Answer) {
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
        Ok(Reply::Done(answer)) => (ms, answer),
        other => panic!("the search comes to its end: {other:?}"),
    }
}

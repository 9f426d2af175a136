//! What is measured in the worker of the finished site.

use racescope::search::Ask;

use super::support::{Page, search};

/// How long it takes from the question to the answer, in milliseconds, and how many states
/// were met.
pub async fn measure(page: &Page, ask: &Ask) -> (f64, usize) {
    let (ms, answer) = search(page, ask).await;
    assert_eq!(answer.stopped, None, "the search comes to its end");
    (ms, answer.states as usize)
}

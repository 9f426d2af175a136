//! What the module offers to scripts beside the page.

use wasm_bindgen::prelude::wasm_bindgen;

/// A number that stands for the runs of `count` seeds from `from` on. The same
/// function runs natively, and a test compares the two.
#[wasm_bindgen]
pub fn trace_digest(from: u32, count: u32) -> String {
    let digest = racescope_engine::sim::example::digest_of_seeds(from.into(), count);
    format!("{digest:016x}")
}

//! The program that searches, apart from the page: it is loaded only when somebody asks
//! about all schedules, and runs in a worker or, where workers are refused, in slices
//! beside the page. `static/seek.js` and `static/search-worker.js` drive it.

#[cfg(target_arch = "wasm32")]
mod slices {
    use racescope::search::{Ask, Reply, Search};
    use wasm_bindgen::JsError;
    use wasm_bindgen::prelude::wasm_bindgen;

    /// A number that stands for the runs of `count` seeds from `from` on. The same
    /// function runs natively, and a test compares the two.
    #[wasm_bindgen]
    pub fn trace_digest(from: u32, count: u32) -> String {
        let digest = racescope_engine::sim::example::digest_of_seeds(from.into(), count);
        format!("{digest:016x}")
    }

    /// A search that is under way.
    #[wasm_bindgen]
    pub struct Slices {
        search: Search,
        is_done: bool,
    }

    #[wasm_bindgen]
    impl Slices {
        /// Takes a question in bytes.
        ///
        /// # Errors
        /// The bytes are no question of this version.
        #[wasm_bindgen(constructor)]
        pub fn new(ask: &[u8]) -> Result<Slices, JsError> {
            let ask = Ask::from_bytes(ask).map_err(|error| JsError::new(&error))?;
            Ok(Self { search: Search::new(ask), is_done: false })
        }

        /// Goes on for some milliseconds at most, and returns a reply in bytes. Not to be
        /// called when it is done.
        ///
        /// # Errors
        /// None that can happen with plain data.
        #[wasm_bindgen(js_name = goOn)]
        pub fn go_on(&mut self) -> Result<Vec<u8>, JsError> {
            let reply = self.search.go_on();
            self.is_done = matches!(reply, Reply::Done(_));
            reply.to_bytes().map_err(|error| JsError::new(&error.to_string()))
        }

        /// Whether the last reply was the answer.
        #[wasm_bindgen(js_name = isDone)]
        pub fn is_done(&self) -> bool {
            self.is_done
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This program runs in a browser. Here, `racescope explore` counts all schedules.");
    std::process::exit(2);
}

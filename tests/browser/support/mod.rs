//! A real Chromium before the finished site: started for a test, judged and taken
//! down after it, whether it passed or not.

mod driver;
mod page;
mod pointer;
mod search;
mod settings;
mod site;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

pub use page::Page;
pub use pointer::{Pointer, Spot};
pub use search::search;
pub use settings::Settings;
pub use site::Site;

/// The longest that a test may take before it counts as hanging.
const LONGEST: Duration = Duration::from_secs(120);

/// Runs a test in a browser of its own. It fails too if the browser complained:
/// of an error in the console, of a broken policy, or of a file that isn't there.
pub fn in_browser(test: impl AsyncFnOnce(&Page)) {
    in_browser_for(LONGEST, test);
}

/// The same for what may take longer.
pub fn in_browser_for(longest: Duration, test: impl AsyncFnOnce(&Page)) {
    drive(longest, None, test);
}

/// The same in a browser that traces what it does, by categories of its trace.
pub fn in_traced_browser_for(longest: Duration, categories: &str, test: impl AsyncFnOnce(&Page)) {
    drive(longest, Some(categories), test);
}

fn drive(longest: Duration, categories: Option<&str>, test: impl AsyncFnOnce(&Page)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
    let page = runtime.block_on(Page::start(&Settings::from_environment(), categories));
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let within = runtime.block_on(async { tokio::time::timeout(longest, test(&page)).await });
        assert!(within.is_ok(), "the test was still running after {} s", longest.as_secs());
    }));
    let complaints = runtime.block_on(page.close());
    if let Err(panic) = outcome {
        for complaint in &complaints {
            eprintln!("the browser complained: {complaint}");
        }
        resume_unwind(panic);
    }
    assert!(complaints.is_empty(), "the browser complained:\n{}", complaints.join("\n"));
}

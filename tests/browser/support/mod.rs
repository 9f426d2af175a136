//! A real browser before the finished site: started for a test, judged and taken
//! down after it, whether it passed or not.

mod browser;
mod chromium;
mod driver;
mod firefox;
mod page;
mod pointer;
mod screen;
mod search;
mod settings;
mod site;
mod webkit;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

pub use browser::Browser;
use browser::Start;
pub use page::Page;
pub use pointer::{Pointer, Spot};
pub use search::search;
pub use settings::Settings;
pub use site::Site;

/// The longest that a test may take before it counts as hanging.
const LONGEST: Duration = Duration::from_secs(600);

/// Runs a test in a Chromium of its own. It fails too if the browser complained:
/// of an error in the console, of a broken policy, or of a file that isn't there.
pub fn in_browser(test: impl AsyncFnOnce(&Page)) {
    go(Browser::Chromium, test);
}

/// The same for what may take longer.
pub fn in_browser_for(longest: Duration, test: impl AsyncFnOnce(&Page)) {
    go_for(longest, Browser::Chromium, &Start::default(), test);
}

/// The same in a browser that traces what it does, by categories of its trace.
pub fn in_traced_browser_for(longest: Duration, categories: &str, test: impl AsyncFnOnce(&Page)) {
    go_for(longest, Browser::Chromium, &Start { traces: Some(categories), ..Start::default() }, test);
}

/// The same in any browser.
pub fn go(browser: Browser, test: impl AsyncFnOnce(&Page)) {
    go_for(LONGEST, browser, &Start::default(), test);
}

/// The same where the system asks for less motion.
pub fn go_with_less_motion(browser: Browser, test: impl AsyncFnOnce(&Page)) {
    go_for(LONGEST, browser, &Start { less_motion: true, ..Start::default() }, test);
}

fn go_for(longest: Duration, browser: Browser, start: &Start, test: impl AsyncFnOnce(&Page)) {
    let complaints = drive(longest, browser, start, test);
    assert!(complaints.is_empty(), "the browser complained:\n{}", complaints.join("\n"));
}

/// Runs a test in any browser, and returns what the browser complained of.
pub fn complaints_of(browser: Browser, test: impl AsyncFnOnce(&Page)) -> Vec<String> {
    drive(LONGEST, browser, &Start::default(), test)
}

fn drive(longest: Duration, browser: Browser, start: &Start, test: impl AsyncFnOnce(&Page)) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
    let page = runtime.block_on(Page::start(browser, start));
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
    complaints
}

//! What the tests are told by the command that starts them.

use std::env;
use std::path::PathBuf;

use super::browser::Browser;

/// Where the site and the script of axe-core are.
pub struct Settings {
    /// The folder of the finished site.
    pub dist: PathBuf,
    /// The script of axe-core.
    pub axe: PathBuf,
}

impl Settings {
    /// Reads the variables that `cargo xtask test` sets.
    ///
    /// # Panics
    /// If one is missing, or names nothing.
    pub fn from_environment() -> Self {
        Self { dist: named("RACESCOPE_DIST"), axe: named("RACESCOPE_AXE") }
    }
}

/// The variables that name a browser, its driver, and what gives it a screen.
pub fn settings_of(browser: Browser) -> (&'static str, &'static str, Option<&'static str>) {
    match browser {
        Browser::Chromium => ("RACESCOPE_CHROMIUM", "RACESCOPE_CHROMEDRIVER", None),
        Browser::Firefox => ("RACESCOPE_FIREFOX", "RACESCOPE_GECKODRIVER", None),
        Browser::WebKit => ("RACESCOPE_WEBKIT", "RACESCOPE_WEBKITDRIVER", Some("RACESCOPE_XVFB")),
    }
}

/// The path that a variable names.
///
/// # Panics
/// If it isn't set, or nothing is there.
pub fn named(variable: &str) -> PathBuf {
    let Some(value) = env::var_os(variable) else {
        panic!("{variable} isn't set; start the browser tests with `cargo xtask test browser`");
    };
    let path = PathBuf::from(value);
    assert!(path.exists(), "{variable} names {}, which isn't there", path.display());
    path
}

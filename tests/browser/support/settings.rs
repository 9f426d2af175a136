//! What the tests are told by the command that starts them.

use std::env;
use std::path::PathBuf;

/// Where the site, the browser and its driver are.
pub struct Settings {
    /// The folder of the finished site.
    pub dist: PathBuf,
    /// The browser.
    pub chromium: PathBuf,
    /// Its driver.
    pub chromedriver: PathBuf,
    /// The script of axe-core.
    pub axe: PathBuf,
}

impl Settings {
    /// Reads the variables that `cargo xtask test` sets.
    ///
    /// # Panics
    /// If one is missing, or names nothing.
    pub fn from_environment() -> Self {
        Self {
            dist: named("RACESCOPE_DIST"),
            chromium: named("RACESCOPE_CHROMIUM"),
            chromedriver: named("RACESCOPE_CHROMEDRIVER"),
            axe: named("RACESCOPE_AXE"),
        }
    }
}

fn named(variable: &str) -> PathBuf {
    let Some(value) = env::var_os(variable) else {
        panic!("{variable} isn't set; start the browser tests with `cargo xtask test browser`");
    };
    let path = PathBuf::from(value);
    assert!(path.exists(), "{variable} names {}, which isn't there", path.display());
    path
}

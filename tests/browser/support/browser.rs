//! Which browsers there are, and what each of them takes to be driven.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::settings::{named, settings_of};
use super::{chromium, firefox, webkit};

/// A browser that the finished site is tested in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Browser {
    /// Chromium, by chromedriver.
    Chromium,
    /// Firefox, by geckodriver.
    Firefox,
    /// `WebKitGTK` in its own small browser, by `WebKitWebDriver`, on a screen that nobody sees.
    WebKit,
}

/// How a browser is started.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start<'a> {
    /// Whether the system asks for less motion.
    pub less_motion: bool,
    /// The categories of its own trace, if it traces what it does; only Chromium can.
    pub traces: Option<&'a str>,
}

/// The programs that drive a browser.
pub struct Programs {
    /// The browser.
    pub browser: PathBuf,
    /// Its driver.
    pub driver: PathBuf,
    /// What gives it a screen, if it can't do without.
    pub screen: Option<PathBuf>,
}

impl Browser {
    /// The programs that `cargo xtask test` names in variables.
    ///
    /// # Panics
    /// If one is missing, or isn't there.
    pub fn programs(self) -> Programs {
        let (browser, driver, screen) = settings_of(self);
        Programs { browser: named(browser), driver: named(driver), screen: screen.map(named) }
    }

    /// Whether its driver has fingers. That of `WebKitGTK` takes them for a mouse.
    pub fn has_fingers(self) -> bool {
        self != Self::WebKit
    }

    /// What the driver is asked to start.
    pub fn wishes(self, program: &Path, start: &Start) -> Value {
        match self {
            Self::Chromium => chromium::wishes(program, start),
            Self::Firefox => firefox::wishes(program, start),
            Self::WebKit => webkit::wishes(program),
        }
    }
}

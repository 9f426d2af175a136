//! What each browser takes: programs with their names, and Debian's packages of them.

use std::fs;
use std::path::PathBuf;

use super::Kind;

/// The variable that names the driver of Firefox.
pub const GECKODRIVER: &str = "RACESCOPE_GECKODRIVER";

/// A program that a browser is driven by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// The variable by which the tests learn of it. It may also be set beforehand, to choose
    /// between several.
    pub variable: &'static str,
    /// What it may be called.
    pub names: &'static [&'static str],
}

/// What a browser takes.
pub struct Recipe {
    /// What it is called.
    pub name: &'static str,
    /// The browser first, then what drives it.
    pub programs: Vec<Program>,
    /// Where Debian has them.
    pub packages: &'static [&'static str],
}

impl Kind {
    /// What it takes.
    pub fn recipe(self) -> Recipe {
        let program = |variable, names| Program { variable, names };
        match self {
            Self::Chromium => Recipe {
                name: "Chromium",
                programs: vec![
                    program(
                        "RACESCOPE_CHROMIUM",
                        &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"],
                    ),
                    program("RACESCOPE_CHROMEDRIVER", &["chromedriver"]),
                ],
                packages: &["chromium", "chromium-driver", "chromium-sandbox", "fonts-dejavu-core"],
            },
            Self::Firefox => Recipe {
                name: "Firefox",
                programs: vec![program("RACESCOPE_FIREFOX", &["firefox-esr", "firefox"])],
                packages: &["firefox-esr", "fonts-dejavu-core"],
            },
            Self::WebKit => Recipe {
                name: "WebKitGTK",
                programs: vec![
                    program("RACESCOPE_WEBKIT", &["MiniBrowser"]),
                    program("RACESCOPE_WEBKITDRIVER", &["WebKitWebDriver"]),
                    program("RACESCOPE_XVFB", &["Xvfb"]),
                ],
                packages: &["webkit2gtk-driver", "xvfb", "fonts-dejavu-core"],
            },
        }
    }
}

/// Programs that aren't on PATH where they usually lie, as far as they are there.
pub fn usual_places() -> Vec<PathBuf> {
    let plain = [
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Firefox.app/Contents/MacOS/firefox",
        "/usr/lib/chromium/chromedriver",
        "/usr/lib/chromium-browser/chromedriver",
    ];
    // The small browser of WebKitGTK lies in a folder of the machine's kind.
    let kinds = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let small = kinds.map(|kind| kind.path().join("webkit2gtk-4.1/MiniBrowser"));
    plain.into_iter().map(PathBuf::from).chain(small).filter(|path| path.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_has_a_variable_of_its_own_and_each_browser_its_packages() {
        let mut variables: Vec<&str> =
            Kind::ALL.iter().flat_map(|kind| kind.recipe().programs).map(|program| program.variable).collect();
        variables.push(GECKODRIVER);
        assert!(variables.iter().all(|variable| variable.starts_with("RACESCOPE_")), "{variables:?}");
        let count = variables.len();
        variables.sort_unstable();
        variables.dedup();
        assert_eq!(variables.len(), count);
        assert!(Kind::ALL.iter().all(|kind| !kind.recipe().packages.is_empty()));
    }
}

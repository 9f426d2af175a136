//! A Chromium and the driver that belongs to it, for the browser tests.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::apt;
use crate::process::find_on_path;
use crate::version::{major, version_of};

const BROWSERS: [&str; 5] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

const USUAL_PLACES: [&str; 4] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/usr/lib/chromium/chromedriver",
    "/usr/lib/chromium-browser/chromedriver",
];

const PACKAGES: [&str; 4] = ["chromium", "chromium-driver", "chromium-sandbox", "fonts-dejavu-core"];

/// The variables by which the tests learn of the two programs. They may also be
/// set beforehand, to choose between several browsers.
pub const CHROMIUM: &str = "RACESCOPE_CHROMIUM";
pub const CHROMEDRIVER: &str = "RACESCOPE_CHROMEDRIVER";

/// A browser and its driver, of the same major version.
#[derive(Debug)]
pub struct Browser {
    pub chromium: PathBuf,
    pub chromedriver: PathBuf,
}

/// Finds the two programs, or installs them on Debian.
pub fn ensure() -> Result<Browser> {
    let browser = find().map_or_else(install, Ok)?;
    check_versions(version_of(&browser.chromium).as_deref(), version_of(&browser.chromedriver).as_deref())?;
    Ok(browser)
}

fn install() -> Result<Browser> {
    apt::install(&PACKAGES, "because the browser tests drive a real browser").context(
        "Chromium or chromedriver is missing; install both, in the same version, \
         or name them in RACESCOPE_CHROMIUM and RACESCOPE_CHROMEDRIVER",
    )?;
    find().context("Chromium was installed but cannot be found")
}

fn find() -> Option<Browser> {
    Some(Browser {
        chromium: find_program(CHROMIUM, &BROWSERS)?,
        chromedriver: find_program(CHROMEDRIVER, &["chromedriver"])?,
    })
}

fn find_program(variable: &str, names: &[&str]) -> Option<PathBuf> {
    if let Some(chosen) = std::env::var_os(variable) {
        return Some(chosen.into());
    }
    let usual = USUAL_PLACES.iter().map(PathBuf::from);
    names
        .iter()
        .find_map(|name| find_on_path(name))
        .or_else(|| usual.filter(|path| path.is_file()).find(|path| is_one_of(path, names)))
}

/// Whether the file's name means one of the programs; on a Mac it is written
/// with a capital and a blank.
fn is_one_of(path: &Path, names: &[&str]) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_lowercase().replace(' ', "-");
    names.contains(&name.as_str())
}

fn check_versions(chromium: Option<&str>, chromedriver: Option<&str>) -> Result<()> {
    let chromium = chromium.context("the browser does not start; reinstall it")?;
    let chromedriver = chromedriver.context("chromedriver does not start; reinstall it")?;
    if major(chromium) != major(chromedriver) {
        bail!(
            "the browser is version {chromium} but chromedriver is {chromedriver}; \
             install both from the same source"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browser_and_driver_must_be_of_one_major_version() {
        check_versions(Some("156.0.8078.108"), Some("156.0.1.2")).unwrap();
        let error = check_versions(Some("156.0.1.2"), Some("155.0.1.2")).unwrap_err();
        assert!(error.to_string().contains("install both from the same source"));
    }

    #[test]
    fn a_program_without_a_version_does_not_start() {
        let error = check_versions(Some("156.0.1.2"), None).unwrap_err();
        assert!(error.to_string().contains("chromedriver does not start"));
    }

    #[test]
    fn the_usual_places_are_told_apart_by_name() {
        assert!(is_one_of(Path::new(USUAL_PLACES[0]), &BROWSERS));
        assert!(!is_one_of(Path::new(USUAL_PLACES[0]), &["chromedriver"]));
        assert!(is_one_of(Path::new(USUAL_PLACES[2]), &["chromedriver"]));
    }
}

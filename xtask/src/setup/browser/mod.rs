//! The browsers that the tests drive: found, or installed on Debian.

mod recipe;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use self::recipe::{Program, Recipe};
use super::{apt, cargo_tools};
use crate::process::{self, find_on_path};
use crate::project::Project;
use crate::version::{major, version_of};

/// A browser that the site is tested in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Chromium, with all tests.
    Chromium,
    /// Firefox, with the journeys that each browser has to make.
    Firefox,
    /// `WebKitGTK`, with the same.
    WebKit,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Chromium, Self::Firefox, Self::WebKit];

    /// What it is called.
    pub fn name(self) -> &'static str {
        self.recipe().name
    }
}

/// A browser that is there: each variable by which the tests learn of a program, and the
/// program.
#[derive(Debug)]
pub struct Browser(Vec<(&'static str, PathBuf)>);

impl Browser {
    /// Tells a command where the programs are.
    pub fn tell<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.envs(self.0.iter().map(|(variable, path)| (variable, path)))
    }
}

/// Finds the programs of a browser, or installs them on Debian.
pub fn ensure(project: &Project, kind: Kind) -> Result<Browser> {
    let recipe = kind.recipe();
    let mut programs = find(&recipe).or_else(|missing| install(&recipe, &missing))?;
    match kind {
        Kind::Chromium => check_versions(version_of(&programs[0].1).as_deref(), version_of(&programs[1].1).as_deref())?,
        Kind::Firefox => {
            version_of(&programs[0].1).context("Firefox does not start; reinstall it")?;
            programs.push((recipe::GECKODRIVER, geckodriver(project)?));
        }
        Kind::WebKit => {
            check_that_it_helps(&programs[1].1)?;
        }
    }
    Ok(Browser(programs))
}

/// The driver of Firefox comes from the registry of Rust, since Debian has none.
fn geckodriver(project: &Project) -> Result<PathBuf> {
    match std::env::var_os(recipe::GECKODRIVER) {
        Some(chosen) => Ok(chosen.into()),
        None => cargo_tools::ensure_geckodriver(project),
    }
}

fn install(recipe: &Recipe, missing: &Program) -> Result<Vec<(&'static str, PathBuf)>> {
    let Recipe { name, packages, .. } = recipe;
    let reason = format!("because the browser tests drive {name}");
    apt::install(packages, &reason)
        .with_context(|| format!("{} is missing; install it, or name it in {}", missing.names[0], missing.variable))?;
    find(recipe).map_err(|missing| {
        anyhow::anyhow!(
            "{name} was installed but {} cannot be found; name it in {}",
            missing.names[0],
            missing.variable
        )
    })
}

/// The programs of a browser, or the first that is missing.
fn find(recipe: &Recipe) -> Result<Vec<(&'static str, PathBuf)>, Program> {
    let paths = recipe.programs.iter().map(|program| Ok((program.variable, find_program(program).ok_or(*program)?)));
    paths.collect()
}

fn find_program(program: &Program) -> Option<PathBuf> {
    if let Some(chosen) = std::env::var_os(program.variable) {
        return Some(chosen.into());
    }
    let usual = recipe::usual_places();
    let on_path = program.names.iter().find_map(|name| find_on_path(name));
    on_path.or_else(|| usual.into_iter().find(|path| is_one_of(path, program.names)))
}

/// Whether the file's name means one of the programs; on a Mac it is written
/// with a capital and a blank.
fn is_one_of(path: &Path, names: &[&str]) -> bool {
    let plain = |name: &str| name.to_lowercase().replace(' ', "-");
    let name = plain(&path.file_name().unwrap_or_default().to_string_lossy());
    names.iter().any(|known| plain(known) == name)
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

/// `WebKitWebDriver` tells no version, only how it is used.
fn check_that_it_helps(driver: &Path) -> Result<()> {
    process::output(Command::new(driver).arg("--help")).context("WebKitWebDriver does not start; reinstall it")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_driver_that_knows_no_version_starts_if_it_tells_how_it_is_used() {
        check_that_it_helps(Path::new("true")).unwrap();
        let error = check_that_it_helps(Path::new("false")).unwrap_err();
        assert!(error.to_string().contains("WebKitWebDriver does not start"));
    }

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
    fn programs_are_told_apart_by_name_in_any_spelling() {
        let chrome = Path::new("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");
        assert!(is_one_of(chrome, &["chromium", "google-chrome"]));
        assert!(!is_one_of(chrome, &["chromedriver"]));
        assert!(is_one_of(Path::new("/usr/lib/any/webkit2gtk-4.1/MiniBrowser"), &["MiniBrowser"]));
    }

    #[test]
    fn the_first_program_that_is_missing_is_named_with_its_variable() {
        let nowhere = Program { variable: "RACESCOPE_NO_SUCH_BROWSER", names: &["no-such-browser"] };
        let recipe = Recipe { name: "Nothing", programs: vec![nowhere], packages: &[] };
        assert_eq!(find(&recipe).unwrap_err(), nowhere);
    }

    #[test]
    fn a_command_is_told_each_program() {
        let browser = Browser(vec![("RACESCOPE_FIREFOX", "one".into()), ("RACESCOPE_GECKODRIVER", "two".into())]);
        let mut command = Command::new("cargo");
        let told: Vec<_> = browser.tell(&mut command).get_envs().map(|(name, value)| (name, value.unwrap())).collect();
        assert_eq!(
            told,
            [("RACESCOPE_FIREFOX".as_ref(), "one".as_ref()), ("RACESCOPE_GECKODRIVER".as_ref(), "two".as_ref())]
        );
    }
}

//! `cargo xtask test`: everything that tells whether Racescope works.

use std::process::Command;

use anyhow::Result;

use super::{build, size};
use crate::process;
use crate::project::Project;
use crate::setup::browser::{self, Browser, Kind};
use crate::setup::{Toolbox, in_ci};
use crate::stages::Stages;

/// Which tests to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of them.
    All,
    /// Those that need no browser and no site.
    Native,
    /// Those of the finished site.
    Browser,
}

/// Runs the tests stage by stage and stops at the first that fails.
pub fn run(project: &Project, part: Part) -> Result<()> {
    let mut stages = Stages::new();
    let with_site = part != Part::Native;
    let with_native = part != Part::Browser;
    let mut found = Vec::new();

    if with_site {
        let (toolbox, browsers) = stages.stage("Set-up", || set_up(project))?;
        stages.stage("Site", || build::build(project, &toolbox))?;
        found = browsers;
    }
    if with_native {
        stages.stage("Native tests", || process::run(&mut project.cargo(&["test", "--workspace"])))?;
    }
    for (kind, browser) in found {
        let name = format!("Browser tests in {}", kind.name());
        match browser {
            Ok(browser) => stages.stage(&name, || test_in_browser(project, kind, &browser))?,
            Err(missing) => stages.skip(&name, format!("{missing:#}")),
        }
    }
    if with_site {
        stages.stage("Size of the first load", || size::check(project))?;
    }
    if with_native {
        stages.stage("Lessons", || {
            let arguments = ["run", "--quiet", "--package", "racescope", "--bin", "racescope"];
            process::run(project.cargo(&arguments).args(["--", "check", "lessons"]))
        })?;
    }
    stages.summary();
    Ok(())
}

/// The browsers, or why one of them is missing.
type Found = Vec<(Kind, Result<Browser>)>;

fn set_up(project: &Project) -> Result<(Toolbox, Found)> {
    let toolbox = Toolbox::prepare(project)?;
    let found = Kind::ALL.map(|kind| (kind, browser::ensure(project, kind)));
    Ok((toolbox, forgive(found.into(), !in_ci())?))
}

/// A missing browser is a failure where nobody would see the notice that it is left out.
fn forgive(found: Found, somebody_looks: bool) -> Result<Found> {
    if somebody_looks {
        return Ok(found);
    }
    found.into_iter().map(|(kind, browser)| Ok((kind, Ok(browser?)))).collect()
}

fn test_in_browser(project: &Project, kind: Kind, browser: &Browser) -> Result<()> {
    let arguments = ["test", "--package", "racescope", "--test", "browser", "--features", "browser-tests", "--"];
    let mut command = project.cargo(&arguments);
    command.args(filter(kind));
    process::run(tell_of_browser(&mut command, project, browser))
}

/// Which tests are those of a browser. Chromium has all that don't name another one.
fn filter(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Chromium => &["--skip", "::firefox::", "--skip", "::webkit::"],
        Kind::Firefox => &["::firefox::"],
        Kind::WebKit => &["::webkit::"],
    }
}

/// Tells a command what to drive.
pub fn tell_of_browser<'a>(command: &'a mut Command, project: &Project, browser: &Browser) -> &'a mut Command {
    command.env("RACESCOPE_DIST", project.dist());
    command.env("RACESCOPE_AXE", project.path("node_modules/axe-core/axe.min.js"));
    browser.tell(command)
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    fn found() -> Found {
        vec![(Kind::Firefox, Err(anyhow!("geckodriver is missing")))]
    }

    #[test]
    fn a_missing_browser_is_left_out_where_somebody_looks_and_a_failure_elsewhere() {
        let left_out = forgive(found(), true).unwrap();
        assert!(matches!(left_out.as_slice(), [(Kind::Firefox, Err(_))]));
        assert_eq!(forgive(found(), false).unwrap_err().to_string(), "geckodriver is missing");
    }

    #[test]
    fn each_test_belongs_to_one_browser() {
        let runs = |kind: Kind, test: &str| {
            let words = filter(kind);
            let skipped = words.windows(2).any(|pair| pair[0] == "--skip" && test.contains(pair[1]));
            let wanted = words[0] == "--skip" || words.iter().any(|word| test.contains(word));
            wanted && !skipped
        };
        for test in ["text::each_lesson", "drag::chromium::x", "drag::firefox::x", "drag::webkit::x"] {
            assert_eq!(Kind::ALL.iter().filter(|&&kind| runs(kind, test)).count(), 1, "{test}");
        }
    }
}

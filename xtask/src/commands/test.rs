//! `cargo xtask test`: everything that tells whether Racescope works.

use std::process::Command;

use anyhow::Result;

use super::{build, size};
use crate::process;
use crate::project::Project;
use crate::setup::browser::{self, Browser, CHROMEDRIVER, CHROMIUM};
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
    let mut found = None;

    if with_site {
        let (toolbox, browser) = stages.stage("Set-up", || set_up(project))?;
        stages.stage("Site", || build::build(project, &toolbox))?;
        found = Some(browser);
    }
    if with_native {
        stages.stage("Native tests", || process::run(&mut project.cargo(&["test", "--workspace"])))?;
    }
    match found {
        None => {}
        Some(Ok(browser)) => {
            stages.stage("Browser tests", || test_in_browser(project, &browser))?;
        }
        Some(Err(missing)) => stages.skip("Browser tests", format!("{missing:#}")),
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

/// A missing browser is a failure only where nobody would see the notice.
fn set_up(project: &Project) -> Result<(Toolbox, Result<Browser>)> {
    let toolbox = Toolbox::prepare(project)?;
    let browser = browser::ensure();
    if in_ci() { Ok((toolbox, Ok(browser?))) } else { Ok((toolbox, browser)) }
}

fn test_in_browser(project: &Project, browser: &Browser) -> Result<()> {
    let arguments = ["test", "--package", "racescope", "--test", "browser"];
    process::run(with_browser(&mut project.cargo(&arguments), project, browser))
}

/// Tells a command of cargo what to drive, and that it may.
pub fn with_browser<'a>(command: &'a mut Command, project: &Project, browser: &Browser) -> &'a mut Command {
    command.args(["--features", "browser-tests"]);
    tell_of_browser(command, project, browser)
}

/// Tells a command what to drive.
pub fn tell_of_browser<'a>(command: &'a mut Command, project: &Project, browser: &Browser) -> &'a mut Command {
    command.env("RACESCOPE_DIST", project.dist());
    command.env("RACESCOPE_AXE", project.path("node_modules/axe-core/axe.min.js"));
    command.env(CHROMIUM, &browser.chromium);
    command.env(CHROMEDRIVER, &browser.chromedriver)
}

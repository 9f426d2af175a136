//! `cargo xtask bench`: how fast the finished site answers, in a real browser.

use anyhow::Result;

use super::{build, test};
use crate::process;
use crate::project::Project;
use crate::setup::Toolbox;
use crate::setup::browser;

/// Sets up what is missing, builds the site and measures it.
pub fn run(project: &Project) -> Result<()> {
    let toolbox = Toolbox::prepare(project)?;
    let browser = browser::ensure()?;
    build::build(project, &toolbox)?;
    // The site is what is measured, so the program that drives it needs no optimising.
    for bench in ["drag", "count"] {
        let mut command = project.cargo(&["bench", "--profile", "dev", "--package", "racescope", "--bench", bench]);
        process::run(test::with_browser(&mut command, project, &browser))?;
    }
    Ok(())
}

//! `cargo xtask build`: the finished site in `dist/`.

use anyhow::Result;

use crate::process;
use crate::project::Project;
use crate::setup::Toolbox;

/// Sets up what is missing and builds.
pub fn run(project: &Project) -> Result<()> {
    let toolbox = Toolbox::prepare(project)?;
    build(project, &toolbox)?;
    eprintln!("\nThe site is in {}", project.dist().display());
    Ok(())
}

/// Builds with tools that are there.
pub fn build(project: &Project, toolbox: &Toolbox) -> Result<()> {
    process::run(&mut toolbox.trunk(project, &["build", "--release"]))
}

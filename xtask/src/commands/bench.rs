//! `cargo xtask bench`: how fast the finished site answers, in a real browser, and how fast
//! its searches are beside other programs.

use anyhow::Result;

use super::{build, test};
use crate::process;
use crate::project::Project;
use crate::setup::Toolbox;
use crate::setup::browser;

/// Where the table of the comparison is kept.
const TABLE: &str = "docs/benchmarks.md";

/// Sets up what is missing, builds the site and measures it. `writes` puts the table of the
/// comparison into the docs.
pub fn run(project: &Project, writes: bool) -> Result<()> {
    let toolbox = Toolbox::prepare(project)?;
    let browser = browser::ensure()?;
    build::build(project, &toolbox)?;
    // The site is what is measured, so the program that drives it needs no optimising.
    let drag = ["bench", "--profile", "dev", "--package", "racescope", "--bench", "drag"];
    process::run(test::with_browser(&mut project.cargo(&drag), project, &browser))?;
    let compare = ["bench", "--profile", "compare", "--package", "racescope-bench", "--bench", "compare"];
    let mut command = project.cargo(&compare);
    test::tell_of_browser(&mut command, project, &browser);
    if writes {
        command.env("RACESCOPE_BENCHMARKS", project.path(TABLE));
    }
    process::run(&mut command)
}

//! `cargo xtask bench`: how fast the finished site answers, in a real browser, and how fast
//! its searches are beside other programs.

use anyhow::Result;

use super::{build, test};
use crate::process;
use crate::project::Project;
use crate::setup::Toolbox;
use crate::setup::browser::{self, Kind};

/// Where the tables are kept.
const TABLE: &str = "docs/benchmarks.md";

/// Sets up what is missing, builds the site and measures it. `writes` puts the tables into
/// the docs.
pub fn run(project: &Project, writes: bool) -> Result<()> {
    let toolbox = Toolbox::prepare(project)?;
    let browser = browser::ensure(project, Kind::Chromium)?;
    build::build(project, &toolbox)?;
    // Of the stage, the site is what is measured: what drives it needs no optimising.
    for (bench, profile) in [("stage", "dev"), ("compare", "compare")] {
        let arguments = ["bench", "--profile", profile, "--package", "racescope-bench", "--bench", bench];
        let mut command = project.cargo(&arguments);
        test::tell_of_browser(&mut command, project, &browser);
        if writes {
            command.env("RACESCOPE_BENCHMARKS", project.path(TABLE));
        }
        process::run(&mut command)?;
    }
    Ok(())
}

//! `cargo xtask pages`: the lesson pages, which Trunk asks for after each build.
//!
//! Trunk names the folder to write to in `TRUNK_STAGING_DIR`, and the program
//! reads it from there.

use anyhow::{Result, bail};

use crate::process;
use crate::project::Project;

const FOLDER: &str = "TRUNK_STAGING_DIR";

/// Runs the native program that writes the pages.
pub fn run(project: &Project) -> Result<()> {
    if std::env::var_os(FOLDER).is_none() {
        bail!("{FOLDER} is not set; run `cargo xtask build`, which calls this command");
    }
    let arguments = ["run", "--quiet", "--package", "racescope"];
    let mut command = project.cargo(&arguments);
    process::run(command.args(["--bin", "racescope", "--", "pages"]))
}

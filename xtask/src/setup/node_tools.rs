//! The build tools that come from npm: wasm-opt, and axe-core for the tests.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::apt;
use crate::process::{self, find_on_path, say};
use crate::project::Project;
use crate::version::version_of;

/// A copy of the lock file, left in `node_modules` by the last installation.
const STAMP: &str = "node_modules/.installed-from.json";

/// Installs the packages of `package-lock.json` and returns their programs' folder.
pub fn ensure(project: &Project) -> Result<PathBuf> {
    ensure_npm()?;
    if !up_to_date(project) {
        install(project)?;
    }
    let programs = project.path("node_modules/.bin");
    let wasm_opt = programs.join("wasm-opt");
    if version_of(&wasm_opt).is_none() {
        bail!("{} does not run; remove node_modules and try again", wasm_opt.display());
    }
    Ok(programs)
}

fn ensure_npm() -> Result<()> {
    if find_on_path("node").is_some() && find_on_path("npm").is_some() {
        return Ok(());
    }
    apt::install(&["nodejs", "npm"], "because wasm-opt comes from npm and runs on Node.js")
        .context("Node.js with npm is missing; any version from 18 on will do")
}

fn up_to_date(project: &Project) -> bool {
    let lock = fs::read(project.path("package-lock.json"));
    let stamp = fs::read(project.path(STAMP));
    matches!((lock, stamp), (Ok(lock), Ok(stamp)) if lock == stamp)
}

fn install(project: &Project) -> Result<()> {
    say("installing binaryen and axe-core with npm, because they shrink and test the site");
    let npm = find_on_path("npm").context("npm is not on PATH")?;
    let mut command: Command = project.command(npm);
    command.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]);
    // With NODE_ENV=production npm would leave out what only the build needs.
    command.arg("--include=dev");
    process::run(&mut command).context("npm could not install the packages of package-lock.json")?;
    fs::copy(project.path("package-lock.json"), project.path(STAMP))?;
    Ok(())
}

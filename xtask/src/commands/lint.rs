//! `cargo xtask lint`: formatting and Clippy, natively and for wasm.

use anyhow::Result;

use crate::process;
use crate::project::Project;
use crate::setup::{ensure_components, wasm_target};
use crate::stages::Stages;

/// Runs all checks and treats each warning as an error.
pub fn run(project: &Project) -> Result<()> {
    let mut stages = Stages::new();
    let wasm = stages.stage("Set-up", || {
        ensure_components(project)?;
        wasm_target::ensure(project)
    })?;
    stages.stage("Formatting", || process::run(&mut project.cargo(&["fmt", "--all", "--check"])))?;
    stages.stage("Clippy", || {
        let what = ["--workspace", "--all-targets", "--all-features"];
        let mut command = project.cargo(&["clippy"]);
        process::run(command.args(what).args(["--", "-D", "warnings"]))
    })?;
    let app = ["-p", "racescope", "--lib", "--bin", "app", "--target", wasm_target::TARGET];
    if wasm.has_clippy() {
        stages.stage("Clippy for wasm", || {
            let mut command = wasm.cargo(project, &["clippy"]);
            process::run(command.args(app).args(["--", "-D", "warnings"]))
        })?;
    } else {
        stages.stage("Compiler check for wasm (Debian's compiler has no Clippy)", || {
            process::run(wasm.cargo(project, &["check"]).args(app))
        })?;
    }
    stages.summary();
    Ok(())
}

//! The parts of the toolchain that only `lint` needs.

use anyhow::{Context, Result};

use crate::process::{self, find_on_path, say};
use crate::project::Project;

/// Adds rustfmt and Clippy where a minimal toolchain came without them.
pub fn ensure_components(project: &Project) -> Result<()> {
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if process::succeeds(&mut project.cargo(&[subcommand, "--version"])) {
            continue;
        }
        let rustup = find_on_path("rustup")
            .with_context(|| format!("`cargo {subcommand}` is missing; install {component} for your toolchain"))?;
        say(&format!("adding {component} with rustup, because `lint` runs it"));
        process::run(project.command(rustup).args(["component", "add", component]))?;
    }
    Ok(())
}

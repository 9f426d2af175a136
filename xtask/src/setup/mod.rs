//! Finding or installing what the commands need, each thing in its own file.
//!
//! A step first looks for what is there, then installs it where it can without
//! asking, and otherwise fails with a message that says what to install.

mod apt;
pub mod browser;
mod cargo_tools;
mod components;
mod node_tools;
pub mod wasm_target;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::process;
use crate::project::Project;

pub use components::ensure_components;

/// Everything that building the site takes.
pub struct Toolbox {
    trunk: PathBuf,
    search_path: OsString,
}

impl Toolbox {
    /// Sets up the wasm target, Trunk, wasm-bindgen and wasm-opt.
    pub fn prepare(project: &Project) -> Result<Self> {
        let wasm = wasm_target::ensure(project)?;
        let trunk = cargo_tools::ensure_trunk(project)?;
        let wasm_bindgen = cargo_tools::ensure_wasm_bindgen(project)?;
        let node_tools = node_tools::ensure(project)?;

        // Trunk takes the first program of the right name from PATH, and looks
        // for a download only if the version of that one does not fit.
        let mut folders: Vec<PathBuf> = wasm.folder_before_path().into_iter().collect();
        folders.push(node_tools);
        folders.extend(wasm_bindgen.parent().map(PathBuf::from));
        let search_path = process::path_with_first(&folders)?;
        Ok(Self { trunk, search_path })
    }

    /// Trunk, with all the programs within its reach that it starts.
    pub fn trunk(&self, project: &Project, arguments: &[&str]) -> Command {
        let mut command = project.command(&self.trunk);
        command.args(arguments).env("PATH", &self.search_path);
        // Asking for a newer Trunk would need the network at each build.
        command.env("TRUNK_SKIP_VERSION_CHECK", "true");
        // Trunk 0.21 refuses the usual value of this variable, which is 1.
        if std::env::var_os("NO_COLOR").is_some() {
            command.env_remove("NO_COLOR").env("TRUNK_COLOR", "never");
        }
        command
    }
}

/// Whether this is a run that nobody watches, where a gap must be a failure.
pub fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}

//! The compiler's support for wasm, by the first of three ways that works.

mod debian;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{self, find_on_path, say};
use crate::project::{Project, native_cargo};

/// The only target that the app is built for.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Forces one way, to try it on a machine where an earlier one would win.
const VARIABLE: &str = "RACESCOPE_WASM_TARGET";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The toolchain in use has the target already.
    Installed,
    /// `rustup` can fetch it.
    Rustup,
    /// Debian's compiler builds the standard library from its sources. This is
    /// for networks on which rustup's server cannot be reached.
    Debian,
}

/// How wasm gets built here.
pub struct WasmTarget {
    debian_cargo: Option<PathBuf>,
}

impl WasmTarget {
    /// The folder with a `cargo` that has to win over the others on PATH.
    pub fn folder_before_path(&self) -> Option<PathBuf> {
        self.debian_cargo.as_deref().and_then(Path::parent).map(Path::to_path_buf)
    }

    /// The cargo that can build for wasm.
    pub fn cargo(&self, project: &Project, arguments: &[&str]) -> Command {
        let cargo = self.debian_cargo.clone().unwrap_or_else(native_cargo);
        let mut command = project.command(cargo);
        command.args(arguments);
        command
    }

    /// Whether Clippy can look at the wasm build. Debian's way has no Clippy of
    /// the same version as the compiler in use.
    pub fn has_clippy(&self) -> bool {
        self.debian_cargo.is_none()
    }
}

/// Finds or installs the target.
pub fn ensure(project: &Project) -> Result<WasmTarget> {
    let forced = std::env::var(VARIABLE).ok();
    let mut failures = Vec::new();
    for way in ways_to_try(forced.as_deref())? {
        match take(way, project) {
            Ok(target) => return Ok(target),
            Err(error) => failures.push(format!("\n  {way:?}: {error:#}")),
        }
    }
    bail!(
        "the Rust toolchain cannot build for {TARGET}. \
         Run `rustup target add {TARGET}` and start this command again. Tried:{}",
        failures.concat()
    )
}

fn ways_to_try(forced: Option<&str>) -> Result<Vec<Way>> {
    Ok(match forced {
        None | Some("") => vec![Way::Installed, Way::Rustup, Way::Debian],
        Some("installed") => vec![Way::Installed],
        Some("rustup") => vec![Way::Rustup],
        Some("debian") => vec![Way::Debian],
        Some(other) => bail!("{VARIABLE} is `{other}`; use installed, rustup or debian"),
    })
}

fn take(way: Way, project: &Project) -> Result<WasmTarget> {
    let debian_cargo = match way {
        Way::Installed => {
            check_installed(project)?;
            None
        }
        Way::Rustup => {
            add_with_rustup(project)?;
            None
        }
        Way::Debian => Some(debian::ensure(project)?),
    };
    Ok(WasmTarget { debian_cargo })
}

fn check_installed(project: &Project) -> Result<()> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let sysroot = process::output(project.command(rustc).args(["--print", "sysroot"]))?;
    let library = Path::new(&sysroot).join("lib/rustlib").join(TARGET).join("lib");
    if !library.is_dir() {
        bail!("the toolchain in {sysroot} has no standard library for it");
    }
    Ok(())
}

fn add_with_rustup(project: &Project) -> Result<()> {
    let rustup = find_on_path("rustup").context("there is no rustup on PATH")?;
    say(&format!("adding {TARGET} with rustup, because the app is compiled to it"));
    process::run(project.command(rustup).args(["target", "add", TARGET]))?;
    check_installed(project)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_way_is_tried_first() {
        let all = [Way::Installed, Way::Rustup, Way::Debian];
        assert_eq!(ways_to_try(None).unwrap(), all);
        assert_eq!(ways_to_try(Some("")).unwrap(), all);
    }

    #[test]
    fn a_forced_way_is_the_only_one() {
        assert_eq!(ways_to_try(Some("installed")).unwrap(), [Way::Installed]);
        assert_eq!(ways_to_try(Some("rustup")).unwrap(), [Way::Rustup]);
        assert_eq!(ways_to_try(Some("debian")).unwrap(), [Way::Debian]);
    }

    #[test]
    fn an_unknown_way_is_an_error_that_lists_the_known_ones() {
        let error = ways_to_try(Some("nightly")).unwrap_err().to_string();
        assert!(error.contains("use installed, rustup or debian"), "{error}");
    }
}

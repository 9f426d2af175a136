//! Debian's way to wasm: `rustc-web` with the standard library from source.
//!
//! Only the wasm build may go this way. A small stand-in for `cargo`, put first
//! on PATH, sends it there and everything else to the usual cargo, so that no
//! setting of it reaches native builds and tests.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::TARGET;
use crate::process::{find_on_path, say};
use crate::project::{Project, native_cargo};
use crate::setup::apt;

const CARGO: &str = "/usr/bin/cargo";
const RUSTC: &str = "/usr/bin/rustc";
const LINKER: &str = "wasm-ld-22";
const LIBRARY_SOURCE: &str = "lib/rustlib/src/rust/library/std/Cargo.toml";
const PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld-22"];

/// Installs the packages and returns the stand-in for cargo.
pub fn ensure(project: &Project) -> Result<PathBuf> {
    if !cfg!(target_os = "linux") || find_on_path("apt-get").is_none() {
        bail!("this is not Debian");
    }
    if !packages_are_there() {
        apt::install(&PACKAGES, "because they build the standard library for wasm from source")?;
        if !packages_are_there() {
            bail!("{} are installed but not where Debian puts them", PACKAGES.join(", "));
        }
    }
    say("wasm is built by Debian's compiler; the first build takes a few minutes more");
    let stand_in = project.tools().join("debian-wasm/cargo");
    write_stand_in(&stand_in, &script(&native_cargo(), &project.debian_target()))?;
    Ok(stand_in)
}

fn packages_are_there() -> bool {
    let source = crate::process::output(
        std::process::Command::new(RUSTC).args(["--print", "sysroot"]).env_remove("LD_LIBRARY_PATH"),
    );
    Path::new(CARGO).is_file()
        && find_on_path(LINKER).is_some()
        && source.is_ok_and(|sysroot| Path::new(&sysroot).join(LIBRARY_SOURCE).is_file())
}

/// The variables that cargo sets for the programs it runs would make Debian's
/// compiler load the libraries of the other one, so they are cleared.
fn script(native_cargo: &Path, target: &Path) -> String {
    let native_cargo = quoted(native_cargo);
    let target = quoted(target);
    format!(
        r#"#!/bin/sh
# Written by `cargo xtask`: wasm goes to Debian's cargo, which builds the
# standard library from source, and everything else to the usual cargo.
case " $* " in
*{TARGET}*)
    unset LD_LIBRARY_PATH RUSTUP_TOOLCHAIN RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER
    export RUSTC={RUSTC} RUSTDOC=/usr/bin/rustdoc CARGO={CARGO}
    export RUSTC_BOOTSTRAP=1
    export CARGO_UNSTABLE_BUILD_STD=std,panic_abort
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER={LINKER}
    export CARGO_TARGET_DIR={target}
    exec {CARGO} "$@"
    ;;
*)
    exec {native_cargo} "$@"
    ;;
esac
"#
    )
}

/// A path as one word of a shell script.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

fn write_stand_in(path: &Path, script: &str) -> Result<()> {
    let folder = path.parent().context("the stand-in for cargo has no folder")?;
    fs::create_dir_all(folder)?;
    fs::write(path, script).with_context(|| format!("could not write {}", path.display()))?;
    make_executable(path)
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o755))?)
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> Result<()> {
    bail!("this is not Debian")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_wasm_branch_of_the_script_has_settings() {
        let script = script(Path::new("/some where/cargo"), Path::new("/project/target/debian-wasm"));
        let (wasm, native) = script.split_once(";;").unwrap();
        assert!(wasm.contains("export RUSTC_BOOTSTRAP=1"));
        assert!(wasm.contains("export CARGO_TARGET_DIR='/project/target/debian-wasm'"));
        assert!(wasm.contains("exec /usr/bin/cargo \"$@\""));
        assert!(native.contains("exec '/some where/cargo' \"$@\""));
        assert!(!native.contains("export"));
    }

    #[test]
    fn a_quote_in_a_folder_name_stays_inside_the_word() {
        assert_eq!(quoted(Path::new("/it's")), r"'/it'\''s'");
    }
}

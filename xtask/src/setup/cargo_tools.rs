//! The tools that are Rust programs: two that build the site, and one that drives Firefox.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::lockfile::locked_version;
use crate::process::{self, find_on_path, say};
use crate::project::Project;
use crate::version::version_of;

/// The last Trunk of its line; the next line needs a newer compiler than we do.
const TRUNK_VERSION: &str = "0.21.14";

/// What drives Firefox. It fits the browser's versions of some years.
const GECKODRIVER_VERSION: &str = "0.37.1";

struct Tool<'a> {
    package: &'a str,
    program: &'a str,
    version: &'a str,
    reason: &'a str,
    /// How `cargo install` has to be asked.
    options: &'a [&'a str],
}

/// The program that builds the site.
pub fn ensure_trunk(project: &Project) -> Result<PathBuf> {
    ensure(
        project,
        &Tool {
            package: "trunk",
            program: "trunk",
            version: TRUNK_VERSION,
            reason: "because it builds and serves the site",
            // Without its default features it cannot download other tools, which
            // we bring ourselves, and compiles eighty packages fewer.
            options: &["--locked", "--no-default-features"],
        },
    )
}

/// The program that writes the glue between wasm and the page. It must be of
/// the very version that the app is compiled against.
pub fn ensure_wasm_bindgen(project: &Project) -> Result<PathBuf> {
    ensure(
        project,
        &Tool {
            package: "wasm-bindgen-cli",
            program: "wasm-bindgen",
            version: &locked_version(project, "wasm-bindgen")?,
            reason: "because Trunk joins wasm and page with it",
            // Not `--locked`: its lock file asks for packages that cannot always be had.
            options: &[],
        },
    )
}

/// The program that drives Firefox.
pub fn ensure_geckodriver(project: &Project) -> Result<PathBuf> {
    ensure(
        project,
        &Tool {
            package: "geckodriver",
            program: "geckodriver",
            version: GECKODRIVER_VERSION,
            reason: "because it drives Firefox in the browser tests",
            options: &["--locked"],
        },
    )
}

fn ensure(project: &Project, tool: &Tool) -> Result<PathBuf> {
    let program = format!("{}{}", tool.program, std::env::consts::EXE_SUFFIX);
    let installed = project.tools().join("bin").join(program);
    let candidates = [find_on_path(tool.program), Some(installed.clone())];
    let fitting = candidates.into_iter().flatten().find(|path| version_of(path).as_deref() == Some(tool.version));
    if let Some(path) = fitting {
        return Ok(path);
    }
    install(project, tool)?;
    if version_of(&installed).as_deref() != Some(tool.version) {
        bail!("{} was installed but is not version {}", installed.display(), tool.version);
    }
    Ok(installed)
}

fn install(project: &Project, tool: &Tool) -> Result<()> {
    let Tool { package, version, reason, .. } = tool;
    say(&format!("installing {package} {version} into target/tools with cargo, {reason} (some minutes, once)"));
    let mut command = project.cargo(&["install", package, "--version", version]);
    command.args(tool.options);
    command.arg("--root").arg(project.tools());
    // The authors build for the fastest program; we wait for the build itself.
    command.env("CARGO_PROFILE_RELEASE_LTO", "off");
    command.env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
    command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
    process::run(&mut command).with_context(|| {
        format!("could not install {package} {version}; put {} {version} on PATH yourself, {reason}", tool.program)
    })
}

//! Where things are in the repository, and the cargo that builds native code.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository that this command was started in.
pub struct Project {
    root: PathBuf,
}

impl Project {
    /// Finds the root from the package that cargo is running, so that commands
    /// work from any folder of the repository.
    pub fn locate() -> Self {
        let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let package = PathBuf::from(package);
        let root = package.parent().unwrap_or(&package).to_path_buf();
        Self { root }
    }

    /// A path inside the repository.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// The finished site.
    pub fn dist(&self) -> PathBuf {
        self.path("dist")
    }

    /// The folder into which tools are installed, so that nothing outside the
    /// repository changes and `cargo clean` takes them away again.
    pub fn tools(&self) -> PathBuf {
        self.path("target/tools")
    }

    /// The folder for what the wasm build of the Debian way leaves behind. It is
    /// apart from the usual one because a different compiler wrote it.
    pub fn debian_target(&self) -> PathBuf {
        env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| self.path("target"), |target| self.root.join(target))
            .join("debian-wasm")
    }

    /// Any program, started in the root of the repository.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir(&self.root);
        command
    }

    /// The cargo that runs this very command, for native builds.
    pub fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(native_cargo());
        command.args(arguments);
        command
    }
}

/// The cargo that runs this very command.
pub fn native_cargo() -> PathBuf {
    env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")).into()
}

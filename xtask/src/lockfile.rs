//! The one question that is asked of Cargo.lock: which version of a package.

use std::fs;

use anyhow::{Context, Result};

use crate::project::Project;

/// The version of a package in Cargo.lock.
pub fn locked_version(project: &Project, package: &str) -> Result<String> {
    let path = project.path("Cargo.lock");
    let lock = fs::read_to_string(&path)
        .context("there is no Cargo.lock; it belongs in the repository, so restore it with `git checkout`")?;
    version_in(&lock, package).map(str::to_owned).with_context(|| format!("Cargo.lock does not mention `{package}`"))
}

/// Cargo writes `name` and, on the next line, `version` of each package, so a
/// TOML parser (and the time to compile it) is not needed.
fn version_in<'lock>(lock: &'lock str, package: &str) -> Option<&'lock str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines();
    lines.find(|line| *line == name)?;
    lines.next()?.strip_prefix("version = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "\
version = 4

[[package]]
name = \"wasm-bindgen-macro\"
version = \"0.2.1\"

[[package]]
name = \"wasm-bindgen\"
version = \"0.2.130\"
dependencies = [
 \"cfg-if\",
]
";

    #[test]
    fn the_version_is_that_of_the_package_with_the_whole_name() {
        assert_eq!(version_in(LOCK, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(version_in(LOCK, "wasm-bindgen-macro"), Some("0.2.1"));
    }

    #[test]
    fn a_package_that_is_not_locked_has_no_version() {
        assert_eq!(version_in(LOCK, "wasm"), None);
        assert_eq!(version_in(LOCK, "cfg-if"), None);
    }

    #[test]
    fn trunk_is_told_the_locked_version_of_wasm_bindgen() {
        let project = Project::locate();
        let locked = locked_version(&project, "wasm-bindgen").unwrap();
        let trunk = fs::read_to_string(project.path("Trunk.toml")).unwrap();
        assert!(
            trunk.contains(&format!("wasm_bindgen = \"{locked}\"")),
            "Cargo.lock has wasm-bindgen {locked}; write the same version into Trunk.toml"
        );
    }
}
